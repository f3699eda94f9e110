"""A questionnaire that stops, question by question: the next call is made when the answer before it is there."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from evaluation.judges.base import LABEL_PARAMS, Judge, found, keep, said_by_user
from evaluation.judges.prompts import JudgePrompts
from evaluation.judges.setting import Asked, JudgeSetting
from items.models import Item
from llm.labels import read_label
from llm.models import Call, Run
from llm.registry import Request, Unparsable
from studies.models import Response
from studies.protocols import Question, Stage
from studies.protocols.base import MAX_TEXT, Value
from studies.services.judgeable import open_questions

TEXT_TOKENS = 256
TEXT_PARAMS = {"temperature": 0, "max_tokens": TEXT_TOKENS}


class Gates(Judge):
    """Each question is a call of its own. What the path does not reach is never asked, nor is what a failure hides."""

    def plan(self, setting: JudgeSetting) -> Iterator[Asked]:
        for about in setting.subjects:
            yield from next_of(setting, Asked(about, ""), {})

    def most(self, setting: JudgeSetting) -> Iterator[Asked]:
        for about in setting.subjects:
            yield from (Asked(about, question.name) for question in setting.stage.about(about.has_expected_answer))

    def then(self, setting: JudgeSetting, asked: Asked) -> Iterable[Asked]:
        return next_of(setting, asked, answers_in(setting, [asked]).get(asked.about.item_id, {}))

    def requests(self, setting: JudgeSetting, asked: Sequence[Asked]) -> list[Request]:
        items = setting.items_of(each.about for each in asked)
        answers = answers_in(setting, asked)
        return [self.request(setting, each, items, answers.get(each.about.item_id, {})) for each in asked]

    def request(
        self, setting: JudgeSetting, asked: Asked, items: dict[int, Item], answers: Mapping[str, Value]
    ) -> Request:
        question = setting.stage.question(asked.question)
        item, rewording = found(items, asked.about.item_id), rewording_before(setting.stage, question, answers)
        words = judged(setting.prompts, setting.wording, item, question, rewording)
        return said_by_user(words, TEXT_PARAMS if question.kind == "text" else LABEL_PARAMS)

    def read(self, setting: JudgeSetting, asked: Asked, run: Run, call: Call) -> dict[str, Any]:
        value = answer(setting.stage.question(asked.question), call.text or "")
        before = answers_in(setting, [asked]).get(asked.about.item_id, {})
        keep(setting, asked.about, {asked.question: value, **before})
        return {"answer": value}

    def again(self, setting: JudgeSetting, asked: Asked) -> str | None:
        """A text can only be too long; that is not asked for again."""
        is_text = setting.stage.question(asked.question).kind == "text"
        return None if is_text else setting.prompts.fill("again")


def next_of(setting: JudgeSetting, asked: Asked, answers: Mapping[str, Value]) -> list[Asked]:
    """The first question on the path that has no answer."""
    names = open_questions(setting.stage, answers, asked.about.has_expected_answer)
    return [Asked(asked.about, names[0])] if names else []


def answers_in(setting: JudgeSetting, asked: Sequence[Asked]) -> dict[int, dict[str, Value]]:
    """What the judge has answered about these items."""
    if setting.annotator_id is None:
        return {}
    here = {setting.assignments[each.about.unit_id].pk for each in asked}
    rows = Response.objects.filter(assignment__in=here, stage=setting.stage.name)
    answers: dict[int, dict[str, Value]] = {}
    for item, question, value in rows.values_list("item_id", "question", "value"):
        answers.setdefault(item, {})[question] = value
    return answers


def answer(question: Question, text: str) -> Value:
    """The level whose number was written, or the free text."""
    if question.kind == "text":
        written = text.strip()
        if len(written) > MAX_TEXT:
            raise Unparsable("The reply is too long to be an answer.")
        return written
    numbers = {str(number): level for number, level in enumerate(question.levels, 1)}
    reading = read_label(text, list(numbers))
    if reading.label is None:
        raise Unparsable(reading.reason)
    return numbers[reading.label]


def rewording_before(stage: Stage, question: Question, answers: Mapping[str, Value]) -> str:
    """The wording that the judge gave the item before this question; empty if it gave none."""
    names = [each.name for each in stage.questions]
    earlier = stage.questions[: names.index(question.name)]
    return next((str(answers[each.name]) for each in earlier if each.rewords and each.name in answers), "")


def judged(prompts: JudgePrompts, wording: Mapping[str, Any], item: Item, question: Question, rewording: str) -> str:
    """The prompt with one question about an item."""
    words: Mapping[str, Any] = next(
        (entry for entry in wording.get("questions", []) if entry["name"] == question.name), {}
    )
    stem = prompts.fill("reworded", question=item.stem, rewording=rewording) if rewording else item.stem
    asked = " ".join(filter(None, (words.get("question", question.name), words.get("help", ""))))
    shown = {"title": item.text.title, "body": item.text.body, "question": stem, "asked": asked}
    if question.kind == "text":
        return prompts.about("write", **shown)
    return prompts.about("choose", **shown, levels=numbered(words, question))


def numbered(words: Mapping[str, Any], question: Question) -> str:
    """The answers to choose from, one a line, each under its number."""
    labels = {
        entry["value"]: entry.get("label", entry["value"])
        for entry in words.get("levels", [])
        if isinstance(entry, Mapping)
    }
    return "\n".join(f"{number} = {labels.get(level, level)}" for number, level in enumerate(question.levels, 1))
