"""The person, projects, and the jobs and models of a project."""

from typing import Any

from rest_framework import serializers
from rest_framework.request import Request

from api.models import Scope
from api.problems import require_valid
from api.shapes import JobSerializer
from api.views.base import JSONView, ProjectView, operation
from api.views.jobs import STATES
from jobs.models import Job
from llm.models import Endpoint
from projects.forms import NewProjectForm
from projects.models import Project, Role
from projects.services import create_project, edit_project


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


class Projects(JSONView):
    @operation("List projects", gives=ProjectSerializer, paged=True, sorts=SORTS)
    def get(self, request: Request) -> Any:
        """All projects of which the person is a member; for admins of the server all."""
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
