"""How often the intervals of `analysis/science` hold the true value, by simulation, with the error of each rate.

    python -m bench.science_rates --studies 500 --seed 1 [--only joined]

Each part draws whole studies and asks the public measures, for these readers ("fixed") and, where readers are drawn as
well, for readers in general ("random").
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import django
import numpy as np

from analysis.measures.contrasts import (
    JointInfluence,
    adjust_joint_contrasts,
    adjust_reader_contrasts,
    adjust_text_contrasts,
    list_pairs,
)
from analysis.measures.correlations import naive_difference, regress_within_texts
from analysis.measures.informativity import carry_over
from analysis.measures.item_response import item_functioning
from analysis.measures.label_severity import label_severity
from analysis.measures.prediction_powered import PEOPLE_ONLY, Cell, Judgments, combine, fit, joint_influence
from analysis.measures.rater_effects import (
    crossed_components,
    d_study,
    g_study,
    g_study_without,
    noise_shares,
    rater_severity,
    share_of_noise,
)
from analysis.measures.reader_intervals import FIXED, RANDOM, Arm, family_parts, jackknife_parts, reliability_parts
from analysis.measures.reliability import alpha_of_parts
from analysis.measures.text_versions import version_effects
from analysis.measures.variance_parts import VarianceParts
from bench.rates import rate

Held = Iterator[tuple[str, bool, float]]  # what, whether the interval held the truth, its width
ONE, DIFFERENCE = (0.0, 1.0), (-1.0, 1.0)
OPTIONS = 9  # judgments of a text by a reader


def logistic(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def check_interval(parts: Any, truth: float) -> tuple[bool, float]:
    low, high = parts.ends()
    return bool(low <= truth <= high), high - low


# People on some texts, a model on all -------------------------------------------------------------------------------


def check_joined(rng: np.random.Generator, texts: int, n: int, r: float, spread: float, draw: str) -> Held:
    """Two generators, with and without the text; the model's share correlates r with the true share of a text."""
    readers, level = rng.normal(0, spread, 2), {0: 0.3, 1: 1.5}
    cells, truths, logits = [], [], rng.normal(0, 0.8, (texts, 2, 2))
    done, chance = pick(rng, texts, n, draw, logistic(level[1] + logits[:, 0, 1]))
    if draw == "easiest":
        done[:] = False
        done[np.argsort(-logits[:, 0, 1])[:n]] = True
    for g in (0, 1):
        for stage in (0, 1):
            own = logits[:, g, stage]
            p = logistic(level[stage] + own[:, None] + readers)
            predicted = 0.7 + 0.15 * (r * own / 0.8 + np.sqrt(1 - r**2) * rng.normal(size=texts))
            text, reader = (each.ravel() for each in np.indices((texts, 2)))
            right = rng.binomial(OPTIONS, p).ravel().astype(float)
            kept = done[text]
            judged = Judgments(text[kept], reader[kept], right[kept], np.full(kept.sum(), float(OPTIONS)))
            cells.append(Cell(judged.share(texts), predicted, chance, np.ones(texts), judged))
            at = level[stage] + (readers.mean() if spread else 0)
            truths.append(float(mean_share(at, 0.8)))
    fitted, alone = [fit(cell) for cell in cells], [fit(cell, PEOPLE_ONLY) for cell in cells]
    figures = {"A": ((1,), (1,)), "G": ((0,), (1,)), "I": ((1, 0), (1, -1)), "contrast": ((1, 0, 3, 2), (1, -1, -1, 1))}
    for name, (which, signs) in figures.items():
        truth = sum(sign * truths[each] for each, sign in zip(which, signs, strict=True))
        bounds = ONE if len(which) == 1 else DIFFERENCE
        yield name, *check_interval(combine([fitted[each] for each in which], signs, bounds, FIXED), truth)
        only = check_interval(combine([alone[each] for each in which], signs, bounds, FIXED), truth)
        yield f"{name}, people only", *only


