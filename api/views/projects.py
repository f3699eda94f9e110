"""The person, projects with their jobs and models, whole projects as archives, and single jobs."""

from typing import Any

from django.http import FileResponse, Http404
from django.utils.translation import gettext as _
from rest_framework import serializers
from rest_framework.request import Request

from analysis.pack.archiving import find_archive, may_download, refuse_hidden_effects, request_archive, request_import
from api.models import Scope
from api.problems import Refused, require_valid
from api.shapes import JobSerializer
from api.views.base import FileView, Filter, JSONView, ProjectView, operation
from jobs.models import Job, JobState
from jobs.scheduling import cancel, retry
from jobs.views import get_job, may_cancel
from llm.models import Endpoint
from projects.forms import NewProjectForm
from projects.models import Project, Role
from projects.services import SLUG_LENGTH, create_project, edit_project


class MeSerializer(serializers.Serializer):
    """The person of the token, and the scopes of the token."""

    user = serializers.CharField(source="user.username")
    is_admin = serializers.BooleanField(source="user.is_superuser")
    token = serializers.CharField(source="name")
    scopes = serializers.ListField(child=serializers.CharField())
    expires_at = serializers.DateTimeField()


class ProjectSerializer(serializers.Serializer):
    slug = serializers.CharField(help_text="Short name; cannot be changed.")
    title = serializers.CharField()
    description = serializers.CharField()
    created_at = serializers.DateTimeField()


class NewProjectSerializer(serializers.Serializer):
    slug = serializers.CharField(required=False, max_length=60, help_text="Empty: made from the title.")
    title = serializers.CharField(max_length=200)
    description = serializers.CharField(required=False, allow_blank=True)


class ProjectChangesSerializer(serializers.Serializer):
    title = serializers.CharField(required=False, max_length=200)
    description = serializers.CharField(required=False, allow_blank=True)


class OfferedModelSerializer(serializers.Serializer):
    """A model that runs of the project may use."""

    name = serializers.CharField(help_text="What evaluators and generate take as `model`.")
    model = serializers.CharField()
    description = serializers.CharField()
    is_free = serializers.BooleanField()
    price_in = serializers.DecimalField(12, 4, allow_null=True, help_text="Per million input tokens.")
    price_out = serializers.DecimalField(12, 4, allow_null=True, help_text="Per million output tokens.")
    currency = serializers.CharField()


class Me(JSONView):
    @operation("Show the token and its person", gives=MeSerializer)
    def get(self, request: Request) -> Any:
        return self.show(request.auth)


SORTS = {"slug": "slug", "title": "title", "created_at": "created_at"}
STATES = (Filter("state", "state", "Only jobs in this state.", tuple(JobState.values)),)


class Projects(JSONView):
    @operation("List projects", gives=ProjectSerializer, paged=True, sorts=SORTS)
    def get(self, request: Request) -> Any:
        """The projects that the person is a member of; for admins of the server all projects."""
        return self.page(Project.objects.visible_to(request.user))

    @operation("Create a project", scope=Scope.WRITE, takes=NewProjectSerializer, gives=ProjectSerializer, status=201)
    def post(self, request: Request) -> Any:
        """The person becomes its owner."""
        cleaned = require_valid(NewProjectForm(self.read(NewProjectSerializer)))
        return self.show(create_project(**cleaned, owner=request.user), status=201)


class OneProject(ProjectView):
    @operation("Show a project", gives=ProjectSerializer)
    def get(self, request: Request, project: str) -> Any:
        return self.show(self.project)

    @operation(
        "Change title or description",
        scope=Scope.WRITE,
        role=Role.OWNER,
        takes=ProjectChangesSerializer,
        gives=ProjectSerializer,
    )
    def patch(self, request: Request, project: str) -> Any:
        self.require_match(self.project, ProjectSerializer)
        now = {"title": self.project.title, "description": self.project.description}
        edit_project(self.project, **(now | self.read(ProjectChangesSerializer)))
        return self.show(self.project)


class ProjectJobs(ProjectView):
    @operation("List jobs", gives=JobSerializer, paged=True, filters=STATES)
    def get(self, request: Request, project: str) -> Any:
        """Work of the project that outlasts a request: results, exports, packs. The newest first."""
        return self.page(Job.objects.filter(project=self.project), "-pk")


class ProjectModels(ProjectView):
    @operation("List models that runs may ask", role=Role.RESEARCHER, gives=OfferedModelSerializer, paged=True)
    def get(self, request: Request, project: str) -> Any:
        return self.page(Endpoint.objects.available_to(self.project))


# Whole projects as files: one job writes an archive, another makes a project from an archive.


class ArchiveFileSerializer(serializers.Serializer):
    file = serializers.FileField()
    slug = serializers.SlugField(required=False, max_length=SLUG_LENGTH, help_text="Absent: the project's own.")


class Archive(ProjectView):
    @operation("Show the job of the project's archive", scope=Scope.ANSWERS, role=Role.OWNER, gives=JobSerializer)
    def get(self, request: Request, project: str) -> Any:
        job = find_archive(self.project)
        if job is None:
            raise Http404
        return self.show(job)

    @operation("Export a project", scope=Scope.ANSWERS, role=Role.OWNER, gives=JobSerializer, status=202)
    def post(self, request: Request, project: str) -> Any:
        """A worker writes the archive of the whole project; download it when the job is done."""
        return self.show(request_archive(self.project, request.user), status=202)


class ArchiveFile(ProjectView):
    @operation("Download the archive", scope=Scope.ANSWERS, role=Role.OWNER, media=("application/zip",))
    def get(self, request: Request, project: str) -> FileResponse:
        job = find_archive(self.project)
        if job is None or not may_download(job):
            raise Http404
        refuse_hidden_effects(self.project)
        name = f"{self.project.slug}-project.zip"
        return FileResponse(job.open_file(), as_attachment=True, filename=name, content_type="application/zip")


class ArchiveImports(FileView, JSONView):
    @operation(
        "Import a project",
        scope=Scope.ANSWERS,
        takes={"multipart/form-data": ArchiveFileSerializer},
        gives=JobSerializer,
        status=202,
    )
    def post(self, request: Request) -> Any:
        """A worker makes a project from the archive; the finished job names it. The person becomes its owner."""
        given = self.read(ArchiveFileSerializer)
        return self.show(request_import(given["file"].chunks(), given.get("slug", ""), request.user), status=202)


# Jobs: progress, cancel and retry.


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
