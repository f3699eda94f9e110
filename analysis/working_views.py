"""Pages of results that are being worked out: how far they are, and trying again."""

from collections.abc import Callable
from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from analysis.formatting import count
from analysis.progress import ANSWERS
from analysis.services.working import BeingWorkedOut, Ticket, ticket_at, try_again, under_way
from studies.access import get_study


class Patience:
    """Middleware: instead of a page whose results a worker is still at, one that says how far they are.

    It leads to the page that was asked for when they are there.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]):
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if not isinstance(exception, BeingWorkedOut):
            return None
        study = exception.study
        context = {"project": study.project, "study": study, "tab": "results"}
        return render(
            request, "analysis/working.html", context | panel(request, exception.ticket, shows=False), status=202
        )


def panel(request: Any, ticket: Ticket | None, *, shows: bool) -> dict[str, Any]:
    """What `analysis/parts/working.html` wants; `shows`: whether earlier results stand beneath it."""
    return {"ticket": ticket, "shows": shows, "address": request.get_full_path()} | how_far(ticket)


def how_far(ticket: Ticket | None) -> dict[str, Any]:
    """In words, and as a part of a whole where both are known."""
    if ticket is None or not under_way(ticket):
        return {"goes_on": False}
    n = {"goes_on": True, "n": ticket.n, "counted": count(ticket.n)}
    step = ticket.step
    if step is None:
        return n | {"step": _("A worker has begun.") if ticket.starts else _("Waiting for a worker.")}
    words, of = _("Making tables: %(done)s of %(of)s."), step.of
    if step.name == ANSWERS:
        words, of = _("Reading answers: %(done)s of %(of)s."), ticket.n
    said = {"done": count(step.done), "of": count(of)}
    return n | {"step": words % said, "done": step.done, "of": of}


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def study_working(request: Any, slug: str, place: str) -> HttpResponse:
    """How far the results of that ticket are, for a page that asks again and again; a POST forgets a failure."""
    study = get_study(request.user, slug)
    given = request.POST if request.method == "POST" else request.GET
    address = given.get("to", "")
    if not url_has_allowed_host_and_scheme(address, allowed_hosts=None):
        address = redirect("study_results", study.slug)["Location"]
    if request.method == "POST":
        try_again(study, place)
        return redirect(address)
    ticket = ticket_at(study, place)
    context = {"study": study, "ticket": ticket, "place": place, "shows": "shows" in request.GET, "address": address}
    return render(request, "analysis/parts/working.html", context | how_far(ticket))
