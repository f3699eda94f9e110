"""An annotator's pages with a wording that is not stored: a study is made, looked at, and taken back at once."""

from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import translation

from annotation.pages import page, place_page, progress, words_page
from studies.instrument_kinds import CannotPreview, Subject, protocol_of
from studies.models import Annotator
from studies.protocols import PROTOCOLS, Declaration
from studies.services.answering import pass_phase, place_of
from studies.services.creating import create_study, free_slug
from studies.services.declaring import declaration_of
from studies.services.instruments import store_version
from studies.services.launching import start_preview
from studies.services.spec import SpecError, check_spec

CONFIRM = "reveal"
ENDS = ("done", "check_done", "closed", "paused", "revoked")
SEED = 1  # the same orders each time, so that only the wording changes


def pages_of(content: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Names and titles of the pages in the order in which people meet them."""
    declaration = declared(content)
    names = [*declaration.phases]
    for stage in declaration.every_stage:
        names += [stage.name, *([CONFIRM] if stage.confirm else [])]
    return [(name, title_of(content, name)) for name in [*names, *ENDS] if name in content]


def title_of(content: Mapping[str, Any], name: str) -> str:
    part = content[name]
    return str(part["title"]) if isinstance(part, dict) and "title" in part else name


def declared(content: Mapping[str, Any]) -> Declaration:
    protocol = PROTOCOLS[str(protocol_of(content))]
    return protocol.declare(protocol.fill(fitting_params(content)), content)


def fitting_params(content: Mapping[str, Any]) -> dict[str, Any]:
    """A wording for a scale of another length is shown with such a scale."""
    known = {parameter.name for parameter in PROTOCOLS[str(protocol_of(content))].parameters}
    levels = content.get("read", {}).get("rating", {}).get("levels", [])
    return {"rating_scale": len(levels)} if "rating_scale" in known and levels else {}


def preview_page(request: HttpRequest, content: Mapping[str, Any], subject: Subject) -> HttpResponse:
    """The page as an annotator would get it. Everything that it needs is made by the real services, and rolled back."""
    with transaction.atomic():
        try:
            annotator = annotator_for(content, subject)
            with translation.override(annotator.study.language):
                return page_called(request, annotator, subject.page)
        except SpecError as error:
            raise CannotPreview(str(error)) from None
        finally:
            transaction.set_rollback(True)


def annotator_for(content: Mapping[str, Any], subject: Subject) -> Annotator:
    """Somebody at the beginning of a study about the subject's text, in this wording."""
    name, language = str(content["name"]), str(content["language"])
    store_version(name, language, content, subject.project)
    spec = {
        "slug": free_slug("preview"),
        "protocol": protocol_of(content),
        "language": language,
        "instrument": f"{name}/{language}",
        "items": {"texts": [subject.text.external_id]},
        "plan": {"annotators": 1, "seed": SEED},
        "params": fitting_params(content),
    }
    study, _chosen = create_study(subject.project, check_spec(spec))
    return start_preview(study)


def page_called(request: HttpRequest, annotator: Annotator, name: str) -> HttpResponse:
    """The page of that name; the first stage if there is none."""
    declaration = declaration_of(annotator.study)
    if name in declaration.phases:
        return words_page(request, annotator, name, phase=name)
    if name in ENDS:
        return words_page(request, annotator, name)
    for phase in declaration.phases:
        pass_phase(annotator, phase)
    if name == CONFIRM:
        return confirm_words(request, annotator)
    if name in [stage.name for stage in declaration.every_stage]:
        annotator.assignments.open().update(stage=name)
    return place_page(request, annotator)


def confirm_words(request: HttpRequest, annotator: Annotator) -> HttpResponse:
    """The question before a stage becomes final, though nothing was answered yet."""
    context = progress(annotator, place_of(annotator)) | {
        "words": annotator.study.instrument_version.content[CONFIRM],
        "address": reverse("work_confirm", args=[annotator.public_id]),
    }
    return page(request, annotator, "confirm", context)
