"""The format of study files, which the form shares; unknown fields are errors."""

import secrets
from typing import Annotated, Any, Literal

from django.utils.translation import gettext as _
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from items.plain import has_control, make_printable
from studies.phases import Phases, check_one_line
from studies.recruitment import Recruitment
from studies.strict_yaml import NotYaml, load_mapping

MAX_SEED = 2**62
MAX_NUMBER = 10_000
MAX_NAME = 200
MAX_GROUP = 100
EQUAL_CHANCE: Literal["equal chance"] = "equal chance"
DOUBT = "doubt"


class SpecError(ValueError):
    """The study file, or the form, asks for something impossible; the message is one or more sentences.

    field: the key of the plan with the error, if it is in the plan.
    """

    def __init__(self, message: str, field: str = ""):
        super().__init__(message)
        self.field = field


def draw_seed() -> int:
    return secrets.randbelow(2**31)


def is_name(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value.strip()) <= MAX_NAME and not has_control(value)


def check_names(value: object) -> object:
    if value == "all" or (isinstance(value, list) and value and all(map(is_name, value))):
        return value
    raise ValueError(_('write all, or a list of ids or names, numbers in quotes: ["t1", "007"].'))


def is_count(value: object, lowest: int = 1) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and lowest <= value <= MAX_NUMBER


def is_by_group(value: object, words: tuple[str, ...] = ()) -> bool:
    """Whether it is a mapping from group names to numbers, or to one of the words."""
    if not isinstance(value, dict) or not value:
        return False
    return all(is_group(name) and (is_count(number) or number in words) for name, number in value.items())


def is_group(value: object) -> bool:
    return is_name(value) and len(str(value)) <= MAX_GROUP and str(value) == str(value).strip()


def check_annotators(value: object) -> object:
    if value == "open" or is_count(value) or is_by_group(value):
        return value
    raise ValueError(
        _("write a whole number from 1 to %(top)d, open, or a number for each group: {experts: 4, crowd: 8}.")
        % {"top": MAX_NUMBER}
    )


def check_per_unit(value: object) -> object:
    if value == "all" or is_count(value) or is_by_group(value, ("all",)):
        return value
    raise ValueError(
        _("write a whole number from 1 to %(top)d, all, or a number for each group: {experts: 2, crowd: 2}.")
        % {"top": MAX_NUMBER}
    )


def check_text_versions(names: list[str]) -> list[str]:
    if len(names) == 1 or len(set(names)) < len(names):
        raise ValueError(_("write at least two names of versions, each once, such as [original, simple]."))
    return names


Line = Annotated[str, AfterValidator(check_one_line)]
Title = Annotated[str, Field(max_length=200), AfterValidator(check_one_line)]
Group = Annotated[str, Field(min_length=1, max_length=MAX_GROUP), AfterValidator(check_one_line)]
Short = Annotated[str, Field(max_length=130), AfterValidator(check_one_line)]
Names = Annotated[Literal["all"] | list[Line], BeforeValidator(check_names)]
Annotators = Annotated[int | Literal["open"] | dict[str, int], BeforeValidator(check_annotators)]
PerUnit = Annotated[int | Literal["all"] | dict[str, int | Literal["all"]], BeforeValidator(check_per_unit)]
Count = Annotated[int, Field(ge=0, le=MAX_NUMBER, strict=True)]
Seed = Annotated[int, Field(ge=0, le=MAX_SEED, strict=True)]


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)


class Selection(Strict):
    """Which items: all, or lists of the researcher's own ids and names."""

    texts: Names = "all"
    generators: Names = "all"


