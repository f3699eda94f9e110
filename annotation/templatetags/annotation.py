"""How the instrument's words are put on an annotator's page, and what is the same on many pages is drawn once."""

from dataclasses import replace
from functools import lru_cache
from typing import Any

from django import template
from django.template import Context, Engine
from django.template.loader import render_to_string
from django.utils.safestring import SafeString
from django.utils.translation import get_language

from studies.stage_blocks import QuestionRow

register = template.Library()
QUESTION = "annotation/parts/question.html"
HANDLE = "\0"  # stands for the handle of an item, and in no other text


@register.filter
def with_options(hint: str, options: list) -> str:
    """Fill the one slot of a hint; any other brace stays as it was written."""
    return hint.replace("{n_options}", str(len(options)))


@register.filter
def with_kind(sentence: str, kind: str) -> str:
    return sentence.replace("{text_kind}", kind)


@register.simple_tag
def include_once(name: str, **given: Any) -> SafeString:
    """A part of a page that depends on these values and the language alone."""
    return draw_once(name, get_language(), tuple(given.items()))


@register.simple_tag(takes_context=True)
def include_question(context: Context, row: QuestionRow) -> SafeString:
    """A question about the item of a block; those that look the same for every item are drawn for all at once."""
    if not row.is_common:
        with context.push(row=row):
            return Engine.get_default().get_template(QUESTION).render(context)
    handle = context["block"].handle
    common = replace(row, input=row.input.replace(handle, HANDLE))
    return SafeString(draw_once(QUESTION, get_language(), (("row", common),)).replace(HANDLE, handle))


@lru_cache(maxsize=4096)
def draw_once(name: str, language: str, given: tuple[tuple[str, Any], ...]) -> SafeString:
    return render_to_string(name, dict(given))
