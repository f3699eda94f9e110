"""Models answer a study on a mock server: what they are asked, what is stored, what is missing."""

import io
import json
from decimal import Decimal
from fractions import Fraction

import pytest
from django.core.management import CommandError, call_command

from analysis.choices import Choices
from analysis.frames.evidence import collect_evidence
from analysis.protocols.guess_then_read.informativity import build_informativity
from evaluation.models import Evaluator
from evaluation.services import asking
from evaluation.services.asking import ModelSpec, estimate_run, resume, start
from evaluation.services.calls import iter_label_masses
from evaluation.services.evaluators import CannotEvaluate, delete_evaluator
from evaluation.services.progress import get_row
from items.models import Option
from llm.models import Call, CallState, Run, RunState
from llm.services import reading, runs
from llm.services.draining import drain_here
from llm.services.reading import reread_replies
from studies.models import Annotator, Response, StudyState, Submission
from studies.services.blocks import add_texts
from studies.services.evaluating import close_answered
from studies.services.instruments import store_version
from tests.factory import make_study, make_text
from tests.mock_server import Planned, label

pytestmark = [pytest.mark.django_db, pytest.mark.database, pytest.mark.usefixtures("quick_models")]


def is_guess(prompt: str) -> bool:
    return "nicht bekannt" in prompt


def option_in(prompt: str) -> str:
    return prompt.split("\nAntwort: ")[1].split("\n")[0]


# What the model says: by option, without and with the text.
SAYS = {
    "die grüne  Stadt": "FR",  # a key
    "das Meer": "RF",
    "der Wald": "FF",
    "der Fluss": "RR",  # a key
    "die Stadt": "FF",  # a key
    "auf dem Berge": "RR",
    "im Tal": "FR",  # a key
    "am See": "RF",
}


def answer_as_planned(request) -> str:
    guessed, read = SAYS[option_in(request.prompt)]
    return guessed if is_guess(request.prompt) else read


def run_model(study, endpoint, **about) -> Evaluator:
    evaluator = start(study, ModelSpec(endpoint, **about))
    if run := get_row(evaluator).run:
        drain_here(run)
    return evaluator


def test_what_the_model_says_is_what_is_stored(study, serve_model, endpoint, answer_pattern):
    run_model(study, endpoint(serve_model(answer_as_planned)))
    assert answer_pattern("mock", "guess") == {"r1": "FTF", "r2": "TF", "c1": "TFT"}
    assert answer_pattern("mock", "read") == {"r1": "TFF", "r2": "TF", "c1": "TTF"}


def test_a_study_in_basque_is_asked_in_basque_and_answered_with_its_letters(
    project, write, serve_model, endpoint, answer_pattern
):
    text = make_text(project, "ibaia", body="Ibaia hiri berdetik doa.", language="eu")
    item = write(text, "i1", "*hiri berdetik", "itsasotik")
    server = serve_model(lambda request: "Erantzuna Z da." if "hiri" in request.prompt.split("Erantzuna: ")[1] else "O")
    run_model(make_study(project, "ibaiak", [item], language="eu"), endpoint(server))
    assert (answer_pattern("mock", "guess"), answer_pattern("mock", "read")) == ({"i1": "TF"}, {"i1": "TF"})
    assert all("Z zuzena bada, O okerra bada." in prompt for prompt in server.prompts)


def test_the_reports_accuracies_are_the_planted_ones_to_the_last_digit(study, serve_model, endpoint):
    run_model(study, endpoint(serve_model(answer_as_planned)))
    keys = dict(Option.objects.values_list("text", "correct"))
    rows = build_informativity(collect_evidence(study, Choices(seed=1))).rows
    for generator in ("hand", "rule"):
        row = next(row for row in rows if (row["generator"], row["evaluator"]) == (generator, "mock"))
        wordings = Option.objects.filter(item__generator__name=generator).values_list("text", flat=True)
        for place, measure in enumerate(("guessability", "answerability")):
            right = [(SAYS[wording][place] == "R") == keys[wording] for wording in wordings]
            assert row[measure] == float(Fraction(sum(right), len(right)))
        assert (row["evaluator_kind"], row["reading"]) == ("model", "label")


