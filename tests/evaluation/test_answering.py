"""Baselines answer a study: which answers, in which stages, once, and never from an item's own key."""

import pytest

from evaluation.models import Evaluator
from evaluation.services import baselines
from evaluation.services.baselines import add_baseline, answer_by_baseline
from evaluation.services.evaluators import CannotEvaluate, delete_evaluator
from items.models import Option
from studies.models import Annotator, Assignment, Response, StudyState, Submission
from studies.services.instruments import find_version
from studies.services.states import WrongState
from tests.factory import answer as answer_as_person
from tests.factory import make_annotator, make_item, make_study, make_text

pytestmark = [pytest.mark.django_db, pytest.mark.database]


def run_baseline(study, method, **about) -> Evaluator:
    evaluator = add_baseline(study, method, **about)
    assert answer_by_baseline(evaluator)
    return evaluator


def test_majority_answers_both_stages_with_the_label_of_the_other_text(study, answer_pattern):
    run_baseline(study, "majority")
    # River: 3 of 5 options are keys; castle: 1 of 3. Each gets what holds on the other.
    assert answer_pattern("majority", "read") == {"r1": "FFF", "r2": "FF", "c1": "TTT"}
    assert answer_pattern("majority", "guess") == answer_pattern("majority", "read")


def test_majority_never_uses_a_key_of_the_same_text(study, answer_pattern):
    """Whatever the keys of the river are, what is said about the river stays the same."""
    run_baseline(study, "majority", label="before")
    for option in Option.objects.filter(item__text__external_id="river"):
        Option.objects.filter(pk=option.pk).update(correct=not option.correct)
    run_baseline(study, "majority", label="after")
    before, after = answer_pattern("before", "read"), answer_pattern("after", "read")
    assert (before["r1"], before["r2"]) == (after["r1"], after["r2"])
    assert before["c1"] == "TTT"
    assert after["c1"] == "FFF"  # now 2 of 5


def test_majority_needs_a_second_text(project):
    alone = make_study(project, "alone", [make_item(make_text(project, "t"), "hand", "i")])
    with pytest.raises(CannotEvaluate, match="only one"):
        add_baseline(alone, "majority")
    assert not Annotator.objects.exists()


def test_exact_answers_with_the_text_only(study, answer_pattern):
    run_baseline(study, "exact")
    assert answer_pattern("exact", "read") == {"r1": "TFF", "r2": "TF", "c1": "FTF"}
    assert answer_pattern("exact", "guess") == {}


def test_fuzzy_ticks_every_near_option_where_items_differ_in_keys(study, answer_pattern):
    evaluator = run_baseline(study, "fuzzy")
    assert evaluator.params == {"rule": "threshold", "threshold": 0.8}
    assert answer_pattern("fuzzy", "read") == {"r1": "TFF", "r2": "TT", "c1": "TTF"}
    assert answer_pattern("fuzzy", "guess") == {}


def test_fuzzy_lets_the_best_match_win_where_every_item_has_one_key(project, write, answer_pattern):
    text = make_text(project, "castle", body="Die alte Burg steht auf dem Berg, nicht im Tal.")
    items = [write(text, "c1", "auf dem Berge", "*im Tal", "am See"), write(text, "c2", "*Katzen", "Hunde und Mäuse")]
    evaluator = run_baseline(make_study(project, "one-key", items), "fuzzy")
    assert evaluator.params["rule"] == "best"
    ticks = answer_pattern("fuzzy", "read")
    assert ticks["c1"] == "FTF"
    assert ticks["c2"].count("T") == 1


def test_a_key_corrected_later_does_not_change_the_rule_of_a_fuzzy_evaluator(study):
    evaluator = add_baseline(study, "fuzzy")
    Option.objects.filter(item__external_id="r2", external_id="b").update(correct=False)
    assert add_baseline(study, "fuzzy").params == evaluator.params == {"rule": "threshold", "threshold": 0.8}


def test_a_matcher_asked_to_guess_is_refused(study):
    with pytest.raises(CannotEvaluate, match="with the text, so it cannot answer"):
        add_baseline(study, "exact", stages=["guess"])
    assert not Annotator.objects.exists()


def test_a_baseline_is_an_annotator_with_an_assignment_for_each_text(study):
    annotator = run_baseline(study, "majority", label="base").annotator
    assert (annotator.kind, annotator.code, annotator.reading, annotator.model) == (
        "baseline",
        "base",
        "label",
        "majority",
    )
    assert annotator.purpose == "main"
    assignments = annotator.assignments.all()
    assert [assignment.unit.text.external_id for assignment in assignments] == ["river", "castle"]
    assert all(assignment.finished_at and assignment.stage == "done" for assignment in assignments)
    stages = Submission.objects.filter(assignment__annotator=annotator).values_list("stage", flat=True)
    assert sorted(stages) == ["guess", "guess", "read", "read"]


def test_a_matcher_hands_in_no_guess_stage_and_is_finished(study):
    annotator = run_baseline(study, "exact").annotator
    assert set(Submission.objects.filter(assignment__annotator=annotator).values_list("stage", flat=True)) == {"read"}
    assert not annotator.assignments.open().exists()


def test_a_baseline_says_nothing_about_being_unsure_rates_nothing_and_has_no_probability(study):
    run_baseline(study, "majority")
    assert set(Response.objects.values_list("question", "unsure", "probability")) == {("answer", None, None)}


