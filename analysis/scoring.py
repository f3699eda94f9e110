"""The informativity of items sent by a program: of each item and of all, with intervals over texts."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from django.utils.translation import gettext as _

from analysis.measures.informativity import informativity, share
from analysis.measures.intervals import Interval, cluster_interval
from evaluation.baselines import (
    EXACT,
    FUZZY,
    MAJORITY,
    Keys,
    tick_exact,
    tick_majority,
    tick_most_similar,
    tick_similar,
)
from evaluation.models import Scoring
from evaluation.run_kind import P_TRUE, TICKED
from evaluation.scoring import iter_sent_options, make_setting
from evaluation.services.scoring import map_runs
from llm.models import Run
from studies.models import AnnotatorKind

GUESS, READ = "guess", "read"  # without the text and with it
MEASURES = ("guessability", "answerability", "informativity")
Place = tuple[int, int, int]  # text, item, option
SEED = 1


@dataclass
class Answers:
    """Whether each option was ticked, and p(true) if it is known; by stage and place."""

    ticked: dict[tuple[str, Place], bool] = field(default_factory=dict)
    p: dict[tuple[str, Place], float] = field(default_factory=dict)


def score(scoring: Scoring) -> dict[str, Any]:
    """The scoring in the format of the API: its evaluators with their numbers, and the items."""
    runs = map_runs(scoring)
    evaluators, items = [], []
    for each in scoring.evaluators:
        run = runs.get(each["label"])
        answers = read_answers(scoring, each, run)
        evaluators.append(describe_evaluator(each, run) | sum_up(scoring, answers, each))
        items += list(score_items(scoring, answers, each["label"]))
    return {"evaluators": evaluators, "items": items, "state": find_state(runs.values())}


def find_state(runs: Iterable[Run]) -> str:
    """The most urgent state: paused or stopped, then running, then done."""
    states = [str(run.state) for run in runs]
    order = ("failed", "cancelled", "paused", "planning", "running")
    return next((state for state in order if state in states), "done")


def describe_evaluator(evaluator: Mapping[str, Any], run: Run | None) -> dict[str, Any]:
    return {
        "label": evaluator["label"],
        "kind": evaluator["kind"],
        "reading": evaluator.get("reading", ""),
        "run": run,
    }


def read_answers(scoring: Scoring, evaluator: Mapping[str, Any], run: Run | None) -> Answers:
    if evaluator["kind"] == AnnotatorKind.BASELINE:
        return Answers(dict(answer_by_rule(scoring.texts, evaluator["method"])))
    answers = Answers()
    if run is None:
        return answers
    shows_text = make_setting(run.params).stages
    for key, parsed in run.calls.good().values_list("key", "parsed"):
        stage, _slash, place = key.partition("/")
        where = (READ if shows_text[stage] else GUESS, parse_place(place))
        answers.ticked[where] = parsed[TICKED]
        if parsed[P_TRUE] is not None:
            answers.p[where] = parsed[P_TRUE]
    return answers


def parse_place(written: str) -> Place:
    text, item, option = map(int, written.split("."))
    return text, item, option


def answer_by_rule(texts: list[dict[str, Any]], method: str) -> Iterator[tuple[tuple[str, Place], bool]]:
    """The options that a baseline ticks; baselines that use the text answer only with the text."""
    keys = [count_keys(text) for text in texts]
    everything = Keys(sum(each.n_keys for each in keys), sum(each.n_options for each in keys))
    one_key = all(sum(o["correct"] for o in item["answers"]) == 1 for text in texts for item in text["items"])
    for n_text, text in enumerate(texts):
        for n_item, item in enumerate(text["items"]):
            words = [option["text"] for option in item["answers"]]
            if method == MAJORITY:
                if len(texts) < 2:
                    continue
                ticks = [tick_majority(everything.without(keys[n_text]))] * len(words)
            elif method == EXACT:
                ticks = tick_exact(text["text"], words)
            elif one_key:
                ticks = tick_most_similar(text["text"], words, f"{SEED}/{item['id']}")
            else:
                ticks = tick_similar(text["text"], words)
            for stage in (GUESS, READ) if method == MAJORITY else (READ,):
                yield from (((stage, (n_text, n_item, n)), ticked) for n, ticked in enumerate(ticks))


def count_keys(text: Mapping[str, Any]) -> Keys:
    options = [option for item in text["items"] for option in item["answers"]]
    return Keys(sum(option["correct"] for option in options), len(options))


def sum_up(scoring: Scoring, answers: Answers, evaluator: Mapping[str, Any]) -> dict[str, Any]:
    """Guessability, answerability and informativity of all items, each with its interval, n or reason."""
    counts = tally_texts(scoring, answers)
    n_guess, n_read = (int(counts[:, column].sum()) for column in (1, 3))
    found: dict[str, Any] = {"n_guess": n_guess, "n_read": n_read}
    columns = {"guessability": (0, 1), "answerability": (2, 3)}
    for name in MEASURES:
        parts = [columns[name]] if name in columns else [columns["answerability"], columns["guessability"]]
        found[name] = describe_measure(counts, parts, explain_missing(scoring, evaluator, parts, counts))
    return found


def tally_texts(scoring: Scoring, answers: Answers) -> np.ndarray[Any, np.dtype[np.int64]]:
    """(texts, 4): right and all judgments without the text, right and all with it."""
    counts = np.zeros((len(scoring.texts), 4), dtype=np.int64)
    for place, asked in iter_sent_options(scoring.texts):
        where = parse_place(place)
        for column, stage in ((0, GUESS), (2, READ)):
            ticked = answers.ticked.get((stage, where))
            if ticked is not None:
                counts[where[0], column : column + 2] += (ticked == asked.option["correct"], 1)
    return counts


def explain_missing(scoring: Scoring, evaluator: Mapping[str, Any], parts: Any, counts: Any) -> str:
    """Why a measure is undefined; empty if it is defined."""
    if all(counts[:, n].sum() for _right, n in parts):
        return ""
    if evaluator.get("method") in (EXACT, FUZZY):
        return _("This baseline compares options with the text, so it cannot answer without it.")
    if evaluator.get("method") == MAJORITY:
        return _("The majority label is learned from the other texts, and there is only one text.")
    return _("There is no answer yet.")


def describe_measure(counts: Any, parts: list[tuple[int, int]], reason: str) -> dict[str, Any]:
    if reason:
        return {"value": None, "low": None, "high": None, "reason": reason}
    interval = measure_interval(counts, parts)
    value = sum(
        sign * share(int(counts[:, right].sum()), int(counts[:, n].sum()))
        for sign, (right, n) in zip((1, -1), parts, strict=False)
    )
    undefined = np.isnan(interval.low)
    return {
        "value": value,
        "low": None if undefined else interval.low,
        "high": None if undefined else interval.high,
        "reason": _(interval.reason) if undefined and interval.reason else "",
    }


def measure_interval(counts: Any, parts: list[tuple[int, int]]) -> Interval:
    """The interval over texts, which are treated as a sample."""
    judged = counts[(counts[:, [n for _right, n in parts]].sum(axis=1)) > 0]

    def statistic(weights: Any) -> Any:
        total = weights @ judged
        with np.errstate(invalid="ignore", divide="ignore"):
            shares = [total[:, right] / total[:, n] for right, n in parts]
        return shares[0] - shares[1] if len(shares) == 2 else shares[0]

    bounds = (-1.0, 1.0) if len(parts) == 2 else (0.0, 1.0)
    n = int(judged[:, [n for _right, n in parts]].sum())
    return cluster_interval(statistic, len(judged), n, bounds=bounds, seed=SEED)


def score_items(scoring: Scoring, answers: Answers, label: str) -> Iterator[dict[str, Any]]:
    """One row per item: shares of its options judged correctly, and how p of the right label changes with the text."""
    for n_text, text in enumerate(scoring.texts):
        for n_item, item in enumerate(text["items"]):
            places = [((n_text, n_item, n), option["correct"]) for n, option in enumerate(item["answers"])]
            right = {
                stage: [answers.ticked[stage, at] == key for at, key in places if (stage, at) in answers.ticked]
                for stage in (GUESS, READ)
            }
            n_guess, n_read = len(right[GUESS]), len(right[READ])
            counts = (sum(right[READ]), n_read, sum(right[GUESS]), n_guess)
            yield {
                "text_id": text["id"],
                "item_id": item["id"],
                "evaluator": label,
                "guessability": drop_nan(share(counts[2], n_guess)),
                "answerability": drop_nan(share(counts[0], n_read)),
                "informativity": drop_nan(informativity(*counts)),
                "probability_gain": measure_gain(answers, places),
                "n_options": len(places),
                "n_guess": n_guess,
                "n_read": n_read,
            }


def drop_nan(value: float) -> float | None:
    return None if np.isnan(value) else value


def measure_gain(answers: Answers, places: list[tuple[Place, bool]]) -> float | None:
    """Mean over options of p(right label | text) − p(right label); None unless all are known."""
    gains = []
    for at, key in places:
        p = [answers.p.get((stage, at)) for stage in (READ, GUESS)]
        if p[0] is None or p[1] is None:
            return None
        gains.append((p[0] - p[1]) * (1 if key else -1))
    return float(np.mean(gains)) if gains else None
