"""A number of a table leads to exactly the answers that it counts."""

import csv
import io
from urllib.parse import parse_qsl, urlsplit

import pytest
from django.urls import reverse

from analysis.choices import Choices
from analysis.results.drill_down_views import build_heading
from analysis.services.reporting import build
from studies.services.states import switch_effects
from tests.analysis.leading import behind_numbers
from tests.factory import answer, make_annotator

pytestmark = pytest.mark.slow

CELL = {"table": "informativity", "number": "answerability", "generator": "careful", "evaluator": "human"}


@pytest.fixture
def judgments(as_user, reviewer):
    """A function that gives the rows of the file behind a cell."""

    def read(**cell):
        response = as_user(reviewer).get(reverse("study_behind_csv", args=["tiny"]), CELL | cell)
        assert response.status_code == 200
        return list(csv.DictReader(io.StringIO(response.content.decode(), newline="")))

    return read


def test_the_rows_give_the_number_again(two_annotators, judgments, row):
    found = judgments()
    share = sum(each["right"] == "true" for each in found) / len(found)
    assert (
        share == row(two_annotators, "informativity", generator="careful", evaluator="human")["answerability"] == 0.875
    )


def test_guessability_rests_on_guesses_and_informativity_on_both(two_annotators, judgments):
    assert {row["stage"] for row in judgments(number="guessability")} == {"guess"}
    assert {row["stage"] for row in judgments(number="informativity")} == {"guess", "read"}


def test_matched_numbers_rest_on_what_was_answered_twice(two_annotators, judgments):
    assert len(judgments()) == 8
    assert len(judgments(table="informativity_matched")) == 4


def test_only_the_answers_of_that_evaluator(two_annotators, items, judgments):
    answer(make_annotator(two_annotators, "gpt", kind="model"), "read", items["c1"], "TF")
    assert {row["annotator"] for row in judgments()} == {"ada", "ben"}
    assert [(row["option_id"], row["ticked"], row["key"]) for row in judgments(evaluator="gpt")] == [
        ("a", "true", "true"),
        ("b", "false", "false"),
    ]


def test_the_page_counts_and_lists(two_annotators, as_user, reviewer):
    html = as_user(reviewer).get(reverse("study_behind", args=["tiny"]), CELL).content.decode()
    assert "7 of 8 judgments are correct, .88" in html
    assert "All 8 rows as CSV" in html


def test_the_page_says_which_number_it_is_and_how_it_came_about(two_annotators, as_user, reviewer):
    html = as_user(reviewer).get(reverse("study_behind", args=["tiny"]), CELL).content.decode()
    assert "<h2>Informativity: Answerability</h2>" in html
    assert "<dt>Answers by</dt><dd>people</dd>" in html
    assert "texts only (t) · 2 texts, 8 judgments" in html


def test_a_number_called_as_its_table_is_named_once():
    assert (build_heading("Informativity", "Informativity"), build_heading("Ratings", "Mean")) == (
        "Informativity",
        "Ratings: Mean",
    )


def test_viewers_find_neither_link_nor_page(two_annotators, as_user, viewer):
    client = as_user(viewer)
    assert not behind_numbers(client.get(reverse("results_details", args=["tiny"])))
    assert client.get(reverse("study_behind", args=["tiny"]), CELL).status_code == 404
    assert client.get(reverse("study_behind_csv", args=["tiny"]), CELL).status_code == 404


@pytest.mark.parametrize(
    "wrong",
    [
        {"number": "luck"},
        {"number": "n"},
        {"generator": "x"},
        {"evaluator": "x"},
        {"table": "x"},
        {"table": "description"},
        {"more": "x"},
    ],
)
def test_a_number_that_is_not_there_is_not_found(two_annotators, as_user, reviewer, wrong):
    assert as_user(reviewer).get(reverse("study_behind", args=["tiny"]), CELL | wrong).status_code == 404


def test_simulated_answers_are_named_on_the_page_and_in_the_file(tiny, items, as_user, reviewer, judgments):
    answer(make_annotator(tiny, "sim", purpose="simulated"), "read", items["c1"], "TF", rating=3)
    assert {row["included"] for row in judgments()} == {"main, simulated"}
    html = as_user(reviewer).get(reverse("study_behind", args=["tiny"]), CELL).content.decode()
    assert "The answers are simulated." in html


def test_a_recomputed_number_leads_to_the_cell_it_came_from(two_annotators, as_user, reviewer):
    response = as_user(reviewer).get(reverse("study_table_page", args=["tiny", "published"]))
    links = [dict(parse_qsl(urlsplit(link).query)) for link in behind_numbers(response)]

    def leads_to(name, number, **names):
        table = build(two_annotators, Choices()).table(name)
        return {"table": name, "number": number, "row": table.make_row_key(table.find_row(names))} in links

    own = {"generator": "careful", "evaluator": "human"}
    assert leads_to("informativity", "informativity", **own)
    assert leads_to("informativity", "answerability", **own)  # behind its n
    assert leads_to("agreement_with_humans", "kappa_unweighted", evaluator="human", stage="read")


def test_numbers_of_single_options_lead_there_too(two_annotators, as_user, reviewer):
    client = as_user(reviewer)
    links = behind_numbers(client.get(reverse("study_items", args=["tiny"])))
    page = client.get(next(link for link in links if "share_ticked" in link)).content.decode()
    assert "<h2>Item analysis: Ticked</h2>" in page
    assert reverse("study_items", args=["tiny"]) in page


def test_while_effects_are_hidden_no_number_leads_anywhere(two_annotators, owner, client):
    client.force_login(owner)
    address = reverse("results_details", args=["tiny"])
    assert behind_numbers(client.get(address))
    switch_effects(two_annotators, owner, hidden=True)
    assert not behind_numbers(client.get(address))
