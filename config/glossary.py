"""Pages that show a file of docs/ in the reader's language: the glossary, and what to choose for a first study."""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.html import conditional_escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.text import slugify
from django.utils.translation import get_language

DOCS = Path(settings.BASE_DIR) / "docs"


@dataclass(frozen=True)
class Term:
    """A term with its definition; `anchor` is made from the English term, in every language."""

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
    """Which protocol, how many people, how many texts?"""
    return render(request, "choosing.html", {"sections": load_glossary(get_language() or "en", "choosing")})


@cache
def load_glossary(language: str, name: str = "glossary") -> tuple[Section, ...]:
    """The sections in this language; in English where there is no translation. Terms have the same order everywhere."""
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
