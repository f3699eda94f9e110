"""Finished judgments from a file, so that reports run on old studies. All or nothing, through the page's own gate."""

from dataclasses import dataclass, field

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from studies.models import Study, StudyState
from studies.protocols import PROTOCOLS
from studies.services.locking import locked
from studies.services.response_checks import ItemAnswer, checked, known_in
from studies.services.response_consistency import (
    baseless_rounds,
    baseless_verdicts,
    conflicts_of,
    missing_reads,
    mixed_guesses,
)
from studies.services.response_rows import Problem, RowFile, read_rows
from studies.services.response_store import store
from studies.services.response_units import conflicting_parts, imported_units
from studies.services.selection import Chosen, choose
from studies.services.spec import SpecError


class ImportRefused(Exception):
    """The file has rows that cannot be taken; nothing of it was stored."""

    def __init__(self, problems: list[Problem]):
        super().__init__(f"{len(problems)} problems")
        self.problems = sorted(problems, key=lambda problem: problem.line)


@dataclass
class Counts:
    """What was imported, or with `dry_run` would be."""

    annotators: int = 0
    assignments: int = 0
    responses: int = 0
    notices: list[str] = field(default_factory=list)


def import_responses(study: Study, content: bytes, *, partial: bool = False, dry_run: bool = False) -> Counts:
    """Store the judgments of a file in a draft study, which becomes *imported*.

    Raises `ImportRefused` with every problem by line, or `SpecError` where the study takes none: nothing is stored.
    `partial` takes the guesses of people who did not get to read. With `dry_run` all is checked and nothing stored.
    """
    file = read_rows(content)  # before the lock: a large file takes seconds
    with transaction.atomic():
        study = locked(study, StudyState.DRAFT)
        refuse(study)
        chosen = choose(study)
        answered = all_checked(study, chosen, file, partial)
        if not dry_run:
            store(study, answered, imported_units(study, chosen, answered))
            freeze(study, file)
    return counts_of(answered, chosen.notices)


def refuse(study: Study) -> None:
    """`SpecError` for a study whose answers a file cannot hold."""
    if not PROTOCOLS[study.protocol].needs_items:
        raise SpecError(_("What was written elsewhere is imported as items of the bank, not as answers of a study."))
    if study.variants.exists():
        raise SpecError(
            _(
                "A study with variants takes no finished answers: the file does not say who was asked by which."
                " Take the variants out of the draft, or import each into a study of its own."
            )
        )


def all_checked(study: Study, chosen: Chosen, file: RowFile, partial: bool) -> list[ItemAnswer]:
    """The answers to items that the file holds; `ImportRefused` unless all of it is fit."""
    known = known_in(study, [item for _text, items in chosen.texts for item in items])
    problems = file.problems + conflicts_of(file.rows)
    answered = list(checked(file.rows, known, problems))
    problems += mixed_guesses(answered) + conflicting_parts(answered)
    problems += baseless_verdicts(file.rows, known.declaration)
    if known.declaration.rounds:
        problems += baseless_rounds(file.rows)
    if not partial and not file.problems:  # what could not be read may be what would be missing
        problems += missing_reads(file.rows, answered, known.declaration)
    if problems:
        raise ImportRefused(problems)
    return answered


def freeze(study: Study, file: RowFile) -> None:
    """The study is imported now, and has the groups that the file names."""
    study.state, study.launched_at, study.closed_at = StudyState.IMPORTED, timezone.now(), timezone.now()
    study.groups = list(dict.fromkeys([*study.groups, *(row.group for row in file.rows if row.group)]))
    study.save(update_fields=["state", "launched_at", "closed_at", "groups"])


def counts_of(answered: list[ItemAnswer], notices: list[str]) -> Counts:
    people = {found.rows[0].annotator for found in answered}
    cells = {found.cell for found in answered}
    return Counts(len(people), len(cells), sum(len(found.answers) for found in answered), notices)
