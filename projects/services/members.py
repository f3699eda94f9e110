"""Members: change a role, remove somebody. A project that has an owner keeps one."""

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

from projects.models import Invitation, Membership, Project, Role


class LastOwner(Exception):
    """The change would leave the project without an owner."""

    sentence = _("A project needs an owner. Make somebody else an owner first, then try again.")


@transaction.atomic
def change_role(membership: Membership, role: Role) -> None:
    membership = _locked(membership)
    if role != Role.OWNER:
        _end_ownership(membership)
    membership.role = role
    membership.save(update_fields=["role"])


@transaction.atomic
def remove_member(membership: Membership) -> None:
    membership = _locked(membership)
    _end_ownership(membership)
    membership.delete()


def _locked(membership: Membership) -> Membership:
    """As it is now, while nobody else changes members of the project: two owners might remove each other."""
    Project.objects.select_for_update().get(pk=membership.project_id)
    return Membership.objects.get(pk=membership.pk)


def _end_ownership(membership: Membership) -> None:
    """Refused for the last owner. An owner has seen the open invitations and could come back with them: they end."""
    if membership.role != Role.OWNER:
        return
    owners = Membership.objects.filter(project=membership.project_id, role=Role.OWNER)
    if not owners.exclude(pk=membership.pk).exists():
        raise LastOwner
    Invitation.objects.open().filter(project=membership.project_id).update(revoked_at=timezone.now())
