"""Failures of calls: whether they are retried, and what people can do about them."""

import json
import random
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from django.utils.translation import gettext_lazy as _

from llm.addresses import BadAddress
from llm.models import CallState

if TYPE_CHECKING:
    from llm.transport import RawResponse  # imports aiohttp, which most commands never need


class Failure(StrEnum):
    """The classes of failure, each with its own rule and its own remedy."""

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
"""How often a call that fails in this way is sent at most; once if it is not listed."""
PAUSES = {Failure.KEY, Failure.QUOTA, Failure.REDIRECT, Failure.ADDRESS}
STOPS = {Failure.REQUEST, Failure.NO_MODEL, Failure.TOO_LONG}
"""Failures that pause the run at once, and those that end it if its first calls all fail in this way."""

REMEDIES: dict[str, Any] = {
    Failure.LIMIT: _(
        "The server reports too many requests. Lower “calls at a time” of the endpoint, or try again later."
    ),
    Failure.KEY: _("The server refused the key. Ask an admin to enter a valid key on the endpoint's page."),
    Failure.QUOTA: _("The account at the model service has no money or quota left. Top it up there."),
    Failure.SERVER: _("The server failed. Check its log, then retry the failed calls."),
    Failure.NO_JSON: _(
        "The address returned something other than the JSON of a model server. "
        "Check the base URL of the endpoint: it usually ends in /v1."
    ),
    Failure.CONNECTION: _("Nothing answers at this address. Start the model server or correct the base URL."),
    Failure.UNKNOWN: _(
        "The connection broke, or no reply came in time, after the request was sent: it may have been billed. "
        "Check the server, or increase the timeout on the endpoint's page; then retry the failed calls."
    ),
    Failure.REQUEST: _("The server refused the request; its message is below. Change the parameters of the run."),
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
        "The server redirects to another address, which Lesart does not follow. Enter the final address as base URL."
    ),
    Failure.ADDRESS: _("The endpoint's address is not allowed. The endpoint's page says why and what to do."),
    Failure.CONTENT: _("The model or its content filter refused to answer. These answers count as missing."),
    Failure.EMPTY: _("The reply was empty, twice. Try another model, or allow more output tokens."),
    Failure.CUT: _("The reply was cut off at the largest output token limit. Allow more output tokens."),
    Failure.PARSE: _("The reply holds no answer. Read it: models often explain instead of answering."),
    Failure.UNUSABLE: _("The reply could not be used; it is stored, and the model was asked again."),
    Failure.CHANGED: _("The prompt has changed since the run was planned. Start a new run."),
    Failure.PROMPT: _(
        "No prompt could be made for this call; the reason is below. Correct it, then retry the failed calls."
    ),
    Failure.READING: _(
        "The reply is stored, but Lesart failed to read it; the error is in the log. Retry the failed calls."
    ),
    "unusable_cut": _(
        "The first replies were all cut off before they answered. Give the model more output tokens or less reasoning "
        "effort: start again with other values, or set them on the endpoint's page."
    ),
    "unusable_parse": _(
        "None of the first replies holds an answer that can be read. Read some of them below; then choose another "
        "prompt or another model."
    ),
    "unusable_logprobs": _(
        "The server sent no log-probabilities with its first replies. Count the written label instead, or choose "
        "another model."
    ),
    "budget": _("The run has reached its budget. Raise it, or cancel the run."),
    "limited": _("The server reported too many requests for 15 minutes, or asks to wait longer. Try again later."),
    "unreachable": _("20 calls in a row could not connect. Start the model server."),
    "held": _("A worker crashed while calls were waiting for a reply; they may have been billed. Decide below."),
    "user": _("A team member paused the run."),
    "planning": _("The run could not be planned; the reason is in the worker's log. Correct it."),
    "no_broker": _("The message broker does not answer, so no worker was notified. Start the broker, then test again."),
    "key_unreadable": _(
        "The stored key cannot be read, because SECRET_KEY changed. Enter the key again on the endpoint's page."
    ),
}


UNUSABLE_REASONS = ("unusable_cut", "unusable_parse", "unusable_logprobs")
"""Why a run is paused when none of its first replies could be used."""


def get_remedy(name: str) -> str:
    """The sentence for a failure or a reason; a run kind's own sentence is returned unchanged."""
    return str(REMEDIES.get(name, name))


@dataclass(frozen=True)
class Problem:
    """A failure in the server's own words, with the reply's instructions about waiting."""

    failure: Failure
    words: str
    status: int | None = None
    retry_after: float | None = None
    body: str | None = None

    @property
    def asks_to_wait(self) -> bool:
        """Whether the server is overloaded: everybody on the endpoint waits, and the call is not to blame."""
        return self.failure == Failure.LIMIT or (self.status == 503 and self.retry_after is not None)

    @property
    def holds_back(self) -> bool:
        """Whether unsent calls must wait until the ledger has recorded this."""
        return self.asks_to_wait or self.failure in PAUSES | STOPS


