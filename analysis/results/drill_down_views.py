"""Click a number: the page and the file of the answers it was computed from."""

from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import Http404
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import override
from django.views.decorators.http import require_safe

from analysis.files import attach, send_file
from analysis.hiding import require_shown_effects
from analysis.results.forms import SHORT, ResultsForm, StandInForm
from analysis.results.links import build_query, map_links, select_page_rows
from analysis.services.drill_down import Number, drill_down, find_rows, open_rows_file
from analysis.services.results import LABEL_MASS, STAND_IN, find_answered_purposes
from analysis.tables.page import build_cell, build_page_table, name_row
from analysis.tables.writers import as_csv
from projects.models import Role

PER_PAGE = 100
# All other parameters of the address name a row.
NOT_NAMES = ("table", "number", "page", SHORT, *ResultsForm.base_fields, "include", *StandInForm.base_fields)
# Tables that are not on the results page.
PAGES = {"item_analysis": "study_items", **dict.fromkeys((*STAND_IN, LABEL_MASS), "stand_in")}


@login_required
@require_safe
@require_shown_effects(Role.REVIEWER)
def study_behind(request, study):
    """The answers behind a number, a page at a time; single answers are for reviewers and above."""
    form = ResultsForm(study, find_answered_purposes(study), request.GET)
    found = find_or_404(drill_down, study, form, request.GET)
    convention, rows = form.choices.convention, found.rows
    page = Paginator(rows.rows, PER_PAGE).get_page(request.GET.get("page"))
    listed, rest = select_page_rows(rows, page), request.GET.copy()
    rest.pop("page", None)
    context = {
        "project": study.project,
        "study": study,
        "report": {"included": form.choices.extra_purposes},
        "of": found,
        "heading": build_heading(found.table.title, found.column.title),
        "names": name_row(found.table, found.row),
        "cell": build_cell(found.row, found.column, found.table, convention, {}, {}),
        "table": build_page_table(listed, convention, map_links(study, form, listed)),
        "page": page,
        "page_query": rest.urlencode(),
        "asked": urlencode(build_query(form), doseq=True),
        "back": find_own_page(study, form, found.table.name, request.GET),
        "n": len(rows.rows),
    }
    return render(request, "analysis/behind.html", context)


def build_heading(table: str, column: str) -> str:
    """Table and column of the number, named once if both have the same name; a title may be a question."""
    if table == column:
        return table
    return f"{table} {column}" if table.endswith("?") else f"{table}: {column}"


def find_own_page(study, form, name, query) -> str:
    """The address of a table that has a page other than the results; empty for others."""
    if name not in PAGES:
        return ""
    chosen = build_query(form) | ({"people": StandInForm(query).kind} if PAGES[name] == "stand_in" else {})
    return f"{reverse(PAGES[name], args=[study.slug])}?{urlencode(chosen, doseq=True)}"


@login_required
@require_safe
@require_shown_effects(Role.REVIEWER)
def study_behind_csv(request, study):
    form = ResultsForm(study, find_answered_purposes(study), request.GET)
    name = f"{study.slug}-behind.csv"
    with override("en"):  # files are the same for every reader
        if file := find_or_404(open_rows_file, study, form, request.GET):
            return send_file(name, file)
        rows = find_or_404(find_rows, study, form, request.GET).rows
        return attach(as_csv(rows).encode(), name)


def find_or_404(find, study, form, query):
    """What `find` returns for the number in the address; 404 for a number that the study's results do not have."""
    names = tuple((name, value) for name, value in query.items() if name not in NOT_NAMES)
    number = Number(query.get("table", ""), query.get("number", ""), names, StandInForm(query).kind)
    try:
        return find(study, form.choices, number)
    except KeyError:
        raise Http404 from None
