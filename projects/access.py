"""The access functions: the only place that decides who may open what. Wrong and foreign ids give the same error."""

from django.http import Http404
from django.shortcuts import get_object_or_404

from projects.models import Membership, Project, Role, User


def get_role(user: User, project: Project) -> Role | None:
    """The user's role in the project; admins of the server count as owners."""
    if not user.is_authenticated:
        return None
    if user.is_superuser:
        return Role.OWNER
    membership = Membership.objects.filter(project=project, user=user).first()
    return Role(membership.role) if membership else None


def require_role(user: User, project: Project, role: Role) -> Project:
    """The project, with the user's role as `project.my_role`; 404 for users with less than `role`."""
    mine = get_role(user, project)
    if mine is None or mine.rank < role.rank:
        raise Http404
    project.my_role = mine
    return project


def get_project(user: User, slug: str, role: Role = Role.VIEWER) -> Project:
    """The project of that slug if the user has at least that role in it; else 404."""
    return require_role(user, get_object_or_404(Project, slug=slug), role)
