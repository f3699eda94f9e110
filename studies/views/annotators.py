import csv

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.text import slugify
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from items.csv_cells import escape_formula
from projects.models import Role
from studies.access import get_study
from studies.forms.people import ExpertCheckForm
from studies.models import AnnotatorKind, Purpose, StudyState
from studies.services import launching, people
from studies.services.expert_check import open_expert_check
from studies.services.spec import SpecError
from studies.services.states import WrongState


@login_required
@require_POST
def expert_check(request, slug):
    """Draw the sample and make the experts' links, which stand on the page of annotators."""
    study = get_study(request.user, slug, Role.RESEARCHER)
    form = ExpertCheckForm(request.POST)
    try:
        if form.is_valid():
            open_expert_check(study, **form.cleaned_data)
            messages.success(request, _("The expert check is open. Send each expert their personal link."))
            return redirect("study_annotators", study.slug)
        raise SpecError(" ".join(f"{form.fields[name].label}: {said[0]}" for name, said in form.errors.items()))
    except (WrongState, SpecError) as error:
        messages.error(request, str(error))
    return redirect("study_results", study.slug)


ACTIONS = {"revoke": people.revoke_link, "renew": people.renew_link}


@login_required
@require_POST
def annotator_link(request, slug, pk, action):
    study = get_study(request.user, slug, Role.RESEARCHER)
    if action not in ACTIONS:
        raise Http404
    annotator = get_object_or_404(study.annotators.filter(kind=AnnotatorKind.HUMAN), pk=pk)
    ACTIONS[action](annotator)
    done = {"revoke": _("%(code)s's link is now disabled."), "renew": _("%(code)s has a new link.")}[action]
    messages.success(request, done % {"code": annotator.code})
    return redirect("study_annotators", study.slug)


@login_required
@never_cache
@require_safe
def annotator_links(request, slug):
    """All personal links as a CSV, for sending them out; with `?group=` those of one group."""
    study = get_study(request.user, slug, Role.RESEARCHER)
    group = request.GET.get("group", "")
    annotators = study.annotators.filter(purpose=Purpose.MAIN, revoked_at=None, kind=AnnotatorKind.HUMAN)
    if group:
        annotators = annotators.filter(group=group)
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    name = "-".join(filter(None, [study.slug, slugify(group), "links"]))
    response["Content-Disposition"] = f'attachment; filename="{name}.csv"'
    writer = csv.writer(response)
    writer.writerow(["annotator", "person", "group", "link"])
    if study.state != StudyState.IMPORTED:
        for annotator in annotators:
            link = request.build_absolute_uri(annotator.get_link())
            writer.writerow(map(escape_formula, [annotator.code, annotator.person, annotator.group, link]))
    return response


@login_required
@require_POST
def remove_simulated(request, slug):
    study = get_study(request.user, slug, Role.RESEARCHER)
    number = launching.remove_simulated(study)
    said = ngettext(
        "%(n)d simulated annotator was removed with all answers.",
        "%(n)d simulated annotators were removed with all answers.",
        number,
    )
    messages.success(request, said % {"n": number})
    return redirect("study_design", study.slug)
