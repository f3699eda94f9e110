"""Endpoints: made and changed by admins, by page and by command."""

from collections.abc import Iterable
from decimal import Decimal
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _

from llm import keys
from llm.addresses import BadAddress, check_base_url
from llm.in_process.places import check_place, is_in_process
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
        endpoint.base_url = _checked(endpoint.base_url)
    except BadAddress as error:
        raise ValidationError({"base_url": str(error)}) from None
    is_moved = before is not None and before.base_url != endpoint.base_url
    if before is None or is_moved or before.model != endpoint.model:
        _forget_findings(endpoint)
    if key:
        endpoint.encrypted_key = keys.encrypt(_clean(key))
    elif is_moved:
        endpoint.encrypted_key = ""
    if endpoint.is_in_process:
        _fit_for_process(endpoint)
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


def _checked(base_url: str) -> str:
    return check_place(base_url) if is_in_process(base_url) else check_base_url(base_url)


def _fit_for_process(endpoint: Endpoint) -> None:
    """Nothing is paid, nobody asks for a key, and one reply is computed after another."""
    if endpoint.encrypted_key:
        raise ValidationError({"key": _("A model in the worker's own process has no key. Leave it out.")})
    endpoint.max_concurrency = 1
    if not endpoint.has_price:
        endpoint.price_in = endpoint.price_out = Decimal(0)


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
