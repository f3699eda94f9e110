"""Errors found in the items of planted dimension ratings: set on the items' pages, counted by generator."""

import pytest
from django.urls import reverse

from analysis.items.coding_acts import BadCode, remove_code, set_code, set_codes
from analysis.models import ItemCode
from tests.analysis.rows import find_row
from tests.dimensions import import_study

pytestmark = pytest.mark.slow

# Two of birch's three items are erroneous, one of them twice; one of alder's is.
PLANTED = {
    "x1-gen-birch": ("ambiguous", "beyond_passage"),
    "x2-gen-birch": ("ambiguous",),
    "x3-gen-alder": ("invalid",),
}


@pytest.fixture
def study(project, reviewer):
    study = import_study(project)
    for item, codes in PLANTED.items():
        set_codes(study, project.items.get(external_id=item), codes, reviewer)
    return study


def shares(report, generator, code):
    row = find_row(report, "error_codes", generator=generator, code=code)
    return row["n"], row["share_of_all"], row["share_of_erroneous"]


def test_shares_are_of_all_and_of_erroneous_items(report):
    assert shares(report, "gen-birch", "ambiguous") == (2, pytest.approx(2 / 3), 1)
    assert shares(report, "gen-birch", "beyond_passage") == (1, pytest.approx(1 / 3), 1 / 2)
    assert shares(report, "gen-birch", "invalid") == (0, 0, 0)
    assert shares(report, "all", "ambiguous") == (2, pytest.approx(2 / 9), pytest.approx(2 / 3))
    assert report.table("error_codes").notes[0].startswith("3 of 9 items have an error")


def test_where_nothing_is_erroneous_the_share_of_it_is_undefined(report):
    assert shares(report, "the-reference", "invalid") == (0, 0, None)


def test_a_code_that_was_taken_back_counts_no_more(study, report, reviewer, table):
    remove_code(ItemCode.objects.get(code="invalid"), reviewer)
    rows = [row for row in table(study, "error_codes").rows if row["generator"] == "gen-alder"]
    assert {row["n"] for row in rows} == {0}


def test_all_codes_are_set_or_none(study, reviewer):
    item = study.project.items.get(external_id="x2-gen-birch")
    with pytest.raises(BadCode, match="“ambiguous” is already set"):
        set_codes(study, item, ["invalid", "ambiguous"], reviewer)
    assert not ItemCode.objects.filter(item=item, code="invalid").exists()
    assert set_code(study, item, "invalid", reviewer)


def test_several_are_set_at_once_on_the_page_of_an_item(study, as_user, reviewer):
    client = as_user(reviewer)
    results = client.get(reverse("results_details", args=["dims"])).content.decode()
    item = study.project.items.get(external_id="x3-the-reference")
    address = reverse("study_item", args=["dims", item.pk])
    first = study.units.first().items.first()
    assert reverse("study_item", args=["dims", first.pk]) in results
    assert "does not match the expected answer" in client.get(address).content.decode()
    client.post(address, {"codes": ["invalid", "mismatch"], "note": "Both."})
    assert set(item.codes.values_list("code", "note")) == {("invalid", "Both."), ("mismatch", "Both.")}


def test_the_sheet_of_a_cell_scored_again_counts_its_latest_score_and_the_others_as_they_are(study, as_user, reviewer):
    item = study.project.items.get(external_id="x3-gen-birch")  # 1, 2, 3 on relevance, and then 2, 2, 2
    html = as_user(reviewer).get(reverse("study_item", args=["dims", item.pk])).content.decode()
    assert "round 1, answered again: relevance" in html
    from analysis.choices import Choices
    from analysis.items.sheet import count_answers, read_item_judgments

    counted = {spread.question: spread for spread in count_answers(study, read_item_judgments(study, item, Choices()))}
    assert counted["relevance"].counts == [("1", 0), ("2", 3), ("3", 0)]
    assert counted["fluency"].n == 3
