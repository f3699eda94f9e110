"""How often nominal 95 % intervals over readers and texts hold the true value, by simulation.

    python -m bench.reader_coverage --studies 1000 --seed 1 --json coverage.json

Studies of 4 to 100 texts and 3 to 12 readers, who differ by 0, .4 or .9 logits (standard deviation), with easy and hard
items. A judgment is right with probability logistic(stage + generator + text + item + reader + their interactions); two
readers guess each text, all read it. Ratings and preferences are cut from a normal scale. True values are means over
new texts, items and readers, by quadrature. Beside the default stand the other two conventions, and the share of
studies in which an adjusted contrast of equal generators is found. Prints Markdown.
"""

from __future__ import annotations

import argparse
import itertools
import json
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

import numpy as np
from scipy.stats import norm
from scipy.stats import t as student

from analysis.measures.agreement import all_pairs
from analysis.measures.alpha import INTERVAL
from analysis.measures.contrasts import adjust_reader_contrasts, adjust_text_contrasts, list_pairs
from analysis.measures.intervals import (
    Interval,
    clustered_contrast,
    clustered_mean,
    published_contrast,
    published_share,
)
from analysis.measures.reader_coefficients import readers_alpha, readers_kappa
from analysis.measures.reader_intervals import Arm, contrast_parts, readers_contrast, readers_share
from analysis.measures.types import BoolArray, FloatArray, IntArray

TEXTS, READERS, SPREADS = (4, 10, 30, 100), (3, 6, 12), (0.0, 0.4, 0.9)
ITEMS, OPTIONS = 3, 3
STAGES = {"easy": (0.4, 2.0), "hard": (-0.3, 0.6)}  # logits without and with the text
SECOND_GENERATOR = -0.4  # its logit with the text, against the first
SD_TEXT, SD_ITEM, SD_TEXT_STAGE, SD_TEXT_GENERATOR, SD_READER_TEXT = 0.6, 0.7, 0.4, 0.3, 0.3
MEAN_SCORE = {"easy": 0.9, "hard": 0.1}
SD_NOISE = 0.8  # of a single rating or preference
FIVE, THREE = np.array([-1.5, -0.6, 0.3, 1.1]), np.array([-0.7, 0.6])
SKEWED_FIVE, SKEWED_THREE = np.array([-3.2, -2.7, -2.3, -1.9]), np.array([-2.4, -1.9])
TIE = 0.35  # of the preference scale on either side of 0
AT_ONCE = 200  # studies drawn together
CONVENTION_STUDIES = 40  # a design, for the other two conventions: their draws take long
FAMILIES = ((3, 10), (4, 20), (15, 20))  # generators, texts
NODES, WEIGHTS = np.polynomial.hermite_e.hermegauss(60)
WEIGHTS = WEIGHTS / WEIGHTS.sum()

AGREEMENT = ("κ", "α", "κ, skewed", "α, skewed")
GATES = {"κ": 0.89, "α": 0.89, "κ, skewed": 0.0, "α, skewed": 0.0}


@dataclass(frozen=True)
class Design:
    texts: int
    readers: int
    items: str
    spread: float

    @property
    def shape(self) -> tuple[int, int]:
        return self.texts, self.readers


@dataclass
class Count:
    """Of one figure, convention and design: studies with an interval, those that hold the truth, undefined ones."""

    design: Design
    figure: str
    convention: str
    n: int = 0
    held: int = 0
    undefined: int = 0
    widths: list[float] = field(default_factory=list)

    def add(self, interval: Interval, truth: float) -> None:
        if math.isnan(interval.low):
            self.undefined += 1
            return
        self.n += 1
        self.held += interval.low <= truth <= interval.high
        self.widths.append(interval.high - interval.low)

    def add_all(self, low: FloatArray, high: FloatArray, truth: float) -> None:
        defined = ~np.isnan(low)
        self.undefined += int((~defined).sum())
        self.n += int(defined.sum())
        self.held += int(((low <= truth) & (truth <= high)).sum())
        self.widths += (high - low)[defined].tolist()

    @property
    def coverage(self) -> float:
        return self.held / self.n if self.n else math.nan

    def as_json(self) -> dict[str, object]:
        about = {**asdict(self.design), "figure": self.figure, "convention": self.convention, "n": self.n}
        return about | {
            "coverage": self.coverage, "undefined": self.undefined, "width": float(np.median(self.widths or [math.nan]))
        }  # fmt: skip


