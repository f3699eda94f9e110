"""Import finished judgments from a file, all or nothing, checked as on a page; large files are imported by a worker."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import datetime
from pathlib import PurePath
from typing import Any

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from items.formats.sheets import is_sheet
from items.plain import make_printable
from items.services.import_files import describe_problems, refuse_file, takes_long
from jobs.files import delete_file, make_path, read_value, write_value
from jobs.kinds import JobFailed
from jobs.models import Job
from jobs.progress import Listener, count_done
from jobs.scheduling import get_or_schedule, make_job
from jobs.working import JobCancelled, filter_held
from projects.models import User
from projects.scratch import Save, pause_garbage_collection
from studies.models import Annotator, AnnotatorKind, Assignment, Response, Study, StudyState, Submission, Unit
from studies.models.people import DONE
from studies.presentation_order import make_handle
from studies.protocols import PROTOCOLS
from studies.services.declarations import get_declaration
from studies.services.people_texts import draw_for_import, store_draw
from studies.services.responses.checks import (
    Cell,
    ItemAnswer,
    build_context,
    check_rows,
    find_annotator_conflicts,
    find_baseless_rounds,
    find_baseless_verdicts,
    find_conflicting_parts,
    find_missing_reads,
    find_mixed_guesses,
    find_wrong_versions,
    is_first_round_unknown,
    save_imported_units,
)
from studies.services.responses.mapping import TableMapping, is_known, map_table
from studies.services.responses.model_logs import count_unanswered, list_log_rows, read_log
from studies.services.responses.rows import BadFile, RowFile, RowProblem, parse_rows, read_rows
from studies.services.scratch import adopt_rows, clear_rows, scratch_study
from studies.services.selection import ChosenTexts, choose_items
from studies.services.spec import SpecError
from studies.services.states import WrongState, lock_study
from studies.services.text_versions import list_text_versions


def store_responses(study: Study, answered: list[ItemAnswer], units: dict[Hashable, Unit], save: Save) -> None:
    """Store everything in the rows."""
    annotators = store_annotators(study, answered, save)
    assignments = store_assignments(answered, annotators, units, save)
    store_submissions(answered, assignments, save)
    version, options = study.instrument_version_id, map_options(answered)
    rows = (row for found in answered for row in build_responses(found, assignments[found.cell].pk, version, options))
    total = sum(len(found.answers) for found in answered)
    save(Response, count_done("answers", rows, total), RESPONSE_COLUMNS)


def store_annotators(study: Study, answered: list[ItemAnswer], save: Save) -> dict[str, Annotator]:
    rows = {found.rows[0].annotator: found.rows[0] for found in answered}
    annotators = {
        code: Annotator(
            study=study,
            code=code,
            kind=row.kind,
            group=row.group,
            person=row.person,
            purpose=row.purpose,
            model=row.model,
            reading=row.reading or ("ticked" if row.kind == AnnotatorKind.HUMAN else "label"),
        )
        for code, row in rows.items()
    }
    save(Annotator, annotators.values())
    return annotators


def store_assignments(
    answered: list[ItemAnswer], annotators: dict[str, Annotator], units: dict[Hashable, Unit], save: Save
) -> dict[Cell, Assignment]:
    """Finished assignments, in the order of their first rows; the order in which things were shown is unknown."""
    finished: dict[Cell, datetime | None] = {}
    for found in answered:
        finished[found.cell] = find_latest([finished.get(found.cell), *(row.submitted_at for row in found.rows)])
    versions = {found.cell: found.rows[0].text_version for found in answered}
    now, places, sides = timezone.now(), Counter[str](), order_shown_sides(answered)
    assignments = []
    for (code, number, unit), time in finished.items():
        assignments.append(
            Assignment(
                annotator=annotators[code],
                unit=units[unit],
                round=number,
                position=places[code],
                shown=sides.get((code, number, unit), {}),
                text_version=versions[code, number, unit],
                stage=DONE,
                finished_at=time or now,
            )
        )
        places[code] += 1
    save(Assignment, assignments)
    return dict(zip(finished, assignments, strict=True))


def order_shown_sides(answered: list[ItemAnswer]) -> dict[Cell, dict[str, list[Any]]]:
    """The items shown, left first, for pairs whose left side the file names; other orders are unknown."""
    shown: dict[Cell, dict[str, list[Any]]] = {}
    for found in answered:
        if left := found.rows[0].shown_left:
            sides = sorted(found.items, key=lambda item: item.external_id != left)
            order = [[make_handle(), item.pk, []] for item in sides]
            shown.setdefault(found.cell, {})[found.stage.name] = order
    return shown


def store_submissions(answered: list[ItemAnswer], assignments: dict[Cell, Assignment], save: Save) -> None:
    latest: dict[tuple[Cell, str], datetime | None] = {}
    for found in answered:
        key = (found.cell, found.stage.name)
        latest[key] = find_latest([latest.get(key), *(row.submitted_at for row in found.rows)])
    save(
        Submission,
        ((assignments[cell].pk, stage, time) for (cell, stage), time in latest.items()),
        ("assignment_id", "stage", "submitted_at"),
    )


def find_latest(times: Iterable[datetime | None]) -> datetime | None:
    """The latest of the known times, None if none is known."""
    return max((time for time in times if time), default=None)


def map_options(answered: list[ItemAnswer]) -> dict[int, str]:
    """The ids of all options of the answered items, by primary key."""
    items = {found.item.pk: found.item for found in answered}
    return {option.pk: option.external_id for item in items.values() for option in item.options.all()}


RESPONSE_COLUMNS = (
    "assignment_id", "stage", "question", "item_id", "option_id", "value", "probability", "unsure", "comment",
    "instrument_version_id", "submitted_at",
)  # fmt: skip


def build_responses(
    found: ItemAnswer, assignment: int, version: int, options: dict[int, str]
) -> Iterator[tuple[Any, ...]]:
    """The values of RESPONSE_COLUMNS for each answer. `options`: see `map_options`."""
    by_option = {(row.question, row.option_id): row for row in found.rows}
    for answer in found.answers:
        row = by_option[answer.question, options.get(answer.option_id or 0, "")]
        yield (
            assignment,
            found.stage.name,
            answer.question,
            answer.item_id,
            answer.option_id,
            answer.value,
            answer.probability,
            answer.unsure if row.unsure is not None else None,
            answer.comment or row.comment,
            version,
            row.submitted_at,
        )


class ImportRefused(Exception):
    """The file has invalid rows; nothing was stored."""

    def __init__(self, problems: list[RowProblem]):
        super().__init__(f"{len(problems)} problems")
        self.problems = sorted(problems, key=lambda problem: problem.line)


@dataclass
class ImportCounts:
    """What was imported, or with `dry_run` would be."""

    annotators: int = 0
    assignments: int = 0
    responses: int = 0
    notices: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class AnswerFile:
    """A file of judgments, with its name: if several were sent, problems name their file."""

    name: str
    content: bytes


def read_files(study: Study, files: Sequence[AnswerFile], mapping: TableMapping | None = None) -> RowFile:
    """The rows of all files. A file with the columns of an export is read as an export unless a mapping is given."""
    found = RowFile()
    for file in files:
        own = read_logged(study, file, mapping)
        if own is None:
            own = read_mapped(file, mapping) if mapping or is_table(file) else read_rows(file.content)
        found.notices += own.notices
        found.rows += own.rows
        named = f"{make_printable(file.name)}: " if len(files) > 1 else ""
        found.problems += [replace(problem, reason=f"{named}{problem.reason}") for problem in own.problems]
    return found


def is_table(file: AnswerFile) -> bool:
    """Whether it is a workbook or Parquet, or a CSV of a known kind with other columns."""
    return is_sheet(file.content) or is_known(file.content)


def read_logged(study: Study, file: AnswerFile, mapping: TableMapping | None) -> RowFile | None:
    """The judgments of a model's log; None for any other file."""
    found, values = RowFile(), mapping.values if mapping else {}
    try:
        log = read_log(file.content, values.get("annotator") or PurePath(file.name).stem or "model")
        if log is None:
            return None
        n = count_unanswered(log)
        if n == len(log.samples):
            raise BadFile(
                1, _("No sample of this log has an answer that names options. Did the run end with an error?")
            )
        parse_rows(list_log_rows(log, study, values, found.problems), found)
    except BadFile as bad:
        found.problems.append(bad.problem)
        return found
    if n:
        sentence = ngettext(
            "%(n)d sample has no answer that names options.", "%(n)d samples have no answer that names options.", n
        )
        found.notices.append(sentence % {"n": n})
    return found


