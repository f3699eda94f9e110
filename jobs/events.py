"""Events such as the end of a job: services announce them, apps in higher layers listen."""

from collections.abc import Callable

from django.utils.translation import gettext_lazy as _

JOB_ENDED, RUN_ENDED, STUDY_CLOSED = EVENTS = ("job.ended", "run.ended", "study.closed")
EVENT_LABELS = {
    JOB_ENDED: _("a job has ended"),
    RUN_ENDED: _("a run has ended"),
    STUDY_CLOSED: _("a study was closed"),
}
Listener = Callable[[str, int, str], None]  # the event, the project's key, and what ended: a number or a short name

_listeners: list[Listener] = []


def listen(listener: Listener) -> None:
    """Register a listener for all events; call it in `AppConfig.ready`."""
    _listeners.append(listener)


def announce(event: str, project_id: int | None, subject: int | str) -> None:
    """Tell all listeners, in the caller's transaction. Events without a project are ignored."""
    for listener in _listeners if project_id else ():
        listener(event, project_id or 0, str(subject))
