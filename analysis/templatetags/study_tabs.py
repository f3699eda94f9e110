"""Which pages a study has, for its tabs and buttons."""

from django import template

from analysis import plugins
from studies.models import Study
from studies.protocols import PROTOCOLS

register = template.Library()


@register.filter
def has_planner(study: Study) -> bool:
    """Whether the planner can simulate studies of its protocol."""
    return plugins.has_planner(study.protocol)


@register.filter
def is_writing(study: Study) -> bool:
    """Whether people write items here: then there are none to be answered."""
    return not PROTOCOLS[study.protocol].needs_items
