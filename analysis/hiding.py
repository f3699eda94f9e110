"""What results pages still show while effects by generator are hidden from the team: nothing that compares generators
by their answers. Reports written by command are the admin's, and complete."""

from collections.abc import Callable
from dataclasses import replace
from functools import wraps
from typing import Any

from django.shortcuts import render

from analysis.reports.report import Report
from analysis.tables.spec import Table
from projects.models import Role
from studies.access import get_study
from studies.services.states import are_effects_hidden

# Tables about all generators together; other tables are hidden, including new ones.
SHOWN = ("description", "agreement_with_humans", "alpha", "agreement", "flow")
FIGURES = ("flow",)
APART = ("generator", "source")  # columns that are filled in rows about single generators


def hide_effects(report: Report) -> Report:
    """The report without sentences, and without every table, row and figure about single generators."""
    tables = tuple(keep_pooled_rows(table) for table in report.tables if table.name in SHOWN)
    figures = tuple(name for name in report.figures if name in FIGURES)
    return replace(report, tables=tables, sentences=(), findings=(), figures=figures)


def keep_pooled_rows(table: Table) -> Table:
    """Only the rows about all generators and all sources."""
    if table.name == "description":  # what was asked, not what was answered
        return table
    return replace(table, rows=tuple(row for row in table.rows if not any(row.get(column) for column in APART)))


def require_shown_effects(role: Role = Role.VIEWER) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorates a view of a study for members from this role on; the view gets the study in place of its slug.

    While effects are hidden from the team, the visitor gets a page that says so.
    """

    def decorate(view: Callable[..., Any]) -> Callable[..., Any]:
        @wraps(view)
        def show_unless_hidden(request, slug, *more, **named):
            study = get_study(request.user, slug, role)
            if are_effects_hidden(study):
                return show_hidden_page(request, study)
            return view(request, study, *more, **named)

        return show_unless_hidden

    return decorate


def show_hidden_page(request, study):
    """The page in place of one with single items, judgments or answers: why it is closed, and until when."""
    context = {"project": study.project, "study": study}
    return render(request, "analysis/hidden.html", context, status=403)
