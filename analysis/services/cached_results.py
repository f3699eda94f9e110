"""Results of a study, computed once for each state of its answers: a file of a job (`jobs`) holds the latest of each.

Those of small studies are computed in the request, those of large ones by a worker while their page shows the progress.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import IO, Any

from django.conf import settings
from django.utils import timezone
from django.utils.module_loading import import_string
from django.utils.translation import gettext as _

from analysis.choices import BadChoice, Choices
from analysis.progress import ANSWERS
from analysis.services.state import FORMAT, counted_state
from jobs.files import path_of, read_value, write_value
from jobs.kinds import JobFailed
from jobs.models import Job
from jobs.progress import Hear, listening
from jobs.scheduling import get_or_schedule, make_job
from jobs.views import ResultPending
from jobs.working import get_or_run
from studies.models import Study

MAX_STALE_AGE = timedelta(hours=1)  # of an earlier result that is shown while the next is computed

# How each kind is computed from its key. They are imported when needed: numpy, scipy and pandas take a second to load.
KINDS = {
    "report": "analysis.services.computing.compute_report",
    "stand-in": "analysis.services.computing.compute_stand_in",
    "lab": "analysis.services.computing.compute_lab",
    "lab-overview": "analysis.services.computing.compute_lab_overview",
    "planner": "analysis.services.computing.compute_planner",
    "calibration": "analysis.services.computing.compute_calibration",
    "rows": "analysis.services.drill_down.compute_sheet",
}
FILES = {  # kinds that write a file themselves
    "export": "analysis.services.computing.write_export",
    "rows-file": "analysis.services.drill_down.write_rows",
}

Now = tuple[str, int]  # what `counted_state` says


@dataclass(frozen=True)
class ResultKey:
    """A result of a kind of a study under choices; `more` is what else that kind depends on."""

    kind: str
    study: Study
    choices: Choices
    more: tuple[str, ...] = ()

    def make_job(self) -> Job:
        """Its job, whatever the answers are now; by language, as tables have words."""
        parameters = {"format": FORMAT, "choices": self.choices.to_json(), "more": list(self.more)}
        return make_job(self.kind, self.study.job_subject, parameters, self.study.project)

    @classmethod
    def of_job(cls, job: Job) -> "ResultKey":
        choices = Choices.from_json(job.parameters["choices"])
        return cls(job.kind, find_subject(job), choices, tuple(job.parameters["more"]))


@dataclass(frozen=True)
class CachedResult:
    """A result with the version and number of the study's answers that it is of, and when it was there."""

    result: Any
    version: str
    n: int
    made_at: datetime


@dataclass(frozen=True)
class Found:
    """What there is: a result, of now or (with the job of the next one) of an earlier moment."""

    cached: CachedResult | None
    n: int
    pending: Job | None = None


def find_subject(job: Job) -> Study:
    """The study that a job is about; `JobFailed` if it was deleted."""
    studies = Study.objects.select_related("project", "instrument_version__instrument")
    study = studies.filter(pk=job.subject.removeprefix("study:")).first()
    if study is None:
        raise JobFailed(_("The study was deleted."))
    return study


# Asking --------------------------------------------------------------------------------------------------------------


def is_large(n: int) -> bool:
    """Whether so many answers take longer than a browser should wait."""
    return n > settings.LESART["RESULTS_AT_ONCE"]


def find_result(key: ResultKey, now: Now | None = None) -> Found:
    """The result as it is now, where it is cached or takes no time; else what is known, and the job that is under way.

    `now`: of its study and choices, if known.
    """
    version, n = now or counted_state(key.study, key.choices)
    if not is_large(n):
        return Found(read_result(get_or_run(key.make_job(), version)), n)
    job = get_or_schedule(key.make_job(), version)
    if job.is_current(version):
        return Found(read_result(job), n)
    made_at = job.finished_at if job.has_result else None
    is_young = made_at is not None and made_at > timezone.now() - MAX_STALE_AGE
    return Found(read_result(job) if is_young else None, n, job)


def get_result(key: ResultKey, now: Now | None = None) -> Any:
    """The result as it is now; `ResultPending` while a worker is still at it, whatever was there before."""
    found = find_result(key, now)
    if found.pending or found.cached is None:
        raise make_pending(key.study, found)
    return found.cached.result


def compute_result(key: ResultKey) -> Any:
    """The result as it is now, computed here if it is not cached: for jobs that rest on another result."""
    version, _n = counted_state(key.study, key.choices)
    return read_value(get_or_run(key.make_job(), version).file)


def open_file(key: ResultKey, now: Now) -> IO[bytes]:
    """The file of a kind of `FILES` as it is now; `ResultPending` while a worker writes it."""
    job = get_or_schedule(key.make_job(), now[0])
    if not job.is_current(now[0]):
        raise make_pending(key.study, Found(None, now[1], job))
    return path_of(job.file).open("rb")


def make_pending(study: Study, found: Found) -> ResultPending:
    """What a page raises that has nothing to show yet."""
    assert found.pending
    return ResultPending(found.pending, "analysis/pending.html", project=study.project, study=study, tab="results")


def read_result(job: Job) -> CachedResult:
    assert job.finished_at
    return CachedResult(read_value(job.file), job.file_version, job.about["n"], job.finished_at)


# What workers do -----------------------------------------------------------------------------------------------------


def work(job: Job, report_progress: Hear) -> Path:
    """Compute a result, or write a file, of the answers as they are now."""
    key = ResultKey.of_job(job)
    job.version, n = counted_state(key.study, key.choices)
    job.about = {"n": n}

    def hear(step: str, done: int, total: int) -> None:
        report_progress(step, done, n if step == ANSWERS else total)

    try:
        with listening(hear):
            if job.kind in FILES:
                write: Callable[[ResultKey], Path] = import_string(FILES[job.kind])
                return write(key)
            return write_value(import_string(KINDS[job.kind])(key))
    except BadChoice as bad:
        raise JobFailed(str(bad)) from bad
