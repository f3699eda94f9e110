"""The progress of a job: a page part that polls, and the page shown while a result is pending."""

from typing import Any, cast

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.formats import number_format
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from jobs.kinds import KINDS
from jobs.models import Job, JobState
from jobs.scheduling import cancel, retry
from jobs.workers import has_live_workers
from projects.access import get_role
from projects.models import Role, User


class ResultPending(Exception):
    """The result is not ready; the job has its progress. `template` and `context`: of the page shown meanwhile."""

    def __init__(self, job: Job, template: str = "jobs/pending.html", **context: Any):
        super().__init__(job.kind)
        self.job, self.template, self.context = job, template, context


def render_pending(request: HttpRequest, pending: ResultPending) -> HttpResponse:
    """In place of a page: one that shows progress, and reloads when the result is ready."""
    context = pending.context | describe_progress(request, pending.job)
    return render(request, pending.template, context, status=202)


def describe_progress(request: HttpRequest, job: Job, *, shows: bool = False, address: str = "") -> dict[str, Any]:
    """The context of `jobs/progress.html`. shows: whether an earlier result is below it; address: of the page."""
    return {
        "job": job,
        "job_title": KINDS[job.kind].title,
        "job_step": describe_step(job),
        "has_no_worker": job.is_open and not has_live_workers(),
        "may_cancel": job.is_open and may_cancel(request, job),
        "shows": shows,
        "address": address or request.get_full_path(),
    }


def describe_step(job: Job) -> str:
    if job.state == JobState.QUEUED:
        return _("Waiting for a worker.")
    if not job.step:
        return _("A worker has started.")
    numbers = {"done": job.done, "total": job.total}
    values = {name: number_format(n, force_grouping=n >= 10_000) for name, n in numbers.items()}
    return str(KINDS[job.kind].steps[job.step]) % values


def may_cancel(request: HttpRequest, job: Job) -> bool:
    """Whether the user requested the job or may change the project, as others may be waiting for it."""
    role = find_role(request, job)
    return job.owner_id == request.user.pk or (role is not None and role.rank >= Role.RESEARCHER.rank)


def find_role(request: HttpRequest, job: Job) -> Role | None:
    """The user's role in the project of the job."""
    return get_role(cast(User, request.user), job.project) if job.project else None


def get_job(request: HttpRequest, pk: int) -> Job:
    """A job of a project of the user, or of the user; else 404."""
    job: Job | None = Job.objects.select_related("project").filter(pk=pk).first()
    if job is None or not (find_role(request, job) if job.project else job.owner_id == request.user.pk):
        raise Http404
    return job


@login_required
@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def job_page(request: HttpRequest, pk: int) -> HttpResponse:
    """Only the progress, for polling; a POST cancels the job, or retries a failed one."""
    job = get_job(request, pk)
    given = request.POST if request.method == "POST" else request.GET
    address = given.get("to", "")
    if not url_has_allowed_host_and_scheme(address, allowed_hosts=None):
        address = "/"
    if request.method != "POST":
        return render(
            request, "jobs/progress.html", describe_progress(request, job, shows="shows" in given, address=address)
        )
    if "cancel" in given and may_cancel(request, job):
        cancel(job)
    elif "retry" in given:
        retry(job)
    return redirect(address)
