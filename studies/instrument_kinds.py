"""The uses of instruments. Each app registers its kind at start: how it checks, previews and uses an instrument."""

from abc import ABC, abstractmethod
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.module_loading import import_string

from items.models import Item, Text
from llm.models import Run
from projects.models import Project
from studies.protocols import PROTOCOLS


@dataclass(frozen=True)
class Problem:
    """A sentence with a remedy. `place` is the path of a wording such as `read.rating.question`, or empty."""

    place: str
    sentence: str

    def __str__(self) -> str:
        return self.sentence


PEOPLE, EVALUATOR, GENERATOR = "people", "evaluator", "generator"


class CannotPreview(Exception):
    """There is nothing to show; the sentence says what to choose instead."""


@dataclass(frozen=True)
class PreviewSubject:
    """What a preview uses: a text of the project, perhaps one of its items, and one of `InstrumentKind.pages`."""

    project: Project
    text: Text
    item: Item | None
    page: str = ""


@dataclass(frozen=True)
class RenderedPrompt:
    """A prompt as it would be sent."""

    title: str
    words: str


class InstrumentKind(ABC):
    """One use of instruments; `use` is its name in an instrument. Register its path with `register_kind`."""

    use = ""
    label: Any = ""  # translated when it is shown
    needs_item = False

    @abstractmethod
    def fits(self, content: Mapping[str, Any]) -> bool:
        """Whether an instrument that does not name its use has the shape of this kind."""

    @abstractmethod
    def problems(self, content: Mapping[str, Any]) -> list[Problem]:
        """Why it cannot be used; empty if it can."""

    @abstractmethod
    def preview(self, request: HttpRequest, content: Mapping[str, Any], subject: PreviewSubject) -> HttpResponse:
        """The complete page of a content without problems; nothing is stored. `CannotPreview` if impossible."""

    def notices(self, content: Mapping[str, Any]) -> list[str]:
        """Remarks on an instrument that can be used."""
        return []

    def pages(self, content: Mapping[str, Any]) -> list[tuple[str, str]]:
        """Names and titles of the pages that can be previewed separately; empty if everything is shown at once."""
        return []

    def slots(self, content: Mapping[str, Any], place: str) -> list[str]:
        """The slots allowed in the wording at that place."""
        return []

    def runs(self, project: Project, versions: Collection[int]) -> list[Run]:
        """The project's runs that used one of these versions (primary keys)."""
        return []


_paths: list[str] = []


def register_kind(path: str) -> None:
    """Register the class at that path; it is imported when an instrument is first used."""
    _paths.append(path)


@cache
def list_kinds() -> list[InstrumentKind]:
    """All kinds in the order in which their apps start, which is also the order in which `fits` is tried."""
    return [import_string(path)() for path in _paths]


def find_kind(content: Mapping[str, Any]) -> InstrumentKind | None:
    """The kind of an instrument, by the use that it names, else by its shape; None if there is none."""
    if "use" in content:
        use = content["use"]
        return next((kind for kind in list_kinds() if kind.use == use), None)
    return next((kind for kind in list_kinds() if kind.fits(content)), None)


def find_protocol(content: Mapping[str, Any]) -> str | None:
    """The protocol that the instrument is for: named in its content, else part of its name."""
    name = str(content.get("name", ""))
    named = content.get("protocol", name if name in PROTOCOLS else name.removesuffix("-prompt").removesuffix("-judge"))
    return named if isinstance(named, str) and named in PROTOCOLS else None


def render_prompts(request: HttpRequest, prompts: list[RenderedPrompt]) -> HttpResponse:
    """The preview of prompts: the exact bytes of each."""
    return render(request, "studies/instrument_prompts.html", {"prompts": prompts})
