"""The ledger of a drainer: it records outcomes, and records the next calls as sent before they are sent.

Many rows are changed with one prepared statement each: thousands per second.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cache
from typing import Any

from django.db import connection, transaction
from django.db.models import Q, Sum
from django.utils import timezone

from llm import capabilities
from llm.failures import LIMITED_FOR, STOPS, Failure, Problem, Verdict, decide_retry
from llm.keys import redact, remove_key
from llm.models import GOOD, Call, CallState, Drainer, Endpoint, Run, RunState
from llm.prices import compute_cost, compute_reserve, estimate_tokens_in, get_max_tokens_out
from llm.prompts import Prompt
from llm.services import pace, runs
from llm.wire import Outcome
from projects.sql import as_time, make_adapter

# The columns that each change of a call writes.
SENT = [
    "state", "messages", "params", "content_key", "reserved_nanos", "times_sent", "tries", "sent_at",
]  # fmt: skip
TAKEN_BACK = ["state", "reserved_nanos", "times_sent", "tries", "sent_at"]
CAME_BACK = [
    "state", "lease_owner", "due_at", "tries", "reserved_nanos", "raw_reply", "status", "text", "finish_reason",
    "returned_model", "logprobs", "tokens_in", "tokens_out", "cost_nanos", "error_class", "error", "finished_at",
    "seconds",
]  # fmt: skip
COPIED = [
    "raw_reply", "status", "text", "finish_reason", "returned_model", "logprobs", "tokens_in", "tokens_out",
]  # fmt: skip
NOT_FINAL = [CallState.PLANNED, CallState.LEASED, CallState.SENT, CallState.WAITING, CallState.HELD]
TWIN_WAITS = timedelta(seconds=1)  # a twin has the same prompt as a call in flight
UNREACHABLE_AFTER = 20
SAME_AT_START = 10


@dataclass
class Job:
    """A leased call with its prompt, ready to be sent."""

    call: Call
    prompt: Prompt
    content_key: str
    reserve: int


@dataclass
class CallLedger:
    """The ledger of one drainer, and what it remembers between two entries in the database.

    n_unreachable: connection failures in a row. has_answers: whether the run has good replies. was_limited: whether the
    endpoint asked for a pause. replied: calls whose replies are still to be read. paced_until: see `is_paced`.
    """

    run: Run
    endpoint: Endpoint
    drainer: Drainer
    key: str = ""
    n_unreachable: int = 0
    has_answers: bool = False
    was_limited: bool = False
    may_go_on: bool = True
    """Whether the run was running at the last entry, and the drainer not considered dead."""
    replied: list[Call] = field(default_factory=list)
    paced_until: datetime | None = None

    @property
    def is_paced(self) -> bool:
        """Whether the endpoint's requests or tokens per minute are used up for now."""
        return self.paced_until is not None and self.paced_until > timezone.now()

    def record(
        self, outcomes: Sequence[Outcome], out: dict[int, Job], ready: list[Job], taken_back: Sequence[Job] = ()
    ) -> list[Job]:
        """Record outcomes and unsent jobs in one transaction; returns the ready jobs to send now, recorded as sent."""
        with transaction.atomic():
            run = runs.lock_run(self.run.pk)  # always first: a fixed order of locks prevents deadlocks
            is_mine = self._refresh_ownership()
            if taken_back:
                self._undo_sent(taken_back)
            if outcomes:
                run.spent_nanos += self._record_outcomes(outcomes, out, is_mine)
                if any(outcome.problem for outcome in outcomes):
                    run.refresh_from_db(fields=["state"])
            self.may_go_on = is_mine and run.state == RunState.RUNNING
            return self._choose_jobs_to_send(run, ready) if ready else []

    def _refresh_ownership(self) -> bool:
        """Whether the drainer's calls are still its own: while the run is locked, either all or none are taken from it.

        Also rereads until when the endpoint is blocked: another drainer may just have been told to wait.
        """
        found = Drainer.objects.filter(pk=self.drainer.pk).values_list("run__endpoint__blocked_until").first()
        if found is None:
            return False
        (self.endpoint.blocked_until,) = found
        return True

    # Outcomes ---------------------------------------------------------------------------------------------------------

    def _record_outcomes(self, outcomes: Sequence[Outcome], out: dict[int, Job], is_mine: bool) -> int:
        """Store the outcomes; returns their cost."""
        now, paid = timezone.now(), 0
        calls = []
        for outcome in outcomes:
            job = out[outcome.call_id]
            before = job.call.cost_nanos
            self._apply_outcome(job, outcome, now)
            price = job.call.cost_nanos - before
            paid += price
            if is_mine or self._still_counts(job.call, price):
                calls.append(job.call)
        update_calls(calls, CAME_BACK, NOT_FINAL)
        self.replied += [call for call in calls if call.state == CallState.REPLIED]
        runs.add_spending(self.run, paid)
        self._note_successes(any(outcome.reply for outcome in outcomes))
        return paid

    def _still_counts(self, call: Call, price: int) -> bool:
        """Whether our outcome still counts for a call that was considered lost and taken over. Its cost is added
        anyway."""
        row = Call.objects.select_for_update().get(pk=call.pk)
        call.cost_nanos, call.tries, call.due_at = row.cost_nanos + price, row.tries, row.due_at
        if row.state in NOT_FINAL and call.state == CallState.REPLIED:
            return True
        Call.objects.filter(pk=call.pk).update(cost_nanos=call.cost_nanos)
        return False

    def _apply_outcome(self, job: Job, outcome: Outcome, now: datetime) -> None:
        call = job.call
        reply = outcome.reply and outcome.reply.map_text(lambda words: remove_key(words, self.key))
        call.lease_owner, call.seconds, call.status = "", outcome.seconds, outcome.status
        call.raw_reply = None if outcome.raw is None else remove_key(outcome.raw, self.key)
        call.error_class = call.error = ""
        if reply is None:
            assert outcome.problem is not None
            self._apply_problem(job, outcome.problem, now)
        else:
            call.text, call.finish_reason, call.returned_model = reply.text, reply.finish_reason, reply.model
            call.logprobs, call.tokens_in, call.tokens_out = reply.logprobs, reply.tokens_in, reply.tokens_out
            call.cost_nanos += self._compute_cost(job)
            call.state = CallState.REPLIED
            if reply.is_refusal:
                call.state, call.error_class, call.finished_at = CallState.REFUSED, Failure.CONTENT, now
        call.reserved_nanos = 0

    def _compute_cost(self, job: Job) -> int:
        """The cost by the server's token count; without one by our estimate, which tends to be too high."""
        n_in = estimate_tokens_in(job.prompt) if job.call.tokens_in is None else job.call.tokens_in
        n_out = get_max_tokens_out(job.prompt) if job.call.tokens_out is None else job.call.tokens_out
        return compute_cost(self.endpoint, n_in, n_out) or 0

    def _apply_problem(self, job: Job, problem: Problem, now: datetime) -> None:
        call = job.call
        was_lowered = problem.failure == Failure.PARAMETER and capabilities.record_unsupported(
            self.endpoint, problem, job.prompt
        )
        verdict = decide_retry(problem, call.tries, was_lowered=was_lowered)
        failure = Failure.REQUEST if problem.failure == Failure.PARAMETER and not was_lowered else problem.failure
        call.state, call.error_class, call.error = verdict.state, failure, redact(problem.words, self.key)
        call.due_at = now + verdict.delay
        call.tries -= 0 if verdict.uses_try else 1
        call.cost_nanos += job.reserve if verdict.counts_as_paid else 0
        call.finished_at = None if verdict.state == CallState.WAITING else now
        self._apply_verdict(verdict, failure, now)

    def _apply_verdict(self, verdict: Verdict, failure: Failure, now: datetime) -> None:
        if verdict.blocks_endpoint is not None:
            self._block_endpoint(now + verdict.blocks_endpoint, now)
        if verdict.pauses_run:
            runs.pause(self.run, failure)
        self.n_unreachable = self.n_unreachable + 1 if failure == Failure.CONNECTION else 0
        if self.n_unreachable >= UNREACHABLE_AFTER:
            runs.pause(self.run, "unreachable")
        if failure in STOPS and not self.has_answers and self._have_failed_alike(failure):
            runs.stop(self.run, failure)

    def _block_endpoint(self, until: datetime, now: datetime) -> None:
        """Block the endpoint for everybody until then."""
        self.was_limited = True
        endpoint = Endpoint.objects.select_for_update().get(pk=self.endpoint.pk)
        endpoint.blocked_until = max(until, endpoint.blocked_until or until)
        endpoint.limited_since = endpoint.limited_since or now
        endpoint.save(update_fields=["blocked_until", "limited_since"])
        self.endpoint.blocked_until, self.endpoint.limited_since = endpoint.blocked_until, endpoint.limited_since
        if until - endpoint.limited_since >= LIMITED_FOR:  # immediately, if the server asks for a longer wait
            runs.pause(self.run, "limited")

    def _have_failed_alike(self, failure: Failure) -> bool:
        """Whether the first ten calls all failed in this way; the current one is not stored yet."""
        if self.run.calls.filter(state__in=GOOD).exists():
            self.has_answers = True
            return False
        return self.run.calls.filter(state=CallState.FAILED, error_class=failure).count() + 1 >= SAME_AT_START

    def _note_successes(self, any_success: bool) -> None:
        if not any_success:
            return
        self.n_unreachable, self.has_answers = 0, True
        if self.endpoint.limited_since is not None:
            Endpoint.objects.filter(pk=self.endpoint.pk).update(limited_since=None)
            self.endpoint.limited_since = None

    def _undo_sent(self, jobs: Sequence[Job]) -> None:
        """Record calls as leased again that were recorded as sent but never left."""
        for job in jobs:
            call = job.call
            call.state, call.reserved_nanos, call.sent_at = CallState.LEASED, 0, None
            call.times_sent, call.tries = call.times_sent - 1, call.tries - 1
        update_calls([job.call for job in jobs], TAKEN_BACK, [CallState.SENT], self.drainer.name)

    # Calls to send ----------------------------------------------------------------------------------------------------

    def _choose_jobs_to_send(self, run: Run, ready: list[Job]) -> list[Job]:
        """The jobs to send: without those answered before, already in flight, or beyond the budget."""
        if not self.may_go_on or self.endpoint.is_blocked:
            return []
        stored, on_wire = self._find_same_content(ready)
        to_send, twins, copied = [], [], []
        for job in ready:
            if job.content_key in stored:
                copied.append(self._copy_reply(job, stored[job.content_key]))
            elif job.content_key in on_wire:
                twins.append(job.call)
            else:
                on_wire.add(job.content_key)
                to_send.append(job)
        self._write_copies(copied)
        self._postpone(twins)
        to_send = self._limit_to_rates(self._limit_to_budget(run, to_send))
        return self._write_sent(to_send)

    def _find_same_content(self, ready: list[Job]) -> tuple[dict[str, Call], set[str]]:
        keys = {job.content_key for job in ready}
        same = Call.objects.filter(content_key__in=keys).order_by()
        found = dict(same.values_list("pk", "state"))
        if not found:
            return {}, set()
        on_wire = set(same.filter(state=CallState.SENT).values_list("content_key", flat=True))
        return {call.content_key: call for call in Call.objects.filter(pk__in=found).with_stored_answer()}, on_wire

    def _copy_reply(self, job: Job, source: Call) -> Call:
        call = job.call
        for column in COPIED:
            setattr(call, column, getattr(source, column))
        call.state, call.copied_from, call.lease_owner = CallState.REPLIED, source, ""
        if source.state == CallState.REFUSED:
            call.state, call.error_class, call.finished_at = CallState.REFUSED, Failure.CONTENT, timezone.now()
        call.messages, call.params, call.content_key = job.prompt.messages, job.prompt.sent_params, job.content_key
        return call

    def _write_copies(self, calls: list[Call]) -> None:
        columns = [
            *COPIED,
            "state",
            "copied_from_id",
            "lease_owner",
            "messages",
            "params",
            "content_key",
            "error_class",
        ]
        update_calls(calls, [*columns, "finished_at"], [CallState.LEASED], self.drainer.name)
        self.replied += [call for call in calls if call.state == CallState.REPLIED]

    def _postpone(self, calls: list[Call]) -> None:
        """Let these calls wait: the same prompt is in flight, and its reply will be copied to them."""
        for call in calls:
            call.state, call.lease_owner, call.due_at = CallState.WAITING, "", timezone.now() + TWIN_WAITS
        update_calls(calls, ["state", "lease_owner", "due_at"], [CallState.LEASED], self.drainer.name)

    def _limit_to_budget(self, run: Run, jobs: list[Job]) -> list[Job]:
        """The jobs whose reserve fits the budget; at the first that does not, the run pauses once nothing is in
        flight."""
        if run.budget_nanos is None:
            return jobs
        on_wire = run.calls.filter(state=CallState.SENT).aggregate(n=Sum("reserved_nanos"))["n"] or 0
        left = run.budget_nanos - run.spent_nanos - on_wire
        for place, job in enumerate(jobs):
            left -= job.reserve
            if left < 0:
                if place == 0 and not on_wire:
                    runs.pause(run, "budget")
                return jobs[:place]
        return jobs

    def _limit_to_rates(self, jobs: list[Job]) -> list[Job]:
        """The jobs for which the endpoint's limit per minute has room; the others stay leased until it has."""
        if not jobs or not pace.is_limited(self.endpoint):
            return jobs
        endpoint, now = Endpoint.objects.select_for_update().get(pk=self.endpoint.pk), timezone.now()
        n = pace.admit(endpoint, [estimate_tokens_in(job.prompt) + get_max_tokens_out(job.prompt) for job in jobs], now)
        endpoint.save(update_fields=["requests_paid_until", "tokens_paid_until"])
        if n < len(jobs):
            self.paced_until = pace.get_next_free_time(endpoint, now)
        return jobs[:n]

    def _write_sent(self, jobs: list[Job]) -> list[Job]:
        now, rows = timezone.now(), []
        for job in jobs:
            call, prompt = job.call, job.prompt
            call.state, call.sent_at, call.content_key = CallState.SENT, now, job.content_key
            call.messages, call.params = prompt.messages, prompt.sent_params
            call.reserved_nanos, call.times_sent, call.tries = job.reserve, call.times_sent + 1, call.tries + 1
            counts = (call.reserved_nanos, call.times_sent, call.tries)
            texts = (prompt.canonical_messages, prompt.canonical_sent, job.content_key)
            rows.append((CallState.SENT.value, *texts, *counts, as_time(now), call.pk))
        if update_rows(SENT, rows, [CallState.LEASED], self.drainer.name) == len(rows):
            return jobs
        mine = Q(state=CallState.SENT, lease_owner=self.drainer.name, sent_at=now)
        kept = set(Call.objects.filter(mine, pk__in=[job.call.pk for job in jobs]).values_list("pk", flat=True))
        return [job for job in jobs if job.call.pk in kept]


