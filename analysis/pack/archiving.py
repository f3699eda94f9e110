"""Archives of projects, requested and uploaded by pages and programs; jobs write and import them."""

from collections.abc import Iterable
from pathlib import Path

from django.core.exceptions import ValidationError
from django.utils import timezone
from django.utils.translation import gettext as _

from analysis.choices import BadChoice
from analysis.pack.archive import BadPack
from items.models import Text
from jobs.files import create_file, delete_file, make_path
from jobs.kinds import JobFailed
from jobs.models import Job
from jobs.progress import Listener
from jobs.scheduling import get_or_schedule, make_job
from projects.models import Project, User
from studies.services.responses.importing import ImportRefused
from studies.services.spec import SpecError
from studies.services.states import are_effects_hidden

KIND, IMPORT = "archive", "archive-import"
STEP = "studies"


class CannotArchive(Exception):
    """The project cannot be archived now; the message is a sentence."""


def find_archive(project: Project) -> Job | None:
    """The archive of the project, whoever requested it."""
    return Job.objects.filter(kind=KIND, subject=f"project:{project.pk}").first()


def refuse_hidden_effects(project: Project) -> None:
    """Raises `CannotArchive` while a study hides its effects from the team: the archive has all its answers."""
    for study in project.studies.all():
        if are_effects_hidden(study):
            sentence = _(
                "The results of “%(study)s” are hidden until it is closed, so the project cannot be exported yet."
            )
            raise CannotArchive(sentence % {"study": study.title or study.slug})


def request_archive(project: Project, user: User | None) -> Job:
    """Request a new archive, which replaces the earlier one; returns its job, or that of an unfinished request."""
    refuse_hidden_effects(project)
    wanted = make_job(KIND, f"project:{project.pk}", {}, project, language="en")
    return get_or_schedule(wanted, timezone.now().isoformat(), user)


def build_archive(job: Job, report_progress: Listener) -> Path:
    """The work of a job that archives."""
    from analysis.pack.project import write_project  # loads the drawing libraries

    assert job.project
    job.about = {"withheld": list_withheld(job.project)}
    try:
        with create_file() as file:
            contents = write_project(job.project, file, lambda done, total: report_progress(STEP, done, total))
    except BadChoice as bad:
        raise JobFailed(str(bad)) from bad
    job.about["left_out"] = contents.left_out
    return Path(file.name)


def list_withheld(project: Project) -> list[str]:
    """Ids of the texts that may not be redistributed."""
    return sorted(set(Text.objects.filter(project=project, shareable=False).values_list("external_id", flat=True)))


def may_download(archive: Job | None) -> bool:
    """Whether the archive may be downloaded: it exists, and no text in it has been withheld since."""
    if archive is None or not archive.is_done or archive.project is None:
        return False
    return set(list_withheld(archive.project)) <= set(archive.about["withheld"])


def request_import(chunks: Iterable[bytes], slug: str, user: User) -> Job:
    """Store an uploaded archive, with a job that makes a project of it for the user."""
    with create_file() as file:
        file.writelines(chunks)
    return get_or_schedule(make_job(IMPORT, "projects", {"upload": Path(file.name).name, "slug": slug}, None), "", user)


def take_in(job: Job, report_progress: Listener) -> None:
    """The work of a job that imports; afterwards the job is about the new project."""
    from analysis.pack.project import import_project  # loads the drawing libraries

    if job.project:  # already stored before the worker died
        return
    path = make_path(job.parameters["upload"])
    if not path.exists():
        raise JobFailed(_("The archive is no longer here. Send it again."))

    def hand_over(project: Project) -> None:
        Job.objects.filter(pk=job.pk).update(project=project)

    try:
        with path.open("rb") as file:
            job.project = import_project(
                file, job.owner, job.parameters["slug"], lambda n, total: report_progress(STEP, n, total), hand_over
            )
    except (BadPack, SpecError) as bad:
        raise JobFailed(_("Nothing was stored.") + f" {bad}") from None
    except ImportRefused as refused:
        raise JobFailed(_("Nothing was stored.") + f" answers/responses.csv: {refused.problems[0]}") from None
    except ValidationError as error:
        raise JobFailed(_("Nothing was stored.") + f" {' '.join(error.messages)}") from None
    delete_file(path.name)
