"""Template tags for the instrument's words on annotators' pages; parts that repeat on many pages are rendered once."""

from copy import copy
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
HANDLE = "\0"  # placeholder for an item's handle, which no other text contains


@register.filter
def with_options(hint: str, options: list) -> str:
    """The hint with {n_options} filled in; other braces stay."""
    return hint.replace("{n_options}", str(len(options)))


@register.filter
def with_kind(sentence: str, kind: str) -> str:
    return sentence.replace("{text_kind}", kind)


@register.simple_tag
def include_once(name: str, **given: Any) -> SafeString:
    """A part of a page that depends only on these values and the language."""
    return draw_once(name, get_language(), tuple(given.items()))


@register.simple_tag(takes_context=True)
def include_question(context: Context, row: QuestionRow) -> SafeString:
    """A question about the item of a block; questions that look the same for every item are rendered once for all."""
    if not row.is_common:
        with context.push(row=row):
            return Engine.get_default().get_template(QUESTION).render(context)
    handle = context["block"].handle
    common = copy(row)
    common.input = row.input.replace(handle, HANDLE)
    return SafeString(draw_once(QUESTION, get_language(), (("row", common),)).replace(HANDLE, handle))


@lru_cache(maxsize=4096)
def draw_once(name: str, language: str, given: tuple[tuple[str, Any], ...]) -> SafeString:
    return render_to_string(name, dict(given))
