"""Restores a study from a replication pack, all of it or nothing. `report` on it gives the tables of the pack."""

import csv
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import IO

from django.db import DatabaseError, transaction
from django.utils.translation import gettext as _

from analysis.pack.archive import BadPack, PackReader
from analysis.pack.restored_answers import read_answers, store_answers
from analysis.pack.restored_bank import restore_bank
from analysis.pack.restored_study import (
    restore_annotators,
    restore_assignments,
    restore_codes,
    restore_matches,
    restore_study,
    restore_submissions,
    restore_units,
)
from items.plain import make_printable
from projects.models import Project
from studies.models import Study
from studies.services.spec import SpecError

MALFORMED = (
    DatabaseError, ValueError, TypeError, LookupError, AttributeError, ArithmeticError, RecursionError, csv.Error,
)  # fmt: skip


@dataclass(frozen=True)
class RestoredStudy:
    """What was restored from a pack."""

    study: Study
    n_texts: int
    n_annotators: int
    n_responses: int
    n_withheld: int


def import_pack(file: IO[bytes], project: Project, slug: str = "") -> RestoredStudy:
    """Store a pack in an empty project, as an imported study under its own short name or another.

    Every file is checked against its hash, every answer against the protocol's declaration. If it
    raises `BadPack`, `SpecError` or `studies.services.responses.importing.ImportRefused`, nothing is stored.
    """
    refuse_used(project)
    pack = PackReader(file)
    pack.check()
    with all_or_nothing():
        return restore_pack(pack, project, slug)


@contextmanager
def all_or_nothing() -> Iterator[None]:
    """Store what is done inside; on an error store nothing, and raise `BadPack` or `SpecError`."""
    try:
        with transaction.atomic():
            yield
    except (BadPack, SpecError):
        raise
    except MALFORMED as error:
        # Errors of hand-edited packs with correct hashes: fields are not trusted, and not every shape is checked.
        what = make_printable(str(error), 200) or type(error).__name__
        raise BadPack(_("The pack contradicts itself (%(what)s). Export it again.") % {"what": what}) from None


def refuse_used(project: Project) -> None:
    """Raises an error for a used project: text ids and the order of generators are the project's, so two banks would
    mix."""
    if project.texts.exists() or project.generators.exists():
        raise BadPack(
            _("The project “%(slug)s” has texts or generators already. Make an empty one for the pack.")
            % {"slug": project.slug}
        )


def restore_pack(pack: PackReader, project: Project, slug: str) -> RestoredStudy:
    items = restore_bank(pack, project)
    study = restore_study(pack, project, slug)
    units = restore_units(pack, study, items)
    annotators = restore_annotators(pack, study)
    assignments = restore_assignments(pack, study, units, annotators, items)
    restore_submissions(pack, study, units, annotators, assignments)
    answered, extras = read_answers(study, annotators, list(items.values()), pack.read("answers/responses.csv"))
    n_responses = store_answers(answered, extras, assignments)
    restore_codes(pack, study, items)
    restore_matches(pack, study)
    n_withheld = project.texts.filter(shareable=False).count()
    return RestoredStudy(study, project.texts.count(), len(annotators), n_responses, n_withheld)
