"""The pages of annotators. The server keeps their place: whatever address they enter, they get their current page."""

from functools import partial
from typing import cast

from django.contrib.auth.decorators import login_required
from django.db import transaction
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils import translation
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods, require_safe

from annotation.access import (
    annotator_view,
    clean_token,
    find_annotator_by_link,
    forbid_caching,
    open_to_annotator,
    set_cookie,
)
from annotation.pages import (
    find_shown_picture,
    is_not_counted,
    redirect_to_confirm,
    redirect_to_place,
    render_confirm,
    render_phase,
    render_place,
    render_stale,
    render_words,
)
from items.templatetags.bank import locate_picture
from projects.models import Role, User
from studies.access import get_study
from studies.models import Annotator, EndReason
from studies.services import answering
from studies.services.answering import Incomplete, StaleStage, take_back
from studies.services.durations import get_shown_minutes
from studies.services.launching import start_phase_preview
from studies.services.phases import get_phase
from studies.services.places import find_place
from studies.services.reports import report_item
from studies.services.rights import (
    CannotErase,
    WrongCode,
    check_second_code,
    erase_person,
    list_own_answers,
    write_own_answers,
)
from studies.services.stage_form import StageForm


@csrf_exempt  # csrf_protect below checks the token, so that its error page is not stored either
@forbid_caching
@require_http_methods(["GET", "HEAD", "POST"])
@csrf_protect
def join(request: HttpRequest, token: str) -> HttpResponse:
    """The personal link. Opening it changes nothing, as mail scanners do that too; the button signs this browser in."""
    return open_to_annotator(request, find_annotator_by_link(token), join_as)


def join_as(request: HttpRequest, annotator: Annotator) -> HttpResponse:
    if annotator.revoked_at:
        return render_words(request, annotator, "revoked", status=410)
    if request.method != "POST":
        context = {"preview": is_not_counted(annotator), "minutes": get_shown_minutes(annotator.study)}
        return render(request, "annotation/join.html", context)
    answering.join_study(annotator)
    response = redirect("work", annotator.public_id)
    set_cookie(response, annotator)
    return response


@annotator_view
@require_http_methods(["GET", "HEAD", "POST"])
def work(request: HttpRequest, annotator: Annotator) -> HttpResponse:
    """The page of an annotator: a phase, a stage, or a message that there is nothing to do."""
    if request.method != "POST":
        return render_place(request, find_place(annotator), at=request.GET.get("at", ""))
    try:
        if "back" in request.POST:
            return redirect_to_place(request, take_back(annotator, clean_token(request.POST["back"])))
        if "token" in request.POST:
            return take_stage(request, annotator)
        return take_phase(request, annotator)
    except StaleStage as stale:
        return render_stale(request, stale)


@csrf_protect
def take_phase(request: HttpRequest, annotator: Annotator) -> HttpResponse:
    if "return" in request.POST:
        return redirect_to_place(request, answering.go_on(annotator))
    name = request.POST.get("phase", "")
    place = answering.pass_phase(annotator, name, request.POST)
    if place.phase and place.phase == name and has_missing(place.annotator, name, request.POST):
        return render_place(request, place, sent=request.POST)
    return redirect_to_place(request, place)


def has_missing(annotator: Annotator, name: str, data: QueryDict) -> bool:
    """Whether answers of the phase are missing, so that the page is shown again with those given."""
    phase = get_phase(annotator, name)
    return phase is not None and bool(phase.find_missing(phase.read(data)))


def take_stage(request: HttpRequest, annotator: Annotator) -> HttpResponse:
    """Submit the answers and continue; or save them, if some are missing or another item is requested."""
    token = clean_token(request.POST["token"])
    if "report" in request.POST:
        message = report_item(annotator, token, request.POST)
        return render_place(request, find_place(annotator), at=request.POST.get("shown", ""), notice=message)
    if "go" in request.POST:
        answering.save_drafts(annotator, token, request.POST)
        return render_place(request, find_place(annotator), at=request.POST["go"])
    try:
        place = answering.submit_stage(annotator, token, request.POST, ask=True, active=read_active(request))
    except Incomplete as incomplete:
        form = None if opens_more(incomplete.form, request.POST) else incomplete.form
        return render_place(request, incomplete.place, form=form)
    return redirect_to_confirm(request, place) if place.confirms else redirect_to_place(request, place)


