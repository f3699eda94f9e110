"""Results of a study, computed once for each state of its answers: a file of a job (`jobs`) holds the latest of each.

Results of small studies are computed in the request; those of large ones by a worker while the page shows progress.
"""

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import cache, wraps
from pathlib import Path
from typing import IO, Any

from django.conf import settings
from django.db.models import Count, Max
from django.utils import timezone
from django.utils.translation import get_language
from django.utils.translation import gettext as _

from analysis.choices import BadChoice, Choices
from analysis.codes import query_flaw_answers
from analysis.models import ItemCode
from analysis.published_names import read_matches
from evaluation.metric_values import get_metrics_state
from items.models import Generator, KeyCorrection, Option
from jobs.files import write_value
from jobs.kinds import JobFailed, Work
from jobs.models import Job
from jobs.progress import ANSWERS, Listener, listen
from jobs.scheduling import get_or_schedule, make_job
from jobs.views import ResultPending
from jobs.working import get_or_run
from studies.models import Annotator, Assignment, Response, Review, Study, UnitItem
from studies.services.adjudicating import filter_valid_decisions
from studies.services.phases import read_background

# A hash of everything that the results of a study depend on.

A_DAY = 24 * 60 * 60
APPS = ("analysis", "evaluation", "items", "studies")  # whose code and words results depend on
SOURCES = (".py", ".yaml", ".csv", ".po")


@cache
def hash_software() -> str:
    """A hash of the code and words behind results: after an upgrade nothing is shown in an earlier form."""
    found = hashlib.sha256()
    for folder in (settings.BASE_DIR / app for app in APPS):
        for path in sorted(each for each in folder.rglob("*") if each.suffix in SOURCES):
            found.update(path.read_bytes())
    return found.hexdigest()


def hash_state(study: Study, choices: Choices) -> str:
    """A hash of everything the report depends on: the answers, who gave them, the keys, the choices, the language."""
    return count_state(study, choices)[0]


def count_state(study: Study, choices: Choices) -> tuple[str, int]:
    """The hash that `hash_state` returns, and the number of the study's answers.

    Primary keys are unique within one database only: the creation time distinguishes the study from one of another
    database, such as a restored one, whose results may lie in the same cache.
    """
    answers = Response.objects.filter(assignment__annotator__study=study).aggregate(n=Count("pk"), last=Max("pk"))
    returned = Assignment.objects.filter(annotator__study=study, returned_at__isnull=False).count()
    items = UnitItem.objects.filter(unit__study=study)
    keys = (
        Option.objects.filter(item__in=items.values("item"), correct=True).order_by("pk").values_list("pk", flat=True)
    )
    corrections = KeyCorrection.objects.filter(item__project=study.project).aggregate(last=Max("pk"))
    about = ("pk", "code", "kind", "purpose", "group", "person", "model", "reading", "variant__name")
    people = Annotator.objects.filter(study=study).order_by("pk").values_list(*about)
    generators = Generator.objects.filter(pk__in=items.values("item__generator")).order_by("pk")
    codes = ItemCode.objects.current().filter(study=study).order_by("pk").values_list("pk", flat=True)
    reviews = Review.objects.filter(stem__assignment__annotator__study=study).order_by("pk")
    settled = filter_valid_decisions(study).aggregate(n=Count("pk"), last=Max("pk"))
    background = sorted(read_background(study).items()) if choices.dif_by else []
    state = [
        hash_software(), study.pk, study.created_at.isoformat(), study.title, study.groups,
        answers, returned, list(keys), corrections, list(people),
        list(generators.values_list("pk", "name", "factors")), list(codes), get_metrics_state(study),
        list(reviews.values_list("pk", "verdict", "item")), read_matches(study),
        [settled["n"], settled["last"]], choices.__dict__, get_language(),
        query_flaw_answers(study).aggregate(n=Count("pk"), last=Max("pk")), background,
    ]  # fmt: skip
    return hashlib.sha256(json.dumps(state).encode()).hexdigest(), answers["n"]


def count_answers(study: Study) -> int:
    return Response.objects.filter(assignment__annotator__study=study).count()


MAX_STALE_AGE = timedelta(hours=1)  # of an earlier result shown while the next is computed

CurrentState = tuple[str, int]  # what `count_state` returns


