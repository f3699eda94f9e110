"""Contrasts of generators: the difference of every two, alone and adjusted for multiple comparisons.

Sentences, stars and marks that call a generator best, worst or different rest on these contrasts and on nothing else.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from math import isnan
from typing import Any

import numpy as np
from django.utils.translation import gettext as _

from analysis.choices import ANNOTATORS, PUBLISHED, READERS, Choices
from analysis.frames.evidence import Evidence
from analysis.measures.contrasts import (
    AdjustedContrast,
    adjust_joint_contrasts,
    adjust_reader_contrasts,
    adjust_text_contrasts,
)
from analysis.measures.intervals import Bounds, undefined_interval
from analysis.measures.reader_intervals import Arm, contrast_parts, family_parts
from analysis.measures.types import FloatArray
from analysis.reports.estimates import NOT_PUBLISHED, describe_intervals
from analysis.reports.tables import CONTRASTS
from analysis.tables.spec import Table


@dataclass(frozen=True)
class GeneratorFigure:
    """One generator's figure: the means of some arms minus those of others."""

    added: tuple[Arm, ...]
    subtracted: tuple[Arm, ...] = ()

    def without_each_text(self, n_texts: int) -> FloatArray:
        """(n_texts,): the figure when each text is left out; NaN where an arm is then empty."""
        return np.asarray(
            sum(average_without_each_text(arm, n_texts) for arm in self.added)
            - sum((average_without_each_text(arm, n_texts) for arm in self.subtracted), np.zeros(n_texts))
        )

    def arms(self) -> Iterator[Arm]:
        yield from (*self.added, *self.subtracted)


def average_without_each_text(arm: Arm, n_texts: int) -> FloatArray:
    """(n_texts,): the mean of an arm when each text is left out."""
    total, n = (np.bincount(arm.text, weights=part, minlength=n_texts) for part in (arm.total, arm.n))
    left = n.sum() - n
    return np.asarray((total.sum() - total) / np.where(left > 0, left, np.nan))


@dataclass(frozen=True)
class Family:
    """All pairs of generators by one measure and one evaluator, adjusted together.

    n_texts: the number of texts of all their judgments; the arms share these text codes. bounds: the smallest and the
    largest possible difference of two. fixed: whether the evaluator is a model or baseline. scale: the factor of the
    sum of the arms' means, such as 1 / dimensions.
    """

    measure: str
    evaluator: str
    figures: dict[str, GeneratorFigure]
    n_texts: int
    bounds: Bounds
    fixed: bool = False
    scale: float = 1.0
    higher_is_better: bool = True

    def pairs(self) -> list[tuple[str, str]]:
        return list(combinations(self.figures, 2))

    def contrasts(self, convention: str, seed: int, *, alone: bool = False) -> list[AdjustedContrast]:
        """One contrast per pair; over texts for the published convention, which has none of its own.

        alone: skip the adjustment over texts, which saves its draws.
        """
        found = self._over_readers() if convention == READERS else self._over_texts(seed, alone)
        return [rescale(each, self.scale) for each in found]

    def _over_readers(self) -> list[AdjustedContrast]:
        parts = [
            contrast_parts(
                (*self.figures[a].added, *self.figures[b].subtracted),
                (*self.figures[a].subtracted, *self.figures[b].added),
                bounds=self.unscaled_bounds, fixed=self.fixed,
            )
            for a, b in self.pairs()
        ]  # fmt: skip
        return adjust_reader_contrasts(parts, [min(self.texts_of(a), self.texts_of(b)) for a, b in self.pairs()])

    def texts_of(self, generator: str) -> int:
        """The number of texts with a judgment about the generator's items."""
        return self.counts(generator, generator)[0]

    def _over_texts(self, seed: int, alone: bool) -> list[AdjustedContrast]:
        values = np.array([self._difference(a, b) for a, b in self.pairs()])
        figures = {name: figure.without_each_text(self.n_texts) for name, figure in self.figures.items()}
        without = np.stack([figures[a] - figures[b] for a, b in self.pairs()], axis=1)
        return adjust_text_contrasts(values, without, bounds=self.unscaled_bounds, seed=seed, alone=alone)

    def _difference(self, a: str, b: str) -> float:
        one, other = self.figures[a], self.figures[b]
        added, subtracted = (*one.added, *other.subtracted), (*one.subtracted, *other.added)
        return sum(arm.mean() for arm in added) - sum(arm.mean() for arm in subtracted)

    def against_others(self, convention: str, seed: int, *, alone: bool = False) -> list[AdjustedContrast]:
        """One contrast per generator: its figure minus the mean of the others'; adjusted by max-T."""
        if convention == READERS:
            weighted = [self._weights(name) for name in self.figures]
            parts, shared = family_parts(weighted, self.unscaled_bounds, fixed=self.fixed)
            found = adjust_joint_contrasts(parts, shared, seed=seed, alone=alone)
        else:
            values = [sum(weight * arm.mean() for weight, arm in self._weights(name)) for name in self.figures]
            figures = np.stack([figure.without_each_text(self.n_texts) for figure in self.figures.values()], axis=1)
            g = figures.shape[1]
            without = (g * figures - figures.sum(axis=1, keepdims=True)) / (g - 1)
            found = adjust_text_contrasts(
                np.array(values), without, bounds=self.unscaled_bounds, seed=seed, alone=alone
            )
        return [rescale(each, self.scale) for each in found]

    def _weights(self, name: str) -> list[tuple[float, Arm]]:
        others = 1 / (len(self.figures) - 1)
        return [
            (sign * (1.0 if each == name else -others), arm)
            for each, figure in self.figures.items()
            for sign, arms in ((1.0, figure.added), (-1.0, figure.subtracted))
            for arm in arms
        ]

    @property
    def unscaled_bounds(self) -> Bounds:
        return self.bounds[0] / self.scale, self.bounds[1] / self.scale

    def counts(self, a: str, b: str) -> tuple[int, int]:
        """The numbers of texts and annotators with a judgment about either generator."""
        arms = [arm for name in (a, b) for arm in self.figures[name].arms()]
        texts, annotators = (np.concatenate([getattr(arm, name) for arm in arms]) for name in ("text", "annotator"))
        return len(np.unique(texts)), len(np.unique(annotators))


