"""Candidates, a model that guesses and answers them, and what is kept of them."""

import io

import pytest
from bs4 import BeautifulSoup
from django.core.management import CommandError, call_command

from evaluation.services.asking import ModelSpec, start
from evaluation.services.evaluators import CannotEvaluate
from generation.models import Selection
from generation.services.selecting import (
    CandidateScore,
    choose_best,
    ensure_selections,
    judge_candidates,
    select_candidates,
)
from generation.services.storing import CannotGenerate
from items.models import Generator, GeneratorKind, Item
from items.services.editing import create_item
from items.values import ItemValues, OptionValues
from llm.models import Endpoint, Run
from llm.services.draining import drain_here
from studies.models import Study, StudyState
from studies.services.evaluating import is_same_model
from tests.factory import make_generator, make_study, make_text

pytestmark = pytest.mark.django_db
TEXT_IS_SHOWN = "According to the text"


# The rule


def make_score(name, answered, guessed) -> CandidateScore:
    return CandidateScore(name, answered, guessed)


def names_of_best(candidates, n) -> list[str]:
    return [each.name for each in choose_best(candidates, n)]


def test_the_most_informative_are_kept_in_their_order():
    rows = [make_score("a", 1.0, 1.0), make_score("b", 1.0, 0.0), make_score("c", 0.5, 0.0), make_score("d", 1.0, 0.25)]
    assert names_of_best(rows, 2) == ["b", "d"]


def test_equal_informativity_goes_by_answerability_then_by_order():
    rows = [make_score("a", 0.5, 0.0), make_score("b", 1.0, 0.5), make_score("c", 1.0, 0.5)]
    assert names_of_best(rows, 1) == ["b"]
    assert names_of_best(rows, 2) == ["b", "c"]


def test_what_was_not_answered_in_full_is_not_kept():
    rows = [make_score("a", 1.0, None), make_score("b", None, 0.0), make_score("c", 0.0, 1.0)]
    assert names_of_best(rows, 3) == ["c"]


# A selection


@pytest.fixture
def candidates(project) -> Generator:
    """Three candidates on one text: guessable, informative, not answerable; see `selector`."""
    text = make_text(project, "t1")
    generator = make_generator(project, "writer · candidates", kind=GeneratorKind.MODEL)
    generator.factors = {"family": "writer", "model": "writer-1"}
    generator.save()
    for name in ("guessable", "good", "bad"):
        options = (OptionValues("", f"{name} yes", True, "Because."), OptionValues("", f"{name} no", False))
        create_item(text, ItemValues(f"Which is {name}?", generator.name, options), name)
    return generator


def reply(request) -> str:
    """Right about “guessable” always, about “good” only with the text, about “bad” never."""
    words = request.prompt
    is_right = "guessable" in words or ("good" in words and TEXT_IS_SHOWN in words)
    is_key = " yes" in words
    return "C" if is_key == is_right else "I"


@pytest.fixture
def selector(serve_model, endpoint):
    return endpoint(serve_model(reply), model="org/Selector-7B")


@pytest.fixture
def selection(candidates, selector) -> Selection:
    """Answered by the selector."""
    selection = ensure_selections(candidates)[0]
    start(selection.study, ModelSpec(selector))
    drain_here(Run.objects.get())
    return selection


def test_candidates_get_a_study_that_no_person_can_join(candidates):
    study = ensure_selections(candidates)[0].study
    assert study.state == StudyState.CLOSED
    assert {item.external_id for unit in study.units.all() for item in unit.items.all()} == {"guessable", "good", "bad"}


def test_the_same_candidates_keep_their_study(candidates):
    assert ensure_selections(candidates) == ensure_selections(candidates)
    assert Study.objects.count() == 1


def test_the_best_is_copied_with_explanations_and_why_and_all_candidates_stay(selection):
    found = select_candidates(selection, selection.study.annotators.get(), 1)
    shares = {each.item.external_id: (each.judged.answerability, each.judged.guessability) for each in found}
    assert shares == {"guessable": (1.0, 1.0), "good": (1.0, 0.0), "bad": (0.0, 0.0)}
    selection.refresh_from_db()
    item = Item.objects.get(generator=selection.selected)
    assert item.stem == "Which is good?"
    assert item.options.first().explanation == "Because."
    assert item.metadata["selected"] == {
        "by": "org/Selector-7B", "study": selection.study.slug, "candidate": "good", "candidates": 3,
        "answerability": 1.0, "guessability": 0.0,
    }  # fmt: skip
    assert selection.selected.factors["selector"] == "org/Selector-7B"
    assert Item.objects.filter(generator=selection.candidates).current().count() == 3


