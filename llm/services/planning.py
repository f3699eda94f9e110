"""The plan of a run becomes rows, in batches short enough that nobody else waits for the database."""

import time
from collections.abc import Callable
from itertools import islice

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from llm.models import Call, CallState, Run, RunState
from llm.prompts import prompt_hash
from llm.registry import Door, Request, door_of

FIRST_BATCH = 200
LOCK_SECONDS = 0.1  # of at most 0.2: the next batch may be slower than this one
SMALLEST, LARGEST = 20, 5000

Pair = tuple[str, int]


def plan_run(run: Run, may_go_on: Callable[[], bool]) -> bool:
    """Goes on where the last committed batch ended; True when the plan is complete and the run has started."""
    door, size, position = door_of(run), FIRST_BATCH, _first_position(run)
    pairs = islice(iter(door.plan(run)), position, None)
    while batch := list(islice(pairs, size)):
        seconds = _write(_calls(run, door, batch, position))
        position += len(batch)
        size = min(max(int(size * LOCK_SECONDS / max(seconds, 0.001)), SMALLEST), 2 * size, LARGEST)
        if not may_go_on():
            return False
    return _start(run)


def render_each(door: Door, run: Run, pairs: list[Pair]) -> list[Request | str]:
    """The prompts, or for those that cannot be made the sentence why."""
    try:
        return list(door.render_all(run, pairs))
    except ValueError:
        return [_render_one(door, run, pair) for pair in pairs]


def _render_one(door: Door, run: Run, pair: Pair) -> Request | str:
    try:
        return door.render(run, *pair)
    except ValueError as error:
        return str(error) or type(error).__name__


def _first_position(run: Run) -> int:
    last = run.calls.filter(turn=0, follows=None).aggregate(last=Max("position"))["last"]
    return 0 if last is None else last + 1


def _calls(run: Run, door: Door, pairs: list[Pair], position: int) -> list[Call]:
    rows = []
    for place, (pair, request) in enumerate(zip(pairs, render_each(door, run, pairs), strict=True)):
        call = Call(run=run, key=pair[0], sample=pair[1], position=position + place)
        if isinstance(request, str):
            call.state, call.error_class, call.error = CallState.FAILED, "prompt", request
            call.finished_at = timezone.now()
        else:
            call.prompt_hash = prompt_hash(request)
        rows.append(call)
    return rows


def _write(calls: list[Call]) -> float:
    """Seconds that the database was locked. A row that is there already stays as it is."""
    started = time.monotonic()
    with transaction.atomic():
        Call.objects.bulk_create(calls, ignore_conflicts=True)
    return time.monotonic() - started


def _start(run: Run) -> bool:
    now = timezone.now()
    Run.objects.filter(pk=run.pk).update(is_planned=True)
    Run.objects.filter(pk=run.pk, state=RunState.PLANNING).update(state=RunState.RUNNING, started_at=now)
    return True
