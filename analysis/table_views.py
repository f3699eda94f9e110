"""One table of the results as a page of its own: all of its rows, sorted as asked, and its grids."""

from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import Http404
from django.shortcuts import render
from django.views.decorators.http import require_safe

from analysis.addresses import asked, behind_link, links_of
from analysis.crossing import crossed
from analysis.forms import ResultsForm
from analysis.item_lists import headings, page_of, sorted_by
from analysis.pages import page_table
from analysis.room import rows_on_a_page, sheets
from analysis.services.results import counts_by_purpose, report_of
from studies.access import get_study


@login_required
@require_safe
def study_table_page(request, slug, name):
    """Of a report without what is hidden from the team, as the results page has it."""
    study = get_study(request.user, slug)
    form = ResultsForm(study, counts_by_purpose(study), request.GET)
    report = report_of(study, form.choices)
    table, order = table_called(report, name), request.GET.get("sort", "")
    behind, convention, query = behind_link(study, form, request.path)(table), form.choices.convention, asked(form)
    page = Paginator(sorted_by(table, order).rows, rows_on_a_page(table)).get_page(request.GET.get("page"))
    is_first = page.number == 1 and not order
    parts = Paginator(sheets(table) if is_first else [[]], 1)
    sheet = parts.get_page(request.GET.get("grids"))
    rows = page_of(table, page)
    context = {
        "project": study.project,
        "study": study,
        "tab": "results",
        "report": report,
        "grids": crossed(table, convention, behind, next(iter(sheet.object_list), [])),
        "sheets": contents(table, parts, sheet.number),
        "table": page_table(rows, convention, links_of(study, form, rows), behind),
        "headings": headings(table, order, query),
        "page": page,
        "page_query": urlencode(query | {"sort": order}, doseq=True),
        "asked": urlencode(query, doseq=True),
    }
    return render(request, "analysis/table.html", context)


def contents(table, parts, number):
    """Where the grids of a table stand, if not all on one page: the number of a page, the grids there, whether it is
    the one that is shown."""
    if parts.num_pages < 2:
        return []
    titles = [list(dict.fromkeys(grid.title or table.title for grid in page.object_list[0])) for page in parts]
    return [(place, said, place == number) for place, said in enumerate(titles, start=1)]


def table_called(report, name):
    """404 where the report has no such table."""
    try:
        return report.table(name)
    except KeyError:
        raise Http404 from None
