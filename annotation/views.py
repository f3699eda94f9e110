"""What annotators can ask for. The server holds the place: whatever they typed, they get the page where they stand."""

from django.http import HttpRequest, HttpResponse, JsonResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils import translation
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods

from annotation.doors import annotator_of_link, for_annotator, no_link, plain_token, remember, unkept
from annotation.pages import confirm_page, drafts_at, go_to, is_not_counted, place_page, standing, words_page
from studies.forms import StageForm
from studies.models import Annotator
from studies.services import answering, taking_back
from studies.services.answering import Incomplete, StaleStage


@csrf_exempt  # csrf_protect below asks for the token, so that its refusal too is an unkept page
@unkept
@require_http_methods(["GET", "HEAD", "POST"])
@csrf_protect
def join(request: HttpRequest, token: str) -> HttpResponse:
    """The personal link. Opening it changes nothing, as mail scanners do that too; the button lets this browser in."""
    annotator = annotator_of_link(token)
    if annotator is None:
        response = no_link(request)
    else:
        with translation.override(annotator.study.language):
            response = join_as(request, annotator)
    # Not "no-referrer": browsers then send "Origin: null", which Django refuses.
    response["Referrer-Policy"] = "strict-origin"
    return response


def join_as(request: HttpRequest, annotator: Annotator) -> HttpResponse:
    if annotator.revoked_at:
        return words_page(request, annotator, "revoked", status=410)
    if request.method != "POST":
        return render(request, "annotation/join.html", {"preview": is_not_counted(annotator)})
    answering.join(annotator)
    response = redirect("work", annotator.public_id)
    remember(response, annotator)
    return response


@for_annotator
@require_http_methods(["GET", "HEAD", "POST"])
def work(request: HttpRequest, annotator: Annotator) -> HttpResponse:
    """The one page of an annotator: a phase, a stage, or the word that there is nothing to do."""
    if request.method != "POST":
        return place_page(request, annotator, at=request.GET.get("at", ""))
    if "back" in request.POST:
        return take_back(request, annotator)
    if "token" in request.POST:
        return take_stage(request, annotator)
    return take_phase(request, annotator)


def take_back(request: HttpRequest, annotator: Annotator) -> HttpResponse:
    """Back to what was handed in last."""
    try:
        taking_back.take_back(annotator, plain_token(request.POST["back"]))
    except StaleStage as stale:
        return place_page(request, annotator, notice=str(stale), status=409)
    return go_to(request, annotator, "work")


@csrf_protect
def take_phase(request: HttpRequest, annotator: Annotator) -> HttpResponse:
    answering.pass_phase(annotator, request.POST.get("phase", ""))
    return go_to(request, annotator, "work")


def take_stage(request: HttpRequest, annotator: Annotator) -> HttpResponse:
    """Keep what was entered; then go on if nothing is missing."""
    token = plain_token(request.POST["token"])
    try:
        answering.save_drafts(annotator, token, request.POST)
        if "go" in request.POST:
            return place_page(request, annotator, at=request.POST["go"])
        place = answering.place_of(annotator)
        if place.stage and place.stage.confirm and standing(place)[0].token == token:
            return ask_to_confirm(request, annotator, place)
        answering.hand_in(annotator, token)
    except StaleStage as stale:
        return place_page(request, annotator, notice=str(stale), status=409)
    except Incomplete as incomplete:
        form = None if opens_more(incomplete.form, request.POST) else incomplete.form
        return place_page(request, annotator, form=form)
    return go_to(request, annotator, "work")


def opens_more(form: StageForm, data: QueryDict) -> bool:
    """Whether all that is missing was not asked yet on the page sent: then more of it opens, and nothing is wrong."""
    missing = {name for subject in form.subjects for name in form.missing(subject)}
    return bool(missing) and "asked" in data and missing.isdisjoint(data.getlist("asked"))


def ask_to_confirm(request: HttpRequest, annotator: Annotator, place: answering.Place) -> HttpResponse:
    """On to the page that asks whether this shall be final, unless something is missing."""
    form = drafts_at(place)
    if form.is_valid():
        return go_to(request, annotator, "work_confirm")
    return place_page(request, annotator, form=form)


@for_annotator
@require_http_methods(["GET", "HEAD", "POST"])
def confirm(request: HttpRequest, annotator: Annotator) -> HttpResponse:
    """The step that makes a stage final, for stages that ask for one."""
    if request.method != "POST":
        return confirm_page(request, annotator) or redirect("work", annotator.public_id)
    try:
        answering.hand_in(annotator, plain_token(request.POST.get("token", "")))
    except StaleStage as stale:
        return place_page(request, annotator, notice=str(stale), status=409)
    except Incomplete as incomplete:
        return place_page(request, annotator, form=incomplete.form)
    return go_to(request, annotator, "work")


@for_annotator
@require_http_methods(["GET", "HEAD", "POST"])
def draft(request: HttpRequest, annotator: Annotator) -> HttpResponse:
    """For the script: keep an answer as it is given."""
    if request.method != "POST":
        return redirect("work", annotator.public_id)
    try:
        saved = answering.save_drafts(annotator, plain_token(request.POST.get("token", "")), request.POST)
    except StaleStage as stale:
        return JsonResponse({"message": str(stale)}, status=409)
    return JsonResponse({"saved": saved})
