"""Taking a study for a change of state: one at a time, and only from a state that allows it."""

from django.utils.translation import gettext_lazy as _

from studies.models import Study, StudyState


class WrongState(Exception):
    """The study is in a state in which this cannot be done; the message says why and what to do instead."""


# What to do about a study that is in a state in which something cannot be done.
INSTEAD = {
    StudyState.DRAFT: _("The study “%(slug)s” is still a draft. Launch it first."),
    StudyState.LIVE: _("The study “%(slug)s” was launched before and is live, so this cannot be done now."),
    StudyState.PAUSED: _("The study “%(slug)s” is paused. Resume it first, or make a new study."),
    StudyState.CLOSED: _("The study “%(slug)s” is closed. Open it again, or make a new study."),
    StudyState.IMPORTED: _("The study “%(slug)s” holds imported answers and can no longer change. Make a new study."),
}


def locked(study: Study, *states: StudyState) -> Study:
    """The study as it is now, locked, if it is in one of the states."""
    current = (
        Study.objects.select_for_update(of=("self",)).select_related("project", "instrument_version").get(pk=study.pk)
    )
    if current.state not in states:
        raise WrongState(str(INSTEAD[StudyState(current.state)]) % {"slug": current.slug})
    return current
