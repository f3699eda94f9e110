"""The third step of a study's design: who answers, how texts are divided, and how questions are asked."""

from typing import Any

import yaml
from django import forms
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from studies.forms.design import (
    GroupNumbersField,
    SpecValues,
    StepForm,
    make_parameter_fields,
    read_parameter,
    write_parameter,
)
from studies.models import InstrumentVersion, Study
from studies.protocols import PROTOCOLS
from studies.protocols.parameters import Parameter
from studies.services.design import find_wordings
from studies.services.instruments import describe_wording
from studies.services.spec import DOUBT, EQUAL_CHANCE, MAX_SEED
from studies.strict_yaml import NotYaml, load_yaml

LINKS, OPEN_LINK, LATER = "links", "open link", "later"
ALL, SOME, OWN = "all", "some", "own"
NO_GROUPS, IN_TURN, BY_NUMBER = "none", "turn", "numbers"
USUAL = {"annotators": 6, "per_unit": 2, "shared_texts": 2, "own_texts": 5, "people_texts": 10}
REQUIRED = gettext_lazy("Enter a number.")

READ_BY = {
    "text": gettext_lazy("How many people work on each text?"),
    "item": gettext_lazy("How many people judge each question?"),
    "pair": gettext_lazy("How many people compare each pair?"),
    "tuple": gettext_lazy("How many people judge each set of items?"),
}


def make_radio_field(label: Any, *choices: tuple[str, Any], help_text: Any = "") -> forms.ChoiceField:
    return forms.ChoiceField(label=label, choices=choices, widget=forms.RadioSelect, help_text=help_text)


def make_integer_field(label: Any, least: int = 1, most: int = 10_000) -> forms.IntegerField:
    """A number that is required only if the choice beside it needs it."""
    return forms.IntegerField(label=label, min_value=least, max_value=most, required=False)


