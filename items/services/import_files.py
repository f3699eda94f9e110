"""Uploads between preview and import: a file, text files or pasted texts. Only its sender sees one, for a day.

Large files are read, imported and undone by a worker: a job for the paragraphs, the preview, the import and its
undoing.
"""

import base64
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import timedelta
from itertools import islice
from pathlib import Path
from typing import Any

from django.db.models import QuerySet
from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from items.formats import find_format
from items.formats.documents import Document
from items.formats.paragraphs import Arrangement, Piece, arrange, build_rows
from items.formats.rows import Reading
from items.formats.table import read_known_cells
from items.formats.table_cells import Table
from items.formats.table_columns import Columns, name_choices, recognize_columns
from items.formats.text_files import name_text_file, read_document, read_text_files
from items.models import MAX_ID, BankImport, ImportFile
from items.plain import make_printable
from items.services.bank import get_bank_version
from items.services.importing import ImportRefused, import_items, read_bank_file, refuse_unused
from items.services.naming import ImportOptions
from items.services.plan import ImportPlan
from items.services.planning import plan_import
from items.services.undoing import CannotUndo, undo_import
from jobs import files
from jobs.kinds import JobFailed
from jobs.models import Job
from jobs.progress import Listener
from jobs.scheduling import get_or_schedule, make_job
from projects.models import Project, User

KEEP_FOR = timedelta(days=1)
TEXT_FILES, PASTED = "text", "paste"


def store_upload(
    project: Project, user: User, name: str, content: bytes, options: ImportOptions, format_name: str = ""
) -> ImportFile:
    """Store a file of texts and items for its preview; its name determines its format unless that is given."""
    return _store(project, user, name, content, options, format_name or find_format(name) or "lesart")


def store_text_files(
    project: Project, user: User, files: Sequence[tuple[str, bytes]], options: ImportOptions
) -> ImportFile:
    """Store text files, given as (name, bytes), as one upload."""
    packed = json.dumps([[name, base64.b64encode(content).decode("ascii")] for name, content in files])
    if len(files) == 1:
        name = files[0][0]
    else:
        name = ngettext("{n} text file", "{n} text files", len(files)).format(n=len(files))
    return _store(project, user, name, packed.encode(), options, TEXT_FILES)


def store_pasted(project: Project, user: User, rows: Sequence[dict[str, Any]]) -> ImportFile:
    """Store pasted texts, given in Lesart's own format."""
    lines = write_rows(rows)
    name = ngettext("{n} pasted text", "{n} pasted texts", len(rows)).format(n=len(rows))
    return _store(project, user, name, lines, ImportOptions(), PASTED)


def write_rows(rows: Iterable[Mapping[str, Any]]) -> bytes:
    return "\n".join(json.dumps(row) for row in rows).encode()


def list_import_files(project: Project, user: User) -> QuerySet[ImportFile]:
    """The uploads that the user may still preview and import."""
    return ImportFile.objects.filter(project=project, user=user, created_at__gte=timezone.now() - KEEP_FOR)


def read_import_file(file: ImportFile) -> Reading:
    """The contents of an upload, parsed."""
    content = bytes(file.content)
    if file.paragraphs is not None:
        return read_rows(write_rows(build_rows(get_arrangement(file))))
    if file.format == TEXT_FILES:
        return refuse_unused(file.columns, read_text_files(list_text_files(content)))
    if file.format == PASTED:
        return read_rows(content)
    return read_bank_file(content, file.format, name=file.name, columns=file.columns)


def list_text_files(content: bytes) -> list[tuple[str, bytes]]:
    return [(name, base64.b64decode(packed)) for name, packed in json.loads(content)]


def read_rows(content: bytes) -> Reading:
    """Read texts in Lesart's own format; problems name them “text 1”, as users have not seen these lines."""
    reading = read_bank_file(content)
    reading.names |= {line.number: _("text {n}").format(n=line.number) for line in reading.lines}
    return reading


# Paragraphs of texts --------------------------------------------------------------------------------------------------


MAX_PIECES = 10_000


class CannotArrange(ValueError):
    """The paragraphs of the upload cannot be shown; the message says why."""


def can_arrange(file: ImportFile) -> bool:
    """Whether its paragraphs can be cut and joined."""
    return file.format in (TEXT_FILES, PASTED)


def arrange_file(file: ImportFile) -> None:
    """Split the texts of the upload into their paragraphs."""
    reading = Reading()
    arrangement = arrange(list_documents(file, reading))
    if reading.problems:
        first = reading.problems.listed[0]
        raise CannotArrange(f"{reading.names[first.line]}: {first.reason}")
    if not arrangement.pieces:
        raise CannotArrange(_("The file is empty. Leave it out, or add text."))
    store_pieces(file, arrangement, arrangement.pieces)


