"""The kinds of jobs, and events such as the end of one. Apps register their kinds and listeners when they are ready;
the function that does the work of a job is imported later."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

from django.utils.module_loading import import_string
from django.utils.translation import gettext_lazy as _

from jobs.progress import Listener

if TYPE_CHECKING:
    from django.utils.functional import _StrOrPromise

    from jobs.models import Job

Work = Callable[["Job", Listener], Path | None]  # takes a job and a function that reports progress


class JobFailed(Exception):
    """The job cannot be done; the message is a sentence for its page.

    errors: those of an uploaded file, each with its line, field and reason.
    """

    def __init__(self, sentence: str, errors: Sequence[Mapping[str, Any]] = ()) -> None:
        super().__init__(sentence)
        self.errors = list(errors)


@dataclass(frozen=True)
class Kind:
    """A kind of job.

    work: the dotted path of the function that does it; it gets a job and a function that reports progress, and returns
    the file that it wrote, if any; it may set `about` and `version` of the job. title: its name on pages. steps: by
    key, a sentence with the slots `done` and `total`. keep: how long the result is kept.
    """

    name: str
    work: str
    title: "_StrOrPromise"
    steps: "Mapping[str, _StrOrPromise]" = field(default_factory=dict)
    keep: timedelta = timedelta(days=1)

    def load(self) -> Work:
        work: Work = import_string(self.work)
        return work


KINDS: dict[str, Kind] = {}


def register(*kinds: Kind) -> None:
    KINDS.update({kind.name: kind for kind in kinds})


# Events such as the end of a job: services announce them, apps in higher layers listen.

JOB_ENDED, RUN_ENDED, STUDY_CLOSED = EVENTS = ("job.ended", "run.ended", "study.closed")
EVENT_LABELS = {
    JOB_ENDED: _("a job has ended"),
    RUN_ENDED: _("a run has ended"),
    STUDY_CLOSED: _("a study was closed"),
}
# Gets the event, the project's primary key, and what ended: its primary key or its short name.
EventListener = Callable[[str, int, str], None]

_listeners: list[EventListener] = []


def listen(listener: EventListener) -> None:
    """Register a listener for all events; call it in `AppConfig.ready`."""
    _listeners.append(listener)


def announce(event: str, project_id: int | None, subject: int | str) -> None:
    """Call all listeners, in the caller's transaction. Events without a project are ignored."""
    for listener in _listeners if project_id else ():
        listener(event, project_id or 0, str(subject))