class PeopleForm(StepForm):
    """Who answers: choices, each with the numbers that it needs beside it."""

    entry = make_radio_field(
        gettext_lazy("How do they get in?"),
        (LINKS, gettext_lazy("Personal links, made at launch for you to send")),
        (OPEN_LINK, gettext_lazy("One open link, until all places are taken")),
        (LATER, gettext_lazy("Added later on the page People, by number or from a list of codes")),
    )
    annotators = make_integer_field(gettext_lazy("How many people?"), most=1000)
    reading = make_radio_field(
        "",
        (ALL, gettext_lazy("everybody")),
        (SOME, gettext_lazy("only some of them")),
        (OWN, gettext_lazy("some texts by everybody, all others by one person")),
    )
    per_unit = make_integer_field(gettext_lazy("How many of them?"), most=1000)
    shared_texts = make_integer_field(gettext_lazy("Texts for everybody"), least=0)
    own_texts = make_integer_field(gettext_lazy("Texts for each person alone"), least=0)
    grouping = make_radio_field(
        gettext_lazy("Groups of people"),
        (NO_GROUPS, gettext_lazy("no groups")),
        (IN_TURN, gettext_lazy("people join the groups in turn")),
        (BY_NUMBER, gettext_lazy("each group has its own numbers")),
        help_text=gettext_lazy("Results show each group separately."),
    )
    groups = forms.CharField(label=gettext_lazy("Names of the groups"), required=False, max_length=500,
                             help_text=gettext_lazy("For example: students, teachers"))  # fmt: skip
    group_annotators = GroupNumbersField(
        label=gettext_lazy("People in each group"), min_value=1, max_value=1000, required=False,
        help_text=gettext_lazy("For example: experts: 4, crowd: 8"),
    )  # fmt: skip
    group_per_unit = GroupNumbersField(
        label=gettext_lazy("How many of each group do the same"), words=("all",), min_value=1, max_value=1000,
        required=False, help_text=gettext_lazy("For example: experts: 2, crowd: all"),
    )  # fmt: skip
    scope = make_radio_field(
        gettext_lazy("Which texts do people get?"),
        (ALL, gettext_lazy("all texts of the study")),
        (EQUAL_CHANCE, gettext_lazy("a random sample; models answer all texts")),
        (DOUBT, gettext_lazy("a sample with more texts on which models are uncertain")),
        help_text=gettext_lazy("The sample is drawn at launch. Model uncertainty needs earlier model answers."),
    )
    people_texts = make_integer_field(gettext_lazy("How many texts?"))
    predictors = forms.CharField(
        label=gettext_lazy("Models that predict people"), required=False, max_length=500,
        help_text=gettext_lazy(
            "Their names as evaluators, separated by commas. If empty, all models that answer every text predict "
            "people."
        ),
    )  # fmt: skip
    instrument = forms.ChoiceField(label=gettext_lazy("Wording and language of the pages"))
    variants = forms.CharField(
        label=gettext_lazy("Variants"), required=False, max_length=10_000,
        widget=forms.Textarea(attrs={"rows": 3, "spellcheck": "false"}),
        help_text=gettext_lazy(
            "To compare instruments, write one variant per line as in a study file: - {name: …, instrument: …, "
            "params: {…}}. People are assigned at random, in equal numbers."
        ),
    )  # fmt: skip
    seed = forms.IntegerField(
        label=gettext_lazy("Seed"), min_value=0, max_value=MAX_SEED,
        help_text=gettext_lazy("All random orders and the plan follow from it."),
    )  # fmt: skip

    NUMBERS = ("annotators", "per_unit", "shared_texts", "own_texts", "people_texts")
    MORE = ("grouping", "groups", "group_annotators", "group_per_unit", "scope", "people_texts", "predictors", "seed")

    def __init__(self, study: Study, data: Any = None) -> None:
        self.protocol = PROTOCOLS[study.protocol]
        self.wordings = find_wordings(study.project, self.protocol, study)
        super().__init__(study, data)
        self.fields |= make_parameter_fields(self.protocol)
        self.fields["reading"].label = READ_BY[self.protocol.unit]
        choices = [(name, describe_choice(name, version)) for name, version in self.wordings.items()]
        self.fields["instrument"].choices = choices  # type: ignore[attr-defined]

    def get_fields(self, names: tuple[str, ...]) -> list[forms.BoundField]:
        return [self[name] for name in names]

    @property
    def protocol_fields(self) -> list[forms.BoundField]:
        """The wording and the parameters of the protocol."""
        return self.get_fields(("instrument", *(parameter.name for parameter in self.protocol.parameters)))

    @property
    def has_protocol_errors(self) -> bool:
        return any(field.errors for field in [*self.protocol_fields, self["variants"]])

    @property
    def has_more_errors(self) -> bool:
        return any(field.errors for field in self.get_fields(self.MORE))

    def read(self, spec: SpecValues) -> SpecValues:
        plan, groups = spec["plan"], spec["groups"]
        numbers = {name: plan.get(name) for name in self.NUMBERS}
        by_group = {name: value for name, value in numbers.items() if isinstance(value, dict)}
        divided = bool(plan["own_texts"] or plan["shared_texts"])
        found = {name: value if isinstance(value, int) and value else USUAL[name] for name, value in numbers.items()}
        shown = {each.name: self.read_shown(each, spec["params"]) for each in self.protocol.parameters}
        return (
            found
            | shown
            | {
                "entry": find_entry(spec),
                "reading": OWN if divided else ALL if plan["per_unit"] == "all" else SOME,
                "grouping": BY_NUMBER if by_group else IN_TURN if groups else NO_GROUPS,
                "groups": ", ".join(groups),
                "group_annotators": sort_by_group(by_group.get("annotators"), groups),
                "group_per_unit": sort_by_group(by_group.get("per_unit"), groups),
                **({name: plan[name] for name in ("shared_texts", "own_texts")} if divided else {}),
                "scope": plan.get("people_texts_by", EQUAL_CHANCE) if plan.get("people_texts") else ALL,
                "predictors": ", ".join(plan.get("predictors", [])),
                "instrument": spec["instrument"],
                "seed": plan["seed"],
                "variants": write_variants(spec["variants"]),
            }
        )

    def read_shown(self, parameter: Parameter, params: SpecValues) -> Any:
        """The field's content for a parameter; the wording's content for the default."""
        value = params.get(parameter.name, parameter.default)
        return write_parameter(
            parameter, value or parameter.read_wording(self.study.instrument_version.content) or value
        )

    def clean_variants(self) -> list[Any]:
        try:
            spec = load_yaml(self.cleaned_data["variants"])
        except NotYaml as error:
            raise forms.ValidationError(str(error)) from None
        if spec is not None and not isinstance(spec, list):
            raise forms.ValidationError(_("Write a list: each variant on its own line, starting with a hyphen."))
        return spec or []

    def clean(self) -> SpecValues:
        for name in self.find_needed():
            if self.cleaned_data.get(name) in (None, "") and name not in self.errors:
                self.add_error(name, _("Name the groups.") if name == "groups" else str(REQUIRED))
        self.check_per_unit()
        return super().clean()

    def find_needed(self) -> list[str]:
        """The fields that the choices need."""
        chosen = self.cleaned_data
        by_number = chosen.get("grouping") == BY_NUMBER
        needed = {
            "annotators": chosen.get("entry") in (LINKS, OPEN_LINK) and not by_number,
            "group_annotators": chosen.get("entry") in (LINKS, OPEN_LINK) and by_number,
            "per_unit": chosen.get("reading") == SOME and not by_number,
            "group_per_unit": by_number and (chosen.get("reading") == SOME or chosen.get("entry") == LATER),
            "shared_texts": chosen.get("reading") == OWN,
            "own_texts": chosen.get("reading") == OWN,
            "groups": chosen.get("grouping") == IN_TURN,
            "people_texts": chosen.get("scope") in (EQUAL_CHANCE, DOUBT),
        }
        return [name for name, is_needed in needed.items() if is_needed]

    def check_per_unit(self) -> None:
        """Refuse more people per text than people."""
        names = {"annotators", "per_unit"}
        if names <= set(self.find_needed()) and not names & set(self.errors):
            chosen = self.cleaned_data
            if chosen["per_unit"] > chosen["annotators"]:
                self.add_error("per_unit", _("The study has fewer people than that."))

    def write(self, spec: SpecValues, cleaned: SpecValues) -> SpecValues:
        version = self.wordings[cleaned["instrument"]]
        return spec | {
            "instrument": cleaned["instrument"],
            "language": version.instrument.language,
            "plan": self.write_plan(cleaned),
            "groups": self.write_groups(cleaned),
            "params": spec["params"]
            | {each.name: self.write_shown(each, cleaned) for each in self.protocol.parameters},
            "variants": cleaned["variants"],
            "recruitment": write_recruitment(spec["recruitment"], cleaned["entry"] == OPEN_LINK),
        }

    def write_plan(self, cleaned: SpecValues) -> SpecValues:
        people, some = (
            ("group_annotators", "group_per_unit") if cleaned["grouping"] == BY_NUMBER else ("annotators", "per_unit")
        )
        reading, scope = cleaned["reading"], cleaned["scope"]
        return {
            "annotators": "open" if cleaned["entry"] == LATER else cleaned[people],
            "per_unit": cleaned[some] if some in self.find_needed() else "all",
            "shared_texts": cleaned["shared_texts"] if reading == OWN else 0,
            "own_texts": cleaned["own_texts"] if reading == OWN else 0,
            "people_texts": 0 if scope == ALL else cleaned["people_texts"],
            "people_texts_by": EQUAL_CHANCE if scope == ALL else scope,
            "predictors": [] if scope == ALL else split_names(cleaned["predictors"]),
            "text_versions": self.spec["plan"].get("text_versions", []),
            "seed": cleaned["seed"],
        }

    def write_groups(self, cleaned: SpecValues) -> list[str]:
        """The named groups; empty if each group has its own numbers, which then name the groups."""
        if cleaned["grouping"] != IN_TURN:
            return []
        return split_names(cleaned["groups"])

    def write_shown(self, parameter: Parameter, cleaned: SpecValues) -> Any:
        """The parameter's value from a field; the wording's own content means the default."""
        value = read_parameter(parameter, cleaned[parameter.name])
        usual = parameter.read_wording(self.study.instrument_version.content)
        return parameter.default if usual is not None and value == usual else value


