"""Access to an annotator's pages: first by the link, then by a cookie for that annotator."""

import re
from collections.abc import Callable
from functools import wraps

from django.conf import settings
from django.core.exceptions import ObjectDoesNotExist
from django.db import IntegrityError
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import translation
from django.views.decorators.csrf import csrf_exempt

from studies.models import Annotator
from studies.services.places import find_annotator_by_token, read_by_link

COOKIE = "lesart-work"
HALF_A_YEAR = 180 * 24 * 3600
TOKEN = re.compile(r"[\w-]{16,64}", re.ASCII)

Response = HttpResponse
AnnotatorView = Callable[..., Response]


def clean_token(text: str) -> str:
    """The text if it can be a token, else empty: nothing else that a browser sends may reach the database."""
    return text if TOKEN.fullmatch(text) else ""


def find_annotator_by_link(token: str) -> Annotator | None:
    return find_annotator_by_token(token) if clean_token(token) else None


def set_cookie(response: Response, annotator: Annotator) -> None:
    """Give this browser a cookie for the annotator's pages, limited to their path, so that several can be open side by
    side."""
    set_token_cookie(response, COOKIE, annotator, reverse("work", args=[annotator.public_id]))


def set_token_cookie(response: Response, name: str, annotator: Annotator, path: str) -> None:
    """Set a cookie with the annotator's token, which scripts and other sites cannot read, and which is sent only to
    this path."""
    response.set_cookie(
        name,
        annotator.token,
        max_age=HALF_A_YEAR,
        path=path,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def forbid_caching(view: Callable[..., Response]) -> Callable[..., Response]:
    """Decorate a view whose page no cache may store and no search engine may list."""

    @wraps(view)
    def answer(*args, **kwargs):
        response = view(*args, **kwargs)
        response["Cache-Control"] = "no-store"
        response["X-Robots-Tag"] = "noindex"
        return response

    return answer


def annotator_view(view: AnnotatorView) -> Callable[..., Response]:
    """Decorate a view for the browser with the annotator's cookie; its page is in the study's language.

    Django's CSRF token is not required: it changes when somebody signs in, which would lose typed answers. The page
    has the random token of the stage, which is checked on every write, and other sites cannot send the cookie.
    """

    @csrf_exempt
    @forbid_caching
    @wraps(view)
    def answer(request: HttpRequest, public_id: str, **named: str) -> Response:
        try:
            return answer_now(request, public_id, **named)
        except (ObjectDoesNotExist, IntegrityError):  # it was deleted meanwhile; nothing was stored
            return answer_now(request, public_id, **named)

    def answer_now(request: HttpRequest, public_id: str, **named: str) -> Response:
        token = clean_token(request.COOKIES.get(COOKIE, ""))
        annotator = next(iter(read_by_link(public_id, token)), None) if token else None
        if annotator is None:
            return render_no_link(request)
        with translation.override(annotator.study.language):
            response = view(request, annotator, **named)
        response["Content-Language"] = annotator.study.language
        return response

    return answer


def open_to_annotator(
    request: HttpRequest, annotator: Annotator | None, answer: Callable[[HttpRequest, Annotator], Response]
) -> Response:
    """The response to a link, in the study's language, or the same page for all wrong links.

    Browsers do not send the address of the link to other sites.
    """
    if annotator is None:
        response = render_no_link(request)
    else:
        with translation.override(annotator.study.language):
            response = answer(request, annotator)
    # Not "no-referrer": browsers then send "Origin: null", which Django refuses.
    response["Referrer-Policy"] = "strict-origin"
    return response


def render_no_link(request: HttpRequest) -> Response:
    """The same page for wrong, foreign and missing links."""
    return render(request, "annotation/no_link.html", status=404)
