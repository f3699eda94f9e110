"""Researchers' pages: axe finds nothing, light and dark, wide and narrow; keys and the split of pasted texts work."""

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from items.formats.text_files import Split, split_texts, take_title
from tests.browser.axe import FOR_RESEARCHERS, find_faults
from tests.browser.conftest import LAPTOP, PHONE
from tests.drawn_outcomes import draw_study
from tests.factory import make_item, make_study, make_text
from tests.waiting import wait_until_it_fits

pytestmark = pytest.mark.browser
PAGES = ["project", "generation_new"]  # test_researcher_site opens all


@pytest.fixture
def study_with_items(project):
    text = make_text(project, "t1")
    make_study(project, "one", [make_item(text, "human", "i1")])
    return project


@pytest.fixture
def enter(open_page, client, owner, live_server):
    """A function that opens a browser in which the owner is signed in."""
    client.force_login(owner)
    cookie = client.cookies["sessionid"].value

    def make(**options):
        page = open_page(**options)
        page.context.add_cookies([{"name": "sessionid", "value": cookie, "url": live_server.url}])
        return page

    return make


LOOKS = {"light": LAPTOP | {"color_scheme": "light"}, "dark": PHONE | {"color_scheme": "dark"}}


@pytest.mark.parametrize("look", LOOKS)
def test_axe_finds_nothing_with_the_menu_open(enter, study_with_items, look):
    page = enter(**LOOKS[look])
    for name in PAGES:
        page.goto(reverse(name, args=[study_with_items.slug]))
        page.click("nav.account summary")
        assert find_faults(page, **FOR_RESEARCHERS) == [], name
        wait_until_it_fits(page)


def test_keys_lead_to_the_search_and_to_the_tabs(enter, study_with_items):
    page = enter()
    page.goto(reverse("project", args=[study_with_items.slug]))
    page.keyboard.press("g")
    page.keyboard.press("t")
    page.wait_for_url(f"**{reverse('text_list', args=[study_with_items.slug])}")
    page.keyboard.press("/")
    expect(page.locator("input[type=search]")).to_be_focused()
    page.keyboard.type("gt")
    expect(page.locator("input[type=search]")).to_have_value("gt")
    page.locator("input[type=search]").blur()
    page.keyboard.press("?")
    expect(page.locator("[data-keys]")).to_be_visible()


def test_a_screen_reader_hears_the_answer_then_its_figure_then_what_to_do(enter, project):
    study = draw_study(project, "pairwise", "winner")
    page = enter(**LAPTOP)
    page.goto(reverse("study_annotators", args=[study.slug]))
    page.keyboard.press("g")
    page.keyboard.press("r")
    page.wait_for_url(f"**{reverse('study_results', args=[study.slug])}")
    tree = page.locator("main").aria_snapshot()
    places = [
        tree.find(each)
        for each in (
            'heading "Items by alder win most often." [level=2]',
            'heading "Strength of each generator" [level=3]',
            'img "Strength of each generator. alder: ',
            'region "Differences between generators":',
            'row "alder − ',
            'region "What to do next":',
            "Report this result",
        )
    ]
    assert -1 not in places
    assert places == sorted(places)


def test_pasted_texts_are_split_while_one_watches(enter, study_with_items):
    page = enter()
    page.goto(reverse("text_new", args=[study_with_items.slug]))
    expect(page.locator("#split-preview")).to_be_hidden()
    page.fill("[name=body]", "The first text.\n---\n东京是首都。\n---\n")
    expect(page.locator("#split-preview h2")).to_have_text("2 texts")
    expect(page.locator("#split-preview li")).to_have_text(["The first text. (3 words)", "东京是首都。 (3 words)"])


@pytest.mark.parametrize("split", Split.values)
def test_the_page_splits_what_is_pasted_as_the_server_does(enter, study_with_items, split):
    pasted = (
        "The sea\n\nIt is deep.\n---\n# Rivers\nThey flow.\n\n\n\nA lake\n\nIt lies.\n---\n\nAnd so on:\n\nall day."
    )
    page = enter()
    page.goto(reverse("text_new", args=[study_with_items.slug]))
    page.fill("[name=body]", pasted)
    page.check(f"[name=split][value={split}]")
    texts = [(title, body) if title else take_title(body) for title, body in split_texts(pasted, split, "---")]
    expect(page.locator("#split-preview li")).to_have_count(len(texts))
    shown = page.locator("#split-preview li").evaluate_all(
        "all => all.map((one) => [one.querySelector('strong')?.textContent ?? '', one.lastChild.textContent])"
    )
    assert [(title, body.rpartition(" (")[0]) for title, body in shown] == texts


def test_paper_is_light_from_a_dark_screen_too(enter, study_with_items):
    page = enter(color_scheme="dark")
    page.goto(reverse("project", args=[study_with_items.slug]))
    shown = []
    for media, scheme in (("screen", "dark"), ("print", "dark"), ("screen", "light")):
        page.emulate_media(media=media, color_scheme=scheme)
        shown.append(page.evaluate("getComputedStyle(document.documentElement).getPropertyValue('--ink')"))
    dark, on_paper, light = shown
    assert on_paper == light != dark


def test_a_term_is_explained_where_it_stands(enter, study_with_items):
    page = enter()
    page.goto(reverse("text_list", args=[study_with_items.slug]))
    page.click("button.explain")
    expect(page.locator("[popover]:popover-open")).to_contain_text("Shortcut")
