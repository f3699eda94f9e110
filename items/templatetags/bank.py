import json
from collections.abc import Mapping
from functools import partial
from typing import Any

from django import template
from django.urls import reverse
from django.utils.html import conditional_escape

from items.formats.paragraphs import describe_provenance
from items.language import name_language
from items.markup import render_text, render_wording
from items.models import Item, Markup, Text
from items.plain import count_words
from items.values import normalize_json
from projects.models import Project

register = template.Library()

register.filter(name_language)  # not `language_name`: the i18n tags have a filter of that name, which speaks English
register.filter("word_count", count_words)
register.filter("provenance", describe_provenance)


@register.simple_tag
def draw_text(project: Project, text: Text) -> str:
    """The text rendered with its markup; empty for a plain text."""
    return render_text(text, partial(locate_picture, project)) if text.markup == Markup.MARKDOWN else ""


@register.simple_tag
def draw_wording(project: Project, text: Text, wording: str) -> str:
    """Words about the text, rendered with its markup."""
    return conditional_escape(render_wording(wording, text, partial(locate_picture, project)))


def locate_picture(project: Project, digest: str) -> str:
    return reverse("text_picture", args=[project.slug, digest])


@register.filter
def alike_to(alike: Mapping[str, Any], item: Item) -> Any:
    """The near-duplicates of the item, from `find_alike`."""
    return alike.get(item.external_id, ())


@register.filter
def in_version(text: Text, name: str) -> Text:
    return text.in_version(name)


@register.filter
def paragraphs(text: str) -> list[str]:
    """One paragraph per line, as on the pages of annotators."""
    return [line.strip() for line in text.split("\n") if line.strip()]


@register.filter
def as_json(value: Any) -> str:
    """Readable JSON; the template escapes it."""
    return json.dumps(normalize_json(value), indent=2, ensure_ascii=False)
