import csv

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_POST

from projects.access import get_project
from projects.models import Role
from studies import page_forms
from studies.access import get_study
from studies.models import Purpose
from studies.progress import annotators_of, guess_balance, progress_of
from studies.protocols import PROTOCOLS
from studies.services import creating, importing, launching, people
from studies.services.locking import WrongState
from studies.services.selection import choose
from studies.services.spec import SpecError


@login_required
def study_list(request, slug):
    project = get_project(request.user, slug)
    studies = project.studies.select_related("instrument_version__instrument")
    rows = [(study, progress_of(study)) for study in studies]
    return render(request, "studies/list.html", {"project": project, "rows": rows, "tab": "studies"})


@login_required
def study_new(request, slug):
    project = get_project(request.user, slug, Role.RESEARCHER)
    form = page_forms.StudyForm(request.POST or None, project=project)
    if form.is_valid():
        try:
            study, _chosen = creating.create_study(project, form.cleaned_data["spec"])
            return redirect("study", study.slug)
        except SpecError as error:
            form.add_error(None, str(error))
    return render(request, "studies/edit.html", {"project": project, "form": form})


@login_required
def study_edit(request, slug):
    study = get_study(request.user, slug, Role.RESEARCHER)
    form = page_forms.StudyForm(
        request.POST or None, project=study.project, study=study, initial=page_forms.initial_of(study)
    )
    if form.is_valid():
        try:
            creating.change_study(study, form.cleaned_data["spec"])
            return redirect("study", study.slug)
        except (SpecError, creating.NotADraft) as error:
            form.add_error(None, str(error))
    return render(request, "studies/edit.html", {"project": study.project, "study": study, "form": form})


@login_required
def study_page(request, slug):
    study = get_study(request.user, slug)
    context = {"project": study.project, "study": study, "tab": "study", "protocol": PROTOCOLS[study.protocol]}
    context |= draft_context(study) if study.is_draft else running_context(study)
    return render(request, "studies/study.html", context)


def draft_context(study) -> dict:
    """What a draft would ask if it were launched now, or why it cannot be."""
    try:
        chosen = choose(study)
    except SpecError as error:
        return {"problem": str(error)}
    return {"chosen": chosen}


def running_context(study) -> dict:
    units = study.units.select_related("text")
    return {
        "progress": progress_of(study),
        "simulated": progress_of(study, Purpose.SIMULATED),
        "balance": guess_balance(study),
        "n_texts": units.count(),
        "n_items": units.filter(unit_items__isnull=False).values("unit_items").count(),
    }


ACTIONS = {
    "launch": launching.launch_study,
    "pause": launching.pause_study,
    "resume": launching.resume_study,
    "close": launching.close_study,
    "reopen": launching.reopen_study,
}


@login_required
@require_POST
def study_act(request, slug, action):
    study = get_study(request.user, slug, Role.RESEARCHER)
    try:
        ACTIONS[action](study)
    except (WrongState, SpecError) as error:
        messages.error(request, str(error))
        return redirect("study", study.slug)
    return redirect("study_annotators" if action == "launch" else "study", study.slug)


@login_required
@require_POST
def study_delete(request, slug):
    study = get_study(request.user, slug, Role.RESEARCHER)
    try:
        launching.delete_draft(study)
    except WrongState as error:
        messages.error(request, str(error))
        return redirect("study", study.slug)
    messages.success(request, _("The draft “%(title)s” was deleted.") % {"title": study.title})
    return redirect("study_list", study.project.slug)


@login_required
@require_POST
def study_preview(request, slug):
    study = get_study(request.user, slug, Role.RESEARCHER)
    try:
        annotator = launching.start_preview(study)
    except (WrongState, SpecError) as error:
        messages.error(request, str(error))
        return redirect("study", study.slug)
    return redirect("join", annotator.token)


@login_required
def study_annotators(request, slug):
    study = get_study(request.user, slug, Role.RESEARCHER)
    form = page_forms.AddAnnotatorsForm(request.POST or None, study=study)
    if form.is_valid():
        add_people(request, study, form.cleaned_data)
        return redirect("study_annotators", study.slug)
    annotators = list(annotators_of(study))
    context = {
        "project": study.project,
        "study": study,
        "tab": "annotators",
        "form": form,
        "people": [annotator for annotator in annotators if annotator.purpose != Purpose.SIMULATED],
        "simulated": [annotator for annotator in annotators if annotator.purpose == Purpose.SIMULATED],
    }
    return render(request, "studies/annotators.html", context)


def add_people(request, study, wanted: dict) -> None:
    listed = wanted["people"]
    count = len(listed) + (wanted["count"] or 0)
    try:
        people.add_annotators(study, count, group=wanted.get("group", ""), people=listed)
    except WrongState as error:
        messages.error(request, str(error))
        return
    said = ngettext("%(n)d annotator was added.", "%(n)d annotators were added.", count)
    messages.success(request, said % {"n": count})


@login_required
@require_POST
def annotator_link(request, slug, pk, action):
    study = get_study(request.user, slug, Role.RESEARCHER)
    annotator = get_object_or_404(study.annotators, pk=pk)
    {"revoke": people.revoke_link, "renew": people.renew_link}[action](annotator)
    return redirect("study_annotators", study.slug)


@login_required
def annotator_links(request, slug):
    """All personal links as a CSV, for sending them out."""
    study = get_study(request.user, slug, Role.RESEARCHER)
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{study.slug}-links.csv"'
    writer = csv.writer(response)
    writer.writerow(["annotator", "group", "link"])
    for annotator in study.annotators.filter(purpose=Purpose.MAIN, revoked_at=None, kind="human"):
        writer.writerow([annotator.code, annotator.group, request.build_absolute_uri(annotator.get_link())])
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
    return redirect("study", study.slug)


@login_required
def study_import(request, slug):
    study = get_study(request.user, slug, Role.RESEARCHER)
    form = page_forms.ResponsesForm(request.POST or None, request.FILES or None)
    problems = []
    if form.is_valid():
        try:
            counts = import_file(study, form.cleaned_data)
            messages.success(request, _("%(n)d responses were imported.") % {"n": counts.responses})
            return redirect("study_results", study.slug)
        except (WrongState, SpecError) as error:
            form.add_error(None, str(error))
        except importing.ImportRefused as refused:
            problems = refused.problems
    context = {"project": study.project, "study": study, "form": form, "problems": problems}
    return render(request, "studies/import.html", context)


def import_file(study, cleaned: dict) -> importing.Counts:
    limit = settings.LESART["PAGE_UPLOAD_BYTES"]
    if cleaned["file"].size > limit:
        raise SpecError(
            _("The file is larger than %(limit)d MB. Use the command import_responses for it.")
            % {"limit": limit // 1_000_000}
        )
    return importing.import_responses(study, cleaned["file"].read(), partial=cleaned["partial"])
