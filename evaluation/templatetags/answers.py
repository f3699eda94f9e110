"""Answers that a model was asked for, in words: the files keep the names of the contract."""

from django import template
from django.utils.translation import gettext as _

from studies import question_words

register = template.Library()


@register.filter
def stage_word(stage: str) -> str:
    return question_words.stage_word(stage)


@register.filter
def question_word(question: str) -> str:
    return question_words.question_word(question)


@register.filter
def status_word(status: str) -> str:
    """Why an answer is missing; failures of the service by their names, parted by blanks."""
    words = {
        "unparsed": _("no answer in the reply"),
        "empty": _("an empty reply"),
        "cut": _("the reply was cut off"),
        "refused": _("the service refused"),
        "not_asked": _("not asked"),
        "open": _("not yet answered"),
        "key": _("the key was not accepted"),
        "quota": _("the quota is used up"),
        "limit": _("too many requests"),
        "too_long": _("the prompt is too long"),
    }
    return words.get(status, status.replace("_", " "))