def test_every_option_is_asked_once_in_each_setting_and_nothing_else_is_sent(study, serve_model, endpoint):
    server = serve_model(answer_as_planned)
    run_model(study, endpoint(server))
    asked = sorted((is_guess(prompt), option_in(prompt)) for prompt in server.prompts)
    assert asked == sorted((guess, wording) for guess in (True, False) for wording in SAYS)
    for request in server.requests:
        assert [message["role"] for message in request.body["messages"]] == ["user"]
        assert request.body["temperature"] == 0
        assert "response_format" not in request.body


def test_no_guess_holds_the_text_a_key_or_another_item_and_every_read_holds_its_text(
    study, serve_model, endpoint, bank
):
    server = serve_model(answer_as_planned)
    run_model(study, endpoint(server))
    for prompt in server.prompts:
        about = next(item for item in bank if item.stem in prompt)
        others = [item for item in bank if item.text_id != about.text_id or item != about]
        assert not any(other.stem in prompt for other in others)
        beside = [word for word in SAYS if word != option_in(prompt)]
        if is_guess(prompt):
            assert about.text.body not in prompt
            assert not any(word in prompt for word in [*beside, "Burg", "fließt", "GRÜNE", "river", "castle", "hand"])
        else:
            assert prompt.startswith(about.text.body + "\n\n")
            other = next(item.text.body for item in bank if item.text_id != about.text_id)
            assert other not in prompt


def test_prompts_about_one_text_follow_one_another(study, serve_model, endpoint):
    run_model(study, endpoint(serve_model(answer_as_planned), max_concurrency=1))
    keys = list(Call.objects.order_by("position").values_list("key", flat=True))
    texts = dict(Option.objects.values_list("pk", "item__text__external_id"))
    order = [(key.split("/")[0], texts[int(key.split("/")[1])]) for key in keys]
    assert list(dict.fromkeys(order)) == [
        ("guess", "river"), ("guess", "castle"), ("read", "river"), ("read", "castle"),
    ]  # fmt: skip
    assert order == sorted(order, key=list(dict.fromkeys(order)).index)


def test_a_disclaimer_is_unparsed_counted_and_never_guessed(study, serve_model, endpoint, answer_pattern):
    def says(request):
        words = "Ohne den Text kann ich das nicht sagen."
        return (
            words
            if len(request.body["messages"]) > 1 or option_in(request.prompt) == "das Meer"
            else answer_as_planned(request)
        )

    server = serve_model(says)
    evaluator = run_model(study, endpoint(server))
    assert answer_pattern("mock", "guess")["r1"] == "FF"  # two of three
    row = get_row(evaluator)
    assert (row.n_done, row.n_missing, row.n_unparsed) == (14, 2, 2)
    assert row.run.state == RunState.DONE
    assert Call.objects.filter(state=CallState.FAILED).first().text == "Ohne den Text kann ich das nicht sagen."
    again = [request for request in server.requests if len(request.body["messages"]) > 1]
    assert len(again) == 2
    assert again[0].body["messages"][1] == {"role": "assistant", "content": "Ohne den Text kann ich das nicht sagen."}
    assert "R oder F" in again[0].prompt


def test_an_answer_after_the_second_question_counts(study, serve_model, endpoint, answer_pattern):
    run_model(
        study, endpoint(serve_model(lambda request: "R" if len(request.body["messages"]) > 1 else "Schwer zu sagen."))
    )
    assert answer_pattern("mock", "read") == {"r1": "TTT", "r2": "TT", "c1": "TTT"}


def test_p_true_is_stored_beside_the_label(study, serve_model, endpoint):
    run_model(study, endpoint(serve_model(label("R", "F", 0.75))))
    assert set(Response.objects.values_list("value", flat=True)) == {True}
    assert all(p == pytest.approx(0.75) for p in Response.objects.values_list("probability", flat=True))
    shown = Call.objects.first().parsed
    assert (shown["label"], shown["label mass"]) == ("R", pytest.approx(0.9))


def test_the_label_mass_of_each_answer_is_read_back(study, serve_model, endpoint):
    run_model(study, endpoint(serve_model(label("R", "F", 0.75))))
    found = list(iter_label_masses(study))
    assert len(found) == Response.objects.count()
    assert {row[:2] for row in found} == {("mock", "guess"), ("mock", "read")}
    assert all(mass == pytest.approx(0.9) for _code, _stage, mass in found)


