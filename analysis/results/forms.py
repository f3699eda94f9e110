"""What a reader of the results pages may choose; all choices are in the address."""

from collections.abc import Mapping, Sequence
from typing import Any

from django import forms
from django.db.models import Exists, OuterRef
from django.utils.datastructures import MultiValueDict
from django.utils.text import Truncator
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from analysis.agreement.questions import ALL, APPLICABLE, LabQuestion, list_questions
from analysis.choices import (
    ANNOTATORS,
    DEFAULT_CONVENTION,
    PUBLISHED,
    READERS,
    Choices,
    parse_dropped,
    parse_purposes,
    resolve_convention,
)
from analysis.formatting import count, make_natural_key
from analysis.frames.responses import query_submitted
from analysis.plugins import find_plugin
from analysis.reports.report import Report
from analysis.science.common import find_reading_stages
from analysis.services.results import choose_extra_purposes
from analysis.words import name_evaluator
from studies.models import Annotator, AnnotatorKind, Study
from studies.services.adjudicating import filter_valid_decisions
from studies.services.declarations import get_declaration
from studies.services.phases import list_background_questions
from studies.services.selection import CALIBRATION as CALIBRATED

SHORT = "as"  # the address parameter that holds the choices as letters
NOTHING = "n"
LETTERS = {
    ("include", "simulated"): "s",
    ("include", "pilot"): "p",
    ("convention", "published"): "i",
    ("convention", "annotators"): "a",
    ("estimate", "matched"): "m",
    ("texts", "shared"): "t",
    ("drop", "duplicates"): "d",
    ("drop", "references"): "r",
    ("calibration", "without"): "c",
    ("answers", "adjudicated"): "j",
}


def encode_filters(asked: Mapping[str, Any]) -> dict[str, Any]:
    """The choices as one short parameter of an address, and those with names; empty if nothing was chosen."""
    if not asked:
        return {}
    found = [
        letter
        for (name, value), letter in LETTERS.items()
        if name in asked and value in ([asked[name]] if isinstance(asked[name], str) else asked[name])
    ]
    named = {name: asked[name] for name in ("evaluators", "dif_by") if name in asked}
    return {SHORT: "".join(found) or NOTHING, **named}


def decode_filters(letters: str) -> dict[str, Any]:
    """The choices that the letters encode, as a form takes them; unknown letters are ignored."""
    asked: dict[str, Any] = {"asked": "1", "include": [], "drop": []}
    for (name, value), letter in LETTERS.items():
        if letter in letters:
            asked[name] = [*asked[name], value] if name in ("include", "drop") else value
    return asked


INCLUDE = [("simulated", _("simulated answers")), ("pilot", _("pilot answers"))]
CONVENTION = [
    (READERS, _("readers and texts (default)")),
    (ANNOTATORS, _("these annotators only")),
    (PUBLISHED, _("as published: single judgments")),
]
CALIBRATION = [("with", _("included (default)")), ("without", _("excluded, except for agreement"))]
ANSWERS = [("given", _("as people gave them (default)")), ("adjudicated", _("adjudicated: decisions replace answers"))]
DROP = [("duplicates", _("repeated wordings within a text")), ("references", _("reference items"))]
TEXTS = [("all", _("all texts")), ("shared", _("only texts that people and all models answered"))]
ESTIMATE = [("pooled", _("pooled: all answers")), ("matched", _("matched: same person, same item in both stages"))]

METRICS = "metric_correlations"  # the table that compares metrics with people

SKILLS = [
    ("crowd", _("crowd workers (ε = .10)")),
    ("skilled", _("skilled people (ε = .15, default)")),
    ("experts", _("experts (ε = .20)")),
]


MOST_LETTERS = 60  # of a question in a list


def shorten(words: str) -> str:
    return Truncator(words).chars(MOST_LETTERS)


class ConventionField(forms.ChoiceField):
    """Also accepts the earlier names of conventions, which occur in addresses that people have bookmarked."""

    def to_python(self, value):
        return resolve_convention(super().to_python(value))

    def prepare_value(self, value):
        return resolve_convention(super().prepare_value(value))


