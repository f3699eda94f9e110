"""Projects: make one, change its words."""

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils.text import slugify
from django.utils.translation import gettext as _

from projects.models import Membership, Project, Role, User

SLUG_LENGTH = 60


def create_project(*, slug: str, title: str, description: str = "", owner: User | None = None) -> Project:
    """The new project, with its creator as owner; ValidationError, and nothing stored, if a word of it cannot be."""
    project = Project(slug=slug, title=title, description=description)
    project.full_clean(validate_unique=False)
    try:
        with transaction.atomic():
            project.save(force_insert=True)
            if owner:
                Membership.objects.create(project=project, user=owner, role=Role.OWNER)
    except IntegrityError:
        raise slug_taken(slug) from None
    return project


def slug_taken(slug: str) -> ValidationError:
    sentence = _("The short name “%(slug)s” belongs to another project. Choose a different one.")
    return ValidationError({"slug": sentence % {"slug": slug}})


def suggest_slug(title: str) -> str:
    """A free short name made from the title; empty if the title has no letter that could stand in one."""
    stem = slugify(title)[:SLUG_LENGTH].strip("-_")
    if not stem:
        return ""
    taken = set(Project.objects.filter(slug__startswith=stem[: SLUG_LENGTH - 5]).values_list("slug", flat=True))
    candidates = [stem, *(f"{stem[: SLUG_LENGTH - 5]}-{number}" for number in range(2, len(taken) + 3))]
    return next(slug for slug in candidates if slug not in taken)


def edit_project(project: Project, *, title: str, description: str) -> None:
    project.title, project.description = title, description
    project.save(update_fields=["title", "description"])
