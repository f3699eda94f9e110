"""Which pages a study has, for its tabs and buttons."""

from django import template

from studies.models import Study
from studies.protocols import PROTOCOLS

register = template.Library()

PLANNED = ("guess-then-read", "pairwise")
"""The protocols that the planner can simulate: the keys of `outlook_forms.FORMS`, which take a second to load."""


@register.filter
def has_planner(study: Study) -> bool:
    return study.protocol in PLANNED


@register.filter
def is_writing(study: Study) -> bool:
    """Whether people write items here: then there are none to be answered."""
    return not PROTOCOLS[study.protocol].needs_items
