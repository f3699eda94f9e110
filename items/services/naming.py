"""Ids and generators of the lines of a file.

A missing id is derived from the content, so that a second import gives the same one.
"""

import hashlib
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

from django.utils.translation import gettext as _

from items.formats.rows import ItemRow, Line, Problems, TextRow
from items.models import GeneratorKind
from items.plain import DEFAULT_GENERATOR, clean_name, make_printable


@dataclass(frozen=True)
class ImportOptions:
    """Options chosen with the file: generator and language for lines without them."""

    generator: str = ""
    language: str = ""
    update: bool = False


@dataclass(frozen=True)
class Author:
    """A generator by name. `is_named`: whether the item or the import options name it; else it was inferred."""

    name: str
    kind: GeneratorKind
    is_named: bool


@dataclass(frozen=True)
class NamedItem:
    """An item with its id and its place: its line, and its position there unless it has a line of its own."""

    id: str
    line: int
    place: str
    author: Author
    row: ItemRow


@dataclass(frozen=True)
class NamedText:
    id: str
    derived: bool
    line: int
    row: TextRow
    items: list[NamedItem]


@dataclass
class _Names:
    """The ids taken so far in the file."""

    problems: Problems
    texts: dict[str, int] = field(default_factory=dict)
    items: dict[str, int] = field(default_factory=dict)
    equals: Counter[str] = field(default_factory=Counter)

    def derive(self, letter: str, *content: str) -> str:
        """An id derived from the content; repeated contents get a number, from 2 on."""
        base = derive_id(letter, *content)
        self.equals[base] += 1
        return add_ordinal(base, self.equals[base])

    def take_text(self, name: str, line: int) -> bool:
        reason = _(
            "The id “{id}” also occurs in line {line}. Give each text its own id, and put all "
            "items of a text into one line."
        )
        return self._take(self.texts, name, line, "id", reason)

    def take_item(self, name: str, line: int, place: str) -> bool:
        reason = _("The id “{id}” also occurs in line {line}. Give each item its own id.")
        return self._take(self.items, name, line, place, reason)

    def _take(self, taken: dict[str, int], name: str, line: int, place: str, reason: str) -> bool:
        if name in taken:
            self.problems.add(line, place, reason.format(id=make_printable(name), line=taken[name]))
            return False
        taken[name] = line
        return True


def join_place(place: str, name: str) -> str:
    """The name of a field at this place of a line."""
    return f"{place}, {name}" if place else name


def derive_id(letter: str, *content: str) -> str:
    """The letter and 16 hexadecimal digits of the content's SHA-256."""
    digest = hashlib.sha256("\0".join(content).encode()).hexdigest()
    return f"{letter}-{digest[:16]}"


def add_ordinal(base: str, ordinal: int) -> str:
    return base if ordinal == 1 else f"{base}-{ordinal}"


def select_text_content(body: str) -> tuple[str, ...]:
    """The content from which the id of a text is derived: only the wording, so that changed metadata keep the id."""
    return (body,)


def select_item_content(text_id: str, generator: str, stem: str, options: Iterable[str]) -> tuple[str, ...]:
    """The content from which the id of an item is derived: without keys, which may be corrected, and the order of
    options."""
    return (text_id, generator, stem, *sorted(options))


def name_lines(lines: Iterable[Line], options: ImportOptions, problems: Problems) -> list[NamedText]:
    """The lines with ids and generators. A text or item with an invalid id or generator is reported and left out."""
    names = _Names(problems)
    texts = (_name_text(line, options, names) for line in lines)
    return [text for text in texts if text]


def _name_text(line: Line, options: ImportOptions, names: _Names) -> NamedText | None:
    row, number = line.text, line.number
    if row.id is None and row.body is None:
        names.problems.add(number, "id", _("A text that is not in the file needs its id."))
        return None
    text_id = row.id or names.derive("t", *select_text_content(row.body or ""))
    if not names.take_text(text_id, number):
        return None
    named = (_name_item(item, text_id, line, index, options, names) for index, item in enumerate(row.items))
    items = [item for item in named if item]
    return NamedText(text_id, row.id is None, number, row, items)


def _name_item(
    row: ItemRow, text_id: str, line: Line, index: int, options: ImportOptions, names: _Names
) -> NamedItem | None:
    number = line.item_lines[index] if line.item_lines else line.number
    place = "" if line.item_lines else f"items {index + 1}"
    try:
        author = _find_author(row, line.text, options)
    except ValueError as error:
        names.problems.add(number, "metadata, dataset", str(error))
        return None
    wordings = [option.text for option in row.options or []]
    item_id = row.id or names.derive("i", *select_item_content(text_id, author.name, row.stem, wordings))
    if not names.take_item(item_id, number, join_place(place, "id")):
        return None
    return NamedItem(item_id, number, place, author, row)


def _find_author(row: ItemRow, text: TextRow, options: ImportOptions) -> Author:
    """The author of the item: as named in the item, else in the import options, else its data set, else the default
    generator."""
    if name := row.generator or options.generator:
        return Author(name, GeneratorKind.HUMAN, is_named=True)
    if (dataset := (text.metadata or {}).get("dataset")) and dataset.strip():
        return Author(clean_name(dataset), GeneratorKind.DATASET, is_named=False)
    return Author(DEFAULT_GENERATOR, GeneratorKind.HUMAN, is_named=False)
