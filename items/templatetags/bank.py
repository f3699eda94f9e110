import json
from typing import Any

from django import template

from items.language import name_language
from items.values import normalise_json

register = template.Library()

register.filter("language_name", name_language)


@register.filter
def paragraphs(text: str) -> list[str]:
    """A paragraph for each line, as on the pages of annotators."""
    return [line.strip() for line in text.split("\n") if line.strip()]


@register.filter
def as_json(value: Any) -> str:
    """Readable JSON; the template escapes it."""
    return json.dumps(normalise_json(value), indent=2, ensure_ascii=False)
