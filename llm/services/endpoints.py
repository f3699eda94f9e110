"""Creating, changing, deleting and testing endpoints, and the small local model as one of them."""

import asyncio
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from decimal import Decimal
from typing import Any
from urllib.parse import urlsplit

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone
from django.utils.module_loading import import_string
from django.utils.translation import gettext as _

from jobs.scheduling import send_task
from llm import capabilities, keys
from llm.addresses import BadAddress, check_base_url, check_folder, is_in_process
from llm.answers import strip_traces
from llm.failures import Failure, Problem
from llm.models import Endpoint
from llm.prompts import FOR_REASONING, LENGTH, Prompt, build_prompt
from llm.registry import Request
from llm.small_model import AT_A_TIME, MODEL, is_answering
from llm.wire import Outcome, make_client, send_request
from projects.models import Project

HELLO = [{"role": "user", "content": "Say hello in one short sentence."}]
SCHEMA = {
    "type": "json_schema",
    "json_schema": {
        "name": "greeting",
        "strict": True,
        "schema": {
            "type": "object",
            "properties": {"greeting": {"type": "string"}},
            "required": ["greeting"],
            "additionalProperties": False,
        },
    },
}
PROBES: dict[str, dict[str, Any]] = {
    "hello": {"temperature": 0, "max_tokens": 32},
    "seed": {"temperature": 0, "max_tokens": 8, "seed": 1},
    "logprobs": {"temperature": 0, "max_tokens": 4, "logprobs": True, "top_logprobs": 20},
    "json_schema": {"temperature": 0, "max_tokens": 64, "response_format": SCHEMA},
}
MOST_CHANGES = 3
LIMITS = (None, 512, FOR_REASONING)
"""Output tokens of a probe: as in PROBES (None), and larger after a cut-off reply."""


def request_test(endpoint: Endpoint) -> None:
    """Ask a worker for a test; the page shows the last result with its time."""
    Endpoint.objects.filter(pk=endpoint.pk).update(test_requested_at=timezone.now())
    transaction.on_commit(lambda: _send(endpoint.pk))


def _send(endpoint_id: int) -> None:
    if not send_task("llm.tasks.test_endpoint", endpoint_id=endpoint_id):
        _store_test_result(endpoint_id, ok=False, problem="no_broker", reply="")


def is_test_awaited(since: datetime) -> bool:
    """Whether somebody has requested a test since then, and a page is waiting for it."""
    asked = Endpoint.objects.filter(test_requested_at__gt=since)
    return asked.filter(Q(tested_at=None) | Q(tested_at__lt=F("test_requested_at"))).exists()


def probe_endpoint(endpoint_id: int) -> bool:
    """Store whether the model answered, its answer or the error, and the server's capabilities."""
    endpoint = Endpoint.objects.get(pk=endpoint_id)
    try:
        key = keys.decrypt(endpoint.encrypted_key)
    except keys.UnreadableKey:
        return _store_test_result(endpoint_id, ok=False, problem="key_unreadable", reply="")
    hello = _probe(endpoint, key, "hello")
    if hello.reply is None:
        assert hello.problem is not None
        return _store_test_result(
            endpoint_id, ok=False, problem=hello.problem.failure, reply=_redact_problem(hello.problem, key)
        )
    found: dict[str, Any] = {"usage": hello.reply.tokens_out is not None}
    capabilities.record_capabilities(endpoint, reasons=hello.reply.is_reasoned)  # they need more tokens
    for feature in ("seed", "logprobs", "json_schema"):
        found |= _read_finding(feature, endpoint, _probe(endpoint, key, feature))
    capabilities.record_capabilities(endpoint, **found)
    return _store_test_result(endpoint_id, ok=True, problem="", reply=keys.remove_key(hello.reply.text, key)[:2000])