class Counts(dict[tuple[Design, str, str], Count]):
    """By design, figure and convention."""

    def add(self, design: Design, figure: str, interval: Interval, truth: float, convention: str) -> None:
        self.one(design, figure, convention).add(interval, truth)

    def one(self, design: Design, figure: str, convention: str = "readers") -> Count:
        key = (design, figure, convention)
        return self.setdefault(key, Count(*key))

    def of(self, figure: str, convention: str, **wanted: object) -> list[float]:
        """The coverage of each design that fits."""
        return [
            count.coverage
            for (design, name, by), count in self.items()
            if name == figure and by == convention and count.n
            and all(getattr(design, part) == value for part, value in wanted.items())
        ]  # fmt: skip


def integrate_normal(function: Callable[[FloatArray], FloatArray], mean: float, *spreads: float) -> float:
    """Mean of a function of a normal number."""
    return float(WEIGHTS @ function(mean + math.hypot(*spreads) * NODES))


def logistic(x: FloatArray) -> FloatArray:
    return np.asarray(1 / (1 + np.exp(-x)))


def true_shares(design: Design) -> tuple[FloatArray, FloatArray]:
    """(2,) guessability and (2,) answerability of two generators."""
    spreads = (
        SD_TEXT, SD_ITEM, SD_TEXT_STAGE, SD_TEXT_GENERATOR, SD_READER_TEXT, design.spread, design.spread / 2,
    )  # fmt: skip
    guess, read = STAGES[design.items]
    return tuple(
        np.array([integrate_normal(logistic, mean, *spreads) for mean in means])
        for means in ((guess, guess), (read, read + SECOND_GENERATOR))
    )  # type: ignore[return-value]


def draw_right(
    design: Design, studies: int, rng: np.random.Generator, means: tuple[float, FloatArray]
) -> tuple[IntArray, IntArray]:
    """Right judgments (studies, generators, texts, readers) of ITEMS · OPTIONS in a cell, without and with the text."""
    generators = len(means[1])

    def noise(sd: float, texts: int = 1, readers: int = 1, of: int = 1, items: int = 1) -> FloatArray:
        return rng.normal(0, sd, (studies, of, texts, readers, items)) if sd else np.zeros((1, 1, 1, 1, 1))

    texts, readers = design.shape
    common = (
        noise(SD_TEXT, texts) + noise(SD_TEXT_GENERATOR, texts, of=generators)
        + noise(SD_ITEM, texts, of=generators, items=ITEMS) + noise(design.spread, readers=readers)
    )  # fmt: skip
    right = []
    for mean in (np.full(generators, means[0]), means[1]):
        own = noise(SD_TEXT_STAGE, texts) + noise(design.spread / 2, readers=readers)
        logit = common + own + noise(SD_READER_TEXT, texts, readers) + mean[:, None, None, None]
        right.append(rng.binomial(OPTIONS, logistic(logit)).sum(axis=-1))
    return right[0], right[1]


def draw_guessing(design: Design, studies: int, rng: np.random.Generator) -> BoolArray:
    """(studies, 2, texts, readers): which two readers guess each generator's items of a text."""
    place = rng.random((studies, *design.shape)).argsort(axis=-1)
    second = np.isin(place, [2 % design.readers, 3 % design.readers])
    return np.stack([place < 2, second], axis=1)


def cover_shares(counts: Counts, design: Design, studies: int, rng: np.random.Generator) -> None:
    """G, A, A - G and the difference of two generators' A - G."""
    g, a = true_shares(design)
    guess_mean, read_mean = STAGES[design.items]
    means = (guess_mean, np.array([read_mean, read_mean + SECOND_GENERATOR]))
    guesses, reads = draw_right(design, studies, rng, means)
    asked = draw_guessing(design, studies, rng) * ITEMS * OPTIONS
    every = np.full(reads.shape, ITEMS * OPTIONS)
    guess = [(guesses[:, one] * (asked[:, one] > 0), asked[:, one]) for one in (0, 1)]
    read = [(reads[:, one], every[:, one]) for one in (0, 1)]
    cover_together(counts, design, "guessability", [guess[0]], [], g[0])
    cover_together(counts, design, "answerability", [read[0]], [], a[0])
    cover_together(counts, design, "informativity", [read[0]], [guess[0]], a[0] - g[0])
    both = [read[0], guess[1]], [guess[0], read[1]]
    cover_together(counts, design, "difference of generators", *both, a[0] - g[0] - a[1] + g[1])


