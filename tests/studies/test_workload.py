"""What a draft says of the work it asks: reckoned from words and options, by hand here."""

import pytest

from studies.services import durations
from studies.services.declarations import get_declaration
from studies.services.durations import Span, estimate_all_units, estimate_minutes, estimate_workload
from studies.services.launching import outline_draft
from studies.services.selection import PlannedUnit
from tests.factory import make_item, make_text
from tests.studies.world import bank, draft_study, make_live_study


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


@pytest.mark.parametrize(("protocol", "texts"), [("guess-then-read", 9), ("dimension-ratings", 4)])
def test_many_units_are_estimated_from_some_of_them(project, monkeypatch, protocol, texts):
    bank(project, texts=texts)
    study = make_live_study(project, protocol=protocol)
    declaration = get_declaration(study)
    units = study.units.select_related("text").prefetch_related("items__options", "items__generator")
    planned = [PlannedUnit(unit.text, tuple(unit.items.all()), unit.part) for unit in units]
    whole = estimate_minutes(planned, declaration)
    for sampled in (2, 3, 500):
        monkeypatch.setattr(durations, "SAMPLED_UNITS", sampled)
        assert estimate_all_units(study) == (pytest.approx(whole, rel=1e-9), len(planned))


def test_a_draft_has_no_units_to_estimate(project):
    bank(project)
    assert estimate_all_units(draft_study(project)) == (0.0, 0)
