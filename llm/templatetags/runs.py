import json
import math

from django import template
from django.utils.formats import number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

register = template.Library()

WORDS = {
    "limit": gettext_lazy("too many requests"),
    "key": gettext_lazy("key refused"),
    "quota": gettext_lazy("no quota"),
    "server": gettext_lazy("server error"),
    "no_json": gettext_lazy("not a model server"),
    "connection": gettext_lazy("no connection"),
    "unknown": gettext_lazy("outcome unknown"),
    "request": gettext_lazy("request refused"),
    "no_model": gettext_lazy("model unknown"),
    "too_long": gettext_lazy("prompt too long"),
    "redirect": gettext_lazy("redirected"),
    "address": gettext_lazy("address not allowed"),
    "content": gettext_lazy("refused by the model"),
    "empty": gettext_lazy("empty reply"),
    "cut": gettext_lazy("cut off"),
    "parse": gettext_lazy("no answer found"),
    "unusable": gettext_lazy("not usable"),
    "changed": gettext_lazy("prompt changed"),
    "prompt": gettext_lazy("no prompt"),
    "reading": gettext_lazy("not read"),
}
TOKENS, LIKELIEST = 8, 8


@register.filter
def failure_word(failure):
    return WORDS.get(failure, failure)


@register.filter
def as_json(value):
    return json.dumps(value, ensure_ascii=False, indent=2 if isinstance(value, dict) and len(value) > 2 else None)


@register.filter
def percent(share):
    return _("%(n)d %%") % {"n": round(100 * share)}


@register.filter
def duration(seconds):
    """Approximate, in the largest suitable unit."""
    if seconds < 90:
        return _("%(n)d s") % {"n": max(1, round(seconds))}
    if seconds < 5400:
        return _("%(n)d min") % {"n": round(seconds / 60)}
    return _("%(n)s h") % {"n": number_format(seconds / 3600, 1)}


@register.filter
def shares(logprobs):
    """The first tokens, each with the probabilities of its most likely alternatives."""
    for token, _logprob, top in logprobs[:TOKENS]:
        ranked = sorted(top, key=lambda pair: -pair[1])[:LIKELIEST]
        yield token, [(name, math.exp(value)) for name, value in ranked]
