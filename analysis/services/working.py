"""Results of large studies are worked out by a worker, while their page says how far it is.

A ticket in the cache says what somebody wants; a message to the workers carries its name. Whoever works on it holds a
lease that ends by itself. Losing any of it costs only that the result is asked for once more.
"""

import logging
import threading
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from types import TracebackType
from typing import Any, Self

from django.conf import settings
from django.core.cache import cache
from django.db import Error, close_old_connections, connection
from django.utils import timezone
from django.utils.translation import get_language, override
from django.utils.translation import gettext as _
from kombu.exceptions import OperationalError

from analysis.choices import BadChoice, Choices
from analysis.progress import Step, listening
from analysis.services.state import A_DAY, counted_state
from analysis.services.wanted import Kept, Wanted, keep, kept
from jobs.models import Worker
from studies.models import Study

log = logging.getLogger(__name__)

YOUNG = timedelta(hours=1)  # how old an earlier result may be that is shown while the next is worked out
LEASE = 30  # seconds without a word after which somebody else may begin
EVERY = 1.0  # seconds between two words
PATIENCE = timedelta(minutes=1)  # after which a message that nobody took is sent again
MOST_STARTS = 3  # a worker that ends without a word so often lacks memory, not luck

Now = tuple[str, int]  # what `counted_state` says


@dataclass(frozen=True)
class Ticket:
    """What is wanted, in words that outlive a request, and how far it is. `problem`: why it cannot be had."""

    place: str
    kind: str
    study_id: int
    choices: Choices
    more: tuple[str, ...]
    language: str
    state: str
    n: int
    asked_at: datetime
    starts: int = 0
    step: Step | None = None
    problem: str = ""


@dataclass(frozen=True)
class Found:
    """What there is: a result, of now or (with a ticket) of an earlier moment, and the ticket of the next one."""

    kept: Kept | None
    n: int
    ticket: Ticket | None = None


class BeingWorkedOut(Exception):
    """There is nothing to show yet; the ticket says how far it is."""

    def __init__(self, study: Study, ticket: Ticket | None):
        super().__init__(study.slug)
        self.study, self.ticket = study, ticket


# Asking --------------------------------------------------------------------------------------------------------------


def look(wanted: Wanted, now: Now | None = None) -> Found:
    """The result as it is now, where it is kept or takes no time; else what is known, and a worker is asked.

    Without a worker it is computed here and now, once however many ask. `now`: of its study and choices, if known.
    """
    state, n = now or counted_state(wanted.study, wanted.choices)
    last = kept(wanted)
    if last and last.state == state:
        return Found(last, n)
    if n <= settings.LESART["RESULTS_AT_ONCE"]:
        return Found(keep(wanted, state, n, wanted.computed()), n)
    earlier = last if last and last.made_at > timezone.now() - YOUNG else None
    ticket = ticket_for(wanted, state, n)
    if not ticket.problem and not under_way(ticket) and not (workers_there() and send(ticket.place)):
        work_out(ticket.place)
        last = kept(wanted)
        if last and last.made_at >= ticket.asked_at:
            return Found(last, n)
    return Found(earlier, n, ticket)


def result_now(wanted: Wanted, now: Now | None = None) -> Any:
    """The result as it is now; `BeingWorkedOut` if a worker is still at it, whatever was there before."""
    found = look(wanted, now)
    if found.ticket or found.kept is None:
        raise BeingWorkedOut(wanted.study, found.ticket)
    return found.kept.result


def ticket_for(wanted: Wanted, state: str, n: int) -> Ticket:
    """The ticket that stands; a new one if it is lost, or failed for answers that are not those of now."""
    old = ticket_at(wanted.study, wanted.place)
    if old and (under_way(old) or (old.problem and old.state == state)):
        return old
    starts = old.starts if old and not old.problem else 0
    language = get_language() or settings.LANGUAGE_CODE
    new = Ticket(
        wanted.place, wanted.kind, wanted.study.pk, wanted.choices, wanted.more, language, state, n,
        timezone.now(), starts,
    )  # fmt: skip
    if starts >= MOST_STARTS:
        new = replace(new, problem=_("whoever worked on it ended without a word, probably for lack of memory"))
    store(new)
    return new


