"""Variance components estimated from a study's answers: how much texts, items, options and annotators differ (logits).

The model is that of `analysis.measures.power`, and the estimator is a method of moments. Two judgments that share only
a text covary because texts differ; two that also share the item covary because items differ, too; and so on. So each
component is computed from the mean product of such pairs of residuals, minus that of the pairs that share nothing,
which corrects for the estimated means. A component that no pair of judgments identifies keeps its assumed value.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields, replace

import numpy as np

from analysis.measures.distributions import t_quantile
from analysis.measures.intervals import JACKKNIFE, LEVEL, NO_SPREAD, TEXT, Interval, undefined_interval
from analysis.measures.power import Components, logit_of, normal_nodes
from analysis.measures.types import BoolArray, FloatArray, IntArray, gettext_noop

NESTED = ("text", "text_stage", "item", "option")  # components: each level is nested in the one before it
ITERATIONS, GRID, NODES = 12, 41, 24
START = 1.5  # total variance (of all components together) with which the iteration begins
MOST = 25.0  # the largest variance that is looked for: shares of right judgments cannot tell larger ones apart


@dataclass(frozen=True)
class Judgments:
    """Judgments as arrays (n,): codes of text, generator, item, option, annotator and stage, and whether it is right.

    An item belongs to one text and one generator, an option to one item. An annotator judges an option once per stage.
    """

    text: IntArray
    generator: IntArray
    item: IntArray
    option: IntArray
    annotator: IntArray
    stage: IntArray
    right: BoolArray


@dataclass(frozen=True)
class CovarianceLink:
    """A table that turns the covariance of two judgments (0 or 1) into the variance that they share, in squared logits.

    grid: (GRID,) shared variances. expected: (GRID,) the covariance that each of them leads to. known: the components
    that are used where the judgments identify none.
    """

    grid: FloatArray
    expected: FloatArray
    known: Components

    def shared_variance(self, covariance: float) -> float:
        """The shared variance at which this covariance is expected; a negative covariance counts as 0."""
        return float(np.interp(max(covariance, 0.0), self.expected, self.grid))

    def variances(self, covariances: Mapping[str, float]) -> dict[str, float]:
        """The variance of each component for which there is a covariance, by name."""
        return _parts({name: self.shared_variance(value) for name, value in covariances.items()}, self.known)


@dataclass(frozen=True)
class FittedComponents:
    """The components estimated from judgments, and what they were estimated from.

    assumed: names of the components that the judgments cannot identify, which keep the assumed value. link: the link
    that the estimates were computed with; None if nothing could be estimated.
    """

    components: Components
    assumed: tuple[str, ...]
    n_texts: int
    n_annotators: int
    n_judgments: int
    link: CovarianceLink | None = None


def fit_components(judgments: Judgments, assumed: Components | None = None) -> FittedComponents:
    """Estimates the standard deviation of each component, in logits.

    A negative covariance counts as 0. Nothing is estimated with fewer than two texts or two annotators. assumed: the
    components to keep where the judgments identify none; `Components()` if None.
    """
    known = assumed or Components()
    found = covariances(judgments)
    shares = cell_shares(judgments)
    link = _fit_link(found, shares, known) if found else None
    variances = link.variances(found) if link else {}
    components = replace(known, **{name: float(np.sqrt(value)) for name, value in variances.items()})
    kept = tuple(field.name for field in fields(Components) if field.name not in variances)
    n_texts, n_annotators = (len(np.unique(codes)) for codes in (judgments.text, judgments.annotator))
    return FittedComponents(components, kept, n_texts, n_annotators, len(judgments.right), link)


def covariances(judgments: Judgments) -> dict[str, float]:
    """The covariance of two judgments of the same stage, by what the two share and nothing more.

    annotator: the annotator, but not the text. The others are of different annotators. text: the text, but not the
    generator; text_stage: text and generator, but not the item; item: the item, but not the option; option: the option.
    A name is missing if there is no such pair of judgments. The result is empty if no pair shares neither text nor
    annotator.
    """
    residuals, stage, annotator = _residuals(judgments), judgments.stage, judgments.annotator
    text, person = (stage, judgments.text), (stage, annotator)
    both = (*text, annotator)
    written, item, option = (
        (*text, judgments.generator),
        (stage, judgments.item),
        (stage, judgments.item, judgments.option),
    )
    sums = {
        name: _products(residuals, keys)
        for name, keys in {
            "all": (stage,), "person": person, "text": text, "text+": both, "written": written,
            "written+": (*written, annotator), "item": item, "item+": (*item, annotator), "option": option,
        }.items()
    }  # fmt: skip
    pairs = {
        "nothing": sums["all"] - sums["text"] - sums["person"] + sums["text+"],
        "annotator": sums["person"] - sums["text+"],
        "text": sums["text"] - sums["text+"] - sums["written"] + sums["written+"],
        "text_stage": sums["written"] - sums["written+"] - sums["item"] + sums["item+"],
        "item": sums["item"] - sums["item+"] - sums["option"],
        "option": sums["option"],
    }
    if not pairs["nothing"][1]:
        return {}
    base = pairs.pop("nothing")
    return {name: float(total / n - base[0] / base[1]) for name, (total, n) in pairs.items() if n}


def cell_shares(judgments: Judgments) -> list[tuple[float, float]]:
    """The share of right judgments, and of all judgments, for each combination of generator and stage.

    The first share is kept away from 0 and 1, where its logit would be infinite, by half a judgment.
    """
    code = _combine_codes([judgments.generator, judgments.stage])
    n, right = np.bincount(code), np.bincount(code, weights=judgments.right)
    shares = np.clip(right / n, 0.5 / n, 1 - 0.5 / n)
    return list(zip(shares.tolist(), (n / n.sum()).tolist(), strict=True))


def shared_covariance(shared: FloatArray, total: float, shares: Sequence[tuple[float, float]]) -> FloatArray:
    """(v,): the expected covariance of two judgments that share the variance `shared` (v,) of the total, in logits.

    It is integrated numerically for each cell, that is generator and stage, and averaged. shares: see `cell_shares`.
    """
    nodes, weights = normal_nodes(NODES)
    rest = np.sqrt(np.maximum(total - shared, 0))
    whole = max(total, float(shared.max()))
    # (v, NODES of the shared part, NODES of the rest)
    deviations = np.sqrt(shared)[:, None, None] * nodes[:, None] + rest[:, None, None] * nodes
    covariance = np.zeros(len(shared))
    for share, weight in shares:
        given = (1 / (1 + np.exp(-logit_of(share, whole**0.5) - deviations))) @ weights
        covariance += weight * ((given**2) @ weights - (given @ weights) ** 2)
    return covariance


def _residuals(judgments: Judgments) -> FloatArray:
    """(n,): each judgment (0 or 1) minus the share of right judgments of its generator in its stage."""
    code = _combine_codes([judgments.generator, judgments.stage])
    means = np.bincount(code, weights=judgments.right) / np.bincount(code)
    return np.asarray(judgments.right - means[code])


def _combine_codes(keys: Sequence[IntArray]) -> IntArray:
    """(n,): one code, from 0 without gaps, for each combination of keys that occurs; each key is (n,) codes from 0."""
    number = np.zeros(len(keys[0]), dtype=np.int64)
    for key in keys:
        number = number * (key.max(initial=0) + 1) + key
    return np.asarray(np.unique(number, return_inverse=True)[1])


def _products(e: FloatArray, keys: Sequence[IntArray]) -> FloatArray:
    """(2,): the sum of e[i] · e[j] over all ordered pairs i ≠ j with the same keys, and the number of such pairs."""
    code = _combine_codes(keys)
    n = np.bincount(code)
    sums, squares = np.bincount(code, weights=e), np.bincount(code, weights=e * e)
    return np.array([(sums**2 - squares).sum(), (n * (n - 1.0)).sum()])


def _fit_link(found: Mapping[str, float], shares: Sequence[tuple[float, float]], known: Components) -> CovarianceLink:
    """The link whose total variance equals the sum of the component variances that it gives, found by iteration."""
    total, link = START, None
    kept = {field.name: getattr(known, field.name) ** 2 for field in fields(Components)}
    for _round in range(ITERATIONS):
        grid = np.linspace(0, 1, GRID) ** 2 * min(2 * total, MOST)
        link = CovarianceLink(grid, shared_covariance(grid, total, shares), known)
        total = sum((kept | link.variances(found)).values())
    assert link is not None
    return link


def _parts(shared: Mapping[str, float], known: Components) -> dict[str, float]:
    """The variance of each component: the variance that pairs at its level share, minus that of the levels above it."""
    parts = {"annotator": shared["annotator"]} if "annotator" in shared else {}
    before = 0.0
    for name in NESTED:
        if name in shared:
            parts[name] = max(shared[name] - before, 0.0)
            before = max(shared[name], before)
        else:
            before += getattr(known, name) ** 2
    return parts


def estimate_text_spread(text: IntArray, cell: IntArray, right: BoolArray) -> float | None:
    """How much the preference for the first of two generators differs between texts: a standard deviation in logits.

    Each array is (n,), a place for each judgment that is not a tie. text: the text. cell: the pair of generators.
    right: whether the first generator of the pair won. None if no two judgments of a pair of generators share a text,
    or if all of them do.
    """
    found = pair_covariance(text, cell, right)
    return None if found is None else float(np.sqrt(solve_pair_link(text, cell, right, found).shared_variance(found)))


def pair_covariance(text: IntArray, cell: IntArray, right: BoolArray) -> float | None:
    """The covariance of two judgments about the same pair of generators on one text, minus that on different texts.

    None if there are no two judgments on one text, or none on different texts.
    """
    e = _residuals(_of_pairs(text, cell, right))
    everywhere, within = (_products(e, keys) for keys in ([cell], [cell, text]))
    apart = everywhere - within
    if not within[1] or not apart[1]:
        return None
    return float(within[0] / within[1] - apart[0] / apart[1])


def solve_pair_link(text: IntArray, cell: IntArray, right: BoolArray, covariance: float) -> CovarianceLink:
    """The link whose total variance equals the variance that it gives for `covariance`, found by iteration."""
    shares, total = cell_shares(_of_pairs(text, cell, right)), 0.0
    grid = np.linspace(0, 1, GRID) ** 2 * MOST / 4
    link = CovarianceLink(grid, shared_covariance(grid, total, shares), Components())
    for _round in range(ITERATIONS):
        link = CovarianceLink(grid, shared_covariance(grid, total, shares), Components())
        total = link.shared_variance(covariance)
    return link


def _of_pairs(text: IntArray, cell: IntArray, right: BoolArray) -> Judgments:
    """Judgments of pairs, with the pair in place of the generator; item, option, annotator and stage are all 0."""
    zeros = np.zeros(len(text), dtype=np.int64)
    return Judgments(text, cell, zeros, zeros, zeros, zeros, right)


MOST_GROUPS, FEWEST = 40, 3
MOST_JUDGMENTS = 200_000  # with more, a jackknife takes too long, and the components are known precisely anyway
ANNOTATOR = "annotator"

NOT_FITTED = gettext_noop("The answers do not determine this value, so the assumed value is used.")
TOO_FEW = gettext_noop("An interval needs at least three texts, and for annotators at least three annotators.")
UNDEFINED_WITHOUT = gettext_noop("It cannot be estimated when some of the answers are left out.")
TOO_MANY = gettext_noop(
    "The interval is not computed here because there are too many judgments to compute it while you wait."
)
SAME = gettext_noop("It does not change when parts are left out, so its spread cannot be estimated.")


def component_intervals(judgments: Judgments, fitted: FittedComponents) -> dict[str, Interval]:
    """The jackknife interval of each component, by name: over annotators for `annotator`, over texts for the others.

    An interval is undefined, with the reason, if the component was not estimated or the judgments are too few or too
    many.
    """
    names = [each.name for each in fields(Components)]
    values = {name: math.nan if name in fitted.assumed else getattr(fitted.components, name) for name in names}

    def without(kept: BoolArray) -> dict[str, float]:
        some = Judgments(*(getattr(judgments, each.name)[kept] for each in fields(Judgments)))
        return fitted.link.variances(covariances(some)) if fitted.link else {}

    found = {}
    many = len(judgments.right) > MOST_JUDGMENTS
    for unit, codes in ((TEXT, judgments.text), (ANNOTATOR, judgments.annotator)):
        replicates = [without(kept) for kept in leave_one_out(codes)] if fitted.link and not many else []
        for name in names:
            if (name == ANNOTATOR) == (unit == ANNOTATOR):
                variances = np.array([each.get(name, math.nan) for each in replicates])
                found[name] = jackknife(values[name], np.sqrt(variances), unit, codes)
    return found


def text_spread_interval(text: IntArray, cell: IntArray, right: BoolArray, spread: float | None) -> Interval:
    """The jackknife interval over texts of `spread`, the result of `estimate_text_spread` for the same judgments."""
    covariance = pair_covariance(text, cell, right)
    if spread is None or covariance is None:
        return jackknife(math.nan, np.empty(0), TEXT, text)
    link = solve_pair_link(text, cell, right, covariance)
    without = [pair_covariance(text[kept], cell[kept], right[kept]) for kept in leave_one_out(text)]
    values = [math.nan if each is None else math.sqrt(link.shared_variance(each)) for each in without]
    return jackknife(spread, np.array(values), TEXT, text)


def leave_one_out(codes: IntArray) -> Iterator[BoolArray]:
    """Masks (n,) of the judgments that are kept when one unit is left out, for each unit in turn.

    More than `MOST_GROUPS` units are left out in as many groups. Fewer than `FEWEST` units give no mask.
    """
    units, place = np.unique(codes, return_inverse=True)
    if len(units) >= FEWEST:
        group = place % MOST_GROUPS
        yield from (group != left for left in range(group.max() + 1))


def jackknife(value: float, without: FloatArray, unit: str, codes: IntArray) -> Interval:
    """The jackknife interval value ± t · SE, at least 0. without: (g,) the values when each group of units is left out.

    SE² = (g - 1) / g · Σ (without - mean)², and t has g - 1 degrees of freedom. without is empty if nothing could be
    left out. unit: what is left out, and codes: (n,) the unit of each judgment.
    """
    g, about = len(without), (unit, len(np.unique(codes)), len(codes), None)
    if math.isnan(value):
        return undefined_interval(JACKKNIFE, about, NOT_FITTED)
    if not g:
        return undefined_interval(JACKKNIFE, about, TOO_MANY if len(codes) > MOST_JUDGMENTS else TOO_FEW)
    if np.isnan(without).any():
        return undefined_interval(JACKKNIFE, about, UNDEFINED_WITHOUT)
    error = math.sqrt((g - 1) / g * float(((without - without.mean()) ** 2).sum()))
    if error < NO_SPREAD:
        return undefined_interval(JACKKNIFE, about, SAME)
    reach = float(t_quantile((1 + LEVEL) / 2, g - 1)) * error
    return Interval(max(value - reach, 0.0), value + reach, JACKKNIFE, *about[:3], g, None)
