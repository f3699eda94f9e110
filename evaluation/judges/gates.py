"""Questions about an item one after the other, such as a stopping questionnaire.

The next call is made after the answer to the previous one.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from django.utils.translation import override

from evaluation.judges.base import (
    LABEL_PARAMS,
    Judge,
    JudgeQuestion,
    JudgeSetting,
    build_request,
    format_question,
    get_item,
    render_item,
    store_judgment,
)
from evaluation.judges.prompts import JudgePrompts
from items.models import Item
from llm.answers import read_label
from llm.models import Call, Run
from llm.registry import Request, Unparsable
from studies.models import Response
from studies.protocols import Question, Stage
from studies.protocols.base import MAX_TEXT, Value
from studies.question_words import name_label
from studies.services.evaluating import list_judged_questions, list_open_questions
from studies.services.stage_form import find_wording

TEXT_TOKENS = 256
TEXT_PARAMS = {"temperature": 0, "max_tokens": TEXT_TOKENS}


class Gates(Judge):
    """One call per question. Questions that the answers lead past, or that follow a failed one, are never asked."""

    def plan(self, setting: JudgeSetting) -> Iterator[JudgeQuestion]:
        for about in setting.subjects:
            yield from find_next(setting, JudgeQuestion(about, ""), {})

    def plan_all(self, setting: JudgeSetting) -> Iterator[JudgeQuestion]:
        for about in setting.subjects:
            asked = list_judged_questions(setting.stage)
            applying = setting.stage.applicable_questions(about.has_expected_answer)
            yield from (JudgeQuestion(about, question.name) for question in applying if question in asked)

    def list_next(self, setting: JudgeSetting, asked: JudgeQuestion) -> Iterable[JudgeQuestion]:
        return find_next(setting, asked, load_answers(setting, [asked]).get(asked.about.item_id, {}))

    def build_requests(self, setting: JudgeSetting, asked: Sequence[JudgeQuestion]) -> list[Request]:
        items = setting.items_of(each.about for each in asked)
        answers = load_answers(setting, asked)
        return [self.build_request(setting, each, items, answers.get(each.about.item_id, {})) for each in asked]

    def build_request(
        self, setting: JudgeSetting, asked: JudgeQuestion, items: dict[int, Item], answers: Mapping[str, Value]
    ) -> Request:
        question = setting.stage.question(asked.question)
        item, rewording = get_item(items, asked.about.item_id), find_rewording(setting.stage, question, answers)
        shown = render_item(setting.prompts, setting.stage, setting.wording, item, f"{setting.study.seed}/{item.pk}")
        words = render_gate_prompt(setting.prompts, setting.wording, item, shown, question, rewording)
        return build_request(words, TEXT_PARAMS if question.kind == "text" else LABEL_PARAMS, setting.prompts.system)

    def read(self, setting: JudgeSetting, asked: JudgeQuestion, run: Run, call: Call) -> dict[str, Any]:
        value = read_answer(setting.stage.question(asked.question), call.answer)
        before = load_answers(setting, [asked]).get(asked.about.item_id, {})
        store_judgment(setting, asked.about, {asked.question: value, **before})
        return {"answer": value}

    def find_second_prompt(self, setting: JudgeSetting, asked: JudgeQuestion) -> str | None:
        """The prompt after an unclear reply; None for a free text, which can only be too long."""
        is_text = setting.stage.question(asked.question).kind == "text"
        return None if is_text else setting.prompts.fill("again")


def find_next(setting: JudgeSetting, asked: JudgeQuestion, answers: Mapping[str, Value]) -> list[JudgeQuestion]:
    """The first question on the path that has no answer, as a list; empty at the end of the path."""
    names = list_open_questions(setting.stage, answers, asked.about.has_expected_answer)
    return [JudgeQuestion(asked.about, names[0])] if names else []


def load_answers(setting: JudgeSetting, asked: Sequence[JudgeQuestion]) -> dict[int | None, dict[str, Value]]:
    """The judge's answers about these items, by item and question."""
    if setting.annotator_id is None:
        return {}
    here = {setting.assignments[each.about.unit_id].pk for each in asked}
    rows = Response.objects.filter(assignment__in=here, stage=setting.stage.name)
    answers: dict[int | None, dict[str, Value]] = {}
    for item, question, value in rows.values_list("item_id", "question", "value"):
        answers.setdefault(item, {})[question] = value
    return answers


def read_answer(question: Question, text: str) -> Value:
    """The level whose number the reply gives, or the free text."""
    if question.kind == "text":
        written = text.strip()
        if len(written) > MAX_TEXT:
            raise Unparsable("The reply is too long to be an answer.")
        return written
    numbers = number_levels(question)
    reading = read_label(text, list(numbers))
    if reading.label is None:
        raise Unparsable(reading.reason)
    return numbers[reading.label]


def find_rewording(stage: Stage, question: Question, answers: Mapping[str, Value]) -> str:
    """The judge's rewording of the item before this question; empty if there is none."""
    names = [each.name for each in stage.questions]
    earlier = stage.questions[: names.index(question.name)]
    return next((str(answers[each.name]) for each in earlier if each.rewords and each.name in answers), "")


def render_gate_prompt(
    prompts: JudgePrompts,
    wording: Mapping[str, Any],
    item: Item,
    shown: Mapping[str, str],
    question: Question,
    rewording: str,
) -> str:
    """The prompt with one question about an item; `shown`: see `render_item`."""
    words = find_wording(question, wording)
    stem = prompts.fill("reworded", question=item.stem, rewording=rewording) if rewording else item.stem
    about = {"title": item.text.title, "body": item.text.body, "asked": format_question(words, question)}
    filled = {**shown, **about, "question": stem}
    if question.kind == "text":
        return prompts.with_text("write", **filled)
    with override(item.text.language):
        levels = render_levels(words.get("levels") or wording.get("levels") or [], question)
    return prompts.with_text("choose", **filled, levels=levels)


def number_levels(question: Question) -> dict[str, Value]:
    """The answers to choose from by their number in a reply: a score is its own number, others are counted from 1."""
    if question.kind == "scale":
        return {str(level): level for level in question.levels}
    levels = (True, False) if question.kind == "tick" else question.levels
    return {str(number): level for number, level in enumerate(levels, 1)}


def render_levels(listed: Sequence[Any], question: Question) -> str:
    """The answers to choose from, one per line, each after its number."""
    labels = {entry["value"]: entry.get("label", entry["value"]) for entry in listed if isinstance(entry, Mapping)}
    if question.kind == "tick":
        labels = {True: name_label("yes"), False: name_label("no")} | labels
    return "\n".join(f"{number} = {labels.get(level, level)}" for number, level in number_levels(question).items())
