"""The pages on which a researcher reviews what annotators wrote, before it becomes items of the bank."""

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from items.forms.bank import OptionFormSet, add_option_rows
from items.services.editing import EditRefused
from projects.models import Role
from studies.access import get_study
from studies.forms.people import WrittenForm, make_option_rows
from studies.services import written_items


@login_required
@require_safe
def study_written(request, slug):
    study = get_study(request.user, slug, Role.RESEARCHER)
    if not written_items.find_writing_questions(study):
        raise Http404
    rows = written_items.list_written_items(study)
    waiting = [row for row in rows if not row.verdict]
    context = {"project": study.project, "study": study, "rows": rows, "n_waiting": len(waiting)}
    return render(request, "studies/written.html", context)


@login_required
@require_POST
def take_item(request, slug, pk):
    study = get_study(request.user, slug, Role.RESEARCHER)
    try:
        item = written_items.take_written_item(study, pk, request.user)
        messages.success(request, _("The item was added to the project as “%(item)s”.") % {"item": item.external_id})
    except EditRefused as error:
        messages.error(request, str(error))
    return redirect("study_written", study.slug)


@login_required
@require_POST
def reject_item(request, slug, pk):
    study = get_study(request.user, slug, Role.RESEARCHER)
    try:
        written_items.reject_written_item(study, pk, request.user, request.POST.get("reason", "").strip()[:500])
        messages.success(request, _("The item was rejected. It stays with the study's answers and is counted there."))
    except EditRefused as error:
        messages.error(request, str(error))
    return redirect("study_written", study.slug)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def repair_item(request, slug, pk):
    study = get_study(request.user, slug, Role.RESEARCHER)
    try:
        row = written_items.find_written_item(study, pk)
    except EditRefused:
        raise Http404 from None
    if row.review and row.review.item:
        messages.info(request, _("This item is already in the project."))
        return redirect("study_written", study.slug)
    values = row.values
    form = WrittenForm(request.POST or None, initial={"stem": values.stem, "expected_answer": values.expected_answer})
    rows: Any = OptionFormSet(request.POST or None, prefix="options", initial=make_option_rows(values))
    if "more" in request.POST:
        form = WrittenForm(initial=request.POST.dict())
        rows = OptionFormSet(prefix="options", initial=add_option_rows(rows))
    elif form.is_valid() and rows.is_valid():
        try:
            item = written_items.take_written_item(
                study, pk, request.user, form.values(values.generator, rows.values(()))
            )
        except EditRefused as refusal:
            form.add_error(None, str(refusal))
        else:
            messages.success(
                request, _("The item was added to the project as “%(item)s”.") % {"item": item.external_id}
            )
            return redirect("study_written", study.slug)
    context = {"project": study.project, "study": study, "row": row, "form": form, "rows": rows}
    return render(request, "studies/written_repair.html", context)
