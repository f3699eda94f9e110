"""Accounts for invited people, one per invitation; and limits on guessing passwords."""

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
        """Failed sign-ins of an account count per address, so that a stranger's never lock its owner out.

        In addition, failures of one address over all accounts are limited (ACCOUNT_RATE_LIMITS).
        """
        key = super()._get_login_attempts_cache_key(request, **credentials)
        return f"{key}:{self.get_client_ip(request)}"

    def save_user(self, request, user, form, commit=True):
        """Create the account and its membership, or neither if somebody else has used the invitation meanwhile."""
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
    """The open invitation that was accepted in this browser."""
    try:
        return find_invitation(request.session.get(INVITATION_KEY, ""))
    except InvitationClosed:
        return None
