"""How many answers of a model differ between the switch *as published* and the default reading, from stored replies."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from django.core.cache import cache

from evaluation.door import MAX_TOKENS_PUBLISHED
from evaluation.judging import judge
from evaluation.listing import Row
from evaluation.models import Evaluator
from evaluation.services.asking import METHOD, run_params
from evaluation.services.evaluators import RUN_KIND, scope_of
from evaluation.setting import LABEL, OPTIONWISE, Setting, make_setting, params_for, read_key
from llm.failures import Failure
from llm.models import Call
from llm.registry import Unparsable
from studies.models import Response
from studies.services.evaluating import ANSWER

A_DAY = 24 * 60 * 60
MOST = 5_000  # replies read anew while a page waits: about a second
CUT = "length"


class Unknown(Exception):
    """The stored reply does not tell what the other reading would have come to."""


@dataclass(frozen=True)
class Comparison:
    """Of `n` answers asked for: how many differ (also: missing in one), and of how many it cannot be said.

    `is_whole` is false if only the first replies were compared.
    """

    n: int
    n_differ: int
    n_unknown: int
    is_whole: bool


def comparison_of(evaluator: Evaluator, row: Row) -> Comparison | None:
    """`compare`, once for every state of the answers: pages are loaded again and again."""
    state = [evaluator.pk, row.done, row.missing, row.n_unparsed, row.run.pk if row.run else 0]
    return cache.get_or_set(f"comparison:{'/'.join(map(str, state))}", lambda: compare(evaluator), A_DAY)


def compare(evaluator: Evaluator) -> Comparison | None:
    """The evaluator's answers beside those of the other reading of its first replies; None where there is no other.

    A default reading is held against the one as published, and the other way round. No call is made: where the default
    would have asked again, or let the model write on, the outcome is unknown.
    """
    params = run_params(evaluator) if evaluator.method == METHOD else {}
    if params.get("answering") != OPTIONWISE:
        return None
    annotator = evaluator.annotator
    own = make_setting(params_for(annotator.study, evaluator.stages, params, annotator.pk))
    other, given = replace(own, as_published=not own.as_published), answers_of(evaluator)
    n = n_differ = n_unknown = 0
    calls = first_replies(evaluator)
    for call in calls:
        n += 1
        try:
            n_differ += outcome(other, call) != given.get(read_key(call.key))
        except Unknown:
            n_unknown += 1
        if n == MOST:
            break
    return Comparison(n, n_differ, n_unknown, next(calls, None) is None)


def answers_of(evaluator: Evaluator) -> dict[tuple[str, int], bool]:
    rows = Response.objects.filter(
        assignment__annotator=evaluator.annotator_id, assignment__returned_at=None, question=ANSWER
    ).values_list("stage", "option_id", "value")
    return {(stage, option): value for stage, option, value in rows if option is not None}


def first_replies(evaluator: Evaluator) -> Iterator[Call]:
    """The first reply about every option and setting, of the first run that has one."""
    calls = Call.objects.filter(
        run__project=evaluator.annotator.study.project_id,
        run__kind=RUN_KIND,
        run__scope=scope_of(evaluator),
        turn=0,
        text__isnull=False,
    ).exclude(error_class=Failure.CONTENT)
    seen: set[str] = set()
    fields = ("pk", "key", "text", "logprobs", "finish_reason", "tokens_out")
    for call in calls.order_by("run", "position").only(*fields).iterator(chunk_size=2000):
        if call.key not in seen:
            seen.add(call.key)
            yield call


def outcome(setting: Setting, call: Call) -> bool | None:
    """What the first reply comes to under the setting; None: a missing answer. `Unknown` if it does not tell."""
    stage, _option = read_key(call.key)
    text, logprobs = call.text or "", call.logprobs
    if setting.as_published:
        text, logprobs = first_tokens(setting, call)
    elif not text.strip() or (setting.reading == LABEL and call.finish_reason == CUT):
        raise Unknown  # it would have been asked again, or written on
    try:
        return judge(setting, stage, text, logprobs).ticked
    except Unparsable:
        if not setting.as_published and (setting.reading == LABEL or call.finish_reason == CUT):
            raise Unknown from None
        return None


def first_tokens(setting: Setting, call: Call) -> tuple[str, list[Any] | None]:
    """The reply as it would have been cut as published, with its log-probabilities."""
    text, logprobs = call.text or "", call.logprobs
    short = (logprobs or [])[:MAX_TOKENS_PUBLISHED]
    if call.tokens_out is not None and call.tokens_out <= MAX_TOKENS_PUBLISHED:
        return text, logprobs
    written = "".join(token for token, _share, _top in logprobs or [])
    if text.strip() and written.strip() == text.strip():
        return "".join(token for token, _share, _top in short), short
    if setting.reading == LABEL:
        raise Unknown  # nobody knows where the tenth token ends
    return text, short or None
