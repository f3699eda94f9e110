"""The item-evaluation export: one evaluator, one stage, a prediction at each option, and back into the bank."""

import io
import json

import pytest
from django.core.management import CommandError, call_command

from analysis.choices import BadChoice
from analysis.exports.item_evaluation import find_source, list_token_logprobs
from analysis.exports.writing import write_item_evaluation
from items.models import Item, Text
from projects.models import Project
from tests.factory import answer, make_annotator


def export_rows(study, **chosen):
    out = io.StringIO()
    write_item_evaluation(study, find_source(study, **chosen), out)
    return [json.loads(line) for line in out.getvalue().splitlines()]


@pytest.fixture
def gpt(two_annotators, items):
    """A model that has answered one item without the text, and another with it."""
    gpt = make_annotator(two_annotators, "gpt", kind="model", model="gpt-9", reading="probability")
    answer(gpt, "guess", items["c1"], "FF", probabilities=(0.4, 0.1))
    answer(gpt, "read", items["h1"], "TF", probabilities=(0.9, 0.2))
    return gpt


def test_each_text_is_a_line_with_the_items_of_the_study(two_annotators, gpt):
    found = export_rows(two_annotators, stage="guess")
    assert [line["id"] for line in found] == ["t1", "t2"]
    assert [item["id"] for item in found[0]["items"]] == ["c1", "h1"]


def test_a_prediction_says_what_was_answered_and_how_probable(two_annotators, gpt):
    first, second = export_rows(two_annotators, stage="guess")[0]["items"][0]["answers"]
    assert first["correct"] is True
    assert first["prediction"] == {
        "pred_correct": False, "prob_correct": 0.4, "model_output": None, "logprobs": None,
    }  # fmt: skip
    assert second["prediction"]["prob_correct"] == 0.1


def test_what_was_never_asked_has_no_prediction(two_annotators, gpt):
    assert export_rows(two_annotators, stage="guess")[0]["items"][1]["answers"][0]["prediction"] is None


def test_the_metadata_say_setting_and_model(two_annotators, gpt):
    metadata = export_rows(two_annotators, stage="read")[0]["metadata"]
    assert (metadata["dataset"], metadata["split"]) == ("tiny", "")
    assert metadata["extra"] == {
        "study": "tiny", "setting": "read", "evaluator": "gpt", "model": "gpt-9", "reading": "probability",
    }  # fmt: skip


def test_items_say_whether_several_options_may_be_right(two_annotators, gpt):
    assert export_rows(two_annotators, stage="read")[0]["items"][0]["multiple"] is True


def test_an_ambiguous_wish_is_refused_with_all_choices(two_annotators, gpt):
    with pytest.raises(BadChoice, match="evaluator gpt, stage guess; evaluator gpt, stage read"):
        find_source(two_annotators)


def test_a_wish_that_nothing_fulfils_is_refused_with_all_choices(two_annotators, gpt):
    with pytest.raises(BadChoice, match=r"no such answers.*evaluator gpt, stage read"):
        find_source(two_annotators, evaluator="ada")


def test_a_study_without_models_says_so(two_annotators):
    with pytest.raises(BadChoice, match="none has answered this study"):
        find_source(two_annotators)


def test_the_command_writes_the_file_and_refuses_what_is_ambiguous(two_annotators, gpt, tmp_path):
    file = tmp_path / "gpt.jsonl"
    call_command("export_responses", "tiny", format="item-evaluation", stage="read", out=str(file))
    assert len(file.read_text().splitlines()) == 2
    with pytest.raises(CommandError, match="the answers of one evaluator in one stage"):
        call_command("export_responses", "tiny", format="item-evaluation")
    with pytest.raises(CommandError, match="belong to"):
        call_command("export_responses", "tiny", stage="read")


def test_the_bank_takes_the_file_again(two_annotators, gpt, tmp_path):
    file = tmp_path / "gpt.jsonl"
    call_command("export_responses", "tiny", format="item-evaluation", stage="read", out=str(file))
    call_command("import_items", str(file), project="rivers", verbosity=0)
    assert (Text.objects.count(), Item.objects.count()) == (2, 4)
    assert Text.objects.first().metadata == {}
    other = Project.objects.create(slug="lakes", title="Lakes")
    call_command("import_items", str(file), project="lakes", verbosity=0)
    assert set(Item.objects.filter(project=other).values_list("external_id", flat=True)) == {"c1", "h1", "c2", "h2"}


def test_log_probabilities_are_a_mapping_per_token():
    assert list_token_logprobs([["R", -0.1, [["R", -0.1], ["F", -2.3]]], [".", -0.2, []]]) == [
        {"R": -0.1, "F": -2.3},
        {".": -0.2},
    ]
    assert list_token_logprobs(None) is None
