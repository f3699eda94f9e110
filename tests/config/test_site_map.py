"""Every page of a project or a study has its place: one tab, which leads to a page."""

import pytest
from django.urls import URLPattern, get_resolver, reverse

from config.site_map import PROJECT_TABS, STUDY_TABS, Tab
from projects.models import Role

pytestmark = pytest.mark.slow

# Files, previews in a frame of another page, and the address that opens a study where its state has it.
NO_PAGES = (
    "bank_shortcuts_csv",
    "item_export",
    "instrument_preview",
    "instrument_download",
    "study",
    "annotator_links",
    "old_people",
    "study_people_live",
    "signed_links",
    "text_picture",
)
ROOTS = {"p/<slug:slug>/": PROJECT_TABS, "s/<slug:slug>/": STUDY_TABS, "runs/<int:pk>/": PROJECT_TABS}


def is_file(pattern: URLPattern) -> bool:
    route = str(pattern.pattern)
    return pattern.name in NO_PAGES or any(part in route for part in (".csv", ".zip", "<str:ending>", "export/"))


def addresses(root: str) -> list[str]:
    patterns = [pattern for part in get_resolver().url_patterns for pattern in getattr(part, "url_patterns", [part])]
    return [each.name for each in patterns if str(each.pattern).startswith(root) and not is_file(each)]


def innermost(tabs: tuple[Tab, ...]) -> list[Tab]:
    return [tab for each in tabs for tab in (innermost(each.inner) if each.inner else [each])]


@pytest.mark.parametrize("root", list(ROOTS))
def test_every_page_is_in_one_place(root):
    places = {name: [str(tab.title) for tab in innermost(ROOTS[root]) if name in tab.pages] for name in addresses(root)}
    assert {name: found for name, found in places.items() if len(found) != 1} == {}


def test_places_name_pages_that_exist():
    known = get_resolver().reverse_dict
    assert {name for tab in innermost(PROJECT_TABS + STUDY_TABS) for name in tab.pages if name not in known} == set()


@pytest.mark.parametrize("role", list(Role))
def test_tabs_lead_to_pages_that_the_role_may_open(request, project, as_user, role):
    client = as_user(request.getfixturevalue(role.value))
    page = client.get(reverse("project", args=[project.slug]))
    assert [client.get(link.url).status_code for link in page.context["place"].tabs] == [200] * len(PROJECT_TABS)
