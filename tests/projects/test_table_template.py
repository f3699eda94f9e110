"""How tables of rows are drawn."""

import django_tables2 as tables
import pytest
from django.template import Context, Template
from django.test import RequestFactory
from django_tables2 import RequestConfig

ROWS = [{"name": "<b>a</b>", "n": 1}, {"name": "b", "n": 2}, {"name": "c", "n": 3}]


class Sheet(tables.Table):
    name = tables.Column()
    n = tables.Column(orderable=False, attrs={"td": {"class": "num"}})


@pytest.fixture
def render_table():
    def draw(query="", rows=ROWS, **options) -> str:
        request = RequestFactory().get("/" + query)
        table = Sheet(rows, **options)
        RequestConfig(request, paginate={"per_page": 2}).configure(table)
        return Template("{% load django_tables2 %}{% render_table table %}").render(
            Context({"request": request, "table": table})
        )

    return draw


def test_cells_are_text_not_markup(render_table):
    assert "&lt;b&gt;a&lt;/b&gt;" in render_table()


def test_order_is_told_to_screen_readers(render_table):
    assert 'aria-sort="ascending"' in render_table("?sort=name")
    assert 'aria-sort="descending"' in render_table("?sort=-name")
    assert "aria-sort" not in render_table()


def test_only_orderable_columns_are_links(render_table):
    assert '<a href="?sort=name">Name</a>' in render_table()
    assert "sort=n&" not in render_table() + "&"


def test_page_links_keep_the_order(render_table):
    page = render_table("?sort=-name&page=2")
    assert 'href="?sort=-name&amp;page=1" rel="prev"' in page
    assert 'aria-current="page"' in page
    assert 'rel="next"' not in page


@pytest.mark.parametrize("query", ["?page=0", "?page=99", "?page=x", "?sort=nothing", "?sort=-", "?per_page=x"])
def test_nonsense_in_the_address_draws_the_table(query, render_table):
    assert "<table" in render_table(query)