def make_job(call: Call, run: Run, endpoint: Endpoint, prompt: Prompt, key: str) -> Job:
    return Job(call, prompt, key, compute_reserve(endpoint, prompt))


# Changing many rows with one prepared statement each: the ledger writes thousands per second.


def update_calls(calls: Sequence[Call], columns: Sequence[str], states: Sequence[str], owner: str | None = None) -> int:
    """Write these columns of each call whose row is still in one of the states (and leased to the owner); returns how
    many."""
    adapters = [(column, _ADAPTERS[column]) for column in columns]
    rows = [(*(adapt(getattr(call, column)) for column, adapt in adapters), call.pk) for call in calls]
    return update_rows(columns, rows, states, owner)


def update_rows(
    columns: Sequence[str], rows: Sequence[tuple[Any, ...]], states: Sequence[str], owner: str | None = None
) -> int:
    """Like `update_calls`. A row has the columns' values in the database's types (JSON as text) and the call's id."""
    if not rows:
        return 0
    sets = ", ".join(f"{_quote(column)} = %s" for column in columns)
    where = f"{_quote('id')} = %s AND {_quote('state')} IN ({', '.join(['%s'] * len(states))})"
    tail: tuple[Any, ...] = tuple(str(state) for state in states)
    if owner is not None:
        where += f" AND {_quote('lease_owner')} = %s"
        tail += (owner,)
    with connection.cursor() as cursor:
        statement = f"UPDATE {_quote(Call._meta.db_table)} SET {sets} WHERE {where}"  # noqa: S608
        cursor.executemany(statement, [row + tail for row in rows])
        return int(cursor.rowcount)


