"""Behind label mass and the order of pairs stand the calls of models, for those who may read single replies."""

import csv
import io
import re

import pytest
from django.urls import reverse

from analysis.choices import Choices
from analysis.frames.evidence import collect_evidence
from analysis.reports.labels import build_label_mass
from analysis.services.reporting import build_full_report, drill_down
from evaluation.services import asking, judges
from evaluation.services.asking import ModelSpec
from evaluation.services.judges import JudgeSpec
from llm.models import Call, Run
from llm.services.draining import drain_here
from tests import pairs
from tests.analysis.leading import behind_numbers
from tests.factory import make_item, make_study, make_text
from tests.mock_server import Planned, label

pytestmark = [pytest.mark.slow, pytest.mark.django_db, pytest.mark.database, pytest.mark.usefixtures("quick_models")]


def vague_about_the_second(request) -> Planned:
    """Little mass on the labels where the option ends with 2, else nearly all."""
    if "2" in request.prompt.split("\nAntwort: ")[-1].split("\n")[0]:
        return Planned("The", [("The", 0.7, {"The": 0.7, "R": 0.2, "F": 0.1})])
    return label("R", "F", 0.75)


@pytest.fixture
def asked_study(project, serve_model, endpoint):
    """A study of two items, about which a model was asked with probabilities."""
    items = [make_item(make_text(project, f"t{n}", language="de"), "hand", f"i{n}", "TF") for n in (1, 2)]
    study = make_study(project, "asked", items, language="de")
    asking.start(study, ModelSpec(endpoint(serve_model(vague_about_the_second)), reading="probability"))
    drain_here(Run.objects.latest("pk"))
    return study


@pytest.fixture
def pairs_study(project, serve_model, endpoint):
    """A study of pairs, judged by a model that always prefers what stands first."""
    study = pairs.make_study_with_bank(project)
    judges.start(study, JudgeSpec(endpoint(serve_model("A"))))
    drain_here(Run.objects.latest("pk"))
    return study


def rows(study, table, row, column):
    return drill_down(collect_evidence(study, Choices(seed=1)), table, row, column).rows


def test_the_calls_give_the_label_mass_again_the_least_first(asked_study):
    for row in build_label_mass(asked_study, ("main",)).rows:
        found = [call["mass"] for call in rows(asked_study, "label_mass", row, "mean")]
        assert len(found) == row["n"] == 4
        assert found == sorted(found)
        assert (sum(found) / len(found), found[0]) == pytest.approx((row["mean"], row["least"]))


def test_behind_the_count_of_little_mass_stand_those_calls_alone(asked_study):
    (row, _other) = build_label_mass(asked_study, ("main",)).rows
    found = rows(asked_study, "label_mass", row, "low")
    assert len(found) == row["low"] > 0
    assert {call["raw_output"] for call in found} == {"The"}
    assert all(call["mass"] == pytest.approx(0.3) for call in found)


def test_each_call_is_the_one_that_the_answer_was_read_from(asked_study):
    (row, _other) = build_label_mass(asked_study, ("main",)).rows
    for found in rows(asked_study, "label_mass", row, "mean"):
        run, pk = map(int, found["call"].split("/"))
        call = Call.objects.get(run=run, pk=pk)
        assert (call.text, call.parsed["label mass"]) == (found["raw_output"], found["mass"])


def test_the_pairs_in_both_orders_give_the_share_that_flipped(pairs_study):
    row = order_of_pairs(pairs_study)
    found = rows(pairs_study, "position_bias", row, "share_flipped")
    assert len(found) == row["n"]
    assert sum(pair["flipped"] for pair in found) / len(found) == row["share_flipped"] == 1
    assert all((pair["better"], pair["better_swapped"]) == (pair["item_a"], pair["item_b"]) for pair in found)


def test_the_replies_with_a_winner_give_the_share_of_the_item_shown_first(pairs_study):
    row = order_of_pairs(pairs_study)
    found = rows(pairs_study, "position_bias", row, "n_decided")
    assert len(found) == row["n_decided"]
    assert sum(reply["names_first"] for reply in found) / len(found) == row["share_first"]
    assert all(reply["better"] == reply["shown_first"] for reply in found)
    shown = {(reply["shown_first"], reply["shown_second"]) for reply in found}
    assert shown == {(second, first) for first, second in shown}


def order_of_pairs(study):
    evidence = collect_evidence(study, Choices(seed=1))
    (row,) = next(table.rows for table in build_full_report(evidence).tables if table.name == "position_bias")
    return row


@pytest.mark.parametrize(
    ("which", "page", "table"),
    [("asked_study", "stand_in", "label_mass"), ("pairs_study", "results_details", "position_bias")],
)
def test_reviewers_come_from_each_number_to_the_calls_as_page_and_file(
    which, page, table, request, as_user, reviewer, viewer
):
    study = request.getfixturevalue(which)
    client = as_user(reviewer)
    links = [link for link in behind_numbers(client.get(reverse(page, args=[study.slug]))) if f"table={table}&" in link]
    assert links
    for link in links:
        behind_it = client.get(link)
        assert behind_it.status_code == 200, link
        call = re.search(r'href="(/runs/\d+/calls/\d+/)"', behind_it.content.decode())
        assert client.get(call[1]).status_code == 200
        file = client.get(link.replace("/judgments/", "/judgments.csv"))
        assert {"raw_output", "call"} <= set(next(csv.reader(io.StringIO(file.content.decode()))))
    assert as_user(viewer).get(links[0]).status_code == 404
    assert f"table={table}&" not in as_user(viewer).get(reverse(page, args=[study.slug])).content.decode()


def test_the_label_mass_is_a_file_too_and_other_names_are_none(asked_study, as_user, viewer):
    client = as_user(viewer)
    content = client.get(reverse("stand_in_csv", args=[asked_study.slug, "label_mass"])).content.decode()
    assert [row["n"] for row in csv.DictReader(io.StringIO(content, newline=""))] == ["4", "4"]
    assert client.get(reverse("stand_in_csv", args=[asked_study.slug, "informativity"])).status_code == 404