def list_documents(file: ImportFile, reading: Reading) -> Iterator[tuple[str, dict[str, Any], Document]]:
    """Each text of the upload: the name of its file, its fields without the words, and the document."""
    content = bytes(file.content)
    if file.format == PASTED:
        for number, line in enumerate(content.splitlines(), start=1):
            row = json.loads(line)
            yield _("pasted text {n}").format(n=number), row, Document("", row.pop("text"))
        return
    for number, (name, each) in enumerate(list_text_files(content), start=1):
        reading.names[number] = make_printable(name)
        if document := read_document(name, each, number, reading):
            yield name, name_text_file(name, document), document


def get_arrangement(file: ImportFile) -> Arrangement:
    assert file.paragraphs is not None
    return Arrangement.from_json(file.paragraphs)


def store_pieces(file: ImportFile, arrangement: Arrangement, pieces: Sequence[Piece]) -> None:
    """Replace the pieces that make up the texts of the upload."""
    if len(pieces) > MAX_PIECES:
        reason = _("The texts have more than {limit:,} paragraphs and sentences. Split the file.")
        raise CannotArrange(reason.format(limit=MAX_PIECES))
    file.paragraphs = arrangement.change(pieces).to_json()
    file.save(update_fields=["paragraphs"])


def arrange_or_schedule(file: ImportFile) -> Job | None:
    """Split the texts into paragraphs, or schedule the job that does it for a large file."""
    if not is_large(file):
        arrange_file(file)
        return None
    return get_or_schedule(make_job(PARAGRAPHS, f"import:{file.pk}", {"file": file.pk}, file.project), "", file.user)


def arrange_by_job(job: Job, on_progress: Listener) -> None:
    """The work of a job that splits texts into paragraphs."""
    file = find_file(job)
    on_progress("read", 0, 0)
    try:
        arrange_file(file)
    except CannotArrange as reason:
        raise JobFailed(str(reason)) from None


# Tables and options ---------------------------------------------------------------------------------------------------


def get_table(file: ImportFile, n_rows: int) -> Table | None:
    """The first rows of a table, None if it is no table or unreadable."""
    return read_known_cells(bytes(file.content), Reading(), n_rows) if file.format == "csv" else None


def list_fields(file: ImportFile, table: Table) -> list[str]:
    """The present field of each column of the table."""
    return recognize_columns(table.header, name_choices(table.header, file.columns))


def get_options(file: ImportFile) -> ImportOptions:
    return ImportOptions(file.generator, file.language, file.update)


def request_update(file: ImportFile) -> None:
    """Request that changed wordings in the file are imported as new versions."""
    file.update = True
    file.save(update_fields=["update"])


def choose_columns(file: ImportFile, columns: Columns) -> None:
    """Store which field each column of the table has."""
    file.columns = columns
    file.save(update_fields=["columns"])


def _store(
    project: Project, user: User, name: str, content: bytes, options: ImportOptions, format_name: str
) -> ImportFile:
    """Store an upload, and delete all that are older than `KEEP_FOR`."""
    ImportFile.objects.filter(created_at__lt=timezone.now() - KEEP_FOR).delete()
    return ImportFile.objects.create(
        project=project,
        user=user,
        name=make_printable(name, MAX_ID)[:MAX_ID],
        format=format_name,
        content=content,
        generator=options.generator,
        language=options.language,
        update=options.update,
    )


# Jobs -----------------------------------------------------------------------------------------------------------------


PARAGRAPHS, PREVIEW, STORE, UNDO = "import_paragraphs", "import_preview", "import", "import_undo"
MAX_UNDONE_AT_ONCE = 1_000  # texts and items
MAX_ERRORS = 200  # listed by a failed job
AT_ONCE = 500_000  # bytes of plain text that are read in about a second
PACKED = 8  # reading a byte of a workbook, PDF or archive takes as long as 8 bytes of plain text


def is_large(file: ImportFile) -> bool:
    """Whether reading and planning it would take a web process longer than about a second."""
    content = bytes(file.content)
    return takes_long(content) or (file.format == TEXT_FILES and len(content) * PACKED > AT_ONCE)


def takes_long(*files: bytes) -> bool:
    """Whether a web process would read the files for longer than about a second."""
    return sum(len(file) * (PACKED if file.startswith((b"PK", b"PAR1", b"%PDF")) else 1) for file in files) > AT_ONCE


