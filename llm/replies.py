"""The body of a reply, read with suspicion: any server may send anything."""

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from llm.failures import Failure

MOST_CHARACTERS = 1_000_000
MOST_TOKENS = 4_000


class BadReply(Exception):
    """A reply with status 200 that is none; .failure says of which class."""

    def __init__(self, failure: Failure, words: str):
        super().__init__(words)
        self.failure = failure


@dataclass(frozen=True)
class Reply:
    """What a chat completion says; text may be empty."""

    text: str
    finish_reason: str
    model: str
    tokens_in: int | None
    tokens_out: int | None
    logprobs: list[Any] | None
    is_refusal: bool

    def cleaned(self, clean: Callable[[str], str]) -> "Reply":
        """The same with every word of the server's cleaned."""
        return replace(
            self,
            text=clean(self.text),
            finish_reason=clean(self.finish_reason),
            model=clean(self.model),
            logprobs=self.logprobs and [
                [clean(token), value, [[clean(other), share] for other, share in top]]
                for token, value, top in self.logprobs
            ],
        )  # fmt: skip


def storable(text: str) -> str:
    """The text without NUL and half surrogates, which PostgreSQL and UTF-8 refuse."""
    return text.replace("\x00", "\ufffd").encode("utf-8", "replace").decode("utf-8")[:MOST_CHARACTERS]


def read_body(body: str) -> Reply:
    """The first choice of a chat completion; BadReply if the body is not one."""
    data = _json(body)
    choice = _first(data)
    message = choice.get("message")
    if not isinstance(message, dict):
        raise BadReply(Failure.NO_JSON, "The reply holds no message.")
    finish = str(choice.get("finish_reason") or "")[:40]
    refusal = message.get("refusal")
    told = data.get("usage")
    usage: dict[str, Any] = told if isinstance(told, dict) else {}
    text = storable(str(refusal) if refusal else _content(message.get("content")))
    return Reply(
        text=text,
        finish_reason=storable(finish),
        model=storable(str(data.get("model") or ""))[:200],
        tokens_in=_count(usage.get("prompt_tokens"), least=1),
        tokens_out=_count(usage.get("completion_tokens"), least=1 if text else 0),
        logprobs=_logprobs(choice.get("logprobs")),
        is_refusal=bool(refusal) or finish == "content_filter",
    )


def _json(body: str) -> dict[str, Any]:
    try:
        data = json.loads(body.removeprefix("\ufeff"))
    except (ValueError, RecursionError):
        start = body.lstrip()[:1]
        failure = Failure.UNKNOWN if start == "{" else Failure.NO_JSON  # a truncated reply was paid, a page was not
        words = "The reply breaks off." if start == "{" else "The reply is no JSON."
        raise BadReply(failure, words) from None
    if not isinstance(data, dict):
        raise BadReply(Failure.NO_JSON, "The reply is JSON, but no object.")
    return data


def _first(data: dict[str, Any]) -> dict[str, Any]:
    choices = data.get("choices")
    if isinstance(choices, list) and choices and isinstance(choices[0], dict):
        return choices[0]
    error = data.get("error")
    words = str(error.get("message") if isinstance(error, dict) else error) if error else "The reply holds no choice."
    raise BadReply(Failure.NO_JSON, storable(words)[:2000])


def _content(content: Any) -> str:
    """The text; some servers send a list of parts."""
    if isinstance(content, list):
        parts = [part.get("text") for part in content if isinstance(part, dict)]
        return "".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else ""


def _count(value: Any, least: int) -> int | None:
    """A count of tokens; None where there is none that can be. Words of 0 tokens would let a run go past its budget."""
    return value if isinstance(value, int) and not isinstance(value, bool) and least <= value < 2**31 else None


def _logprobs(told: Any) -> list[Any] | None:
    """[[token, log-probability, [[token, log-probability], …]], …]; None if there are none that can be read."""
    tokens = told.get("content") if isinstance(told, dict) else None
    if not isinstance(tokens, list):
        return None
    read = []
    for token in tokens[:MOST_TOKENS]:
        pair = _pair(token)
        if pair is None:
            return None  # a gap would move every later token to a wrong place
        top = token.get("top_logprobs")
        pairs = [_pair(other) for other in top] if isinstance(top, list) else []
        read.append([*pair, [other for other in pairs if other is not None]])
    return read or None


def _pair(told: Any) -> list[Any] | None:
    """[token, log-probability]; servers write minus infinity as null, -9999 or not at all."""
    if not isinstance(told, dict) or not isinstance(told.get("token"), str):
        return None
    value = told.get("logprob")
    if isinstance(value, bool) or not isinstance(value, int | float) or not value <= 1e-3:  # NaN is not, either
        return None
    return [storable(told["token"]), float(max(value, -9999))]
