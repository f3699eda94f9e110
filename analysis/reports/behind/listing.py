"""The rows behind a number as a table: known columns with their titles, in the order of the bank."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from analysis.formatting import count, number
from analysis.frames.evidence import Evidence
from analysis.tables.spec import FrameRows, Kind, Shown, Table, make_table
from studies.question_words import name_stage
from studies.services.declarations import get_declaration

HEADS: Mapping[str, tuple[str, Kind]] = {
    "text_id": (gettext_noop("Text"), "text id"),
    "item_id": (gettext_noop("Item"), "item id"),
    "option_id": (gettext_noop("Option"), "text"),
    "item_a": (gettext_noop("Item A"), "item id"),
    "item_b": (gettext_noop("Item B"), "item id"),
    "unit_items": (gettext_noop("Items compared"), "text"),
    "shown_first": (gettext_noop("Shown first"), "item id"),
    "shown_second": (gettext_noop("Shown second"), "item id"),
    "generator": (gettext_noop("Generator"), "text"),
    "source": (gettext_noop("Source"), "text"),
    "category": (gettext_noop("Category"), "tag"),
    "group": (gettext_noop("Group"), "text"),
    "annotator": (gettext_noop("Annotator"), "text"),
    "annotator_a": (gettext_noop("Annotator A"), "text"),
    "annotator_b": (gettext_noop("Annotator B"), "text"),
    "stage": (gettext_noop("Stage"), "stage"),
    "question": (gettext_noop("Question"), "question"),
    "ticked": (gettext_noop("Ticked"), "truth"),
    "ticked_a": (gettext_noop("Ticked by A"), "truth"),
    "ticked_b": (gettext_noop("Ticked by B"), "truth"),
    "ticked_options": (gettext_noop("Ticked"), "text"),
    "value": (gettext_noop("Answer"), "label"),
    "value_a": (gettext_noop("Answer of A"), "label"),
    "value_b": (gettext_noop("Answer of B"), "label"),
    "same": (gettext_noop("The same"), "truth"),
    "key": (gettext_noop("Is a key"), "truth"),
    "keys": (gettext_noop("Its keys"), "text"),
    "right": (gettext_noop("Right"), "truth"),
    "unsure": (gettext_noop("Unsure"), "truth"),
    "marked": (gettext_noop("Has it"), "truth"),
    "counted": (gettext_noop("Counted"), "truth"),
    "this": (gettext_noop("This option"), "truth"),
    "probability": (gettext_noop("p(true)"), "optional"),
    "p_guess": (gettext_noop("p(true) without the text"), "optional"),
    "p_read": (gettext_noop("p(true) with the text"), "optional"),
    "rating": (gettext_noop("Rating"), "optional"),
    "minutes": (gettext_noop("Minutes"), "optional"),
    "stem": (gettext_noop("Question"), "text"),
    "words": (gettext_noop("Words"), "optional"),
    "verdict": (gettext_noop("Looked at"), "verdict"),
    "part": (gettext_noop("Part"), "optional"),
    "tokens": (gettext_noop("Tokens"), "optional"),
    "n_options": (gettext_noop("Number of options"), "optional"),
    "n_keys": (gettext_noop("Number of keys"), "optional"),
    "n_answers": (gettext_noop("Answers"), "optional"),
    "n_items": (gettext_noop("Items"), "optional"),
    "n_people": (gettext_noop("People"), "optional"),
    "n_units": (gettext_noop("Units"), "optional"),
    "n_shared": (gettext_noop("Shared judgments"), "optional"),
    "n_same": (gettext_noop("The same"), "optional"),
    "n_judged": (gettext_noop("Judgments"), "optional"),
    "n_right": (gettext_noop("Right"), "optional"),
    "n_others": (gettext_noop("Other judgments"), "optional"),
    "n_others_right": (gettext_noop("Right"), "optional"),
    "share_others": (gettext_noop("Share right"), "optional"),
    "kappa": (gettext_noop("Cohen's κ"), "optional"),
    "ac1": (gettext_noop("AC1"), "optional"),
    "model_at_least": (gettext_noop("Model at least as good"), "optional"),
    "person_at_least": (gettext_noop("Person at least as good"), "optional"),
    "p": (gettext_noop("p"), "p"),
    "p_adjusted": (gettext_noop("p, adjusted"), "p"),
    "passed": (gettext_noop("Passed"), "truth"),
    "mass": (gettext_noop("Label mass"), "optional"),
    "better": (gettext_noop("Better"), "preference"),
    "better_swapped": (gettext_noop("Better, with B first"), "preference"),
    "flipped": (gettext_noop("Flipped"), "truth"),
    "names_first": (gettext_noop("The item shown first"), "truth"),
    "raw_output": (gettext_noop("Reply"), "reply"),
    "raw_output_swapped": (gettext_noop("Reply, with B first"), "reply"),
    "call": (gettext_noop("Call"), "call"),
    "call_swapped": (gettext_noop("Call, with B first"), "call"),
}
ITEMS = ("item_id", "item_a", "item_b", "shown_first", "shown_second")
ORDER = (*ITEMS, "option_id", "stage", "annotator", "annotator_a", "annotator_b")
# What a count of a table counts: the column that tells two of them apart, and what a list of them says.
COUNTED: Mapping[str, tuple[str, tuple[str, ...]]] = {
    "n_items": ("item_id", ("text_id", "item_id", "generator")),
    "n_texts": ("text_id", ("text_id",)),
    "n_annotators": ("annotator", ("annotator",)),
}


def listed(
    evidence: Evidence,
    rows: pd.DataFrame,
    columns: Sequence[str],
    title: str,
    notes: Iterable[str] = (),
    *,
    in_bank_order: bool = True,
) -> Table:
    """The columns of the frame, each a name of `HEADS`; unless told otherwise in the order of `in_order`."""
    shown = tuple(Shown(_(HEADS[name][0]), name, HEADS[name][1]) for name in columns)
    if in_bank_order:  # of a million rows only what is shown is moved
        rows = in_order(evidence, rows[[name for name in rows.columns if name in columns or name in ORDER]])
    cells = FrameRows(rows, columns)
    return make_table("behind", columns, cells, title=title, notes=tuple(notes), shown=shown)


def in_order(evidence: Evidence, rows: pd.DataFrame) -> pd.DataFrame:
    """By what the rows have of `ORDER`; items stand as in the study."""
    places = {item: place for place, item in enumerate(evidence.items["item_id"])}
    by = [name for name in ORDER if name in rows.columns]
    if not by:
        return rows
    return rows.sort_values(
        by, kind="stable", key=lambda column: column.map(places) if column.name in ITEMS else column
    )


def counted(evidence: Evidence, answers: pd.DataFrame, column: str) -> Table:
    """The items, texts or annotators that the answers are of, by a name of `COUNTED`; each with its answers counted."""
    key, columns = COUNTED[column]
    n = answers.groupby(key).size()
    kinds = answers.drop_duplicates(key)
    rows = kinds.assign(n_answers=kinds[key].map(n))
    titles = {"n_items": _("The items"), "n_texts": _("The texts"), "n_annotators": _("The annotators")}
    return listed(evidence, rows, (*columns, "n_answers"), titles[column])


def share_said(true: pd.Series, sentence: str) -> list[str]:
    """A sentence with `n_true`, `n` and `share` of a column of truths; nothing where there are none."""
    if not len(true):
        return []
    return [sentence % {"n_true": count(int(true.sum())), "n": count(len(true)), "share": number(true.mean())}]


def codes_of(pairs: np.ndarray, raters: Sequence[str]) -> list[tuple[str, str]]:
    return [(raters[one], raters[other]) for one, other in pairs]


def shared(answers: pd.DataFrame, pairs: Iterable[tuple[str, str]], unit: Sequence[str]) -> pd.DataFrame:
    """One row per pair of annotators and unit that both judged: annotator_a, value_a, annotator_b, value_b and same.

    `answers`: at most one row per annotator and unit, with annotator, value and the columns that name a unit.
    """
    renamed = answers.rename(columns={"annotator": "annotator_a", "value": "value_a"})
    first = dict(iter(renamed.groupby("annotator_a", sort=False)))
    second = dict(
        iter(
            answers[["annotator", "value", *unit]]
            .rename(columns={"annotator": "annotator_b", "value": "value_b"})
            .groupby("annotator_b", sort=False)
        )
    )
    parts = [first[one].merge(second[other], on=list(unit)) for one, other in pairs]
    nothing = renamed.iloc[:0].assign(annotator_b="", value_b=None)
    both = pd.concat(parts, ignore_index=True) if parts else nothing
    return both.assign(same=both["value_a"] == both["value_b"])


def same_said(both: pd.DataFrame) -> list[str]:
    return share_said(both["same"], _("%(n_true)s of %(n)s shared judgments are the same, %(share)s"))


def alike(same: "pd.Series[Any]") -> tuple[str, ...]:
    """How many of the pairs say the same."""
    if same.empty:
        return ()
    said = {"n": count(int(same.sum())), "of": count(len(same)), "share": number(float(same.mean()))}
    return (_("%(n)s of %(of)s pairs say the same, %(share)s") % said,)


JUDGED = ("text_id", "item_id", "option_id", "generator", "annotator", "stage", "ticked", "key", "right")


def judged(evidence: Evidence, judgments: pd.DataFrame, notes: Iterable[str] = (), more: tuple[str, ...] = ()) -> Table:
    """Judgments of options in the order of the bank, with how many of each stage are right."""
    rows = judgments.assign(
        ticked=judgments["value"], key=judgments["value"] == judgments["correct"], right=judgments["correct"]
    )
    said = (*notes, *right_by_stage(evidence, rows))
    return listed(evidence, rows, (*JUDGED, *more), _("The judgments"), said)


def right_by_stage(evidence: Evidence, judgments: pd.DataFrame) -> list[str]:
    return [
        f"{name_stage(stage)}: {sentence}"
        for stage in (each.name for each in get_declaration(evidence.study).stages)
        for sentence in share_said(
            judgments[judgments["stage"] == stage]["right"], _("%(n_true)s of %(n)s judgments are right, %(share)s")
        )
    ]
