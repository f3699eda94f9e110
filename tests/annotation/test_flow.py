"""The way through a study without JavaScript: the server's place decides what is shown."""

import re

import pytest
from bs4 import BeautifulSoup
from django.test import Client

from studies.models import Draft, Purpose, Response, StudyState, Submission
from tests.annotation.world import PART, Walker, make_world, set_state


def test_consent_and_instructions_come_first(walker):
    walker.join()
    assert "Before you start" in walker.get().text
    walker.post({"phase": "consent"})
    assert "How it works" in walker.get().text
    walker.post({"phase": "instructions"})
    assert "Guess without the text" in walker.get().text


def test_a_phase_cannot_be_jumped_over(walker):
    walker.join()
    walker.post({"phase": "instructions"})
    assert "Before you start" in walker.get().text


def test_looking_changes_nothing(walker):
    walker.start()
    before = walker.annotator.assignments.values_list("stage", "token", "stage_opened_at")
    for path in (walker.work, walker.confirm, walker.draft):
        walker.get(path)
    assert list(before) == list(walker.annotator.assignments.values_list("stage", "token", "stage_opened_at"))


def test_the_guess_stage_shows_the_items_of_one_generator(walker):
    page = walker.start().get()
    assert page.text.count('data-item="') == 2
    assert "0 to 3 of these can be correct." in page.text
    assert "Kind of text: fable" in page.text


def test_a_complete_guess_leads_to_the_question_whether_it_is_final(walker):
    answer = walker.start().guess()
    assert answer["Location"].startswith(walker.confirm)
    page = walker.get(walker.confirm)
    assert "you can no longer change your guesses" in page.text
    assert "Back to the questions" in page.text
    assert Response.objects.count() == 0


def test_the_confirmation_makes_it_final_and_shows_the_text(walker):
    walker.start().guess()
    assert walker.reveal()["Location"] == walker.work
    page = walker.get()
    assert "about herons." in page.text
    assert page.text.count('data-item="') == 6
    assert Response.objects.filter(stage="guess").count() == 6


def test_an_incomplete_stage_says_what_is_missing_and_keeps_the_rest(walker):
    walker.start()
    data = walker.answers()
    first, second = data["item"]
    del data[f"answer-{second}"]
    page = walker.post(data)
    assert page.status_code == 200
    assert f'<a href="#item-{second}">' in page.text
    assert f'<a href="#item-{first}">' not in page.text
    assert f'aria-describedby="hint-{second} error-{second}"' in page.text
    assert Draft.objects.get().values == {"answer": [data[f"answer-{first}"]]}


def test_none_beside_an_option_is_refused(walker):
    walker.start()
    data = walker.answers()
    handle = data["item"][0]
    data[f"answer-{handle}"] = [data[f"answer-{handle}"], "none"]
    page = walker.post(data)
    assert page.status_code == 200
    assert "You selected both an option and “None is correct”" in page.text


def test_a_rating_is_asked_for_while_reading(walker):
    walker.start().guess()
    walker.reveal()
    data = {name: value for name, value in walker.answers().items() if not name.startswith("rating")}
    page = walker.post(data)
    assert page.status_code == 200
    assert page.text.count("Please rate the question.") == 12
    ratings = re.findall(r'<fieldset class="rating".*?</fieldset>', page.text, re.DOTALL)
    assert [each.count("Please rate the question.") for each in ratings] == [1] * 6  # said at the rating
    assert not Submission.objects.filter(stage="read").exists()


def test_the_confirmation_page_sends_back_who_has_not_guessed_all(walker):
    walker.start()
    assert walker.get(walker.confirm)["Location"] == walker.work
    page = walker.reveal()
    assert page.status_code == 200
    assert "2 questions need an answer" in page.text


def test_handing_in_the_reading_leads_to_the_next_text(walker):
    walker.start().guess()
    walker.reveal()
    assert walker.read()["Location"] == walker.work
    page = walker.get()
    assert "Text 2 of 2" in page.text
    assert "Text 1 of 2 is done." in page.text


def test_the_end_says_thanks(walker):
    page = walker.start().finish().get()
    assert "Thank you!" in page.text
    assert "<button" not in page.text


