"""Whole projects as files: one job writes an archive, another makes a project from an archive."""

from typing import Any

from django.http import FileResponse, Http404
from rest_framework import serializers
from rest_framework.request import Request

from analysis.pack.archiving import ask_for_archive, ask_for_import, find_archive, is_given_out, refuse_hidden_effects
from api.models import Scope
from api.shapes import JobSerializer
from api.views.base import FileView, JSONView, ProjectView, operation
from projects.models import Role
from projects.services import SLUG_LENGTH


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
        return self.show(ask_for_archive(self.project, request.user), status=202)


class ArchiveFile(ProjectView):
    @operation("Download the archive", scope=Scope.ANSWERS, role=Role.OWNER, media=("application/zip",))
    def get(self, request: Request, project: str) -> FileResponse:
        job = find_archive(self.project)
        if job is None or not is_given_out(job):
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
        return self.show(ask_for_import(given["file"].chunks(), given.get("slug", ""), request.user), status=202)