def read_mapped(file: AnswerFile, mapping: TableMapping | None) -> RowFile:
    found = RowFile()
    try:
        parse_rows(map_table(file.content, file.name, mapping), found)
    except BadFile as bad:
        found.problems.append(bad.problem)
    return found


@pause_garbage_collection()
def import_responses(
    study: Study,
    files: bytes | Sequence[AnswerFile],
    *,
    mapping: TableMapping | None = None,
    partial: bool = False,
    dry_run: bool = False,
    when_stored: Callable[[ImportCounts], None] = lambda counts: None,
) -> ImportCounts:
    """Store the judgments of a file, or of several together, in a draft study, which becomes *imported*.

    Raises `ImportRefused` with every problem by line, or `SpecError` if the study takes no answers: nothing is stored.
    `partial` accepts guesses of people who did not get to read. With `dry_run` everything is checked and nothing
    stored.
    `when_stored` is called in the transaction that makes the study imported; an exception from it undoes the import.
    """
    file = read_files(study, [AnswerFile("", files)] if isinstance(files, bytes) else files, mapping)
    with scratch_study(study) as (scratch, writer):
        refuse_unimportable(study)
        chosen = choose_items(scratch)
        answered = check_all(scratch, chosen, file, partial)
        by_people = {found.item.text_id for found in answered if found.by_person}
        done = {text.external_id for text, _items in chosen.texts if text.pk in by_people}
        draw, notices = draw_for_import(scratch, chosen, done)
        notices = file.notices + chosen.notices + notices + notice_unknown_rounds(study, file)
        counts = count_imported(answered, notices)
        if not dry_run:
            store_draw(scratch, draw, None)
            store_responses(scratch, answered, save_imported_units(scratch, chosen, answered, writer.save), writer.save)
            make_imported(study, scratch, file, lambda: when_stored(counts))
    return counts


