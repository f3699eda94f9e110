"""A protocol that Lesart does not have gets its report, its results page and its exports from one module more."""

import pytest
from bs4 import BeautifulSoup
from django.core.management import call_command
from django.urls import reverse

from analysis.plugins import ProtocolPlugin, load_plugins
from analysis.reports.description import build_description
from analysis.reports.report import Report
from analysis.tables.spec import Column
from studies.protocols import PROTOCOLS
from studies.services.responses.importing import import_responses
from tests.analysis.rows import make_table
from tests.studies.answer_files import as_csv
from tests.studies.toys import STOPPING, ship
from tests.studies.world import bank, draft_study


def toy_report(evidence):
    counted = evidence.frame.groupby("question", sort=True)["value"].count()
    rows = [{"question": name, "n": int(n)} for name, n in counted.items()]
    shown = (Column("question", "Question"), Column("n", "n", "count"))
    asked = make_table("asked", ("question", "n"), rows, title="Asked", columns=shown)
    return Report((asked, build_description(evidence)), (), ())


@pytest.fixture
def study(project, monkeypatch):
    monkeypatch.setitem(PROTOCOLS, STOPPING.name, STOPPING)
    monkeypatch.setitem(load_plugins(), STOPPING.name, ProtocolPlugin(STOPPING.name, report=toy_report))
    ship(monkeypatch, STOPPING)
    bank(project)
    study = draft_study(project, protocol=STOPPING.name)
    row = {"annotator": "ada", "stage": "judge", "item_id": "t1-alder-1", "question": "good", "value": "no"}
    import_responses(study, as_csv([row, row | {"question": "why", "value": "Too vague."}]))
    study.refresh_from_db()
    return study


def test_the_report_command_writes_its_tables(study, tmp_path):
    call_command("report", "study", out=str(tmp_path))
    assert (tmp_path / "tables" / "asked.csv").read_text().split() == ["question,n", "good,1", "why,1"]


def test_the_results_page_shows_them(study, as_user, researcher):
    page = as_user(researcher).get(reverse("results_details", args=["study"])).content.decode()
    assert BeautifulSoup(page, "html.parser").select_one("#asked summary").text.strip() == "Asked"
    assert reverse("study_table", args=["study", "asked"]) in page


def test_the_code_book_says_what_its_questions_take(study, as_user, researcher):
    client = as_user(researcher)
    book = client.get(reverse("study_export", args=["study", "codebook"])).content.decode()
    assert "good: yes, no" in book
    assert "why: free text" in book
