"""Forms that add baselines, models that answer, and models that judge."""

import hashlib
import json
from collections.abc import Iterable
from typing import Any, ClassVar

from django import forms
from django.utils.translation import gettext_lazy as _

from evaluation.baselines import EXACT, FUZZY, MAJORITY
from evaluation.instruments import JUDGE
from evaluation.services.asking import MAX_SAMPLES, MAX_TEMPERATURE, ModelSpec, expand_spec, name_default_prompt
from evaluation.services.evaluators import MAX_LABEL
from evaluation.services.judges import (
    LARGEST_SCALE,
    SMALLEST_SCALE,
    TEMPERATURE,
    JudgeSpec,
    find_prompt,
    get_judgment_type,
    name_prompts,
)
from evaluation.setting import LABEL, LETTERS, OPTIONWISE, PROBABILITY
from llm.forms import OPTION_FIELDS, BudgetField, RequestOptionsForm, UnknownField
from llm.models import Endpoint, Unknown
from studies.instrument_kinds import EVALUATOR
from studies.models import AnnotatorKind, Study
from studies.services.evaluating import PAIRS, SCORES
from studies.services.instruments import list_suitable_versions, make_choices


class MoreChoices(forms.Form):
    """A form whose rarely used fields are folded, in the order in which `folded` names them."""

    folded: ClassVar[tuple[str, ...]] = ()

    def first_choices(self) -> list[forms.BoundField]:
        return [field for field in self.visible_fields() if field.name not in self.folded]

    def more_choices(self) -> list[forms.BoundField]:
        return [self[name] for name in self.folded if name in self.fields]

    def is_unfolded(self) -> bool:
        """Where a folded field has an error or says something else than usual, all are shown."""
        return self.is_bound and any(field.errors or field.name in self.changed_data for field in self.more_choices())


class EndpointField(forms.ModelChoiceField):
    def label_from_instance(self, obj: Any) -> str:
        return str(obj.as_offered)


class AskForm(MoreChoices, RequestOptionsForm):
    """Which model is asked, what it may cost, and what tables call it."""

    field_order = ("endpoint", "stages", "answering", "reading", "prompt", "label")

    endpoint = EndpointField(label=_("Model"), queryset=Endpoint.objects.none(), empty_label=None)
    budget = BudgetField(
        help_text=_("Runs pause before they cost more together. In the currency of the model; needs its price.")
    )
    on_unknown = UnknownField(required=False, initial=Unknown.REPEAT)
    label = forms.CharField(
        label=_("Label"),
        max_length=MAX_LABEL,
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
        max_length=MAX_LABEL,
        required=False,
        help_text=_("What tables and exports call it; empty: majority, exact or fuzzy."),
    )
    stages = StagesField(help_text=_("None ticked: all in which it can answer. A match needs the text."))


class ModelForm(AskForm):
    """Which model is to answer, how its replies are read, and what it may cost."""

    folded = (
        *("threshold_guess", "threshold_read", "tune_on", "temperature", "samples", "as_published", "budget"),
        *OPTION_FIELDS,
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
        max_value=MAX_TEMPERATURE,
        required=False,
        help_text=_("Empty or 0: always the likeliest words. Above it replies are drawn, and differ between samples."),
    )
    samples = forms.IntegerField(
        label=_("Samples"),
        min_value=1,
        max_value=MAX_SAMPLES,
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
        named = make_choices(list_suitable_versions(study.project, EVALUATOR, study.protocol))
        self.offer_prompts(named, default=f"{name_default_prompt(study)}/{study.language.partition('-')[0]}")
        self.fields["prompt"].initial = [""]
        others = Study.objects.filter(project=study.project_id, annotators__kind=AnnotatorKind.MODEL).distinct()
        self.fields["tune_on"].queryset = others.exclude(pk=study.pk)  # type: ignore[attr-defined]

    def specs(self) -> list[ModelSpec]:
        """What is wanted, of a valid form: one evaluator for each prompt and sample."""
        wanted = self.cleaned_data
        return expand_spec(self._spec(wanted), prompts=wanted["prompt"], samples=wanted["samples"] or 1)

    def _spec(self, wanted: dict[str, Any]) -> ModelSpec:
        thresholds = {"guess": wanted["threshold_guess"], "read": wanted["threshold_read"]}
        return ModelSpec(
            endpoint=wanted["endpoint"],
            label=wanted["label"],
            stages=wanted["stages"],
            reading=wanted["reading"],
            temperature=wanted["temperature"] or 0,
            as_published=wanted["as_published"],
            answering=wanted["answering"] or OPTIONWISE,
            tune_on=wanted["tune_on"],
            options=self.options(),
            thresholds={stage: share for stage, share in thresholds.items() if share is not None},
        )


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

    folded = (*FOR_SCORES, "budget", *OPTION_FIELDS, "on_unknown")

    reading = forms.ChoiceField(label=_("What counts as its answer"), widget=forms.RadioSelect, initial=LABEL)
    samples = forms.IntegerField(
        label=_("Samples"),
        min_value=2,
        max_value=MAX_SAMPLES,
        required=False,
        help_text=_("The mean of so many written scores: a metric column. Empty: one reply at temperature 0."),
    )
    temperature = forms.FloatField(
        label=_("Temperature of the samples"),
        min_value=0,
        max_value=MAX_TEMPERATURE,
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
        way = get_judgment_type(study)
        if way not in READINGS:
            del self.fields["reading"]
        else:
            self.fields["reading"].choices = READINGS[way]  # type: ignore[attr-defined]
        self.fields["temperature"].help_text = _("Empty: %(default)s.") % {"default": TEMPERATURE}
        if way != SCORES:
            for name in FOR_SCORES:
                del self.fields[name]
        find_prompt(study)  # those that are made from the wording are listed from now on
        self.offer_prompts(
            make_choices(list_suitable_versions(study.project, JUDGE, study.protocol)), default=name_prompts(study)
        )

    def spec(self) -> JudgeSpec:
        """What is wanted, of a valid form."""
        wanted = self.cleaned_data
        return JudgeSpec(
            endpoint=wanted["endpoint"],
            label=wanted["label"],
            reading=wanted.get("reading", LABEL),
            samples=wanted.get("samples"),
            temperature=wanted.get("temperature"),
            scale=wanted.get("scale"),
            prompt=wanted["prompt"],
            options=self.options(),
        )
