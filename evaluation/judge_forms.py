"""The form for a model that judges: of each protocol just what it allows."""

import hashlib
import json
from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from evaluation.forms import EndpointField
from evaluation.judges.instruments import JUDGE
from evaluation.more_choices import MoreChoices
from evaluation.services.evaluators import LONGEST
from evaluation.services.judges import (
    HOTTEST,
    LARGEST_SCALE,
    MOST_SAMPLES,
    SMALLEST_SCALE,
    TEMPERATURE,
    JudgeAsk,
    prompts_name,
    way_in,
)
from evaluation.setting import LABEL, PROBABILITY
from llm.forms import UnknownField
from llm.models import Endpoint, Unknown
from studies.models import Study
from studies.services.instrument_listing import choices_of, suitable
from studies.services.judgeable import GATES, PAIRS, SCORES

READINGS = {
    PAIRS: [
        (LABEL, _("The letter that the model writes")),
        (PROBABILITY, _("The likeliest of the letters (needs log-probabilities)")),
    ],
    SCORES: [
        (LABEL, _("The score that the model writes: an annotator's answer where it is on the study's scale")),
        (
            PROBABILITY,
            _("The expected value by the scores' probabilities: a metric column (needs log-probabilities)"),
        ),
    ],
}
FOR_SCORES = ("samples", "temperature", "scale")


class JudgeForm(MoreChoices):
    """Which model is to judge, how its replies are read, and what it may cost."""

    folded = (*FOR_SCORES, "budget", "on_unknown")

    endpoint = EndpointField(label=_("Model"), queryset=Endpoint.objects.none(), empty_label=None)
    reading = forms.ChoiceField(label=_("What counts as its answer"), widget=forms.RadioSelect, initial=LABEL)
    samples = forms.IntegerField(
        label=_("Samples"),
        min_value=2,
        max_value=MOST_SAMPLES,
        required=False,
        help_text=_("The mean of so many written scores: a metric column. Empty: one reply at temperature 0."),
    )
    temperature = forms.FloatField(
        label=_("Temperature of the samples"),
        min_value=0,
        max_value=HOTTEST,
        required=False,
    )
    scale = forms.IntegerField(
        label=_("A scale of its own, from 1 to"),
        min_value=SMALLEST_SCALE,
        max_value=LARGEST_SCALE,
        required=False,
        help_text=_("Empty: the study's scale with its anchors. Another scale makes a metric column."),
    )
    prompt = forms.ChoiceField(
        label=_("Prompts"), required=False, help_text=_("Other prompts make another evaluator; give it another label.")
    )
    budget = forms.DecimalField(
        label=_("Budget"),
        min_value=0,
        max_digits=12,
        decimal_places=4,
        required=False,
        help_text=_("The run pauses before it costs more. In the currency of the model; needs its price."),
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
        way = way_in(study)
        self.fields["endpoint"].queryset = Endpoint.objects.offered_to(study.project)  # type: ignore[attr-defined]
        if way == GATES:
            del self.fields["reading"]
        else:
            self.fields["reading"].choices = READINGS[way]  # type: ignore[attr-defined]
        self.fields["temperature"].help_text = _("Empty: %(default)s.") % {"default": TEMPERATURE}
        if way != SCORES:
            for name in FOR_SCORES:
                del self.fields[name]
        default = prompts_name(study)
        named = choices_of(suitable(study.project, JUDGE, study.protocol))
        choices = [("" if name == default else name, words) for name, words in named]
        self.fields["prompt"].choices = sorted(choices, key=lambda pair: pair[0] != "")  # type: ignore[attr-defined]

    def ask(self) -> JudgeAsk:
        """What is wanted, of a valid form."""
        wanted = self.cleaned_data
        return JudgeAsk(
            endpoint=wanted["endpoint"],
            label=wanted["label"],
            reading=wanted.get("reading", LABEL),
            samples=wanted.get("samples"),
            temperature=wanted.get("temperature"),
            scale=wanted.get("scale"),
            prompt=wanted["prompt"],
        )

    def mark(self) -> str:
        """The same for the same entries: whoever presses Start has seen the estimate of just these."""
        entries = json.dumps([str(self.cleaned_data[name]) for name in self.fields])
        return hashlib.sha256(entries.encode()).hexdigest()[:16]
