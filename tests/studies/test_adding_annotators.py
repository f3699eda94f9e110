"""People who join a running study: balanced cells, cells that others gave back, and nobody twice."""

from collections import Counter

import pytest
from django.utils import timezone

from studies.models import Assignment, Slot
from studies.services.launching import close_study
from studies.services.people import add_annotators, renew_link, revoke_link
from studies.services.places import give_back
from studies.services.recruiting import NoPlace, admit_visitor
from studies.services.spec import SpecError
from studies.services.states import WrongState
from tests.studies.world import Person, bank, draft_study, make_live_study, person

THREE = ("alder", "birch", "cedar")


def count_guessed_per_text(study) -> set[tuple[int, ...]]:
    """For each text, how often each of its generators is guessed, sorted."""
    counts = Counter((slot.unit_id, slot.generator_id) for slot in Slot.objects.filter(unit__study=study))
    return {tuple(sorted(n for (unit, _generator), n in counts.items() if unit == one)) for one, _g in counts}


def test_they_get_cells_that_keep_the_plan_balanced(project):
    bank(project, texts=4, generators=THREE)
    study = make_live_study(project, plan={"annotators": 3})
    assert count_guessed_per_text(study) == {(1, 1, 1)}
    add_annotators(study, 1)
    assert count_guessed_per_text(study) == {(1, 1, 2)}
    add_annotators(study, 2)
    assert count_guessed_per_text(study) == {(2, 2, 2)}


def test_an_open_study_is_filled_one_by_one(project):
    bank(project, texts=3, generators=THREE)
    study = make_live_study(project, plan={"annotators": "open"})
    for _number in range(3):
        add_annotators(study, 1)
    assert count_guessed_per_text(study) == {(1, 1, 1)}
    assert [annotator.code for annotator in study.annotators.all()] == ["P01", "P02", "P03"]


def test_a_cell_given_back_goes_to_the_next_with_its_generator_and_a_new_order(project):
    bank(project, texts=1, generators=THREE, items=4)
    study = make_live_study(project, plan={"annotators": 1})
    old = study.annotators.get().assignments.get()
    give_back([old.pk], "left")
    new = add_annotators(study, 1)[0].assignments.get()
    assert new.slot == old.slot
    assert order_of(new) != order_of(old)
    assert {item for item, _options in order_of(new)} == {item for item, _options in order_of(old)}
    assert Slot.objects.count() == 1


def order_of(assignment: Assignment) -> list:
    return [(item, [option for _handle, option in options]) for _handle, item, options in assignment.shown["guess"]]


def test_a_cell_is_given_to_one_only(project):
    bank(project, texts=1)
    study = make_live_study(project, plan={"annotators": 1, "per_unit": 1})
    give_back([study.annotators.get().assignments.get().pk], "left")
    add_annotators(study, 1)
    with pytest.raises(SpecError, match="text already has its number of annotators"):
        add_annotators(study, 1)


@pytest.mark.parametrize("at_once", [1, 20], ids=["planned together", "one by one"])
def test_whoever_is_added_beside_an_open_link_takes_no_place_of_it(project, monkeypatch, at_once):
    monkeypatch.setattr("studies.services.people.MAX_SEARCHED", at_once)
    bank(project)
    study = make_live_study(project, plan={"annotators": 3}, recruitment={"open_link": True})
    admit_visitor(study, start="one")
    assert [annotator.code for annotator in add_annotators(study, 3)] == ["P04", "P05", "P06"]
    for name in ("two", "three"):
        admit_visitor(study, start=name)
    with pytest.raises(NoPlace):
        admit_visitor(study, start="four")
    held = Counter(Assignment.objects.active().values_list("slot", flat=True))
    assert set(held.values()) == {1}
    assert len(held) == 2 * 6


def test_a_quota_is_not_exceeded(project):
    bank(project, texts=4)
    study = make_live_study(project, plan={"annotators": 4, "per_unit": 2})
    with pytest.raises(SpecError, match="Add fewer"):
        add_annotators(study, 1)
    assert study.annotators.count() == 4


