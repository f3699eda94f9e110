from django import template

from generation.models import IncompleteItem, IncompleteState

register = template.Library()


@register.simple_tag
def n_incomplete(project):
    """How many incomplete items of the project wait for repair."""
    return IncompleteItem.objects.filter(text__project=project, state=IncompleteState.OPEN).count()
