"""What a server was found to support, and how pages show it. Unknown is not “no”: only a reply removes a feature."""

import json
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _

from llm.failures import Problem
from llm.models import Endpoint
from llm.prompts import DROPPABLE, LENGTH, OTHER_LENGTH, Prompt

LENGTH_NAMES = (LENGTH, OTHER_LENGTH)


def record_capabilities(endpoint: Endpoint, **found: Any) -> None:
    """Store findings with the date; other processes' findings are kept."""
    known = Endpoint.objects.only("capabilities").get(pk=endpoint.pk).capabilities
    now = timezone.now().isoformat(timespec="seconds")
    endpoint.capabilities = known | {feature: {"value": value, "at": now} for feature, value in found.items()}
    endpoint.save(update_fields=["capabilities"])


def record_unsupported(endpoint: Endpoint, problem: Problem, prompt: Prompt) -> bool:
    """Note the parameter that the server rejects; False if it names none that could be changed.

    Parameters that somebody set are not dropped silently: the call fails with the server's message.
    """
    found = find_unsupported(
        problem, {name: value for name, value in prompt.sent_params.items() if name not in prompt.free}
    )
    if found is None:
        return False
    record_capabilities(endpoint, **found)
    return True


def record_limit_name(endpoint: Endpoint, prompt: Prompt) -> None:
    """Store the name under which the server accepted a token limit."""
    name = next((name for name in LENGTH_NAMES if name in prompt.params), None)
    if name is not None and endpoint.can("max_tokens_name") != name:
        record_capabilities(endpoint, max_tokens_name=name)


def find_unsupported(problem: Problem, params: dict[str, Any]) -> dict[str, Any] | None:
    """{feature: value} to record; None if the problem blames none of the sent parameters."""
    blamed = _find_blamed_parameter(problem, params)
    if blamed is None:
        return None
    if blamed in LENGTH_NAMES:
        return {"max_tokens_name": LENGTH_NAMES[1 - LENGTH_NAMES.index(blamed)]}
    feature = next((feature for feature, names in DROPPABLE.items() if blamed in names), None)
    return None if feature is None else {feature: False}


def _find_blamed_parameter(problem: Problem, params: dict[str, Any]) -> str | None:
    """The sent parameter that the error names: in its own field if there is one, else the first in its message."""
    try:
        body = json.loads(problem.body or "")
        param = body["error"]["param"]
    except (ValueError, RecursionError, KeyError, TypeError):
        param = None
    if param in params:
        return str(param)
    places = {name: problem.words.find(name) for name in params if name in problem.words}
    return min(sorted(places, key=len, reverse=True), key=places.__getitem__) if places else None


@dataclass(frozen=True)
class Badge:
    word: str
    tone: str
    at: datetime | None


def build_badges(endpoint: Endpoint) -> list[Badge]:
    """One for each capability, including unknown ones."""
    words = {
        "logprobs": (_("log-probabilities"), _("no log-probabilities"), _("log-probabilities: unknown")),
        "json_schema": (_("JSON schema"), _("no JSON schema"), _("JSON schema: unknown")),
        "temperature": (_("temperature"), _("temperature is left out"), ""),
        "seed": (_("seed"), _("no seed"), _("seed: unknown")),
        "reasons": (_("reasons before it answers"), "", ""),
        "usage": (_("counts tokens"), _("does not count tokens; estimated"), _("token counts: unknown")),
    }
    found = [_build_badge(endpoint, feature, *labels) for feature, labels in words.items()]
    if name := endpoint.can("max_tokens_name"):
        found.append(Badge(name, "", _get_date(endpoint, "max_tokens_name")))
    return [badge for badge in found if badge.word]


def _build_badge(endpoint: Endpoint, feature: str, yes: str, no: str, unknown: str) -> Badge:
    value = endpoint.can(feature)
    if value is None:
        return Badge(unknown, "", None)
    return Badge(yes if value else no, "good" if value else "warning", _get_date(endpoint, feature))


def _get_date(endpoint: Endpoint, feature: str) -> datetime | None:
    try:
        return datetime.fromisoformat(endpoint.capabilities[feature]["at"])
    except (KeyError, ValueError, TypeError):
        return None
