"""Models judge dimensions on a mock server: scores of the study are answers, any other numbers are metric columns."""

import re

import pytest
from django.core.management import CommandError, call_command

from analysis.choices import Choices
from analysis.frames.evidence import collect_evidence
from analysis.protocols.dimension_ratings.dimensions import build_generator_means
from evaluation.metric_values import iter_metric_rows
from evaluation.models import Metric
from evaluation.services.evaluators import CannotEvaluate
from evaluation.services.judges import JudgeSpec, start
from evaluation.services.progress import get_row
from llm.models import Call, CallState
from llm.services import reading
from llm.services.draining import drain_here
from studies.models import Annotator, Assignment, Response
from studies.services.instruments import store_version
from tests import dimensions
from tests.mock_server import Planned

pytestmark = [pytest.mark.slow, pytest.mark.django_db, pytest.mark.database, pytest.mark.usefixtures("quick_models")]

ITEMS = {dimensions.stem(number, name): f"x{number}-{name}" for number in (1, 2, 3) for name in dimensions.GENERATORS}
N = len(ITEMS) * len(dimensions.DIMENSIONS)


@pytest.fixture
def study(project):
    return dimensions.make_study_with_bank(project)


def about(study, prompt: str) -> tuple[str, str]:
    """The item and the dimension that a prompt asks about."""
    titles = {entry["title"]: entry["name"] for entry in study.instrument_version.content["rate"]["dimensions"]}
    stem = re.search(r"^Question: (.+)$", prompt, re.MULTILINE)[1]
    title = re.search(r"on one thing only: (.+?)\. ", prompt)[1]
    return ITEMS[stem], titles[title]


def planting(study):
    return lambda request: str(dimensions.true_score(0, *about(study, request.prompt)))


def run_judge(study, endpoint, **how):
    judge = start(study, JudgeSpec(endpoint, **how))
    drain_here(get_row(judge).run)
    return judge


def collect_metric_values(study, endpoint, **how) -> dict[tuple[str, str], float | None]:
    """The values of the columns, by item and metric."""
    drain_here(start(study, JudgeSpec(endpoint, **how)))
    return {(row["item_id"], row["metric"]): row["value"] for row in iter_metric_rows(study)}


def test_written_scores_on_the_studys_scale_are_answers(study, serve_model, endpoint):
    server = serve_model(planting(study))
    judge = run_judge(study, endpoint(server))
    rows = Response.objects.filter(assignment__annotator__code="mock")
    stored = {(item, name): value for item, name, value in rows.values_list("item__external_id", "question", "value")}
    assert stored == {
        (item, name): dimensions.true_score(0, item, name) for item in ITEMS.values() for name in dimensions.DIMENSIONS
    }
    assert len(server.prompts) == N
    assert get_row(judge).n_missing == 0
    assert all(Assignment.objects.filter(annotator__code="mock").values_list("finished_at", flat=True))


def test_prompts_hold_the_anchors_of_the_studys_wording_and_nothing_of_the_generators(study, serve_model, endpoint):
    server = serve_model("3")
    run_judge(study, endpoint(server))
    worded = {entry["name"]: entry for entry in study.instrument_version.content["rate"]["dimensions"]}
    for prompt in server.prompts:
        item, name = about(study, prompt)
        for level in worded[name]["levels"]:
            assert f"{level['value']} = {level['label']}: {level['anchor']}" in prompt
        assert f"Expected answer: Answer {item[1]}" in prompt
        assert not any(word in prompt for word in (*dimensions.GENERATORS, "item-metadata", "x1-", "x2-", "source-"))


def test_a_dimension_about_the_expected_answer_is_not_asked_without_one(project, serve_model, endpoint):
    dimensions.make_bank(project, expected="")
    study = dimensions.make_live_study(project)
    server = serve_model("3")
    judge = run_judge(study, endpoint(server))
    assert len(server.prompts) == N - len(ITEMS)
    assert not any("Expected answer" in prompt for prompt in server.prompts)
    assert get_row(judge).n_missing == 0


def test_what_cannot_be_read_is_missing_after_one_more_question(study, serve_model, endpoint):
    def shy(request):
        if len(request.body["messages"]) > 1:
            return "As I said."
        item, name = about(study, request.prompt)
        return "Hard to say." if name == "clarity" else str(dimensions.true_score(0, item, name))

    judge = run_judge(study, endpoint(serve_model(shy)))
    assert get_row(judge).n_missing == get_row(judge).n_unparsed == len(ITEMS)
    assert not Response.objects.filter(question="clarity").exists()
    assert Call.objects.filter(turn=1).count() == len(ITEMS)


def test_a_score_off_the_scale_is_no_answer(study, serve_model, endpoint):
    judge = run_judge(study, endpoint(serve_model("4")))
    assert get_row(judge).n_missing == N
    assert not Response.objects.filter(assignment__annotator__kind="model").exists()


def test_samples_give_their_mean_and_failures_are_left_out(study, serve_model, endpoint):
    server = serve_model(lambda request: ["1", "2", "2", "no idea"][request.earlier])
    values = collect_metric_values(study, endpoint(server, max_concurrency=1), samples=4, temperature=1.5)
    assert set(values.values()) == {5 / 3}
    assert len(values) == N
    assert {request.body["temperature"] for request in server.requests} == {1.5}
    assert Call.objects.filter(state=CallState.FAILED).count() == N
    assert not Annotator.objects.filter(kind="model").exists()


