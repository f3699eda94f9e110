"""Pages that export a whole project as one file, and that create a project from such a file."""

from django import forms
from django.contrib.auth.decorators import login_required
from django.http import FileResponse, Http404
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods, require_safe

from analysis.pack.archiving import (
    IMPORT,
    CannotArchive,
    ask_for_archive,
    ask_for_import,
    find_archive,
    is_given_out,
    list_withheld,
    refuse_hidden_effects,
)
from items.files import check_size
from jobs.files import path_of
from jobs.models import Job
from jobs.views import describe_progress, get_job
from projects.access import get_project
from projects.models import Project, Role
from projects.services import SLUG_LENGTH


class ArchiveForm(forms.Form):
    """An archive to import, and a short name for the project."""

    file = forms.FileField(
        label=_("File"),
        help_text=_("A ZIP file that “Export project” or the command export_project wrote."),
        widget=forms.FileInput(attrs={"accept": ".zip"}),
    )
    slug = forms.SlugField(
        label=_("Short name"),
        max_length=SLUG_LENGTH,
        required=False,
        help_text=_("Leave empty to keep the project's own. It must not be taken on this server."),
    )

    def clean_file(self):
        try:
            check_size(self.cleaned_data["file"])
        except ValueError as error:
            raise forms.ValidationError(str(error)) from None
        return self.cleaned_data["file"]


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def project_export(request, slug):
    """Whether the archive is ready, its progress, and a button that requests it."""
    project = get_project(request.user, slug, Role.OWNER)
    refusal = explain_refusal(project)
    if request.method == "POST" and not refusal:
        ask_for_archive(project, request.user)
        return redirect("project_export", project.slug)
    job = None if refusal else find_archive(project)
    is_there = is_given_out(job)
    context = {
        "project": project,
        "refusal": refusal,
        "job": job,
        "is_there": is_there,
        "n_bytes": path_of(job.file).stat().st_size if job and is_there else 0,
        "left_out": job.about.get("left_out", []) if job and is_there else [],
        "n_withheld": len(list_withheld(project)),
    }
    context |= describe_progress(request, job) if job else {}
    return render(request, "analysis/project_export.html", context)


def explain_refusal(project: Project) -> str:
    """Why the project cannot be exported now; empty if it can."""
    try:
        refuse_hidden_effects(project)
    except CannotArchive as refused:
        return str(refused)
    return ""


@login_required
@require_safe
def project_export_file(request, slug, pk):
    project = get_project(request.user, slug, Role.OWNER)
    job = find_archive(project)
    if job is None or job.pk != pk or not is_given_out(job) or explain_refusal(project):
        raise Http404
    name = f"{project.slug}-project.zip"
    return FileResponse(job.open_file(), as_attachment=True, filename=name, content_type="application/zip")


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def project_import(request):
    """A form for an archive; a worker imports it."""
    form = ArchiveForm(request.POST or None, request.FILES or None)
    if form.is_valid():
        job = ask_for_import(form.cleaned_data["file"].chunks(), form.cleaned_data["slug"], request.user)
        return redirect("project_imported", job.pk)
    return render(request, "analysis/project_import.html", {"form": form})


@login_required
@require_safe
def project_imported(request, pk):
    """The progress of the import; redirects to the project when it exists."""
    job: Job = get_job(request, pk)
    if job.kind != IMPORT or job.owner_id != request.user.pk:
        raise Http404
    if job.is_done and job.project:
        return redirect(job.project)
    address = reverse("project_imported", args=[job.pk])
    return render(request, "analysis/project_import.html", describe_progress(request, job, address=address))