PLANNED: dict[str, str] = {
    "run_id": "bigint", "position": "integer", "key": "text", "sample": "integer", "prompt_hash": "text",
    "state": "text", "error_class": "text", "error": "text", "finished_at": "timestamptz",
}  # fmt: skip
"""The columns of a planned call that differ between rows, with their types for PostgreSQL."""


def insert_planned(rows: Sequence[tuple[Any, ...]]) -> None:
    """Insert calls, values in the order of PLANNED; existing calls (same run, key, sample and turn) are unchanged."""
    if not rows:
        return
    fixed = _get_defaults()
    into = f"INSERT INTO {_quote(Call._meta.db_table)} ({', '.join(map(_quote, [*PLANNED, *fixed]))})"
    end = "ON CONFLICT DO NOTHING"
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            arrays = ", ".join(f"%s::{kind}[]" for kind in PLANNED.values())
            values = f"SELECT {', '.join(['given.*', *fixed.values()])} FROM unnest({arrays}) AS given"  # noqa: S608
            cursor.execute(f"{into} {values} {end}", [list(column) for column in zip(*rows, strict=True)])
        else:
            values = f"VALUES ({', '.join([*['%s'] * len(PLANNED), *fixed.values()])})"
            cursor.executemany(f"{into} {values} {end}", rows)


@cache
def _get_defaults() -> dict[str, str]:
    """The other non-null columns, with the value of a new call as a literal."""
    call, found = Call(), {}
    for each in Call._meta.concrete_fields:
        value = _ADAPTERS[each.attname](getattr(call, each.attname))
        if each.attname not in PLANNED and value is not None:
            found[each.attname] = f"'{value}'" if isinstance(value, str) else str(value)
    return found


_ADAPTERS = {each.attname: make_adapter(each) for each in Call._meta.concrete_fields}


def _quote(name: str) -> str:
    return connection.ops.quote_name(name)
