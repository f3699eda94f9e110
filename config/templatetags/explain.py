"""A question mark beside a term, which shows what the glossary says about it."""

from typing import Any

from django import template
from django.template import Context
from django.utils.translation import get_language

from config.glossary import load_glossary

register = template.Library()


@register.inclusion_tag("parts/explain.html", takes_context=True)
def explain(context: Context, anchor: str) -> dict[str, Any]:
    """`anchor` is that of the term on the glossary page; KeyError if there is none."""
    terms = {term.anchor: term for section in load_glossary(get_language() or "en") for term in section.terms}
    number = int(context.render_context.get("explained") or 0) + 1
    context.render_context["explained"] = number
    return {"term": terms[anchor], "id": f"explained-{anchor}-{number}"}
