"""The plan of a run: walked for an estimate, stored as rows in short batches, rendered when calls are leased."""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from django.db import transaction
from django.db.models import Avg, Max
from django.utils import timezone

from llm.failures import Failure
from llm.models import Call, CallState, Drainer, Endpoint, Run, RunState
from llm.prices import compute_cost, estimate_tokens_in, get_max_tokens_out
from llm.prompts import Prompt, build_prompt, hash_request, make_content_key
from llm.registry import Request, RunKind, get_run_kind
from llm.services.ledger import Job, insert_planned, make_job, update_calls
from projects.sql import as_time

FIRST_BATCH = 200
LOCK_SECONDS = 0.1  # aim for locks of at most 0.2, as the next batch may be slower
SMALLEST, LARGEST = 20, 5000
RENDERED_AT_ONCE = 250  # prompts are large, rows are not

Pair = tuple[str, int]
Row = tuple[Any, ...]


def plan_run(run: Run, may_go_on: Callable[[], bool]) -> bool:
    """Plan on after the last committed batch; True when the plan is complete and the run has started."""
    run_kind, size, position = get_run_kind(run), FIRST_BATCH, _find_first_position(run)
    pairs = islice(iter(run_kind.plan(run)), position, None)
    while batch := list(islice(pairs, size)):
        seconds = _insert_rows(_plan_rows(run, run_kind, batch, position))
        position += len(batch)
        size = min(max(int(size * LOCK_SECONDS / max(seconds, 0.001)), SMALLEST), 2 * size, LARGEST)
        if not may_go_on():
            return False
    return _start_run(run)


def render_each(run_kind: RunKind, run: Run, pairs: list[Pair]) -> list[Request | str]:
    """The prompts, or a sentence for those that are impossible."""
    try:
        return list(run_kind.render_all(run, pairs))
    except ValueError:
        return [_render_one(run_kind, run, pair) for pair in pairs]


def _render_one(run_kind: RunKind, run: Run, pair: Pair) -> Request | str:
    try:
        return run_kind.render(run, *pair)
    except ValueError as error:
        return str(error) or type(error).__name__


def _find_first_position(run: Run) -> int:
    last = run.calls.filter(turn=0, follows=None).aggregate(last=Max("position"))["last"]
    return 0 if last is None else last + 1


def _plan_rows(run: Run, run_kind: RunKind, pairs: list[Pair], position: int) -> list[Row]:
    rows: list[Row] = []
    for start in range(0, len(pairs), RENDERED_AT_ONCE):
        some = pairs[start : start + RENDERED_AT_ONCE]
        for pair, request in zip(some, render_each(run_kind, run, some), strict=True):
            rows.append((run.pk, position + len(rows), *pair, *_get_planned_columns(request)))
    return rows


def _get_planned_columns(request: Request | str) -> Row:
    """Prompt hash, state, error class, error and end time: a call without a prompt has failed from the start."""
    if isinstance(request, str):
        return "", CallState.FAILED.value, Failure.PROMPT.value, request, as_time(timezone.now())
    return hash_request(request), CallState.PLANNED.value, "", "", None


def _insert_rows(rows: list[Row]) -> float:
    """Insert the rows; returns for how many seconds the database was locked. Existing rows stay unchanged."""
    started = time.monotonic()
    with transaction.atomic():
        insert_planned(rows)
    return time.monotonic() - started


def _start_run(run: Run) -> bool:
    now = timezone.now()
    Run.objects.filter(pk=run.pk).update(is_planned=True)
    Run.objects.filter(pk=run.pk, state=RunState.PLANNING).update(state=RunState.RUNNING, started_at=now)
    return True


def prepare_jobs(run: Run, endpoint: Endpoint, drainer: Drainer, calls: Sequence[Call]) -> list[Job]:
    """The calls with their prompts; those without one, or with another than was planned, have failed."""
    run_kind, jobs, failed = get_run_kind(run), [], []
    for call, request in zip(calls, _render_requests(run_kind, run, calls), strict=True):
        if isinstance(request, str):
            failed.append(_mark_failed(call, Failure.PROMPT, request))
        elif call.prompt_hash and call.prompt_hash != hash_request(request):
            failed.append(_mark_failed(call, Failure.CHANGED, ""))
        else:
            jobs.append(build_job(run, endpoint, call, request))
    update_calls(failed, ["state", "error_class", "error", "finished_at"], [CallState.LEASED], drainer.name)
    return jobs


