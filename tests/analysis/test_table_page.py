"""A long table stands on a page of its own: whole, sorted as asked, and closed where the table is."""

import pytest
from bs4 import BeautifulSoup
from django.core.cache import cache
from django.urls import reverse

from analysis.choices import Choices
from analysis.services.reporting import build
from analysis.tables.page_budget import OPEN_GRIDS, count_rows_on_page
from analysis.tables.writers import TABLE_FILES
from studies.services.responses.importing import import_responses
from tests.api.conftest import make_caller
from tests.stopping import draft_study, make_bank, rows
from tests.studies.answer_files import as_csv

pytestmark = pytest.mark.slow

LONG, SHORT = "label_distributions", "description"


@pytest.fixture
def study(project):
    cache.clear()
    make_bank(project)
    study = draft_study(project)
    import_responses(study, as_csv(rows()))
    study.refresh_from_db()
    return study


@pytest.fixture
def page(study, as_user, viewer):
    """A function that gives the page of a table as a viewer sees it."""

    def show(name=LONG, **asked):
        response = as_user(viewer).get(reverse("study_table_page", args=[study.slug, name]), asked)
        assert response.status_code == 200
        return BeautifulSoup(response.content, "html.parser")

    return show


def column(page, number):
    """Of the list, which stands under its grids."""
    cells = page.select("table[data-table]")[-1].select(f"tbody tr > :nth-child({number})")
    return [cell.get_text(strip=True) for cell in cells]


def test_the_results_page_leads_to_it_and_does_not_hold_its_rows(study, as_user, viewer):
    html = as_user(viewer).get(reverse("results_details", args=[study.slug])).content.decode()
    assert reverse("study_table_page", args=[study.slug, LONG]) in html
    assert html.count(f'data-table="{LONG}"') == OPEN_GRIDS


def test_it_goes_on_over_as_many_pages_as_it_takes(page, study):
    first, second = page(), page(page=2)
    assert len(column(first, 1)) == count_rows_on_page(build(study, Choices()).table(LONG)) < 100
    assert first.select_one('a[rel="next"]')
    assert column(second, 1) != column(first, 1)


def test_a_column_sorts_the_whole_table(page, study):
    counts = [int(n) for n in column(page(sort="-n"), 6)]
    assert counts == sorted(counts, reverse=True)
    assert counts[0] == max(row["n"] for row in build(study, Choices()).table(LONG).rows)


def test_the_head_says_how_it_is_sorted(page):
    assert page(sort="-n").select_one('th[aria-sort="descending"]').get_text(strip=True) == "Judgments"


def test_unknown_tables_are_not_found(study, as_user, viewer):
    assert as_user(viewer).get(reverse("study_table_page", args=[study.slug, "x"])).status_code == 404


@pytest.mark.parametrize("ending", sorted(TABLE_FILES))
def test_a_program_gets_the_same_bytes_as_the_page(ending, study, as_user, viewer):
    file = as_user(viewer).get(reverse("study_table_file", args=[study.slug, SHORT, ending]))
    read = make_caller(viewer).get(f"studies/{study.slug}/tables/{SHORT}.{ending}")
    assert (file.status_code, read.status_code) == (200, 200)
    assert b"".join(read) == b"".join(file)
