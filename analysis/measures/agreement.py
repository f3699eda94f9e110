"""Agreement of two raters from a square table of counts, and of every pair of several raters.

Ratings are arrays (raters, units) of codes 0 to c - 1 of the c declared categories, MISSING where a rater did not
judge. Categories are declared, never read off the data: AC1 depends on their number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache, partial

import numpy as np

from analysis.measures.intervals import (
    CELLS,
    JUDGMENT,
    NO_JUDGMENT,
    PERCENTILE,
    Interval,
    Statistic,
    cluster_interval,
    cluster_intervals_together,
    resample_interval,
    undefined_interval,
)
from analysis.measures.types import BoolArray, FloatArray, IntArray

MISSING = -1


def percent_agreement(tables: FloatArray | IntArray) -> FloatArray:
    """Share of units with the same category from both raters, 0 to 1; NaN for an empty table. (..., c, c) to (...)."""
    counts = np.asarray(tables, dtype=np.float64)
    return _divide(np.trace(counts, axis1=-2, axis2=-1), counts.sum(axis=(-2, -1)))


def cohen_kappa(tables: FloatArray | IntArray) -> FloatArray:
    """Cohen's (1960) κ = (p_o - p_e) / (1 - p_e) from counts, -1 to 1; (..., c, c) gives (...).

    NaN only for an empty table and where p_e is 1 (both raters constant on one category); exactly 0 where one rater is
    constant. Numerator and denominator are multiplied by n², so that both are whole numbers until the one division.
    """
    counts = np.asarray(tables, dtype=np.float64)
    by_chance = (counts.sum(axis=-1) * counts.sum(axis=-2)).sum(axis=-1)
    return kappa_of_sums(counts.sum(axis=(-2, -1)), np.trace(counts, axis1=-2, axis2=-1), by_chance)


def kappa_of_sums(n: FloatArray, agreed: FloatArray, by_chance: FloatArray) -> FloatArray:
    """Cohen's κ from n units, `agreed` of them in the same category, and Σ_k (one rater's k) · (the other's k)."""
    return _divide(n * agreed - by_chance, n * n - by_chance)


def gwet_ac1(tables: FloatArray | IntArray) -> FloatArray:
    """Gwet's (2008) AC1 of two raters from counts, -1 to 1; (..., c, c) gives (...).

    p_e = Σ π_k (1 - π_k) / (c - 1) with π_k the mean of both raters' shares of category k, over all c declared
    categories. NaN for an empty table and for a single category; 1 where both raters are constant on one of several.
    """
    counts = np.asarray(tables, dtype=np.float64)
    categories = counts.shape[-1]
    n = counts.sum(axis=(-2, -1))
    twice = counts.sum(axis=-1) + counts.sum(axis=-2)  # 2 n π_k
    by_chance = _divide((twice * (2 * n[..., None] - twice)).sum(axis=-1), 4 * n * n * (categories - 1))
    return _divide(percent_agreement(counts) - by_chance, 1 - by_chance)


def all_pairs(raters: int) -> IntArray:
    """(p, 2): every pair of 0 to raters - 1, the lower first."""
    return np.stack(np.triu_indices(raters, 1), axis=1).astype(np.int64)


def pairs_with(rater: int, others: IntArray) -> IntArray:
    """(p, 2): the pairs of this rater with each of the others."""
    partners = others[others != rater]
    return np.stack([np.full_like(partners, rater), partners], axis=1)


def select_sharing_pairs(ratings: IntArray, pairs: IntArray) -> IntArray:
    """(q, 2): the pairs whose two raters judged a unit in common."""
    judged = ratings != MISSING
    shared = [(judged[one] & judged[other]).any() for one, other in pairs]
    return np.asarray(pairs[np.array(shared, dtype=np.bool_)])


def pair_tables(ratings: IntArray, categories: int, pairs: IntArray, groups: IntArray, n_groups: int) -> FloatArray:
    """(n_groups, p, c, c): counts of each combination of two categories, by group of units and pair of raters.

    ratings: (raters, units). pairs: (p, 2); a table's rows are the first rater's. groups: (units,), codes
    0 to n_groups - 1, such as texts. A unit that one of the two did not judge is in none of the pair's tables. Whole
    numbers, kept as floats so that weighted sums are one matrix product.
    """
    cells, judged = categories * categories, ratings != MISSING
    first, second = groups * cells + ratings * categories, ratings  # their sum: the index of a cell of the tables
    tables = np.empty((n_groups, len(pairs), cells))
    for at, (one, other) in enumerate(pairs):
        both = judged[one] & judged[other]
        code = (first[one] + second[other])[both]
        tables[:, at] = np.bincount(code, minlength=n_groups * cells).reshape(n_groups, cells)
    return tables.reshape(n_groups, len(pairs), categories, categories)


def judgments_compared(ratings: IntArray, pairs: IntArray) -> BoolArray:
    """(raters, units): whether the judgment enters a comparison, as the other rater of a pair judged the unit, too."""
    compared, judged = np.zeros(ratings.shape, dtype=np.bool_), ratings != MISSING
    for one, other in pairs:
        both = judged[one] & judged[other]
        compared[one] |= both
        compared[other] |= both
    return compared


@dataclass(frozen=True)
class Pairwise:
    """Agreement of each pair of raters, all (p,): n shared units, how many agreed, κ and AC1; NaN where undefined."""

    pairs: IntArray
    n: IntArray
    agreed: IntArray
    kappa: FloatArray
    ac1: FloatArray

    @property
    def percent(self) -> FloatArray:
        """(p,): percent agreement as a proportion."""
        return _divide(self.agreed, self.n)

    def of(self, rater: int) -> Pairwise:
        """Only the pairs with this rater."""
        mine = (self.pairs == rater).any(axis=1)
        return Pairwise(self.pairs[mine], self.n[mine], self.agreed[mine], self.kappa[mine], self.ac1[mine])


@dataclass(frozen=True)
class MeanAgreement:
    """Means over pairs; NaN where no pair is defined.

    kappa, percent and ac1 are weighted by shared judgments, kappa_unweighted is not, each over the pairs where it is
    defined. n_pairs of n_pairs_possible have a κ. n_judgments: the sum over all pairs of their shared units.
    """

    kappa: float
    kappa_unweighted: float
    percent: float
    ac1: float
    n_pairs: int
    n_pairs_possible: int
    n_judgments: int


def pairwise(ratings: IntArray, categories: int, pairs: IntArray | None = None) -> Pairwise:
    """Agreement of each pair (default: of all); ratings (raters, units) as in the module's first lines."""
    chosen = all_pairs(len(ratings)) if pairs is None else pairs
    one_group = np.zeros(ratings.shape[1], dtype=np.int64)
    tables = pair_tables(ratings, categories, chosen, one_group, 1)[0]
    n, agreed = tables.sum(axis=(1, 2)).astype(np.int64), np.trace(tables, axis1=1, axis2=2).astype(np.int64)
    return Pairwise(chosen, n, agreed, cohen_kappa(tables), gwet_ac1(tables))


def mean_agreement(pairs: Pairwise) -> MeanAgreement:
    """Means over the given pairs; pairs without shared units, or without κ, are left out, which n_pairs shows."""
    defined = ~np.isnan(pairs.kappa)
    return MeanAgreement(
        kappa=_mean_defined(pairs.kappa, pairs.n),
        kappa_unweighted=_mean_defined(pairs.kappa, np.ones_like(pairs.n)),
        percent=float(_divide(pairs.agreed.sum(), pairs.n.sum())),
        ac1=_mean_defined(pairs.ac1, pairs.n),
        n_pairs=int(defined.sum()),
        n_pairs_possible=len(pairs.pairs),
        n_judgments=int(pairs.n.sum()),
    )


def leave_one_out_means(pairs: Pairwise, raters: int) -> FloatArray:
    """(raters,): per rater the unweighted mean κ with the others, over defined pairs; NaN where none is."""
    return np.array([mean_agreement(pairs.of(rater)).kappa_unweighted for rater in range(raters)])


def human_average(leave_one_out: FloatArray) -> float:
    """The published average (Säuberli & Clematide 2024): mean of the defined leave-one-out means; NaN without any."""
    return _mean_defined(leave_one_out, np.ones(len(leave_one_out), dtype=np.int64))


def _mean_defined(values: FloatArray, weights: IntArray) -> float:
    """Weighted mean of the defined values; NaN if there are none."""
    defined = ~np.isnan(values)
    return float(_divide((values[defined] * weights[defined]).sum(), weights[defined].sum()))


def _divide(above: FloatArray | IntArray, below: FloatArray | IntArray) -> FloatArray:
    """Quotient, NaN where the divisor is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(below == 0, np.nan, np.divide(above, below)))


KAPPA_BOUNDS = (-1.0, 1.0)


def mean_kappa(
    ratings: IntArray, categories: int, pairs: IntArray, groups: IntArray, n_groups: int, *, weighted: bool = True
) -> Statistic:
    """Mean Cohen's κ over defined pairs as a function of the weights of groups of units, such as texts.

    Arguments as in `pair_tables`; weights (b, n_groups) give (b,). A replicate weighs each pair's tables and adds them
    up, so no judgment is read twice; a pair undefined in a replicate is left out of that one. weighted: by the
    judgments that a pair shares in the replicate.
    """
    pairs = select_sharing_pairs(ratings, pairs)
    size = max(1, CELLS // max(1, n_groups * categories**2))
    blocks = [pairs[start : start + size] for start in range(0, len(pairs), size)]

    @lru_cache(maxsize=1)  # keeps one block; there are several only if they do not fit into memory together
    def sums(block: int) -> _Sums:
        return _Sums.of(pair_tables(ratings, categories, blocks[block], groups, n_groups))

    def statistic(weights: FloatArray) -> FloatArray:
        added = sum(
            (sums(block).add_up(weights, weighted) for block in range(len(blocks))), np.zeros((2, len(weights)))
        )
        with np.errstate(invalid="ignore"):
            return np.asarray(added[0] / np.where(added[1] > 0, added[1], np.nan))

    return statistic


def clustered_kappa(
    ratings: IntArray, categories: int, pairs: IntArray, text: IntArray, *, seed: int, weighted: bool = True
) -> Interval:
    """Text-clustered interval of the mean κ over `pairs`, -1 to 1; text: (units,), any whole numbers.

    A text counts if two raters of a pair judged the same unit of it; n_responses: the judgments for which this holds.
    """
    compared = judgments_compared(ratings, pairs)
    entering = compared.any(axis=0)
    texts, groups = np.unique(text[entering], return_inverse=True)
    statistic = mean_kappa(ratings[:, entering], categories, pairs, groups, len(texts), weighted=weighted)
    return cluster_interval(statistic, len(texts), int(compared.sum()), bounds=KAPPA_BOUNDS, seed=seed)


def clustered_kappas(
    ratings: IntArray, categories: int, pair_sets: Sequence[IntArray], text: IntArray, *, seed: int
) -> list[Interval]:
    """`clustered_kappa` of several sets of pairs; sets over the same texts share each pair's κ in each draw."""
    found: dict[int, Interval] = {}
    places_by_texts: dict[bytes, list[int]] = {}
    compared = [judgments_compared(ratings, pairs) for pairs in pair_sets]
    for place, judged in enumerate(compared):
        places_by_texts.setdefault(np.unique(text[judged.any(axis=0)]).tobytes(), []).append(place)
    for key, places in places_by_texts.items():
        texts = np.frombuffer(key, dtype=text.dtype)
        shared = [select_sharing_pairs(ratings, pair_sets[place]) for place in places]
        pairs = np.unique(np.sort(np.concatenate(shared), axis=1), axis=0)
        if len(places) == 1 or len(texts) < 2 or len(pairs) * len(texts) * categories**2 > CELLS:
            judged_by = ((place, (ratings, categories, pair_sets[place], text)) for place in places)
            found |= {place: clustered_kappa(*judged, seed=seed) for place, judged in judged_by}
            continue
        entering = np.isin(text, texts)
        groups = np.searchsorted(texts, text[entering])
        sums = _Sums.of(pair_tables(ratings[:, entering], categories, pairs, groups, len(texts)))
        where = {tuple(pair): at for at, pair in enumerate(pairs.tolist())}
        members = [np.array([where[tuple(sorted(pair))] for pair in each.tolist()], dtype=np.int64) for each in shared]
        intervals = cluster_intervals_together(
            partial(sums.means_of, members), len(texts), 0, bounds=KAPPA_BOUNDS, seed=seed
        )
        found |= {
            place: replace(interval, n_responses=int(compared[place].sum()))
            for place, interval in zip(places, intervals, strict=True)
        }
    return [found[place] for place in range(len(pair_sets))]


def published_kappa(
    ratings: IntArray, categories: int, pairs: IntArray, *, seed: int, weighted: bool = True
) -> Interval:
    """Interval of the mean κ over `pairs` with judged units resampled, each with all its raters' judgments.

    Units with the same judgments are one kind, so that a draw needs only a few multinomial counts.
    """
    compared = judgments_compared(ratings, pairs)
    if not compared.any():
        return undefined_interval(PERCENTILE, (JUDGMENT, 0, 0, seed), NO_JUDGMENT)
    raters, local = np.unique(pairs, return_inverse=True)
    units = ratings[np.ix_(raters, np.flatnonzero(compared.any(axis=0)))]
    kinds, counts = np.unique(units, axis=1, return_counts=True)
    each = np.arange(kinds.shape[1])
    statistic = mean_kappa(kinds, categories, local.reshape(pairs.shape), each, len(each), weighted=weighted)
    return resample_interval(statistic, counts.astype(np.int64), int(compared.sum()), seed=seed)


@dataclass(frozen=True)
class _Sums:
    """The parts of the tables that κ needs, for a block of pairs: (groups, p) units and agreements, (c, groups, p)
    marginals.

    used: the groups in which some pair of the block judged; the others are left out.
    """

    used: IntArray | slice
    n: FloatArray
    agreed: FloatArray
    first: FloatArray
    second: FloatArray

    @classmethod
    def of(cls, tables: FloatArray) -> _Sums:
        """From (groups, p, c, c) counts; each part is contiguous in memory, as it is multiplied ten thousand times."""
        some = tables.any(axis=(1, 2, 3))
        used = slice(None) if some.all() else np.flatnonzero(some)
        first, second = (np.ascontiguousarray(np.moveaxis(tables[used].sum(axis=axis), -1, 0)) for axis in (3, 2))
        return cls(used, first.sum(axis=0), np.trace(tables[used], axis1=2, axis2=3), first, second)

    def add_up(self, weights: FloatArray, weighted: bool) -> FloatArray:
        """(2, b): per replicate the weighted sum of the defined κ and the sum of the weights, in blocks of rows."""
        rows = max(1, CELLS // max(1, self.n.shape[1]))
        parts = [
            self._add_block(weights[start : start + rows, self.used], weighted)
            for start in range(0, len(weights), rows)
        ]
        return np.concatenate(parts, axis=1)

    def means_of(self, members: Sequence[IntArray], weights: FloatArray) -> FloatArray:
        """(b, sets): per replicate the weighted mean κ over the defined pairs of each set."""
        rows = max(1, CELLS // max(1, self.n.shape[1]))
        parts = []
        for start in range(0, len(weights), rows):
            weight, product = self._weigh(weights[start : start + rows, self.used], True)
            total, above = (
                np.stack([np.take(each, its, axis=1).sum(axis=1) for its in members], axis=1)
                for each in (weight, product)
            )
            with np.errstate(invalid="ignore"):
                parts.append(above / np.where(total > 0, total, np.nan))
        return np.concatenate(parts)

    def _add_block(self, weights: FloatArray, weighted: bool) -> FloatArray:
        weight, product = self._weigh(weights, weighted)
        return np.stack([product.sum(axis=1), weight.sum(axis=1)])

    def _weigh(self, weights: FloatArray, weighted: bool) -> tuple[FloatArray, FloatArray]:
        """(b, p): per replicate and pair its weight, and that times its κ; 0 where κ is undefined."""
        n, by_chance = weights @ self.n, np.zeros((len(weights), self.n.shape[1]))
        for first, second in zip(self.first, self.second, strict=True):
            by_chance += (weights @ first) * (weights @ second)
        kappa = kappa_of_sums(n, weights @ self.agreed, by_chance)
        defined = ~np.isnan(kappa)
        weight = np.where(defined, n if weighted else 1.0, 0.0)
        return weight, np.where(defined, kappa * weight, 0.0)
