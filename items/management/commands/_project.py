from django.core.management.base import CommandError

from items.plain import make_printable
from projects.models import Project


def find_project(slug: str) -> Project:
    """The project of that slug; `CommandError` if there is none."""
    project = Project.objects.filter(slug=slug).first()
    if project is None:
        raise CommandError(f"There is no project “{make_printable(slug)}”. Make it with create_project.")
    return project
