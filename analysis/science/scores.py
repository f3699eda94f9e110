"""What people's answers say about each item of a study, under any protocol, and the reliability per hour of their
time."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from analysis.frames.evidence import Evidence
from analysis.measures.reliability import AlphaOfParts, alpha_of_parts
from analysis.plugins import find_plugin
from analysis.reports.evaluators import people_in
from analysis.science.common import judgments_in, reading_stages
from analysis.science.reliability import FEWEST_PEOPLE, complete_block, complete_scores
from studies.services.declarations import get_declaration

SCORED = ["measure", "text_id", "item_id", "generator", "total", "n"]
YES = "yes"
READERS, GENERATORS = "reader", "generator"
FEWEST_GENERATORS = 5


@dataclass(frozen=True)
class Reliable:
    """α over texts of `objects` (readers, or generators by a measure), and the minutes of active time it took."""

    objects: str
    measure: str
    alpha: AlphaOfParts
    minutes: float


@dataclass(frozen=True)
class StudyScores:
    """items: columns of SCORED, from people's answers alone; wording: by item, its question and options."""

    title: str
    items: pd.DataFrame
    wording: dict[str, str]
    reliable: tuple[Reliable, ...]


def score_study(evidence: Evidence) -> StudyScores:
    items = find_plugin(evidence.study.protocol).scores(evidence)
    items = items[SCORED].sort_values(["measure", "text_id", "item_id"], ignore_index=True)
    return StudyScores(evidence.study.title, items, word_items(evidence), tuple(list_reliable(evidence, items)))


def word_items(evidence: Evidence) -> dict[str, str]:
    options = evidence.options.groupby("item_id")["wording"].agg("\n".join)
    stems = evidence.items.set_index("item_id")["stem"]
    return {str(item): f"{stem}\n{options.get(item, '')}" for item, stem in stems.items()}


# Scores of items ------------------------------------------------------------------------------------------------------


def score_items(evidence: Evidence) -> pd.DataFrame:
    """The scores for any protocol: shares correct, means of scales, shares of “yes”; see `StudyScores.items`."""
    found = [*score_ticks(evidence), *score_questions(evidence)]
    return pd.concat(found, ignore_index=True) if found else pd.DataFrame(columns=SCORED)


def sum_scores(rows: pd.DataFrame, values: pd.Series, measure: str) -> pd.DataFrame:
    """The sum and number of values by item."""
    sums = values.astype(float).groupby([rows[name] for name in ("text_id", "item_id", "generator")])
    return sums.agg(total="sum", n="size").reset_index().assign(measure=measure)


def score_ticks(evidence: Evidence) -> Iterator[pd.DataFrame]:
    stages = reading_stages(evidence)
    if stages is None:
        return
    mine = people_in(evidence).rows_of(judgments_in(evidence))
    parts = {}
    for measure, stage in (("answerability", stages.with_text), ("guessability", stages.without)):
        rows = mine[mine["stage"] == stage]
        if stage and not rows.empty:
            parts[measure] = sum_scores(rows, rows["correct"], measure)
            yield parts[measure]
    if len(parts) == 2:
        keys = ["text_id", "item_id", "generator"]
        both = parts["answerability"].merge(parts["guessability"], on=keys, suffixes=("", "_guess"))
        difference = both["total"] / both["n"] - both["total_guess"] / both["n_guess"]
        yield both[keys].assign(total=difference, n=1, measure="informativity")


def score_questions(evidence: Evidence) -> Iterator[pd.DataFrame]:
    """Scales and yes/no questions about items."""
    mine = people_in(evidence).rows_of(evidence.frame)
    mine = mine[mine["item_id"].notna()]
    for stage in get_declaration(evidence.study).stages:
        for question in stage.questions:
            rows = mine[(mine["question"] == question.name) & (mine["stage"] == stage.name)]
            if question.per != "item" or rows.empty:
                continue
            if question.kind == "scale":
                yield sum_scores(rows, rows["value"], question.name)
            elif YES in question.levels:
                yield sum_scores(rows, rows["value"] == YES, question.name)


# Reliability of an hour -----------------------------------------------------------------------------------------------


def list_reliable(evidence: Evidence, items: pd.DataFrame) -> Iterator[Reliable]:
    """Reliability of readers' shares correct, and of generators by each measure."""
    minutes = evidence.minutes.set_index("annotator")["active"]
    yield from list_reliable_readers(evidence, minutes)
    if len(minutes):
        people = people_in(evidence).rows_of(evidence.frame)["annotator"].nunique()
        for measure, rows in items.groupby("measure", sort=True):
            scores = table_scores(rows)
            if len(scores) >= FEWEST_GENERATORS:
                yield Reliable(GENERATORS, str(measure), alpha_of_parts(scores), float(minutes.median()) * people)


def list_reliable_readers(evidence: Evidence, minutes: pd.Series) -> Iterator[Reliable]:
    stages = reading_stages(evidence)
    if stages is None:
        return
    mine = people_in(evidence).rows_of(judgments_in(evidence))
    block = complete_block(read) if not (read := mine[mine["stage"] == stages.with_text]).empty else read
    timed = minutes.reindex(block["annotator"].unique()).dropna()
    if block["annotator"].nunique() < FEWEST_PEOPLE or timed.empty:
        return
    scores, text = complete_scores(block)
    parts = np.stack([scores[:, text == each].sum(axis=1) for each in np.unique(text)], axis=1)
    yield Reliable(READERS, "answerability", alpha_of_parts(parts), float(timed.median()))


def table_scores(rows: pd.DataFrame) -> Any:
    """(generators, texts) mean scores over the texts on which all of the generators have items."""
    sums = rows.groupby(["generator", "text_id"])[["total", "n"]].sum()
    return (sums["total"] / sums["n"]).unstack("text_id").dropna(axis=1).to_numpy(dtype=np.float64)
