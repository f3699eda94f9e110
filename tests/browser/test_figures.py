"""Figures of the server; pointed at, they are drawn by files of this site, under its content security policy."""

import os
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from bs4 import BeautifulSoup
from django.urls import reverse
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import PHONE
from tests.drawn import FIGURES, guess_then_read, pairwise, stopping_questionnaire
from tests.waiting import wait_until_it_fits

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

MATCHED = {guess_then_read: ["dumbbell_matched"]}  # stands with its own table
HEIGHTS = "(all) => all.map((one) => Number(one.getAttribute('height')))"


@pytest.fixture
def open_as_viewer(open_page, client, viewer, live_server):
    """A function that opens an empty page for somebody who may look at results."""

    def make(**options) -> Page:
        client.force_login(viewer)
        page = open_page(**options)
        cookie = {"name": "sessionid", "value": client.cookies["sessionid"].value, "url": live_server.url}
        page.context.add_cookies([cookie])
        return page

    return make


def results(study) -> str:
    return reverse("results_details", args=[study.slug])


def open_tables(page: Page) -> None:
    page.locator(".table-list details").evaluate_all("(all) => all.forEach((one) => (one.open = true))")


def wait_for(page: Page, n: int, state: str = "drawn") -> None:
    """Open every table and point at every figure, until all are drawn."""
    open_tables(page)
    for plate in page.locator(".plate").all():
        plate.hover()
        expect(plate).to_have_attribute("data-state", state)
    expect(page.locator(f".plate[data-state={state}]")).to_have_count(n)


def pictures(page: Page, name: str) -> None:
    """Screenshots where they are asked for, to be looked at."""
    if folder := os.environ.get("LESART_SCREENSHOTS"):
        for figure, place in zip(count_drawn_figures(page), page.locator(".figure").all(), strict=True):
            place.screenshot(path=Path(folder) / f"{name}-{figure}.png")


def count_drawn_figures(page: Page) -> list[str]:
    addresses = page.locator(".plate").evaluate_all("(all) => all.map((one) => one.dataset.spec)")
    return [Path(urlsplit(address).path).name.removesuffix(".vl.json") for address in addresses]


@pytest.mark.parametrize("make", FIGURES)
@pytest.mark.parametrize("options", [{}, PHONE | {"color_scheme": "dark"}], ids=["laptop", "phone, dark"])
def test_every_figure_is_drawn_here_by_files_of_this_site(project, open_as_viewer, live_server, make, options):
    page = open_as_viewer(**options)
    messages, asked = [], []
    page.on("console", lambda message: messages.append(message.text))
    page.on("request", lambda request: asked.append(request.url))
    html = page.goto(results(make(project))).text()
    rooms = [float(room["height"]) for room in BeautifulSoup(html, "html.parser").select(".plate img")]
    wait_for(page, len(rooms))
    pictures(page, "phone" if options else "laptop")
    assert sorted(count_drawn_figures(page)) == sorted([*FIGURES[make], *MATCHED.get(make, ())])
    assert page.locator(".plate > div > svg").count() == len(rooms)
    assert page.locator(".plate img").count() == 0
    assert page.locator(".plate svg").evaluate_all(HEIGHTS) == pytest.approx(rooms, rel=0.1)  # nothing moves
    assert messages == []  # a refused style or script would be reported here
    assert {urlsplit(url).netloc for url in asked} == {urlsplit(live_server.url).netloc}
    wait_until_it_fits(page)


def in_view(mark: Locator) -> Locator:
    """The mark, once the page has come to rest with it in sight: scrolling takes the tooltip away."""
    mark.scroll_into_view_if_needed()
    mark.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    return mark


def test_a_mark_says_its_number_interval_n_and_method_when_pointed_at(project, open_as_viewer):
    page = open_as_viewer()
    page.goto(results(guess_then_read(project)))
    wait_for(page, 4)
    expect(page.locator(".figure-tip")).to_be_hidden()
    in_view(page.locator(".plate[data-spec*='/dumbbell.']").locator(".role-mark.mark-symbol path").last).hover()
    tip = page.locator(".figure-tip")
    expect(tip).to_be_visible()
    for words in (
        "Generator",
        "with the text",
        "Accuracy",
        "95 percent interval",
        "judgments",
        "texts only",
    ):
        expect(tip).to_contain_text(words)
    page.keyboard.press("Escape")
    expect(tip).to_be_hidden()


def test_a_finger_sees_the_same(project, open_as_viewer):
    page = open_as_viewer(**PHONE)
    page.goto(results(pairwise(project)))
    open_tables(page)
    plate = page.locator(".plate[data-spec*='/wins.']")
    plate.tap()
    expect(plate).to_have_attribute("data-state", "drawn")
    in_view(plate.locator(".role-mark.mark-text text").first).tap()
    expect(page.locator(".figure-tip")).to_be_visible()
    expect(page.locator(".figure-tip")).to_contain_text("Share won")


def test_the_planners_curves_are_drawn_too(project, open_as_viewer):
    page = open_as_viewer()
    page.goto(reverse("study_planner", args=[guess_then_read(project).slug]))
    wait_for(page, 1)
    pictures(page, "laptop")


def test_where_drawing_fails_the_servers_picture_stands(project, open_as_viewer):
    page = open_as_viewer()
    page.route("**/vendor/*", lambda route: route.abort())
    page.goto(results(stopping_questionnaire(project)))
    wait_for(page, 4, "picture")
    expect(page.locator(".plate img")).to_have_count(4)


def test_without_scripts_the_servers_picture_stands(project, open_as_viewer):
    page = open_as_viewer(java_script_enabled=False)
    page.goto(results(pairwise(project)))
    expect(page.locator(".plate img")).to_have_count(2)


def test_every_figure_is_there_before_anything_is_loaded_for_it(project, open_as_viewer):
    page = open_as_viewer()
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.goto(results(stopping_questionnaire(project)))
    open_tables(page)
    for image in page.locator(".plate img").all():
        image.scroll_into_view_if_needed()
        expect(image).to_have_js_property("complete", True)
        assert image.evaluate("(image) => image.naturalWidth") > 400
    assert not [url for url in asked if "vendor" in url]
    page.emulate_media(media="print")
    for image in page.locator(".plate img").all():
        expect(image).to_be_visible()
    expect(page.locator(".figure figcaption").first).to_be_hidden()


def test_pages_without_figures_load_no_scripts_for_them(project, open_as_viewer):
    page = open_as_viewer()
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    study = guess_then_read(project)
    page.goto(reverse("study_design", args=[study.slug]))
    assert not [url for url in asked if "vendor" in url]
