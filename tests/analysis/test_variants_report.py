"""Agreement and minutes of a study's variants, side by side, equal what was planted."""

import csv
import io
from datetime import timedelta

import pytest
from django.urls import reverse

from analysis.choices import Choices
from analysis.exports.codebook import build_codebook
from analysis.exports.writing import export_responses
from analysis.services.reporting import build
from studies.models import Submission
from studies.services.responses.rows import COLUMNS as CONTRACT
from tests.stopping import FORM, GOOD, NONSENSE, make_bank, make_live_study, make_study_with_bank
from tests.studies.world import Person, post

pytestmark = pytest.mark.slow

FLAT = [{"name": "stopping"}, {"name": "flat", "params": {"flat": True}}]
# What the two people of a variant say of the four items, in the order of the bank: in the stopping one they disagree on
# one item of four, in the flat one on two.
STOPPING = [(GOOD, GOOD), (GOOD, NONSENSE), (NONSENSE, NONSENSE), (GOOD, GOOD)]
REST = FORM | {"answerable": "no", "information_needed": "text", "central": "no", "would_use": "no"}
NO = REST | NONSENSE
ASKED_ALL = [(REST, NO), (REST, NO), (NO, NO), (REST, REST)]
MINUTES = {"stopping": 2, "flat": 5}


@pytest.fixture
def study(project):
    study = make_study_with_bank(project, variants=FLAT, groups=[], plan={"annotators": 4, "seed": 5})
    seen = {"stopping": 0, "flat": 0}
    for annotator in study.annotators.order_by("seat"):
        someone = Person(annotator).start()
        name = annotator.variant.name
        judge(someone, {"stopping": STOPPING, "flat": ASKED_ALL}[name], seen[name])
        seen[name] += 1
    for submission in Submission.objects.select_related("assignment__annotator__variant"):
        took = timedelta(minutes=MINUTES[submission.assignment.annotator.variant.name])
        submission.opened_at = submission.submitted_at - took
        submission.save()
    return study


def judge(someone: Person, planted: list, who: int) -> None:
    places = {
        f"{text}-gen-{tree}": 2 * t + g
        for t, text in enumerate(("s1", "s2"))
        for g, tree in enumerate(("alder", "birch"))
    }
    while here := someone.here:
        answers = planted[places[here.unit.items.get().external_id]][who]
        handle = someone.shown[0][0]
        someone.save(post(item=handle, **{f"{name}-{handle}": value for name, value in answers.items()}))
        someone.hand_in()


def cells(study) -> dict:
    rows = build(study, Choices()).table("variants").rows
    return {(row["variant"], row["category"], row["view"], row["measure"]): row for row in rows}


def test_agreement_within_each_variant(study):
    found = cells(study)
    stopping = found["stopping", "understandable", "all", "percent"]
    assert (stopping["value"], stopping["n"]) == (3 / 4, 4)
    flat = found["flat", "understandable", "all", "percent"]
    assert (flat["value"], flat["n"]) == (2 / 4, 4)
    # Two no and no, two yes and yes, …: stopping 2·yes-yes, 1·yes-no, 1·no-no gives p_e = (3·2 + 1·2) / 16 = 1/2.
    assert found["stopping", "understandable", "all", "kappa"]["value"] == pytest.approx((3 / 4 - 1 / 2) / (1 / 2))
    assert stopping["low"] is not None


def test_what_was_not_asked_is_a_label_of_the_stopping_variant_only(study):
    found = cells(study)
    assert found["stopping", "central", "applicable", "percent"]["n"] == 2
    assert found["flat", "central", "applicable", "percent"]["n"] == 4
    assert found["flat", "central", "all", "percent"]["n"] == 4


def test_minutes_and_people_of_each_variant(study):
    found = cells(study)
    for name, minutes in MINUTES.items():
        row = found[name, "", "", "minutes_unit_median"]
        assert (row["value"], row["n"]) == (minutes, 8)
        assert found[name, "", "", "n_annotators"]["value"] == 2


def test_a_study_without_variants_has_no_such_table(project):
    make_bank(project)
    assert "variants" not in {table.name for table in build(make_live_study(project), Choices()).tables}


def export_rows(study, format: str) -> list[dict]:
    out = io.StringIO()
    export_responses(study, format, out, ("main",))
    return list(csv.DictReader(io.StringIO(out.getvalue())))


def test_the_export_names_the_variant_behind_the_columns_of_every_study(study):
    rows = export_rows(study, "csv")
    header = list(rows[0])
    assert tuple(header[: len(CONTRACT)]) == CONTRACT
    assert header.index("sequence") == header.index("variant") + 1
    drawn = dict(study.annotators.values_list("code", "variant__name"))
    assert {(row["annotator"], row["variant"]) for row in rows} == set(drawn.items())
    assert [row["values"] for row in build_codebook(study).rows if row["column"] == "variant"] == ["stopping, flat"]


def test_the_wide_export_says_not_applicable_by_each_ones_variant(study):
    by_variant = {name: code for code, name in study.annotators.values_list("code", "variant__name")}
    rows = [
        row for row in export_rows(study, "wide") if row["question"] == "central" and row["item_id"] == "s2-gen-alder"
    ]
    assert (rows[0][by_variant["stopping"]], rows[0][by_variant["flat"]]) == ("not_applicable", "no")


def test_the_results_page_shows_the_variants(study, researcher, client):
    client.force_login(researcher)
    page = client.get(reverse("results_details", args=[study.slug]))
    assert "Variants side by side" in page.content.decode()
