"""Raters: the sources of noise in ratings (generalizability), and who marks high or low (severity)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from scipy.sparse import coo_matrix, csr_matrix
from scipy.sparse.csgraph import connected_components

from analysis.measures.types import FloatArray, IntArray

# Where the noise of ratings comes from, and how many raters are worthwhile (Brennan 2001, Generalizability Theory).
#
# Objects are what is rated, such as items. Each rater may have rated all of them or only some. The variance components
# are estimated from sums of squares (Henderson 1953, method 1); for complete data this is the analysis of variance.
# Negative estimates are kept, and count as 0 in the coefficients Eρ² and Φ.


@dataclass(frozen=True)
class GStudy:
    """Components of objects, raters and their interaction with error; NaN where they cannot be distinguished."""

    objects: float
    raters: float
    residual: float

    def relative(self, raters: float) -> float:
        """Eρ² of the mean of that many raters: Shrout & Fleiss' ICC(3, ·)."""
        return share_of_signal(self.objects, self.residual / raters)

    def absolute(self, raters: float) -> float:
        """Φ of the mean of that many raters: Shrout & Fleiss' ICC(2, ·)."""
        return share_of_signal(self.objects, (positive_part(self.raters) + positive_part(self.residual)) / raters)

    def noise_shares(self) -> tuple[float, float]:
        """1 - Eρ² and 1 - Φ of one rater; negative components are not set to 0."""
        return share_of_noise(self.objects, self.residual), share_of_noise(self.objects, self.raters + self.residual)


def positive_part(component: float) -> float:
    """The component, 0 if it is negative; NaN stays NaN."""
    return max(component, 0.0) if component == component else component


def share_of_signal(signal: float, noise: float) -> float:
    """signal / (signal + noise), both at least 0; NaN if both are 0."""
    signal, noise = positive_part(signal), positive_part(noise)
    return signal / (signal + noise) if signal + noise > 0 else np.nan


def share_of_noise(signal: float, noise: float) -> float:
    """noise / (signal + noise); NaN where their sum is not above 0."""
    return noise / (signal + noise) if signal + noise > 0 else np.nan


def g_study(item: IntArray, rater: IntArray, value: FloatArray) -> GStudy:
    """The variance components of single ratings. item, rater, value: (m,); codes begin at 0 and have no gaps."""
    found = _moments(item, rater, np.zeros(len(item), dtype=np.int64), value)
    return GStudy(*(float(each[0]) for each in found.components()))


def g_study_without(item: IntArray, rater: IntArray, cluster: IntArray, value: FloatArray) -> FloatArray:
    """(k, 3): the components of objects, raters and residual when each of k clusters of objects, such as texts, is left
    out.

    All sums of squares are sums over clusters, so those of a cluster are only subtracted.
    """
    return np.stack(_moments(item, rater, cluster, value).without_each().components(), axis=1)