def test_a_server_without_log_probabilities_leaves_the_probability_open(study, serve_model, endpoint):
    run_model(study, endpoint(serve_model(answer_as_planned, logprobs=False)))
    assert set(Response.objects.values_list("probability", flat=True)) == {None}


def test_p_true_counts_from_the_threshold_of_its_setting_on(study, serve_model, endpoint):
    mock = endpoint(serve_model(lambda request: label("R", "F", 0.6 if is_guess(request.prompt) else 0.4)))
    evaluator = run_model(study, mock, reading="probability", thresholds={"guess": 0.61, "read": 0.4 - 1e-9})
    assert evaluator.annotator.reading == "probability"
    values = set(Response.objects.values_list("stage", "value"))
    assert values == {("guess", False), ("read", True)}


def test_another_threshold_is_another_evaluator_and_takes_no_call(study, serve_model, endpoint):
    server = serve_model(label("R", "F", 0.6))
    mock = endpoint(server)
    run_model(study, mock, label="low", reading="probability")
    n = len(server.requests)
    run_model(study, mock, label="high", reading="probability", thresholds={"guess": 0.7, "read": 0.7})
    run_model(study, mock, label="written")
    assert len(server.requests) == n == 16
    by_label = dict(Response.objects.values_list("assignment__annotator__code", "value"))
    assert by_label == {"low": True, "high": False, "written": True}
    with pytest.raises(CannotEvaluate, match="a different evaluator"):
        start(study, ModelSpec(mock, label="low", reading="probability", thresholds={"guess": 0.9}))


def test_p_true_without_log_probabilities_is_missing(study, serve_model, endpoint):
    evaluator = run_model(study, endpoint(serve_model("R", logprobs=False)), reading="probability")
    assert not Response.objects.exists()
    assert get_row(evaluator).n_unparsed == 16


def test_a_server_known_to_send_no_log_probabilities_cannot_be_read_so(study, serve_model, endpoint):
    mock = endpoint(serve_model("R"), capabilities={"logprobs": {"value": False, "at": "2026-01-01"}})
    with pytest.raises(CannotEvaluate, match="Use the written label instead"):
        start(study, ModelSpec(mock, reading="probability"))
    assert not Annotator.objects.exists()


def test_a_complete_model_has_handed_in_and_is_finished(study, serve_model, endpoint):
    annotator = run_model(study, endpoint(serve_model(answer_as_planned))).annotator
    assert (annotator.kind, annotator.model, annotator.reading) == ("model", "mock-1", "label")
    assert not annotator.assignments.open().exists()
    assert Submission.objects.filter(assignment__annotator=annotator).count() == 4


def test_replies_read_again_change_no_answer(study, serve_model, endpoint):
    run_model(study, endpoint(serve_model(answer_as_planned)))
    before = list(Response.objects.order_by("pk").values())
    run = Run.objects.get()
    assert reread_replies(run) == 16
    run.refresh_from_db()
    drain_here(run)
    assert list(Response.objects.order_by("pk").values()) == before


def test_the_same_model_again_asks_nothing(study, serve_model, endpoint):
    server = serve_model(answer_as_planned)
    run_model(study, endpoint(server))
    run_model(study, endpoint(server))
    assert (len(server.requests), Run.objects.count(), Response.objects.count()) == (16, 1, 16)


@pytest.mark.slow
def test_texts_added_after_a_run_are_answered_by_a_new_one_and_nothing_is_asked_twice(
    study, write, serve_model, endpoint
):
    study.plan = {"annotators": "open", "per_unit": "all", "shared_texts": 0, "own_texts": 0}
    study.save(update_fields=["plan"])
    server = serve_model(lambda request: "R")
    mock = endpoint(server)
    run_model(study, mock)
    text = make_text(study.project, "mill", body="Die Mühle steht.", language="de")
    write(text, "m1", "*die Mühle", "der Teich", generator="hand")
    add_texts(study, ["mill"])
    study.refresh_from_db()
    evaluator = run_model(study, mock)
    assert get_row(evaluator).n_missing == 0
    assert (len(server.requests), Run.objects.count(), Response.objects.count()) == (16 + 4, 2, 16 + 4)


