"""Can a model stand in for people: the tables, the verdict with its conditions, and the page."""

import json

import pytest
from django.core.management import call_command
from django.urls import reverse

from analysis.agreement.stand_in import build_stand_in_tables, describe_conditions, list_verdicts
from analysis.choices import Choices
from analysis.frames.evidence import collect_evidence
from tests.analysis.leading import behind_numbers
from tests.factory import answer, make_annotator, make_item, make_study, make_text
from tests.made_once import made_once

pytestmark = pytest.mark.slow

KEYS = "TFFF"


@pytest.fixture
def study(project):
    return make_study_with_models(project)


@made_once
def make_study_with_models(project):
    """Twelve texts with one item of four options; three people who mostly know the keys, and two models.

    `echo` answers as the first person does, `contrary` the opposite of the keys with full confidence.
    """
    items = [make_item(make_text(project, f"t{number}"), "human", f"i{number}", KEYS) for number in range(12)]
    study = make_study(project, "stand", items)
    for number in range(3):
        person = make_annotator(study, f"p{number}")
        for place, item in enumerate(items):
            answer(person, "read", item, "FTFF" if place % 4 == number else KEYS)
    echo = make_annotator(study, "echo", kind="model", reading="probability")
    contrary = make_annotator(study, "contrary", kind="model", reading="probability")
    for place, item in enumerate(items):
        answer(echo, "read", item, "FTFF" if place % 4 == 0 else KEYS, probabilities=[0.95, 0.05, 0.05, 0.05])
        answer(contrary, "read", item, "FTTT", probabilities=[0.0, 1.0, 1.0, 1.0])
    return study


def tables(study, kind="skilled", **choices):
    found = build_stand_in_tables(collect_evidence(study, Choices(seed=7, **choices)), kind)
    return {table.name: table for table in found}


def row_of(table, **wanted):
    rows = [row for row in table.rows if wanted.items() <= row.items()]
    assert len(rows) == 1
    return rows[0]


def test_a_model_that_answers_like_a_person_may_stand_in(study):
    row = row_of(tables(study)["stand_in"], evaluator="echo", question="answer")
    assert (row["passed"], row["winning_rate"]) == (True, 1.0)
    assert (row["n_people"], row["n_units"], row["n_texts"]) == (3, 48, 12)
    assert row["kappa"] > row["kappa_people"]


def test_a_model_that_says_the_opposite_may_not(study):
    table = tables(study)["stand_in"]
    row = row_of(table, evaluator="contrary", question="answer")
    assert (row["passed"], row["winning_rate"]) == (False, 0.0)
    answers = next(each for each in list_verdicts(table) if each.title == "Answer, with the text")
    assert answers.conditions[0].startswith("On 12 texts and 3 people, with ε = .15; κ between people ")
    assert [given.partition(": ")[0] for given in answers.sentences] == [
        "echo can replace an annotator",
        "No evidence yet that contrary can replace an annotator",
    ]


def test_where_people_may_agree_by_chance_alone_passing_is_said_to_mean_little(study):
    (row, *_others) = (each for each in tables(study)["stand_in"].rows if each["question"] == "answer")
    warned = "even random guesses could pass"
    assert warned not in " ".join(
        describe_conditions(row | {"kappa_people": 0.3, "people_low": 0.1, "people_high": 0.5})
    )
    assert warned in " ".join(describe_conditions(row | {"kappa_people": 0.3, "people_low": -0.1, "people_high": 0.7}))
    assert warned not in " ".join(
        describe_conditions(row | {"kappa_people": None, "people_low": None, "people_high": None})
    )


def test_whom_it_would_replace_sets_what_is_forgiven(study):
    assert {row["epsilon"] for row in tables(study, "experts")["stand_in"].rows} == {0.2}


def test_with_two_people_nothing_can_be_told_and_the_reason_is_said(study):
    study.annotators.filter(code="p2").update(purpose="pilot")
    table = tables(study)["stand_in"]
    row = row_of(table, evaluator="echo", question="answer")
    assert (row["passed"], row["winning_rate"]) == (None, None)
    (first, *_others) = (verdict for each in list_verdicts(table) for verdict in each.sentences)
    assert first.startswith("The data cannot show whether echo can replace an annotator: ")
    assert "at least three people" in first
    assert row_of(tables(study, purposes=("main", "pilot"))["stand_in"], evaluator="echo")["passed"]


