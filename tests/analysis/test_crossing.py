"""Evaluators side by side: one number for each generator and each who answered it."""

import pytest

from analysis.choices import Choices
from analysis.services.results import get_report
from analysis.tables.page_grids import place_side_by_side
from tests.analysis.rows import lines_under
from tests.factory import answer, make_annotator

pytestmark = pytest.mark.django_db


@pytest.fixture
def beside(tiny, items):
    person, model = make_annotator(tiny, "ana"), make_annotator(tiny, "gpt", kind="model")
    answer(person, "guess", items["c1"], "FT")
    answer(person, "read", items["c1"], "TF")
    answer(model, "read", items["c1"], "TF")
    return place_side_by_side(get_report(tiny, Choices()).table("informativity"), "annotators")


def test_a_column_for_each_who_answered(beside):
    assert [column.title for column in beside.head] == ["Generators", "people", "gpt"]


def test_a_number_stands_over_the_accuracies_it_comes_from(beside):
    people = beside.rows[0][1]
    assert (people.text, lines_under(people)) == ("1.00", (".00 → 1.00",))


def test_what_was_not_answered_is_undefined_with_its_reason(beside):
    model = beside.rows[0][2]
    assert model.text == "undefined"
    assert beside.footnotes[model.mark] == model.reason == "no answers without the text"
