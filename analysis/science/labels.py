"""Yes/no labels: which raters say yes more often, and the shares of yes if all raters had labeled all items."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from analysis.formatting import format_with_interval
from analysis.frames.evidence import Evidence
from analysis.measures.label_severity import LabelSeverity, label_severity
from analysis.measures.rater_effects import find_linked_raters
from analysis.measures.reader_intervals import jackknife_parts
from analysis.science.common import estimate_over_texts, make_undefined
from analysis.science.raters import (
    FEW_SHARED,
    FEW_TEXTS,
    FEWEST_RATERS,
    FEWEST_SHARED,
    FEWEST_TEXTS,
    NOT_LINKED,
    Ratings,
    say_rounds,
    select_first_round,
)
from analysis.science.tables import FAIR_SHARES, LABEL_SEVERITY
from analysis.tables.spec import Table
from studies.question_words import name_question

FEWEST_LABELS = 200
YES, UNDECIDED = "yes", ("unsure", "not_applicable")
FEW_LABELS = gettext_noop("Severity of labels needs 200 labels by a rater; here %(n)d.")
ALIKE = gettext_noop("All these labels are alike, so how strict they are cannot be estimated.")


def build_label_tables(evidence: Evidence) -> tuple[Table, ...]:
    """The tables of yes/no labels; empty if no people answered yes/no questions about items."""
    labels = list(collect_labels(evidence))
    if not labels:
        return ()
    convention, notes = evidence.choices.convention, say_rounds(evidence)
    fits = [(each, fit_labels(each)) for each in labels]
    return (
        LABEL_SEVERITY.build([row for each in fits for row in build_label_rows(*each)], convention, notes),
        FAIR_SHARES.build([row for each in fits for row in build_share_rows(*each)], convention, notes),
    )


def collect_labels(evidence: Evidence) -> Iterator[Ratings]:
    """The labels of each yes/no question: 1 for yes, 0 for another label. Answers that leave it open are dropped."""
    for question, rows in select_first_round(evidence):
        if question.kind == "scale" or YES not in question.levels:
            continue
        decided = rows[~rows["value"].isin(UNDECIDED)]
        if not decided.empty:
            yield Ratings(question, "", decided.assign(value=(decided["value"] == YES).astype(float)))


def fit_labels(ratings: Ratings) -> tuple[LabelSeverity | None, str]:
    """The fit of yes/no labels, or why there is none."""
    item, _items = ratings.codes("item_id")
    rater, raters = ratings.codes("annotator")
    text, texts = ratings.of_items("text_id")
    most = int(np.bincount(rater).max())
    if most < FEWEST_LABELS:
        return None, _(FEW_LABELS) % {"n": most}
    if len(raters) < FEWEST_RATERS or len(set(find_linked_raters(item, rater))) > 1:
        return None, _(NOT_LINKED)
    if len(texts) < FEWEST_TEXTS:
        return None, _(FEW_TEXTS) % {"n": len(texts)}
    return label_severity(item, rater, ratings.value == 1, text, ratings.of_items("generator")[0]), ""


def build_label_rows(ratings: Ratings, fitted: tuple[LabelSeverity | None, str]) -> Iterator[dict[str, Any]]:
    found, reason = fitted
    item, _items = ratings.codes("item_id")
    rater, raters = ratings.codes("annotator")
    shared = np.bincount(item)[item] > 1
    for place, name in enumerate(raters):
        mine = rater == place
        n, labels = int((shared & mine).sum()), int(mine.sum())
        about = {
            "question": ratings.question.name, "annotator": name, "share_yes": ratings.value[mine].mean(), "n": n,
        }  # fmt: skip
        why = reason or (_(FEW_LABELS) % {"n": labels} if labels < FEWEST_LABELS else "")
        why = why or (_(FEW_SHARED) if n < FEWEST_SHARED else "")
        if found is None or why or np.isnan(found.severity[place]):
            why = why or _(ALIKE)
            yield about | {"severity": make_undefined(why), "reason": why}
        else:
            parts = jackknife_parts(float(found.severity[place]), found.severity_without[:, place])
            yield about | {"severity": estimate_over_texts(parts), "reason": ""}


def describe_severity(tables: tuple[Table, ...]) -> list[str]:
    """A sentence about the rater who differs most from the mean rater, or that nobody clearly differs.

    Empty if no rater's severity has an interval.
    """
    rows = [row for table in tables if table.name == LABEL_SEVERITY.name for row in table.rows]
    known = [row for row in rows if row["severity"] is not None and row["low"] is not None]
    if not known:
        return []
    apart = [row for row in known if row["low"] * row["high"] > 0]
    if not apart:
        return [_("No rater certainly says yes more or less often than the mean rater.")]
    row = max(apart, key=lambda each: abs(each["severity"]))
    words = (
        _("%(rater)s says yes more often than the mean rater, most of all to “%(question)s”: %(value)s logits.")
        if row["severity"] > 0
        else _("%(rater)s says yes less often than the mean rater, most of all to “%(question)s”: %(value)s logits.")
    )
    value = format_with_interval(row["severity"], row["low"], row["high"])
    return [words % {"rater": row["annotator"], "question": name_question(row["question"]), "value": value}]


def build_share_rows(ratings: Ratings, fitted: tuple[LabelSeverity | None, str]) -> Iterator[dict[str, Any]]:
    found, reason = fitted
    code, names = ratings.of_items("generator")
    raw = ratings.frame.groupby("generator")["value"].mean()
    for place, name in enumerate(names):
        about = {
            "question": ratings.question.name, "generator": name, "raw": raw[name],
            "n_items": int((code == place).sum()),
        }  # fmt: skip
        if found is None or np.isnan(found.fair[place]):
            why = reason or _(ALIKE)
            yield about | {"fair": make_undefined(why), "reason": why}
        else:
            parts = jackknife_parts(float(found.fair[place]), found.fair_without[:, place], bounds=(0.0, 1.0))
            yield about | {"fair": estimate_over_texts(parts), "reason": ""}
