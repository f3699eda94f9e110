"""What a writing study reports and exports equals what was written."""

import csv
import io
from statistics import mean, median

import pytest
from django.urls import reverse

from analysis.choices import Choices
from analysis.exports.writing import export_responses
from analysis.frames.evidence import collect_evidence
from analysis.services.reporting import build
from annotation.simulation import simulate_study
from studies.models import Assignment, Submission
from studies.services.written_items import list_written_items, reject_written_item, take_written_item
from tests.analysis.rows import numbers_in, rows_behind
from tests.factory import make_text
from tests.studies.world import make_live_study, person, post

pytestmark = pytest.mark.slow

GROUPS = ["teachers", "students"]


@pytest.fixture
def study(project):
    return to_write(project)


def to_write(project):
    for number in (1, 2):
        make_text(project, f"t{number}")
    params = {"items_per_text": 2, "at_least": 1}
    return make_live_study(project, protocol="writing", params=params, groups=GROUPS)


def write(someone, *stems):
    handle, more = someone.shown[0][0], {"more_1": "yes" if len(stems) > 1 else "no"}
    values = {f"stem_{n}": stem for n, stem in enumerate(stems, 1)} | {f"answer_{n}": "So." for n in (1, 2)} | more
    someone.save(post(item=handle, **{f"{name}-{handle}": value for name, value in values.items()}))
    someone.hand_in()


def set_minutes(minutes: dict[str, float]):
    """Each annotator took so many minutes for every text."""
    from datetime import timedelta

    for submission in Submission.objects.select_related("assignment__annotator"):
        took = timedelta(minutes=minutes[submission.assignment.annotator.code])
        submission.opened_at = submission.submitted_at - took
        submission.save()


def plant_items(study):
    """Two of the first annotator about one text, one of the second about each text."""
    first, second = person(study, 0).start(), person(study, 1).start()
    write(first, "Why do herons stand?", "When do they fish?")
    write(second, "Where?")
    write(second, "Who are they really?")
    set_minutes({first.annotator.code: 4, second.annotator.code: 10})
    return list_written_items(study)


def finished_study(project):
    """The study as planted, one item of it rejected."""
    study = to_write(project)
    reject_written_item(study, plant_items(study)[0].response_id, None)
    return study


def rows(study, name="writing", **choices):
    return build(study, Choices(**choices)).table(name).rows


def test_counts_and_minutes_of_all_and_of_each_group(study, researcher):
    written = plant_items(study)
    by_stem = {each.values.stem: each.response_id for each in written}
    take_written_item(study, by_stem["Where?"], researcher)
    reject_written_item(study, by_stem["When do they fish?"], researcher)
    everybody, students, teachers = rows(study)
    assert (everybody["n_items"], everybody["n_annotators"], everybody["n_texts"]) == (4, 2, 2)
    assert (everybody["n_accepted"], everybody["n_rejected"], everybody["n_waiting"]) == (1, 1, 2)
    assert (everybody["minutes_per_text"], everybody["n"]) == (10, 3)  # of 4, 10 and 10
    assert everybody["words_per_stem"] == (4 + 4 + 1 + 4) / 4
    assert (teachers["group"], teachers["n_items"], teachers["minutes_per_text"]) == ("teachers", 2, 4)
    assert (students["group"], students["n_items"], students["n_accepted"]) == ("students", 2, 1)


def test_behind_each_count_are_the_items_texts_or_people(study, researcher):
    by_stem = {each.values.stem: each.response_id for each in plant_items(study)}
    take_written_item(study, by_stem["Where?"], researcher)
    reject_written_item(study, by_stem["When do they fish?"], researcher)
    evidence = collect_evidence(study, Choices())
    table = build(study, Choices()).table("writing")
    counted = set()
    for row, column in numbers_in(table):
        values = rows_behind(evidence, table, row, column)
        again = {
            "words_per_stem": lambda values: mean(int(each["words"]) for each in values),
            "minutes_per_text": lambda values: median(float(each["minutes"]) for each in values),
        }.get(column.name, len)(values)
        assert again == pytest.approx(row[column.name]), (row["group"], column.name)
        counted.add(column.name)
    assert counted == {column.name for column in table.columns} - {"group", "n_repaired"}  # nothing was repaired


def test_a_group_can_be_chosen(study):
    plant_items(study)
    assert [row["n_items"] for row in rows(study, groups=("teachers",))] == [2]


def test_each_item_is_listed_as_it_was_written(study):
    plant_items(study)
    first = rows(study, "written_items")[0]
    assert (first["stem"], first["expected_answer"], first["verdict"]) == ("Why do herons stand?", "So.", "")


def export_rows(study, format="csv") -> list[dict]:
    out = io.StringIO()
    export_responses(study, format, out, ("main", "simulated"))
    return list(csv.DictReader(io.StringIO(out.getvalue())))


def test_the_export_has_each_answer_with_its_text_and_no_item(study):
    plant_items(study)
    answers = [row for row in export_rows(study) if row["applicable"] == "true"]
    assert {(row["question"], row["value"], row["item_id"]) for row in answers if row["question"] == "stem_1"} == {
        ("stem_1", "Why do herons stand?", ""),
        ("stem_1", "Where?", ""),
        ("stem_1", "Who are they really?", ""),
    }
    assert {row["text_id"] for row in answers} == {"t1", "t2"}


def test_the_wide_export_tells_what_was_not_asked_for(study):
    plant_items(study)
    first, second = (study.annotators.get(seat=seat).code for seat in (0, 1))
    started = Assignment.objects.filter(annotator__code=first, finished_at__isnull=False).get()
    (row,) = [
        each
        for each in export_rows(study, "wide")
        if each["question"] == "stem_2" and each["text_id"] == started.unit.text.external_id
    ]
    assert (row[first], row[second]) == ("When do they fish?", "not_applicable")


def test_simulated_people_write_through_the_pages(study):
    simulate_study(study, 1, 3)
    assert {each.annotator for each in list_written_items(study, ("simulated",))} == {"sim-01"}
    assert rows(study)[0]["n_items"] == 0
    assert rows(study)[0]["reason"] == "no times are known"


def test_the_results_page_shows_what_was_written(study, researcher, client):
    plant_items(study)
    client.force_login(researcher)
    page = client.get(reverse("results_details", args=[study.slug])).content.decode()
    assert "Why do herons stand?" in page
    assert "Published beside" not in page


def test_the_summary_says_first_that_items_wait_and_leads_to_them(study, researcher, client):
    plant_items(study)
    client.force_login(researcher)
    first = client.get(reverse("study_results", args=[study.slug])).context["notes"][0]
    assert (first.level, first.href) == ("next", reverse("results_items", args=[study.slug]))


def test_the_items_page_of_a_writing_study_leads_to_what_was_written(study, researcher, client):
    plant_items(study)
    client.force_login(researcher)
    page = client.get(reverse("results_items", args=[study.slug])).content.decode()
    assert reverse("study_written", args=[study.slug]) in page
    assert "Why do herons stand?" in page
