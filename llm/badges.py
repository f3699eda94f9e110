"""What an endpoint can do, in words for a page."""

from dataclasses import dataclass
from datetime import datetime

from django.utils.translation import gettext as _

from llm.models import Endpoint


@dataclass(frozen=True)
class Badge:
    word: str
    tone: str
    at: datetime | None


def badges(endpoint: Endpoint) -> list[Badge]:
    """One for each ability; unknown is said as such."""
    words = {
        "logprobs": (_("log-probabilities"), _("no log-probabilities"), _("log-probabilities: unknown")),
        "json_schema": (_("JSON schema"), _("no JSON schema"), _("JSON schema: unknown")),
        "temperature": (_("temperature"), _("temperature is left out"), ""),
        "seed": (_("seed"), _("no seed"), _("seed: unknown")),
        "usage": (_("counts tokens"), _("does not count tokens; estimated"), _("token counts: unknown")),
    }
    found = [_badge(endpoint, feature, *told) for feature, told in words.items()]
    if name := endpoint.can("max_tokens_name"):
        found.append(Badge(name, "", _date(endpoint, "max_tokens_name")))
    return [badge for badge in found if badge.word]


def _badge(endpoint: Endpoint, feature: str, yes: str, no: str, unknown: str) -> Badge:
    value = endpoint.can(feature)
    if value is None:
        return Badge(unknown, "", None)
    return Badge(yes if value else no, "good" if value else "warning", _date(endpoint, feature))


def _date(endpoint: Endpoint, feature: str) -> datetime | None:
    try:
        return datetime.fromisoformat(endpoint.capabilities[feature]["at"])
    except (KeyError, ValueError, TypeError):
        return None