def find_problem_in_error(error: BaseException) -> Problem:
    """The problem behind an exception of the transport; unexpected exceptions are raised again."""
    import aiohttp

    if isinstance(error, BadAddress | aiohttp.InvalidURL):
        return Problem(Failure.ADDRESS, str(error))
    if isinstance(error, aiohttp.ClientConnectorError | aiohttp.ConnectionTimeoutError):
        return Problem(Failure.CONNECTION, str(error) or type(error).__name__)
    if isinstance(error, aiohttp.ClientError | TimeoutError):
        return Problem(Failure.UNKNOWN, f"{type(error).__name__}: {error}".rstrip(": "))
    raise error


def find_problem_in_status(received: "RawResponse") -> Problem | None:
    """The problem in the status of a reply; None if there is none."""
    if 200 <= received.status < 300:
        return None
    message, code = _read_error(received.text)
    failure = _classify(received.status, message.lower(), code.lower())
    words = message or f"{received.status} {received.reason}".strip()
    waits = parse_retry_after(received.headers.get("Retry-After"))
    return Problem(failure, words[:2000], received.status, waits, received.text)


def _read_error(body: str) -> tuple[str, str]:
    """(message, code and type) of an error reply of any shape."""
    try:
        error = json.loads(body)
    except (ValueError, RecursionError):
        return "", ""
    error = error.get("error", error) if isinstance(error, dict) else error
    if not isinstance(error, dict):
        return str(error), ""
    message = error.get("message") or error.get("detail") or ""
    return str(message), " ".join(str(error.get(name) or "") for name in ("code", "type", "param"))


QUOTA = re.compile(r"insufficient_quota|billing|credit balance|quota exceeded|exceeded your current quota|payment")
TOO_LONG = re.compile(
    r"context_length|context length|maximum context|too long|exceed_context|context size|too many tokens"
)
CONTENT = re.compile(r"content_filter|content_policy|content management policy|safety system|responsibleai")
PARAMETER = re.compile(
    r"unsupported_parameter|unsupported_value|unknown_parameter|unrecognized request argument"
    r"|(?:not supported|unsupported|not support|not allowed|not enabled|unexpected|unknown|extra inputs)"
)


def _classify(status: int, message: str, code: str) -> Failure:
    text = f"{code} {message}"
    if status in (401, 403):
        return Failure.KEY
    if status == 402 or (status in (400, 429) and QUOTA.search(text)):
        return Failure.QUOTA
    if status == 429:
        return Failure.LIMIT
    if 300 <= status < 400:
        return Failure.REDIRECT
    if status >= 500 or status in (408, 409, 425):
        return Failure.SERVER
    if CONTENT.search(text):
        return Failure.CONTENT
    if status == 413 or TOO_LONG.search(text):
        return Failure.TOO_LONG
    if status == 404 or "model_not_found" in text:
        return Failure.NO_MODEL
    if status in (400, 422) and PARAMETER.search(text):
        return Failure.PARAMETER
    return Failure.REQUEST


def parse_retry_after(header: str | None) -> float | None:
    """Seconds to wait: the header has seconds or a date; anything else is ignored."""
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


FIRST_DELAY, LONGEST_DELAY = 0.5, 30.0
LIMIT_DELAY = 5.0
LEAST_LIMIT_DELAY = 1.0  # minimum, even if the server says 0 seconds or a date in the past
LIMITED_FOR = timedelta(minutes=15)


@dataclass(frozen=True)
class Verdict:
    """The next state of the call, when it may be retried, and whether the run must be paused."""

    state: CallState
    delay: timedelta = timedelta(0)
    uses_try: bool = True
    pauses_run: bool = False
    blocks_endpoint: timedelta | None = None
    counts_as_paid: bool = False


def decide_retry(problem: Problem, tries: int, *, was_lowered: bool = False) -> Verdict:
    """What happens to a call after a problem. `tries` includes this one; the server's limits and pauses do not count.

    `was_lowered`: the server rejected a parameter, which is left out from now on; this does not count as a try either.
    """
    failure = problem.failure
    if problem.asks_to_wait:
        delay = LIMIT_DELAY if problem.retry_after is None else problem.retry_after
        wait = min(timedelta(seconds=max(delay, LEAST_LIMIT_DELAY)), LIMITED_FOR)
        return Verdict(CallState.WAITING, wait, uses_try=False, blocks_endpoint=wait)
    if failure in PAUSES:
        return Verdict(CallState.WAITING, uses_try=False, pauses_run=True)
    if failure == Failure.CONTENT:
        return Verdict(CallState.REFUSED)
    if was_lowered:
        return Verdict(CallState.WAITING, uses_try=False)
    paid = failure == Failure.UNKNOWN
    if tries < TRIES.get(failure, 1):
        return Verdict(CallState.WAITING, draw_delay(tries), counts_as_paid=paid)
    return Verdict(CallState.FAILED, counts_as_paid=paid)


def draw_delay(tries: int) -> timedelta:
    """A random delay up to 0.5 s × 2ⁿ, at most 30 s, so that callers that failed together do not retry together."""
    return timedelta(seconds=random.uniform(0, min(FIRST_DELAY * 2**tries, LONGEST_DELAY)))
