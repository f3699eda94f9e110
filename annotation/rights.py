"""The page on which participants see, take along and withdraw what they answered."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods

from annotation.doors import clean_token, never_stored, open_to_annotator
from annotation.pages import is_not_counted
from studies.models import Annotator, Ended
from studies.services.rights import (
    CannotErase,
    WrongCode,
    check_second_code,
    erase_person,
    list_own_answers,
    write_own_answers,
)


@csrf_exempt  # csrf_protect below asks for the token, so that its refusal too is an unkept page
@never_stored
@require_http_methods(["GET", "HEAD", "POST"])
@csrf_protect
def own_answers(request: HttpRequest, public_id: str) -> HttpResponse:
    """GET asks for the second code and shows nothing; a POST with the code shows, exports or withdraws."""
    annotator = Annotator.objects.select_related("study").filter(public_id=clean_token(public_id)).first()
    return open_to_annotator(request, annotator, answer_request)


def answer_request(request: HttpRequest, annotator: Annotator) -> HttpResponse:
    context = {"annotator": annotator, "preview": is_not_counted(annotator)}
    if request.method != "POST":
        return render(request, "annotation/own.html", context)
    code = request.POST.get("code", "")
    try:
        check_second_code(annotator, code)
        if "withdraw" in request.POST and request.POST.get("sure") == "yes":
            erased = erase_person(annotator, Ended.WITHDRAWN)
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
