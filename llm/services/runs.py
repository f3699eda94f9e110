"""Runs: start, pause, resume, cancel, retry. Each is one conditional update, so repeating it changes nothing."""

from decimal import Decimal
from functools import partial
from typing import Any

from django.db import transaction
from django.db.models import Exists, F, OuterRef
from django.utils import timezone
from django.utils.translation import gettext as _

from jobs.kinds import RUN_ENDED, announce
from jobs.scheduling import send_task
from llm.failures import UNUSABLE_REASONS
from llm.models import MISSING, OPEN, Call, CallState, Endpoint, Run, RunState, Unknown
from llm.prices import to_nanos
from llm.registry import get_run_kind
from projects.models import Project, User


class CannotStart(Exception):
    """The run cannot be started like this; the message says what to do."""


def create_run(
    *, project: Project, kind: str, endpoint: Endpoint, label: str, params: dict[str, Any] | None = None,
    scope: str = "", budget: Decimal | None = None, started_by: User | None = None, on_unknown: str = Unknown.REPEAT,
    keeps_going: bool = False,
) -> Run:  # fmt: skip
    """Create a run; the worker that gets its message plans it."""
    if not Endpoint.objects.available_to(project).filter(pk=endpoint.pk).exists():
        raise CannotStart(
            _("%(name)s is not offered to this project. Choose another model, or ask an admin to offer it.")
            % {"name": endpoint.name}
        )
    require_price(endpoint, budget)
    run = Run.objects.create(
        project=project, kind=kind, endpoint=endpoint, label=label, params=params or {}, scope=scope,
        model=endpoint.model,
        budget_nanos=None if budget is None else to_nanos(budget), started_by=started_by, on_unknown=on_unknown,
        keeps_going=keeps_going,
    )  # fmt: skip
    wake(run)
    return run


def require_price(endpoint: Endpoint, budget: Decimal | None) -> None:
    """Raises CannotStart if a budget is given for a model without a price."""
    if budget is not None and not endpoint.has_price:
        raise CannotStart(
            _("%(name)s has no price, so a budget cannot be kept. Enter its price, or leave the budget empty.")
            % {"name": endpoint.name}
        )


def resume_if_usable(run: Run, *, keeps_going: bool) -> bool:
    """Resume a paused run; one stopped because of unusable replies only if it is to continue anyway."""
    if keeps_going:
        Run.objects.filter(pk=run.pk).update(keeps_going=True)
    elif run.reason in UNUSABLE_REASONS:
        return False
    return resume(run)


def wake(run: Run) -> None:
    """Ask for a worker once the transaction is committed. If the broker is down, the periodic sweep asks again."""
    transaction.on_commit(partial(_send, run.pk))


def _send(run_id: int) -> None:
    send_task("llm.tasks.drain", run_id=run_id)


def lock_run(run_id: int) -> Run:
    """The current run, locked until the transaction ends; loads only the fields that change while calls are made."""
    changing = ("state", "next_position", "spent_nanos", "budget_nanos")
    return Run.objects.select_for_update().only(*changing).get(pk=run_id)


def pause(run: Run, reason: str) -> bool:
    """Pause the run: nothing more is sent; calls in flight finish and are stored."""
    changed = Run.objects.active().filter(pk=run.pk).update(state=RunState.PAUSED, reason=reason)
    return bool(changed)


def stop(run: Run, reason: str) -> bool:
    """End the run because continuing would only repeat the failure."""
    now = timezone.now()
    changed = Run.objects.active().filter(pk=run.pk).update(state=RunState.FAILED, reason=reason, finished_at=now)
    return bool(changed)


def resume(run: Run, budget: Decimal | None = None) -> bool:
    """Continue the run, with the new budget if one is given.

    After a stop because of unusable replies it is not stopped for these again.
    """
    require_price(run.endpoint, budget)
    Run.objects.filter(pk=run.pk, state=RunState.PAUSED, reason__in=UNUSABLE_REASONS).update(keeps_going=True)
    state = RunState.RUNNING if run.is_planned else RunState.PLANNING
    was_limited = Run.objects.filter(pk=run.pk, reason="limited").exists()
    changes = {"state": state, "reason": ""} | ({} if budget is None else {"budget_nanos": to_nanos(budget)})
    changed = Run.objects.filter(pk=run.pk, state=RunState.PAUSED).update(**changes)
    if changed:
        _forget_limit(run)
        if was_limited:
            _lift_block(run)
        wake(run)
    return bool(changed)


