"""Services for projects, members, invitations, sign-in links and accounts, shared by pages and commands."""

import hashlib
import re
from dataclasses import dataclass
from datetime import timedelta

from allauth.account.models import EmailAddress
from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from projects.audit import record_act
from projects.deletion import wipe_storage
from projects.models import Invitation, Membership, Project, Role, SignInLink, User, new_token


@transaction.atomic
def change_account(user: User, *, first_name: str, last_name: str, email: str) -> None:
    """Save name and address. A former address is removed, as it must not open the account any longer."""
    user.first_name, user.last_name, user.email = first_name, last_name, email
    user.save(update_fields=["first_name", "last_name", "email"])
    EmailAddress.objects.filter(user=user).exclude(email__iexact=email).delete()


SLUG_LENGTH = 60


def create_project(*, slug: str, title: str, description: str = "", owner: User | None = None) -> Project:
    """The new project, with its creator as owner; ValidationError, and nothing stored, if a value is invalid."""
    project = Project(slug=slug, title=title, description=description)
    project.full_clean(validate_unique=False)
    try:
        with transaction.atomic():
            project.save(force_insert=True)
            if owner:
                Membership.objects.create(project=project, user=owner, role=Role.OWNER)
            record_act(project.pk, "project_created", project)
    except IntegrityError:
        raise build_slug_error(slug) from None
    return project


def build_slug_error(slug: str) -> ValidationError:
    sentence = _("The short name “%(slug)s” belongs to another project. Choose a different one.")
    return ValidationError({"slug": sentence % {"slug": slug}})


def suggest_slug(title: str) -> str:
    """A free short name made from the title; empty if the title has no letter that could be in one."""
    stem = slugify(title)[:SLUG_LENGTH].strip("-_")
    if not stem:
        return ""
    taken = set(Project.objects.filter(slug__startswith=stem[: SLUG_LENGTH - 5]).values_list("slug", flat=True))
    candidates = [stem, *(f"{stem[: SLUG_LENGTH - 5]}-{number}" for number in range(2, len(taken) + 3))]
    return next(slug for slug in candidates if slug not in taken)


@transaction.atomic
def edit_project(project: Project, *, title: str, description: str) -> None:
    project.title, project.description = title, description
    project.save(update_fields=["title", "description"])
    record_act(project.pk, "project_edited", project)


TOKEN_PATTERN = re.compile(r"[\w-]{1,64}", re.ASCII)  # other values are not looked up: PostgreSQL refuses NUL


class InvitationClosed(Exception):
    """Used, expired, revoked or unknown: the same for the person with the link."""


@transaction.atomic
def create_invitation(project: Project, *, role: Role, note: str, created_by: User) -> Invitation:
    record_act(project.pk, "member_invited")
    return Invitation.objects.create(project=project, role=role, note=note, created_by=created_by)


def revoke_invitation(invitation: Invitation) -> None:
    """Revoke the link; an accepted one stays accepted."""
    Invitation.objects.open().filter(pk=invitation.pk).update(revoked_at=timezone.now())


def find_invitation(token: str, user: User | None = None) -> Invitation:
    """The open invitation of that token, or the one through which this user is a member; else InvitationClosed."""
    matching = Invitation.objects.filter(token=token) if TOKEN_PATTERN.fullmatch(token) else Invitation.objects.none()
    invitation = matching.open().first() or matching.filter(accepted_by__isnull=False, accepted_by=user).first()
    if invitation is None or (invitation.accepted_at and not is_member(user, invitation.project)):
        raise InvitationClosed
    return invitation


def is_member(user: User | None, project: Project) -> bool:
    return Membership.objects.filter(project=project, user=user, user__isnull=False).exists()


@transaction.atomic
def accept_invitation(invitation: Invitation, user: User) -> None:
    """Make the user a member and use up the invitation; for a member nothing changes and it is not used up."""
    invitation = Invitation.objects.select_for_update().get(pk=invitation.pk)
    if is_member(user, invitation.project):
        return
    open_one = Invitation.objects.open().filter(pk=invitation.pk)
    if not open_one.update(accepted_at=timezone.now(), accepted_by=user):
        raise InvitationClosed
    Membership.objects.create(project=invitation.project, user=user, role=invitation.role)
    record_act(invitation.project_id, "member_joined", user)


class LastOwner(Exception):
    """The change would leave the project without an owner."""

    sentence = gettext_lazy("A project needs an owner. Make someone else an owner first.")


@transaction.atomic
def change_role(membership: Membership, role: Role) -> None:
    membership = _lock_membership(membership)
    if role != Role.OWNER:
        _end_ownership(membership)
    membership.role = role
    membership.save(update_fields=["role"])
    record_act(membership.project_id, "role_changed", membership.user)


