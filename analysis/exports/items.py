"""The items of a study as a table that comes in again, each with people's answers to it as numbers."""

from collections.abc import Collection
from typing import Any

from analysis.choices import Choices
from analysis.exports.preferences import load_bank
from analysis.frames.evidence import evidence_of
from analysis.science.scores import score_study
from items.formats.rows import ItemRow, TextRow
from items.formats.table_writing import choose_columns, describe_item, describe_text
from items.services.exporting import build_item_object, build_text_object
from studies.models import Study


def list_items(study: Study, purposes: Collection[str]) -> tuple[list[str], list[dict[str, Any]]]:
    """Columns and rows: text and item in the columns of the import, then the mean of each measure, and its n.

    The words of a text that may not be redistributed are left out, those of its items are not.
    """
    texts, items = load_bank(study)
    scores = score_study(evidence_of(study, Choices(purposes=tuple(purposes)))).items
    statistics: dict[str, dict[str, Any]] = {}
    for score in scores.to_dict("records"):
        told = statistics.setdefault(score["item_id"], {})
        told |= {score["measure"]: score["total"] / score["n"], f"n_{score['measure']}": score["n"]}
    rows = []
    for item in items.values():
        text = texts[item.text.external_id]
        words = {"text_id": text.external_id, "language": text.language}
        if text.shareable:
            words = describe_text(TextRow.model_validate(build_text_object(text, ())))
        told = describe_item(ItemRow.model_validate(build_item_object(item)))
        rows.append(words | told | statistics.get(item.external_id, {}))
    return choose_columns(rows), rows
