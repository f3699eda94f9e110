"""Shortcuts over the whole bank of a project: how often a sign leads to the key, and in which items."""

from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.shortcuts import render
from django.utils.translation import override
from django.views.decorators.http import require_safe

from analysis.choices import DEFAULT_CONVENTION
from analysis.downloads import attach
from analysis.items.shortcuts import bank_of, shortcuts_of
from analysis.tables.page import BehindLink, page_table
from analysis.tables.spec import Table
from analysis.tables.writers import as_csv
from analysis.words import CUES
from projects.access import get_project

PER_PAGE = 100


@login_required
@require_safe
def bank_shortcuts(request, slug):
    from analysis.items.shortcuts import ALL, flag_items  # scipy takes a second to load

    project = get_project(request.user, slug)
    table = shortcuts_of(project)
    cue, generator = request.GET.get("cue", ""), request.GET.get("generator") or ALL
    found = flag_items(bank_of(project), cue, generator) if cue in CUES else []
    context = {
        "project": project,
        "has_options": bank_of(project).filter(options__isnull=False).exists(),
        "table": page_table(table, DEFAULT_CONVENTION, behind=items_link(table)),
        "cues": CUES.items(),
        "cue": cue,
        "generators": [ALL, *project.generators.values_list("name", flat=True)],
        "generator": generator,
        "page": Paginator(found, PER_PAGE).get_page(request.GET.get("page")),
    }
    return render(request, "analysis/shortcuts.html", context)


def items_link(table: Table) -> BehindLink:
    """From a number to the list of the items that it counts, on the same page."""
    return lambda row, column: f"?{urlencode(table.names(row))}#counted"


@login_required
@require_safe
def bank_shortcuts_csv(request, slug):
    project = get_project(request.user, slug)
    with override("en"):  # files are the same for every reader
        content = as_csv(shortcuts_of(project))
    return attach(content.encode(), f"{project.slug}-shortcuts.csv")
