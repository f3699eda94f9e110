"""How the instrument's words are put on an annotator's page."""

from collections.abc import Iterable, Mapping
from typing import Any

from django import template

register = template.Library()


@register.filter
def with_options(hint: str, options: list) -> str:
    """Fill the one slot of a hint; any other brace stays as it was written."""
    return hint.replace("{n_options}", str(len(options)))


@register.filter
def with_kind(sentence: str, kind: str) -> str:
    return sentence.replace("{text_kind}", kind)


@register.filter
def labelled(levels: Iterable[int], labels: list[Mapping[str, Any]]) -> list[tuple[int, str]]:
    """The levels of a scale with their words. Words for a scale of another length name its ends only."""
    levels = list(levels)
    if len(levels) == len(labels):
        return [(level, label["label"]) for level, label in zip(levels, labels, strict=True)]
    return [
        (levels[0], labels[0]["label"]),
        *((level, "") for level in levels[1:-1]),
        (levels[-1], labels[-1]["label"]),
    ]
