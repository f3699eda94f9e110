"""Results of a study, computed once for each state of its answers: a file of a job (`jobs`) holds the latest of each.

Those of small studies are computed in the request, those of large ones by a worker while their page shows the progress.
"""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import wraps
from pathlib import Path
from typing import IO, Any

from django.conf import settings
from django.utils import timezone
from django.utils.translation import gettext as _

from analysis.choices import BadChoice, Choices
from analysis.progress import ANSWERS
from analysis.services.state import FORMAT, count_state
from jobs.files import write_value
from jobs.kinds import JobFailed, Work
from jobs.models import Job
from jobs.progress import Hear, listening
from jobs.scheduling import get_or_schedule, make_job
from jobs.views import ResultPending
from jobs.working import get_or_run
from studies.models import Study

MAX_STALE_AGE = timedelta(hours=1)  # of an earlier result that is shown while the next is computed

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
    version, n = now or count_state(key.study, key.choices)
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
    version, _n = count_state(key.study, key.choices)
    return get_or_run(key.make_job(), version).read_value()


def open_file(key: ResultKey, now: Now) -> IO[bytes]:
    """The file of a kind as it is now; `ResultPending` while a worker writes it."""
    job = get_or_schedule(key.make_job(), now[0])
    if not job.is_current(now[0]):
        raise make_pending(key.study, Found(None, now[1], job))
    return job.open_file()


def make_pending(study: Study, found: Found) -> ResultPending:
    """What a page raises that has nothing to show yet."""
    assert found.pending
    return ResultPending(found.pending, "analysis/pending.html", project=study.project, study=study, tab="results")


def read_result(job: Job) -> CachedResult:
    result = job.read_value()
    assert job.finished_at
    return CachedResult(result, job.file_version, job.about["n"], job.finished_at)


# What is registered as the work of a kind (analysis/apps.py) ---------------------------------------------------------


def cached_file(write: Callable[[ResultKey], Path]) -> Work:
    """The work of a kind whose file this function writes, of the answers as they are when it is called."""

    @wraps(write)
    def work(job: Job, report_progress: Hear) -> Path:
        key = ResultKey.of_job(job)
        job.version, n = count_state(key.study, key.choices)
        job.about = {"n": n}

        def hear(step: str, done: int, total: int) -> None:
            report_progress(step, done, n if step == ANSWERS else total)

        try:
            with listening(hear):
                return write(key)
        except BadChoice as bad:
            raise JobFailed(str(bad)) from bad

    return work


def cached_value(compute: Callable[[ResultKey], Any]) -> Work:
    """The work of a kind whose result this function computes."""
    return cached_file(wraps(compute)(lambda key: write_value(compute(key))))
