"""How much stands on a page: grids and lists are cut or turned, and what is cut is said and led to."""

from dataclasses import replace

import pytest
from bs4 import BeautifulSoup
from django.core.cache import cache
from django.http import QueryDict
from django.urls import reverse

from analysis.tables.page import paginate
from analysis.tables.page_budget import (
    FEWEST_ROWS,
    GRIDS,
    LIST,
    LIST_ROWS,
    MOST_ROWS,
    RESULTS,
    RESULTS_GRIDS,
    count_cells,
    count_fitting_rows,
    count_rows_on_page,
    select_fitting_grids,
    split_into_pages,
)
from analysis.tables.page_grids import pivot
from analysis.tables.spec import Column, Crossing
from evaluation.models import Metric, MetricValue
from items.models import Item
from tests.analysis.rows import make_table
from tests.dimensions import import_study

pytestmark = pytest.mark.slow

N_METRICS = 36  # more than a results page has room for
SHOWN = (Column("who", "Who"), Column("on", "On"), Column("round", "Round"), Column("mean", "Mean", "number"))


def table(down, across, rounds=1, name="t"):
    rows = [
        {"who": f"w{row}", "on": f"o{column}", "round": str(number), "mean": row + column / 100}
        for number in range(rounds)
        for row in range(down)
        for column in range(across)
    ]
    crossings = (Crossing("mean", "who", "on", apart=("round",)),)
    return make_table(name, ("who", "on", "round", "mean"), rows, title="T", columns=SHOWN, crossings=crossings)


def test_a_list_has_fewer_rows_on_a_page_the_more_columns_it_has():
    narrow, wide = table(1, 1), replace(table(1, 1), columns=SHOWN * 10)
    assert (count_rows_on_page(narrow), count_rows_on_page(wide)) == (MOST_ROWS, LIST // 40)
    assert count_rows_on_page(wide, of=3) < count_rows_on_page(wide)


def test_grids_are_parted_among_pages_and_none_is_lost():
    whole = table(down=10, across=9, rounds=5)  # five grids of a hundred cells
    found = split_into_pages(whole)
    assert [len(page) for page in found] == [2, 2, 1]
    assert all(sum(map(count_cells, page)) <= GRIDS for page in found)


def test_a_grid_that_is_too_large_for_a_page_goes_on_over_several():
    found = split_into_pages(table(down=100, across=9))
    assert [len(grid.down) for page in found for grid in page] == [25, 25, 25, 25]
    assert [name for page in found for grid in page for name in grid.down] == [f"w{row}" for row in range(100)]


def test_second_grids_give_way_before_rows_do():
    few = [table(5, 5, rounds=2, name="a")]
    many = [table(5, 5, rounds=2, name=str(place)) for place in range(12)]
    assert [len(grids) for grids in select_fitting_grids(few).values()] == [2]
    assert {len(grids) for grids in select_fitting_grids(many).values()} == {1}
    assert {len(grid.down) for (grid,) in select_fitting_grids(many).values()} == {5}


def test_the_largest_grids_are_cut_and_say_by_how_much():
    tables = [table(40, 9, name="large"), table(40, 9, name="larger"), table(3, 3, name="small")]
    found = {name: grid for name, (grid,) in select_fitting_grids(tables).items()}
    assert sum(map(count_cells, found.values())) <= RESULTS_GRIDS
    assert (len(found["small"].down), found["small"].n_cut) == (3, 0)
    assert len(found["large"].down) + found["large"].n_cut == 40
    assert found["large"].n_cut
    (page,) = pivot(tables[0], "annotators", grids=[found["large"]])
    assert (len(page.rows), page.more) == (len(found["large"].down), found["large"].n_cut)


def test_lists_have_as_many_rows_as_have_room_together():
    assert count_fitting_rows([(100, 5)], taken=0) == LIST_ROWS[0]
    most = count_fitting_rows([(100, 8)] * 5, taken=100)
    assert most < LIST_ROWS[0]
    assert 100 + 5 * 8 * most <= RESULTS
    assert count_fitting_rows([(100, 8)] * 50, taken=RESULTS) == FEWEST_ROWS


def test_a_table_among_others_is_turned_by_a_parameter_of_its_own():
    found = paginate(table(300, 1), QueryDict("group=human&page-t=2&page-u=3"), "annotators")
    assert found.page.number == 2
    assert found.table.rows[0][0].text == f"w{MOST_ROWS}"
    assert QueryDict(found.query).dict() == {"group": "human", "page-u": "3"}


@pytest.fixture
def study_with_metrics(project):
    """A study of scores with more metrics than a results page has room for."""
    cache.clear()
    study = import_study(project)
    for place in range(N_METRICS):
        metric = Metric.objects.create(project=project, name=f"metric {place}")
        for number, item in enumerate(Item.objects.order_by("pk")):
            MetricValue.objects.create(metric=metric, item=item, value=(number * (place + 1)) % 7)
    return study


def test_a_cut_grid_leads_to_all_of_its_rows_on_the_tables_own_page(study_with_metrics, as_user, viewer):
    client = as_user(viewer)
    results = BeautifulSoup(client.get(reverse("results_details", args=["dims"])).content, "html.parser")
    own = reverse("study_table_page", args=["dims", "metric_correlations"])
    section = results.select_one("#metric_correlations")
    assert section.select_one("table[data-part]")
    assert section.select_one(f'.rest a[href^="{own}"]')
    page = BeautifulSoup(client.get(own).content, "html.parser")
    pages = [link["href"] for link in page.select(".grid-places a")]
    names = set()
    for link in pages:
        shown = BeautifulSoup(client.get(own + link).content, "html.parser")
        names |= {head.get_text() for head in shown.select(".crossed tbody th")}
    assert names == {f"metric {place}" for place in range(N_METRICS)}


def test_no_page_of_a_table_is_heavier_however_many_metrics_there_are(study_with_metrics, as_user, reviewer):
    client = as_user(reviewer)
    pages = [reverse("results_details", args=["dims"])]
    pages += [reverse("study_table_page", args=["dims", name]) for name in ("metric_correlations", "metric_means")]
    assert all(len(client.get(page, {"asked": 1, "convention": "published"}).content) < 150_000 for page in pages)
