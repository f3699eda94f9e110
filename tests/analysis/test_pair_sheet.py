"""The sheet of an item that was judged in pairs, and of one that was judged question by question."""

import pytest
from bs4 import BeautifulSoup
from django.urls import reverse

from analysis.choices import Choices
from analysis.items.coding_acts import set_code
from analysis.items.sheet import count_preferences, read_item_judgments
from analysis.services.reporting import build
from items.models import Item
from studies.services.responses.importing import import_responses
from tests import pairs, stopping
from tests.studies.answer_files import as_csv

pytestmark = pytest.mark.slow

ALDER, BIRCH, CEDAR = "p1-gen-alder-0", "p1-gen-birch-0", "p1-gen-cedar-0"


def make_judgment(who, one, other, better, kind="human"):
    return {"annotator": who, "annotator_kind": kind, "stage": "compare", "text_id": "external-p1", "item_id": one,
            "other_item_id": other, "question": "better", "value": better, "shown_left": one}  # fmt: skip


@pytest.fixture
def pairs_study(project):
    """Alder's item wins against birch's by two of three people, and ties with cedar's once; a model prefers birch's."""
    pairs.make_bank(project)
    study = pairs.draft_study(project)
    rows = [make_judgment(who, ALDER, BIRCH, better) for who, better in (("p0", ALDER), ("p1", ALDER), ("p2", BIRCH))]
    rows += [make_judgment("p0", CEDAR, ALDER, "tie"), make_judgment("judge", ALDER, BIRCH, BIRCH, kind="model")]
    import_responses(study, as_csv(rows))
    study.refresh_from_db()
    return study


@pytest.fixture
def sheet(as_user, reviewer):
    def show(study, item):
        response = as_user(reviewer).get(
            reverse("study_item", args=[study.slug, Item.objects.get(external_id=item).pk])
        )
        return BeautifulSoup(response.content.decode(), "html.parser")

    return show


def count_wins(study, item):
    found = Item.objects.get(external_id=item)
    rows = count_preferences(found, read_item_judgments(study, found, Choices()))
    return {(row.evaluator, row.generator): (row.preferred, row.other_preferred, row.ties) for row in rows}


def test_an_item_is_compared_with_those_of_each_generator_whether_first_or_second_of_its_pair(pairs_study):
    assert count_wins(pairs_study, ALDER) == {
        ("human", "gen-birch"): (2, 1, 0),
        ("human", "gen-cedar"): (0, 0, 1),
        ("judge", "gen-birch"): (0, 1, 0),
    }


def test_the_other_item_of_a_pair_has_the_same_judgments_turned_round(pairs_study):
    assert count_wins(pairs_study, BIRCH) == {("human", "gen-alder"): (1, 2, 0), ("judge", "gen-alder"): (1, 0, 0)}


def test_the_sheet_says_what_was_chosen_and_leads_to_the_other_item(pairs_study, sheet):
    page = sheet(pairs_study, ALDER)
    rows = [[cell.get_text(strip=True) for cell in row.select("th, td")] for row in page.select("#judgments tbody tr")]
    assert ["p0", "comparing", BIRCH, "better item of the pair: this item"] in rows
    assert ["p2", "comparing", BIRCH, "better item of the pair: the other item"] in rows
    assert ["p0", "comparing", CEDAR, "better item of the pair: tie"] in rows
    assert not page.select("#choices")
    other = Item.objects.get(external_id=BIRCH)
    assert any(f"/items/{other.pk}/" in link["href"] for link in page.select("#judgments a"))


def test_a_questionnaire_is_told_in_words_with_every_free_answer(project, sheet):
    stopping.make_bank(project)
    study = stopping.draft_study(project)
    import_responses(study, as_csv(stopping.rows()))
    words = sheet(study, "s1-gen-alder").select_one("#judgments").get_text(" ", strip=True)
    assert "information needed: several places in the text" in words
    assert "answer: In the reeds." in words
    assert "more_or_less" not in sheet(study, "s1-gen-birch").get_text()


def test_errors_found_in_pairs_have_a_table_and_none_without(pairs_study, reviewer):
    assert "error_codes" not in {table.name for table in build(pairs_study, Choices()).tables}
    set_code(pairs_study, Item.objects.get(external_id=ALDER), "several_right", reviewer)
    table = build(pairs_study, Choices()).table("error_codes")
    (row,) = [row for row in table.rows if row["n"] and row["generator"] == "all"]
    assert (row["code"], row["code_said"], row["n"]) == ("several_right", "another option is right too", 1)