def ask_for_preview(file: ImportFile, *, refuses: bool = False) -> Job:
    """The job that plans the import of the file; with `refuses` it fails if the plan has problems."""
    revision = get_arrangement(file).revision if file.paragraphs else 0
    chosen = [file.columns, file.generator, file.language, file.update, revision]
    job = make_job(PREVIEW, f"import:{file.pk}", {"file": file.pk, "chosen": chosen, "refuses": refuses}, file.project)
    return get_or_schedule(job, str(get_bank_version(file.project)), file.user)


def ask_for_import(file: ImportFile) -> Job:
    """The job that stores the file; a failed one is tried again."""
    job = make_job(STORE, f"import:{file.pk}", {"file": file.pk}, file.project)
    return get_or_schedule(job, timezone.now().isoformat(), file.user)


def preview_file(job: Job, on_progress: Listener) -> Path:
    """The work of a preview job; its result is the plan."""
    file = find_file(job)
    on_progress("read", 0, 0)
    plan = plan_import(file.project, read_import_file(file), get_options(file))
    if plan.problems and job.parameters["refuses"]:
        raise refuse_plan(plan)
    job.about = {"result": describe_import(plan, None)} if not plan.problems else {}
    return files.write_value(plan)


def store_file(job: Job, on_progress: Listener) -> None:
    """The work of an import job; `about` says which import it is."""
    file = find_file(job)
    on_progress("read", 0, 0)
    reading = read_import_file(file)
    try:
        plan = import_items(file.project, reading, get_options(file), filename=file.name, user=file.user)
    except ImportRefused as refused:
        raise refuse_plan(refused.plan) from None
    done = file.project.bank_imports.filter(user=file.user).first() if plan.writes else None
    job.about = {"result": describe_import(plan, done.pk if done else None), "sentences": plan.sentences()}
    file.delete()


def find_file(job: Job) -> ImportFile:
    file = ImportFile.objects.filter(pk=job.parameters["file"]).select_related("project", "user").first()
    if file is None:
        raise JobFailed(_("The uploaded file is no longer here. Upload it again."))
    return file


def refuse_plan(plan: ImportPlan) -> JobFailed:
    return refuse_file(plan.problems.count, describe_problems(plan.problems.listed))


def refuse_file(n: int, errors: Sequence[Mapping[str, Any]]) -> JobFailed:
    """The refusal of a file: the number of its problems, the first one in a sentence, and those that can be listed."""
    sentence = _("The file was refused; nothing was stored. Problems: {n}. The first, in line {line}: {reason}")
    first = sentence.format(n=n, line=errors[0]["line"], reason=errors[0]["reason"])
    return JobFailed(make_printable(first, 1_000), errors)


def describe_problems(problems: Iterable[Any]) -> list[dict[str, Any]]:
    """The first problems by line, field and reason."""
    kept = islice(problems, MAX_ERRORS)
    return [{"line": each.line, "field": each.field, "reason": make_printable(each.reason, 1_000)} for each in kept]


def describe_import(plan: ImportPlan, number: int | None) -> dict[str, Any]:
    """What an import did or would do, in the format of the API."""
    warnings = [{"line": each.line, "field": each.field, "reason": each.reason} for each in plan.warnings.listed]
    counts, columns = vars(plan.counts()), describe_columns(plan.columns)
    return {
        "stored": number is not None, "counts": counts, "columns": columns, "warnings": warnings, "number": number
    }  # fmt: skip


def describe_columns(columns: Mapping[str, str]) -> list[dict[str, str]]:
    """The columns of a table, in their order, each with the field that it was read as."""
    return [{"name": name, "field": field} for name, field in columns.items()]


def undo_or_schedule(done: BankImport, user: User | None) -> Job | None:
    """Undo the import, or schedule the job that undoes a large one. Raises `CannotUndo` for a small one."""
    if len(done.texts) + len(done.items) <= MAX_UNDONE_AT_ONCE or done.undone_at:
        undo_import(done)
        return None
    job = make_job(UNDO, f"import:{done.pk}", {"import": done.pk}, done.project)
    return get_or_schedule(job, timezone.now().isoformat(), user)


def undo_by_job(job: Job, on_progress: Listener) -> None:
    """The work of an undo job."""
    done = BankImport.objects.select_related("project").filter(pk=job.parameters["import"]).first()
    if done is None or done.undone_at:  # already undone before the worker died
        return
    on_progress("rows", 0, len(done.texts) + len(done.items))
    try:
        undo_import(done)
    except CannotUndo as reason:
        raise JobFailed(_("Nothing was undone.") + f" {reason}") from None
