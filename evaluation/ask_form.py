"""What the forms for models that answer and for models that judge have in common."""

import hashlib
import json
from collections.abc import Iterable
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from evaluation.more_choices import MoreChoices
from evaluation.services.evaluators import LONGEST
from llm.forms import BudgetField, UnknownField
from llm.models import Endpoint, Unknown
from studies.models import Study


class EndpointField(forms.ModelChoiceField):
    def label_from_instance(self, obj: Any) -> str:
        return str(obj.as_offered)


class AskForm(MoreChoices):
    """Which model is asked, what it may cost, and what tables call it."""

    field_order = ("endpoint", "stages", "answering", "reading", "prompt", "label")

    endpoint = EndpointField(label=_("Model"), queryset=Endpoint.objects.none(), empty_label=None)
    budget = BudgetField(
        help_text=_("Runs pause before they cost more together. In the currency of the model; needs its price.")
    )
    on_unknown = UnknownField(required=False, initial=Unknown.REPEAT)
    label = forms.CharField(
        label=_("Label"),
        max_length=LONGEST,
        required=False,
        help_text=_("What tables and exports call it; empty: the model's name."),
    )

    def __init__(self, study: Study, *args: Any, **kwargs: Any):
        super().__init__(*args, **kwargs)
        self.fields["endpoint"].queryset = Endpoint.objects.offered_to(study.project)  # type: ignore[attr-defined]

    def offer_prompts(self, named: Iterable[tuple[str, Any]], default: str) -> None:
        """The prompts of that name first, and chosen by an empty word: the latest version at the start."""
        choices = [("" if name == default else name, words) for name, words in named]
        self.fields["prompt"].choices = sorted(choices, key=lambda pair: pair[0] != "")  # type: ignore[attr-defined]

    def mark(self) -> str:
        """The same for the same entries: whoever presses Start has seen the estimate of just these."""
        entries = json.dumps([str(self.cleaned_data[name]) for name in self.fields])
        return hashlib.sha256(entries.encode()).hexdigest()[:16]
