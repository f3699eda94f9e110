"""The design of a draft in four steps, each with an address; a step is saved when it is left."""

from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.functional import Promise
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from jobs.models import Job
from jobs.views import ResultPending
from projects.access import get_project
from projects.models import Role, User
from studies.access import get_study
from studies.forms.design import NewStudyForm, ProtocolForm, StepForm, TextsForm, TitleForm
from studies.forms.design_people import PeopleForm
from studies.forms.people import ResponsesForm
from studies.models import Study
from studies.protocols import PROTOCOLS
from studies.services import creating, launching
from studies.services.design import list_presets, load_presets, preview_plan, summarize_draft, write_plan
from studies.services.progress import list_progress
from studies.services.responses import importing
from studies.services.responses.importing import KIND as IMPORT_ANSWERS
from studies.services.responses.importing import import_or_schedule
from studies.services.responses.rows import COLUMNS, REQUIRED_COLUMNS
from studies.services.spec import SpecError
from studies.services.states import WrongState


@dataclass(frozen=True)
class Step:
    name: str
    title: str | Promise
    form: type[StepForm]


STEPS = {
    step.name: step
    for step in (
        Step("protocol", _("Protocol"), ProtocolForm),
        Step("texts", _("Texts & items"), TextsForm),
        Step("people", _("People"), PeopleForm),
        Step("launch", _("Check & launch"), TitleForm),
    )
}
PEOPLE_A_PAGE = 200  # of the plan
AS_PART = "X-Lesart-Part"  # a header: the script asks for the side column only


def get_post(request):
    """The submitted data, even if empty; None if nothing was submitted."""
    return request.POST if request.method == "POST" else None


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def study_new(request, slug):
    """The first step, before there is a draft. `protocol` and `preset` in the address select a card."""
    project = get_project(request.user, slug, Role.RESEARCHER)
    preset = load_presets().get(request.GET.get("preset", ""))
    protocol = preset.protocol if preset else request.GET.get("protocol", "")
    form = NewStudyForm(project, get_post(request), {"protocol": protocol} if protocol in PROTOCOLS else {})
    if form.is_valid():
        try:
            return go_on(request, form.save(), "protocol")
        except SpecError as error:
            form.add_error(None, str(error))
    context = {"project": project, "form": form, "cards": list_cards(), "steps": list_steps("protocol")}
    return render(request, "studies/design/protocol.html", context)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def study_step(request, slug, step):
    study = get_study(request.user, slug, Role.RESEARCHER)
    if not study.is_draft:
        return redirect("study_design", study.slug)
    form = STEPS[step].form(study, get_post(request))
    saved = save_step(study, form)
    is_part = AS_PART in request.headers
    if saved and not is_part:
        return go_on(request, saved, step)
    context = describe_step(saved or study, step, form)
    template = "studies/design/side.html" if is_part else f"studies/design/{step}.html"
    return render(request, template, context, status=422 if is_part and not saved else 200)


def save_step(study: Study, form: StepForm) -> Study | None:
    """The draft updated from the form; None if the form is invalid, with its errors in the form."""
    if not form.is_valid():
        return None
    try:
        return creating.change_draft(study, form.cleaned_data["spec"])
    except (creating.NotADraft, WrongState) as error:
        form.add_error(None, str(error))
    except SpecError as error:
        form.add_error(error.field if error.field in form.fields else None, str(error))
    return None


def describe_step(study: Study, step: str, form: StepForm) -> dict[str, Any]:
    return {
        "project": study.project,
        "study": study,
        "form": form,
        "step": step,
        "steps": list_steps(step),
        "cards": list_cards() if step == "protocol" else [],
        "protocol": PROTOCOLS[study.protocol],
        "summary": summarize_draft(study),
        "reload": getattr(form, "has_other_language", False),
    }


def list_steps(current: str) -> list[dict[str, Any]]:
    """All steps; those before the current one are done."""
    place = list(STEPS).index(current)
    return [
        {"name": step.name, "title": step.title, "number": number + 1, "done": number < place, "here": number == place}
        for number, step in enumerate(STEPS.values())
    ]


def list_cards() -> list[tuple[Any, list[Any]]]:
    """Each protocol with the published studies to start from."""
    return [(protocol, list_presets(protocol.name)) for protocol in PROTOCOLS.values()]


def go_on(request, study: Study, step: str):
    """Redirect to where the pressed button leads: the previous or next step, a preview, or the end of the design."""
    names, wanted = list(STEPS), request.POST.get("then", "next")
    if wanted == "preview":
        return show_preview(request, study)
    if wanted in ("study_import", "study_confirm", "study_list"):
        return redirect(wanted, study.project.slug if wanted == "study_list" else study.slug)
    place = names.index(step) + {"back": -1, "stay": 0}.get(wanted, 1)
    return redirect("study_step", study.slug, names[min(max(place, 0), len(names) - 1)])


def show_preview(request, study: Study, variant: str = ""):
    try:
        annotator = launching.start_preview(study, variant)
    except (WrongState, SpecError) as error:
        messages.error(request, str(error))
        return redirect("study_design", study.slug)
    return redirect("join", annotator.token)