Tables = tuple[FloatArray | IntArray, FloatArray | IntArray]  # sums and counts of an arm, (studies, texts, readers)


def cover_together(
    counts: Counts, design: Design, figure: str, added: Sequence[Tables], subtracted: Sequence[Tables], truth: float
) -> None:
    """Count a figure of many studies; the first one is compared with the product's own function."""
    low, high = ends_together(added, subtracted)
    arms = [[Arm.of_tables(total[0], n[0]) for total, n in side] for side in (added, subtracted)]
    whole = (-2.0, 2.0)
    first = readers_contrast(*arms, bounds=whole) if subtracted else readers_share(arms[0][0])
    check(f"{figure} of {design}", first, low[0], high[0])
    counts.one(design, figure).add_all(low, high, truth)


def check(about: str, interval: Interval, low: float, high: float) -> None:
    """Raise AssertionError unless the ends computed here are those of the product's own function."""
    if not np.allclose((interval.low, interval.high), (low, high), atol=1e-9, equal_nan=True):
        raise AssertionError(f"{about}: {interval.low}, {interval.high} are not {low}, {high}")


def ends_together(added: Sequence[Tables], subtracted: Sequence[Tables]) -> tuple[FloatArray, FloatArray]:
    """The ends (studies,) by the formulas of variance_parts.py, written for tables; three readers and more."""
    arms = [*((1, *tables) for tables in added), *((-1, *tables) for tables in subtracted)]
    whole = [(sign, s.sum(axis=(1, 2)), n.sum(axis=(1, 2))) for sign, s, n in arms]
    value = np.sum([sign * s / n for sign, s, n in whole], axis=0)
    h = np.sum(
        [
            sign * (s - (of_s / of_n)[:, None, None] * n) / of_n[:, None, None]
            for (sign, s, n), (_sign, of_s, of_n) in zip(arms, whole, strict=True)
        ],
        axis=0,
    )
    n = np.sum([n for _sign, _s, n in arms], axis=0)
    there = n > 0
    parts, squared_t, readers = [], [], there.any(axis=1).sum(axis=1)
    for axis in (2, 1):
        loads = n.sum(axis=axis)
        effective = loads.sum(axis=1) ** 2 / (loads**2).sum(axis=1)
        parts.append((h.sum(axis=axis) ** 2).sum(axis=1) * effective / (effective - 1))
        squared_t.append(student.ppf(0.975, effective - 1) ** 2)
    texts, both = squared_t[0] * parts[0], squared_t[0] * parts[0] + squared_t[1] * parts[1]
    reach = np.sqrt(np.maximum(both - norm.ppf(0.975) ** 2 * estimate_shared(h, there, readers), texts))
    reach = np.where(readers < 3, math.nan, reach)  # texts only: counted as undefined here
    if subtracted:
        return np.maximum(value - reach, -2), np.minimum(value + reach, 2)
    place = np.where((value > 0) & (value < 1), value, math.nan)
    step, centre = reach / (place * (1 - place)), np.log(place / (1 - place))
    return logistic(centre - step), logistic(centre + step)


def estimate_shared(h: FloatArray, there: BoolArray, readers: IntArray) -> FloatArray:
    """V_C (studies,)."""
    cells, e = there.sum(axis=(1, 2)), h
    for _sweep in range(8):
        for axis in (2, 1):
            e = (e - e.sum(axis=axis, keepdims=True) / np.maximum(there.sum(axis=axis, keepdims=True), 1)) * there
    f, raw = cells - there.any(axis=2).sum(axis=1) - readers + 1, (h**2).sum(axis=(1, 2))
    found = (e**2).sum(axis=(1, 2)) * cells / np.maximum(f, 1)
    return np.asarray(np.where(f < 1, raw, np.where(f < cells / 4, np.minimum(found, raw), found)))


