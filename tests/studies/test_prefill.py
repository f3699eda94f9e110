"""With prefill the reading stage starts from the guesses; the guesses themselves stay what they were."""

import pytest

from studies.models import Response
from studies.services.answering import Incomplete
from studies.services.places import find_place
from studies.services.stage_form import StageForm
from studies.stage_blocks import build_blocks
from tests.studies.world import Person, bank, make_live_study, person, post


@pytest.fixture
def someone(project) -> Person:
    bank(project)
    someone = person(make_live_study(project, params={"prefill": True})).start()
    someone.do(tick=1)
    return someone


def blocks(someone: Person) -> dict[int, list[bool]]:
    """By item, what is ticked on the page."""
    place = find_place(someone.annotator)
    form = StageForm(place.assignment, place.stage)
    return {
        shown.item_id: [row.ticked for row in block.options]
        for shown, block in zip(form.shown, build_blocks(form), strict=True)
    }


def count_guessed_items(someone: Person) -> int:
    return Response.objects.filter(stage="guess").values_list("item", flat=True).distinct().get()


def handle_of(someone: Person, item: int) -> tuple[str, list]:
    return next((handle, options) for handle, shown, options in someone.shown if shown == item)


def test_the_reading_page_starts_from_the_guesses(someone):
    ticked = blocks(someone)
    assert ticked.pop(count_guessed_items(someone)) == [False, True, False]
    assert all(row == [False] * 3 for row in ticked.values())


def test_without_prefill_it_starts_blank(project):
    bank(project)
    someone = person(make_live_study(project)).start()
    someone.do(tick=1)
    assert all(row == [False] * 3 for row in blocks(someone).values())


def test_a_changed_answer_leaves_the_guess_as_it_was(someone):
    item = count_guessed_items(someone)
    before = list(Response.objects.filter(stage="guess").values())
    someone.do(tick=0)
    assert list(Response.objects.filter(stage="guess").values()) == before
    handle_values = Response.objects.filter(stage="read", item=item, question="answer")
    assert sum(handle_values.values_list("value", flat=True)) == 1
    assert handle_values.get(value=True).option_id != Response.objects.get(stage="guess", value=True).option_id


def test_an_answer_that_was_taken_away_does_not_come_back(someone):
    item = count_guessed_items(someone)
    handle, _options = handle_of(someone, item)
    someone.save(post(item=handle))
    assert blocks(someone)[item] == [False] * 3
    page = someone.answers()
    del page[f"answer-{handle}"]
    someone.save(page)
    with pytest.raises(Incomplete):
        someone.hand_in()


def test_a_prefilled_answer_that_is_kept_counts_as_an_answer(someone):
    item = count_guessed_items(someone)
    handle, options = handle_of(someone, item)
    page = someone.answers(tick=0)
    page[f"answer-{handle}"] = options[1][0]
    someone.save(page)
    someone.hand_in()
    read = Response.objects.filter(stage="read", item=item, question="answer", value=True)
    assert read.get().option_id == options[1][1]


def test_rating_and_unsure_are_not_filled_in(someone):
    place = find_place(someone.annotator)
    for block in build_blocks(StageForm(place.assignment, place.stage)):
        assert [row.value for row in block.rows] == [""]
        assert not any(row.unsure for row in block.options)
