"""Packs that are asked for on a page: a job builds them, the file waits in the folder of jobs."""

from pathlib import Path

from django.utils import timezone

from analysis.choices import BadChoice, Choices
from analysis.pack.redaction import hidden_texts
from analysis.services.cached_results import find_subject
from jobs.files import new_file
from jobs.kinds import JobFailed
from jobs.models import Job
from jobs.progress import Hear
from jobs.scheduling import delete_job, get_or_schedule, make_job
from projects.models import User
from studies.models import Study

KIND = "pack"


def find_pack(study: Study) -> Job | None:
    """The study's pack, whoever asked for it."""
    return Job.objects.filter(kind=KIND, subject=study.job_subject).first()


def ask_for_pack(study: Study, choices: Choices, user: User | None) -> Job:
    """A new pack in place of the study's earlier one; the one that is under way, if it is the same."""
    wanted = make_job(KIND, study.job_subject, choices.to_json(), study.project, language="en")
    for other in Job.objects.filter(kind=KIND, subject=wanted.subject).exclude(key=wanted.key):
        delete_job(other)
    return get_or_schedule(wanted, timezone.now().isoformat(), user)


def build_pack(job: Job, report_progress: Hear) -> Path:
    """What a job of this kind does."""
    from analysis.pack.building import STEPS, write_pack  # loads what draws

    def tell(done: int) -> None:
        report_progress(STEPS[min(done, len(STEPS) - 1)], done, len(STEPS))

    study = find_subject(job)
    job.about = {"withheld": sorted(hidden_texts(study))}
    tell(0)
    try:
        with new_file() as file:
            write_pack(study, Choices.from_json(job.parameters), file, tell)
    except BadChoice as bad:
        raise JobFailed(str(bad)) from bad
    return Path(file.name)


def says_too_much(pack: Job) -> bool:
    """Whether a text may not be shared any more that could be when the pack was built."""
    return not hidden_texts(find_subject(pack)) <= set(pack.about["withheld"])
