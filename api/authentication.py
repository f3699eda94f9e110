"""Authentication by a token in the header `Authorization: Bearer …`, its scopes, and the rate limit."""

from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _
from rest_framework.authentication import BaseAuthentication, get_authorization_header
from rest_framework.exceptions import AuthenticationFailed, NotAuthenticated, PermissionDenied
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.throttling import BaseThrottle

from api.models import AccessToken
from api.services.tokens import count_use, find_token
from projects.models import User

SCHEME = "Bearer"


class TokenAuthentication(BaseAuthentication):
    """The person of a token that is known, not expired and not revoked."""

    def authenticate(self, request: Request) -> tuple[User, AccessToken] | None:
        parts = get_authorization_header(request).decode("latin-1").split()
        if len(parts) != 2 or parts[0].lower() != SCHEME.lower():
            return None
        token = find_token(parts[1])
        if token is None or not token.user.is_active:
            raise AuthenticationFailed(_("This token is not known. Create one on your account page."))
        if token.revoked_at:
            raise AuthenticationFailed(_("This token was revoked. Create a new one on your account page."))
        if token.is_expired:
            raise AuthenticationFailed(_("This token has expired. Create a new one on your account page."))
        return token.user, token

    def authenticate_header(self, request: Request) -> str:
        return SCHEME


class HasScope(BasePermission):
    """The token has the scope of the operation. Checked before any lookup, so it reveals nothing about objects."""

    def has_permission(self, request: Request, view: Any) -> bool:
        if not isinstance(request.auth, AccessToken):
            raise NotAuthenticated(_("Send a token in the header: Authorization: Bearer lesart_…"))
        operation = view.operation
        if operation and operation.scope not in request.auth.scopes:
            sentence = _("This needs a token with the scope “%(scope)s” (%(label)s). Create one on your account page.")
            raise PermissionDenied(sentence % {"scope": operation.scope.value, "label": operation.scope.label})
        return True


class PerMinute(BaseThrottle):
    """A number of requests per token and minute of the clock (LESART_API_PER_MINUTE)."""

    def allow_request(self, request: Request, view: Any) -> bool:
        return not isinstance(request.auth, AccessToken) or count_use(request.auth)

    def wait(self) -> float:
        return 60.0 - timezone.now().second