class ResultsForm(forms.Form):
    """A GET form. Without data, or with unknown values, it uses the defaults."""

    convention = ConventionField(label=_("Intervals"), choices=CONVENTION, required=False)
    estimate = forms.ChoiceField(label=_("Informativity"), choices=ESTIMATE, required=False)
    texts = forms.ChoiceField(label=_("Texts"), choices=TEXTS, required=False)
    evaluators = forms.MultipleChoiceField(
        label=_("Evaluators (all if none is chosen)"), required=False, widget=forms.CheckboxSelectMultiple
    )
    calibration = forms.ChoiceField(label=_("Calibration"), choices=CALIBRATION, required=False)
    answers = forms.ChoiceField(label=_("Answers"), choices=ANSWERS, required=False)
    dif_by = forms.ChoiceField(label=_("Groups compared item by item (DIF)"), required=False)
    drop = forms.MultipleChoiceField(
        label=_("Metrics leave out"), choices=DROP, required=False, widget=forms.CheckboxSelectMultiple
    )
    asked = forms.BooleanField(required=False, widget=forms.HiddenInput, initial=True)

    def __init__(self, study: Study, counts: dict[str, int], data=None):
        """`counts`: how many answers of people of each purpose the study has."""
        self.study, self.usual = study, choose_extra_purposes(counts)
        if data and data.get(SHORT):
            listed = forms.CheckboxSelectMultiple().value_from_datadict(data, MultiValueDict(), "evaluators")
            data = decode_filters(data[SHORT]) | {"evaluators": listed, "dif_by": data.get("dif_by", "")}
        if not (data and data.get("asked")):
            data = {"asked": "1", "include": self.usual, "convention": DEFAULT_CONVENTION, "estimate": "pooled"}
        super().__init__(data)
        if not get_declaration(study).guesses:
            del self.fields["estimate"]
        if not study.units.filter(part=CALIBRATED).exists():
            del self.fields["calibration"]
        questions = list_background_questions(study) if find_reading_stages(study) else []
        self.fields["dif_by"].choices = [  # type: ignore[attr-defined]
            ("", gettext("groups of the study (default)")),
            *((each.name, shorten(each.text)) for each in questions),
        ]
        if not questions and not self.data.get("dif_by"):
            del self.fields["dif_by"]
        if not filter_valid_decisions(study).exists():
            del self.fields["answers"]
        if not find_plugin(study.protocol).has_metrics:
            del self.fields["drop"]
        models = list_models(study)
        if not (models and any(counts.values())):
            del self.fields["texts"]
        if models:
            names = [(name, name_evaluator(name)) for name in (PEOPLE, *models)]
            self.fields["evaluators"].choices = names  # type: ignore[attr-defined]
        else:
            del self.fields["evaluators"]
        present = [(value, f"{label} ({count(counts[value])})") for value, label in INCLUDE if counts.get(value)]
        if present:
            self.fields["include"] = forms.MultipleChoiceField(
                label=_("Include"), choices=present, required=False, widget=forms.CheckboxSelectMultiple
            )

    @property
    def valid_data(self) -> dict:
        return self.cleaned_data if self.is_valid() else {}

    @property
    def estimand(self) -> str:
        return self.valid_data.get("estimate") or "pooled"

    @property
    def dif_question(self) -> str:
        """The question whose answers form the groups of DIF, shortened; empty for the groups of the study."""
        named = {each.name: shorten(each.text) for each in list_background_questions(self.study)}
        return named.get(self.choices.dif_by, "")

    @property
    def is_untouched(self) -> bool:
        """Whether all choices are the defaults."""
        usual = Choices(purposes=parse_purposes(self.usual), seed=abs(self.study.seed))
        return self.choices == usual and self.estimand == "pooled"

    @property
    def choices(self) -> Choices:
        return Choices(
            convention=self.valid_data.get("convention") or DEFAULT_CONVENTION,
            purposes=parse_purposes(self.valid_data.get("include") or ()),
            evaluators=tuple(self.valid_data.get("evaluators") or ()) or None,
            seed=abs(self.study.seed),
            shared_texts=self.valid_data.get("texts") == "shared",
            calibration=self.valid_data.get("calibration") != "without",
            adjudicated=self.valid_data.get("answers") == "adjudicated",
            dif_by=self.valid_data.get("dif_by") or "",
            dropped=parse_dropped(self.valid_data.get("drop") or ()),
        )


def remove_idle_fields(form: ResultsForm, report: Report) -> ResultsForm:
    """Remove the fields that would change nothing on this page: the convention if no number has an interval, what
    metrics leave out if none is compared with people. Their values in the address stay in effect."""
    if not any(column.low for table in report.tables if table.rows for column in table.columns):
        del form.fields["convention"]
    if not form.choices.dropped and not any(table.name == METRICS and table.rows for table in report.tables):
        form.fields.pop("drop", None)
    return form


def list_models(study: Study) -> list[str]:
    """The codes of the models and baselines that have answered in the main part, in the order of tables."""
    answers = query_submitted(study).filter(assignment__annotator=OuterRef("pk"))
    others = study.annotators.exclude(kind=AnnotatorKind.HUMAN).filter(Exists(answers))
    return list(others.order_by("pk").values_list("code", flat=True))


class GeneratorMatchForm(forms.Form):
    """For each generator of a study, the published generator that it is, or none."""

    def __init__(self, own: Sequence[str], published: Sequence[str], matches: Mapping[str, str], data=None):
        super().__init__(data, prefix="match")
        self.own = own
        choices = [("", _("none")), *((name, name) for name in published)]
        for number, name in enumerate(own):
            self.fields[str(number)] = forms.ChoiceField(
                label=name, choices=choices, required=False, initial=matches.get(name, "")
            )

    @property
    def changes(self) -> dict[str, str]:
        """The matches that differ from those shown, by generator."""
        return {self.own[int(number)]: self.cleaned_data[number] for number in self.changed_data}