def test_what_failed_is_tried_again_in_the_same_run(study, serve_model, endpoint):
    broken = {"is": True}
    server = serve_model(
        lambda request: Planned(status=500) if broken["is"] and is_guess(request.prompt) else answer_as_planned(request)
    )
    evaluator = run_model(study, endpoint(server))
    assert get_row(evaluator).n_missing == 8
    broken["is"] = False
    drain_here(resume(evaluator))
    assert get_row(evaluator).n_missing == 0
    assert Run.objects.count() == 1


def test_after_a_cancelled_run_a_new_one_asks_only_what_is_not_known(study, serve_model, endpoint):
    server = serve_model(answer_as_planned)
    mock = endpoint(server)
    run_model(study, mock, stages=["guess"])
    evaluator = start(study, ModelSpec(mock))
    runs.cancel(get_row(evaluator).run)
    drain_here(resume(evaluator))
    assert get_row(evaluator).n_missing == 0
    assert len(server.requests) == 16


def test_going_on_with_a_run_that_is_at_work_starts_no_second_one(study, serve_model, endpoint):
    evaluator = start(study, ModelSpec(endpoint(serve_model(answer_as_planned))))
    assert resume(evaluator) == resume(evaluator) == Run.objects.get()


def test_one_stage_can_be_asked_alone(study, serve_model, endpoint, answer_pattern):
    evaluator = run_model(study, endpoint(serve_model(answer_as_planned)), stages=["read"])
    assert answer_pattern("mock", "guess") == {}
    assert not evaluator.annotator.assignments.open().exists()


def test_an_estimate_counts_the_calls_and_stores_nothing(study, serve_model, endpoint):
    mock = endpoint(serve_model(answer_as_planned), price_in=Decimal(1), price_out=Decimal(2))
    found = estimate_run(study, ModelSpec(mock))
    assert (found.n_calls, found.n_known, found.n_without_prompt) == (16, 0, 0)
    assert found.cost_nanos > 0
    assert not any(model.objects.exists() for model in (Annotator, Run, Call, Evaluator))
    run_model(study, mock, stages=["guess"])
    assert estimate_run(study, ModelSpec(mock)).n_known == 8


def test_a_budget_without_a_price_is_refused_and_nothing_is_stored(study, serve_model, endpoint):
    with pytest.raises(CannotEvaluate, match="has no price"):
        start(study, ModelSpec(endpoint(serve_model(answer_as_planned))), budget=Decimal(1))
    assert not Annotator.objects.exists()


def test_over_the_budget_the_run_pauses_and_a_higher_one_wakes_it(study, serve_model, endpoint):
    mock = endpoint(serve_model(answer_as_planned), price_in=Decimal(1000), price_out=Decimal(1000), max_concurrency=1)
    evaluator = start(study, ModelSpec(mock), budget=Decimal("0.4"))
    run = drain_here(get_row(evaluator).run)
    assert run.state == RunState.PAUSED
    assert 0 < get_row(evaluator).n_missing < 16
    drain_here(resume(evaluator, budget=Decimal(100)))
    assert get_row(evaluator).n_missing == 0


def test_calls_with_an_unknown_outcome_are_held_if_the_start_says_so_and_stay_so(study, serve_model, endpoint):
    mock = endpoint(serve_model(answer_as_planned))
    run = get_row(start(study, ModelSpec(mock), on_unknown="hold")).run
    assert run.on_unknown == "hold"
    assert get_row(start(study, ModelSpec(mock))).run.on_unknown == "hold"
    assert get_row(start(study, ModelSpec(mock), on_unknown="repeat")).run.on_unknown == "repeat"


def test_the_wording_stays_that_of_the_evaluator(study, project, serve_model, endpoint):
    server = serve_model(answer_as_planned)
    evaluator = run_model(study, endpoint(server), stages=["guess"])
    content = json.loads(json.dumps(asking.find_prompt(study).content))
    content["guess"] = "Neu, nicht bekannt: {question}\nAntwort: {option}\n"
    store_version("guess-then-read-prompt", "de", content, project)
    start(study, ModelSpec(endpoint(server)))
    drain_here(get_row(evaluator).run)
    assert not any("Neu" in prompt for prompt in server.prompts)
    run_model(study, endpoint(server), label="new", stages=["guess"])
    assert sum("Neu" in prompt for prompt in server.prompts) == 8