def cover_conventions(counts: Counts, design: Design, studies: int, rng: np.random.Generator) -> None:
    """Answerability and informativity with these annotators only, and as published."""
    g, a = true_shares(design)
    guess_mean, read_mean = STAGES[design.items]
    guesses, reads = draw_right(design, studies, rng, (guess_mean, np.array([read_mean])))
    asked = draw_guessing(design, studies, rng)[:, 0] * ITEMS * OPTIONS
    n = np.full(design.texts, design.readers * ITEMS * OPTIONS)
    for study in range(studies):
        read, guess, guess_n = (
            x.sum(axis=1) for x in (reads[study, 0], guesses[study, 0] * (asked[study] > 0), asked[study])
        )
        totals = int(read.sum()), int(n.sum()), int(guess.sum()), int(guess_n.sum())
        found = {
            ("answerability", "annotators"): clustered_mean(read, n, seed=1),
            ("answerability", "published"): published_share(*totals[:2], seed=1),
            ("informativity", "annotators"): clustered_contrast(read, n, guess, guess_n, seed=1),
            ("informativity", "published"): published_contrast(*totals, seed=1),
        }
        for (figure, convention), interval in found.items():
            counts.add(design, figure, interval, a[0] - (g[0] if figure == "informativity" else 0), convention)


def cover_ratings(counts: Counts, design: Design, studies: int, rng: np.random.Generator) -> None:
    """The mean of ratings 1 to 5 of three items a text, and the win rate of one of two generators, a tie half."""
    mean = MEAN_SCORE[design.items]
    spreads = (SD_TEXT, SD_ITEM, design.spread, SD_NOISE)
    score = 1 + sum(float(norm.sf(end, mean, math.hypot(*spreads))) for end in FIVE)
    ahead = norm(mean - 0.1, math.hypot(SD_TEXT, design.spread, SD_NOISE))
    rate = float((ahead.sf(TIE) + ahead.sf(-TIE)) / 2)
    ratings = np.stack([draw_labels(design, FIVE, mean, rng) for _study in range(studies)])
    by_cell = ratings.reshape(studies, design.readers, design.texts, ITEMS).sum(axis=3).swapaxes(1, 2)
    n = np.full(by_cell.shape, ITEMS)
    cover_together(counts, design, "mean rating", [(by_cell / (len(FIVE)), n)], [], (score - 1) / len(FIVE))
    habits = rng.normal(0, SD_TEXT, (studies, design.texts, 1)) + rng.normal(
        0, design.spread, (studies, 1, design.readers)
    )
    liked = mean - 0.1 + habits + rng.normal(0, SD_NOISE, by_cell.shape)
    wins = ((liked > TIE) * 1.0 + (liked > -TIE)) / 2
    cover_together(counts, design, "win rate", [(wins, np.ones(wins.shape))], [], rate)


def draw_labels(design: Design, ends: FloatArray, mean: float, rng: np.random.Generator) -> IntArray:
    """Codes (readers, texts · ITEMS): where a normal number falls between the ends."""
    text = np.repeat(rng.normal(0, SD_TEXT, design.texts), ITEMS)
    latent = mean + text + rng.normal(0, SD_ITEM, len(text)) + rng.normal(0, design.spread, (design.readers, 1))
    return np.searchsorted(ends, latent + rng.normal(0, SD_NOISE, latent.shape)).astype(np.int64)


def label_shares(ends: FloatArray, mean: float, reader: FloatArray) -> FloatArray:
    """(nodes of the unit, readers, labels): probability of each label, by the unit's place and the reader's habit."""
    common = math.hypot(SD_TEXT, SD_ITEM) * NODES
    above = norm.sf((ends - mean - common[:, None, None] - reader[:, None]) / SD_NOISE)
    edges = np.concatenate([np.ones((*above.shape[:2], 1)), above, np.zeros((*above.shape[:2], 1))], axis=2)
    return np.asarray(edges[..., :-1] - edges[..., 1:])


