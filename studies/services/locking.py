"""Taking a study for a change of state: one at a time, and only from a state that allows it."""

from django.utils.translation import gettext as _

from studies.models import Study, StudyState


class WrongState(Exception):
    """The study is in a state in which this cannot be done; the message is a sentence."""


def locked(study: Study, *states: StudyState) -> Study:
    """The study as it is now, locked, if it is in one of the states."""
    current = (
        Study.objects.select_for_update(of=("self",)).select_related("project", "instrument_version").get(pk=study.pk)
    )
    if current.state not in states:
        raise WrongState(
            _("The study is %(state)s; this needs one that is %(states)s.")
            % {
                "state": StudyState(current.state).label,
                "states": _(" or ").join(str(state.label) for state in states),
            }
        )
    return current
