"""Who may open an annotator's pages: the link once, then a cookie for that annotator alone."""

import re
from collections.abc import Callable
from functools import wraps

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import translation
from django.views.decorators.csrf import csrf_exempt

from studies.models import Annotator
from studies.services.places import find_annotator_by_public_id, find_annotator_by_token

COOKIE = "lesart-work"
HALF_A_YEAR = 180 * 24 * 3600
TOKEN = re.compile(r"[\w-]{16,64}", re.ASCII)

Response = HttpResponse
AnnotatorView = Callable[..., Response]


def clean_token(text: str) -> str:
    """The text if it can be a token, else nothing: what else a browser sends must not reach the database."""
    return text if TOKEN.fullmatch(text) else ""


def find_annotator_by_link(token: str) -> Annotator | None:
    return find_annotator_by_token(token) if clean_token(token) else None


def set_cookie(response: Response, annotator: Annotator) -> None:
    """Let this browser open the annotator's work. Bound to its path, so that several can be open side by side."""
    keep_token(response, COOKIE, annotator, reverse("work", args=[annotator.public_id]))


def keep_token(response: Response, name: str, annotator: Annotator, path: str) -> None:
    """A cookie with the annotator's token that scripts and other sites cannot read, sent to this path alone."""
    response.set_cookie(
        name,
        annotator.token,
        max_age=HALF_A_YEAR,
        path=path,
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def never_stored(view: Callable[..., Response]) -> Callable[..., Response]:
    """A page that no cache keeps and no search engine lists."""

    @wraps(view)
    def answer(*args, **kwargs):
        response = view(*args, **kwargs)
        response["Cache-Control"] = "no-store"
        response["X-Robots-Tag"] = "noindex"
        return response

    return answer


def annotator_view(view: AnnotatorView) -> Callable[..., Response]:
    """A view for whoever holds the annotator's cookie, in the study's language.

    Django's CSRF token is not asked for: it changes when somebody signs in, which would cost typed answers. The random
    token of the stage is in the page and is checked on every write, and the cookie is not sent from other sites.
    """

    @csrf_exempt
    @never_stored
    @wraps(view)
    def answer(request: HttpRequest, public_id: str, **named: str) -> Response:
        token = clean_token(request.COOKIES.get(COOKIE, ""))
        annotator = find_annotator_by_public_id(public_id, token) if token else None
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
    """The page of a link, in the study's language; wrong links all look alike. Its address is told to no other site."""
    if annotator is None:
        response = render_no_link(request)
    else:
        with translation.override(annotator.study.language):
            response = answer(request, annotator)
    # Not "no-referrer": browsers then send "Origin: null", which Django refuses.
    response["Referrer-Policy"] = "strict-origin"
    return response


def render_no_link(request: HttpRequest) -> Response:
    """One page for wrong, foreign and missing links."""
    return render(request, "annotation/no_link.html", status=404)