@dataclass(frozen=True)
class _Moments:
    """The sums by cluster (k,), or by cluster and rater (k, r), that Henderson's three equations need.

    n, total, squares: number, sum and sum of squares of the ratings. objects: number of objects. rater_n, rater_total:
    number and sum of the ratings of each rater.
    """

    n: FloatArray
    total: FloatArray
    squares: FloatArray
    of_objects: FloatArray  # Σ (Σ of an object)² / its n
    objects: FloatArray
    object_loads: FloatArray  # Σ n of an object ²
    cells_by_object: FloatArray  # Σ over objects of Σ n of a cell ² / n of the object
    rater_n: FloatArray
    rater_total: FloatArray
    rater_cells: FloatArray  # Σ n of a cell ², by rater

    def without_each(self) -> _Moments:
        return _Moments(*(each.sum(axis=0) - each for each in self.__dict__.values()))

    def sum_up(self) -> _Moments:
        return _Moments(*(each.sum(axis=0, keepdims=True) for each in self.__dict__.values()))

    def components(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """The components of objects, raters and residual, (k,) each; NaN if the equations have no single solution."""
        mean = self.total**2 / self.n
        judged = np.where(self.rater_n > 0, self.rater_n, 1.0)
        of_raters = (self.rater_total**2 / judged).sum(axis=1)
        raters = (self.rater_n > 0).sum(axis=1).astype(np.float64)
        cells_by_rater = (self.rater_cells / judged).sum(axis=1)
        rater_loads = (self.rater_n**2).sum(axis=1) / self.n
        object_loads = self.object_loads / self.n
        one = np.ones(len(self.n))
        # the coefficients of (objects, raters, residual) in the expected value of each of the four sums
        of_mean = np.stack([object_loads, rater_loads, one], axis=1)
        expected_objects = np.stack([self.n, self.cells_by_object, self.objects], axis=1)
        expected_raters = np.stack([cells_by_rater, self.n, raters], axis=1)
        whole = np.stack([self.n, self.n, self.n], axis=1)
        matrix = np.stack(
            [
                expected_objects - of_mean,
                expected_raters - of_mean,
                whole - expected_objects - expected_raters + of_mean,
            ],
            axis=1,
        )
        sums = np.stack(
            [self.of_objects - mean, of_raters - mean, self.squares - self.of_objects - of_raters + mean], axis=1
        )
        solvable = np.abs(np.linalg.det(matrix / np.maximum(np.abs(matrix).max(axis=(1, 2), keepdims=True), 1))) > 1e-12
        matrix[~solvable] = np.eye(3)
        found = np.linalg.solve(matrix, sums[..., None])[..., 0]
        found[~solvable] = np.nan
        return found[:, 0], found[:, 1], found[:, 2]


def _moments(item: IntArray, rater: IntArray, cluster: IntArray, value: FloatArray) -> _Moments:
    n_items, n_raters, k = int(item.max()) + 1, int(rater.max()) + 1, int(cluster.max()) + 1
    n_item = np.bincount(item, minlength=n_items).astype(np.float64)
    total_item = np.bincount(item, weights=value, minlength=n_items)
    of_item = np.zeros(n_items, dtype=np.int64)
    of_item[item] = cluster
    cells, count = np.unique(item * n_raters + rater, return_counts=True)
    cell_item, cell_rater, squared = cells // n_raters, cells % n_raters, count.astype(np.float64) ** 2

    def by_cluster(weights: FloatArray, groups: IntArray) -> FloatArray:
        return np.bincount(groups, weights=weights, minlength=k).astype(np.float64)

    def by_rater(weights: FloatArray, groups: IntArray, raters: IntArray) -> FloatArray:
        found = np.bincount(groups * n_raters + raters, weights=weights, minlength=k * n_raters)
        return found.astype(np.float64).reshape(k, n_raters)

    return _sum_if_one(
        _Moments(
            by_cluster(np.ones(len(value)), cluster), by_cluster(value, cluster), by_cluster(value**2, cluster),
            by_cluster(total_item**2 / n_item, of_item), by_cluster(np.ones(n_items), of_item),
            by_cluster(n_item**2, of_item), by_cluster(squared / n_item[cell_item], of_item[cell_item]),
            by_rater(np.ones(len(value)), cluster, rater), by_rater(value, cluster, rater),
            by_rater(squared, of_item[cell_item], cell_rater),
        )
    )  # fmt: skip


def _sum_if_one(found: _Moments) -> _Moments:
    return found.sum_up() if len(found.n) == 1 else found


# Persons × items × raters ---------------------------------------------------------------------------------------------

FACETS = ("p", "i", "r")


def crossed_components(values: FloatArray) -> dict[str, float]:
    """The seven components of a complete table persons × items × raters, by the names of the facets that they join."""
    size = dict(zip(FACETS, values.shape, strict=True))
    mean = _mean_squares(values)
    pir = mean["pir"]
    found = {"pir": pir}
    for pair in ("pi", "pr", "ir"):
        found[pair] = (mean[pair] - pir) / size[_others(pair)]
    for one in FACETS:
        joined = [pair for pair in ("pi", "pr", "ir") if one in pair]
        others = float(np.prod([size[other] for other in _others(one)]))
        found[one] = (mean[one] - mean[joined[0]] - mean[joined[1]] + pir) / others
    return found


def _others(names: str) -> str:
    return "".join(name for name in FACETS if name not in names)


def _mean_squares(values: FloatArray) -> dict[str, float]:
    effects: dict[str, FloatArray] = {"": values.mean(keepdims=True)}
    found = {}
    for names in ("p", "i", "r", "pi", "pr", "ir", "pir"):
        over = tuple(place for place, name in enumerate(FACETS) if name not in names)
        within = values.mean(axis=over, keepdims=True) if over else values
        effects[names] = within - sum(effects[part] for part in effects if set(part) < set(names))
        freedom = np.prod([values.shape[FACETS.index(name)] - 1 for name in names])
        repeated = np.prod([values.shape[place] for place in over])
        found[names] = float((effects[names] ** 2).sum() * repeated / freedom)
    return found


def d_study(components: Mapping[str, float], items: int, raters: int) -> tuple[float, float]:
    """Eρ² and Φ of persons' means over this many items and raters, from the result of `crossed_components`."""
    part = {name: positive_part(value) for name, value in components.items()}
    relative, absolute = noise_of_means(part, items, raters)
    return share_of_signal(part["p"], relative), share_of_signal(part["p"], absolute)


def noise_shares(components: Mapping[str, float], items: int, raters: int) -> tuple[float, float]:
    """1 - Eρ² and 1 - Φ of persons' means over this many items and raters; negative components are not set to 0."""
    relative, absolute = noise_of_means(components, items, raters)
    return share_of_noise(components["p"], relative), share_of_noise(components["p"], absolute)


def noise_of_means(part: Mapping[str, float], items: int, raters: int) -> tuple[float, float]:
    """The part of the variance of persons' means that is noise when persons are ranked, and when they are placed on
    the scale."""
    relative = part["pi"] / items + part["pr"] / raters + part["pir"] / (items * raters)
    return relative, relative + part["i"] / items + part["r"] / raters + part["ir"] / (items * raters)


# Who marks high or low, and the means if all raters had seen all items: x = item + severity + error.
#
# Least squares (Searle 1971). The effects of items are removed by centering within each item, which leaves one
# equation per rater; these sum over texts, so leaving a text out is a subtraction. Severities sum to 0;
# positive: higher marks.


@dataclass(frozen=True)
class Severity:
    """How high each of r raters marks, and the means of g groups of items, such as those of a generator.

    severity: (r,), sum 0; positive for raters who give higher marks. fair: (g,) the mean that each group would have if
    all raters had rated all items. raw: (g,) the plain means. severity_without, fair_without: (k, r) and (k, g), the
    same when each of k texts is left out. residual: (m,) each rating minus what item and severity explain.
    """

    severity: FloatArray
    fair: FloatArray
    raw: FloatArray
    severity_without: FloatArray
    fair_without: FloatArray
    residual: FloatArray


def find_linked_raters(item: IntArray, rater: IntArray) -> IntArray:
    """(r,): a number for each rater; raters whom shared items link, directly or through others, have the same one."""
    n_items, n_raters = int(item.max()) + 1, int(rater.max()) + 1
    ends = (item, n_items + rater)
    size = n_items + n_raters
    _n, labels = connected_components(coo_matrix((np.ones(len(item)), ends), shape=(size, size)), directed=False)
    return np.asarray(labels[n_items:], dtype=np.int64)


def rater_severity(item: IntArray, rater: IntArray, value: FloatArray, text: IntArray, group: IntArray) -> Severity:
    """Severities and fair means from ratings whose raters are linked, by least squares.

    item, rater, value: (m,), for each rating. text, group: for each item, the codes of its text and its group.
    """
    n_items, n_raters = int(item.max()) + 1, int(rater.max()) + 1
    n = np.bincount(item, minlength=n_items).astype(np.float64)
    mean = np.bincount(item, weights=value, minlength=n_items) / n
    design = coo_matrix((np.ones(len(item)), (item, rater)), shape=(n_items, n_raters)).tocsr()
    sums = coo_matrix((value, (item, rater)), shape=(n_items, n_raters)).tocsr()
    share = design.multiply(1 / n[:, None]).tocsr()
    equations = _Equations(design, share, sums, mean)
    whole = equations.over(np.arange(n_items))
    severity = _solve(*whole)
    k, g = int(text.max()) + 1, int(group.max()) + 1
    of_groups = _Groups.of(group, g, mean, share)
    severity_without, fair_without = np.empty((k, n_raters)), np.empty((k, g))
    for one, inside in enumerate(np.split(np.argsort(text, kind="stable"), np.cumsum(np.bincount(text))[:-1])):
        left = tuple(total - part for total, part in zip(whole, equations.over(inside), strict=True))
        severity_without[one] = _solve(*left)
        fair_without[one] = of_groups.fair_means(severity_without[one], inside)
    raw = np.bincount(group[item], weights=value, minlength=g) / np.bincount(group[item], minlength=g)
    fair = of_groups.fair_means(severity, np.zeros(0, dtype=np.int64))
    ability = mean - share @ severity
    return Severity(
        severity, fair, raw, severity_without, fair_without, np.asarray(value - ability[item] - severity[rater])
    )


@dataclass(frozen=True)
class _Equations:
    """What the normal equations of severities are made of, as sums over items.

    design, sums (items, r): how often and with which sum a rater rated an item. share (items, r): the rater's share in
    the ratings of the item. mean: (items,) mean rating.
    """

    design: coo_matrix
    share: coo_matrix
    sums: coo_matrix
    mean: FloatArray

    def over(self, items: IntArray) -> tuple[FloatArray, FloatArray]:
        """The left side (r, r) and the right side (r,) of the equations, summed over these items.

        Σ diag(n) - n nᵀ / Σn, and Σ s - n · mean, where n and s hold number and sum of each rater's ratings of an item.
        """
        design, share = self.design[items], self.share[items]
        left = np.diag(np.asarray(design.sum(axis=0)).ravel()) - np.asarray((design.T @ share).todense())
        right = np.asarray(self.sums[items].sum(axis=0)).ravel() - design.T @ self.mean[items]
        return left, np.asarray(right)


def _solve(left: FloatArray, right: FloatArray) -> FloatArray:
    """The solution that sums to 0; NaN where raters are not linked."""
    used = np.diag(left) > 1e-9
    found = np.full(len(right), np.nan)
    m = int(used.sum())
    if m < 2:
        return found
    bordered = left[np.ix_(used, used)] + 1.0 / m  # adds the equation Σ = 0 along the only direction left open
    try:
        root = np.diag(np.linalg.cholesky(bordered))
    except np.linalg.LinAlgError:
        return found
    if root.min() ** 2 < 1e-9 * np.diag(bordered).max():  # raters that no item links
        return found
    solved = np.linalg.solve(bordered, right[used])
    found[used] = solved - solved.mean()
    return found


@dataclass(frozen=True)
class _Groups:
    """Per group of items: their number n and sum of means (g,), and sums of raters' shares (g, raters)."""

    group: IntArray
    mean: FloatArray
    share: csr_matrix
    n: FloatArray
    total: FloatArray
    shares: FloatArray

    @classmethod
    def of(cls, group: IntArray, n_groups: int, mean: FloatArray, share: csr_matrix) -> _Groups:
        return cls(group, mean, share, *_sum_groups(group, n_groups, mean, share))

    def fair_means(self, severity: FloatArray, left_out: IntArray) -> FloatArray:
        """(g,): over the items that are not left out, the mean of an item's mean minus its raters' mean severity."""
        own = _sum_groups(self.group[left_out], len(self.n), self.mean[left_out], self.share[left_out])
        n, total, shares = (all_of - part for all_of, part in zip((self.n, self.total, self.shares), own, strict=True))
        strict = np.where(np.abs(shares) > 1e-9, shares * severity, 0.0).sum(axis=1)
        return np.asarray((total - strict) / np.where(n > 0, n, np.nan))


def _sum_groups(group: IntArray, n_groups: int, mean: FloatArray, share: csr_matrix) -> tuple[FloatArray, ...]:
    n = np.bincount(group, minlength=n_groups).astype(np.float64)
    total = np.bincount(group, weights=mean, minlength=n_groups).astype(np.float64)
    member = csr_matrix((np.ones(len(group)), (group, np.arange(len(group)))), shape=(n_groups, len(group)))
    return n, total, np.asarray((member @ share).todense())
