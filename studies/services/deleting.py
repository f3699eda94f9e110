"""Archive and delete projects, studies, texts, items and runs; a deletion lists first what would be deleted with it."""

from collections.abc import Iterable, Sequence

from django.db import transaction
from django.db.models import Model
from django.utils import timezone
from django.utils.translation import gettext as _

from items.models import Item, Text
from items.pictures import delete_unused_pictures
from jobs.deleting import delete_results, delete_rows
from jobs.models import Job
from llm.models import Run
from llm.services import runs
from projects.audit import record_act
from projects.deletion import collect_rows, describe_rows
from projects.models import Project, User
from studies.models import Study, StudyState
from studies.services.phases import list_phase_pictures
from studies.services.scratch import refuse_if_written
from studies.services.states import WrongState, lock_study_state

ENDING = (StudyState.LIVE, StudyState.PAUSED)


class NotConfirmed(Exception):
    """The typed words are not the name of what would be deleted; nothing was deleted."""


def find_roots(row: Model) -> Sequence[Model]:
    """The rows that belong to the same thing and are deleted with it: all versions of a text or an item."""
    if isinstance(row, Text | Item):
        return list(type(row).objects.filter(project_id=row.project_id, external_id=row.external_id))
    return [row]


def name_for_confirming(row: Model) -> str:
    """The name that somebody types to confirm the deletion."""
    if isinstance(row, Text | Item):
        return row.external_id
    return row.slug if isinstance(row, Project | Study) else str(row.pk)


def describe_deletion(row: Model) -> list[str]:
    """What would be deleted with it, in words and numbers."""
    return describe_rows(collect_rows(find_roots(row)))


def describe_texts_deletion(texts: Iterable[Text]) -> list[str]:
    """What would be deleted with these texts, in words and numbers."""
    return describe_rows(collect_rows([root for text in texts for root in find_roots(text)]))


def delete_texts(texts: Sequence[Text], confirmed: str, owner: User) -> Job | None:
    """Delete texts of a project with everything that depends on them, if their number was typed; all or none."""
    if confirmed.strip() != str(len(texts)):
        raise NotConfirmed(_("Type “%(name)s” to confirm. Nothing was deleted.") % {"name": len(texts)})
    roots = [root for text in texts for root in find_roots(text)]
    with transaction.atomic():
        delete_results(texts[0].project)
        for text in texts:
            record_act(text.project_id, "text_deleted", text)
        project = texts[0].project
        delete_unused_pictures(project, [root.pk for root in roots], list_phase_pictures(project))
    return delete_rows(roots, owner)


def delete_with_all(row: Model, confirmed: str, owner: User | None = None, *, waits: bool = False) -> Job | None:
    """Delete a project, study, text, item or run with everything that depends on it, if its name was typed.

    Returns the job that deletes it, if that takes long. Raises `NotConfirmed`, or `WrongState` during writes.
    """
    wanted = name_for_confirming(row)
    if confirmed.strip() != wanted:
        raise NotConfirmed(_("Type “%(name)s” to confirm. Nothing was deleted.") % {"name": wanted})
    project = row if isinstance(row, Project) else row.project  # type: ignore[attr-defined]
    roots = find_roots(row)
    stop_what_runs(row)
    with transaction.atomic():
        if not isinstance(row, Project):
            delete_results(project)
        record_act(project.pk, f"{row._meta.model_name}_deleted", row)
        if isinstance(row, Text):
            delete_unused_pictures(project, [root.pk for root in roots], list_phase_pictures(project))
    return delete_rows(roots, owner, waits=waits)


def stop_what_runs(row: Model) -> None:
    """End studies and runs that would continue to write: from then on nothing is confirmed that would be lost."""
    studies = row.studies.all() if isinstance(row, Project) else [row] if isinstance(row, Study) else []
    for study in studies:
        refuse_if_written(study)
        if study.state in ENDING:
            with transaction.atomic():
                locked = lock_study_state(study, *ENDING)
                locked.state, locked.closed_at = StudyState.CLOSED, timezone.now()
                locked.save(update_fields=["state", "closed_at"])
    for run in row.runs.all() if isinstance(row, Project) else [row] if isinstance(row, Run) else []:
        runs.cancel(run)


def archive(row: Project | Study | Text | Item) -> None:
    """Hide it from lists and choices; nothing else changes. `WrongState` for a live study."""
    if isinstance(row, Study) and row.state == StudyState.LIVE:
        raise WrongState(_("The study is live. Close it before you archive it."))
    set_archived(row, is_archived=True)


@transaction.atomic
def archive_texts(texts: Iterable[Text]) -> None:
    """Archive all of them or none."""
    for text in texts:
        archive(text)


@transaction.atomic
def restore_texts(texts: Iterable[Text]) -> None:
    for text in texts:
        restore(text)


def restore(row: Project | Study | Text | Item) -> None:
    """Show it in the lists again."""
    set_archived(row, is_archived=False)


@transaction.atomic
def set_archived(row: Project | Study | Text | Item, *, is_archived: bool) -> None:
    now = timezone.now() if is_archived else None
    type(row)._base_manager.filter(pk__in=[root.pk for root in find_roots(row)]).update(archived_at=now)
    project = row.pk if isinstance(row, Project) else row.project_id
    record_act(project, f"{row._meta.model_name}_{'archived' if is_archived else 'restored'}", row)
