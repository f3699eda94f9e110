"""The numbers of a study's plan, for its pages."""

from collections.abc import Mapping
from typing import Any

from django import template
from django.utils.translation import gettext as _

from studies.models import Study
from studies.protocols import PROTOCOLS
from studies.protocols.parameters import OneOf, Parameter, SomeOf
from studies.services.instruments import describe_wording
from studies.services.quotas import count_annotators, get_per_unit, has_group_quotas, make_quotas

register = template.Library()
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
    """How many annotators of each group get a link at launch; empty where they join later."""
    return (
        [] if study.plan["annotators"] == "open" else [(quota.group, len(quota.seats)) for quota in make_quotas(study)]
    )


@register.filter
def per_unit_by_group(study: Study) -> list[tuple[str, int | None]]:
    """How many annotators of each group do each unit; None for all."""
    return [(group, get_per_unit(study, group)) for group in study.groups]
