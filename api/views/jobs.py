"""Jobs: how far they are, cancel and retry."""

from typing import Any

from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.request import Request

from api.models import Scope
from api.problems import Refused
from api.views.base import Filter, JSONView, operation
from jobs.kinds import KINDS
from jobs.models import Job, JobState
from jobs.scheduling import cancel, retry
from jobs.views import describe_step, get_job, may_cancel
from jobs.workers import has_live_workers
from projects.models import Role

STATES = (Filter("state", "state", "Only jobs in this state.", tuple(JobState.values)),)


class JobSerializer(serializers.Serializer):
    """Work that outlasts a request."""

    id = serializers.IntegerField(source="pk")
    kind = serializers.CharField()
    title = serializers.SerializerMethodField()
    project = serializers.CharField(source="project.slug", allow_null=True, default=None)
    state = serializers.ChoiceField(JobState.choices)
    step = serializers.SerializerMethodField(help_text="What is being done, in words.")
    done = serializers.IntegerField(help_text="Parts of the step that are done.")
    total = serializers.IntegerField(help_text="Parts of the step; 0 where nobody knows.")
    error = serializers.CharField(help_text="Why it failed; empty if it did not.")
    has_worker = serializers.SerializerMethodField(help_text="False: no worker is running, so that it waits.")
    queued_at = serializers.DateTimeField()
    finished_at = serializers.DateTimeField(allow_null=True)

    def get_title(self, job: Job) -> str:
        return str(KINDS[job.kind].title)

    def get_step(self, job: Job) -> str:
        return describe_step(job) if job.is_open else ""

    def get_has_worker(self, job: Job) -> bool:
        return has_live_workers()


class JobView(JSONView):
    """About a job of a project of the person, or of the person."""

    def find(self, role: Role, **where: Any) -> None:
        self.job = get_job(self.request, where["job"])


class OneJob(JobView):
    @operation("Show a job", gives=JobSerializer)
    def get(self, request: Request, job: int) -> Any:
        return self.show(self.job)


class CancelJob(JobView):
    @operation("Cancel a job", scope=Scope.WRITE, gives=JobSerializer)
    def post(self, request: Request, job: int) -> Any:
        """For whoever asked for it, and for researchers of its project."""
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
