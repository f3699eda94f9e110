"""How often nominal 95 % intervals of guess-then-read hold the true value, by simulation.

    python -m bench.coverage --studies 400 --seed 1

One generator in a guess-then-read study: every annotator reads every text, and guesses a third of them, so that each
item is guessed by a third of the annotators. A judgment is right with probability logistic(stage + text + item +
option + annotator + text × stage); the true value is the mean over new texts, items, options and annotators.
"""

from __future__ import annotations

import argparse
import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from analysis.measures.intervals import (
    PERCENTILE,
    Interval,
    clustered_contrast,
    clustered_mean,
    published_contrast,
    published_share,
    two_way_contrast,
)
from studies.plans import make_guess_plan

BoolArray = NDArray[np.bool_]

GENERATORS = ["a", "b", "c"]
ITEMS, OPTIONS = 3, 3
GUESS, READ = 0.4, 2.0  # mean logits without and with the text
SD_TEXT, SD_ITEM, SD_OPTION, SD_ANNOTATOR, SD_TEXT_STAGE = 0.5, 0.8, 0.6, 0.4, 0.4


@dataclass
class Tally:
    """Of one measure and convention: intervals that held the true value, all intervals, and the sum of their widths."""

    held: int = 0
    n: int = 0
    width: float = 0.0

    def add(self, interval: Interval, truth: float) -> None:
        if math.isnan(interval.low):
            return
        self.n += 1
        self.held += interval.low <= truth <= interval.high
        self.width += interval.high - interval.low

    def __str__(self) -> str:
        share = self.held / self.n
        error = math.sqrt(share * (1 - share) / self.n)
        return f"coverage {share:.3f} (SE {error:.3f}), mean width {self.width / self.n:.3f}, {self.n} intervals"


def expected_share(logit: float) -> float:
    """Mean of logistic(logit + noise) over all sources of variation, by Gauss-Hermite quadrature."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(80)
    spread = math.hypot(SD_TEXT, SD_ITEM, SD_OPTION, SD_ANNOTATOR, SD_TEXT_STAGE)
    return float((weights / (1 + np.exp(-logit - spread * nodes))).sum() / weights.sum())


def draw_study(texts: int, annotators: int, rng: np.random.Generator) -> tuple[BoolArray, BoolArray]:
    """Right judgments (texts, items, options, annotators) without and with the text, as if all guessed all."""
    shape = (texts, ITEMS, OPTIONS, annotators)
    common = (
        rng.normal(0, SD_TEXT, (texts, 1, 1, 1))
        + rng.normal(0, SD_ITEM, (texts, ITEMS, 1, 1))
        + rng.normal(0, SD_OPTION, (texts, ITEMS, OPTIONS, 1))
        + rng.normal(0, SD_ANNOTATOR, annotators)
    )
    logits = [stage + common + rng.normal(0, SD_TEXT_STAGE, (texts, 1, 1, 1)) for stage in (GUESS, READ)]
    guess, read = (rng.random(shape) < 1 / (1 + np.exp(-logit)) for logit in logits)
    return guess, read


def draw_who_guesses(texts: int, annotators: int, seed: int) -> BoolArray:
    """(texts, 1, 1, annotators): who guesses the generator's items of a text, by the study's own plan."""
    plan = make_guess_plan([GENERATORS] * texts, annotators, seed)
    return np.array([[cell == GENERATORS[0] for cell in row] for row in plan])[:, None, None, :]


def intervals(guess: BoolArray, read: BoolArray, guessed: BoolArray, seed: int) -> dict[tuple[str, str], Interval]:
    """Of one study, by measure and convention."""
    every = (1, 2, 3)
    g, g_n = (guess & guessed).sum(axis=every), np.broadcast_to(guessed, guess.shape).sum(axis=every)
    a, a_n = read.sum(axis=every), np.full(len(read), read[0].size)
    of_options = (1, 2)  # (texts, annotators)
    tables = [
        part.sum(axis=of_options)
        for part in (read, np.ones_like(read), guess & guessed, np.broadcast_to(guessed, guess.shape))
    ]
    counts = int(a.sum()), int(a_n.sum()), int(g.sum()), int(g_n.sum())
    return {
        ("guessability", "clustered"): clustered_mean(g, g_n, seed=seed),
        ("guessability", "published"): published_share(*counts[2:], seed=seed),
        ("answerability", "clustered"): clustered_mean(a, a_n, seed=seed),
        ("answerability", "published"): published_share(*counts[:2], seed=seed),
        ("informativity", "clustered"): clustered_contrast(a, a_n, g, g_n, seed=seed),
        ("informativity", "published"): published_contrast(*counts, seed=seed),
        ("informativity", "percentile"): clustered_contrast(a, a_n, g, g_n, seed=seed, method=PERCENTILE),
        ("informativity", "two-way"): two_way_contrast(*tables, seed=seed),
    }


def run(studies: int, texts: int, annotators: int, seed: int) -> dict[tuple[str, str], Tally]:
    """All measures and conventions over simulated studies."""
    rng = np.random.default_rng(seed)
    g, a = expected_share(GUESS), expected_share(READ)
    truth = {"guessability": g, "answerability": a, "informativity": a - g}
    tallies: dict[tuple[str, str], Tally] = {}
    for study in range(studies):
        guess, read = draw_study(texts, annotators, rng)
        for key, interval in intervals(guess, read, draw_who_guesses(texts, annotators, study), study).items():
            tallies.setdefault(key, Tally()).add(interval, truth[key[0]])
    return tallies


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--studies", type=int, default=400)
    parser.add_argument("--texts", type=int, default=10)
    parser.add_argument("--annotators", type=int, default=6)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print(
        f"{options.studies} studies of {options.texts} texts and {options.annotators} annotators, seed {options.seed}"
    )
    for (measure, convention), tally in run(options.studies, options.texts, options.annotators, options.seed).items():
        print(f"{measure:15}{convention:11}{tally}")


if __name__ == "__main__":
    main()
