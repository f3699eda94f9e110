"""The command evaluate_study: what it says, and with which code it ends."""

import io

import pytest
from django.core.management import CommandError, call_command

from evaluation.management.commands import evaluate_study
from evaluation.services.baselines import add_baseline, answer_by_baseline
from studies.models import Annotator, Response, StudyState
from tests.factory import make_study

pytestmark = pytest.mark.django_db


def run(*words: str) -> str:
    out = io.StringIO()
    call_command("evaluate_study", *words, stdout=out)
    return out.getvalue().strip()


def test_a_baseline_answers_and_the_command_says_how_much(study):
    assert (
        run("rivers-1", "--model", "majority") == "“majority” has judged 16 options, 16 of them now; none is missing."
    )
    assert (
        run("rivers-1", "--model", "exact", "--as", "words")
        == "“words” has judged 8 options, 8 of them now; none is missing."
    )


def test_only_the_stages_that_were_named_are_answered(study):
    run("rivers-1", "--model", "majority", "--stages", "read")
    assert set(Response.objects.values_list("stage", flat=True)) == {"read"}


def test_a_second_run_of_the_same_says_so_and_changes_nothing(study):
    run("rivers-1", "--model", "exact")
    rows = list(Response.objects.order_by("pk").values())
    assert "answered everything" in run("rivers-1", "--model", "exact")
    assert list(Response.objects.order_by("pk").values()) == rows


def test_a_second_run_completes_what_was_left(study):
    answer_by_baseline(add_baseline(study, "majority"), seconds=0)
    assert run("rivers-1", "--model", "majority") == "“majority” has judged 16 options, 6 of them now; none is missing."


def test_it_ends_with_3_if_answers_are_missing(study, monkeypatch):
    monkeypatch.setattr(
        evaluate_study, "answer_by_baseline", lambda evaluator: answer_by_baseline(evaluator, seconds=0)
    )
    with pytest.raises(SystemExit) as ended:
        run("rivers-1", "--model", "majority")
    assert ended.value.code == 3


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["nowhere", "--model", "exact"], "no study “nowhere”"),
        (["rivers-1", "--model", "oracle"], "no model “oracle”; there are: majority, exact, fuzzy"),
        (["rivers-1", "--model", "exact", "--stages", "guess"], "with the text, so it cannot answer"),
        (["rivers-1", "--model", "exact", "--stages", "sleep"], "no stage “sleep”"),
        (["rivers-1", "--model", "exact", "--as", "human"], "Tables use"),
    ],
)
def test_what_cannot_be_is_refused_with_a_sentence_and_leaves_nothing(study, words, message):
    with pytest.raises(CommandError, match=message) as refused:
        run(*words)
    assert refused.value.returncode == 1
    assert not Annotator.objects.exists()


def test_a_draft_is_refused(project, bank):
    make_study(project, "draft", bank, state=StudyState.DRAFT)
    with pytest.raises(CommandError, match="Launch it first"):
        run("draft", "--model", "exact")
