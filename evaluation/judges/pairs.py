"""Judges that compare the items of a unit.

Pairs are asked about in both orders: a judgment that changes with the order is a tie. Choices among more items, such
as the best and the worst of four, are one call each, one after the other.
"""

from collections.abc import Iterator, Mapping, Sequence
from random import Random
from typing import Any

from evaluation.judges.base import (
    LABEL_PARAMS,
    Judge,
    JudgeQuestion,
    JudgeSetting,
    build_request,
    format_question,
    get_item,
    make_key,
    render_item,
    render_options,
    store_judgment,
)
from evaluation.judges.gates import Gates, load_answers
from evaluation.judges.prompts import FIRST, SECOND, TIE, JudgePrompts
from evaluation.setting import LABEL
from items.models import Item
from llm.answers import LabelShares, read_label, read_shares
from llm.models import Call, Run
from llm.registry import Request, Unparsable
from studies.protocols import Question, Stage
from studies.protocols.base import Value
from studies.services.evaluating import list_judged_questions
from studies.services.stage_form import find_wording

OTHER = {FIRST: SECOND, SECOND: FIRST, TIE: TIE}


class Pairs(Judge):
    """Two calls per pair. The answer is stored when both replies have arrived; it is missing if one has no answer."""

    def plan(self, setting: JudgeSetting) -> Iterator[JudgeQuestion]:
        question = list_judged_questions(setting.stage)[0].name
        for about in setting.subjects:
            yield JudgeQuestion(about, question)
            yield JudgeQuestion(about, question, is_swapped=True)

    def build_requests(self, setting: JudgeSetting, asked: Sequence[JudgeQuestion]) -> list[Request]:
        items = setting.items_of(each.about for each in asked)
        return [
            build_request(self.render_words(setting, each, items), LABEL_PARAMS, setting.prompts.system)
            for each in asked
        ]

    def render_words(self, setting: JudgeSetting, asked: JudgeQuestion, items: dict[int, Item]) -> str:
        about = asked.about
        pair = [get_item(items, pk) for pk in about.item_ids]
        seed = f"{setting.study.seed}/{about.unit_id}"
        return render_pair_prompt(
            setting.prompts, setting.stage, setting.wording, pair[::-1] if asked.is_swapped else pair, seed
        )

    def read(self, setting: JudgeSetting, asked: JudgeQuestion, run: Run, call: Call) -> dict[str, Any]:
        chosen, shares = read_choice(setting, call)
        mine = map_to_unit_order(chosen, asked.is_swapped)
        other = self.find_other_answer(setting, asked, run)
        if other is not None:
            self.store(setting, asked, mine if mine == other else TIE)
        values: dict[str, Any] = {"order": 2 if asked.is_swapped else 1, "said": chosen, "better": mine}
        if shares.shares is not None:
            values |= {"shares": shares.shares, "label mass": shares.mass, "little label mass": shares.is_flagged}
        return values

    def find_other_answer(self, setting: JudgeSetting, asked: JudgeQuestion, run: Run) -> str | None:
        """The answer to the other order, even if its reply is not marked as read: both raw replies are committed
        before either is read."""
        other = JudgeQuestion(asked.about, asked.question, not asked.is_swapped)
        replies = run.calls.filter(key=make_key(setting, other), text__isnull=False).order_by("-turn")
        for call in replies:
            try:
                return map_to_unit_order(read_choice(setting, call)[0], other.is_swapped)
            except Unparsable:
                continue
        return None

    def store(self, setting: JudgeSetting, asked: JudgeQuestion, better: str) -> None:
        items = Item.objects.in_bulk(asked.about.item_ids)
        first, second = (get_item(items, pk).external_id for pk in asked.about.item_ids)
        tie = list_judged_questions(setting.stage)[0].levels[0]
        value = {FIRST: first, SECOND: second, TIE: tie}[better]
        store_judgment(setting, asked.about, {asked.question: value}, (first, second))


def read_choice(setting: JudgeSetting, call: Call) -> tuple[str, LabelShares]:
    """FIRST or SECOND in the order of the prompt, or TIE, and the labels' probabilities; `Unparsable` if unclear."""
    labels = {label: name for name, label in setting.prompts.labels.items()}
    written = read_label(call.answer, list(labels))
    shares = read_shares(call.answer_logprobs, list(labels), written.label)
    if setting.reading == LABEL:
        if written.label is None:
            raise Unparsable(written.reason)
        return labels[written.label], shares
    if shares.shares is None:
        raise Unparsable(shares.reason)
    likeliest = max(shares.shares, key=lambda label: (shares.shares or {})[label])
    return labels[likeliest], shares


def map_to_unit_order(chosen: str, is_swapped: bool) -> str:
    """FIRST or SECOND in the unit's order of items, from the prompt's order."""
    return OTHER[chosen] if is_swapped else chosen


def render_pair_prompt(
    prompts: JudgePrompts, stage: Stage, wording: Mapping[str, Any], pair: Sequence[Item], seed: str
) -> str:
    """The prompt about two items in this order."""
    shown = [render_compared_item(prompts, stage, wording, item, f"{seed}/{item.external_id}") for item in pair]
    criteria = "\n".join(f"- {entry['title']}" for entry in wording.get("criteria", []))
    text = pair[0].text
    return prompts.with_text(
        "compare", title=text.title, body=text.body, first=shown[0], second=shown[1], criteria=criteria
    )


def render_compared_item(prompts: JudgePrompts, stage: Stage, wording: Mapping[str, Any], item: Item, seed: str) -> str:
    """The question with its options as the stage shows them to people."""
    return prompts.fill("item", question=item.stem, options=render_options(stage, wording, item, seed))


class Picks(Gates):
    """Choices among items, numbered in a random order per question; one that may not be chosen again is left out."""

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
    """The items in the order of the prompt."""
    question = setting.stage.question(asked.question)
    own = [get_item(items, pk) for pk in asked.about.item_ids]
    Random(f"{setting.study.seed}/{asked.about.unit_id}/{question.name}").shuffle(own)
    taken = answers.get(question.unlike)
    return [item for item in own if item.external_id != taken]


def render_pick_prompt(
    prompts: JudgePrompts, stage: Stage, wording: Mapping[str, Any], items: Sequence[Item], question: Question
) -> str:
    """The prompt for one choice among these items, followed by the answers that are not items.

    {criteria}: those of the wording, or else the instructions of its page.
    """
    shown = [
        f"{number}. {prompts.fill('item', **render_item(prompts, stage, wording, item, item.external_id))}"
        for number, item in enumerate(items, 1)
    ]
    words, text = find_wording(question, wording), items[0].text
    labels = {entry["value"]: entry.get("label", entry["value"]) for entry in words.get("levels", [])}
    levels = [f"{number} = {labels.get(level, level)}" for number, level in enumerate(question.levels, len(items) + 1)]
    criteria = [f"- {entry['title']}" for entry in wording.get("criteria", [])] or wording.get("lead", [])
    return prompts.with_text(
        "choose",
        title=text.title,
        body=text.body,
        items="\n\n".join(shown),
        asked=format_question(words, question),
        levels="\n".join(levels),
        criteria="".join(f"\n{line}" for line in criteria),
    )
