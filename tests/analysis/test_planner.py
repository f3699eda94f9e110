"""The planner: what it assumes, from where, what follows, and to whom it is shown."""

import csv
import io
from dataclasses import replace

import pytest
from bs4 import BeautifulSoup
from django.urls import reverse

from analysis.measures.power import Components, Plan, informativity_outlook
from analysis.planning.forms import UNKNOWN_ANNOTATORS, Sizes, read_sizes
from analysis.planning.outlook import TooLarge, build_outlook, find_own_row, list_sizes_around
from analysis.plugins import load_plugins
from analysis.protocols.guess_then_read.planner import GuessPlan
from analysis.protocols.pairwise.planner import PairPlan
from analysis.services.planning import get_components, get_spread
from projects.models import Role
from studies.models import Study
from studies.services.creating import create_study
from studies.services.launching import launch_study
from studies.services.responses.importing import import_responses
from studies.services.spec import check_spec
from tests.factory import answer, make_annotator, make_item, make_study, make_text
from tests.pairs import draft_study as draft_of_pairs
from tests.pairs import make_bank as make_pairs
from tests.stopping import draft_study as stopping_draft
from tests.stopping import make_bank as stopping_bank
from tests.studies.answer_files import as_csv

pytestmark = pytest.mark.slow

ASSUMED = GuessPlan(Plan(6, 4), 0.58, 0.84, 0.1, Components())


@pytest.fixture
def bank(project):
    """Four texts, three generators with two items of three options each."""
    for number in range(4):
        text = make_text(project, f"t{number}")
        for name in ("ann", "bob", "cat"):
            for place in (1, 2):
                make_item(text, name, f"{name}{number}-{place}", "TFF")
    return project


@pytest.fixture
def draft(bank):
    """A function that makes a draft over the bank."""

    def make(**plan):
        spec = {"slug": "plan", "protocol": "guess-then-read", "language": "en", "plan": {"annotators": 6} | plan}
        return create_study(bank, check_spec(spec))[0]

    return make


@pytest.fixture
def page(as_user, viewer):
    """A function that gives the planner as a viewer sees it, as words."""

    def show(study, **asked):
        response = as_user(viewer).get(reverse("study_planner", args=[study.slug]), asked)
        assert response.status_code == 200
        return BeautifulSoup(response.content.decode(), "html.parser")

    return show


def value(page, name):
    return page.select_one(f"[name={name}]")["value"]


def test_the_size_of_a_draft_is_what_would_be_launched(draft):
    assert read_sizes(draft()) == Sizes(
        texts=4, generators=3, items=2, options=3, annotators=6, judgments=2, texts_all=4
    )


def test_the_size_of_a_running_study_is_that_of_its_slots(draft):
    study = draft(per_unit=3)
    before = read_sizes(study)
    launched, _chosen = launch_study(study)
    assert before.annotators == 3
    assert read_sizes(launched) == before


def test_who_comes_as_they_like_is_an_assumption(draft, page):
    study = draft(annotators="open")
    found = read_sizes(study)
    assert (found.annotators, found.open) == (UNKNOWN_ANNOTATORS, True)
    assert "their number is an assumption" in page(study).get_text()


def test_the_own_plan_is_one_of_the_sizes():
    assert list_sizes_around(10, 2) == [5, 10, 15, 20, 30, 40]
    assert list_sizes_around(1, 2) == [1, 2, 3, 4]


def test_the_table_holds_the_plan_and_other_texts_annotators_and_items():
    table = build_outlook(ASSUMED, seed=3)
    assert {row["axis"] for row in table.rows} == {"texts", "annotators", "items"}
    assert [(row["texts"], row["annotators"], row["items"]) for row in table.rows if row["own_plan"]] == [(6, 4, 3)] * 3
    assert [row["texts"] for row in table.rows if row["axis"] == "texts"] == [3, 6, 9, 12, 18, 24]
    largest = table.rows[5]
    alone = informativity_outlook(Plan(24, 4), 0.58, (0.84, 0.74), seed=3, studies=500)
    assert (largest["power"], largest["width"]) == (alone.power, alone.width)


