"""Many requests at once, each on its own connection: nothing is stored twice, and nobody gets an error."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from django.db import connection

from projects.models import Project
from studies.models import Annotator, Assignment, Draft, PhasePassed, Response, Slot, Submission
from studies.services import answering, places
from studies.services.answering import StaleStage
from studies.services.launching import launch_study
from studies.services.people import add_annotators
from studies.services.states import WrongState
from tests.patience import PATIENCE
from tests.studies.world import Person, bank, draft_study, make_live_study, person

pytestmark = [pytest.mark.database, pytest.mark.django_db(transaction=True), pytest.mark.slow]

AT_ONCE = 8


@pytest.fixture
def project(real_database) -> Project:
    project = Project.objects.create(slug="rivers", title="Rivers")
    bank(project, items=2)
    return project


def burst(act: Callable[[int], object], expected: type[Exception]) -> list[str]:
    """Let go of all at the same moment; what came of each: `done`, or the name of the expected error."""
    gate = Barrier(AT_ONCE)

    def one(number: int) -> str:
        try:
            gate.wait(timeout=PATIENCE)
            act(number)
            return "done"
        except expected:
            return expected.__name__
        finally:
            connection.close()

    with ThreadPoolExecutor(AT_ONCE) as pool:
        return sorted(pool.map(one, range(AT_ONCE)))


def again(someone: Person) -> Annotator:
    """The annotator as each request loads them afresh."""
    return places.find_annotator_by_token(someone.annotator.token)


def test_one_stage_handed_in_eight_times_at_once_is_stored_once(project):
    someone = person(make_live_study(project)).start()
    someone.save(someone.answers())
    token = someone.here.token
    came = burst(lambda _number: answering.submit_stage(again(someone), token), StaleStage)
    assert came == ["StaleStage"] * 7 + ["done"]
    assert Submission.objects.count() == 1
    assert Response.objects.count() == 2 * 3
    assert someone.here.stage == "read"


def test_drafts_of_two_tabs_overwrite_each_other_and_are_never_doubled(project):
    someone = person(make_live_study(project)).start()
    token, pages = someone.here.token, [someone.answers(tick=number % 3) for number in range(AT_ONCE)]
    came = burst(lambda number: answering.save_drafts(again(someone), token, pages[number]), StaleStage)
    assert came == ["done"] * 8
    assert Draft.objects.count() == 2
    assert {len(draft.values["answer"]) for draft in Draft.objects.all()} == {1}


def test_a_phase_passed_eight_times_at_once_is_passed_once(project):
    someone = person(make_live_study(project))
    came = burst(lambda _number: answering.pass_phase(again(someone), "consent"), StaleStage)
    assert came == ["done"] * 8
    assert PhasePassed.objects.count() == 1


def test_a_draft_launched_eight_times_at_once_is_launched_once(project):
    study = draft_study(project, plan={"annotators": 2})
    came = burst(lambda _number: launch_study(study), WrongState)
    assert came == ["WrongState"] * 7 + ["done"]
    assert (study.annotators.count(), study.units.count(), Slot.objects.count()) == (2, 2, 4)


def test_people_added_at_once_get_different_seats_and_cells(project):
    study = make_live_study(project, plan={"annotators": "open"})
    came = burst(lambda _number: add_annotators(study, 1), WrongState)
    assert came == ["done"] * 8
    assert sorted(study.annotators.values_list("seat", flat=True)) == list(range(8))
    assert Assignment.objects.count() == Slot.objects.count() == 16