def split_names(written: str) -> list[str]:
    return [name.strip() for name in written.split(",") if name.strip()]


def find_entry(spec: SpecValues) -> str:
    if spec["plan"]["annotators"] == "open":
        return LATER
    return OPEN_LINK if spec["recruitment"].get("open_link") else LINKS


def write_recruitment(recruitment: SpecValues, is_open: bool) -> SpecValues:
    """Add or remove the open link; without it no platform is involved."""
    kept = {name: value for name, value in recruitment.items() if is_open or name != "platform"}
    return kept | {"open_link": is_open}


def sort_by_group(numbers: Any, groups: list[str]) -> dict[str, Any] | None:
    """The numbers in the order of the groups, which JSON does not keep."""
    return {group: numbers[group] for group in groups} if numbers else None


def describe_choice(name: str, version: InstrumentVersion) -> str:
    """The label of a wording in the form; with its version number if it is not the newest."""
    wording = describe_wording(version)
    values = {"wording": wording, "number": version.version}
    return _("%(wording)s, version %(number)s") % values if "@" in name else wording


def write_variants(variants: list[SpecValues]) -> str:
    """The variants in the format of a study file, one per line."""
    return "".join(
        f"- {yaml.safe_dump(each, default_flow_style=True, allow_unicode=True, width=10_000)}" for each in variants
    )
