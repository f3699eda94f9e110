"""Small studies of every protocol with an outcome that was planted: a clear winner, none, too little, models only."""

from collections.abc import Iterator
from itertools import combinations
from random import Random
from typing import Any

from bench.whole_studies import judgments
from projects.models import Project
from studies.models import Study
from studies.services.responses.importing import import_responses
from tests.studies.answer_files import as_csv, make_option_rows
from tests.studies.world import bank, draft_study

Rows = Iterator[dict[str, Any]]
GENERATORS = ("alder", "birch", "cedar", "dogwood")
BEST, MODEL = "alder", "P0"
# Texts, whether alder's items are better, and who answers.
OUTCOMES = {
    "winner": (10, True, "human"),
    "none": (10, False, "human"),
    "one text": (1, True, "human"),
    "refusal": (3, True, "human"),
    "models only": (10, True, "model"),
}


def draw_study(project: Project, protocol: str, outcome: str) -> Study:
    """Four generators with an item each on every text, answered by four."""
    texts, has_best, kind = OUTCOMES[outcome]
    bank(project, texts=texts, generators=GENERATORS)
    study = draft_study(project, protocol=protocol, slug=f"{protocol}-{outcome.replace(' ', '-')}")
    rows = [
        {"annotator_kind": kind, "model": "gpt" if kind == "model" else ""} | row
        for text in range(1, texts + 1)
        for seat in range(4)
        for row in ROWS[protocol](Random(f"{text} {seat}"), f"t{text}", seat, has_best, kind)
    ]
    import_responses(study, as_csv(rows))
    return Study.objects.get(pk=study.pk)


def guess(rng: Random, text: str, seat: int, has_best: bool, kind: str) -> Rows:
    """Guessing is a coin toss, and reading helps nobody; alder's items are hard to guess and easy to read."""
    mine = GENERATORS[(int(text[1:]) + seat) % 4]
    for generator in GENERATORS:
        chances = (0.1, 0.97) if has_best and generator == BEST else (0.5, 0.5)
        for stage, p in zip(("guess", "read"), chances, strict=True):
            if stage == "read" or kind == "model" or generator == mine:
                ticked = "".join(each for each in "abc" if (each == "a") == (rng.random() < p))
                yield from make_option_rows(f"P{seat}", stage, f"{text}-{generator}-1", ticked, annotator_kind=kind)


def rate(rng: Random, text: str, seat: int, has_best: bool, _kind: str) -> Rows:
    for generator in GENERATORS:
        for dimension in ("fluency", "clarity", "relevance", "consistency"):
            score = 3 if has_best and generator == BEST else rng.choice((1, 2, 2, 3))
            values = {"annotator": f"P{seat}", "stage": "rate", "question": dimension, "value": score}
            yield values | {"text_id": text, "item_id": f"{text}-{generator}-1"}


def stop(rng: Random, text: str, seat: int, has_best: bool, _kind: str) -> Rows:
    for generator in GENERATORS:
        about = {"annotator": f"P{seat}", "stage": "judge", "text_id": text, "item_id": f"{text}-{generator}-1"}
        for question, value in judgments(9 if has_best and generator == BEST else 0.4, rng).items():
            yield about | {"question": question, "value": value}


def compare(rng: Random, text: str, seat: int, has_best: bool, _kind: str) -> Rows:
    for one, other in combinations(GENERATORS, 2):
        pair = [f"{text}-{name}-1" for name in (one, other)]
        p = 0.99 if has_best and one == BEST else 0.5
        values = {"annotator": f"P{seat}", "stage": "compare", "question": "better", "text_id": text}
        values |= {"item_id": pair[0], "other_item_id": pair[1], "shown_left": pair[rng.random() < 0.5]}
        yield values | {"value": "tie" if rng.random() < 0.03 else pair[rng.random() >= p]}


def choose(rng: Random, text: str, seat: int, has_best: bool, _kind: str) -> Rows:
    items = [f"{text}-{name}-1" for name in GENERATORS]
    best, worst = rng.sample(items, 2)
    best, worst = (items[0], rng.choice(items[1:])) if has_best and rng.random() < 0.9 else (best, worst)
    for question, value in (("best", best), ("worst", worst)):
        values = {"annotator": f"P{seat}", "stage": "choose", "question": question, "value": value}
        yield values | {"unit_item_ids": " ".join(items)}


ROWS = {
    "guess-then-read": guess,
    "dimension-ratings": rate,
    "stopping-questionnaire": stop,
    "pairwise": compare,
    "best-worst": choose,
}
