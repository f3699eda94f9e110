"""A stage is handed in once, whole, by whom it belongs to; what came too late or from elsewhere changes nothing."""

import pytest
from django.db import IntegrityError, transaction

from studies.models import Draft, Response, Submission
from studies.services.answering import Incomplete, StaleStage
from studies.stage_blocks import build_blocks
from tests.studies.world import Person, make_study_with_bank, person, post


@pytest.fixture
def study(project):
    return make_study_with_bank(project, items=2)


@pytest.fixture
def someone(study) -> Person:
    return person(study).start()


def read_answers() -> list:
    return list(Response.objects.values_list("stage", "question", "item", "option", "value", "unsure"))


def test_everything_entered_becomes_responses(someone):
    shown, page = someone.shown, someone.answers(tick=1)
    someone.save(page)
    someone.hand_in()
    assert len(read_answers()) == 2 * 3
    for _handle, item, options in shown:
        ticked = {row[3] for row in read_answers() if row[2] == item and row[4] is True}
        assert ticked == {options[1][1]}
    assert {row[:2] for row in read_answers()} == {("guess", "answer")}
    assert {row[5] for row in read_answers()} == {None}


def test_none_is_correct_makes_every_option_false(someone):
    someone.do(tick=None)
    assert [row[4] for row in read_answers()] == [False] * 6


def test_several_options_may_be_ticked(someone):
    handle, item, options = someone.shown[0]
    page = someone.answers(**{f"answer-{handle}": [options[0][0], options[2][0]]})
    someone.save(page)
    someone.hand_in()
    values = dict(Response.objects.filter(item=item).values_list("option", "value"))
    assert values == {options[0][1]: True, options[1][1]: False, options[2][1]: True}


def test_unsure_and_rating_are_stored_with_the_reading_stage(someone):
    someone.do()
    handle, item, options = someone.shown[0]
    someone.save(someone.answers(rating=2, **{f"unsure-{handle}": [options[2][0]]}))
    someone.hand_in()
    read = Response.objects.filter(stage="read", item=item)
    assert dict(read.filter(question="answer").values_list("option", "unsure")) == {
        option: option == options[2][1] for _handle, option in options
    }
    assert list(read.filter(question="rating").values_list("value", "option", "unsure")) == [(2, None, None)]


def test_times_and_changes_come_from_the_draft(someone):
    someone.save(someone.answers(tick=0))
    someone.save(someone.answers(tick=1))
    someone.hand_in()
    response = Response.objects.first()
    assert response.n_changes == 1
    assert response.first_answered_at < response.last_changed_at <= response.submitted_at


def test_the_wording_in_use_is_stored_with_each_response(study, someone):
    someone.do()
    assert set(Response.objects.values_list("instrument_version", flat=True)) == {study.instrument_version_id}


def test_handing_in_again_stores_nothing_and_says_so(someone):
    token = someone.here.token
    someone.do()
    before = read_answers()
    with pytest.raises(StaleStage, match="already handed in"):
        someone.hand_in(token)
    assert read_answers() == before
    assert someone.here.stage == "read"


def test_a_late_page_changes_no_guess_after_the_reveal(someone):
    token, page = someone.here.token, someone.answers(tick=2)
    someone.do(tick=0)
    before = read_answers()
    with pytest.raises(StaleStage):
        someone.save(page, token)
    assert read_answers() == before
    assert {tuple(draft.values["answer"]) for draft in Draft.objects.all()}.isdisjoint(
        {tuple(page.getlist(name)) for name in page if name.startswith("answer-")}
    )


def test_the_guess_page_sent_with_the_new_token_answers_the_reading_stage_only(someone):
    guess = someone.answers(tick=2)
    someone.do(tick=0)
    before = read_answers()
    someone.save(guess)
    assert read_answers() == before
    assert not Draft.objects.filter(stage="guess", n_changes__gt=0).exists()


