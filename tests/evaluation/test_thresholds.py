"""The threshold that judges most options rightly, on other texts, by hand and against every other threshold."""

import io

import pytest
from django.core.management import CommandError, call_command
from hypothesis import given
from hypothesis import strategies as st

from evaluation.models import Evaluator
from evaluation.services.asking import ModelSpec, start
from evaluation.services.evaluators import CannotEvaluate
from evaluation.services.thresholds import choose_threshold, find_steps
from llm.models import Run
from llm.services.draining import drain_here
from studies.models import Response
from tests.factory import make_study, make_text
from tests.mock_server import label


def test_the_middle_of_the_best_plateau_is_chosen():
    # Keys at .9 and .8, distractors at .6 and .2: every τ in (.6, .8] judges all rightly.
    found = choose_threshold([0.2, 0.6, 0.8, 0.9], [False, False, True, True])
    assert (found.threshold, found.accuracy, found.low, found.high, found.n) == (pytest.approx(0.7), 1.0, 0.6, 0.8, 4)


def test_steps_say_the_accuracy_of_every_threshold():
    # τ ≤ .3: all judged correct, 1 of 3 right; up to .5 the distractor at .3 is right, too; above .5 the key is wrong.
    steps = find_steps([0.5, 0.3, 0.7], [True, False, False])
    assert [(step.low, step.high, step.accuracy) for step in steps] == [
        (0.0, 0.3, pytest.approx(1 / 3)),
        (0.3, 0.5, pytest.approx(2 / 3)),
        (0.5, 0.7, pytest.approx(1 / 3)),
        (0.7, 1.0, pytest.approx(2 / 3)),
    ]


def test_of_two_plateaus_the_wider_counts():
    assert choose_threshold([0.5, 0.3, 0.7], [True, False, False]).threshold == pytest.approx(0.85)


def test_a_probability_of_one_half_is_correct_at_the_threshold_of_one_half():
    steps = find_steps([0.5], [True])
    assert [(step.high, step.accuracy) for step in steps] == [(0.5, 1.0), (1.0, 0.0)]


def test_nothing_to_choose_from_is_an_error():
    with pytest.raises(ValueError, match="no probability"):
        choose_threshold([], [])


@given(st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=30))
def test_no_threshold_is_better_and_the_accuracy_is_that_of_the_threshold(options):
    probabilities, keys = zip(*options, strict=True)

    def accuracy(threshold: float) -> float:
        return sum((p >= threshold) == key for p, key in options) / len(options)

    found = choose_threshold(probabilities, keys)
    assert found.accuracy == pytest.approx(accuracy(found.threshold))
    assert all(accuracy(p) <= found.accuracy + 1e-9 for p in [*probabilities, 0.0, 1.0])


# Studies --------------------------------------------------------------------------------------------------------------

in_studies = pytest.mark.usefixtures("quick_models", "db")


@pytest.fixture
def development(project, write):
    """Another text whose keys get .8 and whose distractors get .7."""
    lake = make_text(project, "lake", body="Am See steht ein Boot.", language="de")
    return make_study(project, "lakes", [write(lake, "l1", "*ein Boot", "*am See", "kein Boot")], language="de")


def leaning(request):
    """Distractors get .7, all else .8: a threshold of .75 parts them."""
    return label("R", "F", 0.7 if "kein Boot" in request.prompt or "das Meer" in request.prompt else 0.8)


def run_model(study, endpoint, **about):
    evaluator = start(study, ModelSpec(endpoint, reading="probability", **about))
    drain_here(Run.objects.latest("pk"))
    return evaluator


@in_studies
def test_thresholds_come_from_the_other_study_and_are_remembered(study, development, serve_model, endpoint):
    server = serve_model(leaning)
    mock = endpoint(server)
    run_model(development, mock)
    n = len(server.requests)
    evaluator = run_model(study, mock, tune_on=development, label="tuned")
    assert evaluator.params["thresholds"] == {"guess": pytest.approx(0.75), "read": pytest.approx(0.75)}
    tuning = evaluator.params["tuning"]
    assert (tuning["study"], tuning["evaluator"]) == ("lakes", "mock")
    assert (tuning["stages"]["read"]["accuracy"], tuning["stages"]["read"]["n"]) == (1.0, 3)
    assert Response.objects.filter(assignment__annotator__code="tuned", value=False).count() == 2  # the sea, twice
    assert len(server.requests) == n + 16


@pytest.mark.slow
@in_studies
def test_other_thresholds_later_take_no_call(study, development, serve_model, endpoint):
    server = serve_model(leaning)
    mock = endpoint(server)
    run_model(study, mock, label="half")
    run_model(development, mock)
    n = len(server.requests)
    run_model(study, mock, tune_on=development, label="tuned")
    assert len(server.requests) == n


@in_studies
def test_texts_of_the_study_itself_are_refused(study, project, bank, serve_model, endpoint):
    same = make_study(project, "again", bank[:1], language="de")
    with pytest.raises(CannotEvaluate, match="shares 1 texts with this study, such as “river”"):
        start(study, ModelSpec(endpoint(serve_model("R")), reading="probability", tune_on=same))


@in_studies
def test_the_same_words_under_another_id_are_refused_too(study, project, write, serve_model, endpoint):
    copy = make_text(project, "copy", body="Der Fluss fließt durch die GRÜNE Stadt.", language="de")
    other = make_study(project, "copies", [write(copy, "x1", "*a", "b")], language="de")
    with pytest.raises(CannotEvaluate, match="such as “copy”"):
        start(study, ModelSpec(endpoint(serve_model("R")), reading="probability", tune_on=other))


@in_studies
@pytest.mark.parametrize(
    ("about", "message"),
    [
        ({"reading": "label"}, "Use the probability"),
        ({"reading": "probability", "thresholds": {"read": 0.7}}, "leave the thresholds out"),
        ({"reading": "probability"}, "model has not answered the"),
    ],
)
def test_what_cannot_be_chosen_is_refused(study, development, serve_model, endpoint, about, message):
    with pytest.raises(CannotEvaluate, match=message):
        start(study, ModelSpec(endpoint(serve_model("R")), tune_on=development, **about))
    assert not Evaluator.objects.exists()


@in_studies
def test_answers_without_probabilities_cannot_choose(study, development, serve_model, endpoint):
    mock = endpoint(serve_model("R", logprobs=False))
    start(development, ModelSpec(mock))
    drain_here(Run.objects.get())
    with pytest.raises(CannotEvaluate, match="has no probabilities in the stage"):
        start(study, ModelSpec(mock, reading="probability", tune_on=development))


@in_studies
def test_the_command_and_the_page(study, development, serve_model, endpoint, as_user, researcher):
    run_model(development, endpoint(serve_model(leaning)))
    wanted = ["rivers-1", "--model", "mock", "--reading", "probability", "--tune-on"]
    call_command("evaluate_study", *wanted, "lakes", "--yes", stdout=io.StringIO())
    evaluator = Evaluator.objects.get(annotator__study=study)
    page = as_user(researcher).get(f"/s/rivers-1/evaluators/{evaluator.pk}/").content.decode()
    assert "0.750000" in page
    assert "were chosen on the" in page
    assert "<polyline" in page
    with pytest.raises(CommandError, match="no study “nowhere”"):
        call_command("evaluate_study", *wanted, "nowhere", stdout=io.StringIO())
