"""A study beside another of the same items: do both rank alike, and which tells more in an hour?"""

from django.contrib.auth.decorators import login_required
from django.http import Http404
from django.shortcuts import render
from django.utils.translation import override
from django.views.decorators.http import require_safe

from analysis.choices import DEFAULT_CONVENTION
from analysis.downloads import attach
from analysis.hiding import effects_shown
from analysis.services.comparing import compare_with, list_comparable
from analysis.tables.page import page_table
from analysis.tables.writers import as_csv


def choose_other(request, others):
    """The study that the address names, else the first; 404 for another."""
    name = request.GET.get("with", "")
    found = next((each for each in others if each.slug == name), None if name else next(iter(others), None))
    if found is None and name:
        raise Http404
    return found


@login_required
@require_safe
@effects_shown()
def study_protocols(request, study):
    others = list_comparable(study)
    other = choose_other(request, others)
    context = {"project": study.project, "study": study, "others": others, "other": other}
    if other:
        from analysis.science.between import say_comparison

        tables = compare_with(study, other)
        context |= {
            "sentences": say_comparison(tables),
            "tables": [(page_table(table, DEFAULT_CONVENTION), table.name) for table in tables if table.rows],
        }
    return render(request, "analysis/protocols.html", context)


@login_required
@require_safe
@effects_shown()
def study_protocols_csv(request, study, name):
    other = choose_other(request, list_comparable(study))
    if other is None:
        raise Http404
    with override("en"):  # files are the same for every reader
        table = next((each for each in compare_with(study, other) if each.name == name), None)
        if table is None:
            raise Http404
        return attach(as_csv(table).encode(), f"{study.slug}-{other.slug}-{name}.csv")
