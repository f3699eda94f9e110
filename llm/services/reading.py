"""Reading stored replies with the run's kind, and pausing runs whose first replies are all unusable."""

import logging
from collections.abc import Callable, Sequence
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils import timezone

from llm.answers import NO_LOGPROBS
from llm.failures import UNUSABLE_REASONS, Failure
from llm.keys import redact
from llm.models import GOOD, MISSING, Call, CallState, Run, RunState
from llm.prompts import LENGTH, get_token_limit
from llm.registry import Refused, Rejected, RunKind, Unparsable, get_run_kind
from llm.services import runs
from llm.services.ledger import update_calls

FIRST_REPLIES = 20
UNUSABLE = (Failure.PARSE, Failure.CUT, Failure.EMPTY, Failure.UNUSABLE)
CUT_REASON, PARSE_REASON, LOGPROBS_REASON = UNUSABLE_REASONS


def pause_if_unusable(run: Run) -> bool:
    """Pause the run if its first 20 replies are all unusable; returns whether this call paused it.

    Call it after replies were read and committed: all stored ones count, also those of other workers. A first reply
    that is followed by a second request does not count, as the second is often good. One usable reply, or the decision
    to continue, ends the check.
    """
    if run.keeps_going or getattr(run, "_has_usable_replies", False):
        return False
    if run.calls.filter(state__in=GOOD).exists():
        run._has_usable_replies = True  # type: ignore[attr-defined]
        return False
    unusable = find_unusable_replies(run)
    if unusable.count() < FIRST_REPLIES:
        return False
    usable = Call.objects.filter(run=OuterRef("pk"), state__in=GOOD)
    active = Run.objects.filter(pk=run.pk, state=RunState.RUNNING, keeps_going=False).filter(~Exists(usable))
    return bool(active.update(state=RunState.PAUSED, reason=find_common_reason(unusable)))


def find_unusable_replies(run: Run) -> "QuerySet[Call]":
    is_last = Q(state__in=MISSING) | Q(state=CallState.REJECTED, turn__gt=0)
    return run.calls.filter(is_last, error_class__in=UNUSABLE, text__isnull=False)


def find_common_reason(unusable: "QuerySet[Call]") -> str:
    """The most common reason why replies are unusable."""
    n_cut = unusable.filter(error_class__in=[Failure.CUT, Failure.EMPTY]).count()
    n_without = unusable.filter(error=NO_LOGPROBS).count()
    if n_without > max(n_cut, unusable.count() - n_cut - n_without):
        return LOGPROBS_REASON
    return CUT_REASON if 2 * n_cut >= unusable.count() else PARSE_REASON


log = logging.getLogger(__name__)

READ = ["state", "parsed", "error_class", "error", "finished_at"]
LONGER = 2
FIRST_FOR_REASONING, MOST_OUTPUT = 1024, 32_768  # output tokens


def read_replies(run: Run, calls: Sequence[Call]) -> bool:
    """Turn each reply into an answer, a refusal or a failure, or reject it and add another call.

    Returns whether the run was paused because its first replies are unusable.
    """
    try:
        _read_all(run, calls, _read_directly)
    except Exception:
        _read_all(run, calls, _read_in_savepoint)  # only if needed, as savepoints double the time
    return pause_if_unusable(run)


def _read_all(run: Run, calls: Sequence[Call], read: "Reader") -> None:
    run_kind = get_run_kind(run)
    with transaction.atomic():
        followers = [follower for call in calls for follower in _settle(run_kind, run, call, read)]
        update_calls(calls, READ, [CallState.REPLIED])
        Call.objects.bulk_create(followers, ignore_conflicts=True)


def _read_directly(run_kind: RunKind, run: Run, call: Call) -> list[Call]:
    call.parsed = run_kind.read(run, call)
    return [_make_follow_up(call, key, sample=sample) for key, sample in run_kind.next_calls(run, call)]


def _read_in_savepoint(run_kind: RunKind, run: Run, call: Call) -> list[Call]:
    """An error of the run kind fails only its own call, and leaves nothing of it half-written."""
    try:
        with transaction.atomic():
            return _read_directly(run_kind, run, call)
    except (Unparsable, Rejected, Refused):
        raise
    except Exception as error:
        log.exception("Reading call %s met an error.", call.pk)
        raise _ReadingFailed(redact(f"{type(error).__name__}: {error}")) from error


Reader = Callable[[RunKind, Run, Call], list[Call]]


class _ReadingFailed(Exception):
    """The run kind itself failed on a reply."""


