"""Long writes of a study: rows are written under a scratch study, and moved to the draft in one short transaction."""

from collections.abc import Iterator
from contextlib import contextmanager
from secrets import token_hex

from django.db import transaction
from django.utils.translation import gettext as _

from projects.scratch import Writer, delete_in_chunks
from studies.models import (
    Annotator,
    Assignment,
    Draft,
    PeopleTexts,
    Response,
    Slot,
    Study,
    StudyState,
    Submission,
    Unit,
    UnitItem,
)
from studies.services.states import WrongState, lock_study

OWN_FIELDS = ("id", "slug", "writer", "written_at", "scratch_of")


@contextmanager
def scratch_study(study: Study) -> Iterator[tuple[Study, Writer]]:
    """A scratch study with the draft's choices, into which rows are written; it is deleted at the end.

    `WrongState` if the study is no draft, or somebody else is writing. Meanwhile the draft cannot be changed.
    """
    clear_abandoned()
    with Writer() as writer:
        scratch = claim_draft(study, writer)
        try:
            yield scratch, writer
        finally:
            delete_study(scratch)


def claim_draft(study: Study, writer: Writer) -> Study:
    with transaction.atomic():
        study = lock_study(study, StudyState.DRAFT)
        refuse_if_written(study)
        fields = [field.name for field in Study._meta.concrete_fields if field.name not in OWN_FIELDS]
        scratch = Study(**{name: getattr(study, name) for name in fields})
        scratch.slug, scratch.scratch_of = f"scratch-{token_hex(8)}", study
        writer.start(scratch)
    return scratch


def refuse_if_written(study: Study) -> None:
    """Raises `WrongState` while somebody launches the draft or imports answers into it; call it under the study's
    lock."""
    if any(not scratch.is_abandoned for scratch in Study.everything.filter(scratch_of=study)):
        sentence = _(
            "The study “%(slug)s” is being launched or is importing answers. Try again when that has finished."
        )
        raise WrongState(sentence % {"slug": study.slug})


def adopt_rows(study: Study, scratch: Study) -> None:
    """Move the rows of the scratch study to the study, inside the caller's transaction."""
    Unit.everything.filter(study=scratch).update(study=study)
    Annotator.objects.filter(study=scratch).update(study=study)
    PeopleTexts.objects.filter(study=scratch).update(study=study)


def clear_abandoned() -> None:
    """Delete the scratch studies of interrupted writes."""
    for scratch in Study.everything.exclude(writer="").order_by("-pk"):  # later studies first
        if scratch.is_abandoned:
            delete_study(scratch)


def delete_study(study: Study) -> None:
    """Delete the study and its rows, in short transactions."""
    clear_rows(study)
    Study.everything.filter(pk=study.pk).delete()


def clear_rows(study: Study) -> None:
    """Delete units, annotators and all rows that depend on them, in short transactions; for scratch studies and drafts
    only."""
    for answers in (Response, Submission, Draft):
        delete_in_chunks(answers._base_manager.filter(assignment__annotator__study=study))
    delete_in_chunks(Assignment._base_manager.filter(annotator__study=study))
    delete_in_chunks(Annotator._base_manager.filter(study=study))
    for rows in (Slot, UnitItem):
        delete_in_chunks(rows._base_manager.filter(unit__study=study))
    delete_in_chunks(Unit._base_manager.filter(study=study))
    PeopleTexts.objects.filter(study=study).delete()