@pytest.mark.parametrize("token", ["", "nonsense", "x" * 5000])
def test_a_token_that_never_was_stores_nothing(token, someone):
    from studies.services import answering

    with pytest.raises(StaleStage):
        answering.save_drafts(someone.annotator, token, someone.answers())
    with pytest.raises(StaleStage):
        answering.submit_stage(someone.annotator, token)
    assert not Draft.objects.exists()


def test_the_token_of_another_annotator_stores_nothing_for_either(study, someone):
    other = person(study, 1).start()
    with pytest.raises(StaleStage):
        someone.save(other.answers(), token=other.here.token)
    with pytest.raises(StaleStage):
        someone.hand_in(token=other.here.token)
    assert not Draft.objects.exists()
    assert not Response.objects.exists()


def test_the_token_of_a_text_that_is_not_yet_at_hand_opens_nothing(someone):
    later = someone.annotator.assignments.order_by("position")[1]
    with pytest.raises(StaleStage):
        someone.hand_in(token=later.token)
    assert someone.here.stage == "guess"


def test_what_is_incomplete_is_refused_and_its_drafts_are_kept(someone):
    handle, _item, _options = someone.shown[0]
    page = someone.answers()
    del page[f"answer-{handle}"]
    someone.save(page)
    with pytest.raises(Incomplete) as refused:
        someone.hand_in()
    wrong = [block for block in build_blocks(refused.value.form) if block.errors]
    assert [block.handle for block in wrong] == [handle]
    assert wrong[0].errors == ["Select an option, or choose “None is correct”."]
    assert Draft.objects.count() == 1
    assert not Response.objects.exists()
    assert not Submission.objects.exists()


def test_nothing_entered_is_incomplete(someone):
    with pytest.raises(Incomplete):
        someone.hand_in()


def test_a_missing_rating_is_asked_for(someone):
    someone.do()
    page = someone.answers()
    for name in [name for name in page if name.startswith("rating-")]:
        del page[name]
    someone.save(page)
    with pytest.raises(Incomplete) as refused:
        someone.hand_in()
    assert {tuple(block.errors) for block in build_blocks(refused.value.form)} == {("Please rate the question.",)}


def test_none_together_with_an_option_is_refused_and_kept_as_it_was(someone):
    handle, _item, options = someone.shown[0]
    someone.save(someone.answers(**{f"answer-{handle}": [options[0][0], "none"]}))
    with pytest.raises(Incomplete) as refused:
        someone.hand_in()
    assert "You selected both an option and “None is correct”" in build_blocks(refused.value.form)[0].errors[0]
    assert sorted(Draft.objects.get(item=someone.shown[0][1]).values["answer"]) == sorted([options[0][0], "none"])


def test_the_page_can_be_brought_along(someone):
    from studies.services import answering

    answering.submit_stage(someone.annotator, someone.here.token, someone.answers())
    assert len(read_answers()) == 6


def test_a_stage_can_be_submitted_once_only(someone):
    assignment = someone.here
    someone.do()
    with pytest.raises(IntegrityError), transaction.atomic():
        Submission.objects.create(assignment=assignment, stage="guess")


@pytest.mark.parametrize("per", ["item", "option"])
def test_a_question_can_be_answered_once_only(per, someone):
    someone.do()
    someone.do()
    known = Response.objects.filter(option__isnull=per == "item").first()
    known.pk = None
    with pytest.raises(IntegrityError), transaction.atomic():
        known.save(force_insert=True)


def test_a_probability_is_a_share(someone):
    someone.do()
    with pytest.raises(IntegrityError), transaction.atomic():
        Response.objects.update(probability=1.5)


def test_two_annotators_do_not_touch_each_other(study, someone):
    other = person(study, 1).start()
    someone.save(someone.answers(tick=0))
    other.save(other.answers(tick=1))
    someone.hand_in()
    assert set(Response.objects.values_list("assignment__annotator", flat=True)) == {someone.annotator.pk}
    other.hand_in()
    assert Response.objects.count() == 12


def test_an_answer_without_data_is_no_answer(someone):
    someone.save(someone.answers())
    someone.save(post(token="whatever"))
    assert Draft.objects.count() == 2
    assert not Draft.objects.filter(n_changes__gt=0).exists()
