"""One-time links that sign in without a password."""

import hashlib
from datetime import timedelta

from django.db import transaction
from django.utils import timezone

from projects.models import SignInLink, User, new_token

VALID_FOR = timedelta(hours=24)
ADMIN = "admin"


class NameTaken(Exception):
    """There is a user called admin who is no admin."""


def create_sign_in_link(user: User) -> str:
    """The token of a new link, which is kept nowhere; links that have expired go."""
    now, token = timezone.now(), new_token()
    SignInLink.objects.filter(expires_at__lte=now).delete()
    SignInLink.objects.create(user=user, token_hash=_hashed(token), expires_at=now + VALID_FOR)
    return token


@transaction.atomic
def ensure_admin() -> User:
    """The first admin of the server; made, without a password, if there is none."""
    if admin := User.objects.filter(is_superuser=True, is_active=True).order_by("pk").first():
        return admin
    if User.objects.filter(username=ADMIN).exists():
        raise NameTaken
    return User.objects.create_superuser(ADMIN)  # without a password it is an unusable one


def holder_of(token: str) -> User | None:
    """Whom the link would sign in now; None if it was used before, has expired or never was."""
    link = SignInLink.objects.open().filter(token_hash=_hashed(token), user__is_active=True).first()
    return link.user if link else None


def use_sign_in_link(token: str) -> User | None:
    """Whom to sign in, once."""
    user = holder_of(token)
    # This update alone decides between two at once. It must not join: PostgreSQL would let both pass.
    if not SignInLink.objects.open().filter(token_hash=_hashed(token)).update(used_at=timezone.now()):
        return None
    return user


def _hashed(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
