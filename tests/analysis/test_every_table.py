"""In every protocol numbers lead to their rows, rows have names of their own, and pages show words instead of codes
and have what a screen reader goes by: headings, labels, names of tables, anchors."""

import re
from collections import Counter
from collections.abc import Iterator

import pytest
from bs4 import BeautifulSoup, Tag
from django.http import HttpResponse
from django.urls import reverse
from django.utils.translation import gettext, override

from analysis.agreement.stand_in import FIRST, LONGEST, YES, build_stand_in_tables
from analysis.choices import Choices
from analysis.frames.evidence import collect_evidence
from analysis.results.drill_down_views import NOT_NAMES
from analysis.science import tables as science_tables
from analysis.services.reporting import list_specs
from analysis.tables.page import name_row
from analysis.words import KINDS, name_code
from studies.question_words import LABELS, QUESTIONS, STAGES
from tests import reading
from tests.analysis.leading import behind_numbers
from tests.analysis.rows import numbers_in, rows_behind
from tests.analysis.test_writing_report import finished_study
from tests.analysis.whole_studies import (
    make_best_worst_study,
    make_guessing_study,
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
SNAKE = re.compile(r"\b[A-Za-z0-9]+(?:_[A-Za-z0-9]+)+\b")
# What a reader typed or named, shows as it is stored, or does not read as prose.
AS_THEY_ARE = ("script", "style", "code", "[translate=no]", "option", "svg")


@pytest.fixture(params=STUDIES)
def study(request, project):
    return (STUDIES | {"guessed": make_guessing_study})[request.param](project)


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
        for row, column in numbers_in(table, most=4):
            n = len(rows_behind(evidence, table, row, column))
            is_count = column.kind == "count" and (table.name, column.name) not in OVER_UNITS
            assert n == row[column.name] if is_count else n, (table.name, table.names(row), column.name)


def test_every_number_says_what_it_is(tables):
    for table in tables:
        for column in table.columns:
            if table.has_drill_down(column) and table.name != "description":
                assert column.about, (table.name, column.name)


def test_what_names_a_row_is_said_in_words_under_a_title(study, evidence, tables):
    for table in (*tables, *build_stand_in_tables(evidence)):
        for row in table.rows if table.keys else ():
            for (title, cells), name in zip(name_row(table, row), table.keys, strict=True):
                assert title != name or name in KINDS, (table.name, name)
                assert not SNAKE.search(cells), (table.name, cells)


def open_pages(study, tables, client) -> tuple[list[HttpResponse], list[HttpResponse]]:
    """The pages on which numbers of tables stand, and the other pages of the analysis."""
    names = "results_details", "study_items", "stand_in"
    others = "study_results", "results_agreement", "results_items", "results_compare", "agreement_lab", "study_pack"
    numbers = [reverse(name, args=[study.slug]) for name in names]
    numbers += [reverse("study_table_page", args=[study.slug, table.name]) for table in tables]
    rest = [reverse(name, args=[study.slug]) for name in (*others, "study_planner")]
    rest += [reverse("bank_shortcuts", args=[study.project.slug])]
    rest += [reverse("study_item", args=[study.slug, item.pk]) for item in study.units.first().items.all()[:1]]
    with_numbers = [page for page in map(client.get, numbers) if page.status_code == 200]
    return with_numbers, [client.get(address) for address in rest]


def links_by_column(pages) -> dict[tuple[str, ...], str]:
    """Of each table and column one address of the rows behind a number."""
    links = {}
    for link in sorted(link for page in pages for link in behind_numbers(page)):
        links.setdefault(tuple(re.findall(r"[?&](?:table|number)=([^&]*)", link)), link)
    return links


def list_unlinked(cell: Tag) -> list[str]:
    """The numbers of a cell that are no links, but for its interval and what it says of its own number's n."""
    if "num" not in cell.get("class", []):
        return []
    pieces = [piece for piece in cell.strings if not piece.find_parents(["a", "sup"])]
    alone = [piece.strip() for piece in pieces if "interval" not in piece.parent.get("class", [])]
    return [piece for piece in alone if NUMBER.fullmatch(piece) and piece != "0"]  # 0: nothing was counted


def columns_with_unlinked(page: BeautifulSoup) -> set[tuple[str, str]]:
    """Table and title of the columns in which a number is no link."""
    found = set()
    for table in page.select("table[data-table]"):
        heads = [head.get_text(strip=True) for head in table.select("thead th")]
        for row in table.select("tbody tr"):
            pairs = zip(heads, row.find_all(["th", "td"], recursive=False), strict=True)
            found |= {(table["data-table"], head) for head, cell in pairs if list_unlinked(cell)}
    return found


def codes_in(tables) -> set[str]:
    """What files call things that pages of another language call otherwise."""
    with override("de"):
        shown = {
            str(row[column.name])
            for table in tables
            for column in table.columns
            if column.kind in KINDS
            for row in table.rows
            if row[column.name] and name_code(column.kind, row[column.name]) != str(row[column.name])
        }
        values = {name for words in (QUESTIONS, LABELS, STAGES) for name, word in words.items() if str(word) != name}
    return shown | values


def codes_on(page: BeautifulSoup, codes: set[str]) -> set[str]:
    """What stands on a page in the place of a word; the page then has nothing but its words."""
    soup = page.body
    for each in soup.select(",".join(AS_THEY_ARE)):
        each.decompose()
    hovers = " ".join(each["title"] for each in soup.select("[title]"))
    cells = {cell.get_text(strip=True) for cell in soup.select("td, th, dt, dd")}
    return {*SNAKE.findall(f"{soup.get_text(' ')} {hovers}")} | (cells & codes)


def list_problems(page: BeautifulSoup) -> Iterator[str]:
    """Where a screen reader would lose its way, in sentences."""
    ids = Counter(tag["id"] for tag in page.find_all(id=True))
    yield from (f"two places are called {name}" for name, n in ids.items() if n > 1)
    links = (link["href"] for link in page.select('a[href^="#"]'))
    yield from (f"{link} leads nowhere" for link in links if link[1:] not in ids)
    levels = [int(heading.name[1]) for heading in page.select("h1, h2, h3, h4")]
    steps = zip([0, *levels], levels, strict=False)
    yield from (f"a heading {below} follows a heading {above}" for above, below in steps if below > above + 1)
    if levels.count(1) != 1:
        yield "the page has not one title"
    fields = page.select("input:not([type=hidden]), select, textarea")
    yield from (f"{field['name']} has no label" for field in fields if not has_label(page, field))
    for table in page.select("main table"):
        if not table.caption:
            yield f"a table has no caption: {table.get_text(' ', strip=True)[:60]}"
        if any(not row.find("th", scope="row") for row in table.select("tbody tr")):
            yield f"a row has no name: {table.caption}"


def has_label(page: BeautifulSoup, field: Tag) -> bool:
    own = page.find("label", attrs={"for": field.get("id")}) if field.get("id") else None
    return bool(own or field.find_parent("label") or field.get("aria-label"))


@pytest.mark.parametrize("study", ["guessed", *STUDIES], indirect=True)
def test_numbers_of_pages_lead_to_their_rows_and_all_is_said_in_words(
    study, evidence, tables, as_user, owner, unchanged
):
    """In German, as no code of ours is one of its words; each page is opened once for all that is asked of it."""
    client = as_user(owner)
    client.cookies["django_language"] = "de"
    with_numbers, others = open_pages(study, tables, client)

    with override("de"):
        known = {(table, gettext(title)) for table, title in UNLINKED}
        known |= {(table.name, gettext(column.title)) for table in tables for column in table.columns
                  if column.title and column.name in table.keys}  # fmt: skip
    links = links_by_column(with_numbers)
    wanted = {(table.name, column.name) for table in tables for _row, column in numbers_in(table)}
    assert wanted <= set(links), sorted(wanted - set(links))
    behind = [client.get(link) for link in (links_by_column(others) | links).values()]
    assert [page.request for page in (*others, *behind) if page.status_code != 200] == []

    codes = codes_in((*tables, *build_stand_in_tables(evidence)))
    for page in (*with_numbers, *others, *behind):
        soup, address = BeautifulSoup(page.content, "html.parser"), page.request["PATH_INFO"]
        assert page not in with_numbers or columns_with_unlinked(soup) <= known, address
        assert list(list_problems(soup)) == [], address
        assert codes_on(soup, codes) == set(), address


def test_the_note_on_biases_has_words_for_them(project):
    study = make_guessing_study(project)
    evidence = collect_evidence(study, Choices(seed=1))
    (biases,) = (table for table in build_stand_in_tables(evidence) if table.name == "stand_in_biases")
    assert not any(f"{code}:" in note for note in biases.notes for code in (YES, FIRST, LONGEST))
