"""Item-writing flaws are coded by rules, a model and people; rules by command and API, agreement in page and report."""

import io
import json

import pytest
from django.core.management import call_command
from django.urls import reverse

from analysis.choices import Choices
from analysis.frames.evidence import collect_evidence
from analysis.science.flaws import apply_rules
from annotation.simulation import simulate_study
from api.models import Scope
from api.services.tokens import create_token
from evaluation.services.judges import JudgeSpec, start
from evaluation.services.progress import get_row
from items.models import Generator, Item
from llm.services.draining import drain_here
from studies.models import Response
from tests.studies.world import bank, make_live_study

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("quick_models"), pytest.mark.slow]
NEGATED = "t1-alder-1"


@pytest.fixture
def study(project):
    bank(project, texts=3)
    Item.objects.filter(external_id=NEGATED).update(stem="Which bird is not named here?")
    return make_live_study(project, protocol="item-writing-flaws", params={"flaws": ["negative_stem", "ambiguous"]})


def codes_by(name):
    rows = Response.objects.filter(assignment__annotator__code=name)
    return set(rows.values_list("item__external_id", "question", "value"))


def list_planned_calls():
    items = [f"t{text}-{name}-1" for text in (1, 2, 3) for name in ("alder", "birch")]
    return {(item, "negative_stem", "yes" if item == NEGATED else "no") for item in items}


def test_rules_answer_by_the_command(study):
    out = io.StringIO()
    call_command("evaluate_study", study.slug, model="rules", label="wording", stdout=out)
    assert codes_by("wording") == list_planned_calls()
    assert "has given 6 answers" in out.getvalue()


def test_the_rule_for_gaps_is_not_asked_of_cloze_items(project):
    bank(project, texts=1, items=2)
    Item.objects.update(stem="The ferry left at ___.")
    Generator.objects.filter(name="birch").update(factors={"setting": "cloze"})
    Item.objects.filter(external_id="t1-alder-2").update(metadata={"extra": {"category": "Cloze"}})
    params = {"flaws": ["fill_in_the_blank"]}
    study = make_live_study(project, protocol="item-writing-flaws", params=params)
    call_command("evaluate_study", study.slug, model="rules", stdout=io.StringIO())
    stored = {item: value for item, _question, value in codes_by("rules")}
    cloze = dict.fromkeys(("t1-alder-2", "t1-birch-1", "t1-birch-2"), "not_applicable")
    assert stored == {"t1-alder-1": "yes"} | cloze
    marks = apply_rules(collect_evidence(study, Choices()))["fill_in_the_blank"]
    assert [item for item, mark in marks.items() if mark is None] == sorted(cloze)
    assert marks["t1-alder-1"] is True


def test_rules_answer_by_the_api(study, owner, client):
    _token, words = create_token(owner, name="test", scopes=tuple(Scope), days=1)
    answer = client.post(
        reverse("api_evaluators", args=[study.slug]), json.dumps({"model": "rules"}), "application/json",
        headers={"authorization": f"Bearer {words}"},
    )  # fmt: skip
    assert (answer.status_code, answer.json()["label"]) == (201, "rules")
    assert codes_by("rules") == list_planned_calls()


def test_a_model_and_simulated_people_stand_beside_rules(study, serve_model, endpoint, as_user, owner, tmp_path):
    """The model sees the keys marked and calls no item negated; every question is a call."""
    server = serve_model(lambda request: "2")
    judge = start(study, JudgeSpec(endpoint(server)))
    drain_here(get_row(judge).run)
    assert codes_by("mock") == {
        (item, question, "no")
        for item, _rule, _value in list_planned_calls()
        for question in ("negative_stem", "ambiguous")
    }
    options = [option.text for option in Item.objects.get(external_id=NEGATED).options.all()]
    prompt = next(prompt for prompt in server.prompts if "Which bird is not named here?" in prompt)
    assert all(text in prompt for text in options)
    simulate_study(study, 3, 1)
    call_command("evaluate_study", study.slug, model="rules", stdout=io.StringIO())
    call_command("report", study.slug, "--out", str(tmp_path), "--include", "simulated", stdout=io.StringIO())
    rows = json.loads((tmp_path / "tables/flaw_codes.json").read_text())["rows"]
    assert {row["evaluator"] for row in rows} == {"human", "mock", "rules"}
    rules, model = (
        next(row for row in rows if (row["evaluator"], row["question"]) == (name, "negative_stem"))
        for name in ("rules", "mock")
    )
    assert (rules["n_yes"], model["n_yes"]) == (1, 0)
    assert rules["percent"] is not None or rules["reason"]
    page = as_user(owner).get(reverse("study_table_page", args=[study.slug, "flaw_codes"]), {"include": "simulated"})
    assert all(name in page.content.decode() for name in ("mock", "rules"))
