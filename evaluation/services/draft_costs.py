"""Estimate what a model would cost on a draft, from its texts and items: a draft has no units yet."""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from evaluation.setting import find_text_stages
from items.models import Item
from llm.models import Endpoint
from llm.prices import CHARACTERS_PER_TOKEN, compute_cost, format_money
from projects.models import Project
from studies.protocols.base import Declaration, Stage
from studies.services.selection import PlannedUnit

PROMPT_CHARACTERS = 900  # instructions around the text and the item
REPLY_TOKENS = 40
MOST_MODELS = 3


@dataclass(frozen=True)
class DraftCost:
    """`price` is empty where the model has none."""

    name: str
    n_calls: int
    price: str


def estimate_draft(project: Project, units: Sequence[PlannedUnit], declaration: Declaration) -> list[DraftCost]:
    """Costs for the first models that the project may use; empty if models cannot answer the protocol."""
    asked = [call for unit in units for call in list_calls(unit, declaration)]
    if not asked:
        return []
    tokens_in, tokens_out = sum(asked), REPLY_TOKENS * len(asked)
    found = Endpoint.objects.available_to(project).order_by("name")[:MOST_MODELS]
    return [
        DraftCost(each.name, len(asked), format_money(compute_cost(each, tokens_in, tokens_out), each.currency))
        for each in found
    ]


def list_calls(unit: PlannedUnit, declaration: Declaration) -> Iterator[int]:
    """The number of tokens of each call about the unit: one call per option or question, in each stage.

    A pair is asked about in both orders.
    """
    shows_text = find_text_stages(declaration.stages)
    for stage in declaration.stages:
        read = len(unit.text.body) if shows_text[stage.name] else 0
        is_compared = any(question.kind == "pick" for question in stage.questions)
        for shown in [unit.items] if is_compared else [(item,) for item in unit.items]:
            characters = PROMPT_CHARACTERS + read + sum(map(count_characters, shown))
            n_orders = 2 if is_compared and len(shown) == 2 else 1
            yield from [math.ceil(characters / CHARACTERS_PER_TOKEN)] * count_questions(stage, shown[0]) * n_orders


def count_questions(stage: Stage, item: Item) -> int:
    """One per option if options are judged; else one per question that is not free text."""
    questions = stage.applicable_questions(bool(item.expected_answer))
    if any(question.per == "option" for question in questions):
        return len(item.options.all())
    return sum(question.kind != "text" for question in questions)


def count_characters(item: Item) -> int:
    return len(item.stem) + sum(len(option.text) for option in item.options.all())
