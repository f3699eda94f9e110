"""Working on a run for a limited time, in turns: plan, lease, render, send, record and read."""

import logging
import threading
import time
from collections.abc import Callable
from datetime import timedelta

from django.db import InterfaceError, OperationalError, connection
from django.db.models import Min
from django.utils import timezone
from django.utils.translation import gettext as _

from llm import keys
from llm.models import Call, CallState, Drainer, Endpoint, Run, RunState
from llm.services import endpoints, pace, runs, workers
from llm.services.ledger import CallLedger, Job
from llm.services.planning import plan_run, prepare_jobs
from llm.services.reading import find_unread, read_replies
from llm.wire import ConnectionConfig, Outcome, Wire

log = logging.getLogger(__name__)

SLICE_SECONDS = 30.0
RENEW_SECONDS = 5.0
LOOK_SECONDS = 1.0
WAIT_SECONDS = 0.25
GATHER_SECONDS = 0.002  # replies that arrive together are stored together
READ_AT_ONCE, READ_SECONDS = 32, 0.25
DATABASE_AWAY = (OperationalError, InterfaceError)
OUTAGE_PATIENCE, RECONNECT_EVERY = 60.0, 0.5  # seconds
leaving = threading.Event()
"""Set when the worker shuts down: no more calls are sent, and those in flight are awaited."""


def drain(run_id: int, seconds: float = SLICE_SECONDS) -> bool:
    """Work on the run for that many seconds; returns True if there is more to do immediately."""
    drainer = workers.register_drainer(run_id)
    if drainer is None:
        return False
    run = Run.objects.select_related("endpoint", "project").get(pk=run_id)
    try:
        return _take_turn(run, drainer, time.monotonic() + seconds)
    except DATABASE_AWAY as error:  # calls in flight have an unknown outcome, as after a kill
        wait_for_database(error)
        return _is_active(run)
    finally:
        workers.release_drainer(drainer)
        runs.finish(run)


def drain_here(run: Run, each: Callable[[Run], None] | None = None, slice_seconds: float = 2.0) -> Run:
    """Drain the run in this process until it ends or pauses: for commands, if no worker is alive."""
    while True:
        workers.recover_dead_drainers()
        drain(run.pk, slice_seconds)
        run = Run.objects.select_related("endpoint", "project").get(pk=run.pk)
        if each is not None:
            each(run)
        if not run.is_active:
            return run
        time.sleep(WAIT_SECONDS)


def wait_for_database(error: Exception, patience: float = OUTAGE_PATIENCE) -> None:
    """Wait for a new connection; raises the error if there is none after `patience` seconds."""
    log.warning("The database is away: %s", error)
    until = time.monotonic() + patience
    while True:
        connection.close()
        try:
            connection.ensure_connection()
        except DATABASE_AWAY:
            if time.monotonic() > until:
                raise error from None
            time.sleep(RECONNECT_EVERY)
        else:
            return


def _take_turn(run: Run, drainer: Drainer, until: float) -> bool:
    renewal = LeaseRenewal(drainer)
    if not run.is_planned:
        if not _plan(run, renewal, until):
            return _is_active(run)
        run.refresh_from_db()
    if not _is_same_model(run):
        return False
    with RunWorker(run, drainer, renewal, until) as worker:
        worker.work()
    return _is_active(run) and not worker.waits_long()


def _plan(run: Run, renewal: "LeaseRenewal", until: float) -> bool:
    began = timezone.now()

    def may_go_on() -> bool:
        is_mine = renewal() and time.monotonic() < until and not leaving.is_set()
        return is_mine and _is_active(run) and not endpoints.is_test_awaited(began)

    try:
        return plan_run(run, may_go_on)
    except DATABASE_AWAY:
        raise
    except Exception:
        log.exception("Run %s could not be planned.", run.pk)
        runs.pause(run, "planning")
        return False


