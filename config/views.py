"""Pages of the server itself: its health, without addresses or secrets, unhandled errors, the glossary."""

import logging
import re
import sys
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from django.conf import settings
from django.db import Error
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.html import conditional_escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.text import slugify
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from config.cli import valkey
from config.logs import get_request_id
from config.outages import AWAY, find_outage
from jobs.models import Worker
from jobs.workers import has_live_workers

log = logging.getLogger(__name__)
OK = "ok"


@never_cache
def health(request: HttpRequest) -> HttpResponse:
    """200 while pages can be served; a missing broker or worker only delays work."""
    database = check_database()
    parts = {"web": OK, "database": database, "broker": check_broker(), "worker": check_worker(database)}
    status = 200 if database == OK else 503
    if request.get_preferred_type(["application/json", "text/html"]) == "text/html":
        return render(request, "health.html", {"parts": parts}, status=status)
    return JsonResponse(parts, status=status)


def check_database() -> str:
    try:
        Worker.objects.exists()
    except Error as error:
        log.warning("The database cannot be asked: %s", error)
        outage = find_outage(error)
        if outage and outage is not AWAY:
            return str(outage.page)
        return _("The database does not respond or is not set up: start it, or run python manage.py migrate.")
    return OK


def check_broker() -> str:
    """The state of the broker, checked once, for at most a second."""
    if reason := valkey.find_broker_error(settings.CELERY_BROKER_URL):
        log.warning("The broker does not answer: %s", reason)
        return _("The broker does not respond: start it with ./lesart up, or check REDIS_URL.")
    return OK


def check_worker(database: str) -> str:
    if database != OK:
        return _("Unknown while the database does not respond.")
    if not has_live_workers():
        return _("No worker is running: start one with ./lesart up or celery -A config worker.")
    return OK


SECONDS_TO_RETRY = "30"


def handle_error(request: HttpRequest) -> HttpResponse:
    """Uses no database, which may be what failed; Django calls it while it handles the error."""
    outage = find_outage(sys.exception())
    status, template = (503, "503.html") if outage else (500, "500.html")
    context = {"outage": outage, "request_id": get_request_id()}
    response = HttpResponse(render_to_string(template, context), status=status)
    if outage:
        response["Retry-After"] = SECONDS_TO_RETRY
    return response


# Pages that show a file of docs/ in the reader's language: the glossary, and the choices for a first study.

DOCS = Path(settings.BASE_DIR) / "docs"


@dataclass(frozen=True)
class Term:
    """A term with its definition; `anchor` is made from the English term in every language."""

    anchor: str
    name: str
    definition: str

    def as_html(self) -> SafeString:
        """The definition with *emphasis*; everything else is escaped."""
        return mark_safe(re.sub(r"\*(.+?)\*", r"<em>\1</em>", conditional_escape(self.definition)))  # noqa: S308


@dataclass(frozen=True)
class Section:
    title: str
    terms: tuple[Term, ...]


def show_glossary(request: HttpRequest) -> HttpResponse:
    return render(request, "glossary.html", {"sections": load_glossary(get_language() or "en")})


def show_choosing(request: HttpRequest) -> HttpResponse:
    """The page that helps to choose a protocol and the numbers of people and texts."""
    return render(request, "choosing.html", {"sections": load_glossary(get_language() or "en", "choosing")})


@cache
def load_glossary(language: str, name: str = "glossary") -> tuple[Section, ...]:
    """The sections in this language; in English without a translation. The order of terms is the same everywhere."""
    english = read_sections(DOCS / f"{name}.md")
    names = [name for _title, terms in english for name, _definition in terms]
    anchors = iter([slugify(name) or f"term-{place}" for place, name in enumerate(names)])
    translated = DOCS / f"{name}.{language}.md"
    sections = read_sections(translated) if translated.is_file() else english
    return tuple(
        Section(title, tuple(Term(next(anchors), name, definition) for name, definition in terms))
        for title, terms in sections
    )


def read_sections(file: Path) -> list[tuple[str, list[tuple[str, str]]]]:
    """(title, [(term, definition)]) of each `##` section of a file whose terms are `###` headings."""
    found = []
    for part in file.read_text(encoding="utf-8").split("\n## ")[1:]:
        title, *terms = part.split("\n### ")
        found.append((title.strip(), [read_term(term) for term in terms]))
    return found


def read_term(text: str) -> tuple[str, str]:
    name, _, definition = text.partition("\n")
    return name.strip(), " ".join(definition.split())
