"""What a number rests on stands beside it: for a pointer, a finger and the keyboard. Tables' own pages, and edges."""

import re

import pytest
from django.urls import reverse
from playwright.sync_api import Locator, Page, expect

from tests.browser.conftest import LAPTOP, PHONE
from tests.dimensions import import_study
from tests.drawn import guess_then_read
from tests.waiting import moments

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

NUMBERS = "table.results td.num:has([aria-describedby])"


@pytest.fixture
def open_results(open_page, client, reviewer, live_server):
    """A function that opens a page of a study's analysis for somebody whose numbers lead to their answers."""

    def make(address: str, **options) -> Page:
        client.force_login(reviewer)
        page = open_page(**options)
        cookie = {"name": "sessionid", "value": client.cookies["sessionid"].value, "url": live_server.url}
        page.context.add_cookies([cookie])
        page.goto(address)
        page.locator(".table-list details").evaluate_all("(all) => all.forEach((one) => (one.open = true))")
        page.wait_for_load_state("networkidle")
        return page

    return make


@pytest.fixture
def results(project) -> str:
    return reverse("results_details", args=[guess_then_read(project).slug])


def in_view(cell: Locator) -> Locator:
    """The cell, once the page has come to rest with it in sight: scrolling takes the remarks away."""
    cell.evaluate("(cell) => cell.scrollIntoView({ block: 'center' })")
    cell.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    return cell


def remarks_of(page: Page, cell: Locator) -> list[str]:
    """What readers of screens are told, from the list at the end of the page."""
    ids = cell.locator("[aria-describedby]").first.get_attribute("aria-describedby").split()
    return [page.locator(f"#{each}").text_content() for each in ids]


def test_a_pointer_sees_what_a_number_rests_on_until_it_leaves(open_results, results):
    page = open_results(results)
    cell = in_view(page.locator(NUMBERS).first)
    cell.hover()
    tip = page.locator(".cell-tip")
    expect(tip.locator("p")).to_have_text(remarks_of(page, cell))
    page.mouse.move(1, 1)
    expect(tip).to_be_hidden()


def test_a_finger_beside_a_number_sees_the_same_and_stays_on_the_page(open_results, results):
    page = open_results(results, **PHONE)
    cell = in_view(page.locator(NUMBERS).first)
    box = cell.bounding_box()
    cell.tap(position={"x": box["width"] - 3, "y": box["height"] - 3})
    tip = page.locator(".cell-tip")
    expect(tip).to_be_visible()
    expect(tip.locator("p")).to_have_text(remarks_of(page, cell))
    page.evaluate("() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
    expect(tip).to_be_visible()
    box = tip.bounding_box()
    assert box["x"] >= 0
    assert box["x"] + box["width"] <= PHONE["viewport"]["width"]
    page.locator("h1").tap()
    expect(tip).to_be_hidden()


def test_the_keyboard_comes_to_numbers_and_escape_puts_their_remarks_away(open_results, results):
    page = open_results(results)
    first, second = page.locator(NUMBERS).nth(0), page.locator(NUMBERS).nth(1)
    in_view(first).locator("a[aria-describedby]").focus()
    tip = page.locator(".cell-tip")
    expect(tip.locator("p")).to_have_text(remarks_of(page, first))
    for _moment in moments(page):
        if second.evaluate("(cell) => cell.contains(document.activeElement)"):
            break
        page.keyboard.press("Tab")
    expect(tip.locator("p")).to_have_text(remarks_of(page, second))
    assert second.locator("a").first.evaluate("(link) => getComputedStyle(link).outlineStyle") == "solid"
    page.keyboard.press("Escape")
    expect(tip).to_be_hidden()


def means(page: Page) -> list[float]:
    cells = page.locator(".table-wrap > table[data-table=generator_means]").last.locator("tbody td:nth-child(4) a")
    return [float(text) for text in cells.all_text_contents()]


def test_a_tables_own_page_sorts_by_a_heading_and_stays_sorted_on_the_next_page(open_results, project, monkeypatch):
    monkeypatch.setattr("analysis.tables.page_budget.MOST_ROWS", 5)
    page = open_results(reverse("study_table_page", args=[import_study(project).slug, "generator_means"]))
    page.get_by_role("link", name="Mean", exact=True).click()
    expect(page.locator("th[aria-sort=descending]")).to_have_text("Mean")
    first = means(page)
    page.get_by_role("link", name="Next").click()
    expect(page.locator("th[aria-sort=descending]")).to_have_text("Mean")
    expect(page.locator(".pagination")).to_contain_text("page 2 of")
    both = first + means(page)
    assert len(first) == 5
    assert len(both) > 5
    assert both == sorted(both, reverse=True)
    page.get_by_role("link", name="Mean", exact=True).click()
    expect(page.locator("th[aria-sort=ascending]")).to_have_text("Mean")
    assert means(page)[0] == min(means(page)) < first[0]


@pytest.mark.parametrize(("options", "message"), [(LAPTOP, False), (PHONE, True)], ids=["laptop", "phone"])
def test_a_figure_says_that_it_scrolls_sideways_where_it_does(open_results, results, options, message):
    page = open_results(results, **options)
    hint = page.get_by_text("Scroll the figure sideways to see all of it.").first
    expect(hint).to_be_visible(visible=message)
    plate = page.locator(".plate").first
    more = re.compile(r"\bhas-more\b")
    (expect(plate).to_have_class if message else expect(plate).not_to_have_class)(more)
    plate.evaluate("(plate) => plate.scrollTo(plate.scrollWidth, 0)")
    expect(plate).not_to_have_class("plate is-wide has-more")
