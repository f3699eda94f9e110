"""The planner: the precision and power of a study of a given size, before and after people have answered."""

from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.http import Http404
from django.shortcuts import render
from django.utils.translation import override
from django.views.decorators.http import require_safe

from analysis.choices import DEFAULT_CONVENTION
from analysis.files import attach
from analysis.planning.forms import read_sizes
from analysis.plugins import has_planner
from analysis.results.sections import place_in_planner
from analysis.services.planning import compute_outlook, get_components, get_planner, make_assumptions
from analysis.tables.page import build_page_table
from analysis.tables.writers import as_csv
from studies.access import get_study
from studies.services.spec import SpecError


@login_required
@require_safe
def study_planner(request, slug):
    study = get_study(request.user, slug)
    context = {"project": study.project, "study": study}
    return render(request, "analysis/planner.html", context | make_plan(study, request.GET))


def make_plan(study, data):
    """The form with its predictions, or the reason why there are none."""
    from analysis.planning.outlook import (
        TooLarge,  # scipy takes a second to load
        list_sentences,
    )

    if not has_planner(study.protocol):
        return {"unplanned": True}
    try:
        assumed = make_assumptions(study, read_sizes(study))
    except SpecError as error:
        return {"problem": str(error)}
    form = get_planner(study).form(assumed.values, data)
    found = {
        "components": fit_components(study),
        "form": form,
        "parts": [(*part, assumed.sources[part[0]]) for part in form.parts],
    }
    if not form.is_valid():
        return found
    try:
        table = compute_outlook(study, form.assumptions())
    except TooLarge as error:
        return found | {"problem": str(error)}
    asked = urlencode(form.cleaned_data)
    return found | {
        "outlook": table,
        "table": build_page_table(table, DEFAULT_CONVENTION),
        "sentences": list_sentences(form.assumptions(), table),
        "figure": place_in_planner(study, asked, table),
        "asked": asked,
    }


def fit_components(study):
    """The variance components fitted to people's answers, with intervals; None before anybody has answered."""
    table = None if study.is_draft else get_components(study)
    return (
        build_page_table(table, DEFAULT_CONVENTION) if table and any(row["n_judgments"] for row in table.rows) else None
    )


def get_outlook_or_404(study, data):
    table = make_plan(study, data).get("outlook")
    if table is None:
        raise Http404
    return table


@login_required
@require_safe
def study_planner_csv(request, slug):
    study = get_study(request.user, slug)
    with override("en"):  # files are the same for every reader
        return attach(as_csv(get_outlook_or_404(study, request.GET)).encode(), f"{study.slug}-outlook.csv")


@login_required
@require_safe
def study_components_csv(request, slug):
    study = get_study(request.user, slug)
    if not has_planner(study.protocol) or study.is_draft:
        raise Http404
    with override("en"):
        return attach(as_csv(get_components(study)).encode(), f"{study.slug}-components.csv")
