"""Accounts: for people who were invited, one for each invitation; what limits guesses at their passwords."""

from allauth.account.adapter import DefaultAccountAdapter
from allauth.core.exceptions import ImmediateHttpResponse
from django.db import transaction
from django.shortcuts import redirect

from projects.models import Invitation
from projects.services import InvitationClosed, accept_invitation, find_invitation

INVITATION_KEY = "invitation"


class InvitedOnlyAdapter(DefaultAccountAdapter):
    def is_open_for_signup(self, request) -> bool:
        return find_session_invitation(request) is not None

    def _get_login_attempts_cache_key(self, request, **credentials) -> str:
        """Failed sign-ins of an account count for each address by itself: a stranger's never lock its owner out.

        How often one address fails, whatever the account, is limited beside that (ACCOUNT_RATE_LIMITS).
        """
        key = super()._get_login_attempts_cache_key(request, **credentials)
        return f"{key}:{self.get_client_ip(request)}"

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


def find_session_invitation(request) -> Invitation | None:
    """The open invitation that this browser has said yes to."""
    try:
        return find_invitation(request.session.get(INVITATION_KEY, ""))
    except InvitationClosed:
        return None
