"""Until it is handed in an answer is a draft: one per item, overwritten, counted, never more than was asked."""

import pytest

from studies.models import Draft, Response
from studies.services.places import find_place
from studies.services.stage_form import StageForm
from studies.stage_blocks import build_blocks
from tests.studies.world import Person, bank, make_live_study, person, post


@pytest.fixture
def someone(project) -> Person:
    bank(project, items=2)
    return person(make_live_study(project)).start()


def form(someone: Person) -> StageForm:
    place = find_place(someone.annotator)
    return StageForm(place.assignment, place.stage)


def test_a_draft_is_no_response(someone):
    assert someone.save(someone.answers()) == 2
    assert Draft.objects.count() == 2
    assert not Response.objects.exists()


def test_saving_the_same_again_changes_nothing(someone):
    someone.save(someone.answers())
    before = list(Draft.objects.values())
    assert someone.save(someone.answers()) == 0
    assert list(Draft.objects.values()) == before


def test_a_change_is_counted_and_overwrites(someone):
    handle, item, options = someone.shown[0]
    for tick in (0, 1, 2):
        someone.save(post(item=handle, **{f"answer-{handle}": options[tick][0]}))
    draft = Draft.objects.get()
    assert (draft.item_id, draft.n_changes) == (item, 2)
    assert draft.values == {"answer": [options[2][0]]}
    assert draft.first_answered_at < draft.last_changed_at


def test_one_item_can_be_saved_without_the_others(someone):
    someone.save(someone.answers())
    handle, _item, options = someone.shown[1]
    assert someone.save(post(item=handle, **{f"answer-{handle}": options[2][0]})) == 1
    assert sorted(draft.n_changes for draft in Draft.objects.all()) == [0, 1]


def test_an_item_that_is_named_and_has_no_value_is_emptied(someone):
    someone.save(someone.answers())
    handle, item, _options = someone.shown[0]
    assert someone.save(post(item=handle)) == 1
    assert Draft.objects.get(item=item).values == {}


def test_the_page_starts_where_the_drafts_left_it(someone):
    handle, _item, options = someone.shown[0]
    someone.save(post(item=handle, **{f"answer-{handle}": [options[0][0], options[1][0]]}))
    first, second = build_blocks(form(someone))
    assert [row.ticked for row in first.options] == [True, True, False]
    assert (first.answered, second.answered) == (True, False)
    assert [row.ticked for row in second.options] == [False] * 3


def test_the_order_in_which_options_were_ticked_is_no_change(someone):
    handle, _item, options = someone.shown[0]
    ticks = [options[0][0], options[1][0]]
    someone.save(post(item=handle, **{f"answer-{handle}": ticks}))
    assert someone.save(post(item=handle, **{f"answer-{handle}": ticks[::-1] + ticks})) == 0


GARBAGE = ["", "x", "h000000000000", "none; drop table", "\x00", "\ud800", "0" * 100_000, "<script>", "-1", "true"]


@pytest.mark.parametrize("value", GARBAGE)
def test_garbage_values_are_dropped(value, someone):
    handle, _item, _options = someone.shown[0]
    someone.save(
        post(item=handle, **{f"answer-{handle}": [value], f"unsure-{handle}": [value], f"rating-{handle}": value})
    )
    assert not Draft.objects.exists()
    assert not Response.objects.exists()


@pytest.mark.parametrize("value", GARBAGE)
def test_garbage_values_are_dropped_from_the_reading_stage_too(value, someone):
    someone.do()
    handle, _item, _options = someone.shown[0]
    someone.save(
        post(item=handle, **{f"answer-{handle}": [value], f"unsure-{handle}": [value], f"rating-{handle}": value})
    )
    assert not Draft.objects.filter(stage="read").exists()


@pytest.mark.parametrize("name", ["answer-", "answer-nothing", "nonsense", "answer-h000000000000", "item-1", "token"])
def test_unknown_fields_are_ignored(name, someone):
    assert someone.save(post(**{name: "none"})) == 0


@pytest.mark.parametrize("level", ["0", "6", "3.0", "-1", "five", " 3", "٣"])
def test_a_rating_off_the_scale_is_dropped(level, someone):
    someone.do()
    handle, _item, _options = someone.shown[0]
    someone.save(post(item=handle, **{f"rating-{handle}": level}))
    assert not Draft.objects.filter(stage="read").exists()


def test_an_option_of_another_item_is_dropped(someone):
    (one, _item, _options), (_other, _its_item, others) = someone.shown
    someone.save(post(item=one, **{f"answer-{one}": others[0][0]}))
    assert not Draft.objects.exists()


def test_an_item_of_the_stage_to_come_cannot_be_answered_yet(someone):
    here = someone.here
    guessed = {item for _handle, item, _options in here.shown["guess"]}
    handle, _item, options = next(row for row in here.shown["read"] if row[1] not in guessed)
    assert someone.save(post(item=handle, **{f"answer-{handle}": options[0][0]})) == 0
    assert not Draft.objects.exists()


def test_a_guess_has_neither_unsure_marks_nor_a_rating(someone):
    handle, item, options = someone.shown[0]
    someone.save(
        post(
            item=handle,
            **{f"answer-{handle}": options[0][0], f"unsure-{handle}": options[0][0], f"rating-{handle}": "5"},
        )
    )
    assert Draft.objects.get(item=item).values == {"answer": [options[0][0]]}


def test_handles_of_another_text_are_ignored(someone):
    later = someone.annotator.assignments.order_by("position")[1]
    handle, _item, options = later.shown["guess"][0]
    assert someone.save(post(item=handle, **{f"answer-{handle}": options[0][0]})) == 0
