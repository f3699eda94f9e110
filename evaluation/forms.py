"""Forms that add baselines, models that answer, and models that judge."""

import hashlib
import json
from collections.abc import Collection, Iterable, Sequence
from typing import Any, ClassVar

from django import forms
from django.utils.translation import gettext_lazy as _

from evaluation.baselines import EXACT, FUZZY, MAJORITY, RULES
from evaluation.instruments import JUDGE
from evaluation.models import Evaluator
from evaluation.services import judges
from evaluation.services.asking import MAX_SAMPLES, MAX_TEMPERATURE, ModelSpec, expand_spec, name_default_prompt
from evaluation.services.evaluators import MAX_LABEL, SEEN, CannotEvaluate, expand_versions, read_seen_texts
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
    """A form whose rarely used fields, listed in `folded`, are hidden until they are opened."""

    folded: ClassVar[tuple[str, ...]] = ()

    def first_choices(self) -> list[forms.BoundField]:
        return [field for field in self.visible_fields() if field.name not in self.folded]

    def more_choices(self) -> list[forms.BoundField]:
        return [self[name] for name in self.folded if name in self.fields]

    def is_unfolded(self) -> bool:
        """Whether a hidden field has an error or another value than the default, so that all of them are shown."""
        return self.is_bound and any(field.errors or self.differs_from_default(field) for field in self.more_choices())

    def differs_from_default(self, field: forms.BoundField) -> bool:
        return field.name in self.changed_data and field.data not in (None, "", [])


class EndpointField(forms.ModelChoiceField):
    def label_from_instance(self, obj: Any) -> str:
        return str(obj.as_offered)


class AskForm(MoreChoices, RequestOptionsForm):
    """Which model is asked, what it may cost, and its name in tables."""

    field_order = ("endpoint", "stages", "answering", "reading", "prompt", "label")

    endpoint = EndpointField(label=_("Model"), queryset=Endpoint.objects.none(), empty_label=None)
    budget = BudgetField(
        help_text=_(
            "All runs together pause before they cost more than this. In the currency of the "
            "model; the model needs a price."
        )
    )
    on_unknown = UnknownField(required=False, initial=Unknown.REPEAT)
    label = forms.CharField(
        label=_("Label"),
        max_length=MAX_LABEL,
        required=False,
        help_text=_("The name in tables and exports. Leave empty for an automatic name."),
    )

    def __init__(self, study: Study, *args: Any, **kwargs: Any):
        super().__init__(*args, **kwargs)
        self.study = study
        self.fields["endpoint"].queryset = Endpoint.objects.available_to(study.project)  # type: ignore[attr-defined]

    def offer_prompts(self, named: Iterable[tuple[str, Any]], default: str) -> None:
        """Offer these prompts; `default` comes first, with an empty value: its latest version when the run starts."""
        choices = [("" if name == default else name, words) for name, words in named]
        self.fields["prompt"].choices = sorted(choices, key=lambda pair: pair[0] != "")  # type: ignore[attr-defined]

    def mark(self) -> str:
        """A hash of the entries: the Start button then belongs to the estimate of exactly these entries."""
        entries = json.dumps([str(self.cleaned_data[name]) for name in self.fields])
        return hashlib.sha256(entries.encode()).hexdigest()[:16]


METHODS = [
    (MAJORITY, _("Majority: gives every option the label that most options of the other texts have")),
    (EXACT, _("Exact match: selects an option that occurs in the text word for word")),
    (FUZZY, _("Fuzzy match: selects an option that occurs in the text with small differences")),
    (RULES, _("Rules: answer by the wording of an item alone, without understanding it")),
]
MODEL_READINGS = [
    (LABEL, _("The letter the model writes")),
    (PROBABILITY, _("The probability of the letter for “correct”, at or above a threshold (needs log-probabilities)")),
]


STAGES = [("guess", _("without the text")), ("read", _("with the text"))]
ANSWER_FORMATS = [
    (OPTIONWISE, _("Option by option: one prompt per option")),
    (LETTERS, _("All options of an item in one prompt, answered by a list of letters")),
]


