"""Evidence of large studies that is cached is that of now, and the part that a number needs gives the same rows."""

from dataclasses import fields

import pandas as pd
import pytest
from django.urls import reverse
from django.utils import timezone

from analysis.choices import Choices
from analysis.frames import responses
from analysis.frames.evidence import collect_evidence
from analysis.frames.responses import read_answers, read_columns
from analysis.services import cached_evidence, cached_results
from analysis.services.cached_evidence import load_evidence
from analysis.services.reporting import build_full_report, drill_down, find_shared, list_specs
from analysis.tables.writers import as_csv
from items.models import Option
from studies.models import Annotator, Assignment, Response
from tests import reading
from tests.analysis.rows import numbers_in
from tests.analysis.test_every_table import STUDIES
from tests.analysis.whole_studies import make_guessing_study
from tests.factory import answer, make_annotator

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def large(db, settings):
    """Every study is large."""
    settings.LESART = settings.LESART | {"RESULTS_AT_ONCE": 0}


@pytest.fixture
def study(project):
    return reading.plant_three_texts(project)


@pytest.fixture
def reads(monkeypatch):
    """How often answers are read."""
    seen = []
    monkeypatch.setattr(
        cached_evidence,
        "collect_evidence",
        lambda study, choices, *known: seen.append(choices) or collect_evidence(study, choices, *known),
    )
    return seen


@pytest.fixture
def answers_read(monkeypatch):
    """How many answers each reading for a cached file has fetched."""
    seen = []

    def count(submitted):
        found = read_columns(submitted)
        seen.append(len(found["pk"]))
        return found

    def read(study, purposes, known):
        with monkeypatch.context() as patched:
            patched.setattr(responses, "read_columns", count)
            return read_answers(study, purposes, known)

    monkeypatch.setattr(cached_evidence, "read_answers", read)
    return seen


def assert_same(found, wanted):
    for field in fields(wanted):
        one, other = getattr(found, field.name), getattr(wanted, field.name)
        if isinstance(other, pd.DataFrame):
            pd.testing.assert_frame_equal(one, other.reset_index(drop=True), obj=field.name)
        else:
            assert one == other, field.name


@pytest.mark.database
@pytest.mark.parametrize("protocol", STUDIES)
def test_cached_evidence_is_what_is_read(protocol, project, reads):
    study = STUDIES[protocol](project)
    choices = Choices(seed=3, purposes=("main", "pilot"))
    wanted = collect_evidence(study, choices)
    assert_same(load_evidence(study, choices), wanted)
    assert_same(load_evidence(study, choices), wanted)
    assert len(reads) == 1


def test_what_measures_look_at_needs_no_reading(study, reads):
    load_evidence(study, Choices(seed=1))
    other = Choices(seed=2, convention="published", evaluators=("human",), calibration=False)
    assert load_evidence(study, other).choices == other
    load_evidence(study, Choices(groups=("even",)))
    assert [choices.groups for choices in reads] == [None, ("even",)]


def test_after_an_upgrade_everything_is_read_anew(study, reads, monkeypatch):
    load_evidence(study, Choices())
    monkeypatch.setattr(cached_results, "hash_software", lambda: "another version")
    load_evidence(study, Choices())
    load_evidence(study, Choices())
    assert len(reads) == 2


@pytest.mark.database
def test_one_more_answer_and_another_key_are_read(study, reads):
    load_evidence(study, Choices())
    item = next(item for unit in study.units.all() for item in unit.items.all())
    answer(make_annotator(study, "late"), "guess", item, "TFF")
    assert "late" in set(load_evidence(study, Choices()).frame["annotator"])
    option = Option.objects.filter(item=item).first()
    Option.objects.filter(pk=option.pk).update(correct=not option.correct)
    options = load_evidence(study, Choices()).options.set_index(["item_id", "option_id"])
    assert options["key"][item.external_id, option.external_id] != option.correct
    assert len(reads) == 3


