"""The changes of an import: computed by planning, shown in the preview, carried out by applying.

Rows of a file are compared with what is stored; see `Difference`.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from items.formats.rows import ItemRow, OptionRow, Problems, TextRow
from items.models import GeneratorKind, Item, Text
from items.pictures import PictureContent
from items.plain import clean_language, make_printable
from items.services.naming import ImportOptions
from items.services.versions import KeyChange
from items.values import DETAILS, ItemValues, OptionValues, TextValues, fill_columns, is_same_json, update_extra


@dataclass(frozen=True)
class Difference:
    """The fields in which a line of the file differs from what is stored, by kind; both are stored only by an update.

    Without an update, another wording is a problem that stops the import, and other details are skipped with a warning.
    """

    wording: list[str]
    details: list[str]

    @property
    def fields(self) -> list[str]:
        return self.wording + self.details


@dataclass(frozen=True)
class NewText:
    id: str
    values: TextValues


@dataclass(frozen=True)
class ChangedText:
    text: Text
    values: TextValues
    fields: list[str]


@dataclass(frozen=True)
class NewItem:
    id: str
    text_id: str
    values: ItemValues


@dataclass(frozen=True)
class ChangedItem:
    item: Item
    values: ItemValues
    fields: list[str]


@dataclass(frozen=True)
class ImportCounts:
    new_texts: int
    changed_texts: int
    unchanged_texts: int
    new_items: int
    changed_items: int
    carried_items: int
    unchanged_items: int
    key_corrections: int
    new_generators: int


@dataclass
class ImportPlan:
    problems: Problems
    warnings: Problems
    # Of a table: each with the field that it was read as.
    columns: dict[str, str] = field(default_factory=dict)
    new_generators: dict[str, GeneratorKind] = field(default_factory=dict)
    new_texts: list[NewText] = field(default_factory=list)
    changed_texts: list[ChangedText] = field(default_factory=list)
    unchanged_texts: int = 0
    new_items: list[NewItem] = field(default_factory=list)
    changed_items: list[ChangedItem] = field(default_factory=list)
    # Unchanged items of changed texts, which get a version about the new text.
    carried_items: list[Item] = field(default_factory=list)
    unchanged_items: int = 0
    corrections: list[KeyChange] = field(default_factory=list)
    # Refused only because updates were not requested.
    refused_changes: int = 0
    languages: dict[str, int] = field(default_factory=dict)
    pictures: list[PictureContent] = field(default_factory=list)

    def accept_difference(self, difference: Difference, update: bool, line: int, place: str, name: str) -> bool:
        """Whether the difference is stored, that is if there is one and an update was requested.

        If not, adds the problem of another wording, or the warning that other details are skipped.
        """
        if update or not difference.fields:
            return bool(difference.fields)
        values = {"id": make_printable(name), "fields": ", ".join(difference.fields)}
        if difference.wording:
            self.refused_changes += 1
            reason = _(
                "“{id}” already exists in the project with a different wording ({fields}). Import "
                "it as an update, or use another id."
            )
            self.problems.add(line, place, reason.format(**values))
        else:
            reason = _(
                "“{id}” already exists in the project with different details ({fields}). They "
                "stay unless you import an update."
            )
            self.warnings.add(line, place, reason.format(**values))
        return False

    @property
    def writes(self) -> bool:
        """Whether the import would change anything."""
        return bool(self.new_texts or self.changed_texts or self.new_items or self.changed_items or self.corrections)

    @property
    def can_update(self) -> bool:
        """Whether only the request to update is missing."""
        return 0 < self.refused_changes == self.problems.count

    def sentences(self) -> list[str]:
        """The effects of the import, in words."""
        return [sentence for count, sentence in _list_phrases(self.counts()) if count]

    def counts(self) -> ImportCounts:
        return ImportCounts(
            new_texts=len(self.new_texts),
            changed_texts=len(self.changed_texts),
            unchanged_texts=self.unchanged_texts,
            new_items=len(self.new_items),
            changed_items=len(self.changed_items),
            carried_items=len(self.carried_items),
            unchanged_items=self.unchanged_items,
            key_corrections=len(self.corrections),
            new_generators=len(self.new_generators),
        )


def _list_phrases(c: ImportCounts) -> list[tuple[int, str]]:
    phrases = [
        (c.new_texts, ngettext("{n} new text", "{n} new texts", c.new_texts)),
        (c.changed_texts, ngettext("{n} text in a new version", "{n} texts in a new version", c.changed_texts)),
        (c.unchanged_texts, ngettext("{n} text unchanged", "{n} texts unchanged", c.unchanged_texts)),
        (c.new_items, ngettext("{n} new item", "{n} new items", c.new_items)),
        (c.changed_items, ngettext("{n} item in a new version", "{n} items in a new version", c.changed_items)),
        (
            c.carried_items,
            ngettext("{n} item carried over with its text", "{n} items carried over with their texts", c.carried_items),
        ),
        (c.unchanged_items, ngettext("{n} item unchanged", "{n} items unchanged", c.unchanged_items)),
        (c.key_corrections, ngettext("{n} key corrected", "{n} keys corrected", c.key_corrections)),
        (c.new_generators, ngettext("{n} new generator", "{n} new generators", c.new_generators)),
    ]
    return [(count, phrase.format(n=count)) for count, phrase in phrases]


LETTERS = "abcdefghijklmnopqrst"


def find_stated_language(row: TextRow, options: ImportOptions) -> str:
    """The language named in the line or the options, empty if in neither; ValueError if it is invalid."""
    return clean_language(row.language) if row.language else options.language


def merge_text(known: TextValues, row: TextRow, language: str) -> TextValues:
    """The text's values after importing the row."""
    target = replace(
        known,
        title=known.title if row.title is None else row.title,
        body=row.body or known.body,
        language=language or known.language,
        markup=known.markup if row.markup is None else row.markup,
        pictures=known.pictures if row.pictures is None else get_digests(row),
        versions=known.versions if row.versions is None else [each.values() for each in row.versions],
    )
    if row.metadata is None:
        return target
    columns = fill_columns(row.metadata, known)
    return replace(target, metadata=update_extra(row.metadata, columns), **columns)