def test_answers_come_back_on_another_device(walker):
    walker.start()
    data = walker.answers(tick=1)
    handle = data["item"][0]
    walker.post({"token": data["token"], "item": handle, f"answer-{handle}": data[f"answer-{handle}"]}, walker.draft)
    elsewhere = Walker(walker.annotator)
    elsewhere.join()
    assert f'value="{data[f"answer-{handle}"]}" checked' in elsewhere.get().text


def test_none_is_an_answer(walker):
    walker.start().guess(tick=None)
    walker.reveal()
    assert set(Response.objects.values_list("value", flat=True)) == {False}


def test_unsure_marks_are_kept(walker):
    walker.start().guess()
    walker.reveal()
    data = walker.answers()
    handle = data["item"][0]
    data[f"unsure-{handle}"] = data[f"answer-{handle}"]
    walker.post(data)
    assert Response.objects.filter(stage="read", unsure=True).count() == 1


@pytest.mark.parametrize("prefill", [False, True])
def test_the_reading_stage_starts_blank_or_from_the_guesses(project, prefill):
    walker = Walker(make_world(project, prefill=prefill).annotators.first()).start()
    walker.guess(tick=2)
    walker.reveal()
    page = walker.get()
    assert len(BeautifulSoup(page.text, "html.parser").select(".item input[checked]")) == (2 if prefill else 0)
    assert ("Your guesses are already filled in" in page.text) is prefill


@pytest.mark.parametrize(
    ("state", "sentence"),
    [(StudyState.PAUSED, "This study is paused"), (StudyState.CLOSED, "This study is closed")],
)
def test_a_study_that_takes_no_answers_says_so(walker, study, state, sentence):
    walker.start()
    data = walker.answers()
    set_state(study, state)
    assert sentence in walker.get().text
    refused = walker.post(data)
    assert refused.status_code == 409
    assert sentence in refused.text
    assert not Draft.objects.exists()


@pytest.mark.parametrize("purpose", [Purpose.PREVIEW, Purpose.SIMULATED])
def test_a_preview_says_that_nothing_counts(walker, purpose):
    walker.annotator.purpose = purpose
    walker.annotator.save()
    for page in (walker.get(f"/join/{walker.annotator.token}/"), walker.start().get(), walker.finish().get()):
        assert "Preview: answers do not count." in page.text


def test_an_annotator_who_counts_sees_no_preview_banner(walker):
    assert "Preview" not in walker.start().get().text


def test_no_page_leads_to_the_workbench(walker):
    walker.start().finish()
    for response in walker.seen:
        assert 'href="/"' not in response.text
        assert "/accounts/" not in response.text


def test_no_page_is_large(walker):
    walker.start().finish()
    assert max(len(response.content) for response in walker.seen) < 150_000


def test_the_script_gets_the_next_part_at_once(walker):
    walker.start()
    question = walker.post(walker.answers(), **PART)
    assert question["X-Lesart-Part"] == "1"
    assert f'data-address="{walker.confirm}"' in question.text
    assert "<html" not in question.text
    text = walker.post({"token": walker.assignment.token}, walker.confirm, **PART)
    assert "about herons." in text.text
    assert f'data-address="{walker.work}"' in text.text


def test_unknown_methods_are_refused(walker):
    walker.start()
    assert walker.client.delete(walker.work).status_code == 405


def test_a_signed_in_researcher_in_the_same_browser_costs_no_answer(walker, researcher):
    walker.client = Client(enforce_csrf_checks=True)
    page = walker.client.get(f"/join/{walker.annotator.token}/")
    token = page.context["csrf_token"]
    walker.client.post(f"/join/{walker.annotator.token}/", {"csrfmiddlewaretoken": str(token)})
    for phase in ("consent", "instructions"):
        token = walker.client.get(walker.work).context["csrf_token"]
        walker.client.post(walker.work, {"phase": phase, "csrfmiddlewaretoken": str(token)})
    walker.client.force_login(researcher)
    assert walker.guess()["Location"].startswith(walker.confirm)


def test_passing_a_phase_needs_the_csrf_token(walker):
    walker.join()
    strict = Client(enforce_csrf_checks=True)
    strict.cookies = walker.client.cookies
    refused = strict.post(walker.work, {"phase": "consent"})
    assert refused.status_code == 403
    assert refused["Cache-Control"] == "no-store"
    assert not walker.annotator.phases_passed.exists()
