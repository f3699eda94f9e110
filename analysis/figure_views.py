"""Figures by their addresses: the specification that browsers draw, and the pictures and files made from it."""

from contextlib import nullcontext

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.utils.translation import override
from django.views.decorators.http import require_safe

from analysis.forms import ResultsForm
from analysis.outlook_views import outlook_or_404
from analysis.services.figures import figure_of
from analysis.services.outlooks import outlook_figure
from analysis.services.results import counts_by_purpose
from studies.access import get_study

FILE_TYPES = {"svg": "image/svg+xml", "png": "image/png", "vl.json": "application/json"}


@login_required
@require_safe
def study_figure(request, slug, name, ending):
    study = get_study(request.user, slug)
    choices = ResultsForm(study, counts_by_purpose(study), request.GET).choices
    return given(
        request,
        f"{study.slug}-{name}.{ending}",
        lambda: figure_of(study, choices, name, ending, only_current="download" in request.GET),
    )


@login_required
@require_safe
def study_planner_figure(request, slug, ending):
    study = get_study(request.user, slug)
    return given(
        request,
        f"{study.slug}-outlook.{ending}",
        lambda: outlook_figure(study, outlook_or_404(study, request.GET), ending),
    )


def given(request, name, make):
    """What `make` gives as the answer; with `download` in the address as a file, which is the same for every reader."""
    is_file = "download" in request.GET
    try:
        with override("en") if is_file else nullcontext():
            content = make()
    except KeyError:
        raise Http404 from None
    headers = {"Cache-Control": "private, no-cache"}
    if is_file:
        headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return HttpResponse(content, content_type=FILE_TYPES[name.partition(".")[2]], headers=headers)
