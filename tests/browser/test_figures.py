"""Figures are drawn in the browser from the files of this site, under its content security policy, and work without."""

import os
from itertools import combinations, product
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from django.core.cache import cache
from django.urls import reverse
from playwright.sync_api import Page, expect

from studies.services.importing import import_responses
from tests import dimensions, pairs, stopping
from tests.analysis.test_metric_tables import FAR, NEAR, plant
from tests.browser.conftest import PHONE
from tests.factory import answer, make_annotator, make_item, make_study, make_text
from tests.studies.answer_files import as_csv

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

GUESSED = {"ada": "TFT FFT TTF TFF", "ben": "FTF TFF TFT FFF", "gpt-x": "TTT FTF TFF TFT"}
READ = {"ada": "TFF TFF TTF TFF", "ben": "TFF TFF TFT TFF", "gpt-x": "TFF FTF TFF TFF"}


def guess_then_read(project):
    """Two generators in three texts, two people and a model; no wording says anything."""
    items = [
        make_item(text, name, f"{name}-{text.external_id}", "TFF")
        for text in (make_text(project, f"t{place}") for place in range(4))
        for name in ("careful", "hurried")
    ]
    study = make_study(project, "guesses", items)
    for place, name in enumerate(GUESSED):
        kind = {"kind": "model", "model": name} if name == "gpt-x" else {}
        annotator = make_annotator(study, name, **kind)
        for order, item in enumerate(items):
            guesses, reads = GUESSED[name].split(), READ[name].split()
            answer(annotator, "guess", item, guesses[(order + place) % 4])
            answer(annotator, "read", item, reads[order % 3], rating=1 + (order * (place + 2)) % 5)
    return study


def imported(study, rows):
    import_responses(study, as_csv(rows))
    return study


def dimension_ratings(project):
    study = dimensions.imported(project)
    plant(project, "near", NEAR)
    plant(project, "far", FAR)
    return study


def stopping_questionnaire(project):
    stopping.make_bank(project)
    return imported(stopping.drafted(project), stopping.rows())


def pairwise(project):
    pairs.make_bank(project)
    ids = [f"-{name}-{place}" for name, place in product(pairs.GENERATORS, range(pairs.ITEMS))]
    rows = [
        {"annotator": f"ann{seat}", "stage": "compare", "question": "better", "item_id": one, "other_item_id": other}
        | {"value": pairs.planted(seat, one, other), "shown_left": one}
        for text, seat in product(range(3, 3 + pairs.TEXTS - 2), range(3))
        for one, other in combinations([f"p{text}{end}" for end in ids], 2)
        if pairs.generator_of(one) != pairs.generator_of(other)
    ]
    return imported(pairs.drafted(project), rows)


FIGURES = {
    guess_then_read: ["dumbbell", "ratings", "accuracy_by_rating"],
    dimension_ratings: ["generator_means", "dimension_correlations", "metric_correlations"],
    stopping_questionnaire: ["flow", "label_distributions"],
    pairwise: ["ranking", "wins"],
}


@pytest.fixture(autouse=True)
def empty_cache(db):
    cache.clear()


@pytest.fixture
def signed_in(open_page, client, viewer, live_server):
    """A function that opens an empty page for somebody who may look at results."""

    def make(**options) -> Page:
        client.force_login(viewer)
        page = open_page(**options)
        cookie = {"name": "sessionid", "value": client.cookies["sessionid"].value, "url": live_server.url}
        page.context.add_cookies([cookie])
        return page

    return make


def results(study) -> str:
    return reverse("study_results", args=[study.slug])


def wait_for(page: Page, n: int, state: str = "drawn") -> None:
    expect(page.locator(f".plate[data-state={state}]")).to_have_count(n)


def picture(page: Page, name: str) -> None:
    """A screenshot where one is asked for, to be looked at."""
    if folder := os.environ.get("LESART_SCREENSHOTS"):
        page.screenshot(path=Path(folder) / f"{name}.png", full_page=True)


def drawn_figures(page: Page) -> list[str]:
    addresses = page.locator(".plate").evaluate_all("(all) => all.map((one) => one.dataset.spec)")
    return [Path(urlsplit(address).path).name.removesuffix(".vl.json") for address in addresses]


@pytest.mark.parametrize("make", FIGURES)
@pytest.mark.parametrize("options", [{}, PHONE | {"color_scheme": "dark"}], ids=["laptop", "phone, dark"])
def test_every_figure_is_drawn_here_by_files_of_this_site(project, signed_in, live_server, make, options):
    page = signed_in(**options)
    said, asked = [], []
    page.on("console", lambda message: said.append(message.text))
    page.on("request", lambda request: asked.append(request.url))
    page.goto(results(make(project)))
    wait_for(page, len(FIGURES[make]))
    picture(page, f"{make.__name__}-{'phone' if options else 'laptop'}")
    assert drawn_figures(page) == FIGURES[make]
    assert page.locator(".plate > div > svg").count() == len(FIGURES[make])
    assert page.locator(".plate img").count() == 0
    assert said == []  # a refused style or script would be reported here
    assert {urlsplit(url).netloc for url in asked} == {urlsplit(live_server.url).netloc}
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
