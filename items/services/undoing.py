"""Undo an import as a whole: its rows go, and what they had taken the place of is current again."""

from collections.abc import Iterable
from typing import Any

from django.db import transaction
from django.db.models import Model, ProtectedError, RestrictedError
from django.utils import timezone
from django.utils.translation import gettext as _

from items.models import BankImport, Generator, Item, Text
from items.services.bank import lock_bank
from projects.audit import record_act
from projects.models import Project, User
from projects.scratch import CHUNK


class CannotUndo(ValueError):
    """The import cannot be undone as a whole; the message says why."""


def list_imports(project: Project) -> list[BankImport]:
    """The newest imports, those that were undone too."""
    return list(project.bank_imports.select_related("user")[:20])


def note_import(project: Project, rows: dict[str, list[int]], n_corrections: int, name: str, user: User | None) -> None:
    BankImport.objects.create(project=project, user=user, name=name, n_corrections=n_corrections, **rows)


def undo_import(done: BankImport) -> None:
    """Delete what the import brought; `CannotUndo` where somebody has built on it since, and then nothing changes."""
    with transaction.atomic(), lock_bank(done.project):
        done = BankImport.objects.select_for_update().get(pk=done.pk)
        texts: list[Text] = list(find_rows(Text, done.texts))
        items: list[Item] = list(find_rows(Item, done.items))
        refuse_undoing(done, texts, items)
        delete_rows(Item, done.items)
        delete_rows(Text, done.texts)
        for rows in (texts, items):
            make_current(done.project, rows)
        Generator.objects.filter(pk__in=done.generators, items=None, project=done.project).delete()
        done.undone_at = timezone.now()
        done.save(update_fields=["undone_at"])
        record_act(done.project_id, "import_undone", done)


def find_rows(model: type[Model], pks: list[int]) -> Iterable[Any]:
    for start in range(0, len(pks), CHUNK):
        yield from model._base_manager.filter(pk__in=pks[start : start + CHUNK])


def refuse_undoing(done: BankImport, texts: list[Text], items: list[Item]) -> None:
    if done.undone_at:
        raise CannotUndo(_("This import was already undone."))
    if done.n_corrections:
        raise CannotUndo(_("This import corrected keys of items that were there before. Correct them by hand."))
    if len(texts) < len(done.texts) or len(items) < len(done.items):
        raise CannotUndo(_("Some of what was imported has been deleted since. Delete the rest by hand."))
    if any(text.superseded_at for text in texts) or any(item.superseded_at for item in items):
        raise CannotUndo(_("Some of what was imported has been edited since. Delete the rest by hand."))
    later = Item._base_manager.filter(text__in=[text.pk for text in texts]).exclude(pk__in=done.items)
    if later.exists():
        raise CannotUndo(_("Items were added to the imported texts since. Delete the texts by hand."))


def delete_rows(model: type[Model], pks: list[int]) -> None:
    try:
        for start in range(0, len(pks), CHUNK):
            model._base_manager.filter(pk__in=pks[start : start + CHUNK]).delete()
    except (ProtectedError, RestrictedError):
        sentence = _("A study or run uses some of what was imported. Delete that first, or archive the texts instead.")
        raise CannotUndo(sentence) from None


def make_current(project: Project, gone: list[Any]) -> None:
    """Of rows that were a next version, the version before."""
    for row in gone:
        if row.version > 1:
            before = type(row)._base_manager.filter(project=project, external_id=row.external_id)
            newest = before.order_by("-version").first()
            if newest is not None:
                newest.superseded_at = None
                newest.save(update_fields=["superseded_at"])
