"""Flaws by people, models and rules in one table, and what people coded in the place of rules in other studies."""

import json

import pytest
from django.urls import reverse

from analysis.choices import Choices
from analysis.codes import decide_flaws_by_majority
from analysis.formatting import number as write
from analysis.frames.evidence import collect_evidence
from analysis.protocols.item_writing_flaws.report import FLAW_CODES, build_flaw_codes
from analysis.science.flaws import FLAW_NAMES, code_flaws
from analysis.services.cached_results import hash_state
from analysis.services.reporting import build_report
from evaluation.services.baselines import add_baselines, list_methods
from evaluation.services.evaluators import CannotEvaluate
from evaluation.services.progress import get_row
from items.models import Item
from studies.models import Response
from studies.services.responses.importing import import_responses
from tests.analysis.rows import rows_behind
from tests.factory import make_item, make_text
from tests.studies.world import draft_study, make_live_study

pytestmark = pytest.mark.slow

FLAWS = {"flaws": ["negative_stem", "ambiguous"]}


def codes_of(who, kind, codes):
    for item, (negative, ambiguous) in codes.items():
        about = {"annotator": who, "annotator_kind": kind, "stage": "code", "text_id": item[:2], "item_id": item}
        yield about | {"question": "negative_stem", "value": negative}
        yield about | {"question": "ambiguous", "value": ambiguous}


@pytest.fixture
def coded_study(project):
    """Six items, two with a negated stem; people see one of these, and one that no rule sees."""
    for number in range(6):
        text = make_text(project, f"t{number}", language="en")
        stem = "Which animal is not named?" if number < 2 else "Which animal is named first here?"
        item = make_item(text, "ann", f"t{number}-i", "TFF")
        Item.objects.filter(pk=item.pk).update(stem=stem)
    study = draft_study(project, protocol="item-writing-flaws", params=FLAWS)
    names = [f"t{number}-i" for number in range(6)]
    values = dict.fromkeys(names, ("no", "no")) | {"t0-i": ("yes", "no"), "t5-i": ("yes", "yes")}
    rows = [
        *codes_of("p1", "human", values),
        *codes_of("p2", "human", values | {"t4-i": ("unsure", "yes")}),
        *codes_of("m", "model", dict.fromkeys(names, ("yes", "no"))),
    ]
    import_responses(study, "\n".join(map(json.dumps, rows)).encode())
    study.refresh_from_db()
    return study


def row_of(table, **wanted):
    (row,) = [row for row in table.rows if all(row[name] == value for name, value in wanted.items())]
    return row


def test_people_models_and_rules_stand_in_one_table(coded_study):
    table = build_flaw_codes(collect_evidence(coded_study, Choices()))
    people = row_of(table, evaluator="human", question="negative_stem")
    assert (people["n"], people["n_yes"], people["percent"], people["kappa"]) == (6, 2, None, None)
    rules = row_of(table, evaluator="rules", question="negative_stem")
    assert (rules["n_yes"], rules["missed"], rules["false_alarms"]) == (2, 1, 1)
    assert rules["percent"] == pytest.approx(4 / 6)
    assert rules["kappa"] == pytest.approx((4 / 6 - 20 / 36) / (1 - 20 / 36))
    assert rules["low"] < rules["kappa"] < rules["high"]
    model = row_of(table, evaluator="m", question="negative_stem")
    assert (model["n_yes"], model["missed"], model["false_alarms"]) == (6, 0, 4)


def test_a_tie_of_people_is_no_code_and_no_rule_codes_what_takes_understanding(coded_study):
    table = build_flaw_codes(collect_evidence(coded_study, Choices()))
    assert row_of(table, evaluator="human", question="ambiguous")["n"] == 5
    assert not [row for row in table.rows if (row["evaluator"], row["question"]) == ("rules", "ambiguous")]


def test_every_number_leads_to_items_or_answers(coded_study):
    evidence = collect_evidence(coded_study, Choices())
    rules = row_of(build_flaw_codes(evidence), evaluator="rules", question="negative_stem")
    assert [row["item_id"] for row in FLAW_CODES.list_answers(evidence, rules, "n_yes").rows] == ["t0-i", "t1-i"]
    people = row_of(build_flaw_codes(evidence), evaluator="human", question="negative_stem")
    assert len(FLAW_CODES.list_answers(evidence, people, "share").rows) == 12


def test_the_report_has_the_table_beside_the_usual_ones(coded_study):
    report = build_report(collect_evidence(coded_study, Choices()))
    assert {"flaw_codes", "counts", "distributions", "agreement", "item_flaws"} <= {t.name for t in report.tables}


