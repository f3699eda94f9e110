"""What one of the workers does beside its tasks: it sweeps up after dead drainers."""

from datetime import timedelta

from django.db import transaction
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from jobs.repeating import Repeating
from llm.failures import LIMITED_FOR
from llm.models import Drainer, Run, RunState, Sweep
from llm.services import leasing, runs

SWEEP_EVERY = timedelta(seconds=30)


def sweep(every: timedelta = SWEEP_EVERY) -> bool:
    """Done by whoever comes first after the time is over; the others change nothing."""
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
    """Pauses the runs whose server has gone on refusing for too long and still asks to wait; how many."""
    now = timezone.now()
    waiting = Run.objects.active().filter(
        endpoint__limited_since__lt=now - LIMITED_FOR, endpoint__blocked_until__gt=now
    )
    return sum(runs.pause(run, "limited") for run in waiting)


def recover_dead_drainers() -> int:
    """Gives back the calls of drainers that no longer say that they are there; how many drainers."""
    n = 0
    for name in Drainer.objects.dead().values_list("name", flat=True):
        with transaction.atomic():
            drainer = Drainer.objects.dead().select_for_update().filter(name=name).first()
            if drainer is not None:
                leasing.release_drainer(drainer)
                n += 1
    return n


def find_neglected_runs() -> list[Run]:
    """Active runs with nobody at work, and not held back by their endpoint."""
    live = Drainer.objects.live().filter(run=OuterRef("pk"))
    now = timezone.now()
    free = Q(endpoint__blocked_until=None) | Q(endpoint__blocked_until__lte=now)
    return list(Run.objects.active().filter(free).filter(~Exists(live)))


class Sweeper(Repeating):
    """Sweeps until it is stopped."""

    def __init__(self) -> None:
        super().__init__("sweeper of runs", SWEEP_EVERY.total_seconds())

    def act(self) -> None:
        sweep(SWEEP_EVERY)