def test_prompts_with_an_unknown_slot_are_refused(study, project, serve_model, endpoint):
    content = json.loads(json.dumps(asking.find_prompt(study).content))
    content["guess"] += " {key}"
    store_version("guess-then-read-prompt", "de", content, project)
    with pytest.raises(CannotEvaluate, match=r"placeholder \{key\}"):
        start(study, ModelSpec(endpoint(serve_model(answer_as_planned))))


def test_a_language_without_prompts_is_refused(project, bank, serve_model, endpoint):
    study = make_study(project, "danish", bank, language="da")
    with pytest.raises(CannotEvaluate, match="prompt/da"):
        start(study, ModelSpec(endpoint(serve_model(answer_as_planned))))


@pytest.mark.parametrize(
    ("about", "message"),
    [
        ({"reading": "mind"}, "label or the probability"),
        ({"thresholds": {"guess": 0.5}}, "apply to p"),
        ({"reading": "probability", "thresholds": {"guess": 1.5}}, "between 0 and 1"),
        ({"stages": ["sleep"]}, "no stage “sleep”"),
    ],
)
def test_what_cannot_be_asked_is_refused(study, serve_model, endpoint, about, message):
    with pytest.raises(CannotEvaluate, match=message):
        start(study, ModelSpec(endpoint(serve_model(answer_as_planned)), **about))


def test_removing_a_model_ends_its_run_and_keeps_its_calls(study, serve_model, endpoint):
    server = serve_model(answer_as_planned)
    mock = endpoint(server)
    delete_evaluator(run_model(study, mock))
    assert not Response.objects.exists()
    assert Call.objects.count() == 16
    delete_evaluator(start(study, ModelSpec(mock, label="other")))
    assert Run.objects.order_by("pk").last().state == RunState.CANCELLED
    run_model(study, mock)
    assert len(server.requests) == 16


def test_two_workers_that_miss_each_others_last_answer_are_made_good_at_the_end(study, serve_model, endpoint):
    annotator = run_model(study, endpoint(serve_model(answer_as_planned))).annotator
    Submission.objects.all().delete()
    annotator.assignments.update(stage="guess", finished_at=None)
    assert close_answered(annotator, ["guess", "read"])
    assert not annotator.assignments.open().exists()
    assert Submission.objects.count() == 4


# The command --------------------------------------------------------------------------------------------------------


def run_command(*words: str) -> str:
    out = io.StringIO()
    call_command("evaluate_study", "rivers-1", "--model", "mock", *words, stdout=out)
    return out.getvalue()


def test_the_command_drains_itself_where_no_worker_is_alive(study, serve_model, endpoint):
    endpoint(serve_model(answer_as_planned), price_in=Decimal(0), price_out=Decimal(0))
    out = run_command("--as", "small")
    assert "16 calls, 0 of them answered before" in out
    assert "“small” has judged 16 options, 16 of them now; none is missing." in out
    assert "answered everything" in run_command("--as", "small")


def test_the_command_ends_with_3_if_answers_are_missing(study, serve_model, endpoint, capsys):
    endpoint(serve_model("Das weiß ich nicht."))
    with pytest.raises(SystemExit) as ended:
        run_command("--yes")
    assert ended.value.code == 3


def test_the_command_asks_for_yes_where_calls_cost_money_or_have_no_price(study, serve_model, endpoint):
    server = serve_model(answer_as_planned)
    endpoint(server)
    with pytest.raises(CommandError, match="--yes") as refused:
        run_command()
    assert refused.value.returncode == 1
    assert not server.requests
    assert not Annotator.objects.exists()


def test_the_command_estimates_without_a_call(study, serve_model, endpoint):
    server = serve_model(answer_as_planned)
    endpoint(server, price_in=Decimal(1), price_out=Decimal(1))
    assert "USD" in run_command("--estimate")
    assert not server.requests
    assert not Annotator.objects.exists()


@pytest.mark.parametrize(("words", "kept"), [([], "repeat"), (["--on-unknown", "hold"], "hold")])
def test_the_command_says_what_becomes_of_unknown_outcomes(study, serve_model, endpoint, words, kept):
    endpoint(serve_model(answer_as_planned))
    run_command("--yes", *words)
    assert Run.objects.get().on_unknown == kept


