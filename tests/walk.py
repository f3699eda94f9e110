"""A planted study: who ticks what is known before anybody starts, so that exports and reports can be held against it.

Ten texts, three generators, three items each, three options each; six annotators. Used by the browser test and by
`bench/walk.py`.
"""

import json
from dataclasses import dataclass
from fractions import Fraction

from items.models import Item
from studies.models import Annotator, Study

TEXTS = 10
GENERATORS = ("quarry", "orchard", "harbour")
ITEMS = 3
OPTIONS = 3
ANNOTATORS = 6
# How many of ten judgments are wrong, by generator and stage.
WRONG = {
    "quarry": {"guess": 5, "read": 1},
    "orchard": {"guess": 3, "read": 2},
    "harbour": {"guess": 4, "read": 4},
}
STAGES = {"guess": 0, "read": 3}


def body(text: int) -> str:
    """Sentences that occur nowhere else, so that a leak can be seen."""
    return f"Marmalade ledger {text} opens at dawn.\nThe violet ferry {text} carries seventeen lanterns to the island."


def bank() -> str:
    """The study's texts and items as JSONL. Stems and options say nothing of text, generator or key."""
    lines = []
    for text in range(TEXTS):
        items = [item(text, place, number) for place in range(len(GENERATORS)) for number in range(ITEMS)]
        lines.append(
            {"id": f"t{text}", "title": f"Ledger {text}", "text": body(text), "language": "en", "items": items}
        )
    return "".join(json.dumps(line) + "\n" for line in lines)


def item(text: int, generator: int, number: int) -> dict:
    ordinal = (text * len(GENERATORS) + generator) * ITEMS + number
    return {
        "id": f"i{ordinal}",
        "generator": GENERATORS[generator],
        "question": f"What is asked here, number {ordinal * 37 % 1000}?",
        "answers": [
            {
                "id": "abc"[option],
                "text": f"Choice {(ordinal * 3 + option) * 41 % 10007}",
                "correct": (ordinal * 7 + option * 3) % 5 < 2,
            }
            for option in range(OPTIONS)
        ],
    }


def spec(slug: str, project: str) -> str:
    return (
        f"slug: {slug}\ntitle: Planted\nprotocol: guess-then-read\nlanguage: en\n"
        f"plan: {{annotators: {ANNOTATORS}, seed: 20240567}}\n"
    )


@dataclass(frozen=True)
class Planted:
    """What one annotator says about one item in one stage."""

    ticked: tuple[str, ...]  # option texts
    unsure: tuple[str, ...]
    rating: int


def is_right(annotator: int, item: Item, option: int, stage: str) -> bool:
    """Whether the planted judgment agrees with the key."""
    ordinal = int(item.external_id.removeprefix("i"))
    draw = (annotator * 3 + ordinal * 7 + option * 11 + STAGES[stage]) % 10
    return draw >= WRONG[item.generator.name][stage]


def plan_answer(annotator: int, item: Item, stage: str) -> Planted:
    ordinal = int(item.external_id.removeprefix("i"))
    options = list(item.options.all())
    ticked = tuple(
        option.text for place, option in enumerate(options) if option.correct == is_right(annotator, item, place, stage)
    )
    unsure = tuple(option.text for place, option in enumerate(options) if (annotator + ordinal + place) % 7 == 0)
    return Planted(ticked, unsure if stage == "read" else (), (annotator + ordinal) % 5 + 1)


def by_stem(study: Study) -> dict[str, Item]:
    """The study's items by what an annotator reads."""
    items = Item.objects.filter(unit_items__unit__study=study).select_related("generator", "text")
    return {item.stem: item for item in items.prefetch_related("options")}


def annotators(study: Study) -> list[Annotator]:
    return list(study.annotators.filter(purpose="main").order_by("seat"))


def list_guessed_generators(study: Study) -> dict[int, dict[int, str]]:
    """By seat and text, whose items the plan lets it guess."""
    found: dict[int, dict[int, str]] = {}
    for annotator in annotators(study):
        slots = annotator.assignments.values_list("unit__text_id", "slot__generator__name")
        found[annotator.seat] = dict(slots)
    return found


def expected_responses(study: Study) -> set[tuple]:
    """Every row the long export must hold: annotator, stage, item, option, question, value, unsure."""
    rows = set()
    plan = list_guessed_generators(study)
    for annotator in annotators(study):
        for item in by_stem(study).values():
            stages = ["read"]
            if plan[annotator.seat][item.text_id] == item.generator.name:
                stages.append("guess")
            for stage in stages:
                rows |= expected_rows(annotator, item, stage)
    return rows


def expected_rows(annotator: Annotator, item: Item, stage: str) -> set[tuple]:
    answer = plan_answer(annotator.seat, item, stage)
    rows = set()
    for option in item.options.all():
        unsure = ("true" if option.text in answer.unsure else "false") if stage == "read" else ""
        value = "true" if option.text in answer.ticked else "false"
        rows.add((annotator.code, stage, item.external_id, option.external_id, "answer", value, unsure))
    if stage == "read":
        rows.add((annotator.code, stage, item.external_id, "", "rating", str(answer.rating), ""))
    return rows


def expected_shares(study: Study) -> dict[tuple[str, str], Fraction]:
    """Planted accuracy by generator and stage, exactly."""
    plan = list_guessed_generators(study)
    right: dict[tuple[str, str], list[bool]] = {}
    for annotator in annotators(study):
        for item in by_stem(study).values():
            for stage in STAGES:
                if stage == "guess" and plan[annotator.seat][item.text_id] != item.generator.name:
                    continue
                judged = right.setdefault((item.generator.name, stage), [])
                judged += [is_right(annotator.seat, item, place, stage) for place in range(OPTIONS)]
    return {key: Fraction(sum(judged), len(judged)) for key, judged in right.items()}
