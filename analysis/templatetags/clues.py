"""Clues in the wording of the items of a list of texts."""

from collections import Counter
from collections.abc import Iterable

from django import template

from analysis.items.shortcuts import wording_of
from analysis.measures.shortcuts import findings
from items.models import Item, Text

register = template.Library()


@register.simple_tag
def count_clues(texts: Iterable[Text]) -> Counter[int]:
    """By primary key of the text: in how many of its items a key can be told from its wording alone."""
    items = Item.objects.filter(text__in=[text.pk for text in texts]).offered()
    items = items.select_related("text").prefetch_related("options")
    return Counter(item.text_id for item in items if any(found.is_key for found in findings(wording_of(item))))


register.filter("count_of", lambda counts, key: counts[key])
