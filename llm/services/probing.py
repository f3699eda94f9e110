"""Trying an endpoint out: says hello, and finds out with three more cheap calls what the server can do."""

import asyncio
from datetime import datetime
from typing import Any

from django.db import transaction
from django.db.models import F, Q
from django.utils import timezone
from kombu.exceptions import OperationalError

from llm import capabilities, keys
from llm.clients import client_for
from llm.failures import Failure, Problem
from llm.models import Endpoint
from llm.prompts import Prompt, prompt_for
from llm.registry import Request
from llm.wire import Outcome, ask

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


def request_test(endpoint: Endpoint) -> None:
    """Asks a worker for a test; the page shows the last result with its time."""
    Endpoint.objects.filter(pk=endpoint.pk).update(test_requested_at=timezone.now())
    transaction.on_commit(lambda: _send(endpoint.pk))


def _send(endpoint_id: int) -> None:
    from llm.tasks import test_endpoint  # tasks import the services

    try:
        test_endpoint.apply_async(kwargs={"endpoint_id": endpoint_id}, retry=False)
    except (OperationalError, OSError):
        _store(endpoint_id, ok=False, problem="no_broker", reply="")


def is_awaited(since: datetime) -> bool:
    """Whether somebody has asked for a test since then and looks at a page that waits for it."""
    asked = Endpoint.objects.filter(test_requested_at__gt=since)
    return asked.filter(Q(tested_at=None) | Q(tested_at__lt=F("test_requested_at"))).exists()


def test(endpoint_id: int) -> bool:
    """Stores whether the model answered, what it said or what was wrong, and what the server can do."""
    endpoint = Endpoint.objects.get(pk=endpoint_id)
    try:
        key = keys.decrypt(endpoint.encrypted_key)
    except keys.UnreadableKey:
        return _store(endpoint_id, ok=False, problem="key_unreadable", reply="")
    hello = _probe(endpoint, key, "hello")
    if hello.reply is None:
        assert hello.problem is not None
        return _store(endpoint_id, ok=False, problem=hello.problem.failure, reply=_words(hello.problem, key))
    found: dict[str, Any] = {"usage": hello.reply.tokens_out is not None}
    for feature in ("seed", "logprobs", "json_schema"):
        found |= _found(feature, endpoint, _probe(endpoint, key, feature))
    capabilities.note(endpoint, **found)
    return _store(endpoint_id, ok=True, problem="", reply=keys.without_key(hello.reply.text, key)[:2000])


def _found(feature: str, endpoint: Endpoint, outcome: Outcome) -> dict[str, Any]:
    """What the probe says about its feature; nothing after a failure that may have other causes."""
    if outcome.reply is None:
        refused = outcome.problem is not None and outcome.problem.failure in (Failure.PARAMETER, Failure.REQUEST)
        return {feature: False} if refused or endpoint.can(feature) is False else {}
    if endpoint.can(feature) is False:
        return {}
    if feature == "logprobs":
        logprobs = outcome.reply.logprobs
        return {feature: bool(logprobs), "n_logprobs": max((len(token[2]) for token in logprobs or []), default=0)}
    if feature == "json_schema":
        return {feature: outcome.reply.text.strip().startswith("{")}
    return {feature: True}


def _probe(endpoint: Endpoint, key: str, feature: str) -> Outcome:
    """One probe; a parameter that the server does not take is noted, and the rest is asked again."""
    if feature in endpoint.capabilities and endpoint.can(feature) is False:
        endpoint.capabilities = {name: told for name, told in endpoint.capabilities.items() if name != feature}
        endpoint.save(update_fields=["capabilities"])
    for _change in range(MOST_CHANGES):
        prompt = prompt_for(endpoint, Request(HELLO, PROBES[feature]))
        outcome = asyncio.run(_ask(endpoint, key, prompt))
        problem = outcome.problem
        if problem is None or problem.failure != Failure.PARAMETER:
            return outcome
        if not capabilities.lower(endpoint, problem, prompt.params):
            return outcome
    return outcome


async def _ask(endpoint: Endpoint, key: str, prompt: Prompt) -> Outcome:
    client = client_for(endpoint.base_url, key, endpoint.timeout_seconds, 1)
    try:
        return await ask(client, 0, prompt.body(endpoint.model), endpoint.timeout_seconds)
    finally:
        await client.close()


def _words(problem: Problem, key: str) -> str:
    return keys.redact(problem.words, key)[:2000]


def _store(endpoint_id: int, *, ok: bool, problem: str, reply: str) -> bool:
    Endpoint.objects.filter(pk=endpoint_id).update(
        test_ok=ok, test_problem=problem, test_reply=reply, tested_at=timezone.now()
    )
    return ok
