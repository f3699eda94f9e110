"""Wordings for people as a kind of instrument: checked by their protocol, previewed through the real pages."""

from collections.abc import Mapping
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from annotation.previewing import pages_of, preview_page
from studies.instrument_kinds import PEOPLE, Kind, Subject, protocol_of
from studies.problems import Problem
from studies.protocols import PROTOCOLS
from studies.services.instruments import shipped_model
from studies.wording import notices_of_wording, problems_of_wording, protocol_problems, slots_at


class ForPeople(Kind):
    use = PEOPLE
    label = gettext_lazy("asked of people")

    def fits(self, content: Mapping[str, Any]) -> bool:
        name = content.get("name")
        return isinstance(name, str) and name in PROTOCOLS

    def problems(self, content: Mapping[str, Any]) -> list[Problem]:
        protocol = protocol_of(content)
        if protocol is None:
            said = _("It is not clear which protocol this is for. Add the line “protocol:” with one of: %(known)s.")
            return [Problem("protocol", said % {"known": ", ".join(PROTOCOLS)})]
        found = problems_of_wording(content, model_of(content))
        return found or protocol_problems(content, protocol)

    def notices(self, content: Mapping[str, Any]) -> list[str]:
        return notices_of_wording(content, str(protocol_of(content)))

    def slots(self, content: Mapping[str, Any], place: str) -> list[str]:
        return slots_at(model_of(content), tuple(place.split(".")))

    def pages(self, content: Mapping[str, Any]) -> list[tuple[str, str]]:
        return pages_of(content)

    def preview(self, request: HttpRequest, content: Mapping[str, Any], subject: Subject) -> HttpResponse:
        return preview_page(request, content, subject)


def model_of(content: Mapping[str, Any]) -> dict[str, Any]:
    """The shipped wording of the same protocol."""
    return shipped_model(str(protocol_of(content)), str(content.get("language"))) or {}