def plant_pairs(study):
    outer, inner = make_annotator(study, "outer"), make_annotator(study, "inner", purpose="pilot")
    items = [unit.items.first() for unit in study.units.all()[:2]]
    for annotator, item in ((outer, items[0]), (inner, items[0]), (inner, items[1]), (outer, items[1])):
        answer(annotator, "guess", item, "TFF")


@pytest.mark.database
def test_one_more_answer_does_not_read_the_earlier_ones(study, answers_read):
    load_evidence(study, Choices())
    item = next(item for unit in study.units.all() for item in unit.items.all())
    answer(make_annotator(study, "late"), "guess", item, "TFF")
    load_evidence(study, Choices())
    assert answers_read[1:] == [3]
    assert_same(load_evidence(study, Choices()), collect_evidence(study, Choices()))


@pytest.mark.database
@pytest.mark.parametrize(
    "change", ["taken back", "deleted", "deleted with another one added", "of a pilot", "of somebody else's pilot"]
)
def test_all_answers_are_read_where_one_of_them_is_gone(change, study, answers_read):
    if "else" in change:  # whose answers have the same number and the same sum of keys
        plant_pairs(study)
    load_evidence(study, Choices())
    last = Response.objects.order_by("pk").last()
    if change == "taken back":
        Assignment.objects.filter(pk=last.assignment_id).update(returned_at=timezone.now())
    elif "else" in change:
        Annotator.objects.filter(code="inner").update(purpose="main")
        Annotator.objects.filter(code="outer").update(purpose="pilot")
    elif change == "of a pilot":
        Annotator.objects.filter(pk=last.assignment.annotator_id).update(purpose="pilot")
    else:
        Response.objects.order_by("pk").first().delete()
        if "added" in change:
            item = next(item for unit in study.units.all() for item in unit.items.all())
            answer(make_annotator(study, "late"), "guess", item, "TFF")
    found = load_evidence(study, Choices())
    assert answers_read[1:] == [len(found.every_round)]
    assert_same(found, collect_evidence(study, Choices()))


def test_of_a_small_study_nothing_is_cached(study, reads, settings):
    settings.LESART = settings.LESART | {"RESULTS_AT_ONCE": 1_000_000}
    load_evidence(study, Choices())
    load_evidence(study, Choices())
    assert len(reads) == 2


@pytest.mark.parametrize("make", [reading.plant_three_texts, make_guessing_study])
def test_the_answers_that_a_row_shares_are_all_that_its_numbers_count(make, project):
    study = make(project)
    choices = Choices(purposes=("main", "pilot"))
    whole, parts, seen = load_evidence(study, choices), {}, set()
    for table in build_full_report(whole).tables:
        for row, column in numbers_in(table, most=4):
            shared = find_shared(study, table.name, row)
            if not shared:
                continue
            place = tuple(shared.items())
            part = parts[place] = parts.get(place) or load_evidence(study, choices, shared)
            assert len(part.frame) < len(whole.frame)
            rows = [drill_down(evidence, table.name, row, column.name) for evidence in (whole, part)]
            assert as_csv(rows[0]) == as_csv(rows[1]), (table.name, column.name)
            assert rows[0].notes == rows[1].notes
            seen.add(table.name)
    assert seen >= {spec.name for spec in list_specs(study.protocol).values() if spec.shared} - {
        "informativity_probability",
        "agreement_with_humans",
    }


def test_the_rows_behind_a_number_are_of_the_evidence_that_is_cached(study, reads, as_user, reviewer, run_jobs):
    tables = build_full_report(collect_evidence(study, Choices(seed=abs(study.seed)))).tables
    table = next(table for table in tables if table.name == "informativity")
    names, client = table.names(table.rows[0]) | {"table": "informativity"}, as_user(reviewer)
    for number in ("n_items", "guessability"):
        address = reverse("study_behind", args=[study.slug])
        while client.get(address, names | {"number": number}).status_code == 202:
            assert run_jobs()
    assert len(reads) == 1
