"""Endpoints: made and changed by admins, by page and by command."""

from collections.abc import Iterable
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _

from llm import keys
from llm.addresses import BadAddress, check_base_url
from llm.models import Endpoint
from llm.services import probing
from projects.models import Project


class Taken(ValidationError):
    """The name belongs to another endpoint."""


def save_endpoint(
    endpoint: Endpoint, *, key: str = "", projects: Iterable[Project] | None = None, **fields: Any
) -> Endpoint:
    """Stores the fields; an empty key keeps the stored one, unless the address changed: it is asked for again.

    `projects` are those that may use it, an empty list means all; None leaves that as it is.
    ValidationError, and nothing stored, if a field cannot be. What was found out about another address or model is
    forgotten.
    """
    before = Endpoint.objects.filter(pk=endpoint.pk).first() if endpoint.pk else None
    for name, value in fields.items():
        setattr(endpoint, name, value)
    try:
        endpoint.base_url = check_base_url(endpoint.base_url)
    except BadAddress as error:
        raise ValidationError({"base_url": str(error)}) from None
    is_moved = before is not None and before.base_url != endpoint.base_url
    if before is None or is_moved or before.model != endpoint.model:
        _forget_findings(endpoint)
    if key:
        endpoint.encrypted_key = keys.encrypt(_clean(key))
    elif is_moved:
        endpoint.encrypted_key = ""
    endpoint.full_clean()
    with transaction.atomic():
        endpoint.save()
        if projects is not None:
            endpoint.projects.set(projects)
    return endpoint


def add_endpoint(*, key: str = "", **fields: Any) -> Endpoint:
    """A new endpoint, with its test on the way."""
    endpoint = save_endpoint(Endpoint(), key=key, **fields)
    probing.request_test(endpoint)
    return endpoint


def forget_key(endpoint: Endpoint) -> None:
    Endpoint.objects.filter(pk=endpoint.pk).update(encrypted_key="")


def delete_endpoint(endpoint: Endpoint) -> bool:
    """Only one without runs: their calls say where they were asked. False if it has some."""
    if endpoint.runs.exists():
        return False
    endpoint.delete()
    return True


def _clean(key: str) -> str:
    key = key.strip()
    if not key.isascii() or not key.isprintable() or " " in key:
        raise ValidationError(
            {"key": _("The key holds a space, a line break or a letter that no key has. Copy it again.")}
        )
    return key


def _forget_findings(endpoint: Endpoint) -> None:
    endpoint.capabilities = {}
    endpoint.blocked_until = endpoint.limited_since = endpoint.concurrency_now = None
    endpoint.tested_at = endpoint.test_ok = endpoint.test_requested_at = None
    endpoint.test_problem = endpoint.test_reply = ""
