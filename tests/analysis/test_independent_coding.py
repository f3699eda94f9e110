"""Coders who code alone: unseen by others and by results, compared once two have finished, decided, reopened."""

import csv
import io

import pytest

from analysis.items.coding_acts import BadCode, CodePlacement, code_items, set_code
from analysis.items.independent_coding import (
    CannotCode,
    Comparison,
    continue_coding,
    decide_code,
    export_comparison,
    finish_coding,
    reopen_codes,
    start_coding,
    take_agreed_codes,
)
from analysis.models import CodeDecision, ItemCode
from tests.analysis.packs import export_pack_bytes, files_of

OWN, ACT, COMPARE = "/s/tiny/coding/own/", "/s/tiny/coding/own/state/", "/s/tiny/coding/compare/"


def code(study, user, *placed):
    coding = start_coding(study, user)
    code_items(study, [CodePlacement(item.pk, name) for item, name in placed], user, coding)
    return coding


@pytest.fixture
def coded(two_annotators, items, reviewer, researcher):
    """Two coders: they agree on c1, differ on the type of h1 and on whether the key of h2 is wrong."""
    first = code(
        two_annotators, reviewer, (items["c1"], "literal"), (items["h1"], "literal"), (items["h2"], "wrong_key")
    )
    second = code(two_annotators, researcher, (items["c1"], "literal"), (items["h1"], "inference"))
    finish_coding(first)
    finish_coding(second)
    return two_annotators


def team(study):
    return set(ItemCode.objects.current().filter(study=study).values_list("item__external_id", "code"))


@pytest.mark.slow
def test_own_codes_are_not_the_teams_and_not_anothers(two_annotators, items, reviewer, researcher, as_user):
    code(two_annotators, reviewer, (items["c1"], "literal"))
    code(two_annotators, researcher, (items["c1"], "inference"))
    assert team(two_annotators) == set()
    page = as_user(researcher).get(OWN)
    badges = [each.code for row in page.context["rows"] for each in row.codes]
    assert badges == ["inference"]
    assert as_user(researcher).get("/s/tiny/coding/").context["coders"] == []
    assert as_user(researcher).get(f"/s/tiny/items/{items['c1'].pk}/").context["codes"] == []


def test_the_pages_lead_from_start_to_finish(two_annotators, items, reviewer, as_user):
    client = as_user(reviewer)
    assert client.get(OWN).url == "/s/tiny/coding/"
    assert client.post(ACT, {"start": "1"}).url == OWN
    client.post(OWN, {"items": [items["c1"].pk], "code": "literal"})
    client.post(ACT, {"finish": "1"})
    assert start_coding(two_annotators, reviewer).finished_at is None
    assert client.post(ACT, {"finish": "1", "sure": "yes"}).url == COMPARE
    assert start_coding(two_annotators, reviewer).finished_at
    assert not client.get(COMPARE).context["is_shown"]


def test_a_coding_without_a_code_cannot_be_finished(two_annotators, reviewer):
    with pytest.raises(CannotCode):
        finish_coding(start_coding(two_annotators, reviewer))


def test_a_finished_coding_goes_on_until_two_have_finished(two_annotators, items, reviewer, researcher):
    first = code(two_annotators, reviewer, (items["c1"], "literal"))
    finish_coding(first)
    with pytest.raises(BadCode):
        code(two_annotators, reviewer, (items["c1"], "inference"))
    continue_coding(first)
    code(two_annotators, reviewer, (items["c1"], "inference"))
    finish_coding(first)
    finish_coding(code(two_annotators, researcher, (items["c1"], "inference")))
    with pytest.raises(CannotCode):
        continue_coding(first)


def test_who_still_codes_sees_nothing_of_others(coded, items, owner, as_user):
    code(coded, owner, (items["c1"], "inference"))
    page = as_user(owner).get(COMPARE)
    assert not page.context["is_shown"]
    assert "rows" not in page.context


def test_conflicts_are_where_coders_differ_and_agreement_counts_all_items(coded, items, as_user, owner):
    context = as_user(owner).get(COMPARE).context
    cells = [(row.item.external_id, row.cell.question.name) for row in context["rows"]]
    assert sorted(cells) == [("h1", "question_type"), ("h2", "wrong_key")]
    found = {each.question.name: each for each in Comparison(coded).measure_agreement()}
    assert (found["question_type"].n_items, found["question_type"].n_conflicts) == (4, 1)
    assert found["question_type"].same == 0.75
    # By hand: pairs of c1 (2 literal), h1 (literal, inference), two items with none; D_o = 2/8, D_e = 38/56.
    assert found["question_type"].alpha.value == pytest.approx(1 - (2 / 8) / (38 / 56))


