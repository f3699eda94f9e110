"""What was not asked after the answers before it, as rows of an export: not applicable is not the same as missing."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import groupby
from operator import itemgetter
from typing import Any

from studies.protocols import Declaration

NO_ANSWER = dict.fromkeys(("value", "option_id", "option_pk", "option_position", "key", "probability", "unsure"))
SUBJECT = itemgetter("annotator", "round", "stage", "item_pk")


def unasked(
    rows: Iterable[dict[str, Any]], declaration: Declaration, by_code: Mapping[str, Declaration]
) -> Iterator[dict[str, Any]]:
    """A row for each question that does not apply to an item after these answers to it, without a value.

    Nothing where no question has a condition, and where a later round holds single answers only. `by_code` says how
    annotators with a variant are asked.
    """
    if declaration.rounds is not None:
        return
    for (annotator, _round, name, _item), about in groupby(sorted(rows, key=SUBJECT), key=SUBJECT):
        answers, stage = list(about), by_code.get(annotator, declaration).stage(name)
        if any(each.asked_if for each in stage.questions):
            given = {row["question"]: row["value"] for row in answers if row["option_id"] is None}
            for question, is_asked in stage.applicable(given, stage.questions).items():
                if is_asked is False:
                    yield answers[0] | NO_ANSWER | {"question": question, "comment": ""}