def test_calibration_holds_p_against_the_keys(study):
    rows = [row for row in tables(study)["stand_in_calibration"].rows if row["evaluator"] == "echo"]
    assert [(row["n"], row["share_keys"]) for row in rows] == [(36, 0.0), (12, 1.0)]
    assert rows[0]["brier"] == pytest.approx(0.05**2)
    assert rows[0]["ece"] == pytest.approx(0.05)
    contrary = row_of(tables(study)["stand_in_calibration"], evaluator="contrary", share_keys=1.0)
    assert contrary["brier"] == 1


def test_biases_worked_by_hand(study):
    biases = tables(study)["stand_in_biases"]
    # contrary ticks 36 of 48, 12 are keys; of the first options none, all keys, of the others all, no keys.
    assert row_of(biases, evaluator="contrary", bias="yes")["excess"] == 0.5
    assert row_of(biases, evaluator="contrary", bias="first")["excess"] == -2
    assert row_of(biases, evaluator="echo", bias="yes")["excess"] == 0
    longest = row_of(biases, evaluator="echo", bias="longest")
    assert (longest["excess"], longest["reason"]) == (None, "no option has it, or every one")


def test_the_longest_option_is_found_by_its_wording(study):
    for unit in study.units.all():
        unit.items.get().options.filter(external_id="b").update(text="By far the longest of all four options of it")
    # Three of twelve times the second option was ticked and the key was not.
    found = row_of(tables(study)["stand_in_biases"], evaluator="echo", bias="longest")
    assert found["excess"] == pytest.approx(3 / 12 + 3 / 36)


def test_files_have_the_tables_where_a_model_answered(study, tmp_path, monkeypatch):
    monkeypatch.setattr("analysis.services.reporting.as_svg", lambda spec: "<svg/>")
    monkeypatch.setattr("analysis.services.reporting.as_png", lambda spec: b"")
    call_command("report", study.slug, "--out", str(tmp_path))
    rows = json.loads((tmp_path / "tables" / "stand_in.json").read_text())["rows"]
    assert {row["evaluator"] for row in rows} == {"echo", "contrary"}
    study.annotators.filter(kind="model").update(purpose="pilot")
    call_command("report", study.slug, "--out", str(tmp_path / "people"))
    assert not (tmp_path / "people" / "tables" / "stand_in.json").exists()


def test_the_page_says_the_verdicts_first(as_user, viewer, study):
    client = as_user(viewer)
    address = reverse("stand_in", args=[study.slug])
    page = client.get(address).content.decode()
    assert page.index("echo can replace an annotator") < page.index("Winning rate")
    assert "Biases" in page
    of_crowds = client.get(address, {"people": "crowd"}).content.decode()
    assert "ε = .10" in of_crowds.split('<section class="findings">')[1]
    assert address in client.get(reverse("results_compare", args=[study.slug])).content.decode()
    file = client.get(reverse("stand_in_csv", args=[study.slug, "stand_in_biases"]))
    assert file.content.startswith(b"evaluator,stage,bias")
    assert client.get(reverse("stand_in_csv", args=[study.slug, "nothing"])).status_code == 404


def test_without_models_the_page_says_so_and_strangers_see_nothing(as_user, viewer, stranger, two_annotators):
    address = reverse("stand_in", args=[two_annotators.slug])
    assert "No model or baseline has answered yet" in as_user(viewer).get(address).content.decode()
    assert as_user(stranger).get(address).status_code == 404


def test_behind_the_winning_rate_stand_the_tests_against_each_person(as_user, reviewer, study):
    client = as_user(reviewer)
    links = behind_numbers(client.get(reverse("stand_in", args=[study.slug]), {"people": "crowd"}))
    assert not [link for link in links if "number=epsilon" in link or "number=bin_" in link]
    link = next(link for link in links if "number=winning_rate" in link)
    behind = client.get(link).content.decode()
    assert "<h2>Can a model replace annotators? Winning rate</h2>" in behind
    assert "p, adjusted" in behind
    assert "people=crowd" in behind  # back to the page as it was
    assert client.get(link.replace("winning_rate", "epsilon")).status_code == 404
