from django import template
from django.utils.translation import gettext as _

from analysis import formatting, words
from studies import question_words
from studies.models import Study, StudyState, UnitItem

register = template.Library()


@register.filter
def at(mapping, key):
    return mapping.get(key, {})


@register.filter
def printed(value):
    """A number as tables print it, or the word for undefined."""
    return _(formatting.UNDEFINED) if value is None else formatting.number(value)


@register.filter
def stage_word(stage):
    return question_words.name_stage(stage)


@register.filter
def evaluator_word(name):
    return words.evaluator_word(name)


@register.filter
def marks(judgment, options):
    return judgment.marks(options)


@register.simple_tag
def sheets_of(columns):
    """The launched studies that ask about the items of a text's page, by item: one query for the page."""
    found: dict[int, list[Study]] = {}
    keys = [row.item.pk for column in columns for row in column.items]
    asked = UnitItem.objects.filter(item__in=keys).exclude(unit__study__state=StudyState.DRAFT)
    for unit_item in asked.select_related("unit__study").order_by("unit__study"):
        found.setdefault(unit_item.item_id, []).append(unit_item.unit.study)
    return found
