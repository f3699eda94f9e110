import json
from typing import Any

from django import template

from items.language import language_name
from items.values import even

register = template.Library()

register.filter("language_name", language_name)


@register.filter
def paragraphs(text: str) -> list[str]:
    """A paragraph for each line, as on the pages of annotators."""
    return [line.strip() for line in text.split("\n") if line.strip()]


@register.filter
def as_json(value: Any) -> str:
    """Readable JSON; the template escapes it."""
    return json.dumps(even(value), indent=2, ensure_ascii=False)
