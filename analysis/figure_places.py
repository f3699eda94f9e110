"""A figure's place on a page: its words, its addresses, its downloads, and the room it will take when it is drawn."""

from dataclasses import dataclass

from django.urls import reverse
from django.utils.translation import gettext as _

from analysis.figure_sizes import size_of
from analysis.pages import alternative
from analysis.report import Report
from analysis.tables import Table
from studies.models import Study


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
    return FigurePlace(alternative(table), width, height, *shown, files)
