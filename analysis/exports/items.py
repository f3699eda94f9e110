"""The items of a study with people's answers to them as numbers: as a table that comes in again, or for a quiz."""

from collections.abc import Collection
from typing import Any

from analysis.choices import Choices
from analysis.exports.preferences import load_bank
from analysis.frames.evidence import evidence_of
from analysis.science.scores import score_study
from items.formats.questions import Statistic
from items.formats.rows import ItemRow, TextRow
from items.formats.table_writing import choose_columns, describe_item, describe_text
from items.models import Item
from items.services.exporting import build_item_object, build_study_archive, build_text_object
from studies.models import Study


def list_statistics(study: Study, purposes: Collection[str]) -> list[Statistic]:
    """The mean of each measure of each item."""
    scores = score_study(evidence_of(study, Choices(purposes=tuple(purposes)))).items.to_dict("records")
    return [Statistic(each["item_id"], each["measure"], each["total"] / each["n"], int(each["n"])) for each in scores]


def build_quiz(study: Study, format_name: str, purposes: Collection[str]) -> tuple[bytes, int]:
    """The items in a format of questions, with their statistics: a ZIP, and how many items the study has."""
    texts, items = load_bank(study)
    about: dict[str, list[Item]] = {}
    for item in items.values():
        about.setdefault(item.text.external_id, []).append(item)
    objects = (build_text_object(text, about.get(name, ())) for name, text in texts.items())
    return build_study_archive(study.slug, format_name, objects, list_statistics(study, purposes)), len(items)


def list_items(study: Study, purposes: Collection[str]) -> tuple[list[str], list[dict[str, Any]]]:
    """Columns and rows: text and item in the columns of the import, then the mean of each measure, and its n.

    The words of a text that may not be redistributed are left out, those of its items are not.
    """
    texts, items = load_bank(study)
    statistics: dict[str, dict[str, Any]] = {}
    for each in list_statistics(study, purposes):
        statistics.setdefault(each.item_id, {}).update({each.measure: each.mean, f"n_{each.measure}": each.n})
    rows = []
    for item in items.values():
        text = texts[item.text.external_id]
        words = {"text_id": text.external_id, "language": text.language}
        if text.shareable:
            words = describe_text(TextRow.model_validate(build_text_object(text, ())))
        columns = describe_item(ItemRow.model_validate(build_item_object(item)))
        rows.append(words | columns | statistics.get(item.external_id, {}))
    return choose_columns(rows), rows
