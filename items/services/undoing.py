"""Undo an import as a whole: its rows are deleted, and the versions that they had superseded are current again.

Also the scratch project, which holds texts and items during long writes, until they are moved to their project.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import chain
from secrets import token_hex
from typing import Any

from django.db.models import CASCADE, PROTECT, RESTRICT, ManyToOneRel, Model
from django.utils import timezone
from django.utils.translation import gettext as _

from items.models import BankImport, Generator, Item, Text
from items.services.bank import lock_bank
from jobs.progress import report_progress
from projects.audit import record_act
from projects.models import Project, User
from projects.scratch import Writer, delete_in_chunks, split_into_chunks


@contextmanager
def use_scratch_project(project: Project) -> Iterator[tuple[Project, Writer]]:
    """A project that no list shows, and its writer; at the end it is deleted with its contents."""
    for left in Project.everything.exclude(writer=""):
        if left.is_abandoned:
            delete_scratch(left)
    with Writer() as writer:
        scratch = Project(slug=f"scratch-{token_hex(8)}", title=project.title)
        writer.start(scratch)
        try:
            yield scratch, writer
        finally:
            delete_scratch(scratch)


def delete_scratch(scratch: Project) -> None:
    clear_bank(scratch)
    Project.everything.filter(pk=scratch.pk).delete()


def clear_bank(scratch: Project) -> None:
    """Delete the contents of the scratch project, and report the progress in rows."""
    left = [model._base_manager.filter(project=scratch) for model in (Item, Text, Generator)]
    total, done = sum(rows.count() for rows in left), 0

    def report(n: int) -> None:
        nonlocal done
        report_progress("rows", done, total)
        done += n

    for rows in left:
        delete_in_chunks(rows, report)


class CannotUndo(ValueError):
    """The import cannot be undone as a whole; the message says why."""


def list_imports(project: Project) -> list[BankImport]:
    """The newest imports, including undone ones."""
    return list(project.bank_imports.select_related("user")[:20])


def record_import(
    project: Project, rows: dict[str, list[int]], n_corrections: int, name: str, user: User | None
) -> None:
    BankImport.objects.create(project=project, user=user, name=name, n_corrections=n_corrections, **rows)


def undo_import(done: BankImport) -> None:
    """Undo the import; `CannotUndo`, with nothing changed, if somebody has built on it since.

    One short transaction moves the rows to a scratch project, where they are deleted in chunks.
    """
    with use_scratch_project(done.project) as (scratch, _writer), lock_bank(done.project):
        done = BankImport.objects.select_for_update().get(pk=done.pk)
        texts, items = find_rows(Text, done.texts), find_rows(Item, done.items)
        refuse_undoing(done, texts, items)
        for rows in (texts, items):
            move_rows(rows, scratch)
            make_current(done.project, rows)
        made = Generator.objects.filter(pk__in=done.generators, project=done.project)
        made.exclude(items__project=done.project).update(project=scratch)
        done.undone_at = timezone.now()
        done.save(update_fields=["undone_at"])
        record_act(done.project_id, "import_undone", done)


def find_rows(model: type[Model], pks: list[int]) -> list[Any]:
    """The rows, with the fields needed here."""
    wanted = model._base_manager.only("pk", "external_id", "version", "superseded_at")
    return list(chain.from_iterable(wanted.filter(pk__in=chunk) for chunk in split_into_chunks(pks)))


def refuse_undoing(done: BankImport, texts: list[Any], items: list[Any]) -> None:
    if done.undone_at:
        raise CannotUndo(_("This import was already undone."))
    if done.n_corrections:
        raise CannotUndo(_("This import corrected keys of items that were there before. Correct them by hand."))
    if len(texts) < len(done.texts) or len(items) < len(done.items):
        raise CannotUndo(_("Some of what was imported has been deleted since. Delete the rest by hand."))
    if any(row.superseded_at for row in (*texts, *items)):
        raise CannotUndo(_("Some of what was imported has been edited since. Delete the rest by hand."))
    own = set(done.items)
    for chunk in split_into_chunks(done.texts):
        if not own.issuperset(Item._base_manager.filter(text__in=chunk).values_list("pk", flat=True)):
            raise CannotUndo(_("Items were added to the imported texts since. Delete the texts by hand."))
    if is_used(Item, done.items) or is_used(Text, done.texts):
        sentence = _("A study or run uses some of what was imported. Delete that first, or archive the texts instead.")
        raise CannotUndo(sentence)


def is_used(model: type[Model], pks: list[int]) -> bool:
    """Whether a row of another app prevents the deletion of one of these rows, or of rows deleted with it."""
    uses = list(list_uses(model))
    return any(
        user._base_manager.filter(**{f"{path}__in": chunk}).exists()
        for user, path in uses
        for chunk in split_into_chunks(pks)
    )


def list_uses(model: type[Model], path: str = "") -> Iterator[tuple[type[Model], str]]:
    """The models whose rows protect rows of this one from deletion, and the query path from there."""
    fields = model._meta.get_fields(include_hidden=True)
    for relation in (each for each in fields if isinstance(each, ManyToOneRel)):
        user, name = relation.related_model, relation.field.name + path
        if user is Item:
            continue  # the items of a text are deleted before it
        if relation.on_delete in (PROTECT, RESTRICT):
            yield user, name
        elif relation.on_delete is CASCADE:
            yield from list_uses(user, f"__{name}")


def move_rows(rows: list[Any], scratch: Project) -> None:
    for chunk in split_into_chunks(rows):
        type(chunk[0])._base_manager.filter(pk__in=[row.pk for row in chunk]).update(project=scratch)


def make_current(project: Project, deleted: list[Any]) -> None:
    """Make the version before each deleted one current again."""
    for chunk in split_into_chunks([row for row in deleted if row.version > 1]):
        rows = type(chunk[0])._base_manager.filter(project=project)
        before = rows.filter(external_id__in=[row.external_id for row in chunk]).order_by("version")
        newest = dict(before.values_list("external_id", "pk"))  # the last of each wins
        rows.filter(pk__in=newest.values()).update(superseded_at=None)
