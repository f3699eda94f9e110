"""Parts of every page: navigation, and the question mark that explains a term."""

from dataclasses import dataclass
from typing import Any

from django import template
from django.template import Context
from django.urls import reverse
from django.utils.translation import get_language

from config.site_map import PROJECT_TABS, STUDY_TABS, Tab
from config.views import load_glossary
from projects.models import Project, Role
from studies.models import Study

register = template.Library()


@register.inclusion_tag("parts/explain.html", takes_context=True)
def explain(context: Context, anchor: str) -> dict[str, Any]:
    """The question mark beside a term, which shows its glossary entry.

    `anchor`: of the term on the glossary page; KeyError if there is none.
    """
    terms = {term.anchor: term for section in load_glossary(get_language() or "en") for term in section.terms}
    number = int(context.render_context.get("explained") or 0) + 1
    context.render_context["explained"] = number
    return {"term": terms[anchor], "id": f"explained-{anchor}-{number}"}


# The place of a page: its project or study, the tabs, and which of them are open.


@dataclass(frozen=True)
class TabLink:
    title: str
    url: str
    is_current: bool
    key: str


@dataclass(frozen=True)
class PageHeader:
    """The header of a page. `inner`: the links inside the open tab."""

    project: Project
    study: Study | None
    tabs: list[TabLink]
    inner: list[TabLink]

    @property
    def title(self) -> str:
        return str(self.study.title if self.study else self.project.title)


@register.simple_tag(takes_context=True)
def find_place(context: Context) -> PageHeader | None:
    """The place of the page by its URL; None if it belongs to no project.

    The context has `study`, or `project` from `get_project`.
    """
    page, study = find_page(context), context.get("study")
    tabs = STUDY_TABS if study else PROJECT_TABS
    current = next((tab for tab in tabs if tab.has(page)), None)
    project = study.project if current and study else context.get("project")
    if current is None or not isinstance(project, Project):
        return None
    slug, role = (study or project).slug, getattr(project, "my_role", Role.VIEWER)
    return PageHeader(
        project, study, make_links(tabs, page, slug, role), make_links(current.allow(role), page, slug, role)
    )


def find_page(context: Context) -> str:
    """The name of the requested URL; empty if the page is rendered without a request."""
    match: Any = getattr(context.get("request"), "resolver_match", None)
    return (match and match.url_name) or ""


def make_links(tabs: tuple[Tab, ...], page: str, slug: str, role: Role) -> list[TabLink]:
    return [
        TabLink(str(tab.title), reverse(tab.choose_first_page(role), args=[slug]), tab.has(page), tab.key)
        for tab in tabs
    ]
