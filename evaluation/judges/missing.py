"""Which judgments of a model are missing, with the last reply to each."""

from collections.abc import Iterator
from typing import Any

from evaluation.judges.setting import SWAPPED, Asked, JudgeSetting, key_of, make_judge_setting
from evaluation.models import Evaluator
from evaluation.services.evaluators import JUDGE_KIND, scope_of
from items.models import Item
from llm.models import Call, CallState
from llm.models.call import GOOD
from studies.services.judgeable import open_questions
from studies.services.judging import values_by_item

Reply = dict[str, Any]
REPLY = ("reply_text", "reply_state", "reply_failure", "reply_error")
NO_REPLY: Reply = dict.fromkeys(REPLY)


def unanswered_by_judge(evaluator: Evaluator) -> Iterator[tuple[dict[str, Any], Reply]]:
    """What is asked after the answers that are there and has none: what it is about, and the reply that gave none.

    Nothing of a judge that came with a replication pack which withholds its prompts: it will be asked nothing more.
    """
    if evaluator.params.get("prompt") is None:
        return
    annotator = evaluator.annotator
    params = {**evaluator.params, "study": annotator.study_id, "annotator": annotator.pk}
    setting, replies = make_judge_setting(params), replies_without_answer(evaluator)
    answers = values_by_item(annotator.study, [annotator])
    items = setting.items_of(setting.subjects)
    for about in setting.subjects:
        given = answers.get((setting.assignments[about.unit_id].pk, about.item_id), {})
        for name in open_questions(setting.stage, given, about.has_expected_answer):
            asked = Asked(about, name)
            yield described(setting, asked, items), reply_to(setting, asked, replies)


def described(setting: JudgeSetting, asked: Asked, items: dict[int, Item]) -> dict[str, Any]:
    item, other = items[asked.about.item_id], items.get(asked.about.other_id or 0)
    return {
        "stage": setting.stage.name,
        "text_id": item.text.external_id,
        "item_id": item.external_id,
        "item_version": item.version,
        "other_item_id": other.external_id if other else None,
        "question": asked.question,
    }


def reply_to(setting: JudgeSetting, asked: Asked, replies: dict[str, Reply]) -> Reply:
    """Of a pair, the reply to the order that has no answer."""
    key = key_of(setting, asked)
    return replies.get(key) or replies.get(f"{key}{SWAPPED}") or NO_REPLY


def replies_without_answer(evaluator: Evaluator) -> dict[str, Reply]:
    """The last of each key."""
    calls = Call.objects.filter(
        run__project=evaluator.annotator.study.project_id, run__kind=JUDGE_KIND, run__scope=scope_of(evaluator)
    ).exclude(state__in=[*GOOD, CallState.REJECTED])
    rows = calls.order_by("run", "sample", "turn").values_list("key", "text", "state", "error_class", "error")
    return {key: dict(zip(REPLY, reply, strict=True)) for key, *reply in rows}
