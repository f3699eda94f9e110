"""Simulated people answer through the real pages: marked, whole, repeatable, and gone without a trace."""

import io
from collections import Counter

import pytest
from django.core.management import CommandError, call_command

from annotation import simulation
from annotation.simulation import SimulationFailed, get_flaw, make_simulated_annotators, simulate_study
from items.models import Item
from studies.models import Annotator, Assignment, Purpose, Response, Slot, StudyState, Submission
from studies.services.launching import pause_study, remove_simulated
from studies.services.progress import count_progress
from tests.studies.world import bank, counts, draft_study, make_live_study, make_study_with_bank, person

pytestmark = pytest.mark.slow


@pytest.fixture
def study(project):
    return make_study_with_bank(project)


def simulate(slug: str = "study", **options) -> str:
    out = io.StringIO()
    call_command("simulate_study", slug, **({"annotators": 2, "seed": 1} | options), stdout=out)
    return out.getvalue()


def answers(study, purpose: str = "simulated") -> list[tuple]:
    """What was answered, by whom; handles and times are drawn anew each time and left out."""
    rows = Response.objects.filter(assignment__annotator__study=study, assignment__annotator__purpose=purpose)
    fields = ("assignment__annotator__code", "stage", "question", "item", "option", "value", "unsure")
    return sorted(map(str, rows.values_list(*fields)))


def test_they_are_marked_and_have_finished(study):
    assert simulate() == "2 simulated annotators finished study; their answers are marked as simulated.\n"
    simulated = study.annotators.filter(purpose=Purpose.SIMULATED)
    assert [annotator.code for annotator in simulated] == ["sim-01", "sim-02"]
    assert not Assignment.objects.filter(annotator__in=simulated, finished_at=None).exists()
    assert all(annotator.profile["simulated"]["seed"] == 1 for annotator in simulated)


def test_they_went_the_whole_way_through_the_pages(study):
    simulate(annotators=1)
    simulated = study.annotators.get(purpose=Purpose.SIMULATED)
    assert simulated.joined_at is not None
    assert set(simulated.phases_passed.values_list("phase", flat=True)) == {"consent", "instructions"}
    assert Counter(Submission.objects.values_list("stage", flat=True)) == {"guess": 2, "read": 2}
    assert Response.objects.filter(question="rating").count() == 4


def test_everything_comes_through_http_and_no_row_is_written_beside(study, monkeypatch):
    from django.test import Client

    sent = []
    post = Client.post
    monkeypatch.setattr(
        Client, "post", lambda self, path, *args, **kwargs: sent.append(path) or post(self, path, *args, **kwargs)
    )
    simulate(annotators=1)
    assert sum("/confirm/" in path for path in sent) == 2
    assert sum(path.startswith("/join/") for path in sent) == 1


def test_the_same_seed_gives_the_same_answers(project, study):
    simulate(seed=5)
    first = answers(study)
    remove_simulated(study)
    simulate(seed=5)
    assert answers(study) == first


def test_another_seed_gives_other_answers(study):
    simulate(seed=5)
    first = answers(study)
    remove_simulated(study)
    simulate(seed=6)
    assert answers(study) != first


def test_their_plan_is_balanced_like_one_for_people(project):
    study = make_study_with_bank(project, texts=4, plan={"annotators": 3, "per_unit": 1})
    make_simulated_annotators(study, 4, seed=1)
    guesses = Counter(Slot.objects.filter(purpose=Purpose.SIMULATED).values_list("unit", flat=True))
    assert set(guesses.values()) == {1}


def test_they_answer_about_as_well_as_stated(project):
    study = make_study_with_bank(project, texts=3, items=6)
    simulate_study(study, 2, seed=3)
    rows = Response.objects.filter(question="answer").values_list("stage", "value", "option__correct")
    right = Counter((stage, value == key) for stage, value, key in rows)
    for stage, stated in simulation.ABILITY.items():
        n = right[stage, True] + right[stage, False]
        # four standard errors: a person's offset and the sample both play a part
        assert abs(right[stage, True] / n - stated) < 4 * (0.25 / n) ** 0.5 + simulation.SPREAD


