"""Packs that are asked for on a page: a job builds them, the file waits in the folder of jobs."""

from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _

from analysis.choices import BadChoice, Choices
from analysis.pack.redaction import hidden_texts
from jobs.files import new_file
from jobs.kinds import JobFailed
from jobs.models import Job
from jobs.scheduling import delete_job, get_or_schedule, make_job
from projects.models import User
from studies.models import Study

KIND = "pack"


def subject_of(study: Study) -> str:
    return f"study:{study.pk}"


def study_of(job: Job) -> Study:
    """The study that the job is about; `JobFailed` if it was deleted."""
    studies = Study.objects.select_related("project", "instrument_version__instrument")
    study = studies.filter(pk=job.subject.removeprefix("study:")).first()
    if study is None:
        raise JobFailed(_("The study was deleted."))
    return study


def find_pack(study: Study) -> Job | None:
    """The study's pack, whoever asked for it."""
    return Job.objects.filter(kind=KIND, subject=subject_of(study)).first()


def ask_for_pack(study: Study, choices: Choices, user: User | None) -> Job:
    """A new pack in place of the study's earlier one; the one that is under way, if it is the same."""
    wanted = make_job(KIND, subject_of(study), choices_to_json(choices), study.project, language="en")
    for other in Job.objects.filter(kind=KIND, subject=wanted.subject).exclude(key=wanted.key):
        delete_job(other)
    return get_or_schedule(wanted, timezone.now().isoformat(), user)


def build_pack(job: Job, report_progress: Callable[..., None]) -> Path:
    """What a job of this kind does."""
    from analysis.pack.building import STEPS, write_pack  # loads what draws

    def tell(done: int) -> None:
        report_progress(STEPS[min(done, len(STEPS) - 1)], done, len(STEPS))

    study = study_of(job)
    job.about = {"withheld": sorted(hidden_texts(study))}
    tell(0)
    try:
        with new_file() as file:
            write_pack(study, choices_from_json(job.parameters), file, tell)
    except BadChoice as bad:
        raise JobFailed(str(bad)) from bad
    return Path(file.name)


def says_too_much(pack: Job) -> bool:
    """Whether a text may not be shared any more that could be when the pack was built."""
    return not hidden_texts(study_of(pack)) <= set(pack.about["withheld"])


def choices_to_json(choices: Choices) -> dict[str, Any]:
    return {name: list(value) if isinstance(value, tuple) else value for name, value in asdict(choices).items()}


def choices_from_json(said: dict[str, Any]) -> Choices:
    fields: dict[str, Any] = {name: tuple(value) if isinstance(value, list) else value for name, value in said.items()}
    return Choices(**fields)