def notice_unknown_rounds(study: Study, file: RowFile) -> list[str]:
    """A notice if people's answers are of a later round only, and later rounds reopen answers."""
    if not get_declaration(study).rounds or not is_first_round_unknown(file.rows):
        return []
    return [_("The file has no answers from round 1, so reports show only the later round.")]


def refuse_unimportable(study: Study) -> None:
    """Raises `SpecError` for a study whose answers a file cannot hold."""
    if not PROTOCOLS[study.protocol].needs_items:
        raise SpecError(_("Import questions that were written elsewhere as items, not as answers of a study."))
    if study.variants.exists():
        raise SpecError(
            _(
                "Finished answers cannot be imported into a study with variants, because the file does "
                "not say who answered which variant. Remove the variants from the draft, or import each "
                "variant into its own study."
            )
        )


def check_all(study: Study, chosen: ChosenTexts, file: RowFile, partial: bool) -> list[ItemAnswer]:
    """The answers in the file; `ImportRefused` unless all of them are valid."""
    known = build_context(study, [item for _text, items in chosen.texts for item in items])
    problems = file.problems + find_annotator_conflicts(file.rows)
    answered = list(check_rows(file.rows, known, problems))
    problems += find_mixed_guesses(answered) + find_conflicting_parts(answered)
    problems += find_wrong_versions(answered, list_text_versions(study))
    problems += find_baseless_verdicts(file.rows, known.declaration)
    if known.declaration.rounds:
        problems += find_baseless_rounds(file.rows)
    if not partial and not file.problems:  # an unreadable row may be the missing one
        problems += find_missing_reads(file.rows, answered, known.declaration)
    if problems:
        raise ImportRefused(problems)
    return answered