def test_what_people_agree_on_and_who_codes_as_they_do_is_said(coded_study):
    report = build_report(collect_evidence(coded_study, Choices()))
    people, likeness = (
        next(said for said, table in report.findings if table == name) for name in ("agreement", "flaw_codes")
    )
    alphas = {row["question"]: write(row["alpha"]) for row in report.table("agreement").rows}
    best, worst = str(FLAW_NAMES["negative_stem"]), str(FLAW_NAMES["ambiguous"])
    assert people.index(best) < people.index(worst)
    assert all(alpha in people for alpha in alphas.values())
    kappa = row_of(report.table("flaw_codes"), evaluator="rules", question="negative_stem")["kappa"]
    assert write(kappa) in likeness
    assert best in likeness


def test_a_guideline_is_coded_by_people_and_enters_the_effects_of_flaws(coded_study, project):
    """No rule answers it."""
    study = draft_study(project, slug="guidelines", protocol="item-writing-flaws", params={"flaws": ["opinion"]})
    about = {"annotator": "p1", "annotator_kind": "human", "stage": "code", "question": "opinion"}
    rows = [about | {"text_id": f"t{n}", "item_id": f"t{n}-i", "value": "yes" if n == 3 else "no"} for n in range(6)]
    import_responses(study, "\n".join(map(json.dumps, rows)).encode())
    study.refresh_from_db()
    evidence = collect_evidence(study, Choices())
    codes = build_flaw_codes(evidence)
    assert row_of(codes, evaluator="human", question="opinion")["n_yes"] == 1
    assert [row for row in codes.rows if row["evaluator"] == "rules" and row["n"]] == []
    codes = {item: flaws["opinion"] for item, flaws in decide_flaws_by_majority(coded_study).items()}
    assert codes == {f"t{n}-i": n == 3 for n in range(6)}


def test_other_studies_of_the_items_take_what_people_coded(coded_study, project):
    other = draft_study(project, slug="reading")
    before = hash_state(other, Choices())
    answers = [
        {"annotator": "q", "stage": "read", "text_id": f"t{n}", "item_id": f"t{n}-i", "question": question} | more
        for n in range(6)
        for question, more in (
            ("rating", {"value": "4"}), *(("answer", {"option_id": each, "value": "true"}) for each in "abc"),
        )
    ]  # fmt: skip
    import_responses(other, "\n".join(map(json.dumps, answers)).encode())
    other.refresh_from_db()
    assert hash_state(other, Choices()) != before
    assert decide_flaws_by_majority(other)["t5-i"] == {"negative_stem": True, "ambiguous": True}
    codes = code_flaws(collect_evidence(other, Choices()))
    assert codes["negative_stem"].tolist() == [True, False, False, False, False, True]
    assert codes["ambiguous"].tolist() == [False, False, False, False, None, True]
    evidence = collect_evidence(other, Choices())
    table = build_report(evidence).table("flawed_items")
    row = row_of(table, item_id="t5-i", flaw="ambiguous")
    assert (row["coded_by"], row["n_people"], row["n_rare"], row["rarest"]) == ("human", 1, 0, 1.0)
    assert len(rows_behind(evidence, table, row, {each.name: each for each in table.columns}["rarest"])) == 2


def test_rules_answer_as_a_baseline_whose_codes_are_stored(coded_study, as_user, owner):
    """The codes of the wording as it was stay, also where the wording is changed afterwards."""
    page = reverse("study_evaluators", args=[coded_study.slug])
    form = as_user(owner).get(page).context["form"]
    assert [name for name, _words in form.fields["method"].choices] == ["rules"]
    assert "stages" not in form.fields
    computed = row_of(
        build_flaw_codes(collect_evidence(coded_study, Choices())), evaluator="rules", question="negative_stem"
    )
    assert as_user(owner).post(page, {"method": "rules"}).status_code == 302
    rules = coded_study.annotators.get(code="rules")
    answers = Response.objects.filter(assignment__annotator=rules)
    assert sorted(answers.values_list("item__external_id", "question", "value")) == [
        (f"t{number}-i", "negative_stem", "yes" if number < 2 else "no") for number in range(6)
    ]
    row = get_row(rules.evaluator)
    assert (row.n_done, row.n_missing) == (6, 0)  # no rule sees what is ambiguous
    assert not rules.assignments.open().exists()
    table = build_flaw_codes(collect_evidence(coded_study, Choices()))
    assert row_of(table, evaluator="rules", question="negative_stem") == computed
    Item.objects.filter(external_id="t0-i").update(stem="Which animal is named?")
    evidence = collect_evidence(coded_study, Choices())
    assert row_of(build_flaw_codes(evidence), evaluator="rules", question="negative_stem")["n_yes"] == 2
    assert len(FLAW_CODES.list_answers(evidence, computed, "share").rows) == 6


def test_only_what_can_answer_is_offered(coded_study, project):
    with pytest.raises(CannotEvaluate):
        add_baselines(coded_study, "majority")
    reading = make_live_study(project, slug="reading")
    assert list_methods(reading) == ("majority", "exact", "fuzzy")
    with pytest.raises(CannotEvaluate):
        add_baselines(reading, "rules")
