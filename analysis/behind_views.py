"""Click a number: the page and the file of the answers it was computed from."""

from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import Http404
from django.shortcuts import render
from django.utils.translation import override
from django.views.decorators.http import require_safe

from analysis.choices import BadChoice
from analysis.forms import ResultsForm
from analysis.hiding import hidden_page
from analysis.item_lists import page_of
from analysis.pages import page_table
from analysis.services.results import behind_of, counts_by_purpose
from analysis.tables import Table
from analysis.views import COUNTED, asked, attached, links_of
from analysis.writers import as_csv
from projects.models import Role
from studies.access import get_study
from studies.services.effects import effects_hidden

PER_PAGE = 100


@login_required
@require_safe
def study_behind(request, slug):
    """The judgments behind a number, a page at a time; single answers are for reviewers and above."""
    study = get_study(request.user, slug, Role.REVIEWER)
    if effects_hidden(study):
        return hidden_page(request, study)
    form = ResultsForm(study, counts_by_purpose(study), request.GET)
    table = asked_for(study, form, request.GET)
    page = Paginator(table.rows, PER_PAGE).get_page(request.GET.get("page"))
    rest = request.GET.copy()
    rest.pop("page", None)
    context = {
        "project": study.project,
        "study": study,
        "tab": "results",
        "report": {"included": form.choices.included},
        "table": page_table(page_of(table, page), form.choices.convention, links_of(study, form, table)),
        "page": page,
        "page_query": rest.urlencode(),
        "asked": urlencode(asked(form), doseq=True),
        "about": {name: request.GET.get(name, "") for name in ("measure", "generator", "evaluator", "table")},
        "by_stage": [(stage, *counted(table, stage)) for stage in ("guess", "read")],
        "n": len(table.rows),
    }
    return render(request, "analysis/behind.html", context)


def counted(table: Table, stage: str) -> tuple[int, int]:
    """How many judgments of the stage are right, of how many."""
    rows = [row for row in table.rows if row["stage"] == stage]
    return sum(row["right"] for row in rows), len(rows)


@login_required
@require_safe
def study_behind_csv(request, slug):
    study = get_study(request.user, slug, Role.REVIEWER)
    if effects_hidden(study):
        return hidden_page(request, study)
    form = ResultsForm(study, counts_by_purpose(study), request.GET)
    with override("en"):  # files are the same for every reader
        return attached(as_csv(asked_for(study, form, request.GET)).encode(), f"{study.slug}-judgments.csv")


def asked_for(study, form, query):
    """404 for a number that the study's results do not have."""
    if query.get("table") not in COUNTED:
        raise Http404
    try:
        return behind_of(
            study, form.choices, query.get("measure", ""), query.get("generator", ""), query.get("evaluator", ""),
            only_matched=query["table"] == "informativity_matched",
        )  # fmt: skip
    except BadChoice:
        raise Http404 from None
