"""Everybody rates everything in a real browser, twice; what is stored is what was planted, in both rounds."""

import pytest
from bs4 import BeautifulSoup
from playwright.sync_api import Page, expect

from studies.models import Response
from studies.services.answering import pass_phase
from studies.services.second_round import open_second_round
from tests.browser.conftest import PHONE
from tests.dimensions import FLAGGED, SEATS, annotators, both_rounds, make_bank, make_live_study, rows_on, true_score

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def enter(page: Page, annotator) -> None:
    page.goto(f"/join/{annotator.token}/")
    page.click("main button.primary")


def rate_all(page: Page, seat: int, number: int, n_texts: int) -> None:
    """Click the planted score of each row that is open, text by text."""
    for text in range(1, n_texts + 1):
        expect(page.locator(".place strong")).to_contain_text(f"Text {text} of {n_texts}")
        for item, dimension, name in rows_on(BeautifulSoup(page.content(), "html.parser")):
            score = true_score(seat, item, dimension, number)
            page.locator(f'input[name="{name}"][value="{score}"]').check(force=True)
        page.locator("[data-go-on]").click()
    expect(page.locator("[data-go-on]")).to_have_count(0)


def read_scores() -> set[tuple]:
    fields = ("assignment__annotator__seat", "assignment__round", "item__external_id", "question", "value")
    return set(Response.objects.values_list(*fields))


def test_both_rounds_on_laptop_and_phone_store_what_was_planted(project, open_page):
    make_bank(project)
    study = make_live_study(project)
    pages = {}
    for annotator in annotators(study):
        for phase in ("consent", "instructions"):
            pass_phase(annotator, phase)
        pages[annotator.seat] = open_page(**(PHONE if annotator.seat == SEATS[-1] else {}))
        enter(pages[annotator.seat], annotator)
        rate_all(pages[annotator.seat], annotator.seat, number=1, n_texts=3)
    open_second_round(study)
    for annotator in annotators(study):
        n_texts = annotator.assignments.filter(round=2).count()
        if n_texts:
            pages[annotator.seat].goto(f"/work/{annotator.public_id}/")
            rate_all(pages[annotator.seat], annotator.seat, number=2, n_texts=n_texts)
    expected = {
        (int(row["annotator"][1:]), row["round"], row["item_id"], row["question"], row["value"])
        for row in both_rounds()
    }
    assert read_scores() == expected
    assert len(expected) == len(SEATS) * 9 * 7 + len(FLAGGED)
