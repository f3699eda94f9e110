"""What a reader of the results page may choose; all of it stands in the address."""

from django import forms
from django.utils.translation import gettext_lazy as _

from analysis.choices import Choices, dropped_from, purposes_with
from analysis.formatting import count
from analysis.report import Report
from analysis.shorthand import SHORT, spelled_out
from studies.models import Study
from studies.services.declaring import declaration_of
from studies.services.units import CALIBRATION as CALIBRATED

INCLUDE = [("simulated", _("simulated answers")), ("pilot", _("pilot answers"))]
CONVENTION = [("clustered", _("by texts (default)")), ("published", _("by single judgments (as published)"))]
CALIBRATION = [("with", _("counted (default)")), ("without", _("not counted, but for agreement"))]
DROP = [("duplicates", _("wordings that stand twice in a text")), ("references", _("reference items"))]
TEXTS = [("all", _("all texts")), ("shared", _("only texts that people and all models answered"))]
ESTIMATE = [("pooled", _("pooled: all answers")), ("matched", _("matched: same person, same item in both stages"))]

METRICS = "metric_correlations"  # the table that says what metrics leave out

PEOPLE = [
    ("crowd", _("crowd workers (ε = .10)")),
    ("skilled", _("skilled people (ε = .15, default)")),
    ("experts", _("experts (ε = .20)")),
]


class ResultsForm(forms.Form):
    """A GET form. Unbound, or with something that does not exist, it stands for the defaults."""

    convention = forms.ChoiceField(label=_("Intervals"), choices=CONVENTION, required=False)
    estimate = forms.ChoiceField(label=_("Informativity"), choices=ESTIMATE, required=False)
    texts = forms.ChoiceField(label=_("Texts"), choices=TEXTS, required=False)
    calibration = forms.ChoiceField(label=_("Calibration"), choices=CALIBRATION, required=False)
    drop = forms.MultipleChoiceField(
        label=_("Metrics leave out"), choices=DROP, required=False, widget=forms.CheckboxSelectMultiple
    )
    asked = forms.BooleanField(required=False, widget=forms.HiddenInput, initial=True)

    def __init__(self, study: Study, counts: dict[str, int], data=None):
        """`counts`: how many answers of people of each purpose the study has."""
        self.study, self.usual = study, first_included(counts)
        if data and data.get(SHORT):
            data = spelled_out(data[SHORT])
        if not (data and data.get("asked")):
            data = {"asked": "1", "include": self.usual, "convention": "clustered", "estimate": "pooled"}
        super().__init__(data)
        if not declaration_of(study).guesses:
            del self.fields["estimate"]
        if not study.units.filter(part=CALIBRATED).exists():
            del self.fields["calibration"]
        if study.protocol != "dimension-ratings":
            del self.fields["drop"]
        if not people_and_models(study):
            del self.fields["texts"]
        present = [(value, f"{label} ({count(counts[value])})") for value, label in INCLUDE if counts.get(value)]
        if present:
            self.fields["include"] = forms.MultipleChoiceField(
                label=_("Include"), choices=present, required=False, widget=forms.CheckboxSelectMultiple
            )

    @property
    def chosen(self) -> dict:
        return self.cleaned_data if self.is_valid() else {}

    @property
    def estimand(self) -> str:
        return self.chosen.get("estimate") or "pooled"

    @property
    def is_untouched(self) -> bool:
        """Whether all is as on a page that was asked for nothing."""
        usual = Choices(purposes=purposes_with(self.usual), seed=abs(self.study.seed))
        return self.choices == usual and self.estimand == "pooled"

    @property
    def choices(self) -> Choices:
        return Choices(
            convention=self.chosen.get("convention") or "clustered",
            purposes=purposes_with(self.chosen.get("include") or ()),
            seed=abs(self.study.seed),
            shared_texts=self.chosen.get("texts") == "shared",
            calibration=self.chosen.get("calibration") != "without",
            dropped=dropped_from(self.chosen.get("drop") or ()),
        )


def without_idle(form: ResultsForm, report: Report) -> ResultsForm:
    """The form without what would change nothing on this page: the convention where no number has an interval, what
    metrics leave out where none is compared with people. What the address says of them stays chosen."""
    if not any(column.low for table in report.tables if table.rows for column in table.shown):
        del form.fields["convention"]
    if not form.choices.dropped and not any(table.name == METRICS and table.rows for table in report.tables):
        form.fields.pop("drop", None)
    return form


def people_and_models(study: Study) -> bool:
    """Whether there are both, so that they may stand on different texts."""
    kinds = set(study.annotators.order_by().values_list("kind", flat=True).distinct())
    return "human" in kinds and len(kinds) > 1


def first_included(counts: dict[str, int]) -> list[str]:
    """Simulated answers come first only where no other people have answered."""
    return ["simulated"] if counts.get("simulated") and not counts.get("main") else []


class StandInForm(forms.Form):
    """Whom a model would stand in for: what a person costs is what the test forgives the model."""

    people = forms.ChoiceField(label=_("Instead of"), choices=PEOPLE, required=False)

    def __init__(self, data=None):
        super().__init__(data if data and data.get("people") else {"people": "skilled"})

    @property
    def kind(self) -> str:
        return (self.cleaned_data["people"] if self.is_valid() else "") or "skilled"
