"""The published intervals of many mean kappas at once: rows about the same units share their draws.

The same intervals as `published_kappa` row by row, in a fraction of the time: a page waits for them.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence

import numpy as np

from analysis.measures.agreement import cohen_kappa, judgments_compared, pair_tables
from analysis.measures.intervals import (
    CELLS,
    DRAWS,
    JUDGMENT,
    NO_JUDGMENT,
    PERCENTILE,
    UNDEFINED_FIGURE,
    Interval,
    from_draws,
    undefined,
)


def published_kappas(
    ratings: np.ndarray, categories: int, pair_sets: Sequence[np.ndarray], seed: int
) -> list[Interval]:
    """One interval per set of pairs, (p, 2) each: the mean κ weighted by shared judgments, judged units resampled.

    ratings: (raters, units) as in `analysis.measures.agreement`. A set's units are those that some pair of it shares.
    """
    found: dict[int, Interval] = {}
    alike: dict[bytes, list[int]] = defaultdict(list)
    for place, pairs in enumerate(pair_sets):
        entering = judgments_compared(ratings, pairs).any(axis=0)
        if entering.any():
            alike[entering.tobytes()].append(place)
        else:
            found[place] = undefined(PERCENTILE, (JUDGMENT, 0, 0, seed), NO_JUDGMENT)
    for key, places in alike.items():
        units = ratings[:, np.frombuffer(key, dtype=bool)]
        found |= zip(
            places, drawn_together(units, categories, [pair_sets[place] for place in places], seed), strict=True
        )
    return [found[place] for place in range(len(pair_sets))]


def drawn_together(units: np.ndarray, categories: int, pair_sets: list[np.ndarray], seed: int) -> list[Interval]:
    """The intervals of sets of pairs that all share the same units, from the same draws of these units."""
    raters, local = np.unique(np.concatenate(pair_sets), return_inverse=True)
    kinds, counts = np.unique(units[raters], axis=1, return_counts=True)
    pairs, members = np.unique(np.sort(local.reshape(-1, 2), axis=1), axis=0, return_inverse=True)
    tables = pair_tables(kinds, categories, pairs, np.arange(len(counts)), len(counts))
    # (pairs, sets): which pair is in which set
    ends = np.cumsum([len(pairs_of) for pairs_of in pair_sets])[:-1]
    chosen = np.stack([np.isin(np.arange(len(pairs)), its) for its in np.split(members.ravel(), ends)], axis=1)
    observed = mean_kappas(counts[None, :], tables, chosen)[0]
    values = np.concatenate([mean_kappas(weights, tables, chosen) for weights in draws_of(counts, tables, seed)])
    return [
        interval_of(values[:, place], observed[place], int(counts.sum()), judged_in(units, pairs_of), seed)
        for place, pairs_of in enumerate(pair_sets)
    ]


def judged_in(units: np.ndarray, pairs: np.ndarray) -> int:
    """How many judgments enter the pairs of a set."""
    return int(judgments_compared(units, pairs).sum())


def interval_of(values: np.ndarray, observed: float, n_units: int, n_responses: int, seed: int) -> Interval:
    about = (JUDGMENT, n_units, n_responses, seed)
    return undefined(PERCENTILE, about, UNDEFINED_FIGURE) if np.isnan(observed) else from_draws(values, about)


def draws_of(counts: np.ndarray, tables: np.ndarray, seed: int) -> Iterator[np.ndarray]:
    """Weights of 10,000 draws of as many units as there are, in blocks of bounded size."""
    rng = np.random.default_rng(seed)
    rows = max(1, CELLS // max(len(counts), tables[0].size))
    for start in range(0, DRAWS, rows):
        yield drawn(counts, min(rows, DRAWS - start), rng)


def drawn(counts: np.ndarray, rows: int, rng: np.random.Generator) -> np.ndarray:
    """(rows, kinds): how often each kind is drawn; unit by unit where nearly every unit is of a kind of its own."""
    n, kinds = int(counts.sum()), len(counts)
    if n > 4 * kinds:
        return rng.multinomial(n, counts / n, size=rows)
    kind = np.repeat(np.arange(kinds), counts)
    return np.stack([np.bincount(kind[rng.integers(n, size=n)], minlength=kinds) for _row in range(rows)])


def mean_kappas(weights: np.ndarray, tables: np.ndarray, chosen: np.ndarray) -> np.ndarray:
    """(b, sets): per draw and set the mean of its defined κ, weighted by the judgments shared in the draw."""
    # Whole numbers up to the units in a draw: single precision holds them exactly, in half the time.
    exact = np.float32 if weights[0].sum() < 2**24 else np.float64
    sums = tables.reshape(len(tables), -1).T.astype(exact) @ weights.T.astype(exact)
    # Draws are made the innermost axis in memory: sums over two categories are slow otherwise.
    drawn = np.moveaxis(sums.astype(np.float64).reshape(*tables.shape[1:], len(weights)), -1, 0)
    kappa = cohen_kappa(drawn)
    weight = np.where(np.isnan(kappa), 0.0, drawn.sum(axis=(2, 3)))
    total = weight @ chosen
    with np.errstate(invalid="ignore"):
        return np.asarray(((np.nan_to_num(kappa) * weight) @ chosen) / np.where(total > 0, total, np.nan))