def true_agreement(ends: FloatArray, mean: float, spread: float) -> tuple[float, float]:
    """Mean κ of two new readers, and α at interval level, with endless texts and readers."""
    shares = label_shares(ends, mean, spread * NODES)
    joint = np.einsum("u,uak,ubk->ab", WEIGHTS, shares, shares)
    own = np.einsum("u,uak->ak", WEIGHTS, shares)
    kappa = (joint - own @ own.T) / (1 - own @ own.T)
    labels = np.arange(len(ends) + 1.0)
    by_unit = (shares @ labels) @ WEIGHTS
    average = WEIGHTS @ by_unit
    total = WEIGHTS @ (own @ labels**2) - average**2
    return float(WEIGHTS @ kappa @ WEIGHTS), float((WEIGHTS @ by_unit**2 - average**2) / total)


def cover_agreement(counts: Counts, design: Design, studies: int, rng: np.random.Generator) -> None:
    """κ of three labels and α of five, with all in use and with one label nine times of ten."""
    text, pairs = np.repeat(np.arange(design.texts), ITEMS), all_pairs(design.readers)
    for label, three, five in (("", THREE, FIVE), (", skewed", SKEWED_THREE, SKEWED_FIVE)):
        kappa, alpha = true_agreement(three, 0.0, design.spread)[0], true_agreement(five, 0.0, design.spread)[1]
        for start in range(0, studies, AT_ONCE):
            now = min(AT_ONCE, studies - start)
            labels, scores = (
                np.stack([draw_labels(design, ends, 0.0, rng) for _study in range(now)]) for ends in (three, five)
            )
            found = (
                ("κ", kappas_together(by_text(labels, design), 3), readers_kappa(labels[0], 3, pairs, text), kappa),
                ("α", alphas_together(by_text(scores, design)), readers_alpha(scores[0] * 1.0, INTERVAL, text), alpha),
            )
            for name, (low, high), first, truth in found:
                check(f"{name} of {design}", first, low[0], high[0])
                counts.one(design, name + label).add_all(low, high, truth)


def by_text(labels: IntArray, design: Design) -> FloatArray:
    """(studies, texts, readers, items) from (studies, readers, texts · items)."""
    return labels.reshape(len(labels), design.readers, design.texts, ITEMS).swapaxes(1, 2).astype(np.float64)


def kappas_together(labels: FloatArray, categories: int) -> tuple[FloatArray, FloatArray]:
    """The ends (studies,) for mean κ of complete ratings (studies, texts, readers, items)."""
    _studies, texts, _readers, items = labels.shape
    chosen = (labels[..., None] == np.arange(categories)).astype(np.float64)
    flat = chosen.reshape(*labels.shape[:3], items * categories)
    agreed, given = flat @ flat.swapaxes(-1, -2), chosen.sum(axis=3)  # (s, t, a, b), (s, t, a, c)
    n, fewer = texts * items, (texts - 1) * items
    sums = kappa_sums(agreed.sum(axis=1), given.sum(axis=1), n)  # (2, s, a)
    without = kappa_sums(agreed.sum(axis=1)[:, None] - agreed, given.sum(axis=1)[:, None] - given, fewer)
    others = sums.sum(axis=-1, keepdims=True) / 2 - sums
    ratios = (
        quotient(*pair) for pair in (sums.sum(axis=-1), without.sum(axis=-1), others, others[:, :, None] + without)
    )
    return ends_of_left_out(*ratios)


def quotient(above: FloatArray, below: FloatArray) -> FloatArray:
    return np.asarray(above / np.where(below > 0, below, np.nan))


def kappa_sums(agreed: FloatArray, given: FloatArray, n: int) -> FloatArray:
    """(2, …, a): Σ n κ and Σ n over each reader's pairs that have a κ."""
    by_chance = given @ given.swapaxes(-1, -2)
    defined = (by_chance < n * n) & ~np.eye(given.shape[-2], dtype=bool)
    kappa = np.where(defined, (n * agreed - by_chance) / np.where(defined, n * n - by_chance, 1), 0.0)
    return n * np.stack([kappa.sum(axis=-1), defined.sum(axis=-1)])


