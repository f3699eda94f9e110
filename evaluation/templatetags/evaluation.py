"""Words for stages, questions and the reasons of missing answers, and metric values beside items."""

from django import template
from django.utils.translation import gettext as _

from evaluation.metric_values import group_values
from studies import question_words

register = template.Library()


@register.filter
def stage_word(stage: str) -> str:
    return question_words.name_stage(stage)


@register.filter
def question_word(question: str) -> str:
    return question_words.name_question(question)


@register.filter
def status_word(status: str) -> str:
    """Why an answer is missing; failures of the service by their names, parted by blanks."""
    words = {
        "unparsed": _("no answer in the reply"),
        "empty": _("an empty reply"),
        "cut": _("the reply was cut off"),
        "refused": _("the service refused to answer"),
        "not_asked": _("not asked"),
        "open": _("not yet answered"),
        "key": _("the key was not accepted"),
        "quota": _("the quota is used up"),
        "limit": _("too many requests"),
        "too_long": _("the prompt is too long"),
    }
    return words.get(status, status.replace("_", " "))


@register.simple_tag
def metrics_of(columns):
    """Metric values of all items of a text's page, by item: one query for the page."""
    return group_values(row.item for column in columns for row in column.items)


@register.filter
def of_item(values, item):
    return values.get(item.pk, [])
