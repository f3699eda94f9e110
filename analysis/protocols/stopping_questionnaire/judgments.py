"""Judgments of a stopping questionnaire as reports need them, and the tables of stops and labels."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pandas as pd
from django.utils.translation import gettext as _

from analysis.agreement.questions import join_categories, keep_latest_judgments, read_judgment
from analysis.frames.evidence import Evidence
from analysis.protocols.stopping_questionnaire.tables import ALL, FLOW, LABELS, NOT_STOPPED, STOPS
from analysis.reports.evaluators import HUMAN, Evaluator, get_people, list_evaluators
from analysis.tables.spec import Table
from studies.protocols import Question
from studies.protocols.conditions import NOT_APPLICABLE
from studies.services.declarations import get_declaration, map_variant_declarations


@dataclass(frozen=True)
class Judgments:
    """One row per annotator and item, in the order in which they were given.

    `frame` has annotator, text_id, item_id, generator, source, stopped (the category whose answer stopped it, or
    None), and a column for each category: the label, `NOT_APPLICABLE` if it was not asked after the earlier answers,
    None if it is missing.
    """

    categories: tuple[Question, ...]
    frame: pd.DataFrame

    def select(self, evaluator: Evaluator, generator: str = ALL, source: str = ALL) -> "Judgments":
        """The judgments by an evaluator about the items of a generator and the texts of a source."""
        kept = self.frame["annotator"].isin(evaluator.codes)
        if generator:
            kept &= self.frame["generator"] == generator
        if source:
            kept &= self.frame["source"] == source
        return Judgments(self.categories, self.frame[kept])

    def labels(self, category: Question) -> tuple[str, ...]:
        """The declared labels of a category, then `NOT_APPLICABLE` if some answers skip it."""
        return (*map(str, category.levels), *([NOT_APPLICABLE] if category.asked_if else []))


def read_judgments(evidence: Evidence) -> Judgments:
    """All judgments of the study's first stage by people and models, read by the variant of their annotator."""
    default, by_variant = get_declaration(evidence.study), map_variant_declarations(evidence.study)
    asked = evidence.annotators[["annotator", "variant"]].to_numpy()
    stages = {code: by_variant.get(variant, default).stages[0] for code, variant in asked}
    categories = join_categories(stages.values() or [default.stages[0]])
    sources = evidence.texts.set_index("text_id")["source"]
    answers = keep_latest_judgments(evidence.frame)
    rows = [
        {
            "annotator": annotator,
            "text_id": group["text_id"].iloc[0],
            "item_id": item_id,
            "generator": group["generator"].iloc[0],
            "source": sources[group["text_id"].iloc[0]],
            **read_judgment(stages[annotator], categories, dict(zip(group["question"], group["value"], strict=True))),
        }
        for (annotator, item_id), group in answers.groupby(["annotator", "item_id"], sort=False)
    ]
    about = ["annotator", "text_id", "item_id", "generator", "source", "stopped"]
    columns = [*about, *(each.name for each in categories)]
    return Judgments(categories, pd.DataFrame.from_records(rows, columns=columns).astype(object))


def has_label(frame: pd.DataFrame, column: str) -> "pd.Series[bool]":
    """Whether each row has an answer in the column: neither missing nor not applicable."""
    given = frame[column]
    return given.notna() & (given != NOT_APPLICABLE)


def list_generators_and_sources(evidence: Evidence) -> Iterator[tuple[str, str]]:
    """Generators and sources to report on ("" for all): each generator, overall and in each of several sources."""
    sources = evidence.texts["source"].unique() if evidence.texts["source"].nunique() > 1 else ()
    for source in (ALL, *(source for source in sources if source)):
        for generator in (ALL, *evidence.generators):
            yield generator, source


def get_group(evaluator: Evaluator) -> str:
    """The value of the column `group`: empty for all people, else the name of a group of people or of a model."""
    return ALL if evaluator.name == HUMAN else evaluator.name.removeprefix(f"{HUMAN}:")


def list_groups(evidence: Evidence) -> list[Evaluator]:
    """The evaluators that have rows: all people, each group, each model, as chosen."""
    return list_evaluators(evidence)


# Tables ---------------------------------------------------------------------------------------------------------------


def build_flow(evidence: Evidence) -> Table:
    """One row per group and category: judgments that reached it, and those that stopped there."""
    judgments = read_judgments(evidence)
    rows = []
    for evaluator in list_groups(evidence):
        frame = judgments.select(evaluator).frame
        for category in judgments.categories:
            stopped = int((frame["stopped"] == category.name).sum())
            reached = has_label(frame, category.name).sum()
            about = {"group": get_group(evaluator), "category": category.name}
            rows.append(about | {"reached": reached, "stopped": stopped})
    return FLOW.build(rows)


def build_stops(evidence: Evidence) -> Table:
    """One row per generator and category at whose answer people's judgments of its items stopped, or “did not stop”."""
    judgments = read_judgments(evidence)
    frame = judgments.select(get_people(evidence)).frame
    rows = []
    for generator in evidence.generators:
        mine = frame[frame["generator"] == generator]["stopped"].fillna(NOT_STOPPED)
        for name in (NOT_STOPPED, *(category.name for category in judgments.categories)):
            n = int((mine == name).sum())
            about = {"generator": generator, "category": name, "n": n, "n_all": len(mine)}
            rows.append(about | {"share": n / len(mine) if len(mine) else None})
    return STOPS.build(rows)


def build_label_distributions(evidence: Evidence) -> Table:
    """One row per group, source, generator, category and label; single judgments are counted, not majorities."""
    judgments = read_judgments(evidence)
    rows = [
        {"group": get_group(evaluator), "source": source, "generator": generator, **row}
        for evaluator in list_groups(evidence)
        for generator, source in list_generators_and_sources(evidence)
        for row in build_label_rows(judgments.select(evaluator, generator, source))
    ]
    return LABELS.build(rows)


def build_label_rows(judgments: Judgments) -> Iterator[dict[str, Any]]:
    for category in judgments.categories:
        counts = judgments.frame[category.name].value_counts()
        n_all = int(counts.sum())
        n_applicable = n_all - int(counts.get(NOT_APPLICABLE, 0))
        for label in judgments.labels(category):
            yield build_label_row(category, label, int(counts.get(label, 0)), n_all, n_applicable)


def build_label_row(category: Question, label: str, n: int, n_all: int, n_applicable: int) -> dict[str, Any]:
    reason = ""
    if not n_all:
        reason = _("There are no judgments to compute this from.")
    elif label == NOT_APPLICABLE:
        reason = _("“Not applicable” has no share among the applicable judgments.")
    elif not n_applicable:
        reason = _("No judgment reached this category.")
    return {
        "category": category.name,
        "label": label,
        "n": n,
        "share_all": n / n_all if n_all else None,
        "share_applicable": None if reason else n / n_applicable,
        "reason": reason,
    }
