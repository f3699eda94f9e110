"""Access tokens: create, find, count and revoke them."""

import hashlib
from collections.abc import Iterable
from datetime import datetime, timedelta
from secrets import token_urlsafe

from django.conf import settings
from django.db.models import F
from django.utils import timezone

from api.models import AccessToken, Scope
from projects.models import User

PREFIX = "lesart_"
MAX_DAYS = 365


def create_token(user: User, *, name: str, scopes: Iterable[Scope], days: int) -> tuple[AccessToken, str]:
    """Create a token; returns its row and its secret. Only a hash of the secret is stored."""
    secret = PREFIX + token_urlsafe(32)
    token = AccessToken.objects.create(
        user=user,
        name=name,
        hint=secret[: len(PREFIX) + 4],
        token_hash=hash_secret(secret),
        scopes=sorted(scopes),
        expires_at=timezone.now() + timedelta(days=min(days, MAX_DAYS)),
    )
    return token, secret


def hash_secret(secret: str) -> str:
    """SHA-256; a token has 256 random bits, so no slow hash is needed."""
    return hashlib.sha256(secret.encode()).hexdigest()


def find_token(secret: str) -> AccessToken | None:
    """The token with this secret, usable or not."""
    return AccessToken.objects.select_related("user").filter(token_hash=hash_secret(secret)).first()


def count_use(token: AccessToken, now: datetime | None = None) -> bool:
    """Count a request in this minute; False if the token has reached the limit per minute."""
    minute = (now or timezone.now()).replace(second=0, microsecond=0)
    row = AccessToken.objects.filter(pk=token.pk)
    limit = settings.LESART["API_PER_MINUTE"]
    if row.filter(last_used_at=minute, n_used__lt=limit).update(n_used=F("n_used") + 1):
        return True
    # Another request may start the same minute simultaneously: the second one continues its count.
    if row.exclude(last_used_at=minute).update(last_used_at=minute, n_used=1):
        return True
    return bool(row.filter(last_used_at=minute, n_used__lt=limit).update(n_used=F("n_used") + 1))


def revoke_token(token: AccessToken) -> None:
    AccessToken.objects.filter(pk=token.pk, revoked_at=None).update(revoked_at=timezone.now())
