from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from projects.access import get_project
from projects.models import Role
from studies.access import get_study
from studies.forms.people import ResponsesForm
from studies.services import launching
from studies.services.progress import list_progress
from studies.services.responses import importing
from studies.services.responses.rows import COLUMNS, REQUIRED_COLUMNS
from studies.services.spec import SpecError
from studies.services.states import WrongState
from studies.views.design import get_post


@login_required
@require_safe
def study_list(request, slug):
    project = get_project(request.user, slug)
    studies = project.studies.order_by("-created_at", "-pk")
    archived = studies.exclude(archived_at=None)
    listed = archived if "archived" in request.GET else studies.filter(archived_at=None)
    context = {"project": project, "rows": list_progress(list(listed)), "n_archived": archived.count()}
    return render(request, "studies/list.html", context | {"templates": project.study_templates.all()})


@login_required
@require_safe
def study_edit(request, slug):
    """The old address of a draft's form."""
    return redirect("study_step", get_study(request.user, slug, Role.RESEARCHER).slug, "protocol")


@login_required
@require_POST
def study_delete(request, slug):
    study = get_study(request.user, slug, Role.RESEARCHER)
    try:
        launching.delete_draft(study)
    except WrongState as error:
        messages.error(request, str(error))
        return redirect("study_design", study.slug)
    messages.success(request, _("The draft “%(title)s” was deleted.") % {"title": study.title})
    return redirect("study_list", study.project.slug)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def study_import(request, slug):
    study = get_study(request.user, slug, Role.RESEARCHER)
    form = ResponsesForm(get_post(request), request.FILES if request.method == "POST" else None)
    problems = []
    if form.is_valid():
        try:
            counts = import_file(study, form.cleaned_data)
            messages.success(request, describe_import(counts))
            return redirect("study_results", study.slug)
        except (WrongState, SpecError) as error:
            form.add_error(None, str(error))
        except importing.ImportRefused as refused:
            problems = refused.problems
    context = {"project": study.project, "study": study, "form": form, "problems": problems, "needed": REQUIRED_COLUMNS}
    context["other_columns"] = [name for name in COLUMNS if name not in REQUIRED_COLUMNS]
    return render(request, "studies/import.html", context)


def import_file(study, cleaned: dict) -> importing.ImportCounts:
    limit: Any = settings.LESART["PAGE_UPLOAD_BYTES"]
    if cleaned["file"].size > limit:
        raise SpecError(
            _("The file is larger than %(limit)d MB. Ask an admin to import it with the command import_responses.")
            % {"limit": limit // 1_000_000}
        )
    return importing.import_responses(study, cleaned["file"].read(), partial=cleaned["partial"])


def describe_import(counts: importing.ImportCounts) -> str:
    said = ngettext(
        "%(responses)d response of %(annotators)d annotators was imported.",
        "%(responses)d responses of %(annotators)d annotators were imported.",
        counts.responses,
    )
    return said % {"responses": counts.responses, "annotators": counts.annotators}
