"""Where the interactive figures of a report stand on pages: their room, their words, their files."""

from dataclasses import dataclass, replace

from django.urls import reverse
from django.utils.translation import gettext as _

from analysis.figures.sizes import DRAWN, size_of
from analysis.reports.report import Report
from analysis.tables.page import alternative
from analysis.tables.spec import Table
from studies.models import Study

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
    """The figure `name` of a table of the report, under the choices that the parameters `asked` stand for."""
    lines = 1 + len(report.said) + (report.as_of is not None)
    drawn = {ending: reverse("study_figure", args=[study.slug, name, ending]) for ending in ENDINGS}
    return place(name, table, asked, drawn, reverse("study_table", args=[study.slug, table.name]), lines)


def place_in_planner(study: Study, asked: str, table: Table) -> FigurePlace:
    drawn = {ending: reverse("study_planner_figure", args=[study.slug, ending]) for ending in ENDINGS}
    return place("outlook", table, asked, drawn, reverse("study_planner_csv", args=[study.slug]))


def place(name: str, table: Table, asked: str, drawn: dict[str, str], csv: str, lines: int = 1) -> FigurePlace:
    width, height = size_of(name, table, lines)
    files = [
        ("SVG", f"{drawn['svg']}?{asked}&download=1"),
        ("PDF", f"{drawn['pdf']}?{asked}&download=1"),
        ("PNG", f"{drawn['png']}?{asked}&download=1"),
        (_("data (CSV)"), f"{csv}?{asked}"),
        (_("specification (Vega-Lite)"), f"{drawn['vl.json']}?{asked}&download=1"),
    ]
    shown = f"{drawn['vl.json']}?{asked}", f"{drawn['svg']}?{asked}"
    drawn_rows = replace(table, rows=tuple(DRAWN[name](table))) if name in DRAWN else table
    return FigurePlace(alternative(drawn_rows), width, height, *shown, files)