@login_required
@require_safe
def study_confirm(request, slug):
    """Asks for confirmation: what a launch freezes, and for whom."""
    study = get_study(request.user, slug, Role.RESEARCHER)
    summary = summarize_draft(study) if study.is_draft else None
    if summary is None or summary.problem:
        return redirect("study_design", study.slug)
    return render(
        request, "studies/design/confirm.html", {"project": study.project, "study": study, "summary": summary}
    )


@login_required
@require_POST
def study_preview(request, slug):
    return show_preview(request, get_study(request.user, slug, Role.RESEARCHER), request.POST.get("variant", ""))


@login_required
@require_POST
def study_rename(request, slug):
    study = get_study(request.user, slug, Role.RESEARCHER)
    title = " ".join(request.POST.get("title", "").split())
    try:
        creating.rename_study(study, title)
    except SpecError as error:
        messages.error(request, str(error))
    return redirect("study_design", study.slug)


@login_required
@require_POST
def study_copy(request, slug):
    study = get_study(request.user, slug, Role.RESEARCHER)
    try:
        draft = creating.copy_study(study)
    except SpecError as error:
        messages.error(request, str(error))
        return redirect("study_design", study.slug)
    return redirect("study_step", draft.slug, "protocol")


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
    """The former address of a draft's form."""
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
    messages.success(request, gettext("The draft “%(title)s” was deleted.") % {"title": study.title})
    return redirect("study_list", study.project.slug)


@login_required
@require_safe
def study_plan(request, slug):
    """Who would get what if the draft were launched now."""
    study = get_study(request.user, slug, Role.RESEARCHER)
    if not study.is_draft:
        return redirect("study_annotators", study.slug)
    try:
        plan = preview_plan(study)
    except SpecError as error:
        messages.error(request, str(error))
        return redirect("study_step", study.slug, "launch")
    page = Paginator(plan.people, PEOPLE_A_PAGE).get_page(request.GET.get("page"))
    context = {"project": study.project, "study": study, "plan": plan, "page": page}
    return render(request, "studies/design/plan.html", context | {"protocol": PROTOCOLS[study.protocol]})


@login_required
@require_safe
def study_plan_csv(request, slug):
    """The plan of `study_plan` as CSV."""
    study = get_study(request.user, slug, Role.RESEARCHER)
    try:
        if not study.is_draft:
            raise Http404
        table = write_plan(study, preview_plan(study))
    except SpecError:
        raise Http404 from None
    headers = {"Content-Disposition": f'attachment; filename="{study.slug}-plan.csv"'}
    return HttpResponse(table, content_type="text/csv; charset=utf-8", headers=headers)


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def study_import(request, slug):
    """Upload files of answers; `job` in the address is the import of large files, which a worker does."""
    study = get_study(request.user, slug, Role.RESEARCHER)
    job = find_import(study, request.GET.get("job", ""))
    if job and not job.errors:
        return follow_import(request, study, job)
    form = ResponsesForm(get_post(request), request.FILES if request.method == "POST" else None)
    problems: list[Any] = job.errors if job else []
    if form.is_valid():
        problems = []
        try:
            done = import_file(study, form.cleaned_data, request.user)
            if isinstance(done, Job):
                return redirect(f"{reverse('study_import', args=[study.slug])}?job={done.pk}")
            return tell_imported(request, study, done.annotators, done.responses)
        except (WrongState, SpecError) as error:
            form.add_error(None, str(error))
        except importing.ImportRefused as refused:
            problems = refused.problems
    context = {"project": study.project, "study": study, "form": form, "problems": problems, "needed": REQUIRED_COLUMNS}
    context["other_columns"] = [name for name in COLUMNS if name not in REQUIRED_COLUMNS]
    return render(request, "studies/import.html", context)


def find_import(study, number: str) -> Job | None:
    jobs = Job.objects.filter(kind=IMPORT_ANSWERS, subject=study.job_subject)
    return jobs.filter(pk=number).first() if number.isdecimal() and len(number) < 19 else None


def follow_import(request, study, job: Job) -> HttpResponse:
    """Shows the progress, then redirects to the results."""
    if not job.is_done:
        raise ResultPending(job, project=study.project, study=study)
    return tell_imported(request, study, job.about["result"]["annotators"], job.about["result"]["responses"])


def import_file(study, cleaned: dict, user: User) -> importing.ImportCounts | Job:
    limit: Any = settings.LESART["PAGE_UPLOAD_BYTES"]
    if sum(file.size for file in cleaned["file"]) > limit:
        raise SpecError(
            gettext(
                "The file is larger than %(limit)d MB. Ask an admin to import it with the command import_responses."
            )
            % {"limit": limit // 1_000_000}
        )
    files = [importing.AnswerFile(file.name, file.read()) for file in cleaned["file"]]
    return import_or_schedule(study, files, user, mapping=cleaned["mapping"], partial=cleaned["partial"])


def tell_imported(request, study, annotators: int, responses: int) -> HttpResponse:
    sentence = gettext("The answers were imported. Annotators: %(annotators)d, responses: %(responses)d.")
    messages.success(request, sentence % {"annotators": annotators, "responses": responses})
    return redirect("study_results", study.slug)