def test_what_somebody_without_a_link_has_not_begun_goes_to_the_next(project):
    bank(project, texts=4)
    study = make_live_study(project, plan={"annotators": 2, "per_unit": 1})
    gone = person(study).start()
    gone.do()  # one guess handed in: that text stays theirs
    revoke_link(gone.annotator)
    new = add_annotators(study, 1)[0]
    assert new.assignments.count() == 1
    assert gone.annotator.assignments.active().count() == 1
    assert "revoked" in gone.annotator.assignments.get(returned_at__isnull=False).return_reason


def test_a_renewed_link_goes_on_with_what_is_left(project):
    bank(project, texts=2)
    study = make_live_study(project, plan={"annotators": 1})
    someone = person(study)
    revoke_link(someone.annotator)
    renew_link(someone.annotator)
    someone.annotator.refresh_from_db()
    assert someone.annotator.revoked_at is None
    someone.start().finish()
    assert someone.annotator.assignments.filter(finished_at__isnull=False).count() == 2


def test_own_texts_stay_with_those_they_were_drawn_for(project):
    bank(project, texts=5)
    study = make_live_study(project, plan={"annotators": 2, "shared_texts": 1, "own_texts": 2})
    new = add_annotators(study, 1)[0]
    shared = study.units.get(position=0)
    assert list(new.assignments.values_list("unit", flat=True)) == [shared.pk]


def test_people_carry_their_codes_and_group(project):
    bank(project)
    study = make_live_study(project, groups=["students", "teachers"])
    new = add_annotators(study, 3, group="teachers", people=["anna", "ben"])
    assert [(a.person, a.group) for a in new] == [("anna", "teachers"), ("ben", "teachers"), ("", "teachers")]


@pytest.mark.parametrize("people", [["anna", "anna"], ["ben"]])
def test_nobody_takes_part_twice(people, project):
    bank(project)
    study = make_live_study(project)
    add_annotators(study, 1, people=["ben"])
    with pytest.raises(SpecError, match="can take part once"):
        add_annotators(study, len(people), people=people)
    assert study.annotators.count() == 3


def test_a_draft_and_a_closed_study_take_nobody(project):
    bank(project)
    with pytest.raises(WrongState, match="still a draft"):
        add_annotators(draft_study(project, slug="draft"), 1)
    study = make_live_study(project)
    close_study(study)
    with pytest.raises(WrongState, match="is closed"):
        add_annotators(study, 1)


def test_a_paused_study_takes_people_who_wait(project):
    from studies.services.launching import pause_study

    bank(project)
    study = make_live_study(project)
    pause_study(study)
    assert add_annotators(study, 1)[0].assignments.count() == 2


def test_more_than_can_be_planned_at_once_is_refused(project, monkeypatch):
    from studies.services import planning

    monkeypatch.setattr(planning, "MAX_CELLS", 5)
    bank(project)
    study = make_live_study(project)
    with pytest.raises(SpecError, match="the limit is 5"):
        add_annotators(study, 3)


def test_a_renewed_link_is_another_one(project):
    bank(project)
    annotator = make_live_study(project).annotators.first()
    old = annotator.token
    renew_link(annotator)
    annotator.refresh_from_db()
    assert annotator.token != old


def test_revoking_twice_keeps_the_first_time(project):
    bank(project)
    annotator = make_live_study(project).annotators.first()
    revoke_link(annotator)
    annotator.refresh_from_db()
    first = annotator.revoked_at
    assert first <= timezone.now()
    revoke_link(annotator)
    annotator.refresh_from_db()
    assert annotator.revoked_at == first


def test_seats_go_on_where_they_ended(project):
    bank(project)
    study = make_live_study(project, plan={"annotators": 2})
    add_annotators(study, 2)
    assert [annotator.seat for annotator in study.annotators.all()] == [0, 1, 2, 3]
    assert Person(study.annotators.last()).start().finish().here is None
