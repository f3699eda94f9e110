"""The form for a model that judges: of each protocol just what it allows."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from evaluation.ask_form import AskForm
from evaluation.judges.instruments import JUDGE
from evaluation.services.asking import HOTTEST
from evaluation.services.ensembles import MOST_SAMPLES
from evaluation.services.judges import (
    LARGEST_SCALE,
    SMALLEST_SCALE,
    TEMPERATURE,
    JudgeAsk,
    prompts_name,
    way_in,
)
from evaluation.setting import LABEL, PROBABILITY
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


class JudgeForm(AskForm):
    """Which model is to judge, how its replies are read, and what it may cost."""

    folded = (*FOR_SCORES, "budget", "on_unknown")

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

    def __init__(self, study: Study, *args: Any, **kwargs: Any):
        super().__init__(study, *args, **kwargs)
        way = way_in(study)
        if way == GATES:
            del self.fields["reading"]
        else:
            self.fields["reading"].choices = READINGS[way]  # type: ignore[attr-defined]
        self.fields["temperature"].help_text = _("Empty: %(default)s.") % {"default": TEMPERATURE}
        if way != SCORES:
            for name in FOR_SCORES:
                del self.fields[name]
        self.offer_prompts(choices_of(suitable(study.project, JUDGE, study.protocol)), default=prompts_name(study))

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