def get_digests(row: TextRow) -> dict[str, str]:
    """The pictures of the row by name, as texts name them."""
    return {name: picture.digest for name, picture in (row.pictures or {}).items()}


def merge_item(known: ItemValues, row: ItemRow, generator: str) -> ItemValues:
    """The item's values after importing the row."""
    return replace(
        known,
        stem=row.stem,
        generator=generator or known.generator,
        options=known.options if row.options is None else merge_options(row.options, known.options),
        expected_answer=known.expected_answer if row.expected_answer is None else row.expected_answer,
        multiple=known.multiple if row.multiple is None else row.multiple,
        reference=known.reference if row.reference is None else row.reference,
        metadata=known.metadata if row.metadata is None else row.metadata,
        tags=known.tags if row.tags is None else tuple(row.tags),
    )


def merge_options(rows: list[OptionRow], known: tuple[OptionValues, ...] = ()) -> tuple[OptionValues, ...]:
    """The options with ids; a missing explanation stays unchanged."""
    explanations = {option.external_id: option.explanation for option in known}
    return tuple(
        OptionValues(
            external_id=name,
            text=row.text,
            correct=row.correct,
            explanation=explanations.get(name, "") if row.explanation is None else row.explanation,
        )
        for row, name in zip(rows, assign_option_ids([(row.id, row.text) for row in rows], known), strict=True)
    )


def assign_option_ids(options: list[tuple[str | None, str]], known: tuple[OptionValues, ...] = ()) -> list[str]:
    """An id for each (id or none, wording): its own, that of the existing option with the same words, or a letter.

    A letter by position survives a corrected typing error, an id by wording a changed order.
    """
    taken = {name for name, _wording in options if name}
    ids = [name or "" for name, _wording in options]
    for place, (_name, wording) in enumerate(options):
        ids[place] = ids[place] or _claim((o.external_id for o in known if o.text == wording), taken)
    for place in range(len(ids)):
        ids[place] = ids[place] or _claim(LETTERS[place:] + LETTERS, taken)
    return ids


def _claim(names: Iterable[str], taken: set[str]) -> str:
    """The first free name, empty if none is free."""
    name = next((name for name in names if name not in taken), "")
    taken.add(name)
    return name


def compare_texts(known: TextValues, target: TextValues) -> Difference:
    same = ("language", "markup", "pictures", "versions")
    names = {"title": "title", "body": "text"} | {name: name for name in same}
    wording = [shown for name, shown in names.items() if getattr(known, name) != getattr(target, name)]
    details = [name for name in (*DETAILS, "shareable") if getattr(known, name) != getattr(target, name)]
    return Difference(wording, details + _compare_metadata(known, target))


def compare_items(known: ItemValues, target: ItemValues) -> Difference:
    """Keys are ignored: their change is a correction. So is the order of options: each study draws its own."""
    names = {"stem": "question", "expected_answer": "answer", "generator": "generator"}
    wording = [shown for name, shown in names.items() if getattr(known, name) != getattr(target, name)]
    if _map_wordings(known) != _map_wordings(target):
        wording.append("answers")
    details = [name for name in ("multiple", "reference", "tags") if getattr(known, name) != getattr(target, name)]
    return Difference(wording, details + _compare_metadata(known, target))


def _map_wordings(values: ItemValues) -> dict[str, tuple[str, str]]:
    return {option.external_id: (option.text, option.explanation) for option in values.options}


def _compare_metadata(known: TextValues | ItemValues, target: TextValues | ItemValues) -> list[str]:
    return [] if is_same_json(known.metadata, target.metadata) else ["metadata"]
