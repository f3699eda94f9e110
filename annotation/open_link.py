"""The open link: visitors come by themselves or from a platform, see how long it takes, and start with a button."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _
from django.views.decorators.csrf import csrf_exempt, csrf_protect
from django.views.decorators.http import require_http_methods

from annotation.access import (
    clean_token,
    find_annotator_by_link,
    forbid_caching,
    render_no_link,
    set_cookie,
    set_token_cookie,
)
from studies.models import Annotator, Study, StudyState
from studies.recruitment import IDENTITY, SIGNATURE, TURK_FRAMES, TURK_HOST, TURK_HOSTS, Recruitment
from studies.services.answering import join_study
from studies.services.declarations import get_wording
from studies.services.durations import get_shown_minutes
from studies.services.quotas import has_group_quotas
from studies.services.recruiting import (
    NoPlace,
    admit_visitor,
    find_known_visitor,
    get_recruitment,
    has_place,
    is_signed,
    keep_platform_ids,
)
from studies.services.states import WrongState

COOKIE = "lesart-open"
NOT_ACCEPTED = "ASSIGNMENT_ID_NOT_AVAILABLE"  # MTurk's value for people who only preview a task


class NoIdentity(Exception):
    """The address does not identify the participant; the message is a sentence."""


@dataclass(frozen=True)
class Visitor:
    """A visitor of an open link: their platform id, other parameters of the platform, and the group in the link."""

    person: str = ""
    profile: Mapping[str, str] = field(default_factory=dict)
    group: str = ""
    is_preview: bool = False  # has not accepted the task of the platform yet


def read_visitor(request: HttpRequest, study: Study, recruitment: Recruitment) -> Visitor:
    """The visitor according to the address; `NoIdentity` if a platform's id is missing, repeated or invalid."""
    group = request.GET.get("group", "")
    if group and group not in study.groups:
        raise NoIdentity(_("This link names a group that the study does not have. Ask whoever gave it to you."))
    values = {name: read_parameter(request, name) for name in recruitment.parameters if name in request.GET}
    if not recruitment.parameters:
        return Visitor(group=group)
    first = recruitment.parameters[0]
    if NOT_ACCEPTED in values.values():
        return Visitor(is_preview=True)
    if first not in values:
        raise NoIdentity(
            _("The address lacks the participant id (%(name)s). Open the study from the platform where you found it.")
            % {"name": first}
        )
    if recruitment.signed_ids and not is_signed(study, values[first], request.GET.get(SIGNATURE, "")):
        raise NoIdentity(
            _("This link is not signed for this participant id. Open the study by the link that you were given.")
        )
    profile = {name: value for name, value in values.items() if name != first} | read_turk_host(request, recruitment)
    return Visitor(values[first], profile, group)


def read_turk_host(request: HttpRequest, recruitment: Recruitment) -> dict[str, str]:
    """The host to which Mechanical Turk wants the work sent; empty for any host that is not its own."""
    host = request.GET.get(TURK_HOST, "").rstrip("/")
    return {TURK_HOST: host} if recruitment.platform == "mturk" and host in TURK_HOSTS else {}


def read_parameter(request: HttpRequest, name: str) -> str:
    """One value of the address; an invalid one is refused and not shown."""
    values = request.GET.getlist(name)
    if len(values) > 1:
        raise NoIdentity(
            _("The address has more than one value for %(name)s. Open the study again from the platform.")
            % {"name": name}
        )
    if not IDENTITY.fullmatch(values[0]):
        raise NoIdentity(
            _("The address has no valid value for %(name)s. Open the study again from the platform.") % {"name": name}
        )
    return values[0]


@csrf_exempt  # csrf_protect below checks the token, so that its error page is not stored either
@forbid_caching
@require_http_methods(["GET", "HEAD", "POST"])
@csrf_protect
def open_link(request: HttpRequest, token: str) -> HttpResponse:
    """The landing page. Opening it stores nothing; the button gives the visitor a place, or says that there is none."""
    study = Study.objects.filter(open_token=token).first() if clean_token(token) else None
    if study is None:
        return render_no_link(request)
    try:
        with translation.override(study.language):
            response = show_landing(request, study)
    except Study.DoesNotExist:  # it was deleted meanwhile
        return render_no_link(request)
    response["Content-Language"] = study.language
    response["Referrer-Policy"] = "strict-origin"
    return allow_frame(response) if get_recruitment(study).platform == "mturk" else response


def allow_frame(response: HttpResponse) -> HttpResponse:
    """Let Mechanical Turk show the landing page in its frame. It has no button there, only a link to a new window."""
    response.xframe_options_exempt = True  # type: ignore[attr-defined]
    response._csp_replace = {"frame-ancestors": [TURK_FRAMES]}  # type: ignore[attr-defined]
    return response


def show_landing(request: HttpRequest, study: Study) -> HttpResponse:
    if study.state != StudyState.LIVE:
        name = "paused" if study.state == StudyState.PAUSED else "closed"
        return render_landing(request, words=get_wording(study)[name])
    try:
        visitor = read_visitor(request, study, get_recruitment(study))
    except NoIdentity as problem:
        return render_landing(request, problem=str(problem), status=400)
    if visitor.is_preview:
        return render_landing(request, minutes=get_shown_minutes(study), is_preview=True)
    known = find_visitor(request, study, visitor)
    if request.method == "POST":
        return start(request, study, visitor, known)
    if known is None and not has_place(study, visitor.group if has_group_quotas(study) and visitor.group else None):
        return render_landing(request, is_full=True)
    return render_landing(
        request,
        known=known,
        minutes=get_shown_minutes(study),
        start=secrets.token_urlsafe(16),
        shares=not visitor.person,
        is_framed=request.headers.get("Sec-Fetch-Dest") == "iframe",
    )


def find_visitor(request: HttpRequest, study: Study, visitor: Visitor) -> Annotator | None:
    """The annotator who came before with this id, or in this browser."""
    if visitor.person:
        return find_known_visitor(study, visitor.person, "")
    annotator = find_annotator_by_link(request.COOKIES.get(COOKIE, ""))
    return annotator if annotator and annotator.study_id == study.pk and "new" not in request.POST else None


def start(request: HttpRequest, study: Study, visitor: Visitor, known: Annotator | None) -> HttpResponse:
    nonce = clean_token(request.POST.get("start", "")) or secrets.token_urlsafe(16)
    try:
        annotator = known or admit_visitor(
            study, person=visitor.person, start=nonce, group=visitor.group, profile=visitor.profile
        )
    except NoPlace:
        return render_landing(request, is_full=True, status=409)
    except WrongState:
        return redirect(request.get_full_path())
    join_study(annotator)
    if known:
        keep_platform_ids(annotator, visitor.profile)
    response = redirect("work", annotator.public_id)
    set_cookie(response, annotator)
    if not visitor.person:
        remember(response, study, annotator)
    return response


def remember(response: HttpResponse, study: Study, annotator: Annotator) -> None:
    """Set a cookie with which the same browser can return by the open link."""
    set_token_cookie(response, COOKIE, annotator, reverse("open_link", args=[study.open_token]))


def render_landing(request: HttpRequest, status: int = 200, **context: Any) -> HttpResponse:
    return render(request, "annotation/landing.html", context, status=status)
