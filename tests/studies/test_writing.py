"""People write items about texts: fields by number, answers about no item, and one way into the bank."""

import pytest

from items.models import Generator, GeneratorKind, Item
from items.services.editing import EditRefused
from items.values import ItemValues, OptionValues
from studies.models import Response, Review
from studies.protocols import PROTOCOLS, InvalidParameter
from studies.services.answering import Incomplete
from studies.services.places import find_place
from studies.services.responses.importing import import_responses
from studies.services.spec import SpecError
from studies.services.stage_form import StageForm
from studies.services.written_items import count_waiting, list_written_items, reject_written_item, take_written_item
from studies.stage_blocks import build_blocks
from tests.factory import make_text
from tests.studies.world import draft_study, make_live_study, person, post

OPEN = {"items_per_text": 2, "at_least": 1}
CHOICE = {"items_per_text": 1, "form": "multiple_choice", "options_per_item": 3}


def writing(project, texts: int = 1, **changes):
    for number in range(1, texts + 1):
        make_text(project, f"t{number}")
    return make_live_study(project, protocol="writing", **({"params": OPEN, "groups": ["teachers"]} | changes))


def fields(someone, **answers):
    handle = someone.shown[0][0]
    return post(item=handle, **{f"{name}-{handle}": value for name, value in answers.items()})


def write(someone, **answers):
    someone.save(fields(someone, **answers))
    someone.hand_in()


def names(**params) -> list[str]:
    protocol = PROTOCOLS["writing"]
    return [each.name for each in protocol.declare(protocol.fill(params), {}).stages[0].questions]


def test_each_item_has_fields_of_its_own_and_more_are_asked_for():
    assert names(items_per_text=2) == ["stem_1", "answer_1", "stem_2", "answer_2"]
    assert names(items_per_text=3, at_least=2) == [
        "stem_1", "answer_1", "stem_2", "answer_2", "more_2", "stem_3", "answer_3",
    ]  # fmt: skip
    assert names(items_per_text=1, form="multiple_choice", options_per_item=4, keys_per_item=2) == [
        "stem_1", "key_1_1", "key_2_1", "distractor_1_1", "distractor_2_1",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("params", "named"),
    [
        ({"items_per_text": 2, "at_least": 3}, "at_least"),
        ({"form": "multiple_choice", "options_per_item": 3, "keys_per_item": 3}, "keys_per_item"),
    ],
)
def test_numbers_that_cannot_go_together_are_refused(params, named):
    with pytest.raises(InvalidParameter, match=named):
        names(**params)


def test_a_text_without_items_is_a_unit_and_its_answers_are_about_no_item(project):
    someone = person(writing(project)).start()
    write(someone, stem_1="Why do herons stand?", answer_1="To rest.", more_1="no")
    assert {(row.item, row.question, row.value) for row in Response.objects.all()} == {
        (None, "stem_1", "Why do herons stand?"),
        (None, "answer_1", "To rest."),
        (None, "more_1", "no"),
    }
    assert someone.here is None


def test_one_more_is_wanted_only_of_who_wants_to(project):
    someone = person(writing(project)).start()
    someone.save(fields(someone, stem_1="Why?", answer_1="So.", more_1="yes", stem_2="When?"))
    with pytest.raises(Incomplete) as missing:
        someone.hand_in()
    assert build_blocks(missing.value.form)[0].errors == ["Not answered yet: answer to question 2."]
    write(someone, stem_1="Why?", answer_1="So.", more_1="no", stem_2="When?", answer_2="At dawn.")
    assert set(Response.objects.values_list("question", flat=True)) == {"stem_1", "answer_1", "more_1"}


def test_what_was_written_stands_in_the_form_again(project):
    someone = person(writing(project)).start()
    someone.save(fields(someone, stem_1="Why do herons", more_1=""))
    place = find_place(someone.annotator)
    (block,) = build_blocks(StageForm(place.assignment, place.stage))
    assert [row.value for row in block.parts[0].rows] == ["Why do herons", "", ""]
    assert [part.title for part in block.parts] == ["Question 1", "Question 2"]
    assert [part.is_open for part in block.parts] == [True, False]