def find_unread(run: Run, n: int) -> list[Call]:
    """Replies that were stored but not read, because a worker died in between or a new reading was requested."""
    return list(run.calls.filter(state=CallState.REPLIED).order_by("position")[:n])


def reread_replies(run: Run) -> int:
    """Read every stored reply of the run again with the newest parser; nothing is requested or paid."""
    states = [CallState.ANSWERED, CallState.CACHED, CallState.REFUSED, CallState.FAILED]
    with transaction.atomic():
        Run.objects.select_for_update().get(pk=run.pk)
        readable = run.calls.filter(state__in=states, text__isnull=False)
        n = readable.exclude(error_class=Failure.CONTENT).update(state=CallState.REPLIED, finished_at=None)
        if n:
            Run.objects.filter(pk=run.pk, state=RunState.DONE).update(state=RunState.RUNNING, finished_at=None)
    runs.wake(run)
    return n


def _settle(run_kind: RunKind, run: Run, call: Call, read: Reader) -> list[Call]:
    """Set the call's new state, and add the calls that follow it."""
    call.parsed, call.error_class, call.error, call.finished_at = None, "", "", timezone.now()
    if not call.answer.strip():
        failure = Failure.CUT if call.finish_reason == "length" else Failure.EMPTY
        return _follow_up_or_fail(run_kind, run, call, failure, "The reply is empty.")
    further: list[Call] = []
    try:
        further = read(run_kind, run, call)
    except Unparsable as error:
        failure = Failure.CUT if call.finish_reason == "length" else Failure.PARSE
        return _follow_up_or_fail(run_kind, run, call, failure, str(error))
    except Rejected as error:
        return [_reject_and_follow(call, Failure.UNUSABLE, str(error), sample=call.sample + 1, turn=0)]
    except Refused as error:
        call.state, call.error_class, call.error = CallState.REFUSED, Failure.CONTENT, str(error)
    except _ReadingFailed as error:
        call.state, call.error_class, call.error = CallState.FAILED, Failure.READING, str(error)
    else:
        call.state = CallState.CACHED if call.copied_from_id else CallState.ANSWERED
    return further


def _follow_up_or_fail(run_kind: RunKind, run: Run, call: Call, failure: Failure, words: str) -> list[Call]:
    """One more call per kind of failure, if the run kind allows it; after a cut-off, as long as the limit grows."""
    limit = get_larger_limit(run, call) if failure == Failure.CUT else None
    has_prompt = failure != Failure.PARSE or run_kind.reprompt(run, call) is not None
    is_over = limit is None if failure == Failure.CUT else failure in _get_earlier_failures(call)
    if is_over or not has_prompt or not run_kind.may_follow_up(run, call):
        call.state, call.error_class, call.error = CallState.FAILED, failure, words
        return []
    adjust = call.adjust | ({LENGTH: limit} if limit else {}) | {"repeats": failure != Failure.PARSE}
    return [_reject_and_follow(call, failure, words, sample=call.sample, turn=call.turn + 1, adjust=adjust)]


def get_larger_limit(run: Run, call: Call) -> int | None:
    """The next token limit after a cut-off reply; None if there is none.

    Doubled up to a bound; a model that was still reasoning gets enough room for that immediately. A small model on
    this machine gets only one more try: a reply that is still unfinished then will not finish.
    """
    limit = get_token_limit(call.params)
    is_small = run.endpoint.is_local or run.endpoint.is_in_process
    if call.finish_reason != "length" or limit is None or limit >= MOST_OUTPUT:
        return None
    if is_small and Failure.CUT in _get_earlier_failures(call):
        return None
    least = FIRST_FOR_REASONING if not call.answer.strip() and not is_small else 0
    return min(max(LONGER * limit, least), MOST_OUTPUT)


def _get_earlier_failures(call: Call) -> set[str]:
    found, earlier = set(), call.follows
    same = (call.key, call.sample)  # a call may also follow another call's answer
    while earlier is not None and earlier.turn < call.turn and (earlier.key, earlier.sample) == same:
        found.add(earlier.error_class)
        earlier = earlier.follows
    return found


def _reject_and_follow(call: Call, failure: Failure, words: str, **where: Any) -> Call:
    call.state, call.error_class, call.error = CallState.REJECTED, failure, words
    return _make_follow_up(call, call.key, **where)


def _make_follow_up(call: Call, key: str, **where: Any) -> Call:
    return Call(
        run_id=call.run_id, key=key, position=call.position, follows=call, state=CallState.WAITING,
        due_at=timezone.now(), **where,
    )  # fmt: skip
