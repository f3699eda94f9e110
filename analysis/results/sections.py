"""The content of Details: every table of a report with its figures and grids, grouped by the page it belongs to."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from urllib.parse import urlencode

from django.urls import reverse
from django.utils.translation import gettext as _

from analysis.figures.sizes import DRAWN, measure_figure
from analysis.plugins import find_plugin
from analysis.reports.published import list_not_comparable, select_comparable
from analysis.reports.report import Report
from analysis.results.forms import ResultsForm
from analysis.results.links import LISTS, build_query, make_drill_down_link, map_links
from analysis.tables.grids import Grid, build_grids
from analysis.tables.page import (
    DescriptionPart,
    PageTable,
    build_description,
    build_page_table,
    describe_figure,
    sort_naturally,
)
from analysis.tables.page_budget import count_cells, count_fitting_rows, select_fitting_grids
from analysis.tables.page_grids import pivot, place_side_by_side
from analysis.tables.spec import Table
from studies.models import Study

# Interactive figures on pages: size, alternative text and downloads.

ENDINGS = ("svg", "pdf", "png", "vl.json")


@dataclass(frozen=True)
class FigurePlace:
    """`text` says what the figure shows to those who cannot see it; `files` are names and addresses of downloads."""

    text: str
    width: int
    height: int
    specification: str
    svg: str
    files: list[tuple[str, str]]


def place_in_results(study: Study, report: Report, asked: str, name: str, table: Table) -> FigurePlace:
    """The figure `name` of a table of the report, under the choices of the parameters `asked`."""
    lines = 1 + len(report.scope) + (report.as_of is not None)
    drawn = {ending: reverse("study_figure", args=[study.slug, name, ending]) for ending in ENDINGS}
    return place(name, table, asked, drawn, reverse("study_table", args=[study.slug, table.name]), lines)


def place_in_planner(study: Study, asked: str, table: Table) -> FigurePlace:
    drawn = {ending: reverse("study_planner_figure", args=[study.slug, ending]) for ending in ENDINGS}
    return place("outlook", table, asked, drawn, reverse("study_planner_csv", args=[study.slug]))


def place(name: str, table: Table, asked: str, drawn: dict[str, str], csv: str, lines: int = 1) -> FigurePlace:
    width, height = measure_figure(name, table, lines)
    files = [
        ("SVG", f"{drawn['svg']}?{asked}&download=1"),
        ("PDF", f"{drawn['pdf']}?{asked}&download=1"),
        ("PNG", f"{drawn['png']}?{asked}&download=1"),
        (_("data (CSV)"), f"{csv}?{asked}"),
        (_("specification (Vega-Lite)"), f"{drawn['vl.json']}?{asked}&download=1"),
    ]
    shown = f"{drawn['vl.json']}?{asked}", f"{drawn['svg']}?{asked}"
    drawn_rows = replace(table, rows=tuple(DRAWN[name](table))) if name in DRAWN else table
    return FigurePlace(describe_figure(drawn_rows), width, height, *shown, files)


SHORT = 24  # rows of a table in a list
SURE_ENOUGH = 15  # items of a list sorted by certainty
SHORT_CLOSED = 12  # rows of a part of the description
# The first table with these columns is also shown with its evaluators side by side.
SHARES = {"generator", "evaluator", "guessability", "answerability"}
PUBLISHED = "published"
DESCRIPTION = "description"


@dataclass(frozen=True)
class Group:
    """Tables that belong together, under a title."""

    name: str
    title: str
    listed: list["TableSection"]


def build_sections(study: Study, form: ResultsForm, report: Report, page: str) -> dict:
    """All tables in groups, for the page at this path; tables without rows are grouped by the reason."""
    drawn = TablesOnPage(study, form, report, page)
    every = [drawn.show(table) for table in report.tables if table.name not in (DESCRIPTION, PUBLISHED)]
    filled = [each for each in every if not each.is_empty]
    empty = group_empty_tables([each.table for each in every if each.is_empty])
    return {
        "groups": group_tables(study, filled),
        "n_tables": len(filled),
        "empty": {"title": _("No results yet"), "tables": empty},
        "notes_of_several": drawn.shared_notes,
        "description": drawn.described,
        "described": report.table(DESCRIPTION),
        "published": make_published_part(study, form, report, page),
    }


def list_sections(
    study: Study, form: ResultsForm, report: Report, page: str, names: Sequence[str]
) -> list["TableSection"]:
    """The tables of these names that have rows, in this order."""
    chosen = [table for name in names for table in report.tables if table.name == name]
    drawn = TablesOnPage(study, form, replace(report, tables=(*chosen, report.table(DESCRIPTION))), page)
    return [each for each in map(drawn.show, chosen) if not each.is_empty]


def list_named(report: Report, names: Sequence[str]) -> list[Table]:
    """The tables of these names that have rows."""
    return [table for name in names for table in report.tables if table.name == name and len(table.rows)]


def group_tables(study: Study, listed: Sequence["TableSection"]) -> list[Group]:
    """Grouped by the results page that a table belongs to; tables without a page come first."""
    pages = find_plugin(study.protocol).pages
    named = {"agreement": pages.agreement, "items": pages.items, "compare": pages.compare}
    titles = {"agreement": _("Agreement"), "items": _("Items"), "compare": _("People and models")}
    home = {table: name for name, tables in reversed(named.items()) for table in tables}
    main = Group("main", _("Main results"), [each for each in listed if each.table.name not in home])
    rest = [
        Group(name, title, [each for each in listed if home.get(each.table.name) == name])
        for name, title in titles.items()
    ]
    return [group for group in (main, *rest) if group.listed]


class TablesOnPage:
    """The tables of a report as one page shows them, shortened to the page's limit of cells."""

    def __init__(self, study: Study, form: ResultsForm, report: Report, page: str):
        self.study, self.form, self.report = study, form, report
        self.behind, self.convention = make_drill_down_link(study, form, page), form.choices.convention
        self.long_tables, self.shared_notes = find_long_tables(report), find_shared_notes(report)
        self.rows_on_page, self.grids = select_rows_on_page(report), select_fitting_grids(report.tables)
        table = report.table(DESCRIPTION)
        self.wide_table = next((each.name for each in report.tables if set(each.header) >= SHARES), "")
        self.described = build_description(table, self.behind(table), SHORT_CLOSED)
        taken = count_cells_on_page(self.described, self.grids)
        self.max_rows = count_fitting_rows(
            [(len(each.rows), len(each.columns)) for each in self.rows_on_page.values()], taken
        )
        self.place = partial(place_in_results, study, report, urlencode(build_query(form), doseq=True))

    def show(self, table: Table) -> "TableSection":
        from analysis.figures.registry import list_figures

        own = tuple(note for note in table.notes if note not in self.shared_notes)
        mine = replace(self.rows_on_page[table.name], notes=own)
        fitting = min(self.max_rows, SURE_ENOUGH) if table.name in LISTS else self.max_rows
        links = map_links(self.study, self.form, replace(mine, rows=mine.rows[:fitting])) if mine.rows else {}
        shown = build_page_table(mine, self.convention, links, self.behind(table), fitting)
        n_elsewhere = len(table.rows) if table.name in self.long_tables else 0
        figures = [name for name in self.report.figures if list_figures()[name][0] == table.name]
        return TableSection(
            replace(shown, more=len(table.rows)) if n_elsewhere else shown,
            len(table.rows),
            n_elsewhere,
            [self.place(name, table) for name in figures],
            pivot(table, self.convention, self.behind(table), self.grids[table.name]),
            place_side_by_side(table, self.convention, self.behind(table)) if table.name == self.wide_table else None,
        )


