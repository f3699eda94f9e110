"""Everybody judges every question in a real browser; what is stored is what was planted, and nothing behind a stop."""

import pytest
from bs4 import BeautifulSoup
from playwright.sync_api import Page, expect

from studies.models import Response
from studies.services.answering import pass_phase
from tests.browser.conftest import PHONE
from tests.stopping import ITEMS, PLANTED, annotators, item_of, make_bank, make_live_study

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


def judge_all(page: Page, annotator) -> None:
    """Answer what the plan says of each item; the questions open one after the other."""
    page.goto(f"/join/{annotator.token}/")
    page.click("main button.primary")
    for number in range(1, len(ITEMS) + 1):
        expect(page.locator(".place strong")).to_have_text(f"Question {number} of {len(ITEMS)}")
        item = item_of(BeautifulSoup(page.content(), "html.parser").select_one("fieldset.item"))
        for name, value in PLANTED[annotator.seat, item].items():
            row = page.locator(f'.item [data-row][data-name="{name}"]')
            if row.locator("textarea").count():
                row.locator("textarea").fill(value)
            else:
                row.locator(f'input[value="{value}"]').check(force=True)
        page.locator("[data-go-on]").click()
    expect(page.locator("[data-go-on]")).to_have_count(0)


def test_all_paths_on_laptop_and_phone_store_what_was_planted(project, open_page):
    make_bank(project)
    study = make_live_study(project)
    for annotator in annotators(study):
        for phase in ("consent", "instructions"):
            pass_phase(annotator, phase)
        judge_all(open_page(**(PHONE if annotator.seat % 2 else {})), annotator)
    fields = ("assignment__annotator__seat", "item__external_id", "question", "value")
    assert set(Response.objects.values_list(*fields)) == {
        (seat, item, name, value) for (seat, item), answers in PLANTED.items() for name, value in answers.items()
    }
