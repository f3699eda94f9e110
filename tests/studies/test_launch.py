"""Launching draws and freezes everything: who does what, whose items are guessed, and in which order."""

from collections import Counter
from itertools import combinations

import pytest

from studies.models import Purpose, Slot, StudyState
from studies.presentation_order import read_shown_items
from studies.services.launching import launch_study
from studies.services.spec import SpecError
from studies.services.states import WrongState
from tests.studies.world import bank, draft_study, make_live_study


@pytest.fixture
def study_of_published_size(project):
    """The published size: six annotators, ten texts, three generators."""
    bank(project, texts=10, generators=("alder", "birch", "cedar"))
    return make_live_study(project, plan={"annotators": 6, "seed": 20240567})


def guesses(study) -> dict[tuple[int, int], int]:
    """By unit and seat, the generator guessed."""
    return {(slot.unit_id, slot.seat): slot.generator_id for slot in Slot.objects.filter(unit__study=study)}


def test_six_annotators_guess_as_in_the_published_plan(study_of_published_size):
    plan = guesses(study_of_published_size)
    per_item = Counter((unit, generator) for (unit, _seat), generator in plan.items())
    assert set(per_item.values()) == {2}
    per_annotator = Counter((seat, generator) for (_unit, seat), generator in plan.items())
    assert set(per_annotator.values()) == {3, 4}
    units = {unit for unit, _seat in plan}
    for one, other in combinations(range(6), 2):
        assert sum(plan[unit, one] == plan[unit, other] for unit in units) == 2


def test_the_guess_stage_shows_the_items_of_the_slot_s_generator_only(study_of_published_size):
    for annotator in study_of_published_size.annotators.all():
        for assignment in annotator.assignments.select_related("slot"):
            items = {item.item_id for item in read_shown_items(assignment.shown, "guess")}
            of_slot = assignment.unit.items.filter(generator=assignment.slot.generator)
            assert items == set(of_slot.values_list("pk", flat=True))


def test_the_reading_stage_shows_the_items_of_all_generators(study_of_published_size):
    assignment = study_of_published_size.annotators.first().assignments.first()
    items = {item.item_id for item in read_shown_items(assignment.shown, "read")}
    assert items == set(assignment.unit.items.values_list("pk", flat=True))


def test_orders_differ_between_annotators(study_of_published_size):
    orders = {
        annotator.pk: tuple(annotator.assignments.order_by("position").values_list("unit", flat=True))
        for annotator in study_of_published_size.annotators.all()
    }
    assert len(set(orders.values())) == 6


def test_orders_of_items_and_options_differ_within_an_annotator(study_of_published_size):
    shown = [read_shown_items(a.shown, "read") for a in study_of_published_size.annotators.first().assignments.all()]
    option_places = {
        tuple(o.option_id - min(p.option_id for p in i.options) for o in i.options) for s in shown for i in s
    }
    assert len(option_places) > 1
    item_places = {tuple(i.item_id - min(j.item_id for j in s) for i in s) for s in shown}
    assert len(item_places) > 1


def test_the_order_of_options_is_the_same_in_both_stages(study_of_published_size):
    for annotator in study_of_published_size.annotators.all():
        for assignment in annotator.assignments.all():
            read = {item.item_id: item for item in read_shown_items(assignment.shown, "read")}
            assert all(read[item.item_id] == item for item in read_shown_items(assignment.shown, "guess"))


def test_handles_are_random_and_say_nothing_of_what_they_stand_for(project):
    bank(project)
    one, other = make_live_study(project, slug="one"), make_live_study(project, slug="other")
    handles = [
        handle
        for study in (one, other)
        for annotator in study.annotators.all()
        for assignment in annotator.assignments.all()
        for item in read_shown_items(assignment.shown, "read")
        for handle in (item.handle, *(option.handle for option in item.options))
    ]
    assert len(set(handles)) == len(handles)
    assert all(len(handle) == 13 and handle.startswith("h") for handle in handles)


def test_the_same_seed_draws_the_same_orders(project):
    bank(project, texts=4)

    def orders(study):
        return [
            (a.unit.text_id, [[i.item_id, [o.option_id for o in i.options]] for i in read_shown_items(a.shown, "read")])
            for annotator in study.annotators.all()
            for a in annotator.assignments.select_related("unit")
        ]

    assert orders(make_live_study(project, slug="one")) == orders(make_live_study(project, slug="other"))


