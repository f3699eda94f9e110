"""Template tags for studies: pictures of protocols, unchanged wordings, the numbers of a plan."""

from collections.abc import Mapping
from functools import cache
from inspect import getfile
from pathlib import Path
from typing import Any

from django import template
from django.conf import settings
from django.utils.dateparse import parse_datetime
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _

from studies.forms.phases import KINDS
from studies.models import Study
from studies.protocols import PROTOCOLS, Protocol
from studies.protocols.parameters import OneOf, Parameter, SomeOf
from studies.services.instruments import describe_wording
from studies.services.phase_editing import list_phase_specs
from studies.services.quotas import count_annotators, get_per_unit, has_group_quotas, make_quotas

# Pictures of protocols, for the cards of the first step.

register = template.Library()
USUAL = settings.BASE_DIR / "templates" / "studies" / "design" / "card.svg"


@register.simple_tag
def draw_card(protocol: Protocol) -> SafeString:
    """The protocol's `card.svg`, or a general picture if it has none."""
    own = Path(getfile(protocol.declare)).with_name("card.svg")
    return read_picture(own if own.exists() else USUAL)


@cache
def read_picture(path: Path) -> SafeString:
    return mark_safe(path.read_text("utf-8"))  # noqa: S308  our own files


register.filter("parse_date", parse_datetime)  # for times in a JSON field


@register.simple_tag
def name_phases(study: Study) -> str:
    """The kinds of the phases in order, in words."""
    return ", ".join(str(KINDS[phase["kind"]]) for phase in list_phase_specs(study))


# How wordings are put on a page without changes.


@register.filter
def preserve_whitespace(words: str) -> SafeString:
    """For use in `<pre>`: browsers read carriage returns as line breaks and drop a line break at the start."""
    return mark_safe("\n" + escape(words).replace("\r", "&#13;"))  # noqa: S308 - escaped


@register.filter
def n_bytes(words: str) -> int:
    return len(words.encode())


@register.filter
def plain(value: object) -> str:
    """A wording as it would be written in YAML."""
    return str(value).lower() if isinstance(value, bool) else "" if value is None else str(value)


# The numbers of a study's plan, for its pages.

register.filter("has_group_quotas", has_group_quotas)
register.filter("n_annotators", count_annotators)
register.filter("describe_wording", describe_wording)


@register.filter
def describe_parameters(params: Mapping[str, Any], protocol: str) -> list[tuple[str, str]]:
    """The label and the value of each parameter, in the words of the form."""
    declared = {each.name: each for each in PROTOCOLS[protocol].parameters}
    chosen = [(declared[name], value) for name, value in params.items() if name in declared]
    return [(_(each.label) if each.label else each.name, describe_value(each, value)) for each, value in chosen]


def describe_value(parameter: Parameter, value: Any) -> str:
    if isinstance(value, bool):
        return _("yes") if value else _("no")
    if isinstance(parameter, OneOf | SomeOf):
        labels = dict(parameter.options)
        return ", ".join(_(labels[each]) for each in ([value] if isinstance(value, str) else value)) or "–"
    return (", ".join(value) if isinstance(value, list | tuple) else str(value)) or _("as in the instrument")


@register.filter
def annotators_by_group(study: Study) -> list[tuple[str, int]]:
    """How many annotators of each group get a link at launch; empty if they join later."""
    return (
        [] if study.plan["annotators"] == "open" else [(quota.group, len(quota.seats)) for quota in make_quotas(study)]
    )


@register.filter
def per_unit_by_group(study: Study) -> list[tuple[str, int | None]]:
    """How many annotators of each group do each unit; None for all."""
    return [(group, get_per_unit(study, group)) for group in study.groups]
