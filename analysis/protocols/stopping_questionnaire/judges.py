"""Models that go through a questionnaire that stops, held against people on each category."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from django.utils.translation import gettext as _

from analysis.frames.evidence import Evidence
from analysis.measures.types import IntArray
from analysis.protocols.stopping_questionnaire.agreement import both_got_to, pair_table
from analysis.protocols.stopping_questionnaire.judged import Judgments, judgments_in
from analysis.reports.evaluators import judges_in, people_in
from analysis.reports.label_agreement import agreement_columns, measured
from analysis.tables.spec import Shown, Table, make_table

COLUMNS = (
    "evaluator", "evaluator_kind", "category", "view", "percent", "kappa", "kappa_order_free", "ac1", "n_pairs",
    "reason",
)  # fmt: skip


def judges_at_gates(evidence: Evidence) -> tuple[Table, ...]:
    """One row per model, category and view where a model has judged; else no table."""
    rows = list(judge_rows(evidence, judgments_in(evidence)))
    if not rows:
        return ()
    notes = (
        _("Each judgment of a person about an item that the model has judged is held against the model's; agreement "
          "among people stands apart and holds no model. The views are those of the agreement among people."),
    )  # fmt: skip
    title = _("Agreement of models with people")
    named_by = ("evaluator", "category", "view")
    return (
        make_table("agreement_with_humans", COLUMNS, rows, title=title, notes=notes, shown=shown(), named_by=named_by),
    )


def judge_rows(evidence: Evidence, judgments: Judgments) -> Iterator[dict[str, Any]]:
    people = people_in(evidence)
    for judge in judges_in(evidence):
        if judgments.among(judge).frame.empty:
            continue
        codes = judge.codes | people.codes
        chosen = Judgments(judgments.categories, judgments.frame[judgments.frame["annotator"].isin(codes)])
        pairs = pairs_with_people(chosen, judge.codes)
        for category in judgments.categories:
            table = pair_table(chosen, category, pairs)
            for view, counts in (("all", table), ("applicable", both_got_to(table, category))):
                about = (judge.name, judge.kind, category.name, view)
                yield dict(zip(COLUMNS, (*about, *measured(counts)), strict=True))


def pairs_with_people(judgments: Judgments, judge: frozenset[str]) -> IntArray:
    """(p, 2): the places of the model's judgment of an item and of a person's."""
    frame = judgments.frame.reset_index(drop=True)
    is_model = frame["annotator"].isin(judge).to_numpy()
    pairs = [
        (model, human)
        for places in map(np.asarray, frame.groupby("item_id", sort=False).indices.values())
        for model in places[is_model[places]]
        for human in places[~is_model[places]]
    ]
    return np.array(pairs, dtype=np.int64).reshape(-1, 2)


def shown() -> tuple[Shown, ...]:
    return (
        Shown(_("Evaluator"), "evaluator", "evaluator"),
        Shown(_("Category"), "category", "question"),
        Shown(_("View"), "view", "view"),
        *agreement_columns(_("Cohen's κ of model and person")),
    )
