"""Second tabs, the Back button and replayed requests: nothing is stored, and a sentence says where one is."""

import json

import pytest
from bs4 import BeautifulSoup

from annotation import access
from studies.models import Draft, Response
from studies.services.deleting import delete_with_all
from tests.annotation.world import PART, Walker

pytestmark = pytest.mark.database

SENTENCE = "This part was already handed in, perhaps in another tab. Here is where you are now."


def read_state() -> tuple:
    return (
        list(Response.objects.order_by("pk").values_list("pk", "value", "unsure", "submitted_at")),
        list(Draft.objects.order_by("pk").values_list("pk", "values", "n_changes")),
    )


@pytest.fixture
def person_past_the_guess(walker):
    """An annotator who has seen the first text, with the form of the guess stage still open in another tab."""
    walker.start()
    walker.old_form = walker.answers(tick=1)
    walker.guess(tick=0)
    walker.reveal()
    return walker


def test_a_guess_cannot_change_after_the_text_was_shown(person_past_the_guess):
    before = read_state()
    for path in (person_past_the_guess.work, person_past_the_guess.confirm):
        page = person_past_the_guess.post(person_past_the_guess.old_form, path)
        assert page.status_code == 409
        assert SENTENCE in page.text
        assert "about herons." in page.text
    assert read_state() == before


def test_a_late_draft_changes_nothing(person_past_the_guess):
    before = read_state()
    refused = person_past_the_guess.post(person_past_the_guess.old_form, person_past_the_guess.draft)
    assert refused.status_code == 409
    assert json.loads(refused.content) == {"message": SENTENCE}
    assert read_state() == before


def test_handing_in_twice_stores_one_answer(walker):
    walker.start().guess()
    token = {"token": walker.assignment.token}
    walker.post(token, walker.confirm)
    before = read_state()
    again = walker.post(token, walker.confirm, **PART)
    assert again.status_code == 409
    assert SENTENCE in again.text
    assert read_state() == before


def test_a_guess_form_does_not_fill_the_reading_stage(person_past_the_guess):
    page = person_past_the_guess.post(person_past_the_guess.old_form)
    assert not BeautifulSoup(page.text, "html.parser").select(".item input[checked]")
    assert 'id="missing"' not in page.text


@pytest.mark.parametrize("token", ["", "x", "\x00" * 20, "a" * 32, "ü" * 20])
def test_a_made_up_token_changes_nothing(walker, token):
    walker.start()
    data = walker.answers() | {"token": token}
    assert walker.post(data).status_code == 409
    assert walker.post(data, walker.draft).status_code == 409
    assert walker.post(data, walker.confirm).status_code == 409
    assert read_state() == ([], [])


def test_another_annotators_token_changes_nothing(walker, other):
    walker.start()
    other.start()
    theirs = walker.answers()
    assert other.post(theirs).status_code == 409
    assert other.post(theirs, other.draft).status_code == 409
    assert read_state() == ([], [])


def test_handles_that_were_not_shown_are_dropped(walker):
    walker.start()
    data = walker.answers()
    strange = "h" + "0" * 12
    data[f"answer-{strange}"] = "none"
    data[f"answer-{data['item'][0]}"] = [data[f"answer-{data['item'][0]}"], strange]
    walker.post(data, walker.draft)
    assert strange not in str(list(Draft.objects.values_list("values", flat=True)))


def test_a_second_tab_sees_where_the_first_one_is(person_past_the_guess):
    second = Walker(person_past_the_guess.annotator)
    second.join()
    assert "about herons." in second.get().text
    assert second.get(second.confirm)["Location"] == second.work


def test_whoever_answers_while_the_study_is_deleted_finds_no_study(walker, monkeypatch):
    walker.start()
    form, read = walker.answers(tick=0), access.read_by_link

    def read_and_delete(*key):
        found = list(read(*key))
        delete_with_all(walker.annotator.study, walker.annotator.study.slug)
        monkeypatch.setattr(access, "read_by_link", read)
        return found

    monkeypatch.setattr(access, "read_by_link", read_and_delete)
    page = walker.post(form, walker.work)
    assert page.status_code == 404
    assert "This link is not valid" in page.text
    assert read_state() == ([], [])
