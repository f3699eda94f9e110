"""Can a model stand in for people? One page of a study."""

from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.http import Http404
from django.shortcuts import render
from django.utils.translation import override
from django.views.decorators.http import require_safe

from analysis.addresses import asked, behind_link
from analysis.file_views import attached
from analysis.forms import ResultsForm, StandInForm
from analysis.hiding import effects_shown
from analysis.services.results import LABEL_MASS, STAND_IN, counts_by_purpose, stand_in_of, table_called
from analysis.turning import turned
from analysis.writers import as_csv


@login_required
@require_safe
@effects_shown()
def stand_in(request, study):
    from analysis.reports.label_mass import label_mass  # numpy takes a while to load
    from analysis.reports.stand_in_sentences import verdicts

    form, kinds = ResultsForm(study, counts_by_purpose(study), request.GET), StandInForm(request.GET)
    report = stand_in_of(study, form.choices, kinds.kind)
    behind = behind_link(study, form, request.path, people=kinds.kind)
    mass = label_mass(study, form.choices.purposes)
    tables = [turned(table, request.GET, "clustered", behind(table), of=len(report.tables)) for table in report.tables]
    context = {
        "project": study.project,
        "study": study,
        "tab": "results",
        "report": report,
        "form": form,
        "kinds": kinds,
        "verdicts": verdicts(report.tables[0]) if tables else [],
        "tables": tables,
        "mass": turned(mass, request.GET, "clustered", behind(mass)),
        "results_asked": urlencode(asked(form), doseq=True),
        "asked": urlencode(asked(form) | {"people": kinds.kind}, doseq=True),
    }
    return render(request, "analysis/stand_in.html", context)


@login_required
@require_safe
@effects_shown()
def stand_in_csv(request, study, name):
    if name not in (*STAND_IN, LABEL_MASS):
        raise Http404
    form, kinds = ResultsForm(study, counts_by_purpose(study), request.GET), StandInForm(request.GET)
    with override("en"):  # files are the same for every reader
        try:
            table = table_called(study, form.choices, name, kinds.kind)
        except KeyError:
            raise Http404 from None
    return attached(as_csv(table).encode(), f"{study.slug}-{table.name}.csv")