def alphas_together(x: FloatArray) -> tuple[FloatArray, FloatArray]:
    """The ends (studies,) for α at interval level of complete ratings (studies, texts, readers, items)."""
    readers = x.shape[2]
    first, second = x.sum(axis=2), (x**2).sum(axis=2)
    apart = 2 * (readers * second - first**2) / (readers - 1)
    fewer = 2 * ((readers - 1) * (second[:, :, None] - x**2) - (first[:, :, None] - x) ** 2) / (readers - 2)
    of_text = np.stack([apart, np.full(apart.shape, readers), first, second]).sum(axis=-1)  # (4, s, t)
    of_cell = np.stack([apart[:, :, None] - fewer, np.ones(x.shape), x, x**2]).sum(axis=-1)  # (4, s, t, a)
    total = of_text.sum(axis=-1)
    left = total, total[..., None] - of_text, total[..., None] - of_cell.sum(axis=2), total[..., None, None] - of_cell
    return ends_of_left_out(*(alpha_of_moments(*sums) for sums in left))


def alpha_of_moments(apart: FloatArray, n: FloatArray, first: FloatArray, second: FloatArray) -> FloatArray:
    differs = n * second - first**2
    return np.asarray(1 - (n - 1) * apart / np.where(differs > 0, 2 * differs, np.nan))


def ends_of_left_out(
    value: FloatArray, text: FloatArray, reader: FloatArray, cell: FloatArray
) -> tuple[FloatArray, FloatArray]:
    """The ends from a figure (s,) and its values without texts (s, t), readers (s, a) and cells (s, t, a)."""
    texts, readers = cell.shape[1:]
    v_t, v_a = ((x.shape[1] - 1) * x.var(axis=1) for x in (text, reader))
    e = cell - cell.mean(axis=2, keepdims=True)
    e = e - e.mean(axis=1, keepdims=True)
    v_c = (e**2).sum(axis=(1, 2)) * texts * readers / ((texts - 1) * (readers - 1))
    of_texts, of_readers = student.ppf(0.975, texts - 1) ** 2 * v_t, student.ppf(0.975, readers - 1) ** 2 * v_a
    squared = np.maximum(np.maximum(of_texts + of_readers - norm.ppf(0.975) ** 2 * v_c, of_texts), of_readers)
    reach = np.where(squared > 1e-20, np.sqrt(squared), np.nan)
    return np.maximum(value - reach, -1), np.minimum(value + reach, 1)


def false_findings(generators: int, texts: int, studies: int, rng: np.random.Generator) -> dict[str, float]:
    """Share of studies that find a difference of informativity among equal generators, by what it is judged with."""
    design, pairs = Design(texts, 6, "easy", 0.4), list_pairs(generators)
    guess_mean, read_mean = STAGES["easy"]
    found = dict.fromkeys(("readers, each alone", "readers", "annotators, each alone", "annotators"), 0)
    every = np.full(design.shape, ITEMS * OPTIONS)
    for _study in range(studies):
        guesses, reads = (x[0] for x in draw_right(design, 1, rng, (guess_mean, np.full(generators, read_mean))))
        asked = np.stack([draw_guessing(design, 1, rng)[0, 0] for _one in range(generators)]) * ITEMS * OPTIONS
        guess = [Arm.of_tables(guesses[one], asked[one]) for one in range(generators)]
        read = [Arm.of_tables(reads[one], every) for one in range(generators)]
        family = [contrast_parts((read[a], guess[b]), (guess[a], read[b]), bounds=(-2.0, 2.0)) for a, b in pairs]
        by_text = [x.sum(axis=2).T for x in (reads, np.broadcast_to(every, reads.shape), guesses * (asked > 0), asked)]
        whole = [x.sum(axis=0) for x in by_text]
        values, without = (
            (parts[0] / parts[1] - parts[2] / parts[3])[..., pairs[:, 0]]
            - (parts[0] / parts[1] - parts[2] / parts[3])[..., pairs[:, 1]]
            for parts in (whole, [total - x for total, x in zip(whole, by_text, strict=True)])
        )
        by_readers = adjust_reader_contrasts(family)
        by_texts = adjust_text_contrasts(values, without, bounds=(-2.0, 2.0), seed=1)
        for name, contrasts in (("readers", by_readers), ("annotators", by_texts)):
            found[name] += min(one.p_adjusted for one in contrasts) < 0.05
            found[f"{name}, each alone"] += min(one.p for one in contrasts) < 0.05
    return {name: hits / studies for name, hits in found.items()}


