"""Raw output, parse status and prompt version beside a model's answers; what is missing, with its reason."""

import csv
import io
import json

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from analysis.exports.item_evaluation import find_source
from analysis.exports.writing import export_responses, write_item_evaluation, write_unanswered
from evaluation.services.asking import ModelSpec, start
from evaluation.services.baselines import add_baseline
from evaluation.services.baselines import answer_by_baseline as let_answer
from llm.models import Run
from llm.services import runs
from llm.services.draining import drain_here
from tests.factory import answer, make_annotator
from tests.mock_server import Planned, label

pytestmark = [pytest.mark.slow, pytest.mark.django_db, pytest.mark.database, pytest.mark.usefixtures("quick_models")]
NEW = ("raw_output", "parse_status", "prompt_version")


def export_rows(study, format="csv") -> list[dict[str, str]]:
    out = io.StringIO(newline="")
    export_responses(study, format, out)
    if format == "jsonl":
        return [json.loads(line) for line in out.getvalue().splitlines()]
    return list(csv.DictReader(io.StringIO(out.getvalue(), newline="")))


def missing(study) -> list[dict[str, str]]:
    out = io.StringIO(newline="")
    write_unanswered(study, out)
    return list(csv.DictReader(io.StringIO(out.getvalue(), newline="")))


def ask_model(study, endpoint, **about):
    evaluator = start(study, ModelSpec(endpoint, **about))
    drain_here(Run.objects.latest("pk"))
    return evaluator


def seconds(request) -> str:
    """A label at the second asking only, and never about the sea."""
    if "das Meer" in str(request.body["messages"]) or len(request.body["messages"]) == 1:
        return "Schwer zu sagen."
    return "**R**"


def test_each_answer_of_a_model_says_what_was_written_how_it_was_read_and_what_was_asked(study, serve_model, endpoint):
    ask_model(study, endpoint(serve_model(label("R", "F", 0.75))))
    found = export_rows(study)
    assert len(found) == 16
    assert {tuple(row[name] for name in NEW) for row in found} == {("R", "parsed", "guess-then-read-prompt/de/1")}
    assert {row["probability"] for row in found} == {"0.75"}
    assert export_rows(study, "jsonl")[0]["parse_status"] == "parsed"


def test_an_answer_from_the_second_reply_says_so(study, serve_model, endpoint):
    ask_model(study, endpoint(serve_model(seconds)))
    assert {tuple(row[name] for name in NEW[:2]) for row in export_rows(study)} == {("**R**", "second_reply")}


def test_labels_that_are_unlikely_are_flagged_where_probabilities_count(study, serve_model, endpoint):
    vague = Planned("The", [("The", 0.6, {"The": 0.6, "R": 0.3, "F": 0.1})])
    ask_model(study, endpoint(serve_model(lambda request: vague)), reading="probability")
    assert {row["parse_status"] for row in export_rows(study)} == {"little_label_mass"}


def test_people_and_baselines_have_none_of_it(study, bank):
    answer(make_annotator(study, "ada"), "read", bank[0], "TFF", rating=3)
    let_answer(add_baseline(study, "exact"))
    assert {tuple(row[name] for name in NEW) for row in export_rows(study)} == {("", "", "")}
    assert missing(study) == []


def test_what_was_not_answered_is_listed_with_reason_and_words(study, serve_model, endpoint):
    ask_model(study, endpoint(serve_model(seconds)))
    found = missing(study)
    assert [(row["stage"], row["text_id"], row["item_id"], row["option_id"]) for row in found] == [
        ("guess", "river", "r1", "b"), ("read", "river", "r1", "b"),
    ]  # fmt: skip
    assert {(row["annotator"], row["parse_status"], row["raw_output"]) for row in found} == {
        ("mock", "unparsed", "Schwer zu sagen.")
    }
    assert {row["reason"] for row in found} == {"The reply gives no label as its answer."}
    assert {row["prompt_version"] for row in found} == {"guess-then-read-prompt/de/1"}


def test_what_was_never_asked_is_listed_as_that(study, serve_model, endpoint):
    start(study, ModelSpec(endpoint(serve_model("R"))))
    runs.cancel(Run.objects.get())
    assert {(row["parse_status"], row["raw_output"]) for row in missing(study)} == {("not_asked", "")}
    assert len(missing(study)) == 16


def test_the_same_queries_whatever_the_number_of_answers(study, serve_model, endpoint, bank):
    mock = endpoint(serve_model(lambda request: "R"))
    ask_model(study, mock, stages=["guess"])
    with CaptureQueriesContext(
        connection,
    ) as few:
        export_rows(study)
    ask_model(study, mock)
    with CaptureQueriesContext(connection) as more:
        export_rows(study)
    assert len(more) == len(few)


@pytest.mark.django_db(transaction=True)
def test_exports_outside_of_any_transaction_hold_the_same(study, serve_model, endpoint):
    """As commands and pages run them: in a snapshot of their own, on a connection that knows nothing yet."""
    ask_model(study, endpoint(serve_model(seconds)))
    connection.features.__dict__.pop("supports_json_field", None)
    assert {row["parse_status"] for row in export_rows(study)} == {"second_reply"}
    assert len(missing(study)) == 2


def test_the_item_evaluation_export_has_what_was_written_and_its_log_probabilities(study, serve_model, endpoint):
    ask_model(study, endpoint(serve_model(label("R", "F", 0.75))))
    out = io.StringIO()
    write_item_evaluation(study, find_source(study, stage="guess"), out)
    first = json.loads(out.getvalue().splitlines()[0])["items"][0]["answers"][0]["prediction"]
    assert (first["pred_correct"], first["prob_correct"], first["model_output"]) == (True, 0.75, "R")
    (token,) = first["logprobs"]
    assert token["R"] == pytest.approx(-0.393, abs=1e-3)  # ln(.75 · .9)
    assert token["F"] == pytest.approx(-1.492, abs=1e-3)  # ln(.25 · .9)


def test_the_item_evaluation_export_keeps_replies_that_hold_no_answer(study, serve_model, endpoint):
    ask_model(study, endpoint(serve_model(seconds)))
    out = io.StringIO()
    write_item_evaluation(study, find_source(study, stage="guess"), out)
    answers = [
        option["prediction"]
        for line in out.getvalue().splitlines()
        for item in json.loads(line)["items"]
        for option in item["answers"]
    ]
    assert [given["pred_correct"] for given in answers].count(None) == 1
    assert {"pred_correct": None, "prob_correct": None, "model_output": "Schwer zu sagen.", "logprobs": None} in answers