def test_the_command_reads_thresholds(study, serve_model, endpoint):
    endpoint(serve_model(label("R", "F", 0.6)))
    run_command("--yes", "--reading", "probability", "--threshold-guess", ".7")
    assert set(Response.objects.values_list("stage", "value")) == {("guess", False), ("read", True)}


def test_an_endpoint_that_is_down_pauses_the_run_with_a_remedy(study, serve_model, endpoint, monkeypatch):
    endpoint(serve_model(lambda request: Planned(status=401, error={"message": "bad key"})))
    err = io.StringIO()
    with pytest.raises(SystemExit) as ended:
        call_command("evaluate_study", "rivers-1", "--model", "mock", "--yes", stdout=io.StringIO(), stderr=err)
    assert ended.value.code == 3
    assert "refused the key" in err.getvalue()


def test_what_is_for_models_only_is_refused_for_a_baseline(study):
    for words in (
        ["--estimate"],
        ["--budget", "1"],
        ["--reading", "label"],
        ["--threshold-read", "0"],
        ["--seen", "a"],
    ):
        with pytest.raises(CommandError, match="is for models"):
            call_command("evaluate_study", "rivers-1", "--model", "exact", *words)


def test_a_draft_is_refused_before_anything_is_counted(project, bank, serve_model, endpoint):
    make_study(project, "draft", bank, state=StudyState.DRAFT, language="de")
    endpoint(serve_model(answer_as_planned))
    with pytest.raises(CommandError, match="Launch it first"):
        call_command("evaluate_study", "draft", "--model", "mock", "--estimate")


def evaluate(study, endpoint, *words):
    return call_command("evaluate_study", study.slug, "--model", endpoint.name, "--yes", *words)


def test_options_of_the_command_are_sent_stored_and_part_of_the_evaluator(study, serve_model, endpoint):
    server = serve_model(answer_as_planned)
    model = endpoint(server)
    model.max_tokens, model.extra = 77, {"top_k": 5}
    model.save()
    evaluate(study, model, "--reasoning-effort", "low", "--extra", '{"top_p": 0.5}')
    told = {"max_tokens": 77, "reasoning_effort": "low", "extra": {"top_k": 5, "top_p": 0.5}}
    assert Evaluator.objects.get().params["request_options"] == told
    assert Run.objects.get().params["request_options"] == told
    sent = server.requests[0].body
    assert (sent["max_tokens"], sent["reasoning_effort"], sent["top_k"], sent["top_p"]) == (77, "low", 5, 0.5)
    with pytest.raises(CommandError):
        evaluate(study, model, "--max-tokens", "5")


def test_texts_that_the_study_does_not_have_are_no_seen_texts_and_nothing_is_asked(study, serve_model, endpoint):
    server = serve_model(answer_as_planned)
    model, text = endpoint(server), study.units.first().text.external_id
    with pytest.raises(CommandError, match="nowhere"):
        evaluate(study, model, "--seen", f"{text},nowhere")
    assert not Evaluator.objects.exists()
    assert not server.requests
    evaluate(study, model, "--seen", text)
    assert Evaluator.objects.get().params["seen_texts"] == [text]


@pytest.mark.slow
def test_a_run_of_unusable_replies_ends_with_3_and_goes_on_with_other_options_or_when_told(
    study, serve_model, endpoint, monkeypatch, capsys
):
    monkeypatch.setattr(reading, "FIRST_REPLIES", 4)
    monkeypatch.setattr(reading, "MOST_OUTPUT", 64)
    model = endpoint(
        serve_model(lambda request: answer_as_planned(request) if request.body["max_tokens"] > 64 else CUT_OFF)
    )
    with pytest.raises(SystemExit) as stopped:
        evaluate(study, model)
    assert stopped.value.code == 3
    assert Run.objects.get().reason == "unusable_cut"
    with pytest.raises(SystemExit):
        evaluate(study, model)
    assert Run.objects.get().state == RunState.PAUSED
    evaluate(study, model, "--max-tokens", "100")
    assert [run.state for run in Run.objects.order_by("pk")] == ["cancelled", "done"]
    assert Response.objects.count() == 16
    with pytest.raises(SystemExit) as missing:
        evaluate(study, model, "--as", "other", "--keep-going")
    assert missing.value.code == 3
    assert Run.objects.first().state == RunState.DONE


CUT_OFF = Planned("<think>It may be R", finish_reason="length")
