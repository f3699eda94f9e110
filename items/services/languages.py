"""The language of each new text of a file: said by the line, by the option, by its metadata, else recognised."""

from collections.abc import Iterable

from django.utils.translation import gettext as _

from items import metadata
from items.formats.problems import Problems
from items.language import language_code, recognise
from items.services.comparing import said_language
from items.services.naming import ImportOptions, NamedText


def languages_of(
    texts: Iterable[NamedText], options: ImportOptions, expected: set[str], problems: Problems
) -> dict[str, str]:
    """Text id to code. A text whose language cannot be told is among the problems instead."""
    found: dict[str, str] = {}
    unsaid: list[NamedText] = []
    for text in texts:
        try:
            code = said_language(text.row, options) or _language_in_metadata(text)
        except ValueError as error:
            problems.add(text.line, "language", str(error))
            continue
        if code:
            found[text.id] = code
        else:
            unsaid.append(text)
    return found | _recognised(unsaid, expected | set(found.values()), problems)


def _language_in_metadata(text: NamedText) -> str | None:
    name = metadata.extra_of(text.row.metadata or {}).get("language")
    return language_code(name) if isinstance(name, str) else None


def _recognised(texts: list[NamedText], expected: set[str], problems: Problems) -> dict[str, str]:
    found: dict[str, str] = {}
    for text, code in zip(texts, recognise([text.row.body or "" for text in texts], expected), strict=True):
        if code:
            found[text.id] = code
        else:
            reason = _("The language could not be recognised. Say it in the field language, or for the whole file.")
            problems.add(text.line, "language", reason)
    return found