def test_another_seed_draws_other_orders(project):
    bank(project, texts=6)
    one, other = make_live_study(project, slug="one"), make_live_study(project, slug="other", plan={"seed": 8})

    def texts(study):
        return [a.unit.text_id for annotator in study.annotators.all() for a in annotator.assignments.all()]

    assert texts(one) != texts(other)


def test_per_unit_gives_each_text_to_that_many(project):
    bank(project, texts=6)
    study = make_live_study(project, plan={"annotators": 4, "per_unit": 2})
    assert set(Counter(slot.unit_id for slot in Slot.objects.all()).values()) == {2}
    assert {annotator.assignments.count() for annotator in study.annotators.all()} == {3}


def test_shared_and_own_texts(project):
    bank(project, texts=5)
    study = make_live_study(project, plan={"annotators": 2, "shared_texts": 1, "own_texts": 2})
    assert sorted(Counter(slot.unit_id for slot in Slot.objects.all()).values()) == [1, 1, 1, 1, 2]
    assert {annotator.assignments.count() for annotator in study.annotators.all()} == {3}


@pytest.mark.slow
def test_annotators_get_the_groups_in_turn(project):
    bank(project)
    study = make_live_study(project, plan={"annotators": 5}, groups=["students", "teachers"])
    assert [a.group for a in study.annotators.all()] == ["students", "teachers", "students", "teachers", "students"]


def test_an_open_study_has_no_annotators_yet(project):
    bank(project)
    study = make_live_study(project, plan={"annotators": "open"})
    assert (study.state, study.annotators.count(), Slot.objects.count()) == (StudyState.LIVE, 0, 0)


def test_links_are_long_random_and_each_its_own(study_of_published_size):
    tokens = set(study_of_published_size.annotators.values_list("token", flat=True))
    assert len(tokens) == 6
    assert min(map(len, tokens)) >= 22  # 128 bits in base64


def test_a_launched_study_is_not_launched_again(project):
    bank(project)
    study = make_live_study(project)
    with pytest.raises(WrongState, match="is live, so"):
        launch_study(study)
    assert study.annotators.count() == 2


def test_a_draft_whose_texts_have_gone_is_not_launched(project):
    bank(project)
    study = draft_study(project, items={"texts": ["t1"]})
    project.texts.filter(external_id="t1").update(external_id="renamed")
    with pytest.raises(SpecError, match="has no text “t1”"):
        launch_study(study)
    study.refresh_from_db()
    assert study.is_draft
    assert not study.units.exists()


def test_a_bank_that_changes_during_a_launch_is_launched_as_it_is_at_the_end(project, monkeypatch):
    from studies.services import launching

    bank(project)
    study, go_live, changes = draft_study(project), launching.go_live, ["t2-cedar-1"]

    def after_a_change(*given):
        if changes:
            add_item(project, changes.pop())
        return go_live(*given)

    monkeypatch.setattr(launching, "go_live", after_a_change)
    study, chosen = launch_study(study)
    assert chosen.n_items == 5
    assert study.units.filter(items__external_id="t2-cedar-1").exists()
    assert study.units.count() == 2


def add_item(project, external_id):
    from items.services.bank import lock_bank
    from tests.factory import make_item

    with lock_bank(project):
        make_item(project.texts.get(external_id="t2"), "cedar", external_id)


def test_closing_and_opening_again(project):
    from studies.services.launching import close_study, pause_study, reopen_study, resume_study

    bank(project)
    study = make_live_study(project)
    assert pause_study(study).state == StudyState.PAUSED
    assert resume_study(study).state == StudyState.LIVE
    closed = close_study(study)
    assert (closed.state, closed.closed_at is not None) == (StudyState.CLOSED, True)
    opened = reopen_study(study)
    assert (opened.state, opened.closed_at) == (StudyState.LIVE, None)


@pytest.mark.parametrize("action", ["pause_study", "resume_study", "close_study", "reopen_study"])
def test_a_draft_can_be_neither_paused_nor_closed(action, project):
    from studies.services import launching

    bank(project)
    with pytest.raises(WrongState, match="still a draft"):
        getattr(launching, action)(draft_study(project))


def test_a_launched_study_is_not_deleted(project):
    from studies.services.launching import delete_draft

    bank(project)
    study = make_live_study(project)
    with pytest.raises(WrongState):
        delete_draft(study)
    assert study.annotators.filter(purpose=Purpose.MAIN).count() == 2
