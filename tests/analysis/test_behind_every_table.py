"""In every protocol every table's numbers lead somewhere, and rows have names of their own."""

import re

import pytest
from bs4 import BeautifulSoup, Tag
from django.urls import reverse

from analysis.results.drill_down_views import NOT_NAMES
from analysis.science import tables as science_tables
from analysis.services.reporting import list_specs
from tests import reading
from tests.analysis.leading import behind_numbers
from tests.analysis.rows import numbers_in, rows_behind
from tests.analysis.test_writing_report import finished_study
from tests.analysis.whole_studies import (
    make_best_worst_study,
    make_pairs_study,
    make_questionnaire_study,
    make_ratings_study,
)
from tests.analysis.worked_out import build_evidence

pytestmark = pytest.mark.slow

# By protocol what makes a study in which every table has rows.
STUDIES = {
    "guess-then-read": reading.plant_three_texts,
    "dimension-ratings": make_ratings_study,
    "stopping-questionnaire": make_questionnaire_study,
    "pairwise": make_pairs_study,
    "best-worst": make_best_worst_study,
    "writing": finished_study,
}
# Tables whose rows are single answers or items, or copies of other tables' numbers: there is nothing further behind.
ENDS = {"published", "written_items"}

# Tables that only some studies have: with models, with a question for criteria, with errors found.
SOMETIMES = {
    *(spec.name for spec in science_tables.TABLES),
    "variants",
    "stand_in",
    "stand_in_calibration",
    "stand_in_biases",
    "label_mass",
    "position_bias",
    "agreement_with_humans",
    "criteria",
    "error_codes",
    "judge_means",
    "judge_wins",
    "judge_scores",
}
# Counts of units behind which the answers about them stand.
OVER_UNITS = {("variants", "n"), ("alpha", "n_units"), ("agreement", "n_units"), ("metric_correlations", "n")}


SETTING = "a setting of the analysis, nothing is counted"
SINGLE = "a single answer: its row is what stands behind it"
ELSEWHERE = "printed in a publication"
BESIDE = "belongs to the number of its row, behind which the rows stand"
# Numbers on pages that lead nowhere, by table and title of their column, each with the reason.
UNLINKED = {
    ("stand_in", "ε"): SETTING,
    ("stand_in_calibration", "p from"): SETTING,
    ("stand_in_calibration", "to"): SETTING,
    ("flagged_cells", "Round 2"): SINGLE,
    ("written_items", "Minutes"): SINGLE,
    ("published", "Published n"): ELSEWHERE,
    ("description", "n"): BESIDE,
    ("contrasts", "Pairs"): SETTING,
    ("informativity_intervals", "Width"): BESIDE,
    ("informativity_intervals", "Units"): BESIDE,
}
NUMBER = re.compile(r"[−<>]*\d*\.?\d+(?:,\d{3})*")


@pytest.fixture(params=STUDIES)
def study(request, project):
    return STUDIES[request.param](project)


@pytest.fixture
def evidence(study):
    return build_evidence(study)[0]


@pytest.fixture
def tables(study):
    return build_evidence(study)[1]


def test_every_table_has_a_source_and_every_source_a_table(study, tables):
    named = {table.name for table in tables if table.keys}
    assert named <= set(list_specs(study.protocol))
    assert set(list_specs(study.protocol)) - named <= SOMETIMES
    assert {table.name for table in tables if not table.keys} <= ENDS


def test_rows_have_names_of_their_own_that_are_no_other_words_of_the_address(tables):
    for table in tables:
        names = [tuple(table.names(row).items()) for row in table.rows if table.keys]
        assert len(names) == len(set(names)), table.name
        assert not set(table.keys) & set(NOT_NAMES), table.name


def test_behind_every_number_there_are_rows_and_behind_a_count_as_many(evidence, tables):
    for table in tables:
        for row, column in numbers_in(table):
            n = len(rows_behind(evidence, table, row, column))
            is_count = column.kind == "count" and (table.name, column.name) not in OVER_UNITS
            assert n == row[column.name] if is_count else n, (table.name, table.names(row), column.name)


def test_every_number_says_what_it_is(tables):
    for table in tables:
        for column in table.columns:
            if table.leads(column) and table.name != "description":
                assert column.about, (table.name, column.name)


def pages_with(tables, study, client) -> list:
    """The pages on which numbers of tables stand."""
    pages = [reverse(name, args=[study.slug]) for name in ("results_details", "study_items", "stand_in")]
    pages += [reverse("study_table_page", args=[study.slug, table.name]) for table in tables]
    return [response for response in map(client.get, pages) if response.status_code == 200]


def list_unlinked(cell: Tag) -> list[str]:
    """The numbers of a cell that are no links, but for its interval and what it says of its own number's n."""
    if "num" not in cell.get("class", []):
        return []
    pieces = [piece for piece in cell.strings if not piece.find_parents(["a", "sup"])]
    alone = [piece.strip() for piece in pieces if "interval" not in piece.parent.get("class", [])]
    return [piece for piece in alone if NUMBER.fullmatch(piece) and piece != "0"]  # 0: nothing was counted


def test_each_number_on_a_page_leads_to_its_rows_or_is_known_not_to(study, tables, as_user, reviewer):
    names = {(table.name, column.title) for table in tables for column in table.columns if column.name in table.keys}
    found = set()
    for page in pages_with(tables, study, as_user(reviewer)):
        for table in BeautifulSoup(page.content, "html.parser").select("table[data-table]"):
            heads = [head.get_text(strip=True) for head in table.select("thead th")]
            for row in table.select("tbody tr"):
                cells = row.find_all(["th", "td"], recursive=False)
                pairs = zip(heads, cells, strict=True)
                found |= {(table["data-table"], head) for head, cell in pairs if list_unlinked(cell)}
    assert found <= names | set(UNLINKED)


def test_the_pages_lead_from_each_column_to_a_page_that_opens(study, tables, as_user, reviewer):
    client = as_user(reviewer)
    links = {link for response in pages_with(tables, study, client) for link in behind_numbers(response)}
    by_column = {}
    for link in sorted(links):
        by_column.setdefault(tuple(re.findall(r"[?&](?:table|number)=([^&]*)", link)), link)
    wanted = {(table.name, column.name) for table in tables for _row, column in numbers_in(table)}
    assert wanted <= set(by_column), sorted(wanted - set(by_column))
    for link in by_column.values():
        assert client.get(link).status_code == 200, link
