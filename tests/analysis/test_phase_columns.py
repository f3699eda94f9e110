"""What people said of themselves stands beside their answers in the export; what they wrote freely in no pack."""

from datetime import timedelta

import pytest
from django.utils import timezone

from analysis.exports.codebook import build_codebook
from analysis.frames.export_rows import iter_export_rows, list_export_columns
from analysis.pack.redaction import Redactor
from analysis.pack.work import iter_answers
from studies.models import Purpose, Submission
from studies.services.answering import pass_phase
from tests.annotation.test_phases import ATTENTION, BACKGROUND, SURVEY
from tests.studies.world import Person, bank, make_live_study


@pytest.fixture
def study(project):
    bank(project)
    consent = {"kind": "consent", "version": "2026-11"}
    study = make_live_study(project, phases=[consent, BACKGROUND, ATTENTION, SURVEY])
    person = Person(study.annotators.get(seat=0))
    pass_phase(person.annotator, "consent")
    told = {"first_language": "other", "adult": "yes", "remark": "I live at 7 Elm Street", "try": "0"}
    pass_phase(person.annotator, "background", told)
    person.do()
    person.do()
    pass_phase(person.annotator, "attention", {"blue": "red", "try": "0"})
    person.finish()
    pass_phase(person.annotator, "survey", {"hard": "2", "try": "0"})
    return study


def test_answers_about_oneself_are_columns_of_the_annotator(study):
    row = next(iter(iter_export_rows(study, [Purpose.MAIN])))
    assert row["background_first_language"] == "other"
    assert row["survey_hard"] == "2"
    assert row["consent_version"] == "2026-11"
    assert (row["attention_right"], row["attention_asked"]) == (0, 1)


def test_the_code_book_has_every_column(study):
    described = {row["column"]: row for row in build_codebook(study).rows}
    assert set(list_export_columns(study)) <= set(described)
    assert described["background_first_language"]["meaning"] == "Your first language?"


def test_idle_is_what_is_left_of_the_time(study):
    now = timezone.now()
    Submission.objects.update(opened_at=now - timedelta(seconds=90), submitted_at=now, active_seconds=60)
    row = next(iter(iter_export_rows(study, [Purpose.MAIN])))
    assert (row["active_seconds"], row["idle_seconds"]) == (60, 30)


def test_what_was_written_about_oneself_is_in_no_pack(study):
    nothing_hidden = Redactor(frozenset(), frozenset(), {}, {})
    assert any("Elm Street" in str(row) for row in iter_export_rows(study, [Purpose.MAIN]))
    assert not any("Elm Street" in str(row) for row in iter_answers(study, [Purpose.MAIN], nothing_hidden))