def _read_finding(feature: str, endpoint: Endpoint, outcome: Outcome) -> dict[str, Any]:
    """The probe's finding about its feature; empty after a failure that may have other causes."""
    if outcome.reply is None:
        refused = outcome.problem is not None and outcome.problem.failure in (Failure.PARAMETER, Failure.REQUEST)
        return {feature: False} if refused or endpoint.can(feature) is False else {}
    if endpoint.can(feature) is False:
        return {}
    if feature == "logprobs":
        logprobs = outcome.reply.logprobs
        return {feature: bool(logprobs), "n_logprobs": max((len(token[2]) for token in logprobs or []), default=0)}
    if feature == "json_schema":
        return {feature: strip_traces(outcome.reply.text).strip().startswith("{")}
    return {feature: True}


def _probe(endpoint: Endpoint, key: str, feature: str) -> Outcome:
    """One probe, repeated with a higher limit if the model was still reasoning when its reply was cut off."""
    for limit in LIMITS:
        outcome = _probe_within(endpoint, key, feature, {LENGTH: limit} if limit else {})
        reply = outcome.reply
        if reply is None or reply.finish_reason != "length" or strip_traces(reply.text).strip():
            break
    return outcome


def _probe_within(endpoint: Endpoint, key: str, feature: str, adjust: dict[str, Any]) -> Outcome:
    """One probe. If the server rejects a parameter, record that and ask again without it."""
    if feature in endpoint.capabilities and endpoint.can(feature) is False:
        endpoint.capabilities = {name: value for name, value in endpoint.capabilities.items() if name != feature}
        endpoint.save(update_fields=["capabilities"])
    for _change in range(MOST_CHANGES):
        prompt = build_prompt(
            endpoint, Request(HELLO, PROBES[feature]), adjust, replace(endpoint.options, max_tokens=None)
        )
        outcome = asyncio.run(_ask(endpoint, key, prompt))
        problem = outcome.problem
        if problem is None:
            capabilities.record_limit_name(endpoint, prompt)
            return outcome
        if problem.failure != Failure.PARAMETER or not capabilities.record_unsupported(endpoint, problem, prompt):
            return outcome
    return outcome


async def _ask(endpoint: Endpoint, key: str, prompt: Prompt) -> Outcome:
    client = make_client(endpoint.base_url, key, endpoint.timeout_seconds, 1)
    try:
        return await send_request(client, 0, prompt.body(endpoint.model), endpoint.timeout_seconds)
    finally:
        await client.close()


def _redact_problem(problem: Problem, key: str) -> str:
    return keys.redact(problem.words, key)[:2000]


def _store_test_result(endpoint_id: int, *, ok: bool, problem: str, reply: str) -> bool:
    Endpoint.objects.filter(pk=endpoint_id).update(
        test_ok=ok, test_problem=problem, test_reply=reply, tested_at=timezone.now()
    )
    return ok


class NameTaken(ValidationError):
    """The name belongs to another endpoint."""


def save_endpoint(
    endpoint: Endpoint, *, key: str = "", projects: Iterable[Project] | None = None, **fields: Any
) -> Endpoint:
    """Store the fields; an empty key keeps the stored one, unless the address changed: the key is then required again.

    `projects`: those that may use it, an empty list means all; None changes nothing. ValidationError, and nothing
    stored, if a field is invalid. Findings about another address or model are deleted.
    """
    before = Endpoint.objects.filter(pk=endpoint.pk).first() if endpoint.pk else None
    for name, value in fields.items():
        setattr(endpoint, name, value)
    try:
        endpoint.base_url = _check_address(endpoint.base_url)
    except BadAddress as error:
        raise ValidationError({"base_url": str(error)}) from None
    is_moved = before is not None and before.base_url != endpoint.base_url
    if before is None or is_moved or before.model != endpoint.model:
        _forget_findings(endpoint)
    if key:
        endpoint.encrypted_key = keys.encrypt(_clean_key(key))
    elif is_moved:
        endpoint.encrypted_key = ""
    if endpoint.is_in_process:
        _prepare_for_process(endpoint)
    endpoint.full_clean()
    with transaction.atomic():
        endpoint.save()
        if projects is not None:
            endpoint.projects.set(projects)
    return endpoint


