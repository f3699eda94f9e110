"""Stored replies are read: by the door of the run, in a transaction after the raw reply is safe, as often as needed."""

import logging
from collections.abc import Callable, Sequence
from typing import Any

from django.db import transaction
from django.utils import timezone

from llm.failures import Failure
from llm.keys import redact
from llm.models import Call, CallState, Run, RunState
from llm.registry import Door, Refused, Rejected, Unparsable, door_of
from llm.services import runs
from llm.services.rows import update_calls

log = logging.getLogger(__name__)

READ = ["state", "parsed", "error_class", "error", "finished_at"]
LONGER = 2


def read_replies(run: Run, calls: Sequence[Call]) -> None:
    """Each reply becomes an answer, a refusal, a failure, or is rejected and followed by another call."""
    try:
        _read_all(run, calls, _plainly)
    except Exception:
        _read_all(run, calls, _carefully)  # a savepoint for each costs as much as all the rest: only where needed


def _read_all(run: Run, calls: Sequence[Call], read: "Reader") -> None:
    door = door_of(run)
    with transaction.atomic():
        followers = [follower for call in calls for follower in _read(door, run, call, read)]
        update_calls(calls, READ, [CallState.REPLIED])
        Call.objects.bulk_create(followers, ignore_conflicts=True)


def _plainly(door: Door, run: Run, call: Call) -> list[Call]:
    call.parsed = door.read(run, call)
    return [_later(call, key, sample=sample) for key, sample in door.next_calls(run, call)]


def _carefully(door: Door, run: Run, call: Call) -> list[Call]:
    """An error of the door costs its own call only, and leaves nothing of it half-written."""
    try:
        with transaction.atomic():
            return _plainly(door, run, call)
    except (Unparsable, Rejected, Refused):
        raise
    except Exception as error:
        log.exception("Reading call %s met an error.", call.pk)
        raise _DoorFailed(redact(f"{type(error).__name__}: {error}")) from error


Reader = Callable[[Door, Run, Call], list[Call]]


class _DoorFailed(Exception):
    """The door itself failed on a reply."""


def unread(run: Run, n: int) -> list[Call]:
    """Replies that were stored and not read, because a worker died between the two or somebody asks for it again."""
    return list(run.calls.filter(state=CallState.REPLIED).order_by("position")[:n])


def read_again(run: Run) -> int:
    """Every stored reply of the run is read anew, with the door's newest parser; nothing is asked or paid."""
    states = [CallState.ANSWERED, CallState.CACHED, CallState.REFUSED, CallState.FAILED]
    with transaction.atomic():
        Run.objects.select_for_update().get(pk=run.pk)
        readable = run.calls.filter(state__in=states, text__isnull=False)
        n = readable.exclude(error_class=Failure.CONTENT).update(state=CallState.REPLIED, finished_at=None)
        if n:
            Run.objects.filter(pk=run.pk, state=RunState.DONE).update(state=RunState.RUNNING, finished_at=None)
    runs.wake(run)
    return n


def _read(door: Door, run: Run, call: Call, read: Reader) -> list[Call]:
    """Sets the call's new state; the calls that follow it."""
    call.parsed, call.error_class, call.error, call.finished_at = None, "", "", timezone.now()
    if not (call.text or "").strip():
        failure = Failure.CUT if call.finish_reason == "length" else Failure.EMPTY
        return _again(door, run, call, failure, "The reply is empty.")
    further: list[Call] = []
    try:
        further = read(door, run, call)
    except Unparsable as error:
        failure = Failure.CUT if call.finish_reason == "length" else Failure.PARSE
        return _again(door, run, call, failure, str(error))
    except Rejected as error:
        return [_follow(call, Failure.UNUSABLE, str(error), sample=call.sample + 1, turn=0)]
    except Refused as error:
        call.state, call.error_class, call.error = CallState.REFUSED, Failure.CONTENT, str(error)
    except _DoorFailed as error:
        call.state, call.error_class, call.error = CallState.FAILED, Failure.READING, str(error)
    else:
        call.state = CallState.CACHED if call.copied_from_id else CallState.ANSWERED
    return further


def _again(door: Door, run: Run, call: Call, failure: Failure, words: str) -> list[Call]:
    """One more call for each kind of failure, if the door lets the engine add any."""
    has_words = failure != Failure.PARSE or door.reprompt(run, call) is not None
    if failure in _failures_before(call) or not has_words or not door.may_follow_up(run, call):
        call.state, call.error_class, call.error = CallState.FAILED, failure, words
        return []
    adjust = call.adjust
    if failure == Failure.CUT:
        adjust = {"max_tokens_factor": LONGER * call.adjust.get("max_tokens_factor", 1)}
    repeats = failure != Failure.PARSE
    adjust = adjust | {"repeats": repeats}
    return [_follow(call, failure, words, sample=call.sample, turn=call.turn + 1, adjust=adjust)]


def _failures_before(call: Call) -> set[str]:
    found, earlier = set(), call.follows
    same = (call.key, call.sample)  # a call may also follow the answer of another one
    while earlier is not None and earlier.turn < call.turn and (earlier.key, earlier.sample) == same:
        found.add(earlier.error_class)
        earlier = earlier.follows
    return found


def _follow(call: Call, failure: Failure, words: str, **where: Any) -> Call:
    call.state, call.error_class, call.error = CallState.REJECTED, failure, words
    return _later(call, call.key, **where)


def _later(call: Call, key: str, **where: Any) -> Call:
    return Call(
        run_id=call.run_id, key=key, position=call.position, follows=call, state=CallState.WAITING,
        due_at=timezone.now(), **where,
    )  # fmt: skip
