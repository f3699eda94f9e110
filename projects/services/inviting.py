"""Invitations: links that make whoever accepts them a member, once."""

import re

from django.db import transaction
from django.utils import timezone

from projects.models import Invitation, Membership, Project, Role, User

TOKEN = re.compile(r"[\w-]{1,64}", re.ASCII)  # nothing else is looked up: PostgreSQL refuses NUL


class InvitationClosed(Exception):
    """Used, expired, revoked, unknown: all the same to whoever holds the link."""


def create_invitation(project: Project, *, role: Role, note: str, created_by: User) -> Invitation:
    return Invitation.objects.create(project=project, role=role, note=note, created_by=created_by)


def revoke_invitation(invitation: Invitation) -> None:
    """Ends the link; one that was accepted before stays accepted."""
    Invitation.objects.open().filter(pk=invitation.pk).update(revoked_at=timezone.now())


def find_invitation(token: str, user: User | None = None) -> Invitation:
    """The open invitation of that token, or the one through which this user is a member; else InvitationClosed."""
    matching = Invitation.objects.filter(token=token) if TOKEN.fullmatch(token) else Invitation.objects.none()
    invitation = matching.open().first() or matching.filter(accepted_by__isnull=False, accepted_by=user).first()
    if invitation is None or (invitation.accepted_at and not is_member(user, invitation.project)):
        raise InvitationClosed
    return invitation


def is_member(user: User | None, project: Project) -> bool:
    return Membership.objects.filter(project=project, user=user, user__isnull=False).exists()


@transaction.atomic
def accept_invitation(invitation: Invitation, user: User) -> None:
    """Makes the user a member and uses the invitation up; a member's role is left as it is and nothing is used."""
    invitation = Invitation.objects.select_for_update().get(pk=invitation.pk)
    if is_member(user, invitation.project):
        return
    open_one = Invitation.objects.open().filter(pk=invitation.pk)
    if not open_one.update(accepted_at=timezone.now(), accepted_by=user):
        raise InvitationClosed
    Membership.objects.create(project=invitation.project, user=user, role=invitation.role)
