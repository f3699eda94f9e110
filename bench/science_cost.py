"""What the pieces of `analysis/science` cost at 1,000,000 responses: CPU and wall time of each, and the most memory.

    python -m bench.science_cost [--only rasch]

Drawn answers (seed 1) go straight to the measures, each piece alone. What a report takes as a whole, with reading, is
in `bench/reports.py`; reports, and so all of these, are jobs with progress where a study is large.
"""

from __future__ import annotations

import argparse
import os
import resource
import time
from collections.abc import Callable

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # threads that wait for each other would count as CPU

import numpy as np

from analysis.measures.contrasts import adjust_joint_contrasts
from analysis.measures.correlations import regress_within_texts
from analysis.measures.informativity import carry_over
from analysis.measures.item_analysis import miskey
from analysis.measures.item_response import fit_item_response, fit_statistics, item_functioning, residual_correlations
from analysis.measures.label_severity import label_severity
from analysis.measures.prediction_powered import Cell, Judgments, combine, fit, joint_influence
from analysis.measures.rater_effects import crossed_components, g_study, g_study_without, rater_severity
from analysis.measures.reader_intervals import Arm, family_parts
from analysis.measures.reliability import alpha_of_parts, largest_block, omega_total
from analysis.measures.text_versions import version_effects

N = 1_000_000
Piece = Callable[[np.random.Generator], Callable[[], object]]


def time_joined(rng: np.random.Generator) -> Callable[[], object]:
    """8 cells (4 generators, with and without the text) over 5,000 texts, 1,000 of them read by 125 people in turn."""
    texts, n = 5000, N // 8
    text = rng.integers(0, 1000, (8, n))
    annotator, right = rng.integers(0, 125, (8, n)), rng.integers(0, 2, (8, n)).astype(float)
    predicted, chance, weight = rng.random((8, texts)), np.full(texts, 0.2), np.ones(texts)

    def work() -> object:
        cells = []
        for each in range(8):
            judged = Judgments(text[each], annotator[each], right[each], np.ones(n))
            cells.append(fit(Cell(judged.share(texts), predicted[each], chance, weight, judged)))
        pairs = [(a, b) for a in range(4) for b in range(a)]
        signs = np.array([[1.0, -1.0, -1.0, 1.0]])
        family = [combine([cells[2 * a], cells[2 * a + 1], cells[2 * b], cells[2 * b + 1]], signs[0], (-2, 2))
                  for a, b in pairs]  # fmt: skip
        weights = np.stack([np.kron(np.eye(4)[a] - np.eye(4)[b], [1.0, -1.0]) for a, b in pairs], axis=1)
        return adjust_joint_contrasts(family, joint_influence(cells).combine(weights), seed=1)

    return work


def against_others(rng: np.random.Generator) -> Callable[[], object]:
    """15 generators against the mean of the others, 500 texts × 20 people."""
    n = N // 15
    arms = [
        Arm(rng.integers(0, 500, n), rng.integers(0, 20, n), rng.integers(0, 2, n).astype(float), np.ones(n))
        for _generator in range(15)
    ]
    over = (15 * np.eye(15) - 1) / 14

    def work() -> object:
        parts, shared = family_parts([list(zip(row, arms, strict=True)) for row in over], (-1.0, 1.0))
        return adjust_joint_contrasts(parts, shared, seed=1)

    return work