@transaction.atomic
def remove_member(membership: Membership) -> None:
    membership = _lock_membership(membership)
    _end_ownership(membership)
    record_act(membership.project_id, "member_removed", membership.user)
    membership.delete()


class AccountStays(Exception):
    """The account cannot be deleted, or its name was not typed; nothing was deleted. The message is a sentence."""


def delete_account(user: User, confirmed: str) -> None:
    """Delete an account with its memberships, tokens and addresses, if its name was typed.

    What it created stays without its name; audit rows keep its number. `AccountStays` for the only owner of a project,
    and for the only admin of the server.
    """
    if confirmed.strip() != user.get_username():
        raise AccountStays(_("Type “%(name)s” to confirm. Nothing was deleted.") % {"name": user.get_username()})
    with transaction.atomic():
        admins = User.objects.select_for_update().filter(is_superuser=True, is_active=True)
        if user.is_superuser and not [each for each in admins if each.pk != user.pk]:
            raise AccountStays(_("You are the only admin of this server. Make somebody else an admin first."))
        for membership in user.memberships.select_related("project").order_by("project"):
            try:
                remove_member(membership)
            except LastOwner:
                values = {"project": membership.project.title}
                raise AccountStays(
                    _("You are the only owner of “%(project)s”. Make somebody else an owner, or delete the project.")
                    % values
                ) from None
        user.delete()
    wipe_storage()


def _lock_membership(membership: Membership) -> Membership:
    """The present row, while nobody else can change members of the project: two owners might remove each other."""
    Project.objects.select_for_update().get(pk=membership.project_id)
    return Membership.objects.get(pk=membership.pk)


def _end_ownership(membership: Membership) -> None:
    """Revoke the open invitations, which a former owner could use to return; `LastOwner` for the last owner."""
    if membership.role != Role.OWNER:
        return
    owners = Membership.objects.filter(project=membership.project_id, role=Role.OWNER)
    if not owners.exclude(pk=membership.pk).exists():
        raise LastOwner
    Invitation.objects.open().filter(project=membership.project_id).update(revoked_at=timezone.now())


LINK_LIFETIME = timedelta(hours=24)
ADMIN_NAME = "admin"


class NameTaken(Exception):
    """There is a user named admin who is not an admin."""


def create_sign_in_link(user: User) -> str:
    """The token of a new link, which is not stored; expired links are deleted."""
    now, token = timezone.now(), new_token()
    SignInLink.objects.filter(expires_at__lte=now).delete()
    SignInLink.objects.create(user=user, token_hash=_hash_token(token), expires_at=now + LINK_LIFETIME)
    return token


@transaction.atomic
def ensure_admin() -> User:
    """The first admin of the server, created without a password if there is none."""
    if admin := User.objects.filter(is_superuser=True, is_active=True).order_by("pk").first():
        return admin
    if User.objects.filter(username=ADMIN_NAME).exists():
        raise NameTaken
    return User.objects.create_superuser(ADMIN_NAME)  # without a password, so that none works


def find_link_user(token: str) -> User | None:
    """The user whom the link would sign in; None if it is used, expired or unknown."""
    link = SignInLink.objects.open().filter(token_hash=_hash_token(token), user__is_active=True).first()
    return link.user if link else None


def use_sign_in_link(token: str) -> User | None:
    """Use up the link; returns the user to sign in, or None if it is used, expired or unknown."""
    user = find_link_user(token)
    # This update alone decides between two simultaneous uses. It must not join: PostgreSQL would let both pass.
    if not SignInLink.objects.open().filter(token_hash=_hash_token(token)).update(used_at=timezone.now()):
        return None
    return user


def _hash_token(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


# The five steps from texts to results.


@dataclass(frozen=True)
class Stage:
    title: str
    sentence: str
    is_done: bool
    is_next: bool


def describe_stages(*done: bool) -> list[Stage]:
    """The five stages, each `done` or not; the first that is not done is the next."""
    sentences = (
        (_("Add texts"), _("Paste them, or import texts with questions.")),
        (_("Add questions"), _("Write them, or let a model or rules write them.")),
        (_("Design a study"), _("Choose what people do with each question, and launch it.")),
        (_("Let people and models answer"), _("Send links. Start models with one click.")),
        (_("Read the results"), _("A verdict, a figure, and tables for your paper.")),
    )
    states = [*done, *[False] * (len(sentences) - len(done))]
    following = states.index(False) if done else None
    return [Stage(*words, states[place], place == following) for place, words in enumerate(sentences)]
