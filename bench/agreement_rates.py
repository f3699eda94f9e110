"""How often text-clustered 95 % intervals of agreement hold the true value, by simulation.

    python -m bench.agreement_rates --studies 400 --seed 1

Three people with habits of their own rate four items on each text from 1 to 3; items of one text are alike. The true
value is that of the same people on 20,000 texts: intervals over texts speak of new texts, not of new people. Beside
them stand the published intervals, which take items as independent.
"""

from __future__ import annotations

import numpy as np

from analysis.measures.agreement import all_pairs, clustered_kappa, mean_agreement, pairwise, published_kappa
from analysis.measures.alpha import INTERVAL, clustered_alpha, krippendorff_alpha
from analysis.measures.coefficients import (
    CONGER,
    FLEISS,
    GWET,
    PERCENT,
    category_counts,
    clustered_coefficient,
    conger_kappa,
    fleiss_kappa,
    gwet_ac,
    percent,
)
from analysis.measures.intervals import Interval
from analysis.measures.types import IntArray
from bench.coverage import Tally
from bench.rates import options

ITEMS, LEVELS = 4, 3
HABITS = np.array([-0.3, 0.0, 0.2])  # by which each person is stricter or milder
SD_TEXT, SD_ITEM, SD_PERSON = 0.9, 0.7, 0.7
TRUE_TEXTS = 20_000
MIXED, SKEWED = (-0.7, 0.5), (-2.2, -1.8)  # where a level begins: all three in use, or the highest nearly always


def draw(texts: int, ends: tuple[float, float], rng: np.random.Generator) -> tuple[IntArray, IntArray]:
    """Ratings (people, items) as codes, and the text of each item."""
    text = np.repeat(np.arange(texts), ITEMS)
    common = rng.normal(0, SD_TEXT, texts)[text] + rng.normal(0, SD_ITEM, len(text))
    latent = common + HABITS[:, None] + rng.normal(0, SD_PERSON, (len(HABITS), len(text)))
    return np.searchsorted(np.array(ends), latent).astype(np.int64), text


def values(ratings: IntArray) -> dict[str, float]:
    counts = category_counts(ratings, LEVELS)
    return {
        "percent": percent(counts).value,
        "mean Cohen": mean_agreement(pairwise(ratings, LEVELS)).kappa,
        "Fleiss": fleiss_kappa(counts).value,
        "Conger": conger_kappa(ratings, LEVELS).value,
        "AC1": gwet_ac(counts).value,
        "alpha": krippendorff_alpha(ratings.astype(float), INTERVAL).value,
    }


def intervals(ratings: IntArray, text: IntArray, seed: int) -> dict[tuple[str, str], Interval]:
    pairs, numbers = all_pairs(len(ratings)), ratings.astype(float)
    found = {
        ("mean Cohen", "clustered"): clustered_kappa(ratings, LEVELS, pairs, text, seed=seed),
        ("mean Cohen", "published"): published_kappa(ratings, LEVELS, pairs, seed=seed),
        ("Conger", "published"): conger_kappa(ratings, LEVELS).interval(),
        ("alpha", "clustered"): clustered_alpha(numbers, INTERVAL, text, seed=seed),
        ("alpha", "published"): krippendorff_alpha(numbers, INTERVAL).interval(),
    }
    names = {"percent": PERCENT, "Fleiss": FLEISS, "Conger": CONGER, "AC1": GWET}
    for name, coefficient in names.items():
        found[name, "clustered"] = clustered_coefficient(coefficient, ratings, LEVELS, text, seed=seed)
    return found


def main() -> None:
    asked = options(__doc__, 400)
    for about, ends in (("all levels in use", MIXED), ("one level nearly always", SKEWED)):
        truth = values(draw(TRUE_TEXTS, ends, np.random.default_rng(asked.seed))[0])
        for texts in (10, 30, 60):
            rng = np.random.default_rng(asked.seed + texts)
            tallies: dict[tuple[str, str], Tally] = {}
            for study in range(asked.studies):
                for key, interval in intervals(*draw(texts, ends, rng), seed=study).items():
                    tallies.setdefault(key, Tally()).add(interval, truth[key[0]])
            print(f"{texts} texts of {ITEMS} items, {about}; {asked.studies} studies, seed {asked.seed}", flush=True)
            for (name, convention), tally in tallies.items():
                print(f"  {name:11}{convention:11}true {truth[name]:.3f}  {tally}", flush=True)


if __name__ == "__main__":
    main()
