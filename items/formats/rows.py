"""The result of every format: rows of typed fields (texts with their items), and the problems found while reading."""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal, TypeVar

from django.utils.translation import gettext as _
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError
from pydantic_core import ErrorDetails

from items import values
from items.models import (
    MAX_ID,
    MAX_OPTION,
    MAX_OPTIONS,
    MAX_PICTURES,
    MAX_STEM,
    MAX_TEXT,
    MAX_VERSION_NAME,
    MAX_VERSIONS,
    ORIGINAL,
)
from items.pictures import BadPicture, PictureContent, read_data_uri
from items.plain import clean_language, clean_name, clean_tags, explain_too_long, is_blank, make_printable, strip_text

MAX_TITLE = 500


def limit_text(limit: int, *, needed: bool = True) -> AfterValidator:
    """A tidied string of limited length."""

    def check(value: str) -> str:
        value = strip_text(value)
        if needed and is_blank(value):
            raise ValueError(_("This field is empty. Fill it in, or leave it out if it is optional."))
        if len(value) > limit:
            raise ValueError(explain_too_long(value, limit))
        return value

    return AfterValidator(check)


Name = Annotated[str, AfterValidator(clean_name)]
OptionalText = Annotated[str, limit_text(MAX_STEM, needed=False)]


class Row(BaseModel):
    """Unknown fields are accepted, so that other tools' files can be imported, and named in a warning."""

    model_config = ConfigDict(strict=True, extra="allow")


class OptionRow(Row):
    id: Name | None = None
    text: Annotated[str, limit_text(MAX_OPTION)]
    correct: bool
    explanation: OptionalText | None = None
    # Answers of models in item-evaluation files, which are imported elsewhere.
    prediction: Any = None


def check_options(options: list[OptionRow]) -> list[OptionRow]:
    if len(options) > MAX_OPTIONS:
        raise ValueError(
            _("The item has {count} options; the limit is {limit}.").format(count=len(options), limit=MAX_OPTIONS)
        )
    ids = Counter(option.id for option in options if option.id is not None)
    if twice := [each for each, count in ids.items() if count > 1]:
        raise ValueError(
            _("The option id “{id}” is used twice. Give each option of an item its own id.").format(id=twice[0])
        )
    return options


Options = Annotated[list[OptionRow], AfterValidator(check_options)]


class ItemRow(Row):
    id: Name | None = None
    generator: Name | None = None
    stem: Annotated[str, limit_text(MAX_STEM), Field(alias="question")]
    options: Annotated[Options | None, Field(alias="answers")] = None
    expected_answer: Annotated[OptionalText | None, Field(alias="answer")] = None
    multiple: bool | None = None
    reference: bool | None = None
    metadata: dict[str, Any] | None = None
    tags: Annotated[list[str], AfterValidator(clean_tags)] | None = None


def read_pictures(pictures: dict[str, Any]) -> dict[str, PictureContent]:
    """Pictures by name; in the file each is a data URI."""
    if len(pictures) > MAX_PICTURES:
        raise ValueError(_("The text has more than {limit} pictures.").format(limit=MAX_PICTURES))
    read: dict[str, PictureContent] = {}
    for name, uri in pictures.items():
        if not PICTURE_NAME.fullmatch(name) or len(name) > MAX_ID:
            reason = _("“{name}” is no name of a picture. Use letters, digits, dots, hyphens and underscores.")
            raise ValueError(reason.format(name=make_printable(name)))
        try:
            read[name] = read_data_uri(uri if isinstance(uri, str) else "")
        except BadPicture as error:
            raise ValueError(f"{name}: {error}") from None
    return read


PICTURE_NAME = re.compile(r"[\w.-]+")


class VersionRow(Row):
    """A version of the text, such as a simplified or translated one."""

    name: Annotated[Name, limit_text(MAX_VERSION_NAME)]
    text: Annotated[str, limit_text(MAX_TEXT)]
    language: Annotated[str, AfterValidator(clean_language)] | None = None

    def values(self) -> dict[str, str]:
        return self.model_dump(include={"name", "text", "language"}, exclude_none=True)


def check_versions(versions: list[VersionRow]) -> list[VersionRow]:
    if len(versions) > MAX_VERSIONS:
        sentence = _("The text has {count} versions beside the original; the limit is {limit}.")
        raise ValueError(sentence.format(count=len(versions), limit=MAX_VERSIONS))
    names = Counter([ORIGINAL, *(version.name for version in versions)])
    if twice := [each for each, count in names.items() if count > 1]:
        raise ValueError(
            _("The version “{name}” occurs twice. Give each version of a text its own name; the text itself is "
              "“original”.").format(name=twice[0])
        )  # fmt: skip
    return versions


