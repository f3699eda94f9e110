"""Large files of answers are imported by a worker; the job stores the files until it is done."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _

from items.services.import_files import describe_problems, refuse_file, takes_long
from jobs.files import delete_file, path_of, read_value, write_value
from jobs.kinds import JobFailed
from jobs.models import Job
from jobs.progress import Listener
from jobs.scheduling import get_or_schedule, make_job
from jobs.working import JobCancelled, filter_held
from projects.models import User
from studies.models import Study
from studies.services.responses.importing import (
    AnswerFile,
    ImportCounts,
    ImportRefused,
    import_responses,
    refuse_unimportable,
)
from studies.services.responses.mapping import TableMapping
from studies.services.spec import SpecError
from studies.services.states import WrongState

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
    """The work of such a job; its result says what was imported."""
    if earlier := read_result(job):  # the worker died after the last transaction
        job.about = earlier
        delete_file(job.parameters["upload"])
        return
    options = dict(job.parameters)
    path = path_of(options.pop("upload"))
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