@dataclass(frozen=True)
class ResultKey:
    """A kind of result of a study under choices; `more` holds what else this kind depends on."""

    kind: str
    study: Study
    choices: Choices
    more: tuple[str, ...] = ()

    def make_job(self) -> Job:
        """The job that computes it, whatever the current answers; one per language, as tables contain words."""
        parameters = {"software": hash_software(), "choices": self.choices.to_json(), "more": list(self.more)}
        return make_job(self.kind, self.study.job_subject, parameters, self.study.project)

    @classmethod
    def of_job(cls, job: Job) -> "ResultKey":
        choices = Choices.from_json(job.parameters["choices"])
        return cls(job.kind, find_subject(job), choices, tuple(job.parameters["more"]))


@dataclass(frozen=True)
class CachedResult:
    """A result, with the version and number of the answers it was computed from, and when it was finished."""

    result: Any
    version: str
    n: int
    made_at: datetime


@dataclass(frozen=True)
class ResultState:
    """What is available: a current result, or an earlier one with the job that computes the next."""

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


# Asking for results --------------------------------------------------------------------------------------------------


def is_large(n: int) -> bool:
    """Whether computing results of so many answers takes longer than a browser should wait."""
    return n > settings.LESART["RESULTS_AT_ONCE"]


USUAL_GENERATORS = 5


def takes_long(study: Study, n: int) -> bool:
    """Whether computing results of this study takes so long; with more generators there is more to compare."""
    if is_large(n):
        return True
    generators = UnitItem.objects.filter(unit__study=study).values("item__generator").distinct()
    return is_large(n * generators.count() // USUAL_GENERATORS)


def find_result(key: ResultKey, now: CurrentState | None = None) -> ResultState:
    """The current result if it is cached or quick to compute; else an earlier one, if any, and the job that computes
    it.

    `now`: the current state of its study and choices, if known.
    """
    version, n = now or count_state(key.study, key.choices)
    if not takes_long(key.study, n):
        return ResultState(read_result(get_or_run(key.make_job(), version)), n)
    job = get_or_schedule(key.make_job(), version)
    if job.is_current(version):
        return ResultState(read_result(job), n)
    made_at = job.finished_at if job.has_result else None
    is_young = made_at is not None and made_at > timezone.now() - MAX_STALE_AGE
    return ResultState(read_result(job) if is_young else None, n, job)


def get_result(key: ResultKey, now: CurrentState | None = None) -> Any:
    """The current result; `ResultPending` while a worker computes it, even if there is an earlier one."""
    found = find_result(key, now)
    if found.pending or found.cached is None:
        raise make_pending(key.study, found)
    return found.cached.result


def compute_result(key: ResultKey) -> Any:
    """The current result, computed here if it is not cached: for jobs that depend on another result."""
    version, _n = count_state(key.study, key.choices)
    return get_or_run(key.make_job(), version).read_value()


def open_file(key: ResultKey, now: CurrentState) -> IO[bytes]:
    """The current file of a kind; `ResultPending` while a worker writes it."""
    job = get_or_schedule(key.make_job(), now[0])
    if not job.is_current(now[0]):
        raise make_pending(key.study, ResultState(None, now[1], job))
    return job.open_file()


def make_pending(study: Study, found: ResultState) -> ResultPending:
    """The exception that a page raises while it has nothing to show."""
    assert found.pending
    return ResultPending(found.pending, "analysis/pending.html", project=study.project, study=study, tab="results")


def read_result(job: Job) -> CachedResult:
    result = job.read_value()
    assert job.finished_at
    return CachedResult(result, job.file_version, job.about["n"], job.finished_at)


# The work of each kind, registered in analysis/apps.py ----------------------------------------------------------------


def work_on_file(write: Callable[[ResultKey], Path]) -> Work:
    """The work of a kind whose file is written by `write`, from the answers at the time of the call."""

    @wraps(write)
    def work(job: Job, report_progress: Listener) -> Path:
        key = ResultKey.of_job(job)
        job.version, n = count_state(key.study, key.choices)
        job.about = {"n": n}

        def on_progress(step: str, done: int, total: int) -> None:
            report_progress(step, done, n if step == ANSWERS else total)

        try:
            with listen(on_progress):
                return write(key)
        except BadChoice as bad:
            raise JobFailed(str(bad)) from bad

    return work


def work_on_value(compute: Callable[[ResultKey], Any]) -> Work:
    """The work of a kind whose result is computed by `compute`."""
    return work_on_file(wraps(compute)(lambda key: write_value(compute(key))))
