"""A person who has read a text in any study of the project is not given its items to guess."""

from dataclasses import replace

import pytest

from items.models import Text
from items.services.editing import edit_text
from items.values import get_text_values
from projects.models import Project
from studies.models import Response
from studies.services.answering import StaleStage
from studies.services.people import add_annotators
from studies.services.places import find_place
from studies.services.progress import list_annotators
from tests.studies.world import Person, bank, make_live_study

pytestmark = pytest.mark.slow


@pytest.fixture
def studies(project):
    """Two studies over the same two texts, without annotators yet."""
    bank(project)
    return tuple(make_live_study(project, slug=slug, plan={"annotators": "open"}) for slug in ("first", "second"))


def add_person(study, person: str) -> Person:
    return Person(add_annotators(study, 1, people=[person])[0]).start()


def texts(someone: Person) -> set[str]:
    """The texts that are still in front of this annotator."""
    return set(someone.annotator.assignments.open().values_list("unit__text__external_id", flat=True))


def read_one(someone: Person) -> str:
    """Guess on the text at hand, so that it is shown; returns which it is."""
    someone.do()
    return someone.here.unit.text.external_id


def test_a_text_read_elsewhere_is_left_out_and_the_reason_kept(studies):
    known = read_one(add_person(studies[0], "anna"))
    second = add_person(studies[1], "anna")
    assert texts(second) == {"t1", "t2"} - {known}
    returned = second.annotator.assignments.get(returned_at__isnull=False)
    assert returned.return_reason == "This person has read the text in another study."
    assert find_place(second.annotator).counts[1] == 1


def test_the_plan_says_that_the_cell_was_left_to_others(studies):
    read_one(add_person(studies[0], "anna"))
    add_person(studies[1], "anna")
    annotator = list_annotators(studies[1])[0]
    assert (annotator.n_open, annotator.left_to_others) == (
        1,
        [("This person has read the text in another study.", 1)],
    )


def test_the_cell_goes_to_the_next_annotator_with_its_generator(studies):
    read_one(add_person(studies[0], "anna"))
    second = add_person(studies[1], "anna")
    returned = second.annotator.assignments.get(returned_at__isnull=False)
    third = add_person(studies[1], "ben")
    assert third.annotator.assignments.get(unit=returned.unit).slot == returned.slot


def test_a_text_that_was_only_guessed_about_is_no_text_read(studies):
    first = add_person(studies[0], "anna")
    first.save(first.answers())
    assert texts(add_person(studies[1], "anna")) == {"t1", "t2"}


def test_other_people_are_not_concerned(studies):
    read_one(add_person(studies[0], "anna"))
    assert texts(add_person(studies[1], "ben")) == {"t1", "t2"}


def test_annotators_without_a_code_are_nobody_in_particular(studies):
    read_one(add_person(studies[0], ""))
    assert texts(add_person(studies[1], "")) == {"t1", "t2"}


def test_the_same_code_in_another_project_is_somebody_else(studies, stranger):
    mountains = Project.objects.get(slug="mountains")
    bank(mountains)
    elsewhere = make_live_study(mountains, slug="elsewhere", plan={"annotators": "open"})
    read_one(add_person(elsewhere, "anna"))
    assert texts(add_person(studies[0], "anna")) == {"t1", "t2"}


def test_an_edited_text_is_the_same_text(project, studies):
    known = read_one(add_person(studies[0], "anna"))
    text = Text.objects.current().get(external_id=known)
    edit_text(text, replace(get_text_values(text), body="Other words."))
    third = make_live_study(project, slug="third", plan={"annotators": "open"})
    assert texts(add_person(third, "anna")) == {"t1", "t2"} - {known}


def test_a_text_read_between_opening_and_handing_in_is_left_out(studies):
    """Both are open at the same text; it is read in one and then guessed about in the other."""
    first, second = add_person(studies[0], "anna"), add_person(studies[1], "anna")
    both = second.here.unit.text.external_id
    page, token = second.answers(), second.here.token
    while first.here.unit.text.external_id != both:
        first.do()
    first.do()
    second.save(page, token)
    with pytest.raises(StaleStage, match="You have already read this text in another study, so it is skipped here"):
        second.hand_in(token)
    assert both not in texts(second)
    assert not Response.objects.filter(assignment__annotator=second.annotator).exists()


def test_what_was_guessed_before_is_still_read(studies):
    """The guess was final before the person read the text elsewhere: it stands."""
    second = add_person(studies[1], "anna")
    text = read_one(second)
    first = add_person(studies[0], "anna")
    assert text not in texts(first)
    assert second.here.unit.text.external_id == text
    second.do()
    assert second.annotator.assignments.filter(finished_at__isnull=False).count() == 1


def test_who_has_read_everything_is_through_at_once(studies):
    add_person(studies[0], "anna").finish()
    second = add_person(studies[1], "anna")
    place = find_place(second.annotator)
    assert (place.kind, place.counts[1]) == ("done", 0)


def test_what_is_known_when_people_are_added_is_planned_for_at_once(studies):
    """The second of them takes the cell that the first cannot have, before either has begun."""
    known = read_one(add_person(studies[0], "anna"))
    anna, ben = add_annotators(studies[1], 2, people=["anna", "ben"])
    left = anna.assignments.get(returned_at__isnull=False)
    assert left.unit.text.external_id == known
    assert ben.assignments.get(unit=left.unit).slot == left.slot
