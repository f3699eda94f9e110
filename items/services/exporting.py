"""Exporting the bank as JSONL, in the format of the import, and in question formats."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from items.files import add_boms, zip_files
from items.formats import WRITERS
from items.formats.qti import write_qti
from items.formats.questions import LeftOut, Statistic, WrittenFile
from items.formats.rows import TextRow
from items.models import Item, Option, Text
from items.pictures import write_data_uris
from items.plain import write_csv
from items.services.bank import load_bank, lock_bank
from items.services.hub import build_hub_files
from items.services.search import EVERYTHING, BankSearch, Sample, search_texts
from items.values import get_text_values, hash_body, normalize_json, update_extra
from projects.models import Project

HUB = "hub"
ARCHIVES = [*WRITERS, HUB]  # the formats that are a ZIP with left-out.csv
# Valid in JSON, but many readers take them for the end of a line.
LINE_ENDS = {"\u2028": "\\u2028", "\u2029": "\\u2029", "\u0085": "\\u0085"}


@dataclass(frozen=True)
class Selection:
    """The part of the bank to export: the results of a search, possibly a sample of them; by default everything."""

    search: BankSearch = EVERYTHING
    sample: Sample | None = None

    def __bool__(self) -> bool:
        return bool(self.search or self.sample)


ALL = Selection()


def export_lines(project: Project, selection: Selection = ALL) -> list[str]:
    """One line of JSON for each current text with its current items, all read at one moment."""
    return [format_json_line(each) for each in list_text_objects(project, selection)]


def export_questions(project: Project, format_name: str) -> WrittenFile:
    """The bank as a file of questions, and what that cannot hold."""
    return WRITERS[format_name].write(TextRow.model_validate(each) for each in list_text_objects(project))


def build_archive(project: Project, format_name: str, selection: Selection = ALL, *, bom: bool = False) -> bytes:
    """A ZIP of the file of questions, or of the files for the Hub, and left-out.csv; `bom`: see `wants_bom`."""
    objects = list_text_objects(project, selection)
    if format_name == HUB:
        texts = [TextRow.model_validate(each) for each in objects]
        files, left_out = build_hub_files(project, texts)
        return zip_files({**files, "left-out.csv": _format_left_out(left_out)})
    written = WRITERS[format_name].write(TextRow.model_validate(each) for each in objects)
    files = list_files(f"{project.slug}-items", format_name, written)
    return zip_files(add_boms(files) if bom else files)


def build_study_archive(
    name: str, format_name: str, objects: Iterable[dict[str, Any]], statistics: Sequence[Statistic]
) -> bytes:
    """A ZIP of the file of questions, left-out.csv and statistics.csv; QTI has the statistics as its usage data, too.

    objects: see `build_text_object`. name: of the study.
    """
    texts = [TextRow.model_validate(each) for each in objects]
    if format_name == "qti":
        written = write_qti(texts, statistics, f"urn:lesart:study:{name}")
    else:
        written = WRITERS[format_name].write(texts)
    rows = [(each.item_id, each.measure, each.mean, each.n) for each in statistics]
    extra = {"statistics.csv": write_csv(("item_id", "measure", "mean", "n"), rows).encode()}
    return zip_files(list_files(f"{name}-items", format_name, written) | extra)


def list_files(name: str, format_name: str, written: WrittenFile) -> dict[str, bytes]:
    """The file of questions, and the list of what it could not hold."""
    questions = f"{name}.{WRITERS[format_name].ending}"
    return {questions: written.content, "left-out.csv": _format_left_out(written.left_out)}


def _format_left_out(left_out: Iterable[LeftOut]) -> bytes:
    """One row for each item or field that is not in the file."""
    rows = ((each.text_id, each.item_id, each.field, each.reason) for each in left_out)
    return write_csv(("text_id", "item_id", "field", "reason"), rows).encode()


def list_text_objects(project: Project, selection: Selection = ALL) -> list[dict[str, Any]]:
    """Each current text with its current items, all read at one moment.

    With a selection, the texts found with their matching items; with a sample, only texts with drawn items.
    """
    with lock_bank(project):
        bank = load_bank(project)
        found = find_selected(project, selection.search) if selection else None
    if found is None:
        return [build_text_object(text, bank.items_by_text.get(name, [])) for name, text in bank.texts.items()]
    kept = {name: [item for item in bank.items_by_text.get(name, []) if item.pk in found[text.pk]]
            for name, text in bank.texts.items() if text.pk in found}  # fmt: skip
    if selection.sample:
        drawn = selection.sample.draw(item for items in kept.values() for item in items)
        chosen = {name: [item for item in items if item.pk in drawn] for name, items in kept.items()}
        kept = {name: items for name, items in chosen.items() if items}
    return [build_text_object(bank.texts[name], items) for name, items in kept.items()]


def find_selected(project: Project, search: BankSearch) -> dict[int, set[int]]:
    """The matching items of each text found, all as primary keys."""
    texts: Iterable[Any] = search_texts(project, search)
    return {text.pk: {item.pk for item in text.current_items} for text in texts}


def build_text_object(text: Text, items: Iterable[Item]) -> dict[str, Any]:
    """The text with these items, in the format of the import.

    If it may not be shared, its body is replaced by a hash, and its pictures and versions are left out.
    """
    pictures = write_data_uris(text) if text.shareable else {}
    versions = text.versions if text.shareable else []
    values = {"text": text.body} if text.shareable else {"text": None, "text_sha256": hash_body(text.body)}
    metadata = normalize_json(update_extra(text.metadata, vars(get_text_values(text))))
    return {
        "id": text.external_id,
        **_drop_empty(title=text.title),
        **values,
        "language": text.language,
        **_drop_empty(markup=text.markup, pictures=pictures, versions=versions),
        "items": [build_item_object(item) for item in items],
        "metadata": metadata,
    }


def build_item_object(item: Item) -> dict[str, Any]:
    multiple = {} if item.multiple is None else {"multiple": item.multiple}
    return {
        "id": item.external_id,
        "generator": item.generator.name,
        "question": item.stem,
        **multiple,
        "answers": [_build_option_object(option) for option in item.options.all()],
        **_drop_empty(answer=item.expected_answer, reference=item.reference, tags=item.tags),
        **_drop_empty(metadata=normalize_json(item.metadata)),
    }


def _build_option_object(option: Option) -> dict[str, Any]:
    return {
        "id": option.external_id,
        "text": option.text,
        "correct": option.correct,
        **_drop_empty(explanation=option.explanation),
    }


def _drop_empty(**fields: Any) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value}


def format_json_line(value: dict[str, Any]) -> str:
    """The object as one line of a file, also for readers that recognize other line ends than a line feed."""
    text = json.dumps(value, ensure_ascii=False)
    for char, escaped in LINE_ENDS.items():
        text = text.replace(char, escaped)
    return text + "\n"