def test_nothing_is_selected_twice(selection):
    annotator = selection.study.annotators.get()
    select_candidates(selection, annotator, 1)
    with pytest.raises(CannotGenerate, match="org/Selector-7B has already selected"):
        select_candidates(selection, annotator, 2)


def test_without_answers_nothing_is_kept(candidates, selector):
    selection = ensure_selections(candidates)[0]
    start(selection.study, ModelSpec(selector))
    with pytest.raises(CannotGenerate, match="has answered no candidate completely"):
        select_candidates(selection, selection.study.annotators.get(), 1)
    assert [each.is_kept for each in judge_candidates(selection, selection.study.annotators.get(), 1)] == [False] * 3


# Whoever selected does not report


@pytest.fixture
def report(selection, project) -> Study:
    select_candidates(selection, selection.study.annotators.get(), 1)
    selection.refresh_from_db()
    return make_study(project, "report", Item.objects.filter(generator=selection.selected).select_related("text"))


def test_the_selector_is_refused_as_evaluator_with_the_reason(report, selector):
    with pytest.raises(CannotEvaluate, match="would make the items look"):
        start(report, ModelSpec(selector))
    assert not report.annotators.exists()


def test_the_same_model_at_another_address_is_refused_too(report):
    other = Endpoint.objects.create(name="other", base_url="http://127.0.0.1:9/v1", model="selector-7b")
    with pytest.raises(CannotEvaluate, match="Use another model"):
        start(report, ModelSpec(other))


def test_another_model_reports(report):
    other = Endpoint.objects.create(name="other", base_url="http://127.0.0.1:9/v1", model="reporter-7b")
    assert start(report, ModelSpec(other)).annotator.model == "reporter-7b"


def test_the_page_says_why(as_user, researcher, report):
    Endpoint.objects.create(name="other", base_url="http://127.0.0.1:9/v1", model="reporter-7b")
    page = as_user(researcher).get("/s/report/evaluators/model/").content.decode()
    assert "org/Selector-7B selected" in page


@pytest.mark.parametrize(("other", "same"), [("Selector-7B", True), ("x/selector-7b", True), ("Selector-8B", False)])
def test_a_model_is_known_by_the_end_of_its_name(other, same):
    assert is_same_model("org/Selector-7B", other) is same


# Command and pages


def run_command(*words: str) -> str:
    out = io.StringIO()
    call_command("select_items", "--project", "rivers", *words, stdout=out, stderr=out)
    return out.getvalue()


def test_the_command_asks_selects_and_says_what_is_left_to_do(candidates, selector):
    output = run_command("--candidates", candidates.name, "--model", "mock", "--keep", "1", "--yes")
    assert "12 calls" in output
    assert "Kept 1 of 3 candidates on 1 texts as items of “writer · best by mock”" in output
    assert "another model has to report" in output
    assert "selected “writer · best by mock” before" in run_command(
        "--candidates", candidates.name, "--model", "mock", "--keep", "1", "--yes"
    )


def test_an_estimate_leaves_nothing_behind(candidates, selector):
    assert "12 calls" in run_command("--candidates", candidates.name, "--model", "mock", "--estimate")
    assert not Study.objects.exists()
    assert not Selection.objects.exists()


def test_unknown_candidates_are_refused_with_those_there_are(candidates, selector):
    with pytest.raises(CommandError, match="there are: writer · candidates"):
        run_command("--candidates", "nobody", "--model", "mock")


def test_by_page_from_the_candidates_to_the_best(as_user, researcher, candidates, selector):
    client = as_user(researcher)
    page = client.post(f"/p/rivers/generators/{candidates.pk}/select/", follow=True)
    assert "No model has answered yet" in page.content.decode()
    selection = Selection.objects.get()
    start(selection.study, ModelSpec(selector))
    drain_here(Run.objects.get())
    url = f"/p/rivers/selections/{selection.pk}/"
    client.post(url, {"selector": selection.study.annotators.get().pk, "n": 1})
    rows = BeautifulSoup(client.get(url).content, "html.parser").select("tbody tr")
    assert [[cell.get_text(strip=True) for cell in row.select("td")][1:] for row in rows] == [
        ["Which is guessable?", "1.00", "1.00", "0.00", ""],
        ["Which is good?", "1.00", "0.00", "1.00", "kept"],
        ["Which is bad?", "0.00", "0.00", "0.00", ""],
    ]
