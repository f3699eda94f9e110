from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.shortcuts import render
from django.views.decorators.http import require_safe

from analysis.addresses import asked
from analysis.forms import ResultsForm, without_idle
from analysis.sections import sections
from analysis.services.results import counts_by_purpose, report_and_ticket
from analysis.services.working import BeingWorkedOut
from analysis.working_views import panel
from projects.models import Role
from studies.access import get_study
from studies.models import Study
from studies.people_forms import ExpertCheckForm
from studies.progress import progress_of
from studies.services.effects import RUNNING, effects_hidden
from studies.services.expert_check import may_check
from studies.services.rephrasals import rephrasals_of
from studies.services.second_round import may_open


@login_required
@require_safe
def study_results(request, slug):
    study = get_study(request.user, slug)
    counts = counts_by_purpose(study)
    form = ResultsForm(study, counts, request.GET)
    hidden, role = effects_hidden(study), study.project.my_role
    try:
        report, found = report_and_ticket(study, form.choices)
        ticket = found.ticket
    except BeingWorkedOut as working:
        report, ticket = None, working.ticket
    context = {
        "project": study.project,
        "study": study,
        "tab": "results",
        "choices": form.choices,
        "report": report or {"included": form.choices.included},
        "is_waiting": report is None,
        "asked": urlencode(asked(form), doseq=True),
        "rephrasals": rephrasals_of(study) if role.rank >= Role.RESEARCHER.rank and not hidden else [],
        "may_open_second": may_open(study) and "main" in counts,
        "expert_form": expert_form(study),
        "may_export": role.rank >= Role.REVIEWER.rank,
        "progress": progress_of(study) if study.state in RUNNING and "main" in counts else None,
        "effects_hidden": hidden,
        "effects_log": study.effects_switches.select_related("made_by"),
        "may_hide": role.rank >= Role.OWNER.rank and study.state in RUNNING,
    }
    context |= panel(request, ticket, shows=report is not None) if ticket else {}
    context |= (
        {"form": without_idle(form, report)} | sections(study, form, report, request.path) if report else {"form": form}
    )
    return render(request, "analysis/results.html", context)


def expert_form(study: Study) -> ExpertCheckForm | None:
    """What a researcher fills in to open an expert check, where there can be one."""
    may_open = study.project.my_role.rank >= Role.RESEARCHER.rank and may_check(study)
    return ExpertCheckForm() if may_open else None
