from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from evaluation.ask_form import AskForm
from evaluation.baselines import EXACT, FUZZY, MAJORITY
from evaluation.services.asking import HOTTEST, PROMPTS, Ask
from evaluation.services.ensembles import MOST_SAMPLES, asks_for
from evaluation.services.evaluators import LONGEST
from evaluation.setting import LABEL, LETTERS, OPTIONWISE, PROBABILITY
from studies.instrument_kinds import EVALUATOR
from studies.models import AnnotatorKind, Study
from studies.services.instrument_listing import choices_of, suitable

METHODS = [
    (MAJORITY, _("Majority: says of every option what is true of most options on the other texts")),
    (EXACT, _("Exact match: ticks an option that stands in the text, word for word")),
    (FUZZY, _("Fuzzy match: ticks an option that nearly stands in the text")),
]
MODEL_READINGS = [
    (LABEL, _("The letter that the model writes")),
    (PROBABILITY, _("The probability of the letter for “correct”, from a threshold on (needs log-probabilities)")),
]


STAGES = [("guess", _("without the text")), ("read", _("with the text"))]
WAYS = [
    (OPTIONWISE, _("Option by option: one prompt for each")),
    (LETTERS, _("All options of an item in one prompt, a list of letters back")),
]


class StagesField(forms.MultipleChoiceField):
    """In which settings an evaluator answers."""

    def __init__(self, **about: Any):
        super().__init__(
            label=_("Answers"),
            choices=STAGES,
            initial=[name for name, _words in STAGES],
            widget=forms.CheckboxSelectMultiple,
            required=False,
            **about,
        )


class BaselineForm(forms.Form):
    """Which baseline is to answer, and what tables call it."""

    method = forms.ChoiceField(label=_("Baseline"), choices=METHODS, widget=forms.RadioSelect, initial=MAJORITY)
    label = forms.CharField(
        label=_("Label"),
        max_length=LONGEST,
        required=False,
        help_text=_("What tables and exports call it; empty: majority, exact or fuzzy."),
    )
    stages = StagesField(help_text=_("None ticked: all in which it can answer. A match needs the text."))


class ModelForm(AskForm):
    """Which model is to answer, how its replies are read, and what it may cost."""

    folded = (
        *("threshold_guess", "threshold_read", "tune_on", "temperature", "samples", "as_published", "budget"),
        "on_unknown",
    )

    stages = StagesField(help_text=_("None ticked: both."))
    answering = forms.ChoiceField(
        label=_("How it is asked"), choices=WAYS, widget=forms.RadioSelect, required=False, initial=OPTIONWISE
    )
    reading = forms.ChoiceField(
        label=_("What counts as its answer"), choices=MODEL_READINGS, widget=forms.RadioSelect, initial=LABEL
    )
    threshold_guess = forms.FloatField(
        label=_("Threshold without the text"),
        min_value=0,
        max_value=1,
        required=False,
        help_text=_("For probabilities only; empty: .5. Choose thresholds on texts that are not in this study."),
    )
    threshold_read = forms.FloatField(label=_("Threshold with the text"), min_value=0, max_value=1, required=False)
    prompt = forms.MultipleChoiceField(
        label=_("Prompts"),
        required=False,
        widget=forms.CheckboxSelectMultiple,
        help_text=_("None ticked: the first. Several make an evaluator each, named after them."),
    )
    temperature = forms.FloatField(
        label=_("Temperature"),
        min_value=0,
        max_value=HOTTEST,
        required=False,
        help_text=_("Empty or 0: always the likeliest words. Above it replies are drawn, and differ between samples."),
    )
    samples = forms.IntegerField(
        label=_("Samples"),
        min_value=1,
        max_value=MOST_SAMPLES,
        required=False,
        help_text=_("Empty: one. Several need a temperature above 0; each is an evaluator of its own, NAME #2 and on."),
    )
    tune_on = forms.ModelChoiceField(
        label=_("Choose the thresholds on"),
        queryset=Study.objects.none(),
        required=False,
        empty_label=_("no other study"),
        help_text=_(
            "A study of other texts that this model has answered: the thresholds under which it is most often right "
            "there, from the probabilities that are stored."
        ),
    )
    as_published = forms.BooleanField(
        label=_("Ask and read as published"),
        required=False,
        help_text=_(
            "For comparison with the publication: it is never asked a second time, writes at most 10 tokens, and of "
            "the ways to write a letter the likeliest counts for p(true), whatever its share."
        ),
    )

    def __init__(self, study: Study, *args: Any, **kwargs: Any):
        super().__init__(study, *args, **kwargs)
        named = choices_of(suitable(study.project, EVALUATOR, study.protocol))
        self.offer_prompts(named, default=f"{PROMPTS}/{study.language.partition('-')[0]}")
        self.fields["prompt"].initial = [""]
        others = Study.objects.filter(project=study.project_id, annotators__kind=AnnotatorKind.MODEL).distinct()
        self.fields["tune_on"].queryset = others.exclude(pk=study.pk)  # type: ignore[attr-defined]

    def asks(self) -> list[Ask]:
        """What is wanted, of a valid form: one evaluator for each prompt and sample."""
        wanted = self.cleaned_data
        return asks_for(self._ask(wanted), prompts=wanted["prompt"], samples=wanted["samples"] or 1)

    def _ask(self, wanted: dict[str, Any]) -> Ask:
        thresholds = {"guess": wanted["threshold_guess"], "read": wanted["threshold_read"]}
        return Ask(
            endpoint=wanted["endpoint"],
            label=wanted["label"],
            stages=wanted["stages"],
            reading=wanted["reading"],
            temperature=wanted["temperature"] or 0,
            as_published=wanted["as_published"],
            answering=wanted["answering"] or OPTIONWISE,
            tune_on=wanted["tune_on"],
            thresholds={stage: share for stage, share in thresholds.items() if share is not None},
        )