class Plan(Strict):
    """Who does what: `per_unit` annotators for each unit, or all of them; or shared texts, and texts of each person's
    own.

    Both numbers may be mappings from group to number. With `people_texts`, people do that many texts drawn at random,
    while models do all; `predictors` names the models whose answers predict people's. With
    `text_versions`, each person reads each text in one of these versions; the first one is the baseline of comparisons.
    """

    annotators: Annotators = "open"
    per_unit: PerUnit = "all"
    shared_texts: Count = 0
    own_texts: Count = 0
    people_texts: Count = 0
    people_texts_by: Literal["equal chance", "doubt"] = EQUAL_CHANCE
    predictors: Annotated[list[Title], Field(max_length=20)] = Field(default_factory=list)
    text_versions: Annotated[list[Line], AfterValidator(check_text_versions)] = Field(default_factory=list)
    seed: Seed = Field(default_factory=draw_seed)

    def numbers(self) -> dict[str, Any]:
        """The values that a study stores: without the seed, and without unused ones."""
        unused = set() if self.people_texts else {"people_texts", "people_texts_by"}
        unused |= {name for name in ("text_versions", "predictors") if not getattr(self, name)}
        return self.model_dump(exclude={"seed"} | unused)


class VariantSpec(Strict):
    """A variant with another instrument: its differences from the study."""

    name: Annotated[str, Field(min_length=1, max_length=60), AfterValidator(check_one_line)]
    instrument: Short = ""
    params: dict[str, Any] = Field(default_factory=dict)


class StudySpec(Strict):
    """A study as `create_study` reads it."""

    slug: Annotated[str, Field(pattern=r"^[-a-zA-Z0-9_]+$", max_length=60)]
    title: Title = ""
    protocol: Short
    language: Annotated[str, Field(max_length=20), AfterValidator(check_one_line)] = ""
    instrument: Short = ""
    items: Selection = Field(default_factory=Selection)
    plan: Plan = Field(default_factory=Plan)
    params: dict[str, Any] = Field(default_factory=dict)
    groups: Annotated[list[Group], Field(max_length=100)] = Field(default_factory=list)
    variants: Annotated[list[VariantSpec], Field(max_length=10)] = Field(default_factory=list)
    # If left out, a changed draft keeps its own.
    phases: Phases | None = None
    recruitment: Recruitment | None = None


def read_spec(content: str) -> StudySpec:
    """The study in a YAML text; `SpecError` names each field with an error."""
    try:
        return check_spec(load_mapping(content))
    except NotYaml as error:
        raise SpecError(str(error)) from None


def check_spec(loaded: dict[Any, Any]) -> StudySpec:
    """The study in a mapping; `SpecError` names each field with an error."""
    try:
        return StudySpec.model_validate(loaded)
    except ValidationError as error:
        raise SpecError(" ".join(map(explain_error, error.errors()[:10]))) from None


def explain_error(problem: Any) -> str:
    """One error of a spec in words."""
    place = make_printable(".".join(str(part) for part in problem["loc"]))
    context = problem.get("ctx", {})
    sentences = {
        "extra_forbidden": _("%(place)s is unknown; check its spelling."),
        "missing": _("%(place)s is missing."),
        "string_type": _("%(place)s must be text; put it in quotes."),
        "invalid_key": _("%(place)s must be text; put it in quotes."),
        "string_too_long": _("%(place)s is longer than %(max_length)s characters."),
        "string_unicode": _("%(place)s contains an invalid character (a lone surrogate), which cannot be stored."),
        "too_short": _("%(place)s must not be empty."),
        "string_too_short": _("%(place)s must not be empty."),
        "string_pattern_mismatch": _("%(place)s may have letters, digits, hyphens and underscores only."),
        "int_type": _("%(place)s must be a whole number."),
        "greater_than_equal": _("%(place)s must be at least %(ge)s."),
        "less_than_equal": _("%(place)s must be at most %(le)s."),
        "model_type": _("%(place)s must be a mapping, such as {name: value}."),
        "dict_type": _("%(place)s must be a mapping, such as {name: value}."),
        "list_type": _("%(place)s must be a list, such as [students, teachers]."),
        "too_long": _("%(place)s has more than %(max_length)s entries."),
        "literal_error": _("%(place)s must be one of: %(expected)s."),
        "value_error": "%(place)s: %(error)s",
    }.get(problem["type"], "%(place)s: %(msg)s.")
    return str(sentences % ({"place": place, "msg": problem["msg"].rstrip(".")} | context))
