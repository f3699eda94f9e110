"""Judgments of a questionnaire that stops, as reports read them: what was answered, not applicable, or missing."""

from collections.abc import Iterator
from dataclasses import dataclass

import pandas as pd

from analysis.agreement.questions import categories_in, judgment, latest_judgments
from analysis.frames.evidence import Evidence
from analysis.protocols.stopping_questionnaire.tables import ALL
from analysis.reports.evaluators import HUMAN, Evaluator, evaluators_in
from studies.protocols import Question
from studies.protocols.conditions import NOT_APPLICABLE
from studies.services.declarations import get_declaration, map_variant_declarations


@dataclass(frozen=True)
class Judgments:
    """One row per annotator and item, in the order in which they were given.

    `frame` has annotator, text_id, item_id, generator, source, stopped (the category at whose answer it stopped, or
    None), and a column for each category: the label, `NOT_APPLICABLE` where it was not asked after the answers before,
    None where it is missing.
    """

    categories: tuple[Question, ...]
    frame: pd.DataFrame

    def among(self, evaluator: Evaluator, generator: str = ALL, source: str = ALL) -> "Judgments":
        """Those of an evaluator about the items of a generator and the texts of a source."""
        kept = self.frame["annotator"].isin(evaluator.codes)
        if generator:
            kept &= self.frame["generator"] == generator
        if source:
            kept &= self.frame["source"] == source
        return Judgments(self.categories, self.frame[kept])

    def labels(self, category: Question) -> tuple[str, ...]:
        """The declared labels of a category, then `NOT_APPLICABLE` if there are answers after which it is not asked."""
        return (*map(str, category.levels), *([NOT_APPLICABLE] if category.asked_if else []))


def judgments_in(evidence: Evidence) -> Judgments:
    """All judgments of the study's first stage, people's and models', each as its annotator was asked."""
    default, by_variant = get_declaration(evidence.study), map_variant_declarations(evidence.study)
    asked = evidence.annotators[["annotator", "variant"]].to_numpy()
    stages = {code: by_variant.get(variant, default).stages[0] for code, variant in asked}
    categories = categories_in(stages.values() or [default.stages[0]])
    sources = evidence.texts.set_index("text_id")["source"]
    answers = latest_judgments(evidence.frame)
    rows = [
        {
            "annotator": annotator,
            "text_id": said["text_id"].iloc[0],
            "item_id": item_id,
            "generator": said["generator"].iloc[0],
            "source": sources[said["text_id"].iloc[0]],
            **judgment(stages[annotator], categories, dict(zip(said["question"], said["value"], strict=True))),
        }
        for (annotator, item_id), said in answers.groupby(["annotator", "item_id"], sort=False)
    ]
    about = ["annotator", "text_id", "item_id", "generator", "source", "stopped"]
    columns = [*about, *(each.name for each in categories)]
    return Judgments(categories, pd.DataFrame.from_records(rows, columns=columns).astype(object))


def is_label(frame: pd.DataFrame, column: str) -> "pd.Series[bool]":
    """Where a category was answered: neither missing nor not applicable."""
    given = frame[column]
    return given.notna() & (given != NOT_APPLICABLE)


def generators_and_sources(evidence: Evidence) -> Iterator[tuple[str, str]]:
    """All together, each generator, each source where there are several, and each generator in each source."""
    sources = evidence.texts["source"].unique() if evidence.texts["source"].nunique() > 1 else ()
    for source in (ALL, *(source for source in sources if source)):
        for generator in (ALL, *evidence.generators):
            yield generator, source


def group_of(evaluator: Evaluator) -> str:
    """What the column `group` says: empty for all people, the name of a group of them, or of a model."""
    return ALL if evaluator.name == HUMAN else evaluator.name.removeprefix(f"{HUMAN}:")


def groups_in(evidence: Evidence) -> list[Evaluator]:
    """Whose judgments have rows, as chosen: all people, each group, each model."""
    return evaluators_in(evidence)
