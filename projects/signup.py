"""Accounts are for people who were invited, and each invitation makes one account."""

from allauth.account.adapter import DefaultAccountAdapter
from allauth.core.exceptions import ImmediateHttpResponse
from django.db import transaction
from django.shortcuts import redirect

from projects.models import Invitation
from projects.services.inviting import InvitationClosed, accept_invitation, find_invitation

INVITATION_KEY = "invitation"


class InvitedOnly(DefaultAccountAdapter):
    def is_open_for_signup(self, request) -> bool:
        return invitation_of(request) is not None

    def save_user(self, request, user, form, commit=True):
        """The account and its membership, or neither if the invitation was used by somebody else meanwhile."""
        token = request.session[INVITATION_KEY]
        try:
            with transaction.atomic():
                super().save_user(request, user, form, commit)
                accept_invitation(find_invitation(token), user)
        except InvitationClosed:
            raise ImmediateHttpResponse(redirect("invitation", token)) from None
        del request.session[INVITATION_KEY]
        return user


def invitation_of(request) -> Invitation | None:
    """The open invitation that this browser has said yes to."""
    try:
        return find_invitation(request.session.get(INVITATION_KEY, ""))
    except InvitationClosed:
        return None
