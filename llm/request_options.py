"""Options of a request besides the prompt of its kind: a token limit, a reasoning effort, free parameters.

They are set on an endpoint, for all its runs, and on a run, which overrides the endpoint; otherwise the run kind's own
parameters apply. A run stores the effective ones when it starts, under `OPTIONS` in its parameters.
"""

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.core.exceptions import ValidationError
from django.db import models
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

OPTIONS = "request_options"
MOST_TOKENS = 1_000_000
LONGEST_EXTRA = 4_000
RESERVED = frozenset({
    "model", "messages", "stream", "stream_options", "n", "max_tokens", "max_completion_tokens", "reasoning_effort",
    "logprobs", "top_logprobs", "response_format", "tools", "functions",
})  # fmt: skip
"""Parameters that free ones cannot replace: they have a field of their own, or replies would become unreadable."""


class Effort(models.TextChoices):
    """How much a reasoning model should think; empty: the server's default."""

    LOW = "low", gettext_lazy("low")
    MEDIUM = "medium", gettext_lazy("medium")
    HIGH = "high", gettext_lazy("high")


@dataclass(frozen=True)
class RequestOptions:
    """None, "" and {} mean “not set”."""

    max_tokens: int | None = None
    reasoning_effort: str = ""
    extra: Mapping[str, Any] = field(default_factory=dict)

    def override(self, other: "RequestOptions") -> "RequestOptions":
        """These options, completed by the other ones where they are not set; extra parameters one by one."""
        return RequestOptions(
            self.max_tokens or other.max_tokens,
            self.reasoning_effort or other.reasoning_effort,
            {**other.extra, **self.extra},
        )

    def as_json(self) -> dict[str, Any]:
        """The set options, as stored by runs and evaluators."""
        values = {"max_tokens": self.max_tokens, "reasoning_effort": self.reasoning_effort, "extra": dict(self.extra)}
        return {name: value for name, value in values.items() if value}


def load_options(values: Mapping[str, Any] | None) -> RequestOptions:
    """The options from values stored by `as_json`."""
    return RequestOptions(**values) if values else RequestOptions()


def read_extra(text: str) -> dict[str, Any]:
    """Free parameters written as JSON; ValidationError with a sentence."""
    if len(text) > LONGEST_EXTRA:
        raise ValidationError(_("Extra parameters have up to %(n)d characters.") % {"n": LONGEST_EXTRA})
    try:
        found = json.loads(text) if text.strip() else {}
    except (ValueError, RecursionError):
        raise ValidationError(
            _("Write the extra parameters as a JSON object, such as {\"top_p\": 0.9}.")
        ) from None  # fmt: skip
    check_extra(found)
    return dict(found)


def check_extra(value: Any) -> None:
    """Raises ValidationError for a value that is no object of parameters, or replaces one of ours."""
    if not isinstance(value, dict) or not _is_plain(value) or len(json.dumps(value)) > LONGEST_EXTRA:
        raise ValidationError(_('Write the extra parameters as a JSON object, such as {"top_p": 0.9}.'))
    if taken := sorted(RESERVED & set(value)):
        raise ValidationError(_("“%(name)s” cannot be an extra parameter: Lesart sets it itself.") % {"name": taken[0]})


def _is_plain(value: Any, depth: int = 0) -> bool:
    """Whether every server and database can read it: no NaN, lone surrogates or NUL, and no deep nesting."""
    if depth > 8:
        return False
    if isinstance(value, dict):
        return all(_is_plain(name, depth + 1) and _is_plain(each, depth + 1) for name, each in value.items())
    if isinstance(value, list):
        return all(_is_plain(each, depth + 1) for each in value)
    if isinstance(value, float):
        return math.isfinite(value)
    if isinstance(value, str):
        return "\x00" not in value and not any("\ud800" <= letter <= "\udfff" for letter in value)
    return value is None or (isinstance(value, bool | int) and abs(value) < 2**53)


def describe_options(options: RequestOptions) -> str:
    """The set options in words; empty if none is set."""
    sentences = []
    if options.max_tokens:
        sentences.append(_("output limit: %(n)d tokens") % {"n": options.max_tokens})
    if options.reasoning_effort:
        sentences.append(_("reasoning effort: %(effort)s") % {"effort": Effort(options.reasoning_effort).label})
    if options.extra:
        words = json.dumps(dict(options.extra), ensure_ascii=False, sort_keys=True)
        sentences.append(_("extra parameters: %(extra)s") % {"extra": words})
    return "; ".join(sentences)
