"""How the instrument's words are put on an annotator's page."""

from django import template

register = template.Library()


@register.filter
def with_options(hint: str, options: list) -> str:
    """Fill the one slot of a hint; any other brace stays as it was written."""
    return hint.replace("{n_options}", str(len(options)))


@register.filter
def with_kind(sentence: str, kind: str) -> str:
    return sentence.replace("{text_kind}", kind)