def under_way(ticket: Ticket) -> bool:
    """Whether somebody works on it now, or was asked a moment ago."""
    is_held = cache.get(f"lease:{ticket.place}") is not None
    return not ticket.problem and (is_held or cache.get(f"sent:{ticket.place}") is not None)


def workers_there() -> bool:
    return Worker.objects.alive().exists()


def send(place: str) -> bool:
    """Ask the workers, once of all who ask at the same time; False if no message can be sent."""
    from analysis.tasks import work_out_results  # tasks import the services

    if not cache.add(f"sent:{place}", True, PATIENCE.total_seconds()):
        return True
    try:
        work_out_results.apply_async(kwargs={"place": place}, retry=False)
    except (OperationalError, OSError) as error:
        log.warning("No message could be sent for results: %s", type(error).__name__)
        cache.delete(f"sent:{place}")
        return False
    return True


def ticket_at(study: Study, place: str) -> Ticket | None:
    """The study's ticket of that name, if it has one."""
    ticket: Ticket | None = cache.get(f"ticket:{place}")
    return ticket if ticket and ticket.study_id == study.pk else None


def store(ticket: Ticket) -> None:
    cache.set(f"ticket:{ticket.place}", ticket, A_DAY)


def try_again(study: Study, place: str) -> None:
    """Forget that it failed: who looks next asks anew."""
    ticket = ticket_at(study, place)
    if ticket and ticket.problem:
        cache.delete(f"ticket:{place}")


# Working -------------------------------------------------------------------------------------------------------------


def work_out(place: str) -> None:
    """Compute what the ticket wants and keep it, unless it is gone, failed or in other hands."""
    ticket: Ticket | None = cache.get(f"ticket:{place}")
    if ticket is None or ticket.problem or not cache.add(f"lease:{place}", True, LEASE):
        return
    try:
        store(ticket := replace(ticket, starts=ticket.starts + 1, step=None))
        with Words(ticket) as words, listening(words.hear), override(ticket.language):
            compute(ticket)
        cache.delete(f"ticket:{place}")
    except BadChoice as bad:
        store(replace(ticket, problem=str(bad)))
    except Exception as error:
        store(replace(ticket, problem=type(error).__name__))
        raise
    finally:
        cache.delete_many([f"lease:{place}", f"sent:{place}"])


def compute(ticket: Ticket) -> None:
    """Nothing if the study is gone, or if its result came while the message was on its way."""
    study = Study.objects.select_related("project", "instrument_version__instrument").filter(pk=ticket.study_id).first()
    if study is None:
        return
    result_here(Wanted(ticket.kind, study, ticket.choices, ticket.more))


def result_here(wanted: Wanted) -> Any:
    """The result as it is now, computed here if it is not kept: for who works on it, or on another that rests on it."""
    state, n = counted_state(wanted.study, wanted.choices)
    last = kept(wanted)
    if last is None or last.state != state:
        last = keep(wanted, state, n, wanted.computed())
    return last.result


class Words(threading.Thread):
    """Says every second how far it is and holds the lease, on a connection of its own: reports read in a snapshot."""

    def __init__(self, ticket: Ticket):
        super().__init__(name="words", daemon=True)
        self.ticket, self.is_over = ticket, threading.Event()

    def hear(self, step: Step) -> None:
        self.ticket = replace(self.ticket, step=step)

    def run(self) -> None:
        while not self.is_over.wait(EVERY):
            close_old_connections()
            try:
                self.say()
            except Error as error:
                log.warning("How far results are could not be stored: %s", error)
        connection.close()

    def say(self) -> None:
        cache.touch(f"lease:{self.ticket.place}", LEASE)
        store(self.ticket)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.is_over.set()
        self.join()
