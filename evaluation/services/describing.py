"""How an evaluator is asked and read: its caveats in sentences, and a comparison with the published reading."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from typing import Any

from django.core.cache import cache
from django.utils.translation import gettext as _

from evaluation.models import RUN_KIND, Evaluator
from evaluation.run_kind import MAX_TOKENS_PUBLISHED, read_judgment
from evaluation.services.asking import METHOD, get_run_params
from evaluation.services.evaluators import make_scope
from evaluation.services.progress import EvaluatorRow
from evaluation.setting import (
    DEFAULTS,
    LABEL,
    LETTERS,
    OPTIONWISE,
    StudySetting,
    build_run_params,
    make_setting,
    read_key,
)
from llm.answers import select_answer_tokens
from llm.failures import Failure
from llm.models import Call
from llm.registry import Unparsable
from llm.request_options import OPTIONS, describe_options, load_options
from studies.models import Response, Study
from studies.services.evaluating import ANSWER


def describe_caveats(evaluator: Evaluator) -> list[str]:
    """Sentences about everything that differs from the default; none for most evaluators."""
    params, name = {**DEFAULTS, **evaluator.params}, {"label": evaluator.annotator.code}
    sentences = []
    if params["as_published"]:
        sentences.append(
            _("“%(label)s” was asked and parsed as in the publication: no second request, at most 10 "
              "output tokens, and p(true) uses only the most likely spelling of each letter.") % name
        )  # fmt: skip
    if params["answering"] == LETTERS:
        sentences.append(
            _("“%(label)s” judged all options of an item in one prompt and answered with a list of letters.") % name
        )
    if params["temperature"]:
        drawn = {**name, "temperature": params["temperature"], "number": params["sample"] + 1}
        sentences.append(
            _("The replies of “%(label)s” are sample %(number)d at temperature %(temperature)s; another "
              "sample may answer differently.") % drawn
        )  # fmt: skip
    if options := describe_options(load_options(params[OPTIONS])):
        sentences.append(_("Request parameters of “%(label)s”: %(options)s.") % {**name, "options": options})
    if tuning := params.get("tuning"):
        sentences.append(
            _("The thresholds of “%(label)s” were chosen on the study “%(study)s”, which shares no text "
              "with this one: they give the highest accuracy there, taking the middle of the best range.")
            % {**name, "study": tuning["study"]}
        )  # fmt: skip
    return sentences


def list_caveats(study: Study, purposes: Collection[str]) -> tuple[str, ...]:
    """The sentences for all evaluators of the study with these purposes."""
    evaluators = Evaluator.objects.filter(annotator__study=study, annotator__purpose__in=purposes)
    return tuple(words for each in evaluators.select_related("annotator") for words in describe_caveats(each))


A_DAY = 24 * 60 * 60
MOST = 5_000  # replies that a page may read again, in about a second
CUT = "length"


class UnknownOutcome(Exception):
    """The stored reply does not show what the answer would be with the other reading."""


@dataclass(frozen=True)
class Comparison:
    """Of `n` answers: how many differ or are missing in one reading, and for how many this is unknown.

    `is_whole` is false if only the first replies were compared.
    """

    n: int
    n_differ: int
    n_unknown: int
    is_whole: bool


def get_comparison(evaluator: Evaluator, row: EvaluatorRow) -> Comparison | None:
    """The result of `compare_readings`, cached for each state of the answers, as pages are loaded repeatedly."""
    state = [evaluator.pk, row.n_done, row.n_missing, row.n_unparsed, row.run.pk if row.run else 0]
    return cache.get_or_set(f"comparison:{'/'.join(map(str, state))}", lambda: compare_readings(evaluator), A_DAY)


def compare_readings(evaluator: Evaluator) -> Comparison | None:
    """Compare the evaluator's answers with another reading of its first replies; None if there is no other reading.

    The default reading is compared with the published one, and vice versa. No call is made: if the default would have
    asked again, or let the model continue, the outcome is unknown.
    """
    params = get_run_params(evaluator) if evaluator.method == METHOD else {}
    if params.get("answering") != OPTIONWISE:
        return None
    annotator = evaluator.annotator
    own = make_setting(build_run_params(annotator.study, evaluator.stages, params, annotator.pk))
    other, given = replace(own, as_published=not own.as_published), get_answers(evaluator)
    n = n_differ = n_unknown = 0
    calls = iter_first_replies(evaluator)
    for call in calls:
        n += 1
        try:
            n_differ += read_outcome(other, call) != given.get(read_key(call.key))
        except UnknownOutcome:
            n_unknown += 1
        if n == MOST:
            break
    return Comparison(n, n_differ, n_unknown, next(calls, None) is None)


def get_answers(evaluator: Evaluator) -> dict[tuple[str, int], bool]:
    rows = Response.objects.filter(
        assignment__annotator=evaluator.annotator_id, assignment__returned_at=None, question=ANSWER
    ).values_list("stage", "option_id", "value")
    return {(stage, option): value for stage, option, value in rows if option is not None}


def iter_first_replies(evaluator: Evaluator) -> Iterator[Call]:
    """The first reply about every option and setting, of the first run that has one."""
    calls = Call.objects.filter(
        run__project=evaluator.annotator.study.project_id,
        run__kind=RUN_KIND,
        run__scope=make_scope(evaluator),
        turn=0,
        text__isnull=False,
    ).exclude(error_class=Failure.CONTENT)
    seen: set[str] = set()
    fields = ("pk", "key", "text", "logprobs", "finish_reason", "tokens_out")
    for call in calls.order_by("run", "position").only(*fields).iterator(chunk_size=2000):
        if call.key not in seen:
            seen.add(call.key)
            yield call


def read_outcome(setting: StudySetting, call: Call) -> bool | None:
    """The answer of the first reply under the setting; None: no answer. `UnknownOutcome` if the reply does not show
    it."""
    stage, _option = read_key(call.key)
    text, logprobs = call.answer, call.answer_logprobs
    if setting.as_published:
        text, tokens = cut_reply(setting, call)
        logprobs = select_answer_tokens(tokens, text)
    elif not text.strip() or (setting.reading == LABEL and call.finish_reason == CUT):
        raise UnknownOutcome  # the model would have been asked again, or would have continued
    try:
        return read_judgment(setting, stage, text, logprobs).ticked
    except Unparsable:
        if not setting.as_published and (setting.reading == LABEL or call.finish_reason == CUT):
            raise UnknownOutcome from None
        return None


def cut_reply(setting: StudySetting, call: Call) -> tuple[str, list[Any] | None]:
    """The reply as the published limit would have cut it, with its log-probabilities."""
    text, logprobs = call.text or "", call.logprobs
    short = (logprobs or [])[:MAX_TOKENS_PUBLISHED]
    if call.tokens_out is not None and call.tokens_out <= MAX_TOKENS_PUBLISHED:
        return text, logprobs
    written = "".join(token for token, _share, _top in logprobs or [])
    if text.strip() and written.strip() == text.strip():
        return "".join(token for token, _share, _top in short), short
    if setting.reading == LABEL:
        raise UnknownOutcome  # where the tenth token ends is unknown
    return text, short or None
