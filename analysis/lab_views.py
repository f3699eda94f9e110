"""The agreement lab as a page: any question, any annotators, all coefficients."""

from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.http import Http404
from django.shortcuts import render
from django.utils.translation import override
from django.views.decorators.http import require_safe

from analysis.file_views import attached
from analysis.lab_forms import LabForm
from analysis.pages import page_table
from analysis.services.results import counts_by_purpose, lab_of, lab_overview_of
from analysis.turning import turned
from analysis.writers import as_csv
from studies.access import get_study
from studies.services.effects import effects_hidden

TABLES = ("coefficients", "tests", "contingency", "labels")
QUESTIONS = "questions"
HIDDEN = ("contingency", "labels")  # of pairs, labels are sides, and a side may always be one generator's


def tables_of(study):
    """The tables that the team may see now."""
    return [name for name in TABLES if name not in HIDDEN or not effects_hidden(study)]


def questions_in(study, form):
    return lab_overview_of(study, form.choices, form.annotators)


@login_required
@require_safe
def agreement_lab(request, slug):
    study = get_study(request.user, slug)
    form = LabForm(study, counts_by_purpose(study), request.GET)
    found = lab_of(study, form.choices, form.question, form.annotators) if form.question else None
    context = {
        "project": study.project,
        "study": study,
        "tab": "results",
        "report": {"included": form.choices.included},
        "form": form,
        "questions": page_table(questions_in(study, form), "clustered"),
        "tables": [(name, turned(getattr(found, name), request.GET, "clustered", of=2)) for name in tables_of(study)]
        if found
        else [],
        "asked": urlencode(form.asked, doseq=True),
    }
    return render(request, "analysis/lab.html", context)


@login_required
@require_safe
def agreement_lab_csv(request, slug, name):
    study = get_study(request.user, slug)
    form = LabForm(study, counts_by_purpose(study), request.GET)
    if name not in (QUESTIONS, *tables_of(study)) or form.question is None:
        raise Http404
    with override("en"):  # files are the same for every reader
        if name == QUESTIONS:
            return attached(as_csv(questions_in(study, form)).encode(), f"{study.slug}-agreement_questions.csv")
        found = lab_of(study, form.choices, form.question, form.annotators)
        if found is None:
            raise Http404
        table = getattr(found, name)
        return attached(as_csv(table).encode(), f"{study.slug}-{table.name}.csv")
