"""Parsing the body of a reply defensively: a server may send anything."""

import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from llm.answers import has_trace, select_answer_tokens
from llm.failures import Failure

MOST_CHARACTERS = 1_000_000
MOST_TOKENS = 4_000
REASONING_FIELDS = ("reasoning_content", "reasoning", "reasoning_details", "thinking", "thinking_blocks")
REASONING_PARTS = ("thinking", "reasoning", "redacted_thinking", "summary_text")


class BadReply(Exception):
    """A reply with status 200 that is unusable; .failure is its class."""

    def __init__(self, failure: Failure, words: str):
        super().__init__(words)
        self.failure = failure


@dataclass(frozen=True)
class Reply:
    """The content of a chat completion; text may be empty."""

    text: str
    finish_reason: str
    model: str
    tokens_in: int | None
    tokens_out: int | None
    logprobs: list[Any] | None
    is_refusal: bool
    is_reasoned: bool = False
    """Whether the model reasoned before it answered, in the text or in a separate field."""

    def map_text(self, clean: Callable[[str], str]) -> "Reply":
        """The reply with `clean` applied to all of the server's text."""
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


def make_storable(text: str) -> str:
    """The text without NUL and lone surrogates, which PostgreSQL and UTF-8 reject."""
    return text.replace("\x00", "\ufffd").encode("utf-8", "replace").decode("utf-8")[:MOST_CHARACTERS]


def parse_reply(body: str) -> Reply:
    """The first choice of a chat completion; BadReply if the body is not one."""
    data = _parse_json(body)
    choice = _get_first_choice(data)
    message = choice.get("message")
    if not isinstance(message, dict):
        raise BadReply(Failure.NO_JSON, "The reply holds no message.")
    finish = str(choice.get("finish_reason") or "")[:40]
    refusal = message.get("refusal")
    given = data.get("usage")
    usage: dict[str, Any] = given if isinstance(given, dict) else {}
    text = make_storable(str(refusal) if refusal else _get_text(message.get("content")))
    return Reply(
        text=text,
        finish_reason=make_storable(finish),
        model=make_storable(str(data.get("model") or ""))[:200],
        tokens_in=_parse_count(usage.get("prompt_tokens"), least=1),
        tokens_out=_parse_count(usage.get("completion_tokens"), least=1 if text else 0),
        logprobs=_parse_logprobs(choice.get("logprobs"), text),
        is_refusal=bool(refusal) or finish == "content_filter",
        is_reasoned=has_trace(text) or _has_reasoning(message, usage),
    )


def _parse_json(body: str) -> dict[str, Any]:
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


def _get_first_choice(data: dict[str, Any]) -> dict[str, Any]:
    choices = data.get("choices")
    if isinstance(choices, list) and choices and isinstance(choices[0], dict):
        return choices[0]
    error = data.get("error")
    words = str(error.get("message") if isinstance(error, dict) else error) if error else "The reply holds no choice."
    raise BadReply(Failure.NO_JSON, make_storable(words)[:2000])


def _has_reasoning(message: dict[str, Any], usage: dict[str, Any]) -> bool:
    """Whether a field of the reply holds reasoning, or counts its tokens."""
    details = usage.get("completion_tokens_details")
    counted = details.get("reasoning_tokens") if isinstance(details, dict) else None
    content = message.get("content")
    parts = content if isinstance(content, list) else []
    in_parts = any(isinstance(part, dict) and part.get("type") in REASONING_PARTS for part in parts)
    return bool(_parse_count(counted, least=1)) or in_parts or any(message.get(name) for name in REASONING_FIELDS)


def _get_text(content: Any) -> str:
    """The text; some servers send a list of parts, including reasoning."""
    if isinstance(content, list):
        shown = (part for part in content if isinstance(part, dict) and part.get("type") not in REASONING_PARTS)
        parts = [part.get("text") for part in shown]
        return "".join(part for part in parts if isinstance(part, str))
    return content if isinstance(content, str) else ""


def _parse_count(value: Any, least: int) -> int | None:
    """A count of tokens; None if it is missing or implausible. With 0 tokens a run could exceed its budget."""
    return value if isinstance(value, int) and not isinstance(value, bool) and least <= value < 2**31 else None


def _parse_logprobs(logprobs: Any, text: str) -> list[Any] | None:
    """[[token, log-probability, [[token, log-probability], …]], …]; None if missing or invalid.

    Of very many tokens only the first; of a reply with a long trace the first ones of the answer.
    """
    tokens = logprobs.get("content") if isinstance(logprobs, dict) else None
    if not isinstance(tokens, list):
        return None
    if len(tokens) > MOST_TOKENS and all(isinstance(token, dict) and _parse_pair(token) for token in tokens):
        tokens = [
            token for _word, token in select_answer_tokens([(token["token"], token) for token in tokens], text) or []
        ]
    read = []
    for token in tokens[:MOST_TOKENS]:
        pair = _parse_pair(token)
        if pair is None:
            return None  # a gap would shift every later token
        top = token.get("top_logprobs")
        pairs = [_parse_pair(other) for other in top] if isinstance(top, list) else []
        read.append([*pair, [other for other in pairs if other is not None]])
    return read or None


def _parse_pair(pair: Any) -> list[Any] | None:
    """[token, log-probability]; servers write minus infinity as null, -9999 or not at all."""
    if not isinstance(pair, dict) or not isinstance(pair.get("token"), str):
        return None
    value = pair.get("logprob")
    if isinstance(value, bool) or not isinstance(value, int | float) or not value <= 1e-3:  # NaN fails, too
        return None
    return [make_storable(pair["token"]), float(max(value, -9999))]