def make_imported(study: Study, scratch: Study, file: RowFile, then: Callable[[], None]) -> None:
    """Mark the study as imported, with the rows of the scratch study and the groups in the file."""
    clear_rows(study)  # the slow part, before the lock
    with transaction.atomic():
        study = lock_study(study, StudyState.DRAFT)
        clear_rows(study)
        adopt_rows(study, scratch)
        note_import(study, file)
        then()


def note_import(study: Study, file: RowFile) -> None:
    study.state, study.launched_at, study.closed_at = StudyState.IMPORTED, timezone.now(), timezone.now()
    study.groups = list(dict.fromkeys([*study.groups, *(row.group for row in file.rows if row.group)]))
    study.save(update_fields=["state", "launched_at", "closed_at", "groups"])


def count_imported(answered: list[ItemAnswer], notices: list[str]) -> ImportCounts:
    people = {found.rows[0].annotator for found in answered}
    cells = {found.cell for found in answered}
    return ImportCounts(len(people), len(cells), sum(len(found.answers) for found in answered), notices)


# Large files of answers are imported by a worker; the job stores the files until it is done.


KIND = "import_answers"


def import_or_schedule(
    study: Study,
    files: Sequence[AnswerFile],
    user: User | None,
    *,
    mapping: TableMapping | None = None,
    **options: Any,
) -> ImportCounts | Job:
    """What was imported, or for large files the job that imports them; `options` and errors: see `import_responses`."""
    if not takes_long(*(file.content for file in files)):
        return import_responses(study, files, mapping=mapping, **options)
    refuse_unimportable(study)
    upload = write_value((list(files), mapping)).name
    job = make_job(KIND, study.job_subject, {"upload": upload} | options, study.project)
    return get_or_schedule(job, timezone.now().isoformat(), user)


def import_by_job(job: Job, on_progress: Listener) -> None:
    """Import the files of the job; its result says what was imported."""
    if earlier := read_result(job):  # the worker died after the last transaction
        job.about = earlier
        delete_file(job.parameters["upload"])
        return
    options = dict(job.parameters)
    path = make_path(options.pop("upload"))
    study = Study.objects.select_related("project").filter(pk=job.subject.partition(":")[2]).first()
    if study is None or not path.exists():
        raise JobFailed(_("The files are no longer here. Send them again."))
    on_progress("read", 0, 0)
    files, mapping = read_value(path.open("rb"))
    try:
        counts = import_responses(
            study, files, mapping=mapping, when_stored=lambda counts: store_result(job, counts), **options
        )
    except (WrongState, SpecError) as error:
        raise JobFailed(str(error)) from None
    except ImportRefused as refused:
        raise refuse_file(len(refused.problems), describe_problems(refused.problems)) from None
    job.about = describe_counts(counts)
    delete_file(path.name)


def describe_counts(counts: ImportCounts) -> dict[str, Any]:
    return {"result": asdict(counts)}


def read_result(job: Job) -> dict[str, Any] | None:
    """What an earlier attempt of the job has stored, if it got that far."""
    about: dict[str, Any] = Job.objects.values_list("about", flat=True).get(pk=job.pk)
    return about if "result" in about else None


def store_result(job: Job, counts: ImportCounts) -> None:
    """Store the counts in the same transaction as the answers; `JobCancelled` if another worker has the job by now."""
    if not filter_held(job).update(about=describe_counts(counts)):
        raise JobCancelled
