"""From the overview of a project every page of a researcher is reached by links, without an address typed in."""

import re

import pytest
from bs4 import BeautifulSoup
from django.core.management import call_command
from django.urls import Resolver404, resolve, reverse

from config.site_map import PROJECT_TABS, STUDY_TABS
from projects.models import Project
from tests.config.test_site_map import innermost

pytestmark = pytest.mark.slow
# Reached by sending a form, or only where the sample has nothing: a written item, a selection, a hidden effect.
BY_FORM = {
    *("member_role", "invitation_revoke", "instrument_diff", "item_import_preview", "item_import_columns"),
    *(
        "item_import_update",
        "selection_begin",
        "selection",
        "incomplete_discard",
        "run_budget",
        "run_unknown",
        "run_act",
    ),
}


def find_links(client, address: str) -> set[str]:
    page = client.get(address, follow=True)
    if page.status_code != 200 or "html" not in page.headers["Content-Type"]:
        return set()
    soup = BeautifulSoup(page.content, "html.parser")
    found = {link["href"].split("#")[0] for link in soup.find_all("a", href=True)}
    found |= {form["action"] for form in soup.find_all("form", action=True)}
    return {link for link in found if link.startswith("/")}


def name_of(address: str) -> str:
    try:
        return resolve(address.partition("?")[0]).url_name or ""
    except Resolver404:
        return ""


def walk(client, start: str) -> set[str]:
    """The names of all URLs that links and forms lead to; of each name three addresses are looked at."""
    seen: dict[str, int] = {}
    waiting, known = [start], {start}
    while waiting:
        address = waiting.pop(0)
        name = name_of(address)
        seen[name] = seen.get(name, 0) + 1
        if seen[name] > 3 or re.search(r"\.(csv|jsonl|zip|svg|png|pdf|json)$|/export/", address.partition("?")[0]):
            continue
        for link in sorted(find_links(client, address) - known):
            known.add(link)
            waiting.append(link)
    return set(seen)


def test_links_from_the_overview_find_every_page(admin_client):
    call_command("load_sample", verbosity=0)
    project = Project.objects.get(is_sample=True)
    reached = walk(admin_client, reverse("project", args=[project.slug]))
    pages = {name for tab in innermost(PROJECT_TABS + STUDY_TABS) for name in tab.pages}
    assert pages - BY_FORM - reached == set()
