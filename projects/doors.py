"""Ways in, and what people hold of their own: invitations, one-time sign-in links, the account."""

from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.decorators import login_required
from django.shortcuts import redirect, render
from django.utils.http import urlencode
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from projects.forms import AccountForm
from projects.models import Role
from projects.services.accounts import change_account
from projects.services.inviting import InvitationClosed, accept_invitation, find_invitation, is_member
from projects.services.signing_in import holder_of, use_sign_in_link
from projects.signup import INVITATION_KEY

BACKEND = "django.contrib.auth.backends.ModelBackend"


@never_cache
def invitation(request, token):
    """GET shows what is offered; only POST accepts, because mail scanners open links."""
    user = request.user if request.user.is_authenticated else None
    try:
        invitation = find_invitation(token, user)
        if request.method == "POST":
            return _accept(request, invitation, user)
    except InvitationClosed:
        return render(request, "projects/invitation_closed.html", status=404)
    if is_member(user, invitation.project):
        return redirect(invitation.project)
    return render(request, "projects/invitation.html", {"invitation": invitation, "role": Role(invitation.role)})


def _accept(request, invitation, user):
    if user is None:
        return _sign_in_first(request, invitation)
    accept_invitation(invitation, user)
    request.session.pop(INVITATION_KEY, None)
    messages.success(request, _("You are a member of this project now."))
    return redirect(invitation.project)


def _sign_in_first(request, invitation):
    """The session keeps the invitation: without one nobody makes an account."""
    request.session[INVITATION_KEY] = invitation.token
    way = "account_signup" if "sign_up" in request.POST else "account_login"
    response = redirect(way)
    response["Location"] += "?" + urlencode({"next": invitation.get_absolute_url()})
    return response


@never_cache
def sign_in_link(request, token):
    """GET shows a button; only POST signs in and uses the link up."""
    holder = use_sign_in_link(token) if request.method == "POST" else holder_of(token)
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
        messages.success(request, _("Your account is stored."))
        return redirect("account")
    memberships = request.user.memberships.select_related("project").order_by("project__title")
    return render(request, "projects/account.html", {"form": form, "memberships": memberships})
