"""Prompts and samples of one model are evaluators of their own, estimated and confirmed together."""

import io
import json
from decimal import Decimal

import pytest
from bs4 import BeautifulSoup
from django.core.management import CommandError, call_command

from evaluation.models import Evaluator
from evaluation.services import asking
from evaluation.services.asking import ModelSpec, estimate_all, estimate_run, expand_spec, start, start_all
from evaluation.services.describing import describe_caveats
from evaluation.services.evaluators import CannotEvaluate
from llm.models import Call, CallState, Run
from llm.services.draining import drain_here
from studies.models import Annotator, Response
from studies.services.instruments import store_version

pytestmark = [pytest.mark.slow, pytest.mark.django_db, pytest.mark.usefixtures("quick_models")]
PAGE = "/s/rivers-1/evaluators/model/"


@pytest.fixture
def other_prompts(study, project) -> str:
    """The same prompts under another name, with a word more."""
    content = json.loads(json.dumps(asking.find_prompt(study).content))
    content |= {stage: content[stage] + " Bitte." for stage in ("guess", "read")}
    store_version("kurz", "de", content, project)
    return "kurz/de"


def labels(asks) -> list[str]:
    return [ask.name for ask in asks]


def evaluate(*words: str) -> str:
    out = io.StringIO()
    call_command("evaluate_study", "rivers-1", "--model", "mock", "--yes", *words, stdout=out, stderr=out)
    return out.getvalue()


def test_every_prompt_and_sample_has_a_label_of_its_own(study, serve_model, endpoint, other_prompts):
    ask = ModelSpec(endpoint(serve_model("R")), temperature=0.7)
    found = expand_spec(ask, prompts=["", other_prompts], samples=2)
    assert labels(found) == ["mock", "mock #2", "mock (kurz/de)", "mock (kurz/de) #2"]
    assert labels(expand_spec(ModelSpec(ask.endpoint, label="big", temperature=0.7), samples=3)) == [
        "big",
        "big #2",
        "big #3",
    ]


def test_one_prompt_and_one_sample_are_called_as_ever(study, serve_model, endpoint, other_prompts):
    mock = endpoint(serve_model("R"))
    assert labels(expand_spec(ModelSpec(mock))) == ["mock"]
    assert labels(expand_spec(ModelSpec(mock), prompts=[other_prompts])) == ["mock"]


def test_samples_are_drawn_apart_at_the_temperature_given(study, serve_model, endpoint):
    server = serve_model("R")
    endpoint(server)
    evaluate("--samples", "3", "--temperature", "0.7")
    assert len(server.requests) == 3 * 16
    assert {request.body["temperature"] for request in server.requests} == {0.7}
    assert Call.objects.values("content_key").distinct().count() == 3 * 16
    assert sorted(set(Call.objects.values_list("sample", flat=True))) == [0, 1, 2]
    assert list(Annotator.objects.values_list("code", flat=True)) == ["mock", "mock #2", "mock #3"]
    for annotator in Annotator.objects.all():
        assert Response.objects.filter(assignment__annotator=annotator).count() == 16


def test_more_samples_later_leave_those_that_are_there_alone(study, serve_model, endpoint):
    server = serve_model("R")
    endpoint(server)
    evaluate("--samples", "2", "--temperature", "0.7")
    evaluate("--samples", "3", "--temperature", "0.7")
    assert len(server.requests) == 3 * 16


def test_what_one_sample_wrote_is_what_this_sample_is_read_from(study, serve_model, endpoint):
    replies = iter(["R"] * 16 + ["F"] * 16)
    endpoint(serve_model(lambda request: next(replies)), max_concurrency=1)
    evaluate("--samples", "2", "--temperature", "1")
    values = Response.objects.values_list("assignment__annotator__code", "value")
    assert sorted(set(values)) == [("mock", True), ("mock #2", False)]


def test_without_a_temperature_nothing_about_the_calls_has_changed(study, serve_model, endpoint):
    server = serve_model("R")
    endpoint(server)
    evaluate()
    assert {json.dumps(request.body["temperature"]) for request in server.requests} == {"0"}
    assert set(Call.objects.values_list("sample", flat=True)) == {0}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--samples", "2"], "temperature above 0"),
        (["--samples", "2", "--temperature", "0"], "temperature above 0"),
        (["--samples", "0"], "1 to 100"),
        (["--temperature", "3"], "between 0 and 2"),
        (["--temperature", "-1"], "between 0 and 2"),
        (["--prompt", "kurz/de", "--prompt", "kurz/de"], "listed twice"),
        (["--prompt", "kurz/de", "--prompt", "nowhere/de"], "nowhere"),
    ],
)
def test_what_makes_no_sense_is_refused_whole(study, serve_model, endpoint, other_prompts, words, message):
    endpoint(serve_model("R"))
    with pytest.raises(CommandError, match=message):
        evaluate(*words)
    assert not Evaluator.objects.exists()


