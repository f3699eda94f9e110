"""Watching a run until it ends or pauses; for commands."""

import time
from collections.abc import Callable

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from llm import outages
from llm.failures import remedy
from llm.models import Run, RunState, Worker
from llm.prices import money
from llm.progress import Progress
from llm.services.draining import drain_here
from llm.services.estimating import Estimate
from llm.services.local import CannotRunHere, at_hand
from llm.services.runs import pause

EVERY = 2.0


def wait_for(run: Run, say: Callable[[str], None]) -> Run:
    """Until the run ends or pauses. Workers do the work; if none is alive, this process does it.

    A database that is away for less than a minute costs that time.
    """
    last = [""]

    def tell(current: Run) -> None:
        if (line := progress_line(current)) != last[0]:
            say(line)
            last[0] = line

    while run.is_active:
        try:
            run = _look_on(run, tell)
        except outages.AWAY as error:
            outages.wait_for_database(error)
    return run


def _look_on(run: Run, tell: Callable[[Run], None]) -> Run:
    if not Worker.objects.alive().exists():
        return _work_here(run, tell)
    time.sleep(EVERY)
    run.refresh_from_db()
    tell(run)
    return run


def _work_here(run: Run, tell: Callable[[Run], None]) -> Run:
    try:
        with at_hand(run.endpoint):
            return drain_here(run, tell)
    except CannotRunHere as error:
        pause(run, str(error))
        run.refresh_from_db()
        return run


def progress_line(run: Run) -> str:
    progress = Progress(run)
    said = {"done": progress.n_done, "total": progress.n_calls, "missing": progress.n_missing}
    line = _("%(done)d of %(total)d calls done, %(missing)d without an answer") % said
    return f"{line}, {progress.spent}." if progress.spent else f"{line}."


def ending(run: Run) -> str:
    """Why the run stands still with calls open, and what to do; "" if it went through."""
    if run.state == RunState.DONE:
        return ""
    return f"{run.get_state_display()}: {remedy(run.reason) or run.reason}".strip().rstrip(":")


def estimate_sentence(found: Estimate, currency: str) -> str:
    """Calls, how many of them are known, tokens and money at most."""
    said = ngettext("%(n)d call", "%(n)d calls", found.n_calls) % {"n": found.n_calls}
    known = _("%(known)d of them answered before") % {"known": found.n_known}
    tokens = _("at most about %(into)d tokens in and %(out)d out") % {"into": found.tokens_in, "out": found.tokens_out}
    price = money(found.cost_nanos, currency) or _("no price known")
    return f"{said}, {known}; {tokens}; {price}."
