"""How far people agree with each other, and models with people, on options without and with the text."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from math import isnan
from typing import Any

import numpy as np
import pandas as pd
from django.utils.translation import gettext as _

from analysis.choices import ANNOTATORS, PUBLISHED, READERS
from analysis.frames.evidence import Evidence
from analysis.measures.agreement import (
    MISSING,
    all_pairs,
    clustered_kappas,
    cohen_kappa,
    human_average,
    judgments_compared,
    leave_one_out_means,
    mean_agreement,
    pair_tables,
    pairs_with,
    pairwise,
)
from analysis.measures.intervals import (
    CELLS,
    DRAWS,
    JUDGMENT,
    NO_JUDGMENT,
    PERCENTILE,
    UNDEFINED_FIGURE,
    Interval,
    from_draws,
    undefined_interval,
)
from analysis.measures.reader_coefficients import readers_kappa
from analysis.protocols.guess_then_read.answers import GUESS, READ
from analysis.protocols.guess_then_read.tables import AGREEMENT
from analysis.reports.estimates import Estimate, note_skewed_intervals
from analysis.reports.evaluators import Evaluator, get_people, list_evaluators
from analysis.tables.spec import Table


def compute_published_kappas(
    ratings: np.ndarray, categories: int, pair_sets: Sequence[np.ndarray], seed: int
) -> list[Interval]:
    """The published interval of the mean κ of each set of pairs, (p, 2), weighted by shared judgments.

    ratings: (raters, units) as in `analysis.measures.agreement`. Resamples the units that at least one pair of the set
    shares.
    """
    found: dict[int, Interval] = {}
    alike: dict[bytes, list[int]] = defaultdict(list)
    for place, pairs in enumerate(pair_sets):
        entering = judgments_compared(ratings, pairs).any(axis=0)
        if entering.any():
            alike[entering.tobytes()].append(place)
        else:
            found[place] = undefined_interval(PERCENTILE, (JUDGMENT, 0, 0, seed), NO_JUDGMENT)
    for key, places in alike.items():
        units = ratings[:, np.frombuffer(key, dtype=bool)]
        found |= zip(
            places, draw_together(units, categories, [pair_sets[place] for place in places], seed), strict=True
        )
    return [found[place] for place in range(len(pair_sets))]


def draw_together(units: np.ndarray, categories: int, pair_sets: list[np.ndarray], seed: int) -> list[Interval]:
    """The intervals of sets of pairs that all share the same units, from the same draws of these units."""
    raters, local = np.unique(np.concatenate(pair_sets), return_inverse=True)
    kinds, counts = np.unique(units[raters], axis=1, return_counts=True)
    pairs, members = np.unique(np.sort(local.reshape(-1, 2), axis=1), axis=0, return_inverse=True)
    tables = pair_tables(kinds, categories, pairs, np.arange(len(counts)), len(counts))
    # (pairs, sets): which pair is in which set
    ends = np.cumsum([len(pairs_of) for pairs_of in pair_sets])[:-1]
    chosen = np.stack([np.isin(np.arange(len(pairs)), its) for its in np.split(members.ravel(), ends)], axis=1)
    sums = TableSums(tables, int(counts.sum()))
    observed = average_kappas(sums.over(counts[None, :]), chosen)[0]
    values = np.concatenate(
        [average_kappas(sums.over(weights), chosen) for weights in iter_draws(counts, tables, seed)]
    )
    return [
        build_interval(values[:, place], observed[place], int(counts.sum()), count_judgments(units, pairs_of), seed)
        for place, pairs_of in enumerate(pair_sets)
    ]


def count_judgments(units: np.ndarray, pairs: np.ndarray) -> int:
    """The number of judgments that the pairs of a set compare."""
    return int(judgments_compared(units, pairs).sum())


def build_interval(values: np.ndarray, observed: float, n_units: int, n_responses: int, seed: int) -> Interval:
    about = (JUDGMENT, n_units, n_responses, seed)
    return undefined_interval(PERCENTILE, about, UNDEFINED_FIGURE) if np.isnan(observed) else from_draws(values, about)


MANY_PAIRS = 10_000  # the pairs of 142 annotators; for more pairs, 10,000 draws would take minutes
DRAWS_OF_MANY = 1_000
DRAWN_AT_ONCE = 2**16  # units, few enough for the cache of a processor


def iter_draws(counts: np.ndarray, tables: np.ndarray, seed: int) -> Iterator[np.ndarray]:
    """The weights of 10,000 bootstrap draws of the units (1,000 if there are many pairs), in blocks of bounded size.

    tables: (kinds, pairs, c, c).
    """
    rng = np.random.default_rng(seed)
    n_draws = DRAWS if tables.shape[1] <= MANY_PAIRS else DRAWS_OF_MANY
    rows = max(1, CELLS // max(len(counts), tables[0].size))
    for start in range(0, n_draws, rows):
        yield draw_weights(counts, min(rows, n_draws - start), rng)


def draw_weights(counts: np.ndarray, rows: int, rng: np.random.Generator) -> np.ndarray:
    """(rows, kinds): how often each kind of unit is drawn; if there are nearly as many kinds as units, drawn unit by
    unit."""
    n, kinds = int(counts.sum()), len(counts)
    if n > 4 * kinds:
        return rng.multinomial(n, counts / n, size=rows)
    kind = np.repeat(np.arange(kinds), counts)
    step = max(1, DRAWN_AT_ONCE // n)
    return np.concatenate([draw_units(kind, kinds, min(step, rows - start), rng) for start in range(0, rows, step)])


def draw_units(kind: np.ndarray, kinds: int, rows: int, rng: np.random.Generator) -> np.ndarray:
    """(rows, kinds): how often each kind occurs in a draw of all units; kind: (units,)."""
    drawn = kind.take(rng.integers(len(kind), size=(rows, len(kind))), mode="clip")  # faster than checking each index
    if rows > 1:
        drawn += kinds * np.arange(rows)[:, None]
    return np.bincount(drawn.ravel(), minlength=rows * kinds).reshape(rows, kinds)


class TableSums:
    """Sums tables of pairs, (kinds, pairs, c, c), over draws of n units of these kinds.

    The margins replace the first category in memory: a rater has the same margins in all pairs that judged the same
    units, and equal columns are summed only once.
    """

    def __init__(self, tables: np.ndarray, n: int):
        margins = tables.copy()
        margins[..., 0, :] = tables.sum(axis=-2)
        margins[..., 0] = margins.sum(axis=-1)
        # Whole numbers up to the units in a draw: single precision holds them exactly, in half the time.
        columns = margins.reshape(len(tables), -1).astype(np.float32 if n < 2**24 else np.float64)
        places: dict[bytes, int] = {}
        self.place = [places.setdefault(column.tobytes(), len(places)) for column in columns.T]
        self.distinct = np.stack([np.frombuffer(content, columns.dtype) for content in places])
        self.shape = tables.shape[1:]

    def over(self, weights: np.ndarray) -> np.ndarray:
        """(b, pairs, c, c): the summed tables of b draws; weights: (b, kinds)."""
        sums = (self.distinct @ weights.T.astype(self.distinct.dtype)).astype(np.float64)[self.place]
        drawn = sums.reshape(*self.shape, len(weights))
        drawn[:, :, 0] -= drawn[:, :, 1:].sum(axis=2)
        drawn[:, 0] -= drawn[:, 1:].sum(axis=1)
        # Draws stay the innermost axis in memory: sums over two categories are slow otherwise.
        return np.moveaxis(drawn, -1, 0)


def average_kappas(drawn: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """(b, sets): per draw and set the mean of its defined κ, weighted by the judgments shared in the draw."""
    kappa = cohen_kappa(drawn)
    weight = np.where(np.isnan(kappa), 0.0, drawn.sum(axis=(2, 3)))
    total = weight @ chosen
    with np.errstate(invalid="ignore"):
        return np.asarray(((np.nan_to_num(kappa) * weight) @ chosen) / np.where(total > 0, total, np.nan))


TICKED_OR_NOT = 2  # categories of a judgment


@dataclass(frozen=True)
class Ratings:
    """The judgments of one stage: (raters, options) codes, who the raters are and which text each option belongs to."""

    values: np.ndarray
    raters: list[str]
    text: np.ndarray

    def places(self, codes: frozenset[str]) -> np.ndarray:
        """The rows of those annotators who judged anything in this stage."""
        return np.array([place for place, rater in enumerate(self.raters) if rater in codes], dtype=np.int64)


def build_agreement(evidence: Evidence) -> Table:
    """The table of agreement: all people, each model and baseline with people, each person with the other people."""
    judgments = evidence.judgments
    rows = []
    for stage in (GUESS, READ):
        rows += build_stage_rows(evidence, stage, collect_ratings(judgments[judgments["stage"] == stage]))
    return AGREEMENT.build(rows, evidence.choices.convention, (note_skewed_intervals(),))


def collect_ratings(judgments: pd.DataFrame) -> Ratings:
    """The judgments of one stage as codes, 1 for ticked; an option is a unit."""
    rater, raters = pd.factorize(judgments["annotator"])
    (item, _items), (option, options) = (pd.factorize(judgments[name]) for name in ("item_id", "option_id"))
    unit, units = pd.factorize(item * len(options) + option)  # in the order in which they come
    values = np.full((len(raters), len(units)), MISSING, dtype=np.int64)
    values[rater, unit] = judgments["value"].to_numpy(dtype=np.int64)
    text = np.zeros(len(units), dtype=np.int64)
    text[unit] = pd.factorize(judgments["text_id"])[0]
    return Ratings(values, list(raters), text)


@dataclass(frozen=True)
class PairSet:
    """A row to build: whose agreement, over which pairs; `average` is for people as a whole."""

    evaluator: Evaluator
    pairs: np.ndarray
    average: bool = False


def build_stage_rows(evidence: Evidence, stage: str, ratings: Ratings) -> list[dict[str, Any]]:
    lines = list(list_pair_sets(evidence, ratings))
    pair_sets, seed = [line.pairs for line in lines], evidence.choices.seed
    published = compute_published_kappas(ratings.values, TICKED_OR_NOT, pair_sets, seed)
    by_texts = clustered_kappas(ratings.values, TICKED_OR_NOT, pair_sets, ratings.text, seed=seed)
    drawn = zip(by_texts, published, strict=True)
    return [build_row(stage, ratings, line, *intervals) for line, intervals in zip(lines, drawn, strict=True)]


def list_pair_sets(evidence: Evidence, ratings: Ratings) -> Iterator[PairSet]:
    """All people and groups, then models and baselines compared with them, then single people."""
    chosen = list_evaluators(evidence)
    humans = ratings.places(get_people(evidence).codes)
    for evaluator in chosen:
        mine = ratings.places(evaluator.codes)
        if evaluator.kind == "human":
            yield PairSet(evaluator, mine[all_pairs(len(mine))], average=True)
        else:
            yield PairSet(evaluator, list_pairs_with(mine, humans))
    for person in list_people(evidence, chosen):
        yield PairSet(person, list_pairs_with(ratings.places(person.codes), humans))


def list_people(evidence: Evidence, chosen: list[Evaluator]) -> list[Evaluator]:
    """One evaluator for each person in the chosen groups of people."""
    codes = set().union(*(evaluator.codes for evaluator in chosen if evaluator.kind == "human"))
    everybody = evidence.annotators["annotator"]
    return [Evaluator(code, "human", "ticked", frozenset([code])) for code in everybody if code in codes]


def list_pairs_with(one: np.ndarray, others: np.ndarray) -> np.ndarray:
    """The pairs of one rater with each of the others; none if that rater judged nothing in the stage."""
    return pairs_with(int(one[0]), others) if len(one) else np.zeros((0, 2), dtype=np.int64)


def build_row(stage: str, ratings: Ratings, line: PairSet, by_texts: Interval, published: Interval) -> dict[str, Any]:
    found = pairwise(ratings.values, TICKED_OR_NOT, line.pairs)
    mean = mean_agreement(found)
    unweighted = mean.kappa_unweighted
    if line.average:
        unweighted = human_average(leave_one_out_means(found, len(ratings.raters)))
    judged = (ratings.values, TICKED_OR_NOT, line.pairs, ratings.text)
    reason = explain_undefined(ratings, line, stage) if isnan(mean.kappa) else ""
    intervals = {
        READERS: readers_kappa(*judged, fixed=() if line.average else ratings.places(line.evaluator.codes).tolist()),
        ANNOTATORS: by_texts,
        PUBLISHED: published,
    }
    return {
        "evaluator": line.evaluator.name,
        "evaluator_kind": line.evaluator.kind,
        "stage": stage,
        "kappa": Estimate(mean.kappa, intervals, reason),
        "kappa_unweighted": unweighted,
        "percent": mean.percent,
        "ac1": mean.ac1,
        "n_pairs": mean.n_pairs,
        "n_judgments": mean.n_judgments,
        "n_pairs_possible": mean.n_pairs_possible,
    }


def explain_undefined(ratings: Ratings, line: PairSet, stage: str) -> str:
    pairs = line.pairs
    if line.evaluator.codes and not len(ratings.places(line.evaluator.codes)):
        return _("no answers without the text") if stage == GUESS else _("no answers with the text")
    if not len(pairs):
        return _("nobody to compare with in this stage")
    shared = (ratings.values[pairs[:, 0]] != MISSING) & (ratings.values[pairs[:, 1]] != MISSING)
    if not shared.any():
        return _("no option was judged by both annotators of a pair")
    return _("both annotators of each pair always gave the same answer, so chance agreement is 1")