def make_published_part(study: Study, form: ResultsForm, report: Report, page: str) -> dict | None:
    """The published numbers that are comparable, and the others; None if the protocol has none."""
    found = [table for table in report.tables if table.name == PUBLISHED]
    if not found:
        return None
    shown = build_page_table(
        select_comparable(found[0]), form.choices.convention, {}, make_drill_down_link(study, form, page)(found[0])
    )
    different = list_not_comparable(found[0])
    return {"table": shown, "apart": different, "n_apart": sum(each.n for each in different)}


def select_rows_on_page(report: Report) -> dict[str, Table]:
    """Each table with those of its rows that may be on the results page."""
    elsewhere = find_long_tables(report) | {DESCRIPTION}  # the description is laid out apart
    found = {
        table.name: replace(table, rows=()) if table.name in elsewhere else sort_naturally(table)
        for table in report.tables
    }
    return found | {name: select_comparable(table) for name, table in found.items() if name == PUBLISHED}


def count_cells_on_page(described: list[DescriptionPart], grids: Mapping[str, list[Grid]]) -> int:
    """How many cells are on the page besides those of lists."""
    return sum(len(part.rows) * (len(part.quantities) + 1) for part in described) + sum(
        count_cells(grid) for several in grids.values() for grid in several
    )


def find_long_tables(report: Report) -> set[str]:
    """Tables with pages of their own, because they are too long for the results page."""
    return {
        table.name
        for table in report.tables
        if table.name != PUBLISHED and (len(table.rows) > SHORT or build_grids(table))
    }


def find_shared_notes(report: Report) -> list[str]:
    """Notes that apply to several tables: shown once on the page, and in the file of each table."""
    found = Counter(note for table in report.tables if table.rows for note in dict.fromkeys(table.notes))
    return [note for note, n in found.items() if n > 1]


@dataclass(frozen=True)
class TableSection:
    """A table with its figures and its first grids; `beside`: its evaluators side by side.

    `n_rows`: of the report's table, even where the page shows none; `n_elsewhere`: how many it has on its own page.
    """

    table: PageTable
    n_rows: int
    n_elsewhere: int
    figures: list[FigurePlace]
    grids: list[PageTable]
    beside: PageTable | None

    @property
    def is_empty(self) -> bool:
        return not (self.n_rows or self.figures)


def group_empty_tables(tables: list[PageTable]) -> list[tuple[list[PageTable], tuple[str, ...]]]:
    """Tables without rows, grouped by their notes."""
    found: dict[tuple[str, ...], list[PageTable]] = {}
    for table in tables:
        found.setdefault(table.notes, []).append(table)
    return [(alike, notes) for notes, alike in found.items()]