def test_the_group_is_the_generator_and_the_item_says_who_wrote_it_and_when(project, researcher):
    study = writing(project, params=CHOICE | {"target_class": "year 7"})
    someone = person(study).start()
    wrong = {"distractor_1_1": "At sea.", "distractor_2_1": "Here."}
    write(someone, stem_1="Where do  herons\nsleep?", key_1_1="In reeds.", **wrong)
    (written,) = list_written_items(study)
    item = take_written_item(study, written.response_id, researcher)
    assert (item.stem, item.generator.name, item.generator.kind) == (
        "Where do herons sleep?",
        "teachers",
        GeneratorKind.HUMAN,
    )
    assert {(option.text, option.correct) for option in item.options.all()} == {
        ("In reeds.", True),
        ("At sea.", False),
        ("Here.", False),
    }
    assert item.metadata["written_in"] == "study"
    assert item.metadata["written_by"] == someone.annotator.code
    assert item.metadata["written_at"] == written.written_at.isoformat()
    assert item.metadata["minutes_for_the_text"] == round(written.minutes, 2)
    assert item.metadata["target_class"] == "year 7"
    review = Review.objects.get()
    assert (review.verdict, review.item, review.reviewed_by) == ("accepted", item, researcher)


def one_open(project, **changes):
    study = writing(project, **changes)
    write(person(study).start(), stem_1="Why do herons stand?", answer_1="To rest.", more_1="no")
    return study, list_written_items(study)[0]


def test_taken_twice_it_is_one_item(project, researcher):
    study, written = one_open(project)
    assert take_written_item(study, written.response_id, researcher) == take_written_item(
        study, written.response_id, researcher
    )
    assert Item.objects.count() == 1
    assert count_waiting(study) == 0


def test_a_repaired_item_is_marked_and_what_was_written_stays(project, researcher):
    study, written = one_open(project)
    better = ItemValues("Why do herons stand still?", "somebody else", expected_answer="To rest.")
    item = take_written_item(study, written.response_id, researcher, better)
    assert (item.stem, item.generator.name) == ("Why do herons stand still?", "teachers")
    assert item.metadata["repaired"] is True
    assert list_written_items(study)[0].values.stem == "Why do herons stand?"
    assert list_written_items(study)[0].verdict == "repaired"


def test_a_rejected_item_stays_out_and_may_be_taken_later(project, researcher):
    study, written = one_open(project)
    reject_written_item(study, written.response_id, researcher, "About another text.")
    assert not Item.objects.exists()
    assert count_waiting(study) == 0
    assert Review.objects.get().reason == "About another text."
    take_written_item(study, written.response_id, researcher)
    assert Review.objects.get().verdict == "accepted"
    with pytest.raises(EditRefused):
        reject_written_item(study, written.response_id, researcher)


@pytest.mark.parametrize(
    "values",
    [
        ItemValues(" ", "x"),
        ItemValues("Why?", "x", (OptionValues("", "So.", True),)),
        ItemValues("Why?", "x", (OptionValues("", "So.", True), OptionValues("", " so. ", False))),
        ItemValues("Why?", "x", (OptionValues("", "So.", False), OptionValues("", "No.", False))),
    ],
)
def test_a_broken_item_does_not_enter_the_bank(project, researcher, values):
    study, written = one_open(project)
    with pytest.raises(EditRefused):
        take_written_item(study, written.response_id, researcher, values)
    assert not Item.objects.exists()
    assert not Review.objects.exists()


def test_people_do_not_write_under_the_name_of_a_model(project, researcher):
    Generator.objects.create(project=project, name="teachers", kind=GeneratorKind.MODEL)
    study, written = one_open(project)
    with pytest.raises(EditRefused, match="not a group of people"):
        take_written_item(study, written.response_id, researcher)


def test_what_was_written_elsewhere_is_no_answer_of_a_study(project):
    make_text(project, "t1")
    with pytest.raises(SpecError, match="as items, not as answers"):
        import_responses(
            draft_study(project, protocol="writing"), b"annotator,stage,item_id,question,value\na,write,,stem_1,b\n"
        )


def test_an_item_of_another_study_cannot_be_taken(project, researcher):
    _study, written = one_open(project)
    other = make_live_study(project, protocol="writing", slug="other", params=OPEN)
    with pytest.raises(EditRefused, match="not in the study"):
        take_written_item(other, written.response_id, researcher)


@pytest.mark.parametrize("language", ["en", "de", "eu"])
@pytest.mark.parametrize("form", ["open", "multiple_choice"])
def test_each_field_has_words_in_every_language(project, language, form):
    make_text(project, "t1", language=language)
    params = {"form": form, "items_per_text": 2, "at_least": 1, "target_class": "B1"}
    someone = person(make_live_study(project, protocol="writing", language=language, params=params)).start()
    place = find_place(someone.annotator)
    (block,) = build_blocks(StageForm(place.assignment, place.stage))
    assert all(row.text and row.title and "{" not in row.text + row.title for row in block.rows)
    assert "B1" in str(StageForm(place.assignment, place.stage).words["lead"])
