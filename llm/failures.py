"""What went wrong with a call, whether it is tried again, and what people are told to do about it."""

import json
import re
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from enum import StrEnum
from typing import Any

import aiohttp
from django.utils.translation import gettext_lazy as _

from llm.addresses import BadAddress
from llm.transport import Received


class Failure(StrEnum):
    """The classes of failure; each has its own rule and its own remedy."""

    LIMIT = "limit"
    KEY = "key"
    QUOTA = "quota"
    SERVER = "server"
    NO_JSON = "no_json"
    CONNECTION = "connection"
    UNKNOWN = "unknown"
    REQUEST = "request"
    NO_MODEL = "no_model"
    TOO_LONG = "too_long"
    PARAMETER = "parameter"
    REDIRECT = "redirect"
    ADDRESS = "address"
    CONTENT = "content"
    EMPTY = "empty"
    CUT = "cut"
    PARSE = "parse"
    UNUSABLE = "unusable"
    CHANGED = "changed"
    PROMPT = "prompt"
    READING = "reading"


TRIES = {
    Failure.SERVER: 5,
    Failure.NO_JSON: 5,
    Failure.CONNECTION: 5,
    Failure.UNKNOWN: 2,
}
"""How often a call is sent at most when it fails in this way; once where nothing stands here."""
PAUSES = {Failure.KEY, Failure.QUOTA, Failure.REDIRECT, Failure.ADDRESS}
STOPS = {Failure.REQUEST, Failure.NO_MODEL, Failure.TOO_LONG}

REMEDIES: dict[str, Any] = {
    Failure.LIMIT: _(
        "The server says: too many requests. Lower “calls at a time” of the endpoint, or try again later."
    ),
    Failure.KEY: _("The server refuses the key. An admin enters a valid one on the endpoint's page."),
    Failure.QUOTA: _("The account at the model service has no money or quota left. Top it up there."),
    Failure.SERVER: _("The server answered with an error of its own. Look at its log; then retry what failed."),
    Failure.NO_JSON: _(
        "The address answers with a page or a fragment, not with the JSON of a model server. "
        "Check the base URL of the endpoint: it usually ends in /v1."
    ),
    Failure.CONNECTION: _("Nothing answers at the address. Start the model server or correct the base URL."),
    Failure.UNKNOWN: _(
        "The connection broke, or no reply came in time, after the request was sent: it may have been paid. "
        "Check the server, or give it more seconds on the endpoint's page; then retry what failed."
    ),
    Failure.REQUEST: _(
        "The server refuses this kind of request; its words are below. Change the parameters of the run."
    ),
    Failure.NO_MODEL: _(
        "The server does not know this model, or the address is wrong. Correct it on the endpoint's page."
    ),
    Failure.TOO_LONG: _(
        "The prompt is longer than the model can read. Use a shorter prompt or a model with a longer context."
    ),
    Failure.PARAMETER: _(
        "The server does not accept a parameter; it is left out from now on and the call is sent again."
    ),
    Failure.REDIRECT: _(
        "The server sends us to another address, which is not followed. Enter the final address as base URL."
    ),
    Failure.ADDRESS: _("The address of the endpoint may not be called. Its page says why and what to do."),
    Failure.CONTENT: _("The model or its filter declined to answer. Such answers are missing in the figures."),
    Failure.EMPTY: _("The reply was empty, twice. Try another model, or allow more output tokens."),
    Failure.CUT: _("The reply ended at the limit of output tokens, twice. Allow more output tokens."),
    Failure.PARSE: _(
        "The reply could be read, but holds no answer. Look at it: often the model explains instead of answering."
    ),
    Failure.UNUSABLE: _("The reply could be read, but not be used; it is kept, and the model was asked for another."),
    Failure.CHANGED: _("The prompt has changed since the run was planned. Start a new run."),
    Failure.PROMPT: _("No prompt could be made for this call; the reason is below. Correct it and retry what failed."),
    Failure.READING: _(
        "The reply is stored, but reading it met an error of ours; it is in the log. Retry what failed."
    ),
    "budget": _("The budget of the run is reached. Raise it, or cancel the run."),
    "limited": _(
        "The server has refused for 15 minutes, or asks to wait longer, because of too many requests. Try again later."
    ),
    "unreachable": _("20 calls in a row found nobody at the address. Start the model server."),
    "held": _("Calls were on the wire when a worker died; it is unknown whether they were paid. Decide below."),
    "user": _("Somebody paused it."),
    "planning": _("The plan could not be made; the reason is in the log of the worker. Correct it."),
    "no_broker": _("No message could be sent to the workers: the broker does not answer. Start it; then test again."),
    "key_unreadable": _(
        "The stored key cannot be read, because SECRET_KEY changed. Enter the key again on the endpoint's page."
    ),
}