def cancel(run: Run) -> bool:
    """Cancel for good; answers are kept, remaining calls are not sent."""
    states = [RunState.PLANNING, RunState.RUNNING, RunState.PAUSED]
    changed = Run.objects.filter(pk=run.pk, state__in=states).update(
        state=RunState.CANCELLED, reason="", finished_at=timezone.now()
    )
    return bool(changed)


def retry_failed(run: Run) -> int:
    """Retry the failed calls; returns how many. Stored replies are read again instead of being requested again."""
    with transaction.atomic():
        states = [RunState.DONE, RunState.FAILED, RunState.PAUSED, RunState.RUNNING]
        run = Run.objects.select_for_update().get(pk=run.pk)
        failed = run.calls.filter(state=CallState.FAILED)
        if run.state not in states:
            return 0
        kept = failed.filter(error_class__in=["parse", "cut", "reading"], text__isnull=False)
        n = kept.update(state=CallState.REPLIED, finished_at=None)
        n += run.calls.filter(state=CallState.FAILED).update(
            state=CallState.WAITING, due_at=timezone.now(), tries=0, times_lost=0, error_class="", error="",
            finished_at=None,
        )  # fmt: skip
        if n and run.state != RunState.RUNNING:
            Run.objects.filter(pk=run.pk).update(state=RunState.RUNNING, reason="", finished_at=None)
    if n:
        _forget_limit(run)
        wake(run)
    return n


def decide_held(run: Run, *, ask_again: bool) -> int:
    """Send held calls again, or give them up; the first attempt counts as paid. Then the run continues."""
    with transaction.atomic():
        Run.objects.select_for_update().get(pk=run.pk)
        held = run.calls.select_for_update().filter(state=CallState.HELD)
        if ask_again:
            n = held.update(state=CallState.WAITING, due_at=timezone.now())
        else:
            n = held.update(state=CallState.FAILED, error_class="unknown", finished_at=timezone.now())
        Run.objects.filter(pk=run.pk, state=RunState.PAUSED, reason="held").update(state=RunState.RUNNING, reason="")
    wake(run)
    return n


def set_budget(run: Run, budget: Decimal | None) -> None:
    Run.objects.filter(pk=run.pk).update(budget_nanos=None if budget is None else to_nanos(budget))


def set_on_unknown(run: Run, on_unknown: str) -> bool:
    """Set how unknown outcomes are treated from now on; False if the run is over. Held calls wait for `decide_held`."""
    states = [RunState.PLANNING, RunState.RUNNING, RunState.PAUSED]
    return bool(Run.objects.filter(pk=run.pk, state__in=states).update(on_unknown=Unknown(on_unknown)))


def finish(run: Run) -> bool:
    """Mark the run as done when nothing is open, even with calls missing. Tried after every batch, effective once.

    The run kind concludes in the same transaction: after a kill in between, the run is finished again.
    """
    open_calls = Call.objects.filter(run=OuterRef("pk"), state__in=OPEN)
    with transaction.atomic():
        changed = (
            Run.objects.filter(pk=run.pk, state=RunState.RUNNING, is_planned=True)
            .filter(~Exists(open_calls))
            .update(state=RunState.DONE, finished_at=timezone.now())
        )
        if changed:
            get_run_kind(run).conclude(run)
            announce(RUN_ENDED, run.project_id, run.pk)
    return bool(changed)


def count_missing(run: Run) -> int:
    """The number of calls without an answer in a run that is over: failed, refused, or never asked."""
    return run.calls.filter(state__in=[*MISSING, *OPEN]).count()


def add_spending(run: Run, nanos: int) -> None:
    if nanos:
        Run.objects.filter(pk=run.pk).update(spent_nanos=F("spent_nanos") + nanos)


def _lift_block(run: Run) -> None:
    """Lift the endpoint's block early, because the user says that the cause is gone. If it is not, the run pauses
    again."""
    Endpoint.objects.filter(pk=run.endpoint_id).update(blocked_until=None)
    run.calls.filter(state=CallState.WAITING, error_class="limit").update(due_at=timezone.now())


def _forget_limit(run: Run) -> None:
    """Restart the count of 15 minutes without a success."""
    Endpoint.objects.filter(pk=run.endpoint_id).update(limited_since=None)