def test_nobody_can_answer_as_a_baseline_through_a_link(study, project, client):
    study.instrument_version = find_version("guess-then-read/de", project)
    study.save()
    annotator = add_baseline(study, "majority").annotator
    assert client.get(annotator.get_link()).status_code == 410
    client.post(annotator.get_link())
    annotator.refresh_from_db()
    assert annotator.joined_at is None


def test_the_same_baseline_again_changes_nothing(study):
    first = run_baseline(study, "exact")
    rows = list(Response.objects.order_by("pk").values())
    second = run_baseline(study, "exact")
    assert second == first
    assert list(Response.objects.order_by("pk").values()) == rows
    assert Annotator.objects.count() == 1


def test_what_was_interrupted_is_gone_on_with_and_nothing_is_answered_twice(study, answer_pattern, monkeypatch):
    evaluator = add_baseline(study, "majority")
    assert not answer_by_baseline(evaluator, seconds=0)  # one text, then the time is up
    assert answer_pattern("majority", "read") == {"r1": "FFF", "r2": "FF"}
    assert [a.unit.text.external_id for a in evaluator.annotator.assignments.open()] == ["castle"]
    assert answer_by_baseline(evaluator, seconds=0)
    assert answer_pattern("majority", "read") == {"r1": "FFF", "r2": "FF", "c1": "TTT"}
    assert Response.objects.count() == 16


def test_half_a_text_that_was_stored_is_completed(study, answer_pattern):
    evaluator = run_baseline(study, "exact")
    Response.objects.filter(item__external_id="r1", option__external_id="b").delete()
    Submission.objects.all().delete()
    evaluator.annotator.assignments.update(stage="guess", finished_at=None)
    assert answer_by_baseline(evaluator)
    assert answer_pattern("exact", "read")["r1"] == "TFF"
    assert Submission.objects.count() == 2


def test_a_stage_that_is_asked_for_later_is_added(study, answer_pattern):
    run_baseline(study, "majority", stages=["read"])
    assert answer_pattern("majority", "guess") == {}
    evaluator = run_baseline(study, "majority", stages=["guess"])
    assert evaluator.stages == ["guess", "read"]
    assert answer_pattern("majority", "guess") == {"r1": "FFF", "r2": "FF", "c1": "TTT"}
    assert Response.objects.count() == 16
    assert not evaluator.annotator.assignments.open().exists()


def test_one_label_is_one_evaluator(study):
    add_baseline(study, "exact", label="match")
    with pytest.raises(CannotEvaluate, match="a different evaluator"):
        add_baseline(study, "fuzzy", label="match")


def test_a_label_that_an_annotator_has_is_refused(study):
    make_annotator(study, "Anna")
    with pytest.raises(CannotEvaluate, match="annotator “Anna”"):
        add_baseline(study, "exact", label="Anna")


@pytest.mark.parametrize("label", ["human", "Human:students", "P07", "sim-1", "pilot-2", "preview-3"])
def test_a_label_that_means_people_is_refused(study, label):
    with pytest.raises(CannotEvaluate, match="Tables use"):
        add_baseline(study, "exact", label=label)


@pytest.mark.parametrize("label", ["a,b", "a\nb", "x" * 201])
def test_a_label_that_no_table_or_command_can_carry_is_refused(study, label):
    with pytest.raises(CannotEvaluate, match="A label may"):
        add_baseline(study, "exact", label=label)


def test_the_same_label_may_be_used_in_another_study(study, project, bank):
    run_baseline(study, "exact")
    run_baseline(make_study(project, "rivers-2", bank, language="de"), "exact")
    assert Annotator.objects.filter(code="exact").count() == 2


@pytest.mark.parametrize("state", [StudyState.LIVE, StudyState.PAUSED, StudyState.CLOSED, StudyState.IMPORTED])
def test_a_launched_study_takes_evaluators_in_every_state(project, bank, state):
    run_baseline(make_study(project, "any", bank, state=state), "exact")
    assert Response.objects.count() == 8


def test_a_draft_takes_no_evaluator(project, bank):
    draft = make_study(project, "draft", bank, state=StudyState.DRAFT)
    with pytest.raises(WrongState, match="Launch it first"):
        add_baseline(draft, "exact")


def test_removing_takes_the_answers_and_leaves_everybody_elses(study, bank):
    person = make_annotator(study, "Anna")
    answer_as_person(person, "read", bank[0], "TFF")
    run_baseline(study, "exact")
    delete_evaluator(run_baseline(study, "majority"))
    assert set(Annotator.objects.values_list("code", flat=True)) == {"Anna", "exact"}
    assert set(Response.objects.values_list("assignment__annotator__code", flat=True)) == {"Anna", "exact"}
    assert Assignment.objects.filter(annotator__code="majority").count() == 0
    run_baseline(study, "majority")


def test_a_study_of_many_texts_is_answered_in_batches(project, monkeypatch, answer_pattern):
    monkeypatch.setattr(baselines, "BATCH", 2)
    items = [make_item(make_text(project, f"t{number}"), "hand", f"i{number}", "TF") for number in range(5)]
    run_baseline(make_study(project, "many", items), "majority")
    assert answer_pattern("majority", "read") == {f"i{number}": "FF" for number in range(5)}
