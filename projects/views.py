"""Pages of projects, members, invitations, sign-in links and the account."""

from functools import wraps

from django.conf import settings
from django.contrib import messages
from django.contrib.auth import login, logout
from django.contrib.auth.decorators import login_required
from django.core.exceptions import ValidationError
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from projects import access
from projects.forms import AccountForm, InvitationForm, NewProjectForm, ProjectForm, RoleForm
from projects.models import Project, Role
from projects.services import (
    AccountStays,
    InvitationClosed,
    LastOwner,
    accept_invitation,
    change_account,
    change_role,
    create_invitation,
    create_project,
    delete_account,
    describe_stages,
    edit_project,
    find_invitation,
    find_link_user,
    is_member,
    remove_member,
    revoke_invitation,
    use_sign_in_link,
)
from projects.signup import INVITATION_KEY

BACKEND = "django.contrib.auth.backends.ModelBackend"


def require_mail(view):
    """Decorate a view that sends mail: without a mail server, a page says what to do instead."""

    @wraps(view)
    def show(request, *arguments, **keywords):
        if settings.LESART["SENDS_MAIL"]:
            return view(request, *arguments, **keywords)
        return render(request, "account/no_mail.html")

    return show


@never_cache
def invitation(request, token):
    """GET shows the invitation; only POST accepts it, because mail scanners open links."""
    user = request.user if request.user.is_authenticated else None
    try:
        invitation = find_invitation(token, user)
        if request.method == "POST":
            return _accept_invitation(request, invitation, user)
    except InvitationClosed:
        return render(request, "projects/invitation_closed.html", status=404)
    if is_member(user, invitation.project):
        return redirect(invitation.project)
    return render(request, "projects/invitation.html", {"invitation": invitation, "role": Role(invitation.role)})


def _accept_invitation(request, invitation, user):
    if user is None:
        return _redirect_to_sign_in(request, invitation)
    accept_invitation(invitation, user)
    request.session.pop(INVITATION_KEY, None)
    messages.success(request, _("You are now a member of this project."))
    return redirect(invitation.project)


def _redirect_to_sign_in(request, invitation):
    """The session stores the invitation, without which nobody can create an account."""
    request.session[INVITATION_KEY] = invitation.token
    way = "account_signup" if "sign_up" in request.POST else "account_login"
    response = redirect(way)
    response["Location"] += "?" + urlencode({"next": invitation.get_absolute_url()})
    return response


@never_cache
def sign_in_link(request, token):
    """GET shows a button; only POST signs in and uses up the link."""
    holder = use_sign_in_link(token) if request.method == "POST" else find_link_user(token)
    if holder is None:
        return render(request, "projects/sign_in_link_closed.html", status=404)
    if request.method == "POST":
        login(request, holder, backend=BACKEND)
        return redirect("project_list")
    return render(request, "projects/sign_in_link.html", {"holder": holder})


@login_required
def account(request):
    form = AccountForm(request.POST or None, instance=request.user)
    if form.is_valid():
        change_account(request.user, **form.cleaned_data)
        messages.success(request, _("Your account was saved."))
        return redirect("account")
    memberships = request.user.memberships.select_related("project").order_by("project__title")
    return render(request, "projects/account.html", {"form": form, "memberships": memberships})


@login_required
def account_delete(request):
    """What would be deleted with the account, and the form that deletes it."""
    problem = ""
    if request.method == "POST":
        try:
            delete_account(request.user, request.POST.get("confirmed", ""))
        except AccountStays as stays:
            problem = str(stays)
        else:
            logout(request)
            messages.success(request, _("Your account was deleted."))
            return redirect("project_list")
    context = {
        "row": request.user.get_username(),
        "typed": request.user.get_username(),
        "going": [
            _("your name and address, your memberships and your access tokens"),
            _("your name beside what you made; texts, studies and answers stay"),
        ],
        "problem": problem,
        "after": reverse("account"),
    }
    return render(request, "studies/delete.html", context)


def project_list(request):
    """The projects; users with none, or only the sample, see an introduction to Lesart first."""
    if not request.user.is_authenticated:
        return render(request, "projects/welcome.html", {"stages": describe_stages()})
    mine = list(Project.objects.visible_to(request.user).with_counts())
    if all(project.is_sample for project in mine):
        context = {"stages": describe_stages(), "sample": mine[0] if mine else None}
        return render(request, "projects/welcome.html", context)
    archived = [project for project in mine if project.archived_at]
    shown = archived if "archived" in request.GET else [project for project in mine if not project.archived_at]
    return render(request, "projects/project_list.html", {"projects": shown, "n_archived": len(archived)})


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
    membership = _get_membership(request, slug, pk)
    form = RoleForm(request.POST or None)
    if form.is_valid():
        return _apply_change(request, slug, change_role, membership, Role(form.cleaned_data["role"]))
    if request.method == "POST":
        messages.error(request, _("Choose one of the roles. Nothing was changed."))
    return redirect("member_list", slug)


@login_required
def member_remove(request, slug, pk):
    membership = _get_membership(request, slug, pk)
    if request.method == "POST":
        return _apply_change(request, slug, remove_member, membership)
    return render(request, "projects/member_remove.html", {"project": membership.project, "membership": membership})


@login_required
def invitation_revoke(request, slug, pk):
    project = access.get_project(request.user, slug, Role.OWNER)
    invitation = get_object_or_404(project.invitations, pk=pk)
    if request.method == "POST":
        revoke_invitation(invitation)
        messages.success(request, _("The link no longer works."))
    return redirect("member_list", slug)


def _get_membership(request, slug, pk):
    project = access.get_project(request.user, slug, Role.OWNER)
    return get_object_or_404(project.memberships.select_related("user"), pk=pk)


def _apply_change(request, slug, change, *arguments):
    """Make the change, report the result, and redirect to a page that the user may still see."""
    try:
        change(*arguments)
    except LastOwner as error:
        messages.error(request, error.sentence)
    else:
        messages.success(request, _("The change was saved."))
    role = access.get_role(request.user, Project.objects.get(slug=slug))
    if role == Role.OWNER:
        return redirect("member_list", slug)
    return redirect("project", slug) if role else redirect("project_list")
