"""Large files are previewed, imported and undone by a worker: each of the three is a job."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _

from items.models import BankImport, ImportFile
from items.plain import make_printable
from items.services.bank import get_bank_version
from items.services.import_files import TEXT_FILES, get_options, read_import_file
from items.services.importing import ImportRefused, import_items
from items.services.plan import ImportPlan
from items.services.planning import plan_import
from items.services.undoing import CannotUndo, undo_import
from jobs import files
from jobs.kinds import JobFailed
from jobs.models import Job
from jobs.progress import Hear
from jobs.scheduling import get_or_schedule, make_job
from projects.models import User

PREVIEW, STORE, UNDO = "import_preview", "import", "import_undo"
MAX_UNDONE_AT_ONCE = 1_000  # texts and items
MAX_ERRORS = 200  # listed by a failed job
AT_ONCE = 500_000  # bytes of plain text, which take about a second
PACKED = 8  # a byte of a workbook, PDF or archive takes as long as so many of plain text


def is_large(file: ImportFile) -> bool:
    """Whether reading and planning it would take a web process longer than about a second."""
    content = bytes(file.content)
    return takes_long(content) or (file.format == TEXT_FILES and len(content) * PACKED > AT_ONCE)


def takes_long(*files: bytes) -> bool:
    """Whether a web process would read the files for longer than about a second."""
    return sum(len(file) * (PACKED if file.startswith((b"PK", b"PAR1", b"%PDF")) else 1) for file in files) > AT_ONCE


def ask_for_preview(file: ImportFile, *, refuses: bool = False) -> Job:
    """The job that plans the import of the file; with `refuses` it fails if the plan has problems."""
    chosen = [file.columns, file.generator, file.language, file.update]
    job = make_job(PREVIEW, f"import:{file.pk}", {"file": file.pk, "chosen": chosen, "refuses": refuses}, file.project)
    return get_or_schedule(job, str(get_bank_version(file.project)), file.user)


def ask_for_import(file: ImportFile) -> Job:
    """The job that stores the file; a failed one is tried again."""
    job = make_job(STORE, f"import:{file.pk}", {"file": file.pk}, file.project)
    return get_or_schedule(job, timezone.now().isoformat(), file.user)


def preview_file(job: Job, hear: Hear) -> Path:
    """The work of a preview job; its result is the plan."""
    file = find_file(job)
    hear("read", 0, 0)
    plan = plan_import(file.project, read_import_file(file), get_options(file))
    if plan.problems and job.parameters["refuses"]:
        raise refuse_plan(plan)
    job.about = {"result": describe_import(plan, None)} if not plan.problems else {}
    return files.write_value(plan)


def store_file(job: Job, hear: Hear) -> None:
    """The work of an import job; `about` says which import it is."""
    file = find_file(job)
    hear("read", 0, 0)
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
    return {"stored": number is not None, "counts": vars(plan.counts()), "warnings": warnings, "number": number}


def undo_or_schedule(done: BankImport, user: User | None) -> Job | None:
    """Undo the import, or schedule the job that undoes a large one; `CannotUndo` if that is known already."""
    if len(done.texts) + len(done.items) <= MAX_UNDONE_AT_ONCE or done.undone_at:
        undo_import(done)
        return None
    job = make_job(UNDO, f"import:{done.pk}", {"import": done.pk}, done.project)
    return get_or_schedule(job, timezone.now().isoformat(), user)


def undo_by_job(job: Job, hear: Hear) -> None:
    """The work of an undo job."""
    done = BankImport.objects.select_related("project").filter(pk=job.parameters["import"]).first()
    if done is None or done.undone_at:  # already undone before the worker died
        return
    hear("rows", 0, len(done.texts) + len(done.items))
    try:
        undo_import(done)
    except CannotUndo as reason:
        raise JobFailed(_("Nothing was undone.") + f" {reason}") from None
