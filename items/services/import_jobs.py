"""Large files are read and imported by a worker: a job for the preview, another for the import."""

from pathlib import Path
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _

from items.models import ImportFile
from items.plain import make_printable
from items.services.bank import get_bank_version
from items.services.import_files import TEXT_FILES, get_options, read_import_file
from items.services.importing import ImportRefused, import_items
from items.services.plan import ImportPlan
from items.services.planning import plan_import
from jobs import files
from jobs.kinds import JobFailed
from jobs.models import Job
from jobs.progress import Hear
from jobs.scheduling import get_or_schedule, make_job

PREVIEW, STORE = "import_preview", "import"
AT_ONCE = 500_000  # bytes of words: about a second
PACKED = 8  # a byte of a workbook, a PDF or an archive takes as long as so many


def is_large(file: ImportFile) -> bool:
    """Whether reading and planning it would take a web process longer than about a second."""
    content = bytes(file.content)
    is_packed = file.format == TEXT_FILES or content.startswith((b"PK", b"PAR1", b"%PDF"))
    return len(content) * (PACKED if is_packed else 1) > AT_ONCE


def ask_for_preview(file: ImportFile) -> Job:
    """The job with the plan of the file as it is read now."""
    chosen = [file.columns, file.generator, file.language, file.update]
    job = make_job(PREVIEW, f"import:{file.pk}", {"file": file.pk, "chosen": chosen}, file.project)
    return get_or_schedule(job, str(get_bank_version(file.project)), file.user)


def ask_for_import(file: ImportFile) -> Job:
    """The job that stores the file; one that failed before is tried again."""
    job = make_job(STORE, f"import:{file.pk}", {"file": file.pk}, file.project)
    return get_or_schedule(job, timezone.now().isoformat(), file.user)


def preview_file(job: Job, hear: Hear) -> Path:
    """What the job of a preview does; its result is the plan."""
    file = find_file(job)
    hear("read", 0, 0)
    plan = plan_import(file.project, read_import_file(file), get_options(file))
    job.about = {"result": describe_import(plan, None)} if not plan.problems else {}
    return files.write_value(plan)


def store_file(job: Job, hear: Hear) -> None:
    """What the job of an import does; `about` says which import it is."""
    file = find_file(job)
    hear("read", 0, 0)
    reading = read_import_file(file)
    try:
        plan = import_items(file.project, reading, get_options(file), filename=file.name, user=file.user)
    except ImportRefused as refused:
        raise JobFailed(explain_refusal(refused.plan)) from None
    done = file.project.bank_imports.filter(user=file.user).first() if plan.writes else None
    job.about = {"result": describe_import(plan, done.pk if done else None), "sentences": plan.sentences()}
    file.delete()


def find_file(job: Job) -> ImportFile:
    file = ImportFile.objects.filter(pk=job.parameters["file"]).select_related("project", "user").first()
    if file is None:
        raise JobFailed(_("The uploaded file is no longer here. Upload it again."))
    return file


def explain_refusal(plan: ImportPlan) -> str:
    """The first problem, and how many there are."""
    first = plan.problems.listed[0]
    sentence = _("The file was refused; nothing was stored. Problems: {n}. The first, in line {line}: {reason}")
    return make_printable(sentence.format(n=plan.problems.count, line=first.line, reason=first.reason), 1_000)


def describe_import(plan: ImportPlan, number: int | None) -> dict[str, Any]:
    """What an import did or would do, as the API says it."""
    warnings = [{"line": each.line, "field": each.field, "reason": each.reason} for each in plan.warnings.listed]
    return {"stored": number is not None, "counts": vars(plan.counts()), "warnings": warnings, "number": number}