class StagesField(forms.MultipleChoiceField):
    """In which settings an evaluator answers."""

    def __init__(self, **about: Any):
        super().__init__(
            label=_("Answers"),
            choices=STAGES,
            initial=[name for name, _words in STAGES],
            widget=forms.CheckboxSelectMultiple,
            error_messages={"required": _("Select at least one.")},
            **about,
        )


class BaselineForm(forms.Form):
    """Which baseline is to answer, and its name in tables."""

    method = forms.ChoiceField(label=_("Baseline"), choices=METHODS, widget=forms.RadioSelect, initial=MAJORITY)
    label = forms.CharField(
        label=_("Label"),
        max_length=MAX_LABEL,
        required=False,
        help_text=_("The name in tables and exports. Leave empty for an automatic name."),
    )
    stages = StagesField(help_text=_("Matching needs the text, so it answers only with it."))

    def __init__(self, *arguments: Any, methods: Collection[str], **named: Any):
        """Offers these methods; if rules answer, there is only one stage."""
        super().__init__(*arguments, **named)
        offered = [(name, words) for name, words in METHODS if name in methods]
        method = self.fields["method"]
        assert isinstance(method, forms.ChoiceField)
        method.choices, method.initial = offered, offered[0][0]
        if methods == (RULES,):
            del self.fields["stages"]


class ModelForm(AskForm):
    """Which model is to answer, how its replies are read, and what it may cost."""

    folded = (
        *("threshold_guess", "threshold_read", "tune_on", "temperature", "samples", "as_published", "budget"),
        *OPTION_FIELDS,
        "on_unknown",
    )

    stages = StagesField()
    answering = forms.ChoiceField(
        label=_("Format"), choices=ANSWER_FORMATS, widget=forms.RadioSelect, required=False, initial=OPTIONWISE
    )
    reading = forms.ChoiceField(
        label=_("What counts as the answer"), choices=MODEL_READINGS, widget=forms.RadioSelect, initial=LABEL
    )
    threshold_guess = forms.FloatField(
        label=_("Threshold without the text"),
        min_value=0,
        max_value=1,
        required=False,
        initial=0.5,
        help_text=_("For probabilities only. Choose thresholds on texts that are not in this study."),
    )
    threshold_read = forms.FloatField(
        label=_("Threshold with the text"), min_value=0, max_value=1, required=False, initial=0.5
    )
    prompt = forms.MultipleChoiceField(
        label=_("Prompts"),
        widget=forms.CheckboxSelectMultiple,
        help_text=_("Each selected prompt makes its own evaluator, named after the prompt."),
        error_messages={"required": _("Select at least one.")},
    )
    temperature = forms.FloatField(
        label=_("Temperature"),
        min_value=0,
        max_value=MAX_TEMPERATURE,
        required=False,
        initial=0,
        help_text=_(
            "0: the most likely reply. With a higher temperature replies are random and differ between samples."
        ),
    )
    samples = forms.IntegerField(
        label=_("Samples"),
        min_value=1,
        max_value=MAX_SAMPLES,
        required=False,
        initial=1,
        help_text=_(
            "More than one needs a temperature above 0; each sample is its own evaluator (NAME #2, NAME #3 …)."
        ),
    )
    tune_on = forms.ModelChoiceField(
        label=_("Choose thresholds on the study"),
        queryset=Study.objects.none(),
        required=False,
        empty_label=_("no other study"),
        help_text=_(
            "A study of other texts that this model has answered. The thresholds with the highest "
            "accuracy there are used."
        ),
    )
    as_published = forms.BooleanField(
        label=_("Ask and parse as in the publication"),
        required=False,
        help_text=_(
            "To compare with the publication: no second request, at most 10 output tokens, and p(true) "
            "uses only the most likely spelling of each letter."
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
        """The evaluators of a valid form: one for each prompt, sample and version of the texts."""
        wanted = self.cleaned_data
        specs = expand_spec(self._spec(wanted), prompts=wanted["prompt"], samples=wanted["samples"] or 1)
        return expand_versions(self.study, specs)

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
        (LABEL, _("The letter the model writes")),
        (PROBABILITY, _("The most likely letter (needs log-probabilities)")),
    ],
    SCORES: [
        (LABEL, _("The score the model writes; it counts as an answer if it is on the study's scale")),
        (
            PROBABILITY,
            _("The expected score from the probabilities: a metric column (needs log-probabilities)"),
        ),
    ],
}
FOR_SCORES = ("samples", "temperature", "scale")


