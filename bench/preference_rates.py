"""Pairs of items, by simulation: intervals and ranks of Davidson's model, and whether the planner foresees them.

    python -m bench.preference_rates --studies 300 --seed 1

Four generators, each two of them compared twice on every text; on each text their log-worths are other ones, and ties
have ν = .5. The true strengths are those of 20,000 texts. A rank is told wrongly if the true rank is not among the
possible ones. The planner's power is held against single studies of two generators, drawn in another way and tested by
the interval of the report.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np

from analysis.measures.components import estimate_text_spread
from analysis.measures.intervals import clustered_mean
from analysis.measures.power import expected_share, logit_of, preference_outlook
from analysis.measures.ranking import rank_generators
from analysis.measures.strengths import DAVIDSON, FIRST, SECOND, TIE, fit, pair_counts
from analysis.measures.types import BoolArray, IntArray
from bench.coverage import Tally
from bench.rates import options, rate

LOG_WORTH = np.array([0.5, 0.2, -0.1, -0.6])
SD_TEXT, TIES, TWICE = 0.5, 0.5, 2
TRUE_TEXTS = 20_000
Judged = tuple[IntArray, IntArray, IntArray, IntArray]


def draw(texts: int, rng: np.random.Generator) -> Judged:
    """first, second, outcome and text of every judgment."""
    pairs = np.array(list(combinations(range(len(LOG_WORTH)), 2)) * TWICE)
    text, place = np.repeat(np.arange(texts), len(pairs)), np.tile(np.arange(len(pairs)), texts)
    first, second = pairs[place].T
    worth = np.exp(LOG_WORTH + rng.normal(0, SD_TEXT, (texts, len(LOG_WORTH))))
    one, other = worth[text, first], worth[text, second]
    drawn = rng.random(len(text)) * (one + other + TIES * np.sqrt(one * other))
    outcome = np.where(drawn < one, FIRST, np.where(drawn < one + other, SECOND, TIE))
    return first, second, outcome, text


def strengths(judged: Judged) -> np.ndarray:
    first, second, outcome, _text = judged
    once = np.zeros(len(first), dtype=np.int64)
    return fit(pair_counts(first, second, outcome, len(LOG_WORTH), once, 1).total(), DAVIDSON).log_worth[0]


def ranking_rates(studies: int, seed: int) -> None:
    truth = strengths(draw(TRUE_TEXTS, np.random.default_rng(seed)))
    true_rank = 1 + (truth[None, :] > truth[:, None]).sum(axis=1)
    for texts in (8, 20, 55):
        rng, tally, wrong, told = np.random.default_rng(seed + texts), Tally(), 0, 0
        for study in range(studies):
            first, second, outcome, text = draw(texts, rng)
            found = rank_generators(first, second, outcome, len(LOG_WORTH), text, DAVIDSON, seed=study)
            for interval, true in zip(found.intervals, truth, strict=True):
                tally.add(interval, true)
            held = found.rank > 0
            wrong += int((((found.rank_low > true_rank) | (found.rank_high < true_rank)) & held).sum())
            told += int(held.sum())
        print(f"Davidson, {texts} texts: {tally}; ranks told wrongly {rate(wrong, told)}", flush=True)


def two_generators(
    texts: int, each: int, share: float, spread: float, rng: np.random.Generator
) -> tuple[IntArray, ...]:
    """Text of each judgment and whether the first won, text by text."""
    mean = logit_of(share, spread)
    won = [rng.random(each) < 1 / (1 + np.exp(-mean - rng.normal(0, spread))) for _text in range(texts)]
    return np.repeat(np.arange(texts), each), np.concatenate(won)


def check_preference(text: IntArray, won: BoolArray, texts: int, seed: int) -> tuple[bool, float]:
    """Whether the report's interval leaves out one half, and its width."""
    interval = clustered_mean(np.bincount(text[won], minlength=texts), np.bincount(text, minlength=texts), seed=seed)
    return not interval.low <= 0.5 <= interval.high, interval.high - interval.low


def planner_rates(studies: int, seed: int) -> None:
    for texts, each, share, spread in ((10, 5, 0.65, 0.5), (30, 3, 0.6, 0.5), (30, 3, 0.5, 0.5), (60, 5, 0.6, 1.0)):
        rng = np.random.default_rng(seed)
        found = [
            check_preference(*two_generators(texts, each, share, spread, rng), texts, study) for study in range(studies)
        ]
        planned = preference_outlook(texts, each, share, text_spread=spread, seed=seed)
        sure = sum(told for told, width in found if not np.isnan(width))
        width = np.nanmean([width for _told, width in found])
        print(
            f"planner, {texts} texts × {each}, share {share}, spread {spread}: power {planned.power:.3f} "
            f"(SE {planned.power_error:.3f}), width {planned.width:.3f}; studies: {rate(sure, studies)}, {width:.3f}",
            flush=True,
        )


def spread_rates(studies: int, seed: int) -> None:
    for texts, each, spread in ((20, 5, 0.5), (60, 5, 0.5), (60, 5, 0.0)):
        rng, fitted = np.random.default_rng(seed), []
        for _study in range(studies):
            text, won = two_generators(texts, each, expected_share(0.4, spread), spread, rng)
            fitted.append(estimate_text_spread(text, np.zeros(len(text), dtype=np.int64), won) or 0.0)
        quartiles = ", ".join(f"{each:.2f}" for each in np.percentile(fitted, [25, 50, 75]))
        print(f"fitted spread, {texts} texts × {each}, true {spread}: quartiles {quartiles}", flush=True)


def main() -> None:
    asked = options(__doc__, 300)
    print(f"{asked.studies} studies each, seed {asked.seed}")
    ranking_rates(asked.studies, asked.seed)
    planner_rates(asked.studies, asked.seed)
    spread_rates(asked.studies, asked.seed)


if __name__ == "__main__":
    main()