def add_endpoint(*, key: str = "", **fields: Any) -> Endpoint:
    """Create an endpoint and request its test."""
    endpoint = save_endpoint(Endpoint(), key=key, **fields)
    request_test(endpoint)
    return endpoint


def forget_key(endpoint: Endpoint) -> None:
    Endpoint.objects.filter(pk=endpoint.pk).update(encrypted_key="")


def delete_endpoint(endpoint: Endpoint) -> bool:
    """Delete an endpoint without runs, whose calls would refer to it. False if it has runs."""
    if endpoint.runs.exists():
        return False
    endpoint.delete()
    return True


def _check_address(base_url: str) -> str:
    return check_folder(base_url) if is_in_process(base_url) else check_base_url(base_url)


def _prepare_for_process(endpoint: Endpoint) -> None:
    """Set defaults of a model in process: no price, no key, one reply at a time."""
    if endpoint.encrypted_key:
        raise ValidationError({"key": _("A model in the worker's own process has no key. Leave it out.")})
    endpoint.max_concurrency = 1
    if not endpoint.has_price:
        endpoint.price_in = endpoint.price_out = Decimal(0)


def _clean_key(key: str) -> str:
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


# The small local model as an endpoint: added automatically, free of charge, and described as small.


NAME = "smollm2-135m"
PATIENCE_SECONDS = 900  # it may write a thousand tokens on a busy machine
NOWHERE = "http://127.0.0.1:1/v1"  # placeholder until it is started
DESCRIPTION = (
    "A very small model that comes with Lesart and runs on this machine, without an account and for nothing. It is for"
    " trying the workbench out: its questions are poor and its answers hardly better than chance. For a study, add a"
    " capable model."
)


class CannotRunHere(Exception):
    """The local model cannot be started; the message says why."""


def offer_local_endpoint(base_url: str, key: str) -> Endpoint:
    """Store the local model's current address and key, and return its endpoint. The address is not checked, so only
    the process that runs the model calls this."""
    endpoint = get_local_endpoint()
    endpoint.base_url, endpoint.encrypted_key, endpoint.is_active = base_url, keys.encrypt(key), True
    endpoint.blocked_until = endpoint.limited_since = None
    endpoint.save()
    return endpoint


def get_local_endpoint() -> Endpoint:
    """The local model's endpoint. It exists even if the model cannot run: the sample project has runs of it."""
    first = {
        "model": MODEL, "description": DESCRIPTION, "max_concurrency": AT_A_TIME, "timeout_seconds": PATIENCE_SECONDS,
        "price_in": Decimal(0), "price_out": Decimal(0),
    }  # fmt: skip
    present = Endpoint.objects.filter(is_local=True).first()
    return present or Endpoint.objects.create(is_local=True, name=_find_free_name(), base_url=NOWHERE, **first)


def withdraw_local_endpoint() -> None:
    """Stop offering the local model for new runs, because it is not running."""
    Endpoint.objects.filter(is_local=True).update(is_active=False)


@contextmanager
def ensure_running(endpoint: Endpoint) -> Iterator[None]:
    """A context for commands without workers, in which the endpoint can be called. The local model is started if it
    does not run; CannotRunHere if that is impossible."""
    if not endpoint.is_local or _is_running(endpoint):
        yield
        return
    try:
        with import_string(settings.LESART_LOCAL_MODEL)() as (base_url, key):
            settings.LESART_INSIDE_HOSTS.append(urlsplit(base_url).netloc)
            offer_local_endpoint(base_url, key)
            yield
    except (RuntimeError, TimeoutError) as error:
        raise CannotRunHere(str(error)) from error


def _is_running(endpoint: Endpoint) -> bool:
    try:
        return is_answering(endpoint.base_url, keys.decrypt(endpoint.encrypted_key))
    except keys.UnreadableKey:
        return False


def _find_free_name() -> str:
    taken = set(Endpoint.objects.filter(name__startswith=NAME).values_list("name", flat=True))
    return next(name for name in (NAME, *(f"{NAME} ({n})" for n in range(2, 1000))) if name not in taken)