def test_people_and_their_answers_are_untouched_by_it(study):
    person(study).start().finish()
    before = answers(study, "main"), count_progress(study), list(Annotator.objects.filter(purpose="main").values())
    rows = counts()
    simulate()
    remove_simulated(study)
    assert (
        answers(study, "main"),
        count_progress(study),
        list(Annotator.objects.filter(purpose="main").values()),
    ) == before
    assert counts() == rows


def test_after_a_removal_another_simulation_works(study):
    simulate()
    assert remove_simulated(study) == 2
    simulate(annotators=3)
    assert study.annotators.filter(purpose=Purpose.SIMULATED).count() == 3


def test_a_second_simulation_adds_people_with_balanced_cells(study):
    simulate()
    simulate(annotators=1)
    simulated = study.annotators.filter(purpose=Purpose.SIMULATED)
    assert [annotator.code for annotator in simulated] == ["sim-01", "sim-02", "sim-03"]
    assert not Assignment.objects.filter(annotator__in=simulated, finished_at=None).exists()


def test_removing_where_there_are_none_removes_nobody(study):
    assert remove_simulated(study) == 0
    assert study.annotators.count() == 2


@pytest.mark.parametrize("annotators", [-1, 201])
def test_a_number_that_cannot_be_is_refused(annotators, study):
    with pytest.raises(CommandError, match="--annotators takes a number from 0 to 200"):
        simulate(annotators=annotators)
    assert study.annotators.count() == 2


@pytest.mark.parametrize(
    "arguments", [["study"], ["study", "--annotators", "2"], ["study", "--annotators", "x", "--seed", "1"]]
)
def test_arguments_that_are_missing_or_no_number_are_refused(arguments, study):
    with pytest.raises(CommandError, match=r"required|invalid int value"):
        call_command("simulate_study", *arguments)


def test_an_unknown_study_is_named(db):
    with pytest.raises(CommandError, match="There is no study “nothing”"):
        simulate("nothing")


def test_a_draft_is_to_be_launched_first(project):
    bank(project)
    draft_study(project)
    with pytest.raises(CommandError, match=r"The study “study” is still a draft\. Launch it first\."):
        simulate()
    assert not Annotator.objects.exists()


def test_a_paused_study_is_to_be_resumed_first(study):
    pause_study(study)
    with pytest.raises(CommandError, match="is paused"):
        simulate()


def test_a_plan_that_does_not_fit_their_number_is_said(project):
    bank(project, texts=5)
    make_live_study(project, plan={"annotators": 2, "shared_texts": 1, "own_texts": 2})
    with pytest.raises(CommandError, match="are 7 texts, but the study has 5"):
        simulate(annotators=3)
    assert not Annotator.objects.filter(purpose=Purpose.SIMULATED).exists()


def test_a_study_that_is_paused_on_the_way_is_not_called_finished(study, monkeypatch):
    work = simulation.SimulatedPerson.send

    def pause(self, form, page):
        type(study).objects.update(state=StudyState.PAUSED)
        return work(self, form, page)

    monkeypatch.setattr(simulation.SimulatedPerson, "send", pause)
    with pytest.raises(SimulationFailed, match="sim-01 did not get to the end: paused"):
        simulate_study(study, 2, seed=1)


def test_over_https_the_pages_take_them_too(study, settings):
    settings.SESSION_COOKIE_SECURE = settings.CSRF_COOKIE_SECURE = True
    simulate_study(study, 1, seed=1)
    assert Submission.objects.count() == 4


def test_a_server_with_a_name_of_its_own_takes_them_too(study, settings):
    settings.ALLOWED_HOSTS = [".lesart.example"]
    simulate_study(study, 1, seed=1)
    assert Submission.objects.count() == 4


@pytest.mark.parametrize("noted", [None, 7, ["guessable"], {"a": 1}, "another", ""])
def test_a_note_that_is_no_known_flaw_changes_nothing(noted):
    assert get_flaw(Item(metadata={"flaw": noted})) == ""


def test_a_noted_flaw_is_known(db):
    assert get_flaw(Item(metadata={"flaw": "wrong key"})) == "wrong key"
    assert get_flaw(Item(metadata={})) == ""