class StandInForm(forms.Form):
    """Which people a model would replace: the test allows a model to be worse by what such people cost."""

    people = forms.ChoiceField(label=_("Instead of"), choices=SKILLS, required=False)

    def __init__(self, data=None):
        super().__init__(data if data and data.get("people") else {"people": "skilled"})

    @property
    def kind(self) -> str:
        return (self.cleaned_data["people"] if self.is_valid() else "") or "skilled"


PEOPLE, MODELS = "human", "models"
VIEWS = [
    (APPLICABLE, _("only annotators who reached it")),
    (ALL, _("“not applicable” counts as a label")),
]


class LabForm(forms.Form):
    """A GET form. Without a choice, or with an unknown one, it shows the first question and all people.

    Annotators are chosen by groups, one by one, or both.
    """

    question_asked = forms.ChoiceField(label=_("Question"), required=False)
    view = forms.ChoiceField(label=_("Questions not everyone reached"), choices=VIEWS, required=False)
    group = forms.MultipleChoiceField(label=_("Groups"), required=False, widget=forms.CheckboxSelectMultiple)
    annotator = forms.MultipleChoiceField(label=_("Annotators"), required=False, widget=forms.CheckboxSelectMultiple)

    def __init__(self, study: Study, counts: dict[str, int], data: Any = None) -> None:
        self.results = ResultsForm(study, counts, data)
        self.questions = {question.key: question for question in list_questions(study)}
        answered = query_submitted(study, self.choices.purposes).order_by().values("assignment__annotator")
        self.present = list(Annotator.objects.filter(study=study, pk__in=answered).order_by("pk"))
        self.groups = map_groups(self.present)
        ticked = {"annotator": data.getlist("annotator"), "group": data.getlist("group")}
        if not any(ticked.values()):
            ticked["group"] = [PEOPLE]
        super().__init__(
            {"question_asked": data.get("question_asked"), "view": data.get("view") or APPLICABLE} | ticked
        )
        self.fields["question_asked"].choices = [  # type: ignore[attr-defined]
            (key, question.title) for key, question in self.questions.items()
        ]
        self.fields["group"].choices = [(name, name_group(name)) for name in self.groups]  # type: ignore[attr-defined]
        self.fields["annotator"].choices = [  # type: ignore[attr-defined]
            (annotator.code, annotator.code) for annotator in sorted(self.present, key=make_annotator_key)
        ]
        if not any(question.may_be_skipped for question in self.questions.values()):
            del self.fields["view"]
        self.is_valid()

    @property
    def choices(self) -> Choices:
        return self.results.choices

    @property
    def question(self) -> LabQuestion | None:
        """None where the protocol asks nothing that has categories."""
        asked = self.cleaned_data.get("question_asked")
        found = self.questions.get(asked or "") or next(iter(self.questions.values()), None)
        return found.in_view(self.cleaned_data.get("view") or "") if found else None

    @property
    def annotators(self) -> list[str]:
        """Codes, in the order in which the annotators were added."""
        chosen = set(self.cleaned_data.get("annotator", []))
        for name in self.cleaned_data.get("group", []):
            chosen |= self.groups[name]
        return [annotator.code for annotator in self.present if annotator.code in chosen]

    @property
    def query_parameters(self) -> dict[str, Any]:
        found = {
            "asked": 1,
            "include": self.choices.extra_purposes,
            "question_asked": self.question.key if self.question else "",
            "group": self.cleaned_data.get("group", []),
            "annotator": self.cleaned_data.get("annotator", []),
        }
        return found | ({"view": self.cleaned_data["view"]} if self.cleaned_data.get("view") else {})


def make_annotator_key(annotator: Annotator) -> tuple[bool, str, list[str]]:
    """The sort key of an annotator: people before models, by groups, p2 before p10."""
    return annotator.kind != AnnotatorKind.HUMAN, annotator.group, make_natural_key(annotator.code)


def map_groups(present: list[Annotator]) -> dict[str, set[str]]:
    """Codes by the name of a group: all people, each group of them where there are several, all models."""
    people = [each for each in present if each.kind == AnnotatorKind.HUMAN]
    found = {PEOPLE: {each.code for each in people}}
    names = dict.fromkeys(each.group for each in people if each.group)
    if len(names) > 1:
        found |= {f"{PEOPLE}:{name}": {each.code for each in people if each.group == name} for name in names}
    found[MODELS] = {each.code for each in present} - found[PEOPLE]
    return {name: codes for name, codes in found.items() if codes}


def name_group(name: str) -> str:
    return gettext("all models") if name == MODELS else name_evaluator(name)
