"""What a study file says: its shape, read strictly."""

import secrets
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError

Count = Annotated[int, Field(ge=0, le=10_000, strict=True)]
Positive = Annotated[int, Field(ge=1, le=10_000, strict=True)]
Name = Annotated[str, Field(min_length=1, max_length=200)]
MAX_SEED = 2**62


def drawn_seed() -> int:
    return secrets.randbelow(2**31)


class SpecError(ValueError):
    """The study file, or the form, asks for something that cannot be; the message is one or more sentences."""


class Strict(BaseModel):
    model_config = ConfigDict(extra="forbid", str_strip_whitespace=True)


class Selection(Strict):
    """Which items: all, or lists of the researcher's own ids and names."""

    texts: Literal["all"] | list[Name] = "all"
    generators: Literal["all"] | list[Name] = "all"


class Plan(Strict):
    """Who does what: `per_unit` k annotators each, or all; or texts shared by all and texts of one's own."""

    annotators: Positive | Literal["open"] = "open"
    per_unit: Positive | Literal["all"] = "all"
    shared_texts: Count = 0
    own_texts: Count = 0
    seed: Annotated[int, Field(ge=0, le=MAX_SEED, strict=True)] = Field(
        default_factory=lambda: secrets.randbelow(2**31)
    )


class StudySpec(Strict):
    """A study as `create_study` reads it."""

    slug: Annotated[str, Field(pattern=r"^[-a-zA-Z0-9_]+$", max_length=60)]
    title: Annotated[str, Field(max_length=200)] = ""
    protocol: str
    language: Annotated[str, Field(max_length=20)] = ""
    instrument: str = ""
    items: Selection = Field(default_factory=Selection)
    plan: Plan = Field(default_factory=Plan)
    params: dict[str, Any] = Field(default_factory=dict)
    groups: Annotated[list[Annotated[str, Field(min_length=1, max_length=100)]], Field(max_length=100)] = Field(
        default_factory=list
    )


def read_spec(content: str) -> StudySpec:
    """The study that a YAML text describes; `SpecError` names each field that is wrong."""
    try:
        loaded = yaml.safe_load(content)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise SpecError(f"This is not YAML: {' '.join(str(error).split())}") from None
    if not isinstance(loaded, dict):
        raise SpecError("A study file is a YAML mapping that starts with slug, title and protocol.")
    return check_spec(loaded)


def check_spec(loaded: dict[str, Any]) -> StudySpec:
    """The study that a mapping describes; `SpecError` names each field that is wrong."""
    try:
        return StudySpec.model_validate(loaded)
    except ValidationError as error:
        raise SpecError(" ".join(sentence(problem) for problem in error.errors())) from None


def sentence(problem: Any) -> str:
    """One problem of a spec in words."""
    place = ".".join(str(part) for part in problem["loc"] if part not in ("constrained-int", "int"))
    if problem["type"] == "extra_forbidden":
        return f"{place} is not known here; check its spelling."
    if problem["type"] == "missing":
        return f"{place} is missing."
    return f"{place}: {problem['msg'].rstrip('.')}."
