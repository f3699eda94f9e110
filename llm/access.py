"""Who may open what of the model runs; endpoints are for admins of the server only."""

from django.core.exceptions import PermissionDenied
from django.http import Http404

from llm.models import Call, Run
from projects.access import require
from projects.models import Role, User


def get_run(user: User, pk: int, role: Role = Role.VIEWER) -> Run:
    """The run, if the user has at least that role in its project; else 404, as for one that does not exist."""
    run = Run.objects.select_related("project", "endpoint", "started_by").filter(pk=pk).first()
    if run is None:
        raise Http404
    require(user, run.project, role)
    return run


def get_call(user: User, run_pk: int, pk: int) -> Call:
    """A single prompt and reply: for reviewers and above, like every single answer."""
    run = get_run(user, run_pk, Role.REVIEWER)
    call = run.calls.select_related("copied_from", "follows").filter(pk=pk).first()
    if call is None:
        raise Http404
    call.run = run
    return call


def require_admin(user: User) -> None:
    """Endpoints hold keys and reach into the network."""
    if not user.is_superuser:
        raise PermissionDenied