class JudgeForm(AskForm):
    """Which model is to judge, how its replies are read, and what it may cost."""

    folded = (*FOR_SCORES, "budget", *OPTION_FIELDS, "on_unknown")

    reading = forms.ChoiceField(label=_("What counts as the answer"), widget=forms.RadioSelect, initial=LABEL)
    samples = forms.IntegerField(
        label=_("Samples"),
        min_value=2,
        max_value=MAX_SAMPLES,
        required=False,
        help_text=_(
            "The mean of this many written scores: a metric column. Leave empty for one reply at temperature 0."
        ),
    )
    temperature = forms.FloatField(
        label=_("Temperature of the samples"),
        min_value=0,
        max_value=MAX_TEMPERATURE,
        required=False,
    )
    scale = forms.IntegerField(
        label=_("Own scale, from 1 to"),
        min_value=SMALLEST_SCALE,
        max_value=LARGEST_SCALE,
        required=False,
        help_text=_("Leave empty for the study's scale with its anchors. Another scale makes a metric column."),
    )
    prompt = forms.ChoiceField(
        label=_("Prompts"),
        required=False,
        help_text=_("Different prompts make a different evaluator. Give it another label."),
    )

    def __init__(self, study: Study, *args: Any, **kwargs: Any):
        super().__init__(study, *args, **kwargs)
        way = get_judgment_type(study)
        if way not in READINGS:
            del self.fields["reading"]
        else:
            self.fields["reading"].choices = READINGS[way]  # type: ignore[attr-defined]
        self.fields["temperature"].help_text = _("Default: %(default)s.") % {"default": TEMPERATURE}
        if way != SCORES:
            for name in FOR_SCORES:
                del self.fields[name]
        find_prompt(study)  # creates the default prompts, so that they are listed
        self.offer_prompts(
            make_choices(list_suitable_versions(study.project, JUDGE, study.protocol)), default=name_prompts(study)
        )

    def specs(self) -> list[JudgeSpec]:
        """The judges of a valid form: one for each version of the texts."""
        return judges.expand_spec(self.study, self._spec(self.cleaned_data))

    def _spec(self, wanted: dict[str, Any]) -> JudgeSpec:
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


class SeenTextsForm(forms.Form):
    """The texts whose human answers a model has seen."""

    seen = forms.CharField(
        label=_("Texts of which the model has seen people's answers"),
        required=False,
        max_length=20_000,
        help_text=_(
            "If it was fitted, prompted or its thresholds were chosen on people's answers to texts of this study: the "
            "ids of these texts with commas between them, or “all”. Then people and this model are not joined."
        ),
    )

    def __init__(self, evaluator: Evaluator, data: Any = None) -> None:
        self.study = evaluator.annotator.study
        texts = evaluator.params.get(SEEN, [])
        super().__init__(data, initial={"seen": texts if isinstance(texts, str) else ", ".join(texts)})

    def clean_seen(self) -> Sequence[str] | str:
        names = [name.strip() for name in self.cleaned_data["seen"].split(",") if name.strip()]
        try:
            return read_seen_texts(self.study, names)
        except CannotEvaluate as error:
            raise forms.ValidationError(str(error)) from None


def describe_entries(evaluator: Evaluator) -> dict[str, Any]:
    """The form entries with which this evaluator was added, except label and prompts, which are chosen anew."""
    params = evaluator.params
    thresholds = params.get("thresholds") or {}
    found = {
        "endpoint": params.get("endpoint"),
        "stages": evaluator.stages,
        "reading": evaluator.annotator.reading,
        "answering": params.get("answering"),
        "temperature": params.get("temperature"),
        "as_published": params.get("as_published"),
        "threshold_guess": thresholds.get("guess"),
        "threshold_read": thresholds.get("read"),
    }
    return {name: value for name, value in found.items() if value is not None}
