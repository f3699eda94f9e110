"""All options of an item in one prompt, a list of letters back."""

import pytest
import yaml

from evaluation.services.asking import ModelSpec, estimate_run, start
from evaluation.services.evaluators import CannotEvaluate
from evaluation.services.progress import get_row
from evaluation.setting import read_letter_prompts
from llm.models import Call, Run
from llm.services.draining import drain_here
from studies.models import Response, Submission
from studies.prompts import BadTemplate
from studies.services.instruments import load_shipped_sources

pytestmark = [pytest.mark.django_db, pytest.mark.database, pytest.mark.usefixtures("quick_models")]


def run_model(study, endpoint, **about):
    evaluator = start(study, ModelSpec(endpoint, answering="letters", **about))
    drain_here(Run.objects.latest("pk"))
    return evaluator


def letters_of_options(prompt: str) -> dict[str, str]:
    """Wording -> letter, of the options in a prompt."""
    lines = [line.partition(". ") for line in prompt.splitlines()]
    return {wording: letter for letter, dot, wording in lines if dot and letter in tuple("ABCDEFGH")}


def knows_the_keys(request) -> str:
    keys = {"die grüne  Stadt", "der Fluss", "die Stadt"}
    return ", ".join(letter for wording, letter in letters_of_options(request.prompt).items() if wording in keys) or "0"


def test_letters_mean_the_options_that_stood_there(study, serve_model, endpoint, answer_pattern):
    server = serve_model(knows_the_keys)
    run_model(study, endpoint(server))
    assert answer_pattern("mock", "read") == {"r1": "TFF", "r2": "TT", "c1": "FFF"}
    assert answer_pattern("mock", "guess") == answer_pattern("mock", "read")
    assert len(server.requests) == 6  # three items, twice


def test_none_is_an_answer_and_everything_is_handed_in(study, serve_model, endpoint):
    evaluator = run_model(study, endpoint(serve_model("0")))
    assert set(Response.objects.values_list("value", "probability")) == {(False, None)}
    assert Submission.objects.filter(assignment__annotator=evaluator.annotator).count() == 4


def test_a_guess_holds_the_item_only_and_a_reading_its_text(study, serve_model, endpoint, bank):
    server = serve_model("0")
    run_model(study, endpoint(server))
    for prompt in server.prompts:
        item = next(item for item in bank if item.stem in prompt)
        assert set(letters_of_options(prompt)) == set(item.options.values_list("text", flat=True))
        assert not any(other.stem in prompt for other in bank if other != item)
        assert (item.text.body in prompt) == ("nicht bekannt" not in prompt)


def test_a_reply_with_none_and_a_letter_leaves_all_options_of_the_item_missing(study, serve_model, endpoint):
    evaluator = run_model(study, endpoint(serve_model("0, A")))
    assert not Response.objects.exists()
    assert get_row(evaluator).n_missing == 16


def test_letters_are_asked_for_once_more(study, serve_model, endpoint):
    run_model(
        study, endpoint(serve_model(lambda request: "B" if len(request.body["messages"]) > 1 else "Beides geht."))
    )
    assert Response.objects.filter(value=True).count() == 6
    assert Call.objects.filter(turn=1).count() == 6


def test_an_estimate_counts_items(study, serve_model, endpoint):
    assert estimate_run(study, ModelSpec(endpoint(serve_model("0")), answering="letters")).n_calls == 6


def test_letters_have_no_probability(study, serve_model, endpoint):
    with pytest.raises(CannotEvaluate, match="Ask option by option"):
        start(study, ModelSpec(endpoint(serve_model("0")), answering="letters", reading="probability"))


def test_option_by_option_under_the_same_label_is_another_evaluator(study, serve_model, endpoint):
    mock = endpoint(serve_model("0"))
    run_model(study, mock)
    with pytest.raises(CannotEvaluate, match="a different evaluator"):
        start(study, ModelSpec(mock))


@pytest.mark.parametrize("language", ["de", "en", "eu"])
def test_the_shipped_prompts_can_be_used(language):
    content = yaml.safe_load(load_shipped_sources()[f"guess-then-read-letters/{language}"])
    prompts = read_letter_prompts(content, {"guess": False, "read": True})
    filled = {"title": "T", "body": "Der Text. {options}", "question": "Wer?", "options": "A. ich\nB. du"}
    read, guess = prompts.render("read", **filled), prompts.render("guess", **filled)
    assert read.startswith("Der Text. {options}\n\n")
    assert "Der Text. {options}" not in guess
    for prompt in (read, guess):
        assert prompt.count(": Wer?\n\nA. ich\nB. du\n\n") == 1
        assert "0" in prompt


@pytest.mark.parametrize(
    "change",
    [{"guess": "{question} {options} {text}"}, {"read": "{text} {question}"}, {"again": "{options}"}, {"read": None}],
)
def test_prompts_with_a_wrong_slot_are_refused(change):
    content = yaml.safe_load(load_shipped_sources()["guess-then-read-letters/en"])
    with pytest.raises(BadTemplate):
        read_letter_prompts(content | change, {"guess": False, "read": True})
