"""Jobs: progress, cancel and retry."""

from typing import Any

from django.utils.translation import gettext as _
from rest_framework.request import Request

from api.models import Scope
from api.problems import Refused
from api.shapes import JobSerializer
from api.views.base import Filter, JSONView, operation
from jobs.models import JobState
from jobs.scheduling import cancel, retry
from jobs.views import get_job, may_cancel
from projects.models import Role

STATES = (Filter("state", "state", "Only jobs in this state.", tuple(JobState.values)),)


class JobView(JSONView):
    """About a job of one of the person's projects, or of the person."""

    def find(self, role: Role, **where: Any) -> None:
        self.job = get_job(self.request, where["job"])


class OneJob(JobView):
    @operation("Show a job", gives=JobSerializer)
    def get(self, request: Request, job: int) -> Any:
        return self.show(self.job)


class CancelJob(JobView):
    @operation("Cancel a job", scope=Scope.WRITE, gives=JobSerializer)
    def post(self, request: Request, job: int) -> Any:
        """For the person who requested it, and for researchers of its project."""
        if not may_cancel(request, self.job):
            raise Refused(
                _("Only who asked for this job, or a researcher, may cancel it."), status=403, kind="forbidden"
            )
        cancel(self.job)
        self.job.refresh_from_db()
        return self.show(self.job)


class RetryJob(JobView):
    @operation("Try a job again that failed or was cancelled", scope=Scope.WRITE, gives=JobSerializer)
    def post(self, request: Request, job: int) -> Any:
        retry(self.job)
        self.job.refresh_from_db()
        return self.show(self.job)
