"""Models that judge stand beside people in the reports: apart, and never in the agreement of people."""

import pytest
from django.utils import timezone

from analysis.choices import Choices
from analysis.frames.evidence import collect_evidence
from analysis.plugins import find_plugin
from evaluation.services.calls import PositionBias
from studies.models import Assignment, Response
from studies.models.people import DONE
from studies.services.responses.importing import import_responses
from tests import dimensions, pairs, stopping
from tests.factory import make_annotator
from tests.studies.answer_files import as_csv

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


def say(annotator, unit, values: dict[tuple[str, str], object]) -> None:
    """Answers of an annotator about a unit: by item and question."""
    study = annotator.study
    stage = {"pairwise": "compare", "dimension-ratings": "rate"}[study.protocol]
    assignment = Assignment.objects.create(
        annotator=annotator, unit=unit, position=unit.position, stage=DONE, finished_at=timezone.now()
    )
    items = {item.external_id: item for item in unit.items.all()}
    Response.objects.bulk_create(
        Response(
            assignment=assignment,
            stage=stage,
            question=question,
            item=items[item],
            value=value,
            instrument_version=study.instrument_version,
        )
        for (item, question), value in values.items()
    )


def pair_of(unit) -> tuple[str, str]:
    one, other = (row.item.external_id for row in unit.unit_items.order_by("position"))
    return one, other


def tables(study, **choices) -> dict[str, list[dict]]:
    evidence = collect_evidence(study, Choices(seed=1, **choices))
    return {table.name: list(table.rows) for table in find_plugin(study.protocol).report(evidence).tables}


@pytest.fixture
def pairs_study(project):
    """One person and one model that call every first item better, but for the model's ties on the first text."""
    study = pairs.make_study_with_bank(project)
    person = make_annotator(study, "ada")
    model = make_annotator(study, "judge-x", kind="model")
    for unit in study.units.all():
        one, _other = pair_of(unit)
        say(person, unit, {(one, "better"): one})
        say(model, unit, {(one, "better"): "tie" if unit.text.external_id == "external-p1" else one})
    return study


def test_wins_of_models_stand_apart_from_those_of_people(pairs_study):
    found = tables(pairs_study)
    assert sum(row["n"] for row in found["wins"]) == 30
    assert sum(row["ties"] for row in found["wins"]) == 0
    assert {row["evaluator"] for row in found["judge_wins"]} == {"judge-x"}
    assert sum(row["n"] for row in found["judge_wins"]) == 30
    assert sum(row["ties"] for row in found["judge_wins"]) == pairs.PAIRS
    assert {row["n_annotators"] for row in found["agreement"]} == {0}


def test_agreement_with_people_is_over_pairs_that_both_judged(pairs_study):
    (row,) = tables(pairs_study)["agreement_with_humans"]
    assert (row["evaluator"], row["evaluator_kind"], row["n_pairs"]) == ("judge-x", "model", 30)
    assert row["percent"] == pytest.approx(24 / 30)


def test_the_evaluators_that_were_chosen_limit_the_models(pairs_study):
    make_annotator(pairs_study, "judge-y", kind="model")
    assert "judge_wins" not in tables(pairs_study, evaluators=("human",))
    assert {row["evaluator"] for row in tables(pairs_study, evaluators=("judge-x",))["judge_wins"]} == {"judge-x"}


def test_without_models_a_report_has_no_table_of_them(project):
    pairs.make_bank(project)
    assert not {"judge_wins", "agreement_with_humans", "position_bias"} & set(tables(pairs.make_live_study(project)))


def test_the_share_of_flips_is_of_pairs_with_both_orders():
    assert PositionBias(n=8, n_flipped=2, n_first=9, n_decided=12).share_flipped == 0.25
    assert PositionBias(n=8, n_flipped=2, n_first=9, n_decided=12).share_first == 0.75
    assert PositionBias(n=0, n_flipped=0, n_first=0, n_decided=0).share_flipped is None


@pytest.fixture
def ratings_study(project):
    """One person with the planted scores, and one model that always says 3."""
    study = dimensions.make_study_with_bank(project)
    person, model = make_annotator(study, "ada"), make_annotator(study, "judge-x", kind="model")
    for unit in study.units.all():
        cells = [(item.external_id, name) for item in unit.items.all() for name in dimensions.DIMENSIONS]
        say(person, unit, {cell: dimensions.true_score(0, *cell) for cell in cells})
        say(model, unit, dict.fromkeys(cells, 3))
    return study


def test_scores_of_models_are_held_against_those_of_people(ratings_study):
    rows = {row["dimension"]: row for row in tables(ratings_study)["agreement_with_humans"]}
    # Answerability: 3, 3 and 3 on the first text; 2, 1 and 3 on each of the two others.
    assert rows["answerability"]["percent"] == pytest.approx(5 / 9)
    assert rows["answerability"]["difference"] == pytest.approx(3 - 21 / 9)
    assert rows["answerability"]["pearson"] is None
    assert rows["answerability"]["reason"]
    assert rows["consistency"]["percent"] == 1
    assert (rows["consistency"]["n_items"], rows["consistency"]["n_pairs"]) == (9, 9)


def test_means_of_people_hold_no_score_of_a_model(ratings_study):
    found = tables(ratings_study)
    means = {(row["generator"], row["dimension"]): row for row in found["generator_means"]}
    assert means["gen-birch", "answerability"]["mean"] == pytest.approx(5 / 3)
    assert {row["mean"] for row in found["judge_means"]} == {3}
    assert {row["n"] for row in found["judge_means"]} == {3}
    assert {row["n_units"] for row in found["alpha"]} == {0}


@pytest.fixture
def gates_study(project):
    """The three planted people, and a model that says what the first of them says."""
    stopping.make_bank(project)
    study = stopping.draft_study(project)
    model = {"annotator": "judge-x", "group": "", "annotator_kind": "model"}
    people = [row | {"annotator_kind": "human"} for row in stopping.rows()]
    import_responses(study, as_csv(people + [row | model for row in people if row["annotator"] == "p0"]))
    study.refresh_from_db()
    return study


def test_a_model_at_the_gates_is_held_against_each_person(gates_study):
    rows = {(row["category"], row["view"]): row for row in tables(gates_study)["agreement_with_humans"]}
    row = rows["understandable", "all"]
    assert (row["evaluator"], row["evaluator_kind"], row["n_pairs"]) == ("judge-x", "model", 12)
    assert row["percent"] == pytest.approx(9 / 12)
    # Both got to the second gate: two items of the first text, each with three people.
    assert rows["clear", "applicable"]["n_pairs"] == 6


def test_agreement_among_people_holds_no_model_and_the_model_has_a_flow_of_its_own(gates_study):
    found = tables(gates_study)
    assert {row["group"] for row in found["agreement"]} == {"", *stopping.GROUPS}
    row = next(
        row
        for row in found["agreement"]
        if (row["group"], row["generator"], row["source"], row["category"], row["view"])
        == ("", "", "", "understandable", "all")
    )
    assert row["n_pairs"] == 12
    own = {row["category"]: row for row in found["flow"] if row["group"] == "judge-x"}
    assert (own["understandable"]["reached"], own["understandable"]["stopped"]) == (4, 2)
