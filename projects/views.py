"""Pages of projects and their members."""

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django_tables2 import RequestConfig

from projects import access
from projects.forms import InvitationForm, NewProjectForm, ProjectForm, RoleForm
from projects.models import Project, Role
from projects.overview import next_step
from projects.services.editing import create_project, edit_project
from projects.services.inviting import create_invitation, revoke_invitation
from projects.services.members import LastOwner, change_role, remove_member
from projects.tables import StudyTable


@login_required
def project_list(request):
    projects = Project.objects.visible_to(request.user).with_counts()
    return render(request, "projects/project_list.html", {"projects": projects})


@login_required
def project_new(request):
    form = NewProjectForm(request.POST or None)
    if form.is_valid():
        try:
            return redirect(create_project(**form.cleaned_data, owner=request.user))
        except ValidationError as error:
            form.add_error(None, error)
    return render(request, "projects/project_new.html", {"form": form})


@login_required
def project(request, slug):
    project = access.get_project(request.user, slug)
    studies = StudyTable(project.studies.all())
    RequestConfig(request).configure(studies)
    counts = Project.objects.with_counts().get(pk=project.pk)
    context = {"project": project, "step": next_step(project), "studies": studies, "counts": counts}
    return render(request, "projects/project.html", context)


@login_required
def project_edit(request, slug):
    project = access.get_project(request.user, slug, Role.OWNER)
    form = ProjectForm(request.POST or None, instance=project)
    if form.is_valid():
        edit_project(project, **form.cleaned_data)
        return redirect(project)
    return render(request, "projects/project_edit.html", {"project": project, "form": form})


@login_required
@never_cache
def member_list(request, slug):
    project = access.get_project(request.user, slug, Role.OWNER)
    form = InvitationForm(request.POST or None)
    if form.is_valid():
        create_invitation(project, **form.cleaned_data, created_by=request.user)
        messages.success(request, _("The link is below. Copy it and send it to the person; it works once."))
        return redirect("member_list", slug)
    context = {"project": project, "form": form, "roles": Role}
    context |= {"members": project.memberships.select_related("user"), "invitations": project.invitations.open()}
    return render(request, "projects/member_list.html", context)


@login_required
def member_role(request, slug, pk):
    membership = _membership(request, slug, pk)
    form = RoleForm(request.POST or None)
    if form.is_valid():
        return _change(request, slug, change_role, membership, Role(form.cleaned_data["role"]))
    if request.method == "POST":
        messages.error(request, _("Nothing was changed: choose one of the roles."))
    return redirect("member_list", slug)


@login_required
def member_remove(request, slug, pk):
    membership = _membership(request, slug, pk)
    if request.method == "POST":
        return _change(request, slug, remove_member, membership)
    return render(request, "projects/member_remove.html", {"project": membership.project, "membership": membership})


@login_required
def invitation_revoke(request, slug, pk):
    project = access.get_project(request.user, slug, Role.OWNER)
    invitation = get_object_or_404(project.invitations, pk=pk)
    if request.method == "POST":
        revoke_invitation(invitation)
        messages.success(request, _("The link no longer works."))
    return redirect("member_list", slug)


def _membership(request, slug, pk):
    project = access.get_project(request.user, slug, Role.OWNER)
    return get_object_or_404(project.memberships.select_related("user"), pk=pk)


def _change(request, slug, change, *arguments):
    """Does it, says how it went, and leads to a page that the user may still see."""
    try:
        change(*arguments)
    except LastOwner as error:
        messages.error(request, error.sentence)
    else:
        messages.success(request, _("The change is stored."))
    role = access.role_in(request.user, Project.objects.get(slug=slug))
    if role == Role.OWNER:
        return redirect("member_list", slug)
    return redirect("project", slug) if role else redirect("project_list")
