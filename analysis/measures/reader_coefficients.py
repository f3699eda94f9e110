"""Agreement with intervals over readers and texts, the default convention: κ of pairs, α and the other coefficients.

A figure is recomputed without each text, each annotator, and each annotator's judgments of each text, from sums that
are subtracted from the total. Ratings are (raters, units) codes with MISSING; text is (units,), any whole numbers.
`fixed` names raters that are not a sample of others, such as a model compared with people: they are never left out.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass

import numpy as np

from analysis.measures.agreement import (
    KAPPA_BOUNDS,
    MISSING,
    cohen_kappa,
    judgments_compared,
    pair_tables,
    select_sharing_pairs,
)
from analysis.measures.alpha import INTERVAL, ORDINAL, alpha_of_coincidences, distances
from analysis.measures.coefficients import (
    CHANCES,
    CONGER,
    PAIRS_ONLY,
    PERCENT,
    category_counts,
    conger_chance,
    correct_for_chance,
    counts_in_groups,
    unit_agreement,
    unit_shares,
)
from analysis.measures.intervals import CELLS, LEVEL, Interval
from analysis.measures.reader_intervals import find_cells, without_gaps
from analysis.measures.types import BoolArray, FloatArray, IntArray
from analysis.measures.variance_parts import RARE_LABELS, Cells, Figure, VarianceParts, parts_of_leaving_out

COMMON_LABEL, FEW_TEXTS_FOR_RARE_LABELS = 0.85, 30
CERTAIN_TO_ROUNDING = 1e-12
DISTORTED_BY_RARE_LABELS = ("fleiss", "conger")  # besides κ and α

Columns = Callable[[IntArray], FloatArray]  # (units, c) counts of labels to (units, m) numbers to add up
Value = Callable[[FloatArray], FloatArray]  # (b, m) sums to (b,) values


def readers_kappa(
    ratings: IntArray,
    categories: int,
    pairs: IntArray,
    text: IntArray,
    *,
    weighted: bool = True,
    fixed: Collection[int] = (),
    level: float = LEVEL,
) -> Interval:
    """Interval of the mean Cohen's κ over `pairs` (p, 2), -1 to 1, weighted by shared units or not."""
    return kappa_parts(ratings, categories, pairs, text, weighted=weighted, fixed=fixed).interval(level)


def readers_alpha(
    values: FloatArray, level_of_measurement: str, text: IntArray, *, fixed: Collection[int] = (), level: float = LEVEL
) -> Interval:
    """Interval of Krippendorff's α, -1 to 1; values (raters, units) as in alpha.py."""
    return alpha_parts(values, level_of_measurement, text, fixed=fixed).interval(level)


def readers_coefficient(
    name: str,
    ratings: IntArray,
    categories: int,
    text: IntArray,
    *,
    weights: FloatArray | None = None,
    fixed: Collection[int] = (),
    level: float = LEVEL,
) -> Interval:
    """Interval of percent, fleiss, conger, gwet or brennan_prediger, as in `clustered_coefficient`."""
    return coefficient_parts(name, ratings, categories, text, weights=weights, fixed=fixed).interval(level)