def read_active(request: HttpRequest) -> int | None:
    """The active seconds that the script has counted; None without it."""
    value = request.POST.get("active", "")
    return int(value) if value.isascii() and value.isdecimal() and len(value) < 8 else None


def opens_more(form: StageForm, data: QueryDict) -> bool:
    """Whether the missing questions were not on the page yet: then they are shown next, without an error."""
    missing = {name for subject in form.subjects for name in form.find_missing(subject)}
    return bool(missing) and "asked" in data and missing.isdisjoint(data.getlist("asked"))


@annotator_view
@require_http_methods(["GET", "HEAD", "POST"])
def confirm(request: HttpRequest, annotator: Annotator) -> HttpResponse:
    """The step that makes a stage final, for stages that ask for one."""
    if request.method != "POST":
        page = render_confirm(request, find_place(annotator), request.GET.get("confirms", ""))
        return page or redirect("work", annotator.public_id)
    token, confirmed = clean_token(request.POST.get("token", "")), request.POST.get("confirmed", "")
    try:
        place = answering.submit_stage(annotator, token, confirmed=confirmed, active=read_active(request))
        return redirect_to_place(request, place)
    except StaleStage as stale:
        return render_stale(request, stale)
    except Incomplete as incomplete:
        return render_place(request, incomplete.place, form=incomplete.form)


@annotator_view
@require_safe
def picture(request: HttpRequest, annotator: Annotator, name: str) -> HttpResponse:
    """A picture, while the annotator's current page shows it; foreign and unknown names get the same error."""
    found = find_shown_picture(find_place(annotator), name)
    if found is None:
        return HttpResponse(status=404)
    return HttpResponse(bytes(found.content), content_type=found.media_type)


@annotator_view
@require_http_methods(["GET", "HEAD", "POST"])
def draft(request: HttpRequest, annotator: Annotator) -> HttpResponse:
    """For the script: save an answer as it is given."""
    if request.method != "POST":
        return redirect("work", annotator.public_id)
    try:
        saved = answering.save_drafts(annotator, clean_token(request.POST.get("token", "")), request.POST)
    except StaleStage as stale:
        return JsonResponse({"message": str(stale)}, status=409)
    return JsonResponse({"saved": saved})


@csrf_exempt  # csrf_protect below checks the token, so that its error page is not stored either
@forbid_caching
@require_http_methods(["GET", "HEAD", "POST"])
@csrf_protect
def own_answers(request: HttpRequest, public_id: str) -> HttpResponse:
    """GET asks for the second code and shows nothing; a POST with the code shows, exports or withdraws."""
    annotator = Annotator.objects.select_related("study").filter(public_id=clean_token(public_id)).first()
    return open_to_annotator(request, annotator, show_own_answers)


def show_own_answers(request: HttpRequest, annotator: Annotator) -> HttpResponse:
    context = {"annotator": annotator, "preview": is_not_counted(annotator)}
    if request.method != "POST":
        return render(request, "annotation/own.html", context)
    code = request.POST.get("code", "")
    try:
        check_second_code(annotator, code)
        if "withdraw" in request.POST and request.POST.get("sure") == "yes":
            erased = erase_person(annotator, EndReason.WITHDRAWN)
            return render(request, "annotation/own.html", context | {"erased": erased})
    except (WrongCode, CannotErase) as error:
        return render(request, "annotation/own.html", context | {"problem": str(error)}, status=400)
    if "export" in request.POST:
        return export(annotator)
    unsure = "withdraw" in request.POST
    answers = list_own_answers(annotator)
    return render(request, "annotation/own.html", context | {"answers": answers, "code": code, "unsure": unsure})


def export(annotator: Annotator) -> HttpResponse:
    response = HttpResponse(write_own_answers(annotator), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = 'attachment; filename="my-answers.csv"'
    return response


@login_required
@require_safe
def preview_phase(request: HttpRequest, slug: str, name: str) -> HttpResponse:
    study = get_study(cast(User, request.user), slug, Role.RESEARCHER)
    with transaction.atomic():
        try:
            annotator = start_phase_preview(study)
            phase = get_phase(annotator, name)
            if phase is None:
                raise Http404
            with translation.override(study.language):
                locate = partial(locate_picture, study.project)
                if phase.kind == "thanks":
                    return render_words(request, annotator, "done", locate=locate)
                return render_phase(request, annotator, name, locate=locate)
        finally:
            transaction.set_rollback(True)
