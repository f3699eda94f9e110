from urllib.parse import urlencode

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import Http404
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST, require_safe

from analysis.hiding import require_shown_effects
from analysis.published_names import BadMatch, list_own_generators, match_generators, read_matches, store_matches
from analysis.reports.published import list_published_generators
from analysis.results.forms import GeneratorMatchForm, ResultsForm
from analysis.results.links import (
    build_headings,
    build_query,
    make_drill_down_link,
    map_links,
    select_page_rows,
    sort_rows,
)
from analysis.services.results import count_by_purpose, get_report
from analysis.tables.page import build_page_table
from analysis.tables.page_budget import count_rows_on_page, split_into_pages
from analysis.tables.page_grids import pivot
from projects.models import Role
from studies.access import get_study
from studies.forms.people import ExpertCheckForm
from studies.models import Study
from studies.services.expert_check import can_open_expert_check


@login_required
@require_safe
def study_working(request, slug, place):
    """Redirects to the results: pages of earlier versions still ask here for their progress."""
    return redirect("study_results", get_study(request.user, slug).slug)


def make_expert_form(study: Study) -> ExpertCheckForm | None:
    """The form to open an expert check; None if there can be none."""
    may_open = study.project.my_role.rank >= Role.RESEARCHER.rank and can_open_expert_check(study)
    return ExpertCheckForm() if may_open else None


def make_match_form(study: Study, data=None) -> GeneratorMatchForm | None:
    """The form that says which published generator each generator is; None without published ones."""
    published = list_published_generators(study.protocol)
    if study.project.my_role.rank < Role.RESEARCHER.rank or not published:
        return None
    own = list_own_generators(study)
    return GeneratorMatchForm(own, published, match_generators(published, own, read_matches(study)), data)


@login_required
@require_POST
@require_shown_effects(Role.RESEARCHER)
def study_matches(request, study):
    """Store which published generator each generator is."""
    form = make_match_form(study, request.POST)
    try:
        if form is None or not form.is_valid():
            raise BadMatch(_("Choose from the published names."))
        n = store_matches(study, list_published_generators(study.protocol), form.changes, request.user)
    except BadMatch as error:
        messages.error(request, str(error))
    else:
        sentence = ngettext("%(n)d match was stored.", "%(n)d matches were stored.", n)
        messages.success(request, sentence % {"n": n})
    return redirect(reverse("results_compare", args=[study.slug]) + "#published")


@login_required
@require_safe
def study_table_page(request, slug, name):
    """A table on its own page, without what is hidden from the team."""
    study = get_study(request.user, slug)
    form = ResultsForm(study, count_by_purpose(study), request.GET)
    report = get_report(study, form.choices)
    table, order = get_table_or_404(report, name), request.GET.get("sort", "")
    behind, convention, query = (
        make_drill_down_link(study, form, request.path)(table),
        form.choices.convention,
        build_query(form),
    )
    page = Paginator(sort_rows(table, order).rows, count_rows_on_page(table)).get_page(request.GET.get("page"))
    is_first = page.number == 1 and not order
    parts = Paginator(split_into_pages(table) if is_first else [[]], 1)
    sheet = parts.get_page(request.GET.get("grids"))
    rows = select_page_rows(table, page)
    context = {
        "project": study.project,
        "study": study,
        "report": report,
        "grids": pivot(table, convention, behind, next(iter(sheet.object_list), [])),
        "sheets": list_grid_pages(table, parts, sheet.number),
        "table": build_page_table(rows, convention, map_links(study, form, rows), behind),
        "headings": build_headings(table, order, query),
        "page": page,
        "page_query": urlencode(query | {"sort": order}, doseq=True),
        "asked": urlencode(query, doseq=True),
    }
    return render(request, "analysis/table.html", context)


def list_grid_pages(table, parts, number):
    """Where the grids of a table are if they do not fit on one page: for each page its number, its grids, and whether
    it is the current one."""
    if parts.num_pages < 2:
        return []
    titles = [list(dict.fromkeys(grid.title or table.title for grid in page.object_list[0])) for page in parts]
    return [(place, title, place == number) for place, title in enumerate(titles, start=1)]


def get_table_or_404(report, name):
    """The table with this name; 404 if the report has none."""
    try:
        return report.table(name)
    except KeyError:
        raise Http404 from None
