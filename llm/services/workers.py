"""Workers and the calls they hold: leases taken, renewed and given back, and the sweep after dead workers."""

import secrets
from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db import connection, transaction
from django.db.models import Exists, F, OuterRef, Q, QuerySet
from django.utils import timezone

from jobs.models import Worker
from jobs.working import RepeatingThread
from llm.failures import LIMITED_FOR
from llm.models import Call, CallState, Drainer, Endpoint, Run, RunState, Sweep, Unknown
from llm.services import runs

# Leasing calls and giving them back. A lease lasts as long as its drainer renews it.

LEASE = timedelta(seconds=30)
CALLS_PER_DRAINER = 500  # with fewer, a second worker on the same run only adds waiting
MOST_LOSSES = 3


def register_drainer(run_id: int) -> Drainer | None:
    """Register a drainer for the run; None if the run has as many as it can use, or is not active."""
    with transaction.atomic():
        run = Run.objects.select_for_update().filter(pk=run_id).first()
        if run is None or not run.is_active or run.drainers.live().count() >= count_useful_drainers(run):
            return None
        expires = timezone.now() + LEASE
        return Drainer.objects.create(name=secrets.token_hex(16), run=run, expires_at=expires)


def count_useful_drainers(run: Run) -> int:
    """How many drainers the run can use: one for planning, then one per some hundred open calls, at most one per
    worker."""
    if not run.is_planned:
        return 1
    workers = max(1, Worker.objects.alive().count())
    n_open = run.calls.open()[: CALLS_PER_DRAINER * (workers - 1) + 1].count() if workers > 1 else 1
    return max(1, min(workers, -(-n_open // CALLS_PER_DRAINER)))


def renew_lease(drainer: Drainer) -> bool:
    """Renew the lease; False if the drainer was considered dead and its calls belong to others now."""
    return bool(Drainer.objects.filter(pk=drainer.pk).update(expires_at=timezone.now() + LEASE))


def release_drainer(drainer: Drainer) -> None:
    """Give back calls that were not sent; those still in flight have an unknown outcome."""
    with transaction.atomic():
        recover_calls(drainer)
        drainer.delete()


def lease_calls(run: Run, drainer: Drainer, n: int) -> list[Call]:
    """Up to n calls, those due for a retry first, then in the order of the plan."""
    with transaction.atomic():
        run = runs.lock_run(run.pk)
        if run.state != RunState.RUNNING or n < 1:
            return []
        now = timezone.now()
        calls = list(_select_free(run.calls.filter(state=CallState.WAITING, due_at__lte=now), n))
        planned = list(
            _select_free(run.calls.filter(state=CallState.PLANNED, position__gte=run.next_position), n - len(calls))
        )
        if planned:
            Run.objects.filter(pk=run.pk).update(next_position=planned[-1].position + 1)
        calls += planned
        _mark_leased(drainer, calls)
        return calls


def _select_free(calls: "QuerySet[Call]", n: int) -> "QuerySet[Call]":
    calls = calls.order_by("position", "sample", "turn")
    if connection.features.has_select_for_update_skip_locked:
        calls = calls.select_for_update(skip_locked=True)
    return calls[:n]


def _mark_leased(drainer: Drainer, calls: list[Call]) -> None:
    ids = [call.pk for call in calls]
    Call.objects.filter(pk__in=ids).update(state=CallState.LEASED, lease_owner=drainer.name)
    for call in calls:
        call.state, call.lease_owner = CallState.LEASED, drainer.name


def give_back(drainer: Drainer, calls: Iterable[Call], due_at: datetime | None = None) -> None:
    """Return leased calls that were not sent; another drainer may take them immediately, or from that time on."""
    ids = [call.pk for call in calls]
    Call.objects.filter(pk__in=ids, state=CallState.LEASED, lease_owner=drainer.name).update(
        state=CallState.WAITING, lease_owner="", due_at=due_at or timezone.now()
    )


def recover_calls(drainer: Drainer) -> None:
    """Return its leased calls immediately; those in flight follow the run's setting; calls lost three times have
    failed."""
    now = timezone.now()
    run = Run.objects.select_for_update().get(pk=drainer.run_id)
    leased = run.calls.filter(lease_owner=drainer.name, state=CallState.LEASED)
    leased.update(state=CallState.WAITING, lease_owner="", due_at=now)
    sent = run.calls.filter(lease_owner=drainer.name, state=CallState.SENT)
    calls = list(sent.select_for_update().only("pk", "reserved_nanos", "times_lost"))
    if not calls:
        return
    runs.add_spending(run, sum(call.reserved_nanos for call in calls))
    paid = {"cost_nanos": F("cost_nanos") + F("reserved_nanos"), "reserved_nanos": 0, "times_lost": F("times_lost") + 1}
    given_up = [call.pk for call in calls if call.times_lost + 1 >= MOST_LOSSES]
    others = [call.pk for call in calls if call.times_lost + 1 < MOST_LOSSES]
    words = "The worker was lost three times while the call was on the wire."
    Call.objects.filter(pk__in=given_up).update(
        **paid, state=CallState.FAILED, error_class="unknown", error=words, finished_at=now, lease_owner=""
    )
    state = CallState.HELD if run.on_unknown == Unknown.HOLD else CallState.WAITING
    Call.objects.filter(pk__in=others).update(**paid, state=state, due_at=now, lease_owner="")
    if others and state == CallState.HELD:
        runs.pause(run, "held")


def count_drainers(endpoint: Endpoint) -> int:
    return max(1, Drainer.objects.live().filter(run__endpoint=endpoint).count())


def get_concurrency_share(endpoint: Endpoint) -> int:
    """A drainer's share of the endpoint's limit of parallel calls."""
    return max(1, endpoint.max_concurrency // count_drainers(endpoint))


# What one of the workers does besides its tasks: cleaning up after dead drainers.

SWEEP_EVERY = timedelta(seconds=30)


def sweep(every: timedelta = SWEEP_EVERY) -> bool:
    """Check all runs, once per interval over all workers; returns whether this call did it."""
    now = timezone.now()
    Sweep.objects.get_or_create(pk=1, defaults={"swept_at": now - 2 * every})
    if not Sweep.objects.filter(pk=1, swept_at__lte=now - every * 0.9).update(swept_at=now):
        return False
    check_runs()
    return True


def check_runs() -> None:
    recover_dead_drainers()
    pause_blocked_runs()
    for run in Run.objects.filter(state=RunState.RUNNING, is_planned=True):
        runs.finish(run)
    for run in find_neglected_runs():
        runs.wake(run)


def pause_blocked_runs() -> int:
    """Pause the runs whose server has refused for too long and still asks to wait; returns how many."""
    now = timezone.now()
    waiting = Run.objects.active().filter(
        endpoint__limited_since__lt=now - LIMITED_FOR, endpoint__blocked_until__gt=now
    )
    return sum(runs.pause(run, "limited") for run in waiting)


def recover_dead_drainers() -> int:
    """Return the calls of drainers that no longer renew their lease; returns how many drainers."""
    n = 0
    for name in Drainer.objects.dead().values_list("name", flat=True):
        with transaction.atomic():
            drainer = Drainer.objects.dead().select_for_update().filter(name=name).first()
            if drainer is not None:
                release_drainer(drainer)
                n += 1
    return n


def find_neglected_runs() -> list[Run]:
    """Active runs without a drainer that are not blocked by their endpoint."""
    live = Drainer.objects.live().filter(run=OuterRef("pk"))
    now = timezone.now()
    free = Q(endpoint__blocked_until=None) | Q(endpoint__blocked_until__lte=now)
    return list(Run.objects.active().filter(free).filter(~Exists(live)))


class Sweeper(RepeatingThread):
    """Sweeps until it is stopped."""

    def __init__(self) -> None:
        super().__init__("sweeper of runs", SWEEP_EVERY.total_seconds())

    def act(self) -> None:
        sweep(SWEEP_EVERY)
