"""Choices among the items of a unit, such as the best and the worst of four: one call each, one after the other."""

from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from evaluation.judges.base import (
    LABEL_PARAMS,
    JudgeQuestion,
    JudgeSetting,
    ask_in_words,
    build_request,
    get_item,
    render_item,
    store_judgment,
)
from evaluation.judges.gates import Gates, load_answers
from evaluation.judges.prompts import JudgePrompts
from items.models import Item
from llm.answers import read_label
from llm.models import Call, Run
from llm.registry import Request, Unparsable
from studies.protocols import Question, Stage
from studies.protocols.base import Value
from studies.services.stage_form import find_wording


class Picks(Gates):
    """Items stand under numbers, in an order drawn for each question. One that may not be chosen again is left out."""

    def build_request(
        self, setting: JudgeSetting, asked: JudgeQuestion, items: dict[int, Item], answers: Mapping[str, Value]
    ) -> Request:
        question, choices = setting.stage.question(asked.question), list_choices(setting, asked, items, answers)
        words = render_pick_prompt(setting.prompts, setting.stage, setting.wording, choices, question)
        return build_request(words, LABEL_PARAMS, setting.prompts.system)

    def read(self, setting: JudgeSetting, asked: JudgeQuestion, run: Run, call: Call) -> dict[str, Any]:
        question, items = setting.stage.question(asked.question), Item.objects.in_bulk(asked.about.item_ids)
        before = load_answers(setting, [asked]).get(asked.about.item_id, {})
        choices = [item.external_id for item in list_choices(setting, asked, items, before)] + list(question.levels)
        reading = read_label(call.answer, [str(number) for number in range(1, len(choices) + 1)])
        if reading.label is None:
            raise Unparsable(reading.reason)
        value = choices[int(reading.label) - 1]
        picks = [item.external_id for item in items.values()]
        store_judgment(setting, asked.about, {**before, question.name: value}, picks)
        return {"answer": value, "choices": choices}


def list_choices(
    setting: JudgeSetting, asked: JudgeQuestion, items: dict[int, Item], answers: Mapping[str, Value]
) -> list[Item]:
    """The items in the order in which the prompt has them."""
    question = setting.stage.question(asked.question)
    own = [get_item(items, pk) for pk in asked.about.item_ids]
    Random(f"{setting.study.seed}/{asked.about.unit_id}/{question.name}").shuffle(own)
    taken = answers.get(question.unlike)
    return [item for item in own if item.external_id != taken]


def render_pick_prompt(
    prompts: JudgePrompts, stage: Stage, wording: Mapping[str, Any], items: Sequence[Item], question: Question
) -> str:
    """The prompt with one choice among these items, and the answers that are no item after them.

    {criteria} are those of the wording, or else what its page tells people to do.
    """
    shown = [
        f"{number}. {prompts.fill('item', **render_item(prompts, stage, wording, item, item.external_id))}"
        for number, item in enumerate(items, 1)
    ]
    words, text = find_wording(question, wording), items[0].text
    labels = {entry["value"]: entry.get("label", entry["value"]) for entry in words.get("levels", [])}
    levels = [f"{number} = {labels.get(level, level)}" for number, level in enumerate(question.levels, len(items) + 1)]
    told = [f"- {entry['title']}" for entry in wording.get("criteria", [])] or wording.get("lead", [])
    return prompts.about(
        "choose",
        title=text.title,
        body=text.body,
        items="\n\n".join(shown),
        asked=ask_in_words(words, question),
        levels="\n".join(levels),
        criteria="".join(f"\n{line}" for line in told),
    )
