"""Pages speak in words: no code of ours stands where a reader of any language expects one of theirs."""

import re
from html import unescape

import pytest
from bs4 import BeautifulSoup
from django.urls import reverse
from django.utils.translation import override

from analysis.agreement.stand_in import FIRST, LONGEST, YES, stand_in_tables
from analysis.choices import Choices
from analysis.frames.evidence import evidence_of
from analysis.tables.page import naming
from analysis.words import KINDS, name_code
from studies.question_words import LABELS, QUESTIONS, STAGES
from tests.analysis.test_behind_every_table import STUDIES
from tests.analysis.whole_studies import make_guessing_study
from tests.analysis.worked_out import build_evidence

pytestmark = pytest.mark.slow

SNAKE = re.compile(r"\b[A-Za-z0-9]+(?:_[A-Za-z0-9]+)+\b")
# What a reader typed or named, shows as it is stored, or does not read as prose.
AS_THEY_ARE = ("script", "style", "code", "[translate=no]", "option", "svg")


@pytest.fixture(params={"guessed": make_guessing_study} | STUDIES)
def study(request, project):
    return ({"guessed": make_guessing_study} | STUDIES)[request.param](project)


@pytest.fixture
def tables(study):
    evidence, tables = build_evidence(study)
    return (*tables, *stand_in_tables(evidence))


def pages_of(study, tables, client):
    """Each page of the analysis, and behind one number of each column."""
    names = (
        "study_results",
        "results_agreement",
        "results_items",
        "results_compare",
        "results_details",
        "stand_in",
        "agreement_lab",
        "study_pack",
        "study_items",
        "study_planner",
    )
    addresses = [reverse(name, args=[study.slug]) for name in names]
    addresses += [reverse("bank_shortcuts", args=[study.project.slug])]
    addresses += [reverse("study_table_page", args=[study.slug, table.name]) for table in tables]
    addresses += [reverse("study_item", args=[study.slug, item.pk]) for item in study.units.first().items.all()[:1]]
    behind = {}
    for address in addresses:
        html = client.get(address).content.decode()
        yield address, html
        for link in map(unescape, re.findall(r'href="([^"]*/results/judgments/[^"]*)"', html)):
            behind.setdefault(tuple(re.findall(r"[?&](?:table|number)=([^&]*)", link)), link)
    for link in behind.values():
        yield link, client.get(link).content.decode()


def words_of(html: str) -> BeautifulSoup:
    soup = BeautifulSoup(html, "html.parser").body
    for each in soup.select(",".join(AS_THEY_ARE)):
        each.decompose()
    return soup


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


def test_no_code_stands_on_a_page_in_the_place_of_a_word(study, tables, as_user, reviewer):
    client, codes = as_user(reviewer), codes_in(tables)
    client.cookies["django_language"] = "de"
    found = []
    for address, html in pages_of(study, tables, client):
        soup = words_of(html)
        hovers = " ".join(each["title"] for each in soup.select("[title]"))
        found += [(address, code) for code in SNAKE.findall(f"{soup.get_text(' ')} {hovers}")]
        cells = {cell.get_text(strip=True) for cell in soup.select("td, th, dt, dd")}
        found += [(address, code) for code in cells & codes]
    assert found == []


def test_what_names_a_row_is_said_in_words_under_a_title(tables):
    for table in tables:
        for row in table.rows if table.keys else ():
            for (title, cells), name in zip(naming(table, row), table.keys, strict=True):
                assert title != name or name in KINDS, (table.name, name)
                assert not SNAKE.search(cells), (table.name, cells)


def test_the_note_on_biases_has_words_for_them(project):
    study = make_guessing_study(project)
    evidence = evidence_of(study, Choices(seed=1))
    (biases,) = (table for table in stand_in_tables(evidence) if table.name == "stand_in_biases")
    assert not any(f"{code}:" in note for note in biases.notes for code in (YES, FIRST, LONGEST))
