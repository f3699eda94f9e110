"""All questions of a study at a glance, for the same annotators; of a stopping questionnaire gate by gate."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from django.utils.translation import gettext as _

from analysis.agreement.lab import numbers_of
from analysis.agreement.questions import (
    ALL,
    APPLICABLE,
    Answers,
    LabQuestion,
    answers_in,
    categories_in,
    judgment,
    latest_judgments,
)
from analysis.agreement.tables import QUESTIONS
from analysis.choices import Choices
from analysis.measures import alpha, coefficients
from analysis.measures import types as scales
from analysis.measures.agreement import MISSING
from analysis.tables.spec import Table
from studies.protocols import Stage
from studies.protocols.conditions import NOT_APPLICABLE


def overview(
    frame: pd.DataFrame,
    questions: Sequence[LabQuestion],
    annotators: list[str],
    stages: Mapping[str, Stage],
    choices: Choices,
) -> Table:
    """One row per question, for a stopping questionnaire one per view; questions that fewer than two annotators
    answered are left out. frame, annotators: as in `lab`; stages: how each annotator was asked."""
    whole = with_not_applicable(frame, stages)
    rows = [
        row
        for asked in questions
        for view in views_of(asked)
        if (row := row_of(whole if view == ALL else frame, with_view(asked, view), annotators)) is not None
    ]
    notes = [
        _("Units judged by at least two of these annotators. α at interval level for scales, otherwise nominal."),
        _("If nearly all labels are the same, κ and α are near 0 even when nearly all judgments agree."),
    ]
    if any(row["view"] for row in rows):
        notes.insert(1, _("All: a question that an annotator did not reach has the label “not "
                          "applicable”. Applicable: only annotators who reached the question."))  # fmt: skip
    hide = {"stage"} if len({row["stage"] for row in rows}) < 2 else set()
    if not any(row["view"] for row in rows):
        hide.add("view")
    return QUESTIONS.build(rows, notes=notes, hide=hide).add_included(choices.purposes)


def views_of(asked: LabQuestion) -> tuple[str, ...]:
    return (ALL, APPLICABLE) if asked.may_be_skipped else ("",)


def with_view(asked: LabQuestion, view: str) -> LabQuestion:
    """The question with “not applicable” as one more category, if the view is ALL."""
    more = (NOT_APPLICABLE,) if view == ALL else ()
    return replace(asked, view=view, categories=(*asked.categories, *more))


def with_not_applicable(frame: pd.DataFrame, stages: Mapping[str, Stage]) -> pd.DataFrame:
    """The frame with a row for each question that somebody did not reach on an item; missing answers stay missing."""
    names = [name for name, stage in stages.items() if stage.gates]
    mine = latest_judgments(frame[frame["annotator"].isin(names) & frame["option_id"].isna()])
    categories = categories_in(stages[name] for name in names)
    rows = []
    for (annotator, _unit, _item), answers in mine.groupby(["annotator", "unit", "item_id"], sort=False):
        labels = judgment(
            stages[str(annotator)], categories, dict(zip(answers["question"], answers["value"], strict=True))
        )
        first = answers.iloc[0].to_dict()
        rows += [
            first | {"question": each.name, "value": NOT_APPLICABLE}
            for each in categories
            if labels[each.name] == NOT_APPLICABLE
        ]
    return pd.concat([frame, pd.DataFrame(rows, columns=frame.columns)], ignore_index=True) if rows else frame


def row_of(frame: pd.DataFrame, asked: LabQuestion, annotators: list[str]) -> dict[str, Any] | None:
    answers = answers_in(frame, asked, annotators)
    if len(answers.raters) < 2:
        return None
    c = len(asked.categories)
    identity = scales.agreement_weights(scales.IDENTITY, c)
    counted = coefficients.category_counts(answers.values, c)
    percent = coefficients.percent(counted, identity)
    conger = coefficients.conger_kappa(answers.values, c, identity)
    level = alpha.INTERVAL if asked.is_ordered else alpha.NOMINAL
    agreed = alpha.krippendorff_alpha(numbers_of(answers, asked), level)
    reason = percent.reason or conger.reason or agreed.reason
    return {
        "stage": asked.stage,
        "question": asked.name,
        "view": asked.view,
        "percent": percent.value,
        "conger_kappa": conger.value,
        "ac1": coefficients.gwet_ac(counted, identity).value,
        "alpha": agreed.value,
        "level": level,
        "prevalence": percent.prevalence,
        "n_units": percent.n_units,
        "n_pairs": percent.n_pairs,
        "n_judgments": percent.n_judgments,
        "n_texts": texts_in(answers),
        "n_annotators": len(answers.raters),
        "reason": _(reason) if reason else "",
    }


def texts_in(answers: Answers) -> int:
    """How many texts have units judged by at least two annotators."""
    return len(np.unique(answers.text[(answers.values != MISSING).sum(axis=0) > 1]))
