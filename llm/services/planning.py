"""The plan of a run becomes rows, in batches short enough that nobody else waits for the database."""

import time
from collections.abc import Callable
from itertools import islice
from typing import Any

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from llm.failures import Failure
from llm.models import CallState, Run, RunState
from llm.prompts import prompt_hash
from llm.registry import Door, Request, door_of
from llm.services.rows import as_time, insert_planned

FIRST_BATCH = 200
LOCK_SECONDS = 0.1  # of at most 0.2: the next batch may be slower than this one
SMALLEST, LARGEST = 20, 5000
RENDERED_AT_ONCE = 250  # prompts are large, rows are not

Pair = tuple[str, int]
Row = tuple[Any, ...]


def plan_run(run: Run, may_go_on: Callable[[], bool]) -> bool:
    """Goes on where the last committed batch ended; True when the plan is complete and the run has started."""
    door, size, position = door_of(run), FIRST_BATCH, _first_position(run)
    pairs = islice(iter(door.plan(run)), position, None)
    while batch := list(islice(pairs, size)):
        seconds = _write(_rows(run, door, batch, position))
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


def _rows(run: Run, door: Door, pairs: list[Pair], position: int) -> list[Row]:
    rows: list[Row] = []
    for start in range(0, len(pairs), RENDERED_AT_ONCE):
        some = pairs[start : start + RENDERED_AT_ONCE]
        for pair, request in zip(some, render_each(door, run, some), strict=True):
            rows.append((run.pk, position + len(rows), *pair, *_outlook(request)))
    return rows


def _outlook(request: Request | str) -> Row:
    """Hash, state, class and words of an error, end: a call without a prompt has failed before it began."""
    if isinstance(request, str):
        return "", CallState.FAILED.value, Failure.PROMPT.value, request, as_time(timezone.now())
    return prompt_hash(request), CallState.PLANNED.value, "", "", None


def _write(rows: list[Row]) -> float:
    """Seconds that the database was locked. A row that is there already stays as it is."""
    started = time.monotonic()
    with transaction.atomic():
        insert_planned(rows)
    return time.monotonic() - started


def _start(run: Run) -> bool:
    now = timezone.now()
    Run.objects.filter(pk=run.pk).update(is_planned=True)
    Run.objects.filter(pk=run.pk, state=RunState.PLANNING).update(state=RunState.RUNNING, started_at=now)
    return True
