"""What a draft says of the work it asks: reckoned from words and options, by hand here."""

import pytest

from studies.services.declarations import get_declaration
from studies.services.durations import Span, estimate_minutes, estimate_workload
from studies.services.launching import outline_draft
from tests.factory import make_item, make_text
from tests.studies.world import bank, draft_study


def of(study):
    return estimate_workload(outline_draft(study), get_declaration(study))


def test_minutes_are_reading_once_and_judging_one_generator_s_options_and_then_all(project):
    text = make_text(project, "t1", body="word " * 400)
    make_item(text, "alder", "i1", "TFF")
    make_item(text, "birch", "i2", "TFF")
    study = draft_study(project)
    # 400 words at 200 a minute; 3 options guessed and 6 read at 10 seconds each
    assert estimate_minutes(outline_draft(study).units, get_declaration(study)) == pytest.approx(2 + 1.5)
    assert of(study).minutes == Span(4, 4)


def test_the_published_study_is_reckoned_within_what_its_annotators_took(project):
    for number in range(10):
        text = make_text(project, f"t{number}", body="word " * 327)
        for generator in ("alder", "birch", "cedar"):
            for place in range(3):
                make_item(text, generator, f"t{number}-{generator}-{place}", "TFF")
    found = of(draft_study(project, plan={"annotators": 6}))
    assert (found.texts, found.minutes, found.guessers) == (Span(10, 10), Span(76, 76), Span(2, 2))


def test_where_loads_differ_the_least_and_the_most_are_said(project):
    bank(project, texts=5)
    found = of(draft_study(project, plan={"annotators": 2, "per_unit": 1}))
    assert str(found.texts) == "2–3"
    assert str(found.guessers) == "0–1"


def test_an_open_study_is_reckoned_for_one_who_does_every_text(project):
    bank(project, texts=5)
    assert of(draft_study(project, plan={"annotators": "open"})).texts == Span(5, 5)