def kappa_parts(
    ratings: IntArray,
    categories: int,
    pairs: IntArray,
    text: IntArray,
    *,
    weighted: bool = True,
    fixed: Collection[int] = (),
) -> VarianceParts:
    """The parts of the variance of the mean κ; a pair without κ in a replicate is left out of it.

    Unless all raters are fixed, every pair must have one who is not.
    """
    pairs = select_sharing_pairs(ratings, pairs)
    compared = judgments_compared(ratings, pairs)
    study = _Study.of(compared, text, fixed)
    entering = compared.any(axis=0)
    sums = _KappaSums.zeros(study.cells.n_texts, len(study.raters))
    size = max(1, CELLS // max(1, study.cells.n_texts * categories**2))
    for start in range(0, len(pairs), size):
        block = pairs[start : start + size]
        tables = pair_tables(ratings[:, entering], categories, block, study.group, study.cells.n_texts)
        sums.add(tables, block, study.raters, weighted=weighted)
    return study.parts(sums.leave_out(), KAPPA_BOUNDS, _rare_labels(ratings[compared], study))


def alpha_parts(values: FloatArray, level: str, text: IntArray, *, fixed: Collection[int] = ()) -> VarianceParts:
    """The parts of the variance of α at any level; agreement expected by chance is computed again each time."""
    given = ~np.isnan(values)
    entering = given & (given.sum(axis=0) > 1)
    ratings = np.full(values.shape, MISSING, dtype=np.int64)
    scale, ratings[entering] = np.unique(values[entering], return_inverse=True)
    study = _Study.of(entering, text, fixed)
    columns, value = _alpha_sums(scale, level)
    left_out = _leave_out_ratings(study, ratings[:, entering.any(axis=0)], len(scale), columns, value)
    return study.parts(left_out, KAPPA_BOUNDS, _rare_labels(ratings[entering], study))


def coefficient_parts(
    name: str,
    ratings: IntArray,
    categories: int,
    text: IntArray,
    *,
    weights: FloatArray | None = None,
    fixed: Collection[int] = (),
) -> VarianceParts:
    """The parts of the variance of a coefficient of coefficients.py."""
    rated = ratings != MISSING
    entering = rated & (rated.sum(axis=0) > (1 if name in PAIRS_ONLY else 0))
    study = _Study.of(entering, text, fixed)
    kept = ratings[:, entering.any(axis=0)]
    w = np.eye(categories) if weights is None else weights
    if name == CONGER:
        left_out = _leave_out_of_conger(study, kept, categories, w)
    else:
        left_out = _leave_out_ratings(study, kept, categories, *_share_sums(name, w))
    caveats = _rare_labels(ratings[entering], study) if name in DISTORTED_BY_RARE_LABELS else ()
    return study.parts(left_out, (0.0 if name == PERCENT else -1.0, 1.0), caveats)


def pooled_pairs_parts(
    statistic: Callable[[FloatArray], FloatArray],
    labels: IntArray,
    raters: IntArray,
    text: IntArray,
    categories: int,
    *,
    bounds: tuple[float, float],
) -> VarianceParts:
    """The parts of the variance of a figure of all pairs of judgments together, such as κ of first and second judgment.

    labels, raters: (p, 2) of the two judgments of each pair. text: (p,). statistic: (b, c, c) counts give (b,) values.
    Leaving out an annotator also leaves out every pair with a judgment of theirs.
    """
    cells, at = find_cells(np.repeat(text, 2), raters.ravel(), np.ones(2 * len(text)))
    kind = labels[:, 0] * categories + labels[:, 1]
    size = categories**2

    def tables(groups: IntArray, kinds: IntArray, n_groups: int) -> FloatArray:
        counts = np.bincount(groups * size + kinds, minlength=n_groups * size)
        return counts.reshape(n_groups, categories, categories).astype(np.float64)

    of_text = tables(without_gaps(text), kind, cells.n_texts)
    of_rater = tables(without_gaps(raters.ravel()), np.repeat(kind, 2), cells.n_annotators)
    of_cell = tables(at, np.repeat(kind, 2), len(cells.text))
    total = of_text.sum(axis=0)
    figure = Figure(float(statistic(total[None])[0]), bounds, cells, 2 * len(text))
    return parts_of_leaving_out(figure, *(statistic(total - part) for part in (of_text, of_rater, of_cell)))


@dataclass(frozen=True)
class LeftOut:
    """A figure, and its values without each text (T,), annotator (A,), and annotator's part of a text (T, A)."""

    value: float
    text: FloatArray
    annotator: FloatArray
    cell: FloatArray


@dataclass(frozen=True)
class _Study:
    """Who judged which texts: `raters` (A,) are those treated as a sample, or all of them if all are fixed.

    group: (units that enter,) codes of their texts. cells: of the judgments that enter.
    """

    raters: IntArray
    group: IntArray
    cells: Cells
    n_judgments: int
    all_fixed: bool

    @classmethod
    def of(cls, entering: BoolArray, text: IntArray, fixed: Collection[int]) -> _Study:
        """From (raters, units): which judgments enter the figure."""
        judging = np.flatnonzero(entering.any(axis=1))
        drawn = judging[~np.isin(judging, np.array(sorted(fixed), dtype=np.int64))]
        raters = drawn if len(drawn) else judging
        texts, group = np.unique(text[entering.any(axis=0)], return_inverse=True)
        n = np.zeros((len(texts), len(raters)))
        for at, rater in enumerate(raters):
            n[:, at] = np.bincount(group[entering[rater, entering.any(axis=0)]], minlength=len(texts))
        of_text, of_rater = np.nonzero(n)
        cells = Cells(of_text, of_rater, n[of_text, of_rater])
        return cls(raters, group.ravel(), cells, int(entering.sum()), not len(drawn))

    def parts(self, left_out: LeftOut, bounds: tuple[float, float], caveats: tuple[str, ...]) -> VarianceParts:
        """The parts of the variance of a figure from its leave-one-out values."""
        figure = Figure(left_out.value, bounds, self.cells, self.n_judgments, self.all_fixed, more_caveats=caveats)
        cell = left_out.cell[self.cells.text, self.cells.annotator]
        return parts_of_leaving_out(figure, left_out.text, left_out.annotator, cell)


@dataclass
class _KappaSums:
    """Σ n κ and Σ n over the pairs, (2, …): of all, without each text (T,), of each rater (A,), and of both (T, A)."""

    all: FloatArray
    text: FloatArray
    rater: FloatArray
    cell: FloatArray

    @classmethod
    def zeros(cls, texts: int, raters: int) -> _KappaSums:
        return cls(np.zeros(2), np.zeros((2, texts)), np.zeros((2, raters)), np.zeros((2, texts, raters)))

    def add(self, tables: FloatArray, pairs: IntArray, raters: IntArray, *, weighted: bool) -> None:
        """Add a block of pairs (p, 2) with its tables (T, p, c, c)."""
        total = tables.sum(axis=0)
        whole, without = (_weighted_kappas(part, weighted) for part in (total, total - tables))  # (2, p), (2, T, p)
        of_rater = (pairs[:, :, None] == raters).any(axis=1).astype(np.float64)  # (p, A)
        self.all += whole.sum(axis=1)
        self.text += without.sum(axis=2)
        self.rater += whole @ of_rater
        self.cell += without @ of_rater

    def leave_out(self) -> LeftOut:
        others = self.all[:, None] - self.rater
        value, *rest = (_quotient(*sums) for sums in (self.all, self.text, others, others[:, None, :] + self.cell))
        return LeftOut(float(value), *rest)


def _weighted_kappas(tables: FloatArray, weighted: bool) -> FloatArray:
    """(2, …): n κ and n of tables (…, c, c), 0 where κ is undefined; n counts as 1 unless weighted."""
    kappa = cohen_kappa(tables)
    defined = ~np.isnan(kappa)
    weight = np.where(defined, tables.sum(axis=(-2, -1)) if weighted else 1.0, 0.0)
    return np.stack([np.where(defined, kappa, 0.0) * weight, weight])


def _leave_out_ratings(study: _Study, ratings: IntArray, categories: int, columns: Columns, value: Value) -> LeftOut:
    """Leave-one-out values of a figure of sums over units; without a rating, its unit's numbers change.

    ratings: (raters, units that enter).
    """
    counts = category_counts(ratings, categories)
    texts = study.cells.n_texts
    by_text = _sum_by_text(counts, columns, study.group, texts)
    total = by_text.sum(axis=0)
    of_annotator, of_cell = np.full(len(study.raters), np.nan), np.full((texts, len(study.raters)), np.nan)
    for at, rater in enumerate(() if study.all_fixed else study.raters):
        units = np.flatnonzero(ratings[rater] != MISSING)
        fewer = counts[units]
        fewer[np.arange(len(units)), ratings[rater, units]] -= 1
        groups = study.group[units]
        removed = _sum_by_text(counts[units], columns, groups, texts) - _sum_by_text(fewer, columns, groups, texts)
        of_cell[:, at] = value(total - removed)
        of_annotator[at] = value((total - removed.sum(axis=0))[None])[0]
    return LeftOut(float(value(total[None])[0]), value(total - by_text), of_annotator, of_cell)


def _sum_by_text(counts: IntArray, columns: Columns, groups: IntArray, n_groups: int) -> FloatArray:
    """(n_groups, m) sums of the units' numbers, in blocks of units."""
    width = columns(counts[:1]).shape[1]
    sums = np.zeros((n_groups, width))
    rows = max(1, CELLS // max(1, width))
    for start in range(0, len(counts), rows):
        found, of = columns(counts[start : start + rows]), groups[start : start + rows]
        for column in range(width):
            sums[:, column] += np.bincount(of, weights=found[:, column], minlength=n_groups)
    return sums


def _alpha_sums(scale: FloatArray, level: str) -> tuple[Columns, Value]:
    """What α needs of a unit: coincidences if ordinal, else its disagreement and totals (interval: moments)."""
    if level == ORDINAL:
        return _coincidences_of_units, lambda sums: _ordinal_alpha(sums, scale)
    apart = distances(scale, np.zeros(len(scale)), level)
    x = scale - (scale[0] if len(scale) else 0.0)
    powers = np.stack([np.ones(len(x)), x, x**2], axis=1) if level == INTERVAL else np.eye(len(x))

    def columns(counts: IntArray) -> FloatArray:
        n = counts.sum(axis=1)
        paired = n > 1
        inside = ((counts @ apart) * counts).sum(axis=1) / np.maximum(n - 1, 1)
        return np.column_stack([np.where(paired, inside, 0.0), (counts @ powers) * paired[:, None]])

    def value(sums: FloatArray) -> FloatArray:
        if level == INTERVAL:
            n = sums[:, 1]
            expected, largest = 2 * (n * sums[:, 3] - sums[:, 2] ** 2), 2 * n * sums[:, 3]
        else:
            n = sums[:, 1:].sum(axis=1)
            expected, largest = ((sums[:, 1:] @ apart) * sums[:, 1:]).sum(axis=1), n**2
        differs = expected > CERTAIN_TO_ROUNDING * largest
        return np.asarray(1 - (n - 1) * sums[:, 0] / np.where(differs, expected, np.nan))

    return columns, value


def _coincidences_of_units(counts: IntArray) -> FloatArray:
    """(units, v · v) ordered pairs of values of each unit with weight 1 / (its values - 1)."""
    n = counts.sum(axis=1)[:, None, None]
    v = counts.shape[1]
    pairs = counts[:, :, None] * counts[:, None, :] - counts[:, :, None] * np.eye(v, dtype=np.int64)
    return np.asarray((pairs / np.maximum(n - 1, 1)).reshape(len(counts), v * v))


def _ordinal_alpha(sums: FloatArray, scale: FloatArray) -> FloatArray:
    """α from coincidences (b, v · v), in blocks; rounding errors count as 0."""
    v = len(scale)
    rows = max(1, CELLS // max(1, v * v))
    clean = np.where(np.abs(sums) < CERTAIN_TO_ROUNDING, 0.0, sums).reshape(-1, v, v)
    blocks = (clean[start : start + rows] for start in range(0, len(clean), rows))
    return np.concatenate([alpha_of_coincidences(block, scale, ORDINAL) for block in blocks])


def _share_sums(name: str, weights: FloatArray) -> tuple[Columns, Value]:
    """What percent, Fleiss, Gwet and Brennan-Prediger need: agreement of pairs and the mean shares of labels."""

    def columns(counts: IntArray) -> FloatArray:
        n = counts.sum(axis=1)
        return np.column_stack([unit_agreement(counts, weights), n > 1, unit_shares(counts), n > 0])

    def value(sums: FloatArray) -> FloatArray:
        shares = sums[:, 2:-1] / np.where(sums[:, -1:] > 0, sums[:, -1:], np.nan)
        return correct_for_chance(_quotient(sums[:, 0], sums[:, 1]), CHANCES[name](shares, weights))

    return columns, value


def _leave_out_of_conger(study: _Study, ratings: IntArray, categories: int, weights: FloatArray) -> LeftOut:
    """Conger's κ: observed agreement as percent, agreement by chance from each rater's own counts."""
    observed = _leave_out_ratings(study, ratings, categories, *_share_sums(PERCENT, weights))
    texts, raters = study.cells.n_texts, len(ratings)
    tables = np.zeros((texts, raters, categories))
    for rater, row in enumerate(ratings):
        tables[:, rater] = counts_in_groups(row, categories, study.group, texts)
    total = tables.sum(axis=0)
    of_annotator, of_cell = np.full(len(study.raters), np.nan), np.full((texts, len(study.raters)), np.nan)
    for at, rater in enumerate(() if study.all_fixed else study.raters):
        mine = np.arange(raters)[:, None] == rater
        of_annotator[at] = conger_chance(np.where(mine, 0.0, total)[None], weights)[0]
        of_cell[:, at] = conger_chance(total - np.where(mine, tables, 0.0), weights)
    value, text = conger_chance(total[None], weights), conger_chance(total - tables, weights)
    return LeftOut(
        float(correct_for_chance(np.array([observed.value]), value)[0]),
        correct_for_chance(observed.text, text),
        correct_for_chance(observed.annotator, of_annotator),
        correct_for_chance(observed.cell, of_cell),
    )


def _rare_labels(labels: IntArray, study: _Study) -> tuple[str, ...]:
    """The warning where texts are few and nearly all labels (n,) are the same."""
    if not len(labels) or study.cells.n_texts >= FEW_TEXTS_FOR_RARE_LABELS:
        return ()
    return (RARE_LABELS,) if np.bincount(labels).max() >= COMMON_LABEL * len(labels) else ()


def _quotient(above: FloatArray, below: FloatArray) -> FloatArray:
    """NaN where the divisor is 0."""
    return np.asarray(above / np.where(below > 0, below, np.nan))