def pick(rng: np.random.Generator, texts: int, n: int, draw: str, p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Which texts people do, and the probability of each; "two rounds": half by doubt √(p(1 - p)), then as many more by
    equal chance."""
    from studies.services.people_texts import draw_systematically, weigh_chances_by_doubt  # after Django is set up

    done, chance = np.zeros(texts, dtype=bool), np.full(texts, n / texts)
    if draw != "two rounds":
        done[rng.choice(texts, n, replace=False)] = draw != "easiest"
        return done, chance
    first = n // 2
    chances = weigh_chances_by_doubt(
        {f"{text:04}": float(np.sqrt(p[text] * (1 - p[text]))) for text in range(texts)}, first
    )
    _order, drawn = draw_systematically(chances, Random(int(rng.integers(2**31))))
    done[[int(text) for text in drawn]] = True
    done[rng.choice(np.flatnonzero(~done), n - first, replace=False)] = True
    before = np.array([chances[f"{text:04}"] for text in range(texts)])
    return done, before + (1 - before) * (n - first) / (texts - first)


def mean_share(logit: float, spread: float) -> float:
    nodes, weights = np.polynomial.hermite_e.hermegauss(61)
    return float((weights * logistic(logit + spread * nodes)).sum() / weights.sum())


def check_joined_readers(rng: np.random.Generator, spread: float) -> Held:
    """12 readers drawn, each on every drawn text; the truth is that of readers in general."""
    texts, n, readers = 60, 20, 12
    own, people = rng.normal(0, 0.8, texts), rng.normal(0, spread, readers)
    text, reader = (each.ravel() for each in np.indices((n, readers)))
    right = rng.binomial(OPTIONS, logistic(1 + own[text] + people[reader])).astype(float)
    judged = Judgments(text, reader, right, np.full(len(text), float(OPTIONS)))
    predicted = 0.7 + 0.15 * (0.7 * own / 0.8 + np.sqrt(0.51) * rng.normal(size=texts))
    cell = fit(Cell(judged.share(texts), predicted, np.full(texts, n / texts), np.ones(texts), judged))
    truth = mean_share(1, float(np.hypot(0.8, spread)))
    for readers_kind in (FIXED, RANDOM):
        yield readers_kind, *check_interval(combine([cell], [1], ONE, readers_kind), truth)


# Experiments, raters, readers -----------------------------------------------------------------------------------------


def check_carry_over(rng: np.random.Generator) -> Held:
    """20 texts × 3 items, 6 people, 2 guess each item; guessing adds .08."""
    item, reader = (each.ravel() for each in np.indices((60, 6)))
    guessed = (reader + item // 3) % 3 == 0
    level = 0.75 + rng.normal(0, 0.06, 20)[item // 3] + rng.normal(0, 0.04, 60)[item] + rng.normal(0, 0.03, 6)[reader]
    right = rng.binomial(3, np.clip(level + 0.08 * guessed, 0.02, 0.98)).astype(float)
    for readers in (FIXED, RANDOM):
        found = carry_over(item, item // 3, reader, guessed, right, np.full(len(item), 3.0), readers).parts
        yield readers, *check_interval(found, 0.08)


def check_flaws(rng: np.random.Generator) -> Held:
    """30 texts × 6 items, effect -.08; easier texts have more flawed items, and so has one type of question."""
    text = np.repeat(np.arange(30), 6)
    ease, kind = rng.normal(0, 0.1, 30), rng.random(180) < 0.5
    flaw = rng.random(180) < logistic(-12 * ease[text] + 1.0 * kind - 0.5)
    y = 0.3 + ease[text] - 0.06 * kind - 0.08 * flaw + rng.normal(0, 0.08, 180)
    both = regress_within_texts(y[:, None], np.stack([flaw, kind], axis=1).astype(float), text, 1)
    parts = jackknife_parts(float(both.coefficients[0, 0]), both.without[:, 0, 0])
    yield "within text and type", *check_interval(parts, -0.08)
    alone = regress_within_texts(y[:, None], flaw[:, None].astype(float), text)
    yield "estimate: naive", False, naive_difference(y, flaw)
    yield "estimate: within text", False, float(alone.coefficients[0, 0])
    yield "estimate: within text and type", False, float(both.coefficients[0, 0])


def versions(rng: np.random.Generator, leaving: bool, own: float = 0) -> Held:
    """18 texts, 12 readers, 3 versions; effects of .10 and .05, which differ by text (SD .05) and reader (own)."""
    text, reader = (each.ravel() for each in np.indices((18, 12)))
    version = (reader + text) % 3
    effect = np.array([0, 0.10, 0.05]) + rng.normal(0, 0.05, (18, 3))
    of_reader = rng.normal(0, own, (12, 3)) if own else np.zeros((12, 3))
    y = 0.6 + rng.normal(0, 0.1, 18)[text] + rng.normal(0, 0.1, 12)[reader] + effect[text, version]
    y += of_reader[reader, version]
    y += rng.normal(0, 0.15, len(y))
    stayed = (reader % 3 > 0) | (not leaving) | (text < rng.integers(6, 18, 12)[reader])
    found = version_effects(y[stayed], text[stayed], reader[stayed], version[stayed], 3)
    for place, truth in enumerate((0.10, 0.05)):
        for readers in (FIXED, RANDOM):
            parts = found.contrast(place + 1, 0, DIFFERENCE, readers)
            yield f"version {place + 1}, {readers}", *check_interval(parts, truth)


def strict(rng: np.random.Generator) -> Held:
    """24 texts × 3 items, 2 of 4 raters in turn, marks rounded to 1 to 5."""
    item = np.repeat(np.arange(72), 2)
    pairs = np.array([(a, b) for a in range(4) for b in range(a)])
    rater = pairs[np.arange(72) % 6].ravel()
    truth = np.array([-0.45, -0.15, 0.15, 0.45])
    latent = 3 + rng.normal(0, 0.3, 24)[item // 6 * 2 % 24] + rng.normal(0, 0.5, 72)[item] + truth[rater]
    marks = np.clip(np.round(latent + rng.normal(0, 0.5, len(item))), 1, 5)
    text = np.arange(72) // 3
    found = rater_severity(item, rater, marks, text, np.zeros(72, dtype=np.int64))
    for one in range(4):
        parts = jackknife_parts(float(found.severity[one]), found.severity_without[:, one])
        yield f"rater {one + 1}", *check_interval(parts, truth[one])


def strict_labels(rng: np.random.Generator) -> Held:
    """40 texts × 10 items of two generators, 2 of 4 raters in turn who say yes or no, 200 labels each."""
    item = np.repeat(np.arange(400), 2)
    rater = np.array([(a, b) for a in range(4) for b in range(a)])[np.arange(400) % 6].ravel()
    text, group = np.arange(400) // 10, np.arange(400) % 2
    truth, level = np.array([-0.9, -0.3, 0.3, 0.9]), np.array([0.2, -0.4])
    own = rng.normal(0, 1, 400) + rng.normal(0, 0.5, 40)[text] + level[group]
    yes = rng.random(800) < logistic(own[item] + truth[rater])
    found = label_severity(item, rater, yes, text, group)
    for one in range(4):
        parts = jackknife_parts(float(found.severity[one]), found.severity_without[:, one])
        yield f"rater {one + 1}", *check_interval(parts, truth[one])
    for g in range(2):
        parts = jackknife_parts(float(found.fair[g]), found.fair_without[:, g], bounds=ONE)
        yield f"fair share {g + 1}", *check_interval(parts, mean_share(level[g], 1.25**0.5))


def check_joined_versions(rng: np.random.Generator, r: float, alike: float) -> Held:
    """60 texts, 20 drawn, 12 readers who differ by .4, 3 versions that raise the logit by .5 and .2 and differ by text
    (SD .4); the model reads all versions of all texts, and of its errors the share `alike` is the same in all."""
    texts, n, readers = 60, 20, 12
    base, effect = rng.normal(0, 0.8, texts), np.array([0, 0.5, 0.2]) + rng.normal(0, 0.4, (texts, 3))
    people = rng.normal(0, 0.4, readers)
    text, reader = (each.ravel() for each in np.indices((n, readers)))
    version = (reader + text) % 3
    right = rng.binomial(OPTIONS, logistic(0.5 + base[text] + effect[text, version] + people[reader])).astype(float)
    cells, common = [], rng.normal(size=texts)
    for v in range(3):
        at = version == v
        judged = Judgments(text[at], reader[at], right[at], np.full(int(at.sum()), float(OPTIONS)))
        own = base + effect[:, v] - np.array([0, 0.5, 0.2])[v]
        error = np.sqrt(alike) * common + np.sqrt(1 - alike) * rng.normal(size=texts)
        predicted = 0.6 + 0.15 * (r * own / 0.9 + np.sqrt(1 - r**2) * error) + 0.05 * v
        cells.append(Cell(judged.share(texts), predicted, np.full(texts, n / texts), np.ones(texts), judged))
    levels = [mean_share(0.5 + each, (0.64 + 0.16 + 0.16) ** 0.5) for each in (0, 0.5, 0.2)]
    for v in (1, 2):
        for kind in (FIXED, RANDOM):
            for name, slope in (("", None), (", people only", PEOPLE_ONLY)):
                parts = combine([fit(cells[v], slope), fit(cells[0], slope)], (1, -1), DIFFERENCE, kind)
                yield f"version {v + 1}, {kind}{name}", *check_interval(parts, levels[v] - levels[0])


def check_generalizability(rng: np.random.Generator, spread: float) -> Held:
    """40 texts × 2 items, 4 raters: Eρ² of one rater, where items vary by `spread`², raters by .5 and the rest by 1."""
    item, rater = (each.ravel() for each in np.indices((80, 4)))
    value = rng.normal(0, spread, 80)[item] + rng.normal(0, 0.7, 4)[rater] + rng.normal(0, 1, 320)
    found = g_study(item, rater, value)
    without = g_study_without(item, rater, item // 2, value)
    noise = np.array([share_of_noise(objects, residual) for objects, _raters, residual in without])
    parts = reliability_parts(found.relative(1), found.noise_shares()[0], noise)
    yield "Eρ², one rater", *check_interval(parts, spread**2 / (spread**2 + 1))


def check_generators(rng: np.random.Generator, spread: float) -> Held:
    """12 generators × 20 texts × 4 raters: Eρ² of generators' means, for these generators and raters over all texts.

    Generators vary by `spread`², with texts by .1, with raters by .02 and the rest by .5."""
    generators = rng.normal(0, spread, (12, 1)) + rng.normal(0, 0.02**0.5, (12, 4))
    values = generators[:, None, :] + rng.normal(0, 0.1**0.5, (12, 20, 1)) + rng.normal(0, 0.3, (1, 20, 4))
    values = values + rng.normal(0, 0.5**0.5, values.shape)
    without = [crossed_components(np.delete(values, text, axis=1)) for text in range(20)]
    noise = np.array([noise_shares(each, 20, 4)[0] for each in without])
    found = crossed_components(values)
    parts = reliability_parts(d_study(found, 20, 4)[0], noise_shares(found, 20, 4)[0], noise)
    rest = generators - generators.mean(axis=0) - generators.mean(axis=1, keepdims=True) + generators.mean()
    of_raters = float((rest**2).sum() / 33)
    own = float(generators.mean(axis=1).var(ddof=1)) - of_raters / 4
    truth = d_study({"p": own, "pr": of_raters, "pi": 0.1, "pir": 0.5, "i": 0, "r": 0, "ir": 0}, 20, 4)[0]
    yield "Eρ² of generators", *check_interval(parts, truth)


def reliable(rng: np.random.Generator) -> Held:
    """120 persons, 5 texts × 4 items; a text moves its items by 1 logit SD, so that items share more than ability."""
    ability, liking = rng.normal(0, 1, 120), rng.normal(0, 1, (120, 10))
    answers = (rng.random((120, 40)) < logistic(ability[:, None] + np.repeat(liking, 4, axis=1))).astype(float)
    one, other = answers[:, :20], answers[:, 20:]
    yield "estimate: α over items", False, alpha_of_parts(one).value
    yield "estimate: α over texts", False, alpha_of_parts(one.reshape(120, 5, 4).sum(axis=2)).value
    yield "estimate: correlation with other texts", False, float(np.corrcoef(one.sum(1), other.sum(1))[0, 1])


def functioning(rng: np.random.Generator) -> Held:
    """2 × 250 readers, one of 20 items harder by 1.2 logits for the second group, groups .5 apart."""
    second = np.arange(500) >= 250
    ability = rng.normal(0, 1, 500) - 0.5 * second
    harder = np.tile(rng.normal(0, 1, 20), (500, 1))
    harder[:, 0] = 0
    harder[second, 0] += 1.2
    found = item_functioning((rng.random((500, 20)) < logistic(ability[:, None] - harder)).astype(int), second)
    yield "the item: C", found[0].category == "C", 0.0
    for name in "ABC":
        for each in found[1:]:
            yield f"others: {name}", each.category == name, 0.0


def all_pairs(rng: np.random.Generator, texts: int, generators: int, seed: int) -> Held:
    """Equal generators: whether some difference is found."""
    scores = rng.normal(0.3, 0.15, (texts, generators)) + rng.normal(0, 0.1, (texts, 1))
    first, second = np.triu_indices(generators, 1)
    over = (np.eye(generators)[first] - np.eye(generators)[second]).T
    found = adjust_text_contrasts(
        scores.mean(axis=0) @ over, (scores.sum(axis=0) - scores) / (texts - 1) @ over, bounds=DIFFERENCE, seed=seed
    )
    yield "max-T finds a difference", any(each.p_adjusted < 0.05 for each in found), 0.0
    yield "unadjusted finds one", any(each.p < 0.05 for each in found), 0.0
    others = (generators * np.eye(generators) - 1) / (generators - 1)
    against = adjust_text_contrasts(
        scores.mean(axis=0) @ others, (scores.sum(axis=0) - scores) / (texts - 1) @ others, bounds=DIFFERENCE, seed=seed
    )
    yield "max-T, against the others", any(each.p_adjusted < 0.05 for each in against), 0.0


# Families of contrasts over readers and texts: max-T beside Holm ------------------------------------------------------


def check_adjusted(
    parts: list[VarianceParts], shared: JointInfluence, seed: int, truth: list[float], different: int | None = None
) -> Held:
    """Whether all simultaneous intervals hold the truth, their mean width, and whether a true difference is found."""
    ways = {"max-T": adjust_joint_contrasts(parts, shared, seed=seed), "Holm": adjust_reader_contrasts(parts)}
    for name, found in ways.items():
        held_all = all(each.low_adjusted <= true <= each.high_adjusted for each, true in zip(found, truth, strict=True))
        yield f"{name}: all intervals hold", held_all, float(np.mean([e.high_adjusted - e.low_adjusted for e in found]))
        if different is not None:
            yield f"{name}: the difference is found", found[different].p_adjusted < 0.05, 0.0


def check_joined_family(rng: np.random.Generator, seed: int, spread: float) -> Held:
    """3 generators, all pairs; 12 readers drawn, each on 20 of 60 texts, who differ in general and by generator."""
    texts, n, readers, generators = 60, 20, 12, 3
    own, people = rng.normal(0, 0.8, (texts, generators)), rng.normal(0, spread, readers)
    taste = rng.normal(0, spread / 2, (readers, generators))
    text, reader = (each.ravel() for each in np.indices((n, readers)))
    cells = []
    for g in range(generators):
        logit = 1 + own[text, g] + people[reader] + taste[reader, g]
        judged = Judgments(text, reader, rng.binomial(OPTIONS, logistic(logit)).astype(float), np.full(len(text), 9.0))
        predicted = 0.7 + 0.15 * (0.7 * own[:, g] / 0.8 + np.sqrt(0.51) * rng.normal(size=texts))
        cells.append(fit(Cell(judged.share(texts), predicted, np.full(texts, n / texts), np.ones(texts), judged)))
    over = contrasts_of(generators)
    family = [combine([cells[a], cells[b]], (1, -1), DIFFERENCE, RANDOM) for a, b in list_pairs(generators)]
    yield from check_adjusted(family, joint_influence(cells).combine(over.T), seed, [0.0] * len(family))


def contrasts_of(generators: int) -> np.ndarray:
    one, other = list_pairs(generators).T
    return np.asarray(np.eye(generators)[one] - np.eye(generators)[other])


def versions_family(rng: np.random.Generator, seed: int, own: float) -> Held:
    """18 texts, 12 readers, 4 versions of equal effect, which differ by text (SD .05) and reader (own)."""
    text, reader = (each.ravel() for each in np.indices((18, 12)))
    version = (reader + text) % 4
    effect, of_reader = rng.normal(0, 0.05, (18, 4)), rng.normal(0, own, (12, 4))
    y = 0.6 + rng.normal(0, 0.1, 18)[text] + rng.normal(0, 0.1, 12)[reader] + rng.normal(0, 0.15, len(text))
    y += effect[text, version] + of_reader[reader, version]
    found = version_effects(y, text, reader, version, 4)
    pairs = [(one, other) for other in range(4) for one in range(other + 1, 4)]
    family = [found.contrast(*pair, DIFFERENCE, RANDOM) for pair in pairs]
    yield from check_adjusted(family, found.joint_influence(pairs), seed, [0.0] * len(pairs))


def others_family(rng: np.random.Generator, seed: int, texts: int, readers: int, spread: float, better: float) -> Held:
    """5 generators against the mean of the others; readers differ in general and by generator; the first is better."""
    text, reader = (each.ravel() for each in np.indices((texts, readers)))
    own, people = rng.normal(0, 0.8, (texts, 5)), rng.normal(0, spread, readers)
    taste = rng.normal(0, spread / 2, (readers, 5))
    arms, levels = [], []
    for g in range(5):
        at = 0.5 + better * (g == 0)
        logit = at + own[text, g] + people[reader] + taste[reader, g]
        right = rng.binomial(OPTIONS, logistic(logit)).astype(float)
        arms.append(Arm(text, reader, right, np.full(len(text), float(OPTIONS))))
        levels.append(mean_share(at, float(np.sqrt(0.64 + 1.25 * spread**2))))
    over = (5 * np.eye(5) - 1) / 4
    parts, shared = family_parts([list(zip(row, arms, strict=True)) for row in over], DIFFERENCE)
    yield from check_adjusted(parts, shared, seed, list(over @ levels), 0 if better else None)


Part = Callable[[np.random.Generator, int], Held]
PARTS: dict[str, dict[str, Part]] = {
    "joined": {
        **{f"20 of 100, r {r}": lambda g, _, r=r: check_joined(g, 100, 20, r, 0, "chance") for r in (0.7, 0.9, 0.0)},
        "10 of 50, r 0.7": lambda rng, _seed: check_joined(rng, 50, 10, 0.7, 0, "chance"),
        "the 20 easiest of 100, r 0.7": lambda rng, _seed: check_joined(rng, 100, 20, 0.7, 0, "easiest"),
        "12 by doubt, then 12, of 100, r 0.7": lambda rng, _seed: check_joined(rng, 100, 24, 0.7, 0, "two rounds"),
        "readers differ by .4": lambda rng, _seed: check_joined_readers(rng, 0.4),
        "readers differ by .9": lambda rng, _seed: check_joined_readers(rng, 0.9),
    },
    "carry_over": {"20 texts, 6 people": lambda rng, _seed: check_carry_over(rng)},
    "flaws": {"30 texts × 6": lambda rng, _seed: check_flaws(rng)},
    "versions": {
        "all stayed": lambda rng, _seed: versions(rng, False),
        "a third may leave": lambda rng, _seed: versions(rng, True),
        "readers differ by .1": lambda rng, _seed: versions(rng, False, 0.1),
    },
    "joined_versions": {
        f"20 of 60 texts, r {r}, errors alike {alike}": lambda rng, _s, r=r, a=alike: check_joined_versions(rng, r, a)
        for r, alike in ((0.9, 1.0), (0.9, 0.8), (0.7, 0.8), (0.7, 0.0), (0.0, 0.8))
    },
    "severity": {"24 texts × 3, 2 of 4 raters": lambda rng, _seed: strict(rng)},
    "labels": {"40 texts × 10, 2 of 4 raters": lambda rng, _seed: strict_labels(rng)},
    "generalizability": {
        f"items vary by {spread}": lambda rng, _seed, spread=spread: check_generalizability(rng, spread)
        for spread in (1, 0.3, 0.1)
    },
    "generators": {
        f"12 generators who vary by {spread}": lambda rng, _seed, spread=spread: check_generators(rng, spread)
        for spread in (0, 0.1, 0.2, 0.5)
    },
    "reliability": {"5 texts × 4 items": lambda rng, _seed: reliable(rng)},
    "dif": {"2 × 250": lambda rng, _seed: functioning(rng)},
    "all_pairs": {
        f"{texts} texts × {g}": lambda rng, seed, texts=texts, g=g: all_pairs(rng, texts, g, seed)
        for texts, g in ((10, 3), (20, 4), (40, 5))
    },
}  # fmt: skip


FAMILIES: dict[str, Part] = {
    "joined, 3 generators, readers differ by .4": lambda rng, seed: check_joined_family(rng, seed, 0.4),
    "joined, 3 generators, readers differ by .9": lambda rng, seed: check_joined_family(rng, seed, 0.9),
    "4 versions, readers alike": lambda rng, seed: versions_family(rng, seed, 0.0),
    "4 versions, readers differ by .1": lambda rng, seed: versions_family(rng, seed, 0.1),
    **{
        f"5 against the others, {texts} texts, {readers} readers who differ by {spread}": (
            lambda rng, seed, design=(texts, readers, spread): others_family(rng, seed, *design, 0.0)
        )
        for texts, readers, spread in ((10, 6, 0.4), (30, 6, 0.9), (30, 3, 0.9), (30, 12, 0.0))
    },
    "5 against the others, the first better by .5, 30 texts, 12 readers who differ by .4": (
        lambda rng, seed: others_family(rng, seed, 30, 12, 0.4, 0.5)
    ),
}
PARTS["families"] = FAMILIES


def report(name: str, part: Part, studies: int, seed: int) -> None:
    rng = np.random.default_rng(seed)
    found: dict[str, list[tuple[bool, float]]] = {}
    for number in range(studies):
        for what, hit, width in part(rng, number):
            found.setdefault(what, []).append((hit, width))
    print(f"  {name}, {studies} studies")
    for what, all_of in found.items():
        width = float(np.mean([each for _hit, each in all_of]))
        if what.startswith("estimate"):
            error = float(np.std([each for _hit, each in all_of]) / len(all_of) ** 0.5)
            print(f"    {what:40}{width:.3f} (SE {error:.3f})")
        else:
            print(f"    {what:40}{rate(sum(hit for hit, _width in all_of), len(all_of))}, mean width {width:.3f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--studies", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", choices=list(PARTS))
    options = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    for name, parts in PARTS.items():
        if options.only in (None, name):
            print(name)
            for title, part in parts.items():
                few = max(options.studies // 5, 1) if name in ("dif", "all_pairs", "families") else options.studies
                report(title, part, few, options.seed)


if __name__ == "__main__":
    main()