def time_carry_over(rng: np.random.Generator) -> Callable[[], object]:
    """10,000 items on 1,000 texts, 100 people, a third of them guessed."""
    item, annotator = (each.ravel() for each in np.indices((10_000, 100)))
    guessed, right = rng.random(N) < 1 / 3, rng.integers(0, 2, N).astype(float)
    return lambda: carry_over(item, item // 10, annotator, guessed, right, np.ones(N))


def reliable(rng: np.random.Generator) -> Callable[[], object]:
    """5,000 people × 200 items of 40 texts: the complete block, α over items and texts, ω."""
    scores = (rng.random((5000, 200)) < 0.7).astype(float)

    def work() -> object:
        by_text = scores.reshape(5000, 40, 5).sum(axis=2)
        largest_block(np.ones((5000, 40), dtype=bool), 30)
        return alpha_of_parts(scores), alpha_of_parts(by_text), omega_total(by_text)

    return work


def ratings(rng: np.random.Generator) -> tuple[np.ndarray, ...]:
    item = np.repeat(np.arange(N // 4), 4)
    return item, rng.integers(0, 200, N), rng.integers(1, 6, N).astype(float)


def time_generalizability(rng: np.random.Generator) -> Callable[[], object]:
    """250,000 items with 4 of 200 raters each, jackknife over 5,000 texts."""
    item, rater, value = ratings(rng)
    return lambda: (g_study(item, rater, value), g_study_without(item, rater, item // 50, value))


def severe(rng: np.random.Generator) -> Callable[[], object]:
    """The same ratings; 5,000 texts, 5 generators."""
    item, rater, value = ratings(rng)
    items = np.arange(N // 4)
    return lambda: rater_severity(item, rater, value, items // 50, items % 5)


def rasch(rng: np.random.Generator) -> Callable[[], object]:
    """10,000 people × 100 items: common slope, fit of items and people, Q3."""
    answers = (rng.random((10_000, 100)) < 1 / (1 + np.exp(-rng.normal(0, 1, (10_000, 1))))).astype(np.int64)

    def work() -> object:
        model = fit_item_response(answers, "common")
        expected = model.expected_answers()
        fits = fit_statistics(answers, expected, 0), fit_statistics(answers, expected, 1)
        return fits, residual_correlations(answers, expected)

    return work


def two_parameters(rng: np.random.Generator) -> Callable[[], object]:
    """10,000 people × 100 items, a slope each."""
    answers = (rng.random((10_000, 100)) < 1 / (1 + np.exp(-rng.normal(0, 1, (10_000, 1))))).astype(np.int64)
    return lambda: fit_item_response(answers, "each")


def functioning(rng: np.random.Generator) -> Callable[[], object]:
    """10,000 people of two groups × 100 items, with one purification."""
    answers = (rng.random((10_000, 100)) < 0.7).astype(np.int64)
    return lambda: item_functioning(answers, np.arange(10_000) % 2 == 0)


def time_flaws(rng: np.random.Generator) -> Callable[[], object]:
    """50,000 items (20 judgments each) on 5,000 texts, 19 flaws and 8 types of question, three outcomes."""
    design = (rng.random((50_000, 27)) < 0.2).astype(float)
    return lambda: regress_within_texts(rng.random((50_000, 3)), design, np.repeat(np.arange(5000), 10), 19)


def versions(rng: np.random.Generator) -> Callable[[], object]:
    """1,000 texts × 100 readers, each reading of 10 judgments, 3 versions, jackknife over texts and readers."""
    text, reader = (each.ravel() for each in np.indices((1000, 100)))
    outcome = rng.random(len(text))
    return lambda: version_effects(outcome, text, reader, (text + reader) % 3, 3)


def time_labels(rng: np.random.Generator) -> Callable[[], object]:
    """Labels of yes or no: 250,000 items with 4 of 200 raters each, 5 generators, 5,000 texts left out in turn."""
    item, rater, _value = ratings(rng)
    items, yes = np.arange(N // 4), rng.random(N) < 0.4
    return lambda: label_severity(item, rater, yes, items // 50, items % 5)


def time_generators(rng: np.random.Generator) -> Callable[[], object]:
    """20 generators × 500 texts × 100 raters, complete, each text left out in turn."""
    values = rng.normal(3, 1, (20, 500, 100))
    return lambda: [crossed_components(values), *(crossed_components(np.delete(values, t, axis=1)) for t in range(500))]


def time_joined_versions(rng: np.random.Generator) -> Callable[[], object]:
    """3 versions of 5,000 texts, 1,000 of them read by 333 people in turn, all pairs by max-T."""
    texts, n = 5000, N // 3
    text, annotator = rng.integers(0, 1000, (3, n)), rng.integers(0, 333, (3, n))
    right, predicted = rng.integers(0, 2, (3, n)).astype(float), rng.random((3, texts))

    def work() -> object:
        cells = []
        for each in range(3):
            judged = Judgments(text[each], annotator[each], right[each], np.ones(n))
            cells.append(fit(Cell(judged.share(texts), predicted[each], np.full(texts, 0.2), np.ones(texts), judged)))
        pairs = [(1, 0), (2, 0), (2, 1)]
        family = [combine([cells[a], cells[b]], (1, -1), (-1, 1)) for a, b in pairs]
        weights = np.stack([np.eye(3)[a] - np.eye(3)[b] for a, b in pairs], axis=1)
        return adjust_joint_contrasts(family, joint_influence(cells).combine(weights), seed=1)

    return work


def time_option_pairs(rng: np.random.Generator) -> Callable[[], object]:
    """Q3 of pairs of options: 2,000 people × 500 options of 125 items."""
    answers = (rng.random((2000, 500)) < 1 / (1 + np.exp(-rng.normal(0, 1, (2000, 1))))).astype(np.int64)

    def work() -> object:
        return residual_correlations(answers, fit_item_response(answers, "common").expected_answers())

    return work


def time_flawed_items(rng: np.random.Generator) -> Callable[[], object]:
    """Chance of a wrong key: 200,000 options with 5 judgments each."""
    right = rng.binomial(5, 0.8, N // 5)
    return lambda: miskey(right, np.full(N // 5, 5))


PIECES: dict[str, Piece] = {
    "joined": time_joined, "against_others": against_others, "carry_over": time_carry_over, "reliability": reliable,
    "generalizability": time_generalizability, "severity": severe, "rasch": rasch, "two_parameters": two_parameters,
    "dif": functioning, "flaws": time_flaws, "versions": versions, "labels": time_labels,
    "generators": time_generators, "joined_versions": time_joined_versions, "option_pairs": time_option_pairs,
    "flawed_items": time_flawed_items,
}  # fmt: skip


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=list(PIECES))
    options = parser.parse_args()
    for name, piece in PIECES.items():
        if options.only in (None, name):
            work = piece(np.random.default_rng(1))
            started, began = time.process_time(), time.monotonic()
            work()
            seconds, waited = time.process_time() - started, time.monotonic() - began
            most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
            print(
                f"{name:18}{seconds:8.2f} s of CPU, {waited:8.2f} s in all, {most:6,.0f} MB so far: "
                f"{(piece.__doc__ or '').strip()}",
                flush=True,
            )


if __name__ == "__main__":
    main()