def test_a_decision_sets_the_teams_code_and_reopening_takes_it_back(coded, items, researcher):
    set_code(coded, items["h1"], "literal", researcher)
    decide_code(coded, items["h1"].pk, "question_type", "inference", "It joins two sentences.", researcher)
    decide_code(coded, items["h2"].pk, "wrong_key", "", "", researcher)
    assert team(coded) == {("h1", "inference")}
    assert not [cell for cell in Comparison(coded).cells if cell.is_open]
    with pytest.raises(CannotCode):
        decide_code(coded, items["h1"].pk, "question_type", "literal", "", researcher)
    with pytest.raises(CannotCode):
        reopen_codes(coded, items["h1"].pk, " ", researcher)
    assert reopen_codes(coded, items["h1"].pk, "A third view.", researcher) == 1
    assert team(coded) == {("h1", "literal")}
    assert CodeDecision.objects.filter(reopened_because="A third view.").count() == 1


@pytest.mark.parametrize(
    ("item", "question", "value", "reason"),
    [
        ("c1", "question_type", "inference", ""),  # the coders agree
        ("h1", "question_type", "wrong_key", ""),
        ("h1", "wrong_key", "wrong_key", ""),  # nobody said so
    ],
)
def test_what_cannot_be_decided_is_refused(coded, items, researcher, item, question, value, reason):
    with pytest.raises(CannotCode):
        decide_code(coded, items[item].pk, question, value, reason, researcher)
    assert team(coded) == set()


def test_agreed_codes_are_taken_over_at_once(coded, researcher):
    assert take_agreed_codes(coded, researcher).n_set == 1
    assert team(coded) == {("c1", "literal")}


def test_the_page_decides_and_reopens(coded, items, owner, as_user):
    client, place = as_user(owner), {"item": items["h1"].pk, "question": "question_type"}
    assert client.post(COMPARE, {"decide": "1", **place, "value": ""}).status_code == 400
    assert client.post(COMPARE, {"decide": "1", **place, "value": "-"}).status_code == 302
    assert CodeDecision.objects.get().value == ""
    assert len(client.get(COMPARE, {"state": "decided"}).context["rows"]) == 1
    assert client.post(COMPARE, {"reopen": "1", **place, "reason": ""}).status_code == 400
    assert client.post(COMPARE, {"reopen": "1", **place, "reason": "Why not."}).status_code == 302
    assert CodeDecision.objects.get().reopened_by == owner


def test_who_decides_or_reopens_after_somebody_else_is_told(coded, items, owner, reviewer, as_user):
    first, second = as_user(owner), as_user(reviewer)
    decision = {"decide": "1", "item": items["h1"].pk, "question": "question_type", "value": "literal"}
    first.post(COMPARE, decision)
    late = second.post(COMPARE, decision | {"value": "inference"}, follow=True)
    assert "This was decided already." in late.text
    assert team(coded) == {("h1", "literal")}
    again = {"reopen": "1", "item": items["h1"].pk, "reason": "misread"}
    first.post(f"{COMPARE}?state=decided", again)
    assert "othing was decided" in second.post(f"{COMPARE}?state=decided", again, follow=True).text


def test_the_file_has_what_each_coder_set_and_the_decision(coded, items, researcher):
    decide_code(coded, items["h1"].pk, "question_type", "inference", "Two sentences.", researcher)
    out = io.StringIO()
    assert export_comparison(coded, out) == 6
    rows = list(csv.DictReader(io.StringIO(out.getvalue())))
    mine = [row for row in rows if row["item_id"] == "h1"]
    assert [row["value"] for row in mine] == ["literal", "inference"]
    assert {(row["adjudicated_value"], row["adjudicated_by"], row["reason"]) for row in mine} == {
        ("inference", researcher.username, "Two sentences.")
    }
    assert [row["value"] for row in rows if row["code"] == "wrong_key"] == ["yes", "no"]


@pytest.mark.slow
def test_a_pack_is_silent_about_coders_who_cannot_be_compared_yet(two_annotators, items, reviewer):
    finish_coding(code(two_annotators, reviewer, (items["c1"], "literal")))
    assert files_of(export_pack_bytes(two_annotators))["answers/coders.jsonl"] == b""


@pytest.mark.parametrize("address", [OWN, COMPARE, f"{COMPARE}coders.csv"])
def test_viewers_do_not_see_codings(coded, viewer, as_user, address):
    assert as_user(viewer).get(address).status_code in (403, 404)