def test_probabilities_of_the_digits_give_their_expected_value(study, serve_model, endpoint):
    shares = {"1": 0.1, "2": 0.2, " 3": 0.5, "The": 0.2}
    server = serve_model(lambda request: Planned("**3", [("**", 1.0, {}), ("3", 0.5, shares)]))
    values = collect_metric_values(study, endpoint(server), reading="probability")
    expected = (1 * 0.1 + 2 * 0.2 + 3 * (0.5 + 0.5)) / (0.1 + 0.2 + 0.5 + 0.5)
    assert values["x1-gen-birch", "mock:fluency"] == pytest.approx(expected, abs=1e-12)
    assert len(values) == N


def test_a_scale_of_its_own_is_a_column_with_that_scale_in_the_prompt(study, serve_model, endpoint):
    server = serve_model("5")
    values = collect_metric_values(study, endpoint(server), scale=5, label="five")
    assert set(values.values()) == {5}
    assert {metric for _item, metric in values} == {f"five:{name}" for name in dimensions.DIMENSIONS}
    assert all("1 = not met at all\n5 = completely met" in prompt for prompt in server.prompts)
    assert all(row["is_computed"] for row in iter_metric_rows(study))


def test_without_any_score_a_value_is_undefined_with_the_reason(study, serve_model, endpoint, monkeypatch):
    monkeypatch.setattr(reading, "FIRST_REPLIES", 1000)
    values = collect_metric_values(study, endpoint(serve_model("none")), scale=5)
    assert set(values.values()) == {None}
    assert {row["reason"] for row in iter_metric_rows(study)} == {"The model gave no score."}


def test_the_same_columns_are_asked_for_once_and_another_judge_needs_another_label(study, serve_model, endpoint):
    server = serve_model("5")
    model = endpoint(server)
    collect_metric_values(study, model, scale=5)
    n = len(server.requests)
    collect_metric_values(study, model, scale=5)
    assert len(server.requests) == n
    with pytest.raises(CannotEvaluate, match="another judge"):
        start(study, JudgeSpec(model, scale=4))


def test_columns_of_others_are_not_written_over(study, serve_model, endpoint):
    Metric.objects.create(project=study.project, name="mock:fluency")
    with pytest.raises(CannotEvaluate, match="already has a metric “mock:fluency”"):
        start(study, JudgeSpec(endpoint(serve_model("5")), scale=5))


def test_a_models_scores_are_not_in_the_means_of_people(study, serve_model, endpoint):
    run_judge(study, endpoint(serve_model("3")))
    assert all(row["n"] == 0 for row in build_generator_means(collect_evidence(study, Choices(seed=1))).rows)


def test_the_command_fills_columns_and_says_what_is_missing(study, serve_model, endpoint, capsys):
    endpoint(serve_model("5"))
    call_command("evaluate_study", "dims", "--model", "mock", "--scale", "5", "--as", "five", "--yes")
    assert f"“five” has scored: {N} scores, 0 are missing." in capsys.readouterr().out
    endpoint(serve_model("7"))
    with pytest.raises(SystemExit) as ended:
        call_command("evaluate_study", "dims", "--model", "mock", "--scale", "4", "--as", "four", "--yes")
    assert ended.value.code == 3


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--samples", "1"], "Choose 2 to 100 samples of written"),
        (["--samples", "3", "--reading", "probability"], "probabilities come from a single reply"),
        (["--temperature", "1"], "temperature applies to samples"),
        (["--scale", "12"], "2 to 9 points"),
    ],
)
def test_what_makes_no_sense_is_refused_with_the_reason(study, serve_model, endpoint, words, message):
    endpoint(serve_model("3"))
    with pytest.raises(CommandError, match=message):
        call_command("evaluate_study", "dims", "--model", "mock", *words)


def test_prompts_of_others_ask_with_their_own_words_on_their_own_scale(study, serve_model, endpoint):
    content = {
        "name": "others", "language": study.language, "use": "judge", "protocol": "dimension-ratings",
        "title": "Others", "text": {"title": False, "paragraphs": "as they are"},
        "system": "You rate from {lowest} to {highest}.",
        "rate": {"fluency": "{text}\n{question}\n- Fluency (0-1):"}, "again": "Only the number.",
        "scale": {"lowest": 0, "highest": 1, "step": "any"},
    }  # fmt: skip
    store_version("others", study.language, content, study.project)
    server = serve_model("Fluency: 0.85")
    values = collect_metric_values(study, endpoint(server), prompt=f"others/{study.language}")
    assert {name for _item, name in values} == {"mock:fluency"}
    assert set(values.values()) == {0.85}
    messages = server.requests[0].body["messages"]
    assert messages[0] == {"role": "system", "content": "You rate from 0 to 1."}
    assert messages[1]["content"].endswith("- Fluency (0-1):")
    with pytest.raises(CannotEvaluate):
        start(study, JudgeSpec(endpoint(server), scale=5, prompt=f"others/{study.language}", label="x"))
