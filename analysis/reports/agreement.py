"""How far people agree with each other, and models with people, in judging options without and with the text."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import isnan
from typing import Any

import numpy as np
import pandas as pd
from django.utils.translation import gettext as _

from analysis.evidence import Evidence
from analysis.measures.agreement import (
    MISSING,
    all_pairs,
    human_average,
    leave_one_out_means,
    mean_agreement,
    pairs_with,
    pairwise,
)
from analysis.measures.agreement_intervals import clustered_kappa
from analysis.measures.intervals import Interval
from analysis.reports.answers import GUESS, READ, judgments_of
from analysis.reports.estimates import Estimate, skewed_note
from analysis.reports.evaluators import Evaluator, evaluators_in, people_in
from analysis.reports.kappas import published_kappas
from analysis.tables import Shown, Table, make_table

COLUMNS = (
    "evaluator", "evaluator_kind", "stage", "kappa", "kappa_unweighted", "low", "high", "percent", "ac1", "n_pairs",
    "n_judgments", "reason",
)  # fmt: skip
TICKED_OR_NOT = 2  # categories of a judgment


@dataclass(frozen=True)
class Ratings:
    """The judgments of one stage: (raters, options) codes, who the raters are and which text each option belongs to."""

    values: np.ndarray
    raters: list[str]
    text: np.ndarray

    def places(self, codes: frozenset[str]) -> np.ndarray:
        """The rows of those who judged something in this stage."""
        return np.array([place for place, rater in enumerate(self.raters) if rater in codes], dtype=np.int64)


def agreement_with_humans(evidence: Evidence) -> Table:
    """All people with each other, each model and baseline with the people, each person with the other people."""
    judgments = judgments_of(evidence.frame)
    rows = []
    for stage in (GUESS, READ):
        rows += stage_rows(evidence, stage, ratings_in(judgments[judgments["stage"] == stage]))
    notes = (
        _("Cohen's κ of pairs over the options that both judged, ticked or not. κ weighs pairs by the judgments they "
          "share; the unweighted mean of all people is the mean of each person's mean with the others."),
        _("Percent agreement and Gwet's AC1 count all shared judgments, also of pairs without a κ (both said the same "
          "throughout): when nearly all judgments are alike, κ is low whatever the agreement."),
        skewed_note(),
    )  # fmt: skip
    title = _("Agreement with people")
    named_by = ("evaluator", "stage")
    return make_table(
        "agreement_with_humans", COLUMNS, rows, title=title, notes=notes, shown=shown(), named_by=named_by
    )


def ratings_in(judgments: pd.DataFrame) -> Ratings:
    """The judgments of one stage as codes, 1 for ticked; an option is a unit."""
    rater, raters = pd.factorize(judgments["annotator"])
    unit, units = pd.factorize(pd.MultiIndex.from_frame(judgments[["item_id", "option_id"]]))
    values = np.full((len(raters), len(units)), MISSING, dtype=np.int64)
    values[rater, unit] = judgments["value"].to_numpy(dtype=np.int64)
    text = np.zeros(len(units), dtype=np.int64)
    text[unit] = pd.factorize(judgments["text_id"])[0]
    return Ratings(values, list(raters), text)


@dataclass(frozen=True)
class Line:
    """A row to be: whose agreement, over which pairs; `average` is for people as a whole."""

    evaluator: Evaluator
    pairs: np.ndarray
    average: bool = False


def stage_rows(evidence: Evidence, stage: str, ratings: Ratings) -> list[dict[str, Any]]:
    lines = list(lines_of(evidence, ratings))
    published = published_kappas(ratings.values, TICKED_OR_NOT, [line.pairs for line in lines], evidence.choices.seed)
    return [row_of(evidence, stage, ratings, line, drawn) for line, drawn in zip(lines, published, strict=True)]


def lines_of(evidence: Evidence, ratings: Ratings) -> Iterator[Line]:
    """All people and groups, then models and baselines beside them, then single people."""
    chosen = evaluators_in(evidence)
    humans = ratings.places(people_in(evidence).codes)
    for evaluator in chosen:
        mine = ratings.places(evaluator.codes)
        if evaluator.kind == "human":
            yield Line(evaluator, mine[all_pairs(len(mine))], average=True)
        else:
            yield Line(evaluator, pairs_between(mine, humans))
    for person in people_among(evidence, chosen):
        yield Line(person, pairs_between(ratings.places(person.codes), humans))


def people_among(evidence: Evidence, chosen: list[Evaluator]) -> list[Evaluator]:
    """The single people who have a row: all of the chosen human evaluators."""
    codes = set().union(*(evaluator.codes for evaluator in chosen if evaluator.kind == "human"))
    everybody = evidence.annotators["annotator"]
    return [Evaluator(code, "human", "ticked", frozenset([code])) for code in everybody if code in codes]


def pairs_between(one: np.ndarray, others: np.ndarray) -> np.ndarray:
    """One rater with each of the others; no pairs if that rater judged nothing in the stage."""
    return pairs_with(int(one[0]), others) if len(one) else np.zeros((0, 2), dtype=np.int64)


def row_of(evidence: Evidence, stage: str, ratings: Ratings, line: Line, published: Interval) -> dict[str, Any]:
    found = pairwise(ratings.values, TICKED_OR_NOT, line.pairs)
    mean = mean_agreement(found)
    unweighted = mean.kappa_unweighted
    if line.average:
        unweighted = human_average(leave_one_out_means(found, len(ratings.raters)))
    clustered = clustered_kappa(ratings.values, TICKED_OR_NOT, line.pairs, ratings.text, seed=evidence.choices.seed)
    reason = why_undefined(ratings, line, stage) if isnan(mean.kappa) else ""
    estimate = Estimate(mean.kappa, {"clustered": clustered, "published": published}, reason)
    low, high, reason = estimate.ends(evidence.choices.convention)
    return {
        "evaluator": line.evaluator.name,
        "evaluator_kind": line.evaluator.kind,
        "stage": stage,
        "kappa": mean.kappa,
        "kappa_unweighted": unweighted,
        "low": low,
        "high": high,
        "percent": mean.percent,
        "ac1": mean.ac1,
        "n_pairs": mean.n_pairs,
        "n_judgments": mean.n_judgments,
        "reason": reason,
        "n_pairs_possible": mean.n_pairs_possible,
        "intervals": {"kappa": estimate.as_json()},
    }


def why_undefined(ratings: Ratings, line: Line, stage: str) -> str:
    pairs = line.pairs
    if line.evaluator.codes and not len(ratings.places(line.evaluator.codes)):
        return _("no answers without the text") if stage == GUESS else _("no answers with the text")
    if not len(pairs):
        return _("nobody to compare with in this stage")
    shared = (ratings.values[pairs[:, 0]] != MISSING) & (ratings.values[pairs[:, 1]] != MISSING)
    if not shared.any():
        return _("no option was judged by both of a pair")
    return _("both of each pair gave the same answer throughout, so agreement by chance is 1")


def shown() -> tuple[Shown, ...]:
    weighted = _("mean of Cohen's κ over pairs, weighted by shared judgments")
    unweighted = _("mean of Cohen's κ over pairs; of all people the mean of each person's mean with the others")
    ac1 = _("mean of Gwet's AC1 over pairs, weighted by shared judgments")
    return (
        Shown(_("Answers by"), "evaluator", "evaluator"),
        Shown(_("Stage"), "stage", "stage"),
        Shown(_("Cohen's κ"), "kappa", "number", "low", "high", "reason", "texts", about=weighted),
        Shown(_("κ, unweighted"), "kappa_unweighted", "number", reason="reason", about=unweighted),
        Shown(_("Percent agreement"), "percent", "number", reason="reason", about=_("share of shared judgments alike")),
        Shown(_("AC1"), "ac1", "number", reason="reason", about=ac1),
        Shown(_("Pairs"), "n_pairs", "count", about=_("pairs of annotators with a κ")),
        Shown(_("Shared judgments"), "n_judgments", "count", about=_("options that both of a pair judged, all pairs")),
    )
