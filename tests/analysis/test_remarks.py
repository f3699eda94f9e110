"""What is said of numbers stands once on a page, and cells refer to it; choices in links are letters."""

import pytest
from bs4 import BeautifulSoup
from django.http import QueryDict
from django.template import Context, Template
from django.urls import reverse

from analysis.results.forms import LETTERS, ResultsForm, decode_filters, encode_filters
from analysis.results.links import build_query
from analysis.tables.page import Cell

CELLS = "{% for cell in cells %}{% include 'analysis/parts/cell.html' %}{% endfor %}"
PAGE = Template("{% load analysis %}{% remarks %}" + CELLS + "{% endremarks %}")


def render_cells(*cells):
    return BeautifulSoup(PAGE.render(Context({"cells": cells})), "html.parser")


def number(*about, **more):
    return Cell(".50", numeric=True, about=about, **more)


def test_a_remark_of_many_numbers_stands_once():
    page = render_cells(number("a mean", "2 texts"), number("a mean", "3 texts"))
    assert [remark.get_text() for remark in page.select(".remarks dd")] == ["a mean", "2 texts", "3 texts"]


def test_a_number_is_described_by_its_remarks_and_by_no_others():
    page = render_cells(number("a mean", "2 texts"), number("a mean", "3 texts"))
    text = [[page.find(id=one).get_text() for one in cell["aria-describedby"].split()] for cell in page.select("td")]
    assert text == [["a mean", "2 texts"], ["a mean", "3 texts"]]


def test_where_a_number_is_a_link_the_link_is_described_as_the_keyboard_stops_there():
    page = render_cells(number("a mean", href="/there"))
    assert page.select_one("td > a")["aria-describedby"]
    assert not page.select_one("td").has_attr("aria-describedby")


def test_why_a_number_is_undefined_is_its_first_remark():
    assert number("a mean", reason="no answers").remarks == ("no answers", "a mean")


def test_without_remarks_there_is_neither_a_list_nor_a_script():
    assert not render_cells(number()).select(".remarks, script")


def test_every_remark_that_a_page_refers_to_stands_on_it(two_annotators, as_user, reviewer):
    response = as_user(reviewer).get(reverse("results_details", args=["tiny"]))
    page = BeautifulSoup(response.content, "html.parser")
    referred = {one for cell in page.select("[aria-describedby]") for one in cell["aria-describedby"].split()}
    ids = [remark["id"] for remark in page.select(".remarks dd")]
    assert referred == set(ids)
    assert len(ids) == len(set(ids)) > 3
    assert not page.select("td[title]")


@pytest.mark.parametrize("choice", LETTERS)
def test_a_choice_comes_back_from_its_letter(choice):
    name, value = choice
    chosen = {name: [value] if name in ("include", "drop") else value}
    (letters,) = encode_filters({"asked": 1} | chosen).values()
    assert {key: each for key, each in decode_filters(letters).items() if each} == {"asked": "1"} | chosen


def test_several_choices_come_back_from_an_address(two_annotators):
    letters = QueryDict("as=it")
    chosen = ResultsForm(two_annotators, {"main": 1}, letters).choices
    assert (chosen.convention, chosen.extra_purposes) == ("published", ())


def test_an_earlier_name_of_a_convention_is_taken_from_an_address(two_annotators):
    form = ResultsForm(two_annotators, {"main": 1}, QueryDict("asked=1&convention=clustered"))
    assert form.choices.convention == "annotators"
    assert form["convention"].value() == "annotators"


def test_who_unticks_everything_is_not_taken_for_who_chose_nothing(tiny):
    form = ResultsForm(tiny, {"simulated": 1}, {"asked": "1"})
    again = ResultsForm(tiny, {"simulated": 1}, encode_filters(build_query(form)))
    assert form.choices.extra_purposes == again.choices.extra_purposes == ()
    assert encode_filters({}) == {}
