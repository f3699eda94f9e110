"""Does the planner foresee what guess-then-read studies find, and are its components found again? By simulation.

    python -m bench.planner_rates --studies 200 --seed 1

Whole studies are drawn judgment by judgment with real studies' plan (`make_guess_plan`), and two generators are told
apart by the interval that reports take; beside it stands what the planner says of the same size. Then components are
fitted to studies of 20 texts and 6 annotators: quartiles, and how often their intervals hold the true value.
"""

from __future__ import annotations

from dataclasses import fields
from functools import cache

import numpy as np

from analysis.measures.components import Judgments, component_intervals, fit_components
from analysis.measures.intervals import Interval, cluster_interval
from analysis.measures.power import Components, Plan, informativity_outlook, logit_of
from analysis.measures.types import FloatArray, IntArray
from bench.coverage import GENERATORS, ITEMS, OPTIONS, Tally
from bench.rates import options, rate
from studies.plans import make_guess_plan

GUESS, READ, DIFFERENCE = 0.58, 0.84, 0.10
SPREAD = Components()
COLUMNS = ("text", "generator", "item", "option", "annotator", "stage")


@cache
def make_plan(texts: int, annotators: int) -> list[list[str]]:
    """Who guesses whose items of each text."""
    return make_guess_plan([GENERATORS] * texts, annotators, 1)


def study(texts: int, annotators: int, difference: float, seed: int) -> Judgments:
    """All judgments about the items of three generators; answerability of the second is lower by the difference."""
    rng = np.random.default_rng(seed)
    text, person = rng.normal(0, SPREAD.text, texts), rng.normal(0, SPREAD.annotator, annotators)
    plan = make_plan(texts, annotators)
    rows, right = [], []
    for stage in (0, 1):
        for t, (g, name) in ((t, each) for t in range(texts) for each in enumerate(GENERATORS)):
            share = GUESS if stage == 0 else READ - difference * (g == 1)
            written = logit_of(share, SPREAD.total) + text[t] + rng.normal(0, SPREAD.text_stage)
            who = [a for a in range(annotators) if stage or plan[t][a] == name]
            for i in range(ITEMS):
                item = written + rng.normal(0, SPREAD.item)
                for o in range(OPTIONS):
                    place = (t * len(GENERATORS) + g) * ITEMS + i
                    logit = item + rng.normal(0, SPREAD.option) + person[who]
                    rows += [(t, g, place, place * OPTIONS + o, a, stage) for a in who]
                    right.append(rng.random(len(who)) < 1 / (1 + np.exp(-logit)))
    return Judgments(*np.array(rows).T, np.concatenate(right))


def counts(judgments: Judgments, generator: int, stage: int, texts: int) -> tuple[IntArray, IntArray]:
    """Right judgments and all of them, text by text."""
    mine = (judgments.generator == generator) & (judgments.stage == stage)
    text = judgments.text[mine]
    return np.bincount(text[judgments.right[mine]], minlength=texts), np.bincount(text, minlength=texts)


def difference(judgments: Judgments, texts: int, seed: int) -> Interval:
    """The interval of the difference of two generators' informativity, as reports take it."""
    parts = [counts(judgments, generator, stage, texts) for generator in (0, 1) for stage in (1, 0)]

    def statistic(weights: FloatArray) -> FloatArray:
        read, guess, other_read, other_guess = ((weights @ right) / (weights @ n) for right, n in parts)
        return np.asarray(read - guess - other_read + other_guess)

    return cluster_interval(statistic, texts, len(judgments.right), bounds=(-2.0, 2.0), seed=seed)


def planner_rates(studies: int, seed: int) -> None:
    for texts, annotators, apart in ((10, 6, DIFFERENCE), (20, 6, DIFFERENCE), (45, 6, DIFFERENCE), (20, 6, 0.0)):
        found = [difference(study(texts, annotators, apart, seed + n), texts, n) for n in range(studies)]
        seen = sum(not each.low <= 0 <= each.high for each in found)
        width = np.mean([each.high - each.low for each in found])
        planned = informativity_outlook(Plan(texts, annotators), GUESS, (READ, READ - apart), seed=seed)
        print(
            f"{texts} texts × {annotators} annotators, difference {apart}: planner power {planned.power:.3f} "
            f"(SE {planned.power_error:.3f}), width {planned.difference_width:.3f}; studies {rate(seen, studies)}, "
            f"width {width:.3f}",
            flush=True,
        )


def component_rates(studies: int, seed: int, texts: int = 20, annotators: int = 6) -> None:
    names = [each.name for each in fields(Components)]
    values: dict[str, list[float]] = {name: [] for name in names}
    tallies = {name: Tally() for name in names}
    for n in range(studies):
        judgments = study(texts, annotators, 0.0, seed + n)
        fitted = fit_components(judgments)
        intervals = component_intervals(judgments, fitted)
        for name in names:
            values[name].append(getattr(fitted.components, name))
            tallies[name].add(intervals[name], getattr(SPREAD, name))
    for name in names:
        quartiles = ", ".join(f"{each:.2f}" for each in np.percentile(values[name], [25, 50, 75]))
        print(f"{name:11} true {getattr(SPREAD, name)}, fitted quartiles {quartiles}; {tallies[name]}", flush=True)


def main() -> None:
    asked = options(__doc__, 200)
    print(f"{asked.studies} studies each, seed {asked.seed}")
    planner_rates(asked.studies, asked.seed)
    component_rates(asked.studies, asked.seed)


if __name__ == "__main__":
    main()
