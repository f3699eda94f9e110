"""Instruments for people: checked by their protocol, previewed on the real pages of a study that is then rolled
back."""

from collections.abc import Mapping
from typing import Any

from django.db import transaction
from django.http import HttpRequest, HttpResponse
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.pages import build_progress, render_page, render_phase, render_place, render_words
from studies.instrument_kinds import PEOPLE, CannotPreview, InstrumentKind, PreviewSubject, Problem, find_protocol
from studies.models import Annotator
from studies.protocols import PROTOCOLS, Declaration
from studies.services.answering import pass_phase
from studies.services.creating import create_study, find_free_slug
from studies.services.declarations import get_declaration
from studies.services.instruments import find_shipped_wording, store_version
from studies.services.launching import start_preview
from studies.services.places import find_place
from studies.services.spec import SpecError, check_spec
from studies.wordings import check_against_protocol, check_wording, list_slots_at, list_wording_notices

CONFIRM = "reveal"
ENDS = ("done", "check_done", "closed", "paused", "revoked")
SEED = 1  # the same orders each time, so that only the wording changes


def list_pages(content: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Names and titles of the pages in the order in which people meet them."""
    declaration = declare(content)
    names = [*declaration.phases]
    for stage in declaration.every_stage:
        names += [stage.name, *([CONFIRM] if stage.confirm else [])]
    return [(name, get_page_title(content, name)) for name in [*names, *ENDS] if name in content]


def get_page_title(content: Mapping[str, Any], name: str) -> str:
    part = content[name]
    return str(part["title"]) if isinstance(part, dict) and "title" in part else name


def declare(content: Mapping[str, Any]) -> Declaration:
    protocol = PROTOCOLS[str(find_protocol(content))]
    return protocol.declare(protocol.fill(fit_parameters(content)), content)


def fit_parameters(content: Mapping[str, Any]) -> dict[str, Any]:
    """Adapt the parameters to the wording, such as a scale of another length."""
    known = {parameter.name for parameter in PROTOCOLS[str(find_protocol(content))].parameters}
    levels = content.get("read", {}).get("rating", {}).get("levels", [])
    return {"rating_scale": len(levels)} if "rating_scale" in known and levels else {}


def render_preview(request: HttpRequest, content: Mapping[str, Any], subject: PreviewSubject) -> HttpResponse:
    """The page as an annotator would get it. The real services create everything it needs, which is then rolled
    back."""
    with transaction.atomic():
        try:
            annotator = make_annotator(content, subject)
            with translation.override(annotator.study.language):
                return render_named_page(request, annotator, subject.page)
        except SpecError as error:
            raise CannotPreview(str(error)) from None
        finally:
            transaction.set_rollback(True)


def make_annotator(content: Mapping[str, Any], subject: PreviewSubject) -> Annotator:
    """An annotator at the beginning of a study about the subject's text, with this wording."""
    name, language = str(content["name"]), str(content["language"])
    store_version(name, language, content, subject.project)
    spec = {
        "slug": find_free_slug("preview"),
        "protocol": find_protocol(content),
        "language": language,
        "instrument": f"{name}/{language}",
        "items": {"texts": [subject.text.external_id]},
        "plan": {"annotators": 1, "seed": SEED},
        "params": fit_parameters(content),
    }
    study, _chosen = create_study(subject.project, check_spec(spec))
    return start_preview(study)


def render_named_page(request: HttpRequest, annotator: Annotator, name: str) -> HttpResponse:
    """The page of that name; the first stage if there is none."""
    declaration = get_declaration(annotator.study)
    if name in declaration.phases:
        return render_phase(request, annotator, name)
    if name in ENDS:
        return render_words(request, annotator, name)
    for phase in declaration.phases:
        pass_phase(annotator, phase)
    if name == CONFIRM:
        return render_confirm_preview(request, annotator)
    if name in [stage.name for stage in declaration.every_stage]:
        annotator.assignments.open().update(stage=name)
    return render_place(request, find_place(annotator))


def render_confirm_preview(request: HttpRequest, annotator: Annotator) -> HttpResponse:
    """The confirmation page of a stage, shown although nothing was answered."""
    context = build_progress(find_place(annotator)) | {
        "words": annotator.study.instrument_version.content[CONFIRM],
        "address": reverse("work_confirm", args=[annotator.public_id]),
    }
    return render_page(request, annotator, "confirm", context)


class PeopleInstruments(InstrumentKind):
    use = PEOPLE
    label = gettext_lazy("questions for people")

    def fits(self, content: Mapping[str, Any]) -> bool:
        name = content.get("name")
        return isinstance(name, str) and name in PROTOCOLS

    def problems(self, content: Mapping[str, Any]) -> list[Problem]:
        protocol = find_protocol(content)
        if protocol is None:
            sentence = _("The protocol of these prompts is missing. Add the line “protocol:” with one of: %(known)s.")
            return [Problem("protocol", sentence % {"known": ", ".join(PROTOCOLS)})]
        found = check_wording(content, find_reference_wording(content))
        return found or check_against_protocol(content, protocol)

    def notices(self, content: Mapping[str, Any]) -> list[str]:
        return list_wording_notices(content, str(find_protocol(content)))

    def slots(self, content: Mapping[str, Any], place: str) -> list[str]:
        return list_slots_at(find_reference_wording(content), tuple(place.split(".")))

    def pages(self, content: Mapping[str, Any]) -> list[tuple[str, str]]:
        return list_pages(content)

    def preview(self, request: HttpRequest, content: Mapping[str, Any], subject: PreviewSubject) -> HttpResponse:
        return render_preview(request, content, subject)


def find_reference_wording(content: Mapping[str, Any]) -> dict[str, Any]:
    """The shipped wording of the same protocol."""
    return find_shipped_wording(str(find_protocol(content)), str(content.get("language"))) or {}
