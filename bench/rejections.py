"""How often tests reject what is true, and see what is there, by simulation.

    python -m bench.rejections --studies 400 --seed 1

alternative-annotator test: three people are right in 95 of 100 units; the model is as much worse as ε forgives (it is
then to pass in at most 5 of 100 studies), half as much worse, or as good as they are. Friedman and Nemenyi: seven
dimensions that do not differ, scored on a scale of three or continuously. Correlations: metrics that have nothing to
do with people's scores, where items of one text are alike or not; `p` and what adjusts it take rows as independent (the
published convention), `by texts` is the default one.
"""

from __future__ import annotations

import numpy as np

from analysis.measures.contrasts import BENJAMINI_HOCHBERG, HOLM, adjust_p_values, friedman, nemenyi
from analysis.measures.correlation_intervals import clustered_correlation, clustered_within
from analysis.measures.correlations import correlation
from analysis.measures.intervals import JACKKNIFE, p_of_zero
from analysis.measures.stand_in import SKILLED, alternative_annotator_test, reliability
from analysis.measures.types import FloatArray, IntArray
from bench.rates import options, rate

PEOPLE, RIGHT, METRICS, DIMENSIONS = 3, 0.95, 6, 7


def draw_judgments(units: int, model: float, rng: np.random.Generator) -> tuple[FloatArray, FloatArray]:
    """People's and the model's answers to yes-no questions."""
    truth = rng.integers(0, 2, units)
    right = rng.random((PEOPLE + 1, units)) < np.append(np.full(PEOPLE, RIGHT), model)[:, None]
    answers = np.where(right, truth, 1 - truth).astype(float)
    return answers[:PEOPLE], answers[PEOPLE]


def behind(model: float, seed: int) -> float:
    """By how much a person is more often at least as good as the model, on 100,000 units."""
    people, answers = draw_judgments(100_000, model, np.random.default_rng(seed))
    agree, ours = (people[1:] == people[0]).mean(axis=0), (people[1:] == answers).mean(axis=0)
    return float((agree >= ours).mean() - (ours >= agree).mean())


def model_behind(gap: float, seed: int) -> float:
    """How often a model is right that is behind by so much; by bisection."""
    low, high = 0.5, RIGHT
    for _halving in range(20):
        middle = (low + high) / 2
        low, high = (middle, high) if behind(middle, seed) > gap else (low, middle)
    return (low + high) / 2


def stand_in_rates(studies: int, seed: int) -> None:
    for about, gap in (("as much worse as ε", SKILLED), ("half as much worse", SKILLED / 2), ("as good", 0.0)):
        model = model_behind(gap, seed) if gap else RIGHT
        for units in (5, 10, 30, 100):
            rng = np.random.default_rng(seed + units)
            passed = sum(
                alternative_annotator_test(*draw_judgments(units, model, rng), SKILLED).is_passed
                for _study in range(studies)
            )
            print(f"alternative annotator, {about}, {units} units: passes {rate(passed, studies)}", flush=True)


def friedman_rates(studies: int, seed: int) -> None:
    for about, levels in (("three levels", 3), ("continuous", 0)):
        for blocks in (10, 100):
            rng, whole, any_pair = np.random.default_rng(seed), 0, 0
            for _study in range(studies):
                latent = rng.normal(size=(blocks, 1)) + rng.normal(size=(blocks, DIMENSIONS))
                scores = np.clip(np.rint(latent), -1, 1) if levels else latent
                whole += friedman(scores).p < 0.05
                any_pair += (nemenyi(scores) < 0.05).any()
            print(f"Friedman, {about}, {blocks} items: {rate(whole, studies)}; Nemenyi, any pair: "
                  f"{rate(any_pair, studies)}", flush=True)  # fmt: skip


def by_texts(x: FloatArray, y: FloatArray, text: IntArray) -> float:
    """p as the report has it."""
    whole = clustered_correlation(x, y, text, seed=1, method=JACKKNIFE, bounds=(-np.inf, np.inf))
    return p_of_zero(correlation(x, y).r, whole)


def correlation_rates(studies: int, seed: int) -> None:
    for about, shared in (("items independent", 0.0), ("items of a text alike", 1.0)):
        for texts in (10, 50):
            rng = np.random.default_rng(seed)
            text = np.repeat(np.arange(texts), 5)
            hits = dict.fromkeys(("p", "Holm", "BH", "by texts", "by texts, Holm", "within text"), 0)
            for study in range(studies):
                y, *metrics = shared * rng.normal(size=(METRICS + 1, texts))[:, text] + rng.normal(
                    size=(METRICS + 1, len(text))
                )
                p = np.array([correlation(x, y).p for x in metrics])
                hits["p"] += p[0] < 0.05
                hits["Holm"] += (adjust_p_values(p, HOLM) < 0.05).any()
                hits["BH"] += (adjust_p_values(p, BENJAMINI_HOCHBERG) < 0.05).any()
                own = np.array([by_texts(x, y, text) for x in metrics])
                hits["by texts"] += own[0] < 0.05
                hits["by texts, Holm"] += (adjust_p_values(own, HOLM) < 0.05).any()
                within = clustered_within(metrics[0], y, text, seed=study)
                hits["within text"] += not within.low <= 0 <= within.high
            page_text = "; ".join(f"{name} {rate(n, studies)}" for name, n in hits.items())
            print(f"correlation of nothing, {about}, {texts} texts: {page_text}", flush=True)


def calibration_rates(studies: int, seed: int) -> None:
    """A model whose probabilities are exactly right: what is its calibration error on n judgments?"""
    for n in (50, 200, 1000, 10_000):
        rng, found = np.random.default_rng(seed), []
        for _study in range(studies):
            p = rng.beta(0.5, 0.5, n)
            each = reliability(p, rng.random(n) < p)
            found.append((each.ece, each.ece_by_chance))
        error, expected = np.mean(found, axis=0)
        print(f"calibration error of a calibrated model, {n} judgments: {error:.3f}, by chance {expected:.3f}")


def main() -> None:
    asked = options(__doc__, 400)
    print(f"{asked.studies} studies each, seed {asked.seed}")
    stand_in_rates(asked.studies, asked.seed)
    friedman_rates(asked.studies, asked.seed)
    correlation_rates(asked.studies, asked.seed)
    calibration_rates(asked.studies, asked.seed)


if __name__ == "__main__":
    main()
