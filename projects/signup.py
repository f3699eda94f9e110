"""Accounts are for people who were invited."""

from allauth.account.adapter import DefaultAccountAdapter

from projects.models import Invitation

INVITATION_KEY = "invitation"


class InvitedOnly(DefaultAccountAdapter):
    def is_open_for_signup(self, request) -> bool:
        token = request.session.get(INVITATION_KEY, "")
        invitation = Invitation.objects.filter(token=token).first()
        return bool(invitation and invitation.is_open)