class TextRow(Row):
    id: Name | None = None
    title: Annotated[str, limit_text(MAX_TITLE, needed=False)] | None = None
    body: Annotated[Annotated[str, limit_text(MAX_TEXT)] | None, Field(alias="text")] = None
    body_hash: Annotated[str | None, Field(alias="text_sha256")] = None
    language: Name | None = None
    markup: Literal["", "markdown"] | None = None
    pictures: Annotated[dict[str, Any], AfterValidator(read_pictures)] | None = None
    versions: Annotated[list[VersionRow], AfterValidator(check_versions)] | None = None
    items: list[ItemRow] = []
    metadata: dict[str, Any] | None = None


LISTED = 200  # problems; further ones are only counted


@dataclass(frozen=True)
class ImportProblem:
    """A problem with a line. Line 0 is the whole file; `name`: of the line, if it has one instead of a number."""

    line: int
    field: str
    reason: str
    name: str = ""


@dataclass
class Problems:
    """The first problems, and their number."""

    listed: list[ImportProblem] = field(default_factory=list)
    count: int = 0
    names: dict[int, str] = field(default_factory=dict)

    def add(self, line: int, field: str, reason: str) -> None:
        self.count += 1
        if len(self.listed) < LISTED:
            self.listed.append(ImportProblem(line, field, reason, self.names.get(line, "")))

    def __bool__(self) -> bool:
        return self.count > 0

    def copy(self) -> "Problems":
        return Problems(list(self.listed), self.count, self.names)

    @property
    def n_unlisted(self) -> int:
        return self.count - len(self.listed)


@dataclass(frozen=True)
class Line:
    """One text with its items, and its line in the file; `item_lines` if each item has a line of its own."""

    number: int
    text: TextRow
    item_lines: tuple[int, ...] = ()


@dataclass
class Reading:
    """The result of reading a file: the parsed lines, and the problems of the others.

    `names`: how problems name a line that has no number of its own, such as a file or a row of a table. `columns`: of
    a table, each with its field.
    """

    lines: list[Line] = field(default_factory=list)
    problems: Problems = field(default_factory=Problems)
    warnings: Problems = field(default_factory=Problems)
    names: dict[int, str] = field(default_factory=dict)
    columns: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.problems.names = self.warnings.names = self.names


Location = tuple[int | str, ...]
Shape = TypeVar("Shape", bound=Row)


def describe_location(loc: Location) -> str:
    """The place within a line, counted from 1: “items 2, answers 1, correct”."""
    words: list[str] = []
    for part in loc:
        if isinstance(part, int):
            words[-1] += f" {part + 1}"
        else:
            words.append(make_printable(part))
    return ", ".join(words)


def validate_row(
    shape: type[Shape],
    value: dict[str, Any],
    line: int,
    problems: Problems,
    named: Callable[[Location], str] = describe_location,
) -> Shape | None:
    """The row, or None and a problem for each invalid field; `named` gives the names of fields."""
    try:
        return shape.model_validate(value)
    except ValidationError as error:
        for detail in error.errors(include_url=False):
            problems.add(line, named(detail["loc"]), _explain_error(detail))
        return None


def check_metadata(line: int, text: TextRow, reading: Reading) -> bool:
    """Check the types of the metadata that Lesart reads. The rest is the researcher's."""
    problems = list(_find_metadata_problems(text.metadata or {}))
    for name, reason in problems:
        reading.problems.add(line, f"metadata, {name}", reason)
    if problems:
        return False
    for name in values.find_unfit_fields(text.metadata or {}):
        reason = _("This is not a text of up to {limit} characters, so it is kept in the metadata only.")
        reading.warnings.add(line, f"metadata, extra, {name}", reason.format(limit=values.get_column_limit(name)))
    return True


def _explain_error(detail: ErrorDetails) -> str:
    sentences = {
        "missing": _("The field is missing."),
        "string_type": _("This must be a string in quotes."),
        "bool_type": _("This must be true or false, without quotes."),
        "list_type": _("This must be a list: [ … ]."),
        "dict_type": _("This must be an object: { … }."),
        "model_type": _("This must be an object: { … }."),
        "literal_error": _("Write “markdown”, or leave the field out for plain text."),
    }
    if detail["type"] == "value_error":
        return str(detail["ctx"]["error"])
    return sentences.get(detail["type"], detail["msg"])


def _find_metadata_problems(known: dict[str, Any]) -> Iterator[tuple[str, str]]:
    for name in ("dataset", "split"):
        if not isinstance(known.get(name), str | None):
            yield name, _("This must be a string in quotes.")
    if not isinstance(known.get("extra"), dict | None):
        yield "extra", _("This must be an object: { … }.")
    # An error rather than a warning: "false" in quotes would share a text that may not be shared.
    elif not isinstance(values.get_extra(known).get("shareable"), bool | None):
        yield "extra, shareable", _("This must be true or false, without quotes.")
