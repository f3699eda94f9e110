"""A row of a file beside what the bank holds. What the file does not say stays as it is."""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from items.formats.rows import ItemRow, OptionRow, TextRow
from items.plain import clean_language
from items.services.naming import ImportOptions
from items.values import DETAILS, ItemValues, OptionValues, TextValues, fill_columns, is_same_json, update_extra

LETTERS = "abcdefghijklmnopqrst"


@dataclass(frozen=True)
class Difference:
    """The fields that differ: in wording, which needs a wish to update, or in details, which are left as they are."""

    wording: list[str]
    details: list[str]

    @property
    def fields(self) -> list[str]:
        return self.wording + self.details


def find_stated_language(row: TextRow, options: ImportOptions) -> str:
    """The language that the line or the option says, empty if neither does; ValueError if it is none."""
    return clean_language(row.language) if row.language else options.language


def merge_text(known: TextValues, row: TextRow, language: str) -> TextValues:
    """What the text would say after the row."""
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
    """The pictures of the row by their names, as texts name them."""
    return {name: picture.digest for name, picture in (row.pictures or {}).items()}


def merge_item(known: ItemValues, row: ItemRow, generator: str) -> ItemValues:
    """What the item would say after the row."""
    return replace(
        known,
        stem=row.stem,
        generator=generator or known.generator,
        options=known.options if row.options is None else merge_options(row.options, known.options),
        expected_answer=known.expected_answer if row.expected_answer is None else row.expected_answer,
        multiple=known.multiple if row.multiple is None else row.multiple,
        reference=known.reference if row.reference is None else row.reference,
        metadata=known.metadata if row.metadata is None else row.metadata,
    )


def merge_options(rows: list[OptionRow], known: tuple[OptionValues, ...] = ()) -> tuple[OptionValues, ...]:
    """The options with ids; an explanation that is not said stays."""
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
    """An id for each (id or none, wording): its own, that of the known option with the same words, or a letter.

    The letter of its place stays the same when a typing error is mended, the known wording when the order changes.
    """
    taken = {name for name, _wording in options if name}
    ids = [name or "" for name, _wording in options]
    for place, (_name, wording) in enumerate(options):
        ids[place] = ids[place] or _claim((o.external_id for o in known if o.text == wording), taken)
    for place in range(len(ids)):
        ids[place] = ids[place] or _claim(LETTERS[place:] + LETTERS, taken)
    return ids


def _claim(names: Iterable[str], taken: set[str]) -> str:
    """The first free name, empty if none is."""
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
    """Keys are left out: their change is a correction. So is the order of options: it is drawn anew in each study."""
    names = {"stem": "question", "expected_answer": "answer", "generator": "generator"}
    wording = [shown for name, shown in names.items() if getattr(known, name) != getattr(target, name)]
    if _map_wordings(known) != _map_wordings(target):
        wording.append("answers")
    details = [name for name in ("multiple", "reference") if getattr(known, name) != getattr(target, name)]
    return Difference(wording, details + _compare_metadata(known, target))


def _map_wordings(values: ItemValues) -> dict[str, tuple[str, str]]:
    return {option.external_id: (option.text, option.explanation) for option in values.options}


def _compare_metadata(known: TextValues | ItemValues, target: TextValues | ItemValues) -> list[str]:
    return [] if is_same_json(known.metadata, target.metadata) else ["metadata"]