def build_job(run: Run, endpoint: Endpoint, call: Call, request: Request) -> Job:
    prompt = build_prompt(endpoint, request, call.adjust, run.options, call.sample)
    return make_job(call, run, endpoint, prompt, make_content_key(run.project_id, endpoint, prompt, call.sample))


def _render_requests(run_kind: RunKind, run: Run, calls: Sequence[Call]) -> list[Request | str]:
    """Planned calls together, so that a run kind can load what they need at once; follow-ups one by one."""
    planned = [(call.key, call.sample) for call in calls if call.turn == 0]
    rendered = iter(render_each(run_kind, run, planned))
    return [next(rendered) if call.turn == 0 else _render_follow_up(run_kind, run, call) for call in calls]


def _render_follow_up(run_kind: RunKind, run: Run, call: Call) -> Request | str:
    try:
        return _render_turn(run_kind, run, call)
    except ValueError as error:
        return str(error)


def _render_turn(run_kind: RunKind, run: Run, call: Call) -> Request:
    """The same request again (`build_prompt` sets a longer limit), or the run kind's prompt after a bad reply."""
    if call.turn == 0:
        return run_kind.render(run, call.key, call.sample)
    if call.follows is None:
        raise ValueError("The call that this one follows is gone.")
    if call.adjust.get("repeats"):
        return _render_turn(run_kind, run, call.follows)
    request = run_kind.reprompt(run, call.follows)
    if request is None:
        raise ValueError("This kind of run has nothing more to ask.")
    return request


def _mark_failed(call: Call, failure: Failure, words: str) -> Call:
    call.state, call.error_class, call.error, call.finished_at = CallState.FAILED, failure, words, timezone.now()
    return call


AT_ONCE = 500
RECENT = 200


@dataclass(frozen=True)
class Estimate:
    """Maximum tokens and money of the calls without a stored answer; money is None without a price, time if unknown."""

    n_calls: int
    n_known: int
    n_without_prompt: int
    tokens_in: int
    tokens_out: int
    cost_nanos: int | None
    seconds: float | None

    @property
    def n_new(self) -> int:
        return self.n_calls - self.n_known - self.n_without_prompt


def estimate(run: Run) -> Estimate:
    """Estimate a run, which may be unsaved. Equal prompts count once: later ones reuse the answer."""
    n_calls = n_known = n_bad = n_in = n_out = 0
    seen: set[str] = set()
    for keyed in _render_prompts(run):
        n_calls += len(keyed)
        stored = _find_stored({pair[0] for pair in keyed if pair})
        for pair in keyed:
            if pair is None:
                n_bad += 1
            elif pair[0] in stored or pair[0] in seen:
                n_known += 1
            else:
                seen.add(pair[0])
                n_in, n_out = n_in + estimate_tokens_in(pair[1]), n_out + get_max_tokens_out(pair[1])
    seconds = _estimate_seconds(run.endpoint, len(seen))
    return Estimate(n_calls, n_known, n_bad, n_in, n_out, compute_cost(run.endpoint, n_in, n_out), seconds)


Keyed = tuple[str, Prompt] | None


def _render_prompts(run: Run) -> Iterator[list[Keyed]]:
    """Per batch of the plan: content key and prompt of each call, None if a prompt is impossible."""
    run_kind = get_run_kind(run)
    pairs = iter(run_kind.plan_all(run))
    while batch := list(islice(pairs, AT_ONCE)):
        rendered = render_each(run_kind, run, batch)
        yield [_add_content_key(run, request, sample) for (_key, sample), request in zip(batch, rendered, strict=True)]


def _add_content_key(run: Run, request: Request | str, sample: int) -> Keyed:
    if isinstance(request, str):
        return None
    prompt = build_prompt(run.endpoint, request, None, run.options, sample)
    return make_content_key(run.project_id, run.endpoint, prompt, sample), prompt


def _find_stored(keys: set[str]) -> set[str]:
    known = Call.objects.filter(content_key__in=keys).with_stored_answer()
    return set(known.values_list("content_key", flat=True))


def _estimate_seconds(endpoint: Endpoint, n_calls: int) -> float | None:
    """The estimated duration, from the last answers of this endpoint; None if there are none."""
    answered = Call.objects.filter(run__endpoint=endpoint, state=CallState.ANSWERED, seconds__isnull=False)
    recent = list(answered.order_by("-pk").values_list("pk", flat=True)[:RECENT])
    mean = Call.objects.filter(pk__in=recent).aggregate(mean=Avg("seconds"))["mean"]
    return None if mean is None else float(mean) * n_calls / endpoint.max_concurrency