def rescale(found: AdjustedContrast, scale: float) -> AdjustedContrast:
    if scale == 1.0:
        return found
    names = ("value", "low", "high", "low_adjusted", "high_adjusted")
    return replace(found, **{name: getattr(found, name) * scale for name in names})


# Which generators differ ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Difference:
    """A contrast with the names of the generator that does better and of the one that does worse.

    value: the figure of `better` minus that of `worse`; it is negative if lower figures are better.
    """

    better: str
    worse: str
    value: float
    low: float
    high: float
    n_texts: int


@dataclass(frozen=True)
class Comparison:
    """The contrasts of a family, and the conclusions that they allow."""

    family: Family
    found: tuple[AdjustedContrast, ...]

    @cached_property
    def by_pair(self) -> dict[tuple[str, str], AdjustedContrast]:
        """Each contrast under both orders of its pair."""
        pairs = dict(zip(self.family.pairs(), self.found, strict=True))
        return pairs | {(b, a): reverse_contrast(contrast) for (a, b), contrast in pairs.items()}

    @property
    def size(self) -> int:
        return max((each.family_size for each in self.found), default=0)

    @property
    def generators(self) -> list[str]:
        """The generators with a defined figure, the best first."""
        values = {name: self._value(name) for name in self.family.figures}
        defined = [name for name in values if not isnan(values[name])]
        return sorted(defined, key=lambda name: values[name], reverse=self.family.higher_is_better)

    def _value(self, name: str) -> float:
        figure = self.family.figures[name]
        return sum(arm.mean() for arm in figure.added) - sum(arm.mean() for arm in figure.subtracted)

    def beats(self, one: str, other: str) -> bool:
        """Whether `one` is better than `other` by the simultaneous interval of their difference."""
        contrast = self.by_pair[one, other]
        low, high = contrast.low_adjusted, contrast.high_adjusted
        return bool(low > 0 if self.family.higher_is_better else high < 0)

    def leaders(self) -> list[str]:
        """The generators that no other beats, the one with the best figure first."""
        names = self.generators
        return [name for name in names if not any(self.beats(other, name) for other in names if other != name)]

    def winner(self) -> str:
        """The only generator that can be the best; empty if there are several or none.

        It beats each other generator, directly or through one in between, as simultaneous intervals hold jointly.
        """
        leaders = self.leaders()
        return leaders[0] if len(leaders) == 1 and len(self.family.figures) > 1 else ""

    def clear_differences(self) -> list[Difference]:
        """The differences whose simultaneous interval excludes 0, the largest first."""
        found = [
            self.difference(one, other)
            for one, other in combinations(self.generators, 2)
            if self.beats(one, other)
        ]  # fmt: skip
        return sorted(found, key=lambda each: -abs(each.value))

    def largest(self) -> Difference | None:
        """The difference between the best and the worst figure; None if fewer than two are defined."""
        names = self.generators
        return self.difference(names[0], names[-1]) if len(names) > 1 else None

    def difference(self, better: str, worse: str) -> Difference:
        """The difference of two generators with its simultaneous interval, which is NaN if nothing was adjusted."""
        found = self.by_pair[better, worse]
        return Difference(
            better, worse, found.value, found.low_adjusted, found.high_adjusted, self.family.counts(better, worse)[0]
        )

    def reason(self) -> str:
        """Why no generators can be compared; empty if some can."""
        reasons = [each.reason for each in self.found if isnan(each.low_adjusted)]
        return reasons[0] if len(reasons) == len(self.found) and reasons else ""

    def find_separate_group(self, most: int, best: bool) -> frozenset[str]:
        """The largest group of at most `most` generators at one end that all differ from every generator outside."""
        names = self.generators if best else self.generators[::-1]
        for size in range(min(most, len(names) // 2), 0, -1):
            inside, outside = names[:size], names[size:]
            if all(self.beats(*((one, other) if best else (other, one))) for one in inside for other in outside):
                return frozenset(inside)
        return frozenset()


def reverse_contrast(found: AdjustedContrast) -> AdjustedContrast:
    """The contrast with its generators swapped."""
    return replace(
        found, value=-found.value, low=-found.high, high=-found.low,
        low_adjusted=-found.high_adjusted, high_adjusted=-found.low_adjusted,
    )  # fmt: skip


def compare(family: Family, choices: Choices) -> Comparison:
    """The contrasts under the chosen convention."""
    return Comparison(family, tuple(family.contrasts(choices.convention, choices.seed)))


def compare_all(families: Iterable[Family], choices: Choices) -> tuple[Comparison, ...]:
    """Compare each family that has two generators or more."""
    return tuple(compare(family, choices) for family in families if len(family.figures) > 1)


def find_comparison(comparisons: Sequence[Comparison], measure: str, evaluator: str) -> Comparison | None:
    """The comparison by this measure and evaluator."""
    wanted = (measure, evaluator)
    return next((each for each in comparisons if (each.family.measure, each.family.evaluator) == wanted), None)


# The table ------------------------------------------------------------------------------------------------------------


def build_contrasts(evidence: Evidence, comparisons: Sequence[Comparison]) -> Table:
    """One row per measure, evaluator and pair of generators, in the order of the bank."""
    rows = [row for comparison in comparisons for row in iter_contrast_rows(comparison, evidence.choices)]
    notes = [note_adjustment(evidence.choices.convention)]
    if evidence.choices.convention == PUBLISHED:
        notes.append(
            _("Published intervals treat single judgments as independent; here generators are compared over texts.")
        )
    return CONTRASTS.build(rows, notes=notes)


def note_adjustment(convention: str) -> str:
    """The note on how the contrasts of all pairs of generators are adjusted."""
    if convention == READERS:
        return _(
            "Adjusted for multiple comparisons: p by Holm's method, simultaneous intervals by Bonferroni (level"
            " 1 − .05/m for m pairs)."
        )
    return note_max_t(convention)


def note_max_t(convention: str) -> str:
    """The note on an adjustment by max-T, used for pairs of generators over texts and for all other contrasts."""
    if convention == READERS:
        return _(
            "Adjusted for multiple comparisons: p and simultaneous intervals from the distribution of the largest |t|"
            " (max-T) over readers and texts; by Holm where there are more contrasts than texts; from 5 texts."
        )
    return _(
        "Adjusted for multiple comparisons: p and simultaneous intervals from the distribution of the largest |t|"
        " (max-T) over texts; by Holm where there are more contrasts than texts; from 5 texts."
    )


def iter_contrast_rows(comparison: Comparison, choices: Choices) -> Iterator[dict[str, Any]]:
    family = comparison.family
    chosen = READERS if choices.convention == READERS else ANNOTATORS
    others = {
        each: comparison.found if each == chosen else family.contrasts(each, choices.seed, alone=True)
        for each in (READERS, ANNOTATORS)
    }
    for place, (a, b) in enumerate(family.pairs()):
        found = comparison.found[place]
        n_texts, n_annotators = family.counts(a, b)
        yield {
            "measure": family.measure,
            "evaluator": family.evaluator,
            "generator_a": a,
            "generator_b": b,
            "difference": found.value,
            "low": found.low,
            "high": found.high,
            "low_adjusted": found.low_adjusted,
            "high_adjusted": found.high_adjusted,
            "p": found.p,
            "p_adjusted": found.p_adjusted,
            "adjustment": found.adjustment,
            "family_size": found.family_size,
            "n_texts": n_texts,
            "n_annotators": n_annotators,
            "reason": _(found.reason) if found.reason else "",
            "intervals": {
                "difference": build_intervals_by_convention({each: others[each][place] for each in others}, n_texts)
            },
        }


def build_intervals_by_convention(found: dict[str, AdjustedContrast], n_texts: int) -> dict[str, dict[str, Any]]:
    """The intervals of an unadjusted contrast by convention; the published convention has none."""
    undefined = undefined_interval("", ("text", n_texts, 0, None), NOT_PUBLISHED)
    values = {convention: describe_contrast(each, n_texts) for convention, each in found.items()}
    return values | describe_intervals({PUBLISHED: undefined})


def describe_contrast(found: AdjustedContrast, n_texts: int) -> dict[str, Any]:
    reason = _(found.reason) if found.reason else ""
    ends = {"low": found.low, "high": found.high}
    return ends | {"p": found.p, "reason": reason, "n_units": n_texts, "caveats": []}
