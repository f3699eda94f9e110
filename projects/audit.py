"""The audit trail of a project: services record what was done, with ids and times only."""

from collections.abc import Callable, Iterable
from contextvars import ContextVar
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.apps import apps
from django.db.models import Model
from django.utils.translation import gettext_lazy as _

from projects.models import AuditEntry, User

# The recorded acts, with their words on pages. Those of all apps are in this one list.
ACTS: dict[str, Any] = {
    "project_created": _("Created the project"),
    "project_edited": _("Edited the project"),
    "project_archived": _("Archived the project"),
    "project_restored": _("Restored the project"),
    "project_deleted": _("Deleted the project"),
    "member_joined": _("Joined the project"),
    "role_changed": _("Changed a member's role"),
    "member_removed": _("Removed a member"),
    "member_invited": _("Invited a member"),
    "study_launched": _("Launched a study"),
    "study_paused": _("Paused a study"),
    "study_resumed": _("Resumed a study"),
    "study_closed": _("Closed a study"),
    "study_reopened": _("Reopened a study"),
    "study_changed": _("Changed a study"),
    "phase_reworded": _("Worded a phase anew"),
    "texts_added": _("Added texts to a study"),
    "texts_drawn": _("Drew more texts for people"),
    "study_archived": _("Archived a study"),
    "study_restored": _("Restored a study"),
    "study_deleted": _("Deleted a study"),
    "people_added": _("Added people"),
    "person_paused": _("Paused a person"),
    "person_resumed": _("Let a person go on"),
    "person_replaced": _("Replaced a person"),
    "work_given_back": _("Gave a person's open work to others"),
    "work_discarded": _("Discarded a person's work"),
    "person_removed": _("Removed a person with all answers"),
    "person_withdrew": _("Withdrew with all answers"),
    "link_disabled": _("Disabled a personal link"),
    "link_renewed": _("Made a new personal link"),
    "roster_changed": _("Changed the roster"),
    "mail_sent": _("Sent mail"),
    "conflicts_decided": _("Decided where people disagree"),
    "answers_set_apart": _("Flagged or excluded answers"),
    "unit_reopened": _("Reopened decisions about answers"),
    "coding_finished": _("Finished coding alone"),
    "codes_decided": _("Decided where coders disagree"),
    "codes_reopened": _("Reopened decisions about codes"),
    "text_archived": _("Archived a text"),
    "text_restored": _("Restored a text"),
    "text_deleted": _("Deleted a text"),
    "import_undone": _("Undid an import"),
    "item_archived": _("Archived an item"),
    "item_restored": _("Restored an item"),
    "item_deleted": _("Deleted an item"),
    "run_deleted": _("Deleted a run"),
}

# Finds the user whose acts are recorded; set for each request.
acting: ContextVar[Callable[[], int | None]] = ContextVar("acting", default=lambda: None)


def record_act(project_id: int, act: str, subject: Model | None = None, *, number: int | None = None) -> None:
    """Record that the acting user did this now; `KeyError` for an act outside the list."""
    ACTS[act]
    AuditEntry.objects.create(
        project_id=project_id,
        act=act,
        subject=subject._meta.label if subject else "",
        subject_id=subject.pk if subject else None,
        number=number,
        user_id=acting.get()(),
    )


@dataclass(frozen=True)
class AuditLine:
    """An entry as on the page. who: a user name, empty for participants; what: the row's present name."""

    made_at: datetime
    who: str
    act: Any
    what: str
    number: int | None


def describe_entries(entries: Iterable[AuditEntry]) -> list[AuditLine]:
    """The entries with present names; deleted rows and users are named by `#` and primary key."""
    entries = list(entries)
    users = dict(User.objects.filter(pk__in={each.user_id for each in entries}).values_list("pk", "username"))
    names = name_subjects(entries)
    return [
        AuditLine(
            each.made_at,
            users.get(each.user_id or 0, f"#{each.user_id}" if each.user_id else ""),
            ACTS.get(each.act, each.act),
            names.get((each.subject, each.subject_id or 0), f"#{each.subject_id}" if each.subject_id else ""),
            each.number,
        )
        for each in entries
    ]


def name_subjects(entries: Iterable[AuditEntry]) -> dict[tuple[str, int], str]:
    wanted: dict[str, set[int]] = {}
    for each in entries:
        if each.subject and each.subject_id:
            wanted.setdefault(each.subject, set()).add(each.subject_id)
    return {
        (label, row.pk): str(row)
        for label, pks in wanted.items()
        for row in apps.get_model(label)._base_manager.filter(pk__in=pks)
    }