def test_models_on_all_texts_make_texts_with_people_worth_more():
    some = replace(ASSUMED, texts_all=24, r=0.7)
    rows = {(row["axis"], row["size"]): row for row in build_outlook(some, seed=3).rows}
    assert [size for axis, size in rows if axis == "people_texts"] == [3, 6, 9, 12, 18, 24]
    alone, joined = rows["texts", 6], rows["people_texts", 6]
    assert (joined["texts"], joined["r"], alone["r"]) == (6, 0.7, None)
    as_good = informativity_outlook(Plan(round(6 / (1 - 0.75 * 0.49)), 4), 0.58, (0.84, 0.74), seed=3, studies=500)
    assert joined["width"] == pytest.approx(as_good.width, rel=0.05)
    assert joined["width"] < alone["width"]
    assert rows["people_texts", 24]["width"] == rows["texts", 24]["width"]


def test_a_draft_whose_people_do_some_texts_has_the_axis_of_texts_with_people(draft, page):
    shown = page(draft(people_texts=2), r="0.9")
    assert value(shown, "texts_all") == "4"
    assert "r = .90" in shown.select_one(".findings").get_text()


def test_the_same_seed_gives_the_same_table():
    assert build_outlook(ASSUMED, seed=3) == build_outlook(ASSUMED, seed=3) != build_outlook(ASSUMED, seed=4)


def test_more_judgments_on_the_same_texts_buy_less_than_more_texts():
    rows = {(row["axis"], row["size"]): row["width"] for row in build_outlook(PairPlan(20, 10, 0.6, 0.8), seed=1).rows}
    assert rows["texts", 40] < rows["judgments", 20] < rows["texts", 20]


def test_what_takes_long_is_refused_with_what_can_be_done():
    with pytest.raises(TooLarge, match="Use fewer texts"):
        build_outlook(GuessPlan(Plan(2000, 200), 0.58, 0.84, 0.1, Components()), seed=1)


def test_a_draft_is_planned_with_stated_assumptions(draft, page):
    found = page(draft())
    assert (value(found, "texts"), value(found, "item"), value(found, "difference")) == ("4", "0.8", "0.1")
    words = found.get_text(" ", strip=True)
    assert "assumptions, not measured" in words
    assert "With 4 texts and 6 annotators per text" in words
    assert "With twice the texts" in words


def test_an_assumption_of_the_reader_counts(draft, page):
    study = draft()
    found = page(study, texts="40", difference="0.2")
    assert "With 40 texts" in found.get_text()
    assert "difference of .20" in found.get_text()
    assert found.find("a", string="Back to this study's own values")
    assert not page(study).find("a", string="Back to this study's own values")


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"texts": "1"}, "greater than or equal to 2"),
        ({"read": "2"}, "less than or equal to 0.99"),
        ({"difference": "0.84"}, "must be smaller than the share right with the text"),
        ({"texts": "2000", "annotators": "200"}, "too large to simulate"),
    ],
)
def test_what_cannot_be_assumed_is_said(draft, page, asked, message):
    found = page(draft(), **asked)
    assert message in found.get_text()
    assert not found.select("#outlook")


def add_judgments(study, people=3):
    """Some texts are hard for everybody, some items too."""
    for place in range(people):
        person = make_annotator(study, f"p{place}")
        for unit in study.units.all():
            for number, item in enumerate(unit.items.all()):
                hard = unit.position % 2 or number == place
                answer(person, "guess", item, "FTT" if hard else "TFT")
                answer(person, "read", item, "TTT" if hard else "TFF")
    return study


def test_components_of_the_study_s_own_answers_take_the_place_of_the_defaults(bank, page):
    items = [item for text in bank.texts.all() for item in text.items.all()]
    study = add_judgments(make_study(bank, "own", items))
    found = get_spread(study)
    assert found.fitted
    assert found.components != Components()
    shown = page(study)
    assert value(shown, "text") == str(round(found.components.text, 3))
    assert value(shown, "read") == str(round(found.read, 3))
    assert "Estimated from this study's answers" in shown.get_text()
    assert "assumptions, not measured" not in shown.get_text()


def test_fitted_components_stand_with_their_intervals_and_in_a_file(bank, page, as_user, viewer):
    items = [item for text in bank.texts.all() for item in text.items.all()]
    study = add_judgments(make_study(bank, "own", items))
    table = get_components(study)
    assert [row["component"] for row in table.rows] == ["text", "text_stage", "item", "option", "annotator"]
    assert all(row["reason"] or row["low"] <= row["sd"] <= row["high"] for row in table.rows)
    words = page(study).select_one("#components").get_text(" ", strip=True)
    assert "between items" in words
    assert "95 % jackknife intervals" in words
    response = as_user(viewer).get(reverse("study_components_csv", args=[study.slug]))
    rows = list(csv.DictReader(io.StringIO(response.content.decode(), newline="")))
    assert [row["component"] for row in rows] == [row["component"] for row in table.rows]


