"""The typed shape of one line: a text with its items. Strict: a true in quotes is not true."""

from collections import Counter
from typing import Annotated, Any

from django.utils.translation import gettext as _
from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from items.models import MAX_OPTION, MAX_OPTIONS, MAX_STEM, MAX_TEXT
from items.names import clean_name, too_long
from items.plain import is_blank, tidy

MAX_TITLE = 500


def words(limit: int, *, needed: bool = True) -> AfterValidator:
    """A tidied string of up to so many characters."""

    def check(value: str) -> str:
        value = tidy(value)
        if needed and is_blank(value):
            raise ValueError(_("This is empty. Fill it, or leave the field out if it may be missing."))
        if len(value) > limit:
            raise ValueError(too_long(value, limit))
        return value

    return AfterValidator(check)


Name = Annotated[str, AfterValidator(clean_name)]
OptionalText = Annotated[str, words(MAX_STEM, needed=False)]


class Row(BaseModel):
    """Unknown fields are let through, so that other tools' files import, and are named in a warning."""

    model_config = ConfigDict(strict=True, extra="allow")


class OptionRow(Row):
    id: Name | None = None
    text: Annotated[str, words(MAX_OPTION)]
    correct: bool
    explanation: OptionalText | None = None
    # Answers of models: of item-evaluation files, imported elsewhere.
    prediction: Any = None


def check_options(options: list[OptionRow]) -> list[OptionRow]:
    if len(options) > MAX_OPTIONS:
        raise ValueError(
            _("The item has {count} options; the limit is {limit}.").format(count=len(options), limit=MAX_OPTIONS)
        )
    ids = Counter(option.id for option in options if option.id is not None)
    if twice := [each for each, count in ids.items() if count > 1]:
        raise ValueError(
            _("The option id “{id}” is used twice. Give each option of an item its own.").format(id=twice[0])
        )
    return options


Options = Annotated[list[OptionRow], AfterValidator(check_options)]


class ItemRow(Row):
    id: Name | None = None
    generator: Name | None = None
    stem: Annotated[str, words(MAX_STEM), Field(alias="question")]
    options: Annotated[Options | None, Field(alias="answers")] = None
    expected_answer: Annotated[OptionalText | None, Field(alias="answer")] = None
    multiple: bool | None = None
    reference: bool | None = None
    metadata: dict[str, Any] | None = None


class TextRow(Row):
    id: Name | None = None
    title: Annotated[str, words(MAX_TITLE, needed=False)] | None = None
    body: Annotated[Annotated[str, words(MAX_TEXT)] | None, Field(alias="text")] = None
    body_hash: Annotated[str | None, Field(alias="text_sha256")] = None
    language: Name | None = None
    items: list[ItemRow] = []
    metadata: dict[str, Any] | None = None