def remedy(name: str) -> str:
    """The sentence for a failure or a reason; a sentence of a door stays as it is."""
    return str(REMEDIES.get(name, name))


@dataclass(frozen=True)
class Problem:
    """A failure, in the server's own words, with what the reply says about waiting."""

    failure: Failure
    words: str
    status: int | None = None
    retry_after: float | None = None
    body: str | None = None

    @property
    def asks_to_wait(self) -> bool:
        """Whether the server has too much to do for now: everybody on the endpoint waits, the call is not to blame."""
        return self.failure == Failure.LIMIT or (self.status == 503 and self.retry_after is not None)

    @property
    def holds_back(self) -> bool:
        """Whether what has not left must not leave before the ledger has heard of it."""
        return self.asks_to_wait or self.failure in PAUSES | STOPS


def problem_of(error: BaseException) -> Problem:
    """The problem behind an exception of the transport; unexpected exceptions are raised again."""
    if isinstance(error, BadAddress | aiohttp.InvalidURL):
        return Problem(Failure.ADDRESS, str(error))
    if isinstance(error, aiohttp.ClientConnectorError | aiohttp.ConnectionTimeoutError):
        return Problem(Failure.CONNECTION, str(error) or type(error).__name__)
    if isinstance(error, aiohttp.ClientError | TimeoutError):
        return Problem(Failure.UNKNOWN, f"{type(error).__name__}: {error}".rstrip(": "))
    raise error


def problem_of_status(received: Received) -> Problem | None:
    """The problem that the status of a reply tells; None if it tells none."""
    if 200 <= received.status < 300:
        return None
    message, code = _told(received.text)
    failure = _failure_of(received.status, message.lower(), code.lower())
    words = message or f"{received.status} {received.reason}".strip()
    waits = retry_after(received.headers.get("Retry-After"))
    return Problem(failure, words[:2000], received.status, waits, received.text)


def _told(body: str) -> tuple[str, str]:
    """(message, code and type) of an error reply, whatever its shape."""
    try:
        told = json.loads(body)
    except (ValueError, RecursionError):
        return "", ""
    told = told.get("error", told) if isinstance(told, dict) else told
    if not isinstance(told, dict):
        return str(told), ""
    message = told.get("message") or told.get("detail") or ""
    return str(message), " ".join(str(told.get(name) or "") for name in ("code", "type", "param"))


QUOTA = re.compile(r"insufficient_quota|billing|credit balance|quota exceeded|exceeded your current quota|payment")
TOO_LONG = re.compile(
    r"context_length|context length|maximum context|too long|exceed_context|context size|too many tokens"
)
CONTENT = re.compile(r"content_filter|content_policy|content management policy|safety system|responsibleai")
PARAMETER = re.compile(
    r"unsupported_parameter|unsupported_value|unknown_parameter|unrecognized request argument"
    r"|(?:not supported|unsupported|not support|not allowed|not enabled|unexpected|unknown|extra inputs)"
)


def _failure_of(status: int, message: str, code: str) -> Failure:
    told = f"{code} {message}"
    if status in (401, 403):
        return Failure.KEY
    if status == 402 or (status in (400, 429) and QUOTA.search(told)):
        return Failure.QUOTA
    if status == 429:
        return Failure.LIMIT
    if 300 <= status < 400:
        return Failure.REDIRECT
    if status >= 500 or status in (408, 409, 425):
        return Failure.SERVER
    if CONTENT.search(told):
        return Failure.CONTENT
    if status == 413 or TOO_LONG.search(told):
        return Failure.TOO_LONG
    if status == 404 or "model_not_found" in told:
        return Failure.NO_MODEL
    if status in (400, 422) and PARAMETER.search(told):
        return Failure.PARAMETER
    return Failure.REQUEST


def retry_after(header: str | None) -> float | None:
    """Seconds to wait: the header holds seconds or a date; anything else is as if it were not there."""
    if not header:
        return None
    try:
        seconds = float(header)
    except ValueError:
        try:
            seconds = (parsedate_to_datetime(header) - datetime.now(UTC)).total_seconds()
        except (ValueError, TypeError):
            return None
    return min(max(seconds, 0.0), 3600.0) if seconds == seconds else None
