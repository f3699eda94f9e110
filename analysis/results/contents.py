"""The contents of a results page: its sections with their anchors, for a reader who knows what they came for."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from django.urls import reverse
from django.utils.translation import gettext as _

from analysis.figures.sizes import DRAWN, size_of
from analysis.reports.report import Report
from analysis.tables.page import PageTable, alternative
from analysis.tables.spec import Table
from studies.models import Study

if TYPE_CHECKING:
    from analysis.results.sections import Listed

Section = tuple[str, str]  # anchor and title
TABLES = (
    "agreement_with_humans", "ratings", "accuracy_by_rating", "variants", "guessable_items", "unanswerable_items",
    "item_analysis", "published",
)  # fmt: skip


def contents_of_listed(report: Report, listed: Sequence["Listed"], empty: bool, has_sheets: bool) -> list[Section]:
    """Of a page that lists its tables; `empty`: some have no rows and stand together, `has_sheets`: of items."""
    return [
        *((each.table.name, each.table.title) for each in listed),
        *([("items", _("Item by item"))] if has_sheets else []),
        *([("empty", nothing_yet())] if empty else []),
        *ending(report),
    ]


def contents_of_sections(report: Report, tables: Mapping[str, PageTable]) -> list[Section]:
    """Of a page with a layout of its own, whose first section is its main result."""
    return [
        ("informativity", tables["informativity"].title),
        *((name, tables[name].title) for name in TABLES if name in tables),
        *ending(report),
    ]


def ending(report: Report) -> Iterator[Section]:
    if report.checks:
        yield "checks", _("Checks")
    yield "description", report.table("description").title
    yield "downloads", _("Answers")


def nothing_yet() -> str:
    """Over what a report of this protocol can have and this study has not."""
    return _("No results yet")


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
    """The figure `name` of a table of the report, under the choices that the parameters `asked` stand for."""
    lines = 1 + len(report.said) + (report.as_of is not None)
    drawn = {ending: reverse("study_figure", args=[study.slug, name, ending]) for ending in ("svg", "png", "vl.json")}
    return place(name, table, asked, drawn, reverse("study_table", args=[study.slug, table.name]), lines)


def place_in_planner(study: Study, asked: str, table: Table) -> FigurePlace:
    drawn = {ending: reverse("study_planner_figure", args=[study.slug, ending]) for ending in ("svg", "png", "vl.json")}
    return place("outlook", table, asked, drawn, reverse("study_planner_csv", args=[study.slug]))


def place(name: str, table: Table, asked: str, drawn: dict[str, str], csv: str, lines: int = 1) -> FigurePlace:
    width, height = size_of(name, table, lines)
    files = [
        ("SVG", f"{drawn['svg']}?{asked}&download=1"),
        ("PNG", f"{drawn['png']}?{asked}&download=1"),
        (_("data (CSV)"), f"{csv}?{asked}"),
        (_("specification (Vega-Lite)"), f"{drawn['vl.json']}?{asked}&download=1"),
    ]
    shown = f"{drawn['vl.json']}?{asked}", f"{drawn['svg']}?{asked}"
    drawn_rows = replace(table, rows=tuple(DRAWN[name](table))) if name in DRAWN else table
    return FigurePlace(alternative(drawn_rows), width, height, *shown, files)