def test_a_baseline_has_no_samples(study):
    with pytest.raises(CommandError, match="--samples is for models"):
        call_command("evaluate_study", "rivers-1", "--model", "majority", "--samples", "2")


def test_a_model_without_a_temperature_has_none_to_draw_at(study, serve_model, endpoint):
    mock = endpoint(serve_model("R"), capabilities={"temperature": {"value": False}})
    with pytest.raises(CannotEvaluate, match="does not accept a temperature"):
        start(study, ModelSpec(mock, temperature=0.7))


def test_the_same_label_at_another_temperature_is_another_evaluator(study, serve_model, endpoint):
    mock = endpoint(serve_model("R"))
    start(study, ModelSpec(mock))
    with pytest.raises(CannotEvaluate, match="another label"):
        start(study, ModelSpec(mock, temperature=0.7))


def test_an_evaluator_from_before_there_were_temperatures_goes_on(study, serve_model, endpoint):
    mock = endpoint(serve_model("R"))
    evaluator = start(study, ModelSpec(mock, stages=["guess"]))
    evaluator.params = {name: kept for name, kept in evaluator.params.items() if name not in ("temperature", "sample")}
    evaluator.save()
    assert start(study, ModelSpec(mock, stages=["read"])).pk == evaluator.pk


def test_several_prompts_make_an_evaluator_each(study, serve_model, endpoint, other_prompts):
    endpoint(serve_model("R"))
    output = evaluate("--prompt", "guess-then-read-prompt/de", "--prompt", other_prompts)
    assert list(Annotator.objects.values_list("code", flat=True)) == [
        "mock (guess-then-read-prompt/de)", "mock (kurz/de)",
    ]  # fmt: skip
    versions = {evaluator.params["prompt"] for evaluator in Evaluator.objects.all()}
    assert len(versions) == 2
    assert output.startswith("2 evaluators: mock (guess-then-read-prompt/de), mock (kurz/de). Together:\n32 calls,")


def test_the_estimate_is_the_sum_and_the_budget_is_for_all_together(study, serve_model, endpoint):
    mock = endpoint(serve_model("R"), price_in=Decimal(1), price_out=Decimal(2))
    asks = expand_spec(ModelSpec(mock, temperature=0.5), samples=3)
    one, together = estimate_run(study, asks[0]), estimate_all(study, asks)
    assert (together.n_calls, together.cost_nanos) == (3 * one.n_calls, 3 * one.cost_nanos)
    start_all(study, asks, budget=Decimal("1.0000"))
    assert {run.budget_nanos for run in Run.objects.all()} == {333_300_000}


def test_nothing_is_started_if_one_of_them_cannot_be(study, serve_model, endpoint):
    mock = endpoint(serve_model("R"))
    start(study, ModelSpec(mock, label="mock #2"))
    with pytest.raises(CannotEvaluate, match="another label"):
        start_all(study, expand_spec(ModelSpec(mock, temperature=0.7), samples=2))
    assert list(Annotator.objects.values_list("code", flat=True)) == ["mock #2"]
    assert Run.objects.count() == 1


def test_the_page_estimates_all_of_them_and_starts_them_with_one_confirmation(
    as_user, researcher, study, serve_model, endpoint, other_prompts
):
    mock, client = endpoint(serve_model("R")), as_user(researcher)
    wanted = {"endpoint": mock.pk, "stages": ["guess", "read"], "reading": "label"}
    wanted |= {"prompt": ["", other_prompts], "temperature": "0.7", "samples": "2"}
    page = BeautifulSoup(client.post(PAGE, wanted).content, "html.parser")
    note = page.select_one("[role=status]").get_text(" ", strip=True)
    assert note.startswith("4 evaluators: “mock”, “mock #2”, “mock (kurz/de)”, “mock (kurz/de) #2”. Together: 64 calls")
    assert not Run.objects.exists()
    answer = client.post(PAGE, wanted | {"seen": page.select_one("input[name=seen]")["value"]})
    assert answer.status_code == 302
    assert Run.objects.count() == 4
    for run in Run.objects.all():
        drain_here(run)
    assert Call.objects.filter(state=CallState.ANSWERED).count() == 64


def test_the_page_refuses_samples_at_temperature_0_in_the_form(as_user, researcher, study, serve_model, endpoint):
    wanted = {"endpoint": endpoint(serve_model("R")).pk, "reading": "label", "samples": "2"}
    assert "temperature above 0" in as_user(researcher).post(PAGE, wanted).content.decode()


def test_tables_say_which_draw_it_was(study, serve_model, endpoint):
    mock = endpoint(serve_model("R"))
    evaluators = start_all(study, expand_spec(ModelSpec(mock, temperature=0.7), samples=2))
    assert "sample 2 at temperature 0.7" in describe_caveats(evaluators[1])[0]
