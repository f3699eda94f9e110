"""Exports of a study's items with statistics of people's answers: a table that can be imported again, or a quiz.

Also pairs of a better and a worse item of one text, for training models on preferences.
"""

from collections.abc import Collection, Iterator
from itertools import combinations
from typing import Any

import pandas as pd
from django.db.models import Prefetch

from analysis.choices import Choices
from analysis.frames.evidence import collect_evidence
from analysis.science.scores import score_study
from items.formats.questions import Statistic
from items.formats.rows import ItemRow, TextRow
from items.formats.table_writing import choose_columns, describe_item, describe_text
from items.models import Item, Text
from items.services.exporting import build_item_object, build_study_archive, build_text_object
from studies.models import Study, Unit
from studies.services.declarations import get_declaration

PROMPT = "Write one question about the reading text.\n\n"
LETTERS = "ABCDEFGHIJKLMNOPQRST"
# Of these two, a higher value alone is not better: guessability is meant to be low, and answerability says little
# without it.
NOT_QUALITY = {"guessability", "answerability"}


def list_preferences(study: Study, purposes: Collection[str]) -> Iterator[dict[str, Any]]:
    """One row for each measure and pair of items of a text whose mean scores differ; the better one is chosen.

    Only measures where more is better are included. Texts that may not be redistributed are left out.
    """
    scores = score_study(collect_evidence(study, Choices(purposes=tuple(purposes)))).items
    scores = scores[~scores["measure"].isin(list_ambiguous(study))]
    texts, items = load_bank(study)
    for (measure, text_id), rows in scores.groupby(["measure", "text_id"], sort=True):
        text = texts[str(text_id)]
        if text.shareable:
            yield from pair_items(str(measure), text, items, rows)


def list_ambiguous(study: Study) -> set[str]:
    """Measures for which a higher value need not be better: `NOT_QUALITY` and questions without a scale."""
    questions = (question for stage in get_declaration(study).stages for question in stage.questions)
    return NOT_QUALITY | {question.name for question in questions if question.kind != "scale"}


def load_bank(study: Study) -> tuple[dict[str, Text], dict[str, Item]]:
    """Texts and items by their ids, as the study shows them."""
    shown = Item.objects.select_related("generator", "text").prefetch_related("options")
    units = list(Unit.objects.filter(study=study).select_related("text").prefetch_related(Prefetch("items", shown)))
    texts = {unit.text.external_id: unit.text for unit in units}
    return texts, {item.external_id: item for unit in units for item in unit.items.all()}


def pair_items(measure: str, text: Text, items: dict[str, Item], rows: pd.DataFrame) -> Iterator[dict[str, Any]]:
    means = (rows["total"] / rows["n"]).to_list()
    scored = list(zip(rows["item_id"], means, rows["n"], strict=True))
    for one, other in combinations(scored, 2):
        better, worse = (one, other) if one[1] > other[1] else (other, one)
        if better[1] > worse[1]:
            yield {
                "prompt": PROMPT + text.body,
                "chosen": format_item(items[better[0]]),
                "rejected": format_item(items[worse[0]]),
                "measure": measure,
                "text_id": text.external_id,
                "language": text.language,
                **describe_side("chosen", items[better[0]], better),
                **describe_side("rejected", items[worse[0]], worse),
            }


def describe_side(side: str, item: Item, scored: tuple[str, float, int]) -> dict[str, Any]:
    name, mean, n = scored
    return {
        f"{side}_id": name,
        f"{side}_generator": item.generator.name,
        f"{side}_score": float(mean),
        f"{side}_n": int(n),
    }


def format_item(item: Item) -> str:
    """The item as a model would write it: question, lettered options and the letters of the keys."""
    options = list(zip(LETTERS, item.options.all(), strict=False))
    if not options:
        return f"{item.stem}\nAnswer: {item.expected_answer}" if item.expected_answer else item.stem
    keys = ", ".join(letter for letter, option in options if option.correct) or "none"
    return "\n".join([item.stem, *(f"{letter}. {option.text}" for letter, option in options), f"Correct: {keys}"])


def list_statistics(study: Study, purposes: Collection[str]) -> list[Statistic]:
    """The mean of each measure for each item."""
    scores = score_study(collect_evidence(study, Choices(purposes=tuple(purposes)))).items.to_dict("records")
    return [Statistic(each["item_id"], each["measure"], each["total"] / each["n"], int(each["n"])) for each in scores]


def build_quiz(study: Study, format_name: str, purposes: Collection[str]) -> tuple[bytes, int]:
    """The items in a question format, with their statistics: a ZIP, and the number of items."""
    texts, items = load_bank(study)
    about: dict[str, list[Item]] = {}
    for item in items.values():
        about.setdefault(item.text.external_id, []).append(item)
    objects = (build_text_object(text, about.get(name, ())) for name, text in texts.items())
    return build_study_archive(study.slug, format_name, objects, list_statistics(study, purposes)), len(items)


def list_items(study: Study, purposes: Collection[str]) -> tuple[list[str], list[dict[str, Any]]]:
    """Columns and rows: text and item in the columns of the import, then the mean of each measure, and its n.

    A text that may not be redistributed is left out, except for its id and language; its items are included.
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
