"""How wordings are put on a page so that nothing of them changes."""

from django import template
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

register = template.Library()


@register.filter
def exact(words: str) -> SafeString:
    """For inside `<pre>`: a browser would take carriage returns for line breaks, and leave a first line break out."""
    return mark_safe("\n" + escape(words).replace("\r", "&#13;"))  # noqa: S308 - escaped


@register.filter
def n_bytes(words: str) -> int:
    return len(words.encode())


@register.filter
def plain(value: object) -> str:
    """A wording as one would write it in YAML."""
    return str(value).lower() if isinstance(value, bool) else "" if value is None else str(value)
