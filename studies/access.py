"""Get a study with a permission check; one that the user may not see gives the same error as an unknown one."""

from django.http import Http404

from projects.access import require_role
from projects.models import Role, User
from studies.models import Study


def get_study(user: User, slug: str, role: Role = Role.VIEWER) -> Study:
    """The study of that slug if the user has at least that role in its project; else 404."""
    study = Study.objects.select_related("project", "instrument_version__instrument").filter(slug=slug).first()
    if study is None:
        raise Http404
    require_role(user, study.project, role)
    return study
