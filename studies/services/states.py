"""Lock a study for a change, if its state allows it; hide effects by generator while it runs."""

from django.db import connection, transaction
from django.utils.translation import gettext_lazy as _

from projects.models import User
from studies.models import EffectsSwitch, Study, StudyState


class WrongState(Exception):
    """The study's state does not allow this; the message says why and what to do instead."""


STATE_LOCKS = 0x4C65 << 44  # first key of these locks, far from other advisory locks

# What to do if the state of a study does not allow something.
STATE_SENTENCES = {
    StudyState.DRAFT: _("The study “%(slug)s” is still a draft. Launch it first."),
    StudyState.LIVE: _("The study “%(slug)s” is live, so this is no longer possible."),
    StudyState.PAUSED: _("The study “%(slug)s” is paused. Resume it first, or create a new study."),
    StudyState.CLOSED: _("The study “%(slug)s” is closed. Reopen it, or create a new study."),
    StudyState.IMPORTED: _(
        "The study “%(slug)s” consists of imported answers and cannot be changed. Create a new study."
    ),
}


def lock_study(study: Study, *states: StudyState) -> Study:
    """The study with its present values, locked, if it is in one of the states."""
    current = (
        Study.everything.select_for_update(of=("self",))
        .select_related("project", "instrument_version")
        .get(pk=study.pk)
    )
    if current.state not in states:
        raise WrongState(str(STATE_SENTENCES[StudyState(current.state)]) % {"slug": current.slug})
    return current


def hold_state(study_id: int, annotator_id: int | None = None) -> None:
    """Keep the study in its state until the transaction ends. A shared lock, but exclusive for each annotator.

    Answers are stored under this lock: whoever pauses or closes the study waits for those being stored, and later ones
    read the new state.
    """
    if annotator_id is None:
        take_lock("SELECT pg_advisory_xact_lock_shared(%s)", STATE_LOCKS + study_id)
    else:
        row = "FROM studies_annotator WHERE id = %s FOR NO KEY UPDATE"
        take_lock(f"SELECT pg_advisory_xact_lock_shared(%s) {row}", STATE_LOCKS + study_id, annotator_id)


def lock_study_state(study: Study, *states: StudyState) -> Study:
    """`lock_study` that also waits until no answer is being stored: for changes to or from states that accept
    answers."""
    take_lock("SELECT pg_advisory_xact_lock(%s)", STATE_LOCKS + study.pk)
    return lock_study(study, *states)


def take_lock(statement: str, *keys: int) -> None:
    """Take a lock in PostgreSQL. SQLite needs none: its transactions run one after the other."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute(statement, keys)


RUNNING = (StudyState.DRAFT, StudyState.LIVE, StudyState.PAUSED)


def are_effects_hidden(study: Study) -> bool:
    """Whether effects by generator are hidden now: only until the study is closed."""
    return study.state in RUNNING and read_effects_switch(study) is True


def read_effects_switch(study: Study) -> bool | None:
    """What the newest switch says; None if it was never used."""
    return EffectsSwitch.objects.filter(study=study).order_by("-pk").values_list("hidden", flat=True).first()


@transaction.atomic
def switch_effects(study: Study, user: User, *, hidden: bool) -> bool:
    """Hide or show effects; returns False if nothing changed. `WrongState` if the study is over."""
    study = lock_study(study, *RUNNING)
    if bool(read_effects_switch(study)) is hidden:
        return False
    EffectsSwitch.objects.create(study=study, hidden=hidden, made_by=user)
    return True
