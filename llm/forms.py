from decimal import Decimal
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from llm.in_process.places import SCHEME, is_installed
from llm.models import Endpoint, Unknown

PRESETS = [
    ("OpenAI", "https://api.openai.com/v1", "gpt-4o-mini"),
    (_("Ollama on this machine"), "http://127.0.0.1:11434/v1", "llama3.1:8b"),
    (_("vLLM on this machine"), "http://127.0.0.1:8000/v1", "org/model"),
    (_("llama.cpp server on this machine"), "http://127.0.0.1:8080/v1", "model"),
    (_("A gateway of your institution"), "https://models.example.org/v1", "model"),
]
"""Shapes of addresses, to start from: (name, base URL, an example of a model's name)."""
IN_PROCESS = (_("A transformers model in the worker's own process"), f"{SCHEME}/path/to/folder", "model")


def presets() -> list[tuple[Any, str, str]]:
    """The last one only where its packages are installed."""
    return [*PRESETS, IN_PROCESS] if is_installed() else PRESETS


class EndpointForm(forms.ModelForm):
    key = forms.CharField(
        label=_("Key"), required=False, max_length=1000, widget=forms.PasswordInput(attrs={"autocomplete": "off"}),
        help_text=_("Encrypted when stored, never shown again. Leave it empty to keep the stored one or to use none."),
    )  # fmt: skip
    field_order = ["name", "base_url", "model", "key"]

    class Meta:
        model = Endpoint
        fields = [
            "name", "base_url", "model", "description", "price_in", "price_out", "currency", "max_concurrency",
            "requests_per_minute", "tokens_per_minute", "timeout_seconds", "is_active", "projects",
        ]  # fmt: skip
        widgets = {"description": forms.Textarea({"rows": 2}), "projects": forms.CheckboxSelectMultiple}
        help_texts = {
            "name": _("How it is called in lists and commands."),
            "base_url": _(
                "The part before /chat/completions; usually it ends in /v1. If it changes, the key is asked for again."
            ),
            "model": _("Exactly as the server names it."),
            "description": _("What researchers should know before they choose it."),
            "price_in": _("For a million input tokens. Empty: unpriced, then costs are not counted; 0: free."),
            "price_out": _("For a million output tokens."),
            "max_concurrency": _("At most; fewer while the server says that it is too many."),
            "requests_per_minute": _("As your account allows, for all workers together. Empty: no limit of ours."),
            "tokens_per_minute": _("Input and the most output that a request may use. Empty: no limit of ours."),
            "projects": _("Which projects may use it. None ticked: all of them."),
            "is_active": _("Without it, earlier runs stay as they are."),
        }

    def clean_currency(self) -> str:
        return self.cleaned_data["currency"].upper()

    def clean(self):
        """One price without the other counts half of the costs."""
        cleaned = super().clean() or {}
        if (cleaned.get("price_in") is None) != (cleaned.get("price_out") is None):
            self.add_error("price_out", _("Enter both prices, or neither."))
        return cleaned

    def _post_clean(self):
        """The service checks and stores; the form's own instance stays untouched until then."""

    @property
    def fields_of_endpoint(self) -> dict:
        return {name: self.cleaned_data[name] for name in self.Meta.fields}


class BudgetForm(forms.Form):
    budget = forms.DecimalField(
        label=_("Budget"), required=False, min_value=Decimal("0.0001"), max_digits=12, decimal_places=4,
        help_text=_("Over it the run pauses. Empty: no limit."),
    )  # fmt: skip


class BudgetField(forms.DecimalField):
    """What runs may cost, in the currency of the model; empty is no limit."""

    def __init__(self, **about: Any):
        super().__init__(label=_("Budget"), min_value=0, max_digits=12, decimal_places=4, required=False, **about)


class UnknownField(forms.ChoiceField):
    """What becomes of calls of which nobody knows whether they were answered."""

    def __init__(self, **about: Any):
        super().__init__(
            label=_("If a worker dies, what is on the wire may have been paid"),
            choices=Unknown.choices,
            widget=forms.RadioSelect,
            help_text=_(
                "A killed worker or a power cut leaves a few calls without a reply. Asked again, they may be paid "
                "twice; held, they stop the run until you say what becomes of them."
            ),
            **about,
        )


class UnknownForm(forms.Form):
    on_unknown = UnknownField()