def test_a_draft_has_no_fitted_components(draft, page, as_user, viewer):
    study = draft()
    assert not page(study).select("#components")
    assert as_user(viewer).get(reverse("study_components_csv", args=[study.slug])).status_code == 404


def test_a_study_of_pairs_shows_how_far_its_texts_differ(project, page):
    make_pairs(project)
    study = draft_of_pairs(project)
    rows = [
        {"annotator": "p0", "stage": "compare", "item_id": f"p{text}-{one}-{place}",
         "other_item_id": f"p{text}-{other}-{place}", "question": "better", "value": f"p{text}-{winner}-{place}"}
        for text in range(1, 6)
        for place in range(2)
        for one, other in (("gen-alder", "gen-birch"), ("gen-birch", "gen-cedar"))
        for winner in [one if (text + place) % 3 else other]
    ]  # fmt: skip
    import_responses(study, as_csv(rows))
    study.refresh_from_db()
    (row,) = get_components(study).rows
    assert (row["component"], row["n_units"], row["n_judgments"]) == ("text", 5, 20)
    assert "Variance of the answers in this study" in page(study).get_text()


def test_one_generator_is_planned_as_two(project, page):
    items = [make_item(make_text(project, f"o{number}"), "alone", f"o{number}") for number in range(3)]
    found = page(make_study(project, "one", items))
    assert value(found, "generators") == "2"
    assert "two are assumed" in found.get_text()
    assert found.select("#outlook")


@pytest.mark.parametrize("texts", [2, 3])
def test_no_interval_is_wider_than_the_range_of_what_it_is_about(texts):
    pairs_table = build_outlook(PairPlan(texts, 3, 0.6, 0.5), seed=1)
    assert max(row["width"] for row in pairs_table.rows if row["width"] is not None) <= 1
    guess_table = build_outlook(GuessPlan(Plan(texts, 2), 0.58, 0.84, 0.1, Components()), seed=1)
    assert max(row["width"] for row in guess_table.rows if row["width"] is not None) <= 2
    assert max(row["difference_width"] for row in guess_table.rows if row["width"] is not None) <= 4


def test_simulated_answers_do_not_fit_anything(bank):
    items = [item for text in bank.texts.all() for item in text.items.all()]
    study = add_judgments(make_study(bank, "own", items))
    study.annotators.update(purpose="simulated")
    assert not get_spread(study).fitted


def test_what_answers_do_not_tell_is_named(tiny, items, page):
    for name in ("ada", "ben"):
        person = make_annotator(tiny, name)
        for item in ("c1", "c2"):  # one generator only
            answer(person, "read", items[item], "TF" if name == "ada" else "FF")
    assert "therefore assumed: between texts" in page(tiny).get_text()


def test_other_protocols_are_offered_nothing(project, page):
    stopping_bank(project)
    found = page(stopping_draft(project))
    assert "does not support this protocol" in found.get_text()
    assert not found.select("form.planner")


def test_a_draft_that_cannot_be_launched_says_why(draft, page):
    study = draft()
    Study.objects.filter(pk=study.pk).update(selection={"texts": ["nowhere"], "generators": "all"})
    assert "nowhere" in page(study).select_one(".note.error").get_text()


@pytest.mark.parametrize(
    ("name", "ending"),
    [
        ("study_planner", ()),
        ("study_planner_csv", ()),
        ("study_planner_figure", ("svg",)),
        ("study_planner_figure", ("vl.json",)),
    ],
)
def test_viewers_see_it(draft, as_user, viewer, name, ending):
    assert as_user(viewer).get(reverse(name, args=[draft().slug, *ending])).status_code == 200


def test_the_file_has_the_rows_of_the_page(draft, as_user, member):
    study = draft()
    response = as_user(member(Role.VIEWER)).get(reverse("study_planner_csv", args=[study.slug]), {"texts": "8"})
    rows = list(csv.DictReader(io.StringIO(response.content.decode(), newline="")))
    assert [row["texts"] for row in rows if row["axis"] == "texts"] == ["4", "8", "12", "16", "24", "32"]
    plan = Plan(8, 6, generators=3, items=2, options=3)
    own = find_own_row(build_outlook(GuessPlan(plan, 0.58, 0.84, 0.1, Components()), abs(study.seed)))
    assert next(row for row in rows if row["own_plan"] == "true")["power"] == str(own["power"])


def test_the_tab_stands_where_there_is_a_simulation():
    assert {name for name, plugin in load_plugins().items() if plugin.planner} == {"guess-then-read", "pairwise"}