def _is_same_model(run: Run) -> bool:
    if run.endpoint.model == run.model:
        return True
    sentence = _("The endpoint now names the model %(now)s; this run was started with %(then)s. Start a new run.")
    runs.pause(run, sentence % {"now": run.endpoint.model, "then": run.model})
    return False


def _is_active(run: Run) -> bool:
    return Run.objects.active().filter(pk=run.pk).exists()


class LeaseRenewal:
    """Renews the drainer's lease every few seconds; false once the lease was lost."""

    def __init__(self, drainer: Drainer):
        self.drainer, self.last, self.is_alive = drainer, time.monotonic(), True

    def __call__(self) -> bool:
        if self.is_alive and time.monotonic() - self.last > RENEW_SECONDS:
            self.is_alive, self.last = workers.renew_lease(self.drainer), time.monotonic()
        return self.is_alive


class RunWorker:
    """A drainer at work. `ready`: leased and rendered; `out`: stored as sent, nearly all of them in flight.

    `is_dry`: the last lease found no calls. `gives_way`: somebody waits for an endpoint test.
    """

    def __init__(self, run: Run, drainer: Drainer, renewal: LeaseRenewal, until: float):
        self.run, self.drainer, self.renewal, self.until = run, drainer, renewal, until
        self.endpoint = run.endpoint
        self.ready: list[Job] = []
        self.out: dict[int, Job] = {}
        self.pace = pace.Pace(
            workers.get_concurrency_share(self.endpoint),
            pace.get_starting_limit(self.endpoint, workers.count_drainers(self.endpoint)),
        )
        self.began = timezone.now()
        self.refreshed_at = self.read_at = time.monotonic()
        self.is_active, self.is_dry, self.dry_until = True, False, 0.0
        self.gives_way = False

    def __enter__(self) -> "RunWorker":
        endpoint = self.endpoint
        try:
            key = keys.decrypt(endpoint.encrypted_key)
        except keys.UnreadableKey:
            key, self.is_active = "", False
            runs.pause(self.run, "key_unreadable")
        self.ledger = CallLedger(self.run, endpoint, self.drainer, key)
        self.wire = Wire(
            ConnectionConfig(endpoint.base_url, key, endpoint.timeout_seconds, endpoint.max_concurrency)
        ).__enter__()
        return self

    def __exit__(self, *about: object) -> None:
        self.wire.__exit__(*about)
        workers.give_back(self.drainer, [job.call for job in self.ready])
        pace.store_limit(self.endpoint, self.pace, workers.count_drainers(self.endpoint))

    def work(self) -> None:
        """Work until the time is over or nothing is left, then wait until all calls in flight have returned."""
        self._read_stored_replies()
        while self.out or self.ledger.replied or (self._may_continue() and not self._is_finished()):
            self._refresh_state()
            if self._may_continue():
                self._lease_more()
            self._run_turn()

    def _may_continue(self) -> bool:
        is_wanted = self.is_active and not self.gives_way and not leaving.is_set()
        return is_wanted and self.renewal() and time.monotonic() < self.until

    def _is_finished(self) -> bool:
        return self.is_dry and not self.ready and not self.run.calls.open().exists()

    def waits_long(self) -> bool:
        """Whether all remaining calls are due too late to wait for them; the sweep wakes the run later."""
        soon = timezone.now() + timedelta(seconds=5)
        if self.endpoint.blocked_until is not None and self.endpoint.blocked_until > soon:
            return True
        first = self.run.calls.filter(state=CallState.WAITING).aggregate(first=Min("due_at"))["first"]
        return first is not None and first > soon and not self.run.calls.filter(state=CallState.PLANNED).exists()

    def _run_turn(self) -> None:
        """Wait for replies, store them together with the next calls, send those, and parse the stored replies."""
        busy, could_send = bool(self.out), self.ready and self._count_free_slots(len(self.out))
        waits = busy and not could_send
        outcomes = self.wire.collect(WAIT_SECONDS if waits else 0, GATHER_SECONDS if waits else 0)
        taken_back = self._recall_unsent(outcomes)
        self.pace.observe(outcomes, len(self.out))
        self.wire.slots = self.pace.limit
        n_free = self._count_free_slots(len(self.out) - len(outcomes))
        if outcomes or taken_back or (n_free and self.ready):
            self._record(outcomes, taken_back, n_free)
        self._read_due_replies(everything=not busy or not outcomes)
        if not self.out and not outcomes and self._may_continue():
            time.sleep(WAIT_SECONDS / 5)

    def _recall_unsent(self, outcomes: list[Outcome]) -> list[Job]:
        """Take back calls that were not sent yet, once any reply advises against sending them."""
        goes_on = self._may_continue() and not self.endpoint.is_blocked
        if not self.out or (goes_on and not any(outcome.holds_back for outcome in outcomes)):
            return []
        return [self.out.pop(call_id) for call_id in self.wire.take_back()]

    def _record(self, outcomes: list[Outcome], taken_back: list[Job], n_free: int) -> None:
        to_send = self.ledger.record(outcomes, self.out, self.ready[:n_free], taken_back)
        for outcome in outcomes:
            del self.out[outcome.call_id]
        self.is_active = self.is_active and self.ledger.may_go_on
        self.ready = taken_back + [job for job in self.ready if job.call.state == CallState.LEASED]
        self.out |= {job.call.pk: job for job in to_send}
        self.wire.send([(job.call.pk, job.prompt.body(self.run.model)) for job in to_send])

    def _count_free_slots(self, n_out: int) -> int:
        if not self._may_continue() or self.endpoint.is_blocked or self.ledger.is_paced:
            return 0
        ahead = 0 if pace.is_limited(self.endpoint) else self.pace.most_ahead  # limits count recorded calls
        return max(0, self.pace.limit + ahead - n_out)

    def _lease_more(self) -> None:
        """Lease more before the stock is empty, so that sending never waits for a prompt."""
        n = self.pace.limit
        is_held_back = self.endpoint.is_blocked or self.ledger.is_paced
        if len(self.ready) >= n or is_held_back or (self.is_dry and time.monotonic() < self.dry_until):
            return
        some = n // 2 if self.out else n  # small batches while replies arrive, so that none of them waits long
        calls = workers.lease_calls(self.run, self.drainer, max(some, 4))
        self.is_dry, self.dry_until = not calls, time.monotonic() + WAIT_SECONDS
        self.ready += prepare_jobs(self.run, self.endpoint, self.drainer, calls)

    def _read_due_replies(self, everything: bool) -> None:
        replied = self.ledger.replied
        due = len(replied) >= READ_AT_ONCE or time.monotonic() - self.read_at > READ_SECONDS
        if replied and (everything or due):
            self.ledger.replied, self.read_at = [], time.monotonic()
            self._read(replied)

    def _read_stored_replies(self) -> None:
        while self._may_continue() and (calls := find_unread(self.run, 200)):
            self._read(calls)

    def _read(self, calls: list[Call]) -> None:
        if read_replies(self.run, calls):
            self.is_active = False

    def _refresh_state(self) -> None:
        """Reload what others may have changed: the run's state, the endpoint's limits, capabilities and address."""
        if time.monotonic() - self.refreshed_at < LOOK_SECONDS:
            return
        self.refreshed_at = time.monotonic()
        endpoint = Endpoint.objects.get(pk=self.endpoint.pk)
        same = ("base_url", "model", "encrypted_key", "timeout_seconds")
        is_same = all(getattr(endpoint, name) == getattr(self.endpoint, name) for name in same)
        state = Run.objects.values_list("state", flat=True).get(pk=self.run.pk)
        self.is_active = is_same and state == RunState.RUNNING
        self.gives_way = endpoints.is_test_awaited(self.began)
        self.pace.most = workers.get_concurrency_share(endpoint)
        if endpoint.capabilities != self.endpoint.capabilities:
            workers.give_back(self.drainer, [job.call for job in self.ready])
            self.ready = []  # rendered for capabilities that the server turned out not to have
        self.endpoint = self.ledger.endpoint = self.run.endpoint = endpoint