def designs() -> Iterator[Design]:
    for texts, readers, items, spread in itertools.product(TEXTS, READERS, STAGES, SPREADS):
        yield Design(texts, readers, items, spread)


def run(studies: int, agreement_studies: int, seed: int) -> Counts:
    counts = Counts()
    for place, design in enumerate(designs()):
        rng = np.random.default_rng([seed, place])
        for start in range(0, studies, AT_ONCE):
            cover_shares(counts, design, min(AT_ONCE, studies - start), rng)
        if studies:
            cover_ratings(counts, design, studies, rng)
        cover_conventions(counts, design, min(studies, CONVENTION_STUDIES), rng)
        if design.items == "hard":
            cover_agreement(counts, design, agreement_studies, rng)
    return counts


FIGURES = ("guessability", "answerability", "informativity", "difference of generators", "mean rating", "win rate")


def markdown(counts: Counts, families: dict[str, dict[str, float]]) -> str:
    """Three tables: the default by readers and by texts, the conventions by texts, families of contrasts."""
    lines = ["| mean / least coverage | " + " | ".join(f"{r} readers" for r in READERS)]
    lines[0] += " | " + " | ".join(f"{t} texts" for t in TEXTS) + " |"
    lines.append("|---" * (1 + len(READERS) + len(TEXTS)) + "|")
    for figure in (*FIGURES, *AGREEMENT):
        if not counts.of(figure, "readers"):
            continue
        cells = [counts.of(figure, "readers", readers=r) for r in READERS]
        cells += [counts.of(figure, "readers", texts=t) for t in TEXTS]
        lines.append(f"| {figure} | " + " | ".join(format_coverage(cell) for cell in cells) + " |")
    lines += ["", "| convention | figure | " + " | ".join(f"{t} texts" for t in TEXTS) + " |", "|---" * 6 + "|"]
    for convention, figure in itertools.product(("readers", "annotators", "published"), FIGURES[1:3]):
        cells = [counts.of(figure, convention, texts=t) for t in TEXTS]
        if not any(cells):
            continue
        lines.append(f"| {convention} | {figure} | " + " | ".join(format_coverage(cell) for cell in cells) + " |")
    if families:
        names = next(iter(families.values()))
        lines += ["", "| no true difference | " + " | ".join(names) + " |", "|---" * (1 + len(names)) + "|"]
    for about, found in families.items():
        lines.append(f"| {about} | " + " | ".join(f"{100 * share:.1f}" for share in found.values()) + " |")
    lines += ["", *below_the_gate(counts)]
    return "\n".join(lines)


def format_coverage(coverages: list[float]) -> str:
    return f"{100 * np.mean(coverages):.1f} / {100 * min(coverages):.1f}" if coverages else ""


def below_the_gate(counts: Counts) -> list[str]:
    """Every design whose coverage is below .92 (κ and α .89), and every figure below .94 on average."""
    lines = [
        f"- {count.figure}, {design.texts} texts × {design.readers} readers, {design.items} items, spread "
        f"{design.spread}: {100 * count.coverage:.1f} of {count.n}"
        for (design, figure, convention), count in counts.items()
        if convention == "readers" and count.coverage < GATES.get(figure, 0.92)
    ]
    averages = {figure: float(np.mean(counts.of(figure, "readers") or [1])) for figure in FIGURES}
    lines += [f"- {figure}: {100 * mean:.1f} on average" for figure, mean in averages.items() if mean < 0.94]
    return lines or ["No design is below the gate."]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--studies", type=int, default=1000)
    parser.add_argument("--agreement-studies", type=int, default=1000)
    parser.add_argument("--family-studies", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    counts, families = run(options.studies, options.agreement_studies, options.seed), {}
    for generators, texts in FAMILIES:
        rng = np.random.default_rng([options.seed, generators])
        if not options.family_studies:
            break
        studies = options.family_studies if generators < 10 else options.family_studies // 4
        about = f"{generators} generators, {texts} texts ({studies} studies)"
        families[about] = false_findings(generators, texts, studies, rng)
    print(markdown(counts, families))
    if options.json:
        found = {"designs": [count.as_json() for count in counts.values()], "families": families}
        options.json.write_text(json.dumps(found, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
