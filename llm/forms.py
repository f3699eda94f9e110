import json
from decimal import Decimal
from typing import Any, ClassVar

from django import forms
from django.utils.translation import gettext_lazy as _

from llm.addresses import SCHEME, is_installed
from llm.models import Endpoint, Unknown
from llm.request_options import MOST_TOKENS, Effort, RequestOptions, read_extra

PRESETS = [
    ("OpenAI", "https://api.openai.com/v1", "gpt-4o-mini"),
    (_("Ollama on this machine"), "http://127.0.0.1:11434/v1", "llama3.1:8b"),
    (_("vLLM on this machine"), "http://127.0.0.1:8000/v1", "org/model"),
    (_("llama.cpp server on this machine"), "http://127.0.0.1:8080/v1", "model"),
    (_("A gateway of your institution"), "https://models.example.org/v1", "model"),
]
"""Common servers as starting points: (name, base URL, example of a model name)."""
IN_PROCESS = (_("A transformers model in the worker's own process"), f"{SCHEME}/path/to/folder", "model")


def get_presets() -> list[tuple[Any, str, str]]:
    """The presets; models in process only if their packages are installed."""
    return [*PRESETS, IN_PROCESS] if is_installed() else PRESETS


HELP = {
    "max_tokens": _(
        "The most tokens a reply may have, including reasoning. Leave empty for the task's own limit, which grows "
        "automatically when replies are cut off."
    ),
    "reasoning_effort": _("For models that reason before they answer. Leave empty for the server's default."),
    "extra": _('More parameters for every request, as a JSON object: {"top_p": 0.9}.'),
}


class ExtraField(forms.CharField):
    """Extra parameters as JSON, shown as entered."""

    def __init__(self, **about: Any):
        about.pop("encoder", None), about.pop("decoder", None)
        super().__init__(**(about | {"widget": forms.Textarea({"rows": 2, "spellcheck": "false"}), "required": False}))

    def to_python(self, value: Any) -> Any:
        return value if isinstance(value, dict) else read_extra(value or "")

    def prepare_value(self, value: Any) -> str:
        if isinstance(value, str):
            return value
        return json.dumps(value, ensure_ascii=False) if value else ""

    def has_changed(self, initial: Any, data: Any) -> bool:
        return bool((data or "").strip() != self.prepare_value(initial))


class RequestOptionsForm(forms.Form):
    """Options that a run sends with its requests; empty fields use the endpoint's values."""

    max_tokens = forms.IntegerField(
        label=_("Output tokens"), min_value=1, max_value=MOST_TOKENS, required=False, help_text=HELP["max_tokens"]
    )
    reasoning_effort = forms.ChoiceField(
        label=_("Reasoning effort"),
        choices=[("", _("model default")), *Effort.choices],
        required=False,
        help_text=HELP["reasoning_effort"],
    )
    extra = ExtraField(label=_("Extra parameters"), help_text=HELP["extra"])

    def options(self) -> RequestOptions:
        """The options of a valid form."""
        data = self.cleaned_data
        return RequestOptions(data["max_tokens"], data["reasoning_effort"], data["extra"])


OPTION_FIELDS = ("max_tokens", "reasoning_effort", "extra")


class EndpointForm(forms.ModelForm):
    key = forms.CharField(
        label=_("Key"), required=False, max_length=1000, widget=forms.PasswordInput(attrs={"autocomplete": "off"}),
        help_text=_("Stored encrypted and never shown again. Leave empty to keep the stored key or to use none."),
    )  # fmt: skip
    field_order = ["name", "base_url", "model", "key"]
    MAIN = ("name", "base_url", "model", "key", "price_in", "price_out", "currency")

    class Meta:
        model = Endpoint
        fields = [
            "name", "base_url", "model", "description", "price_in", "price_out", "currency", "max_concurrency",
            "requests_per_minute", "tokens_per_minute", "timeout_seconds", "max_tokens", "reasoning_effort", "extra",
            "is_active", "projects",
        ]  # fmt: skip
        widgets = {"description": forms.Textarea({"rows": 2}), "projects": forms.CheckboxSelectMultiple}
        field_classes: ClassVar[dict[str, Any]] = {"extra": ExtraField}
        help_texts = {
            "name": _("The name used in lists and commands."),
            "base_url": _(
                "The part before /chat/completions; it usually ends in /v1. If it changes, enter the key again."
            ),
            "model": _("The exact name that the server uses."),
            "description": _("What researchers should know before they choose this model."),
            "price_in": _("Per million input tokens. Leave empty if unknown (costs are not counted); 0 means free."),
            "price_out": _("Per million output tokens."),
            "max_concurrency": _("The maximum. Lesart sends fewer while the server reports too many requests."),
            "requests_per_minute": _("The limit of your account, for all workers together. Leave empty for no limit."),
            "tokens_per_minute": _("Counts input and the most output a request may use. Leave empty for no limit."),
            "max_tokens": HELP["max_tokens"],
            "reasoning_effort": HELP["reasoning_effort"],
            "extra": HELP["extra"],
            "projects": _("Projects that may use this model. Select none to allow all."),
            "is_active": _("If not selected, new runs cannot use it; earlier runs stay as they are."),
        }

    def clean_currency(self) -> str:
        return self.cleaned_data["currency"].upper()

    def clean(self):
        """Both prices or none: a single one would count only part of the costs."""
        cleaned = super().clean() or {}
        if (cleaned.get("price_in") is None) != (cleaned.get("price_out") is None):
            self.add_error("price_out", _("Enter both prices, or neither."))
        return cleaned

    def _post_clean(self):
        """The service validates and stores; the form's own instance stays unchanged until then."""

    @property
    def main(self) -> list[forms.BoundField]:
        return [self[name] for name in self.MAIN]

    @property
    def advanced_fields(self) -> list[forms.BoundField]:
        """Limits, defaults of requests and who may use it: fields whose defaults usually work."""
        return [field for field in self if field.name not in self.MAIN]

    @property
    def has_advanced_errors(self) -> bool:
        return any(field.errors for field in self.advanced_fields)

    @property
    def fields_of_endpoint(self) -> dict:
        return {name: self.cleaned_data[name] for name in self.Meta.fields}


class BudgetForm(forms.Form):
    budget = forms.DecimalField(
        label=_("Budget"), required=False, min_value=Decimal("0.0001"), max_digits=12, decimal_places=4,
        help_text=_("The run pauses when it is reached. Leave empty for no limit."),
    )  # fmt: skip


class BudgetField(forms.DecimalField):
    """The maximum cost of runs, in the currency of the model; empty means no limit."""

    def __init__(self, **about: Any):
        super().__init__(label=_("Budget"), min_value=0, max_digits=12, decimal_places=4, required=False, **about)


class UnknownField(forms.ChoiceField):
    """What happens to calls whose outcome is unknown."""

    def __init__(self, **about: Any):
        super().__init__(
            label=_("If the connection breaks, a call may already have been billed"),
            choices=Unknown.choices,
            widget=forms.RadioSelect,
            help_text=_(
                "A killed worker or a power cut leaves a few calls without a reply. Sent again, they may be billed "
                "twice; held, they stop the run until you decide."
            ),
            **about,
        )


class UnknownForm(forms.Form):
    on_unknown = UnknownField()
