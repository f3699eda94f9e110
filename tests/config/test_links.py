"""Every page of researchers is reached by links from the list of projects."""

import re
from collections import deque
from collections.abc import Iterator
from functools import cache
from html import unescape
from urllib.parse import urljoin

import pytest
from django.urls import Resolver404, ResolverMatch, get_resolver, resolve, reverse

from config.management.commands import load_sample
from projects.models import User
from tests.whole_site import loaded

pytestmark = pytest.mark.slow

ADDRESS = re.compile(r'="((?:/|\.\./)[^"#]*)')  # the value of an attribute, as templates write it
# Addresses of these apps are for annotators, for programs, or for signing in.
OTHER_APPS = ("annotation", "api", "allauth", "django")
# Why no link of these projects leads there.
ELSEWHERE = {
    "health": "an address for monitoring",
    "invitation": "stands in the message to the person invited",
    "sign_in_link": "stands in the terminal, or in a message to the person",
    "old_people": "an old address of the page People",
    "study_edit": "an old address of the design",
    "study_import": "a button of the design's first step",
    "study_confirm": "a button of the design's last step",
    "study_launch": "shown while a large study is launched",
    "study_working": "asked by a page while its result is computed",
    "job": "opens while something long is under way",
    "item_import_preview": "opens after a file was sent",
    "item_import_job": "opens while a worker reads a large file",
    "item_import_columns": "opens after a table was sent",
    "item_import_paragraphs": "opens after texts were sent",
    "item_import_update": "shown after a file with known items was sent",
    "benchmark_file": "shown once a benchmark was added",
    "benchmark_delete": "shown once a benchmark was added",
    "selection": "opens when candidates were written",
    "annotator_link": "shown for experts",
    "expert_check": "shown when experts can be asked",
    "endpoint_edit": "shown for a server that somebody has added",
    "endpoint_delete": "shown for a server that somebody has added",
    "endpoint_forget_key": "shown for a server with a key",
    "evaluator_continue": "shown when answers of a model are missing",
    "run_budget": "shown while a run waits for its budget",
    "run_unknown": "shown while it is unknown whether a call was answered",
    "instrument_edit": "shown for a wording of the project's own",
    "instrument_diff": "shown once a wording has two versions",
    "invitation_revoke": "shown while an invitation is open",
    "report_close": "shown once an annotator has reported an item",
    "roster_delete": "shown once there are names and addresses",
    "study_draw": "shown where people answer a sample of the texts",
    "study_draw_csv": "shown where people answer a sample of the texts",
    "study_archive": "shown once a study that people answer is no longer live",
    "study_item_code_remove": "shown once an item has a code",
    "own_coding": "shown to those who code by themselves",
    "code_comparison_csv": "shown once two people have coded by themselves",
    "study_pack_file": "shown once a pack was made",
    "signed_links": "shown where the ids of participants are signed",
    "text_picture": "shown in texts with pictures",
    "project_export_file": "shown once the project was exported",
    "project_imported": "opens after an archive was sent",
    "study_components_csv": "shown where the planner can split the variance of the answers",
    "study_protocols_csv": "shown where two protocols ask about the same items",
    "template_act": "shown once a study was saved as a template",
}


def names_by_app() -> set[str]:
    found, todo = set(), list(get_resolver().url_patterns)
    for pattern in todo:
        if hasattr(pattern, "url_patterns"):
            todo += pattern.url_patterns
        elif pattern.name and pattern.callback.__module__.split(".")[0] not in OTHER_APPS:
            found.add(pattern.name)
    return found


def links_on(page: bytes, url: str) -> list[str]:
    """Where links, forms, frames and scripts of the page at this address lead inside the site."""
    return [urljoin(url, unescape(value)) for value in ADDRESS.findall(page.decode())]


@cache
def match(url: str) -> ResolverMatch | None:
    try:
        return resolve(url.split("?")[0])
    except Resolver404:
        return None


def place_of(found: ResolverMatch) -> tuple:
    """Pages with the same place are visited once: of one kind, in one study or run."""
    return found.url_name, found.kwargs.get("slug"), found.kwargs.get("step"), found.kwargs.get("form")


def visit_all(client, start: str) -> Iterator[tuple[str, bytes, set[str]]]:
    """Address, HTML and linked names of each page that is reached from `start`; files and forms are not sent for."""
    places, todo = set(), deque([start])
    while todo:
        response = client.get(url := todo.popleft())
        if response.status_code in (301, 302):
            todo.append(response["Location"])
        elif response.status_code == 405:  # only what a form of the page sends
            continue
        elif "html" in response.headers["Content-Type"]:
            assert response.status_code == 200, url
            links = list(own_links(response.content, url))
            yield url, response.content, {found.url_name for _link, found in links}
            for link, found in links:
                if place_of(found) not in places and not is_file(link):
                    places.add(place_of(found))
                    todo.append(link)


def own_links(page: bytes, url: str) -> Iterator[tuple[str, ResolverMatch]]:
    """The links of a page to addresses of researchers."""
    for link in links_on(page, url):
        found = match(link)
        if found and found.func.__module__.split(".")[0] not in OTHER_APPS:
            yield link, found


def walk(client, start: str) -> tuple[set[str], dict[str, tuple[int, str]]]:
    """The names of all addresses that are linked; of each name the heaviest page: bytes, address."""
    names: set[str] = set()
    pages: dict[str, tuple[int, str]] = {}
    for url, html, linked in visit_all(client, start):
        name = match(url).url_name
        pages[name] = max(pages.get(name, (0, "")), (len(html), url))
        names |= linked
    return names, pages


def is_file(link: str) -> bool:
    return "." in link.split("?")[0].rstrip("/").rsplit("/", 1)[-1] or "/export/" in link


@pytest.fixture(autouse=True)
def one_annotator(monkeypatch):
    monkeypatch.setattr(load_sample, "ANNOTATORS", 1)


def test_every_address_is_reached_from_the_projects_or_has_a_reason(db, client):
    client.force_login(User.objects.get(username=loaded()))
    reached, _pages = walk(client, reverse("project_list"))
    assert sorted(names_by_app() - reached - set(ELSEWHERE)) == []
    assert sorted(set(ELSEWHERE) & reached) == []
