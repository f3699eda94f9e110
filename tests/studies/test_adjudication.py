"""Adjudication: only real conflicts of complete units, decided with what was said kept, reopened with a reason."""

import csv
import io
from dataclasses import replace

import pytest
from bs4 import BeautifulSoup
from django.core.management import call_command

from analysis.choices import Choices
from analysis.frames.evidence import collect_evidence
from items.models import Item
from studies.models import Adjudication, AnnotatorKind, Assignment, Response, Ruling, StudyState, Unit
from studies.services.adjudicating import (
    CannotAdjudicate,
    Decision,
    decide_cells,
    find_conflicts,
    flag_or_exclude_answer,
    list_cells,
    reopen_unit,
)
from tests import dimensions, stopping
from tests.analysis.packs import export_pack_bytes, import_pack_bytes
from tests.factory import answer, make_annotator, make_item, make_study, make_text

ITEM = "x2-gen-alder"  # two people gave 3 for clarity, one 1 in both rounds: the one conflict that is left


@pytest.fixture
def ratings_study(project):
    return dimensions.import_study(project)


@pytest.fixture
def guessing_study(project):
    """One text with one item; two people answered it, and rate it differently."""
    item = make_item(make_text(project, "t1"), "gen", "i1", "TF")
    study = make_study(project, "tiny", [item], state=StudyState.CLOSED)
    for code, ticks, rating in (("P01", "TF", 2), ("P02", "FT", 5)):
        person = make_annotator(study, code)
        answer(person, "guess", item, "FF")
        answer(person, "read", item, ticks, rating=rating)
    return study


def unit_of(study, item=ITEM):
    return Unit.objects.get(study=study, items__external_id=item)


def clarity(study, value=3, reason="") -> Decision:
    return Decision("rate", "clarity", Item.objects.get(external_id=ITEM).pk, value, reason)


def export_rows(study):
    out = io.StringIO()
    call_command("export_responses", study.slug, "--format", "csv", stdout=out)
    return list(csv.DictReader(io.StringIO(out.getvalue())))


def values(study, **choices):
    frame = collect_evidence(study, Choices(**choices)).frame
    mine = frame[(frame["item_id"] == ITEM) & (frame["question"] == "clarity")]
    return sorted(mine["value"])


def test_a_conflict_is_where_the_latest_answers_differ(ratings_study):
    (found,) = find_conflicts(ratings_study)
    assert (found["assignment__unit"], found["stage"], found["question"]) == (
        unit_of(ratings_study).pk,
        "rate",
        "clarity",
    )
    (cell,) = [cell for cell in list_cells(unit_of(ratings_study)) if cell.is_open]
    assert (cell.item.external_id, [each.value for each in cell.responses]) == (ITEM, [1, 3, 3])


def test_a_unit_that_still_waits_for_an_answer_has_no_conflict_yet(ratings_study, researcher):
    ratings_study.state = StudyState.LIVE
    ratings_study.save()
    late = Assignment.objects.filter(unit=unit_of(ratings_study), round=1).first()
    Assignment.objects.filter(pk=late.pk).update(finished_at=None, stage="rate")
    assert find_conflicts(ratings_study) == []
    with pytest.raises(CannotAdjudicate, match="not complete"):
        decide_cells(unit_of(ratings_study), [clarity(ratings_study)], researcher)


def test_a_decision_leaves_the_answers_and_counts_only_where_it_is_asked_for(ratings_study, researcher):
    answers = list(Response.objects.order_by("pk").values_list("pk", "value"))
    assert decide_cells(unit_of(ratings_study), [clarity(ratings_study, 2, "read it again")], researcher) == 1
    assert list(Response.objects.order_by("pk").values_list("pk", "value")) == answers
    assert find_conflicts(ratings_study) == []
    assert values(ratings_study) == [1, 3, 3]
    assert values(ratings_study, adjudicated=True) == [2, 2, 2]
    rows = [row for row in export_rows(ratings_study) if row["adjudication"]]
    assert {(row["item_id"], row["question"], row["round"] == "2" or row["annotator"]) for row in rows} == {
        (ITEM, "clarity", True), (ITEM, "clarity", "p0"), (ITEM, "clarity", "p2"),
    }  # fmt: skip
    assert {(row["adjudicated_value"], row["adjudicated_by"], row["reason"]) for row in rows} == {
        ("2", researcher.username, "read it again")
    }
    assert sorted(row["value"] for row in rows) == ["1", "3", "3"]


@pytest.mark.parametrize(
    ("value", "reason", "message"),
    [(9, "", "not an answer"), ("3", "", "not an answer"), (True, "", "not an answer")],
)
def test_a_value_off_the_scale_is_refused_and_nothing_stored(ratings_study, researcher, value, reason, message):
    with pytest.raises(CannotAdjudicate, match=message):
        decide_cells(
            unit_of(ratings_study), [clarity(ratings_study), clarity(ratings_study, value, reason)], researcher
        )
    assert not Adjudication.objects.exists()


def test_where_people_agree_a_decision_needs_a_reason(ratings_study, researcher):
    agreed = Decision("rate", "fluency", clarity(ratings_study).item_id, 1)
    with pytest.raises(CannotAdjudicate, match="reason"):
        decide_cells(unit_of(ratings_study), [agreed], researcher)
    assert decide_cells(unit_of(ratings_study), [replace(agreed, reason="all misread it")], researcher) == 1


def test_a_reopened_unit_is_a_conflict_again_and_the_log_keeps_the_decision(ratings_study, researcher):
    decide_cells(unit_of(ratings_study), [clarity(ratings_study)], researcher)
    with pytest.raises(CannotAdjudicate, match="already"):
        decide_cells(unit_of(ratings_study), [clarity(ratings_study, 1)], researcher)
    with pytest.raises(CannotAdjudicate, match="why"):
        reopen_unit(unit_of(ratings_study), " ", researcher)
    reopen_unit(unit_of(ratings_study), "a new reading", researcher)
    assert len(find_conflicts(ratings_study)) == 1
    assert values(ratings_study, adjudicated=True) == [1, 3, 3]
    assert set(Adjudication.objects.values_list("value", "reopened_because")) == {(3, "a new reading")}
    decide_cells(unit_of(ratings_study), [clarity(ratings_study, 1)], researcher)
    assert values(ratings_study, adjudicated=True) == [1, 1, 1]


def test_ticks_measure_and_are_never_replaced_but_can_be_excluded(guessing_study, researcher):
    unit, item = guessing_study.units.get(), Item.objects.get()
    assert {cell.question.name for cell in list_cells(unit)} == {"rating"}
    with pytest.raises(CannotAdjudicate, match="cannot be replaced"):
        decide_cells(unit, [Decision("read", "answer", item.pk, True)], researcher)
    tick = Response.objects.filter(assignment__annotator__code="P02", stage="read", question="answer").first()
    with pytest.raises(CannotAdjudicate, match="reason"):
        flag_or_exclude_answer(unit, tick.pk, Ruling.EXCLUDED, "", researcher)
    flag_or_exclude_answer(unit, tick.pk, Ruling.EXCLUDED, "clicked at random", researcher)
    whole, adjudicated = (collect_evidence(guessing_study, Choices(adjudicated=each)).frame for each in (False, True))
    assert len(whole) - len(adjudicated) == 3  # two options and the rating
    assert set(whole[whole["stage"] == "read"]["annotator"]) == {"P01", "P02"}
    assert set(adjudicated[adjudicated["stage"] == "read"]["annotator"]) == {"P01"}
    assert find_conflicts(guessing_study) == []  # the other rating stands alone


def test_a_flag_changes_no_figure(guessing_study, researcher):
    rating = Response.objects.filter(question="rating").first()
    flag_or_exclude_answer(guessing_study.units.get(), rating.pk, Ruling.FLAGGED, "much too fast", researcher)
    whole, adjudicated = (collect_evidence(guessing_study, Choices(adjudicated=each)).frame for each in (False, True))
    assert whole.equals(adjudicated)
    assert {row["adjudication"] for row in export_rows(guessing_study) if row["reason"] == "much too fast"} == {
        "flagged"
    }
    assert len(find_conflicts(guessing_study)) == 1


def test_what_would_not_have_been_asked_after_a_decision_does_not_count(project, researcher):
    study = stopping.import_study(project)
    unit = unit_of(study, "s2-gen-birch")
    item = Item.objects.get(external_id="s2-gen-birch")
    decide_cells(unit, [Decision("judge", "understandable", item.pk, "no")], researcher)
    frame = collect_evidence(study, Choices(adjudicated=True)).frame
    assert set(frame[frame["item_id"] == item.external_id]["question"]) == {"understandable"}


def test_what_a_decision_has_made_moot_is_no_open_conflict(project, researcher):
    study = stopping.import_study(project)
    unit, item = unit_of(study, "s2-gen-birch"), Item.objects.get(external_id="s2-gen-birch")
    before = {each["question"] for each in find_conflicts(study) if each["item"] == item.pk}
    assert {"understandable", "grammatical", "central"} <= before
    decide_cells(unit, [Decision("judge", "understandable", item.pk, "no")], researcher)
    assert [each for each in find_conflicts(study) if each["item"] == item.pk] == []
    assert [cell.question.name for cell in list_cells(unit) if cell.item == item] == ["understandable"]
    reopen_unit(unit, "a new reading", researcher)
    assert {each["question"] for each in find_conflicts(study) if each["item"] == item.pk} == before
    decide_cells(unit, [Decision("judge", "grammatical", item.pk, "no")], researcher)
    decide_cells(unit, [Decision("judge", "understandable", item.pk, "no")], researcher)
    assert {cell.question.name for cell in list_cells(unit) if cell.decision} == {"grammatical", "understandable"}


def test_models_are_no_side_of_a_conflict(guessing_study):
    item = Item.objects.get()
    Response.objects.filter(question="rating").update(value=4)
    model = make_annotator(guessing_study, "m", kind=AnnotatorKind.MODEL)
    answer(model, "read", item, "TF", rating=1)
    assert find_conflicts(guessing_study) == []


def test_the_page_shows_what_was_said_and_not_who_said_it(ratings_study, as_user, reviewer):
    client = as_user(reviewer)
    address = f"/s/{ratings_study.slug}/adjudication/"
    listed = client.get(address)
    assert [row.n_open for row in listed.context["page"]][:2] == [1, 0]
    page = client.get(f"{address}{unit_of(ratings_study).pk}/")
    words = set(BeautifulSoup(page.content, "html.parser").select_one("main").get_text(" ").split())
    assert [cell.answers for cell in page.context["conflicts"]] == [
        [("1: unclear", "", False), ("3: clear", "", False), ("3: clear", "", False)]
    ]
    assert ("2", "2: clear with the text") in page.context["conflicts"][0].value.field.choices
    assert words.isdisjoint({*ratings_study.annotators.values_list("code", flat=True), *dimensions.GENERATORS})
    (cell,) = page.context["conflicts"]
    stored = client.post(f"{address}{unit_of(ratings_study).pk}/", {"act": "decide", cell.value.html_name: "3"})
    assert stored.status_code == 302
    assert Adjudication.objects.filter(value=3).count() == 3


def test_a_form_without_a_value_says_so_and_stores_nothing(ratings_study, as_user, reviewer):
    page = as_user(reviewer).post(
        f"/s/{ratings_study.slug}/adjudication/{unit_of(ratings_study).pk}/", {"act": "decide"}
    )
    assert page.status_code == 200
    assert page.context["decisions"].errors
    assert not Adjudication.objects.exists()


def test_a_page_that_is_sent_late_decides_no_other_question(project, as_user, reviewer, researcher):
    study = stopping.import_study(project)
    unit, item = unit_of(study, "s2-gen-birch"), Item.objects.get(external_id="s2-gen-birch")
    address, client = f"/s/{study.slug}/adjudication/{unit.pk}/", as_user(reviewer)
    shown = client.get(address).context["conflicts"]
    decide_cells(unit, [Decision("judge", "understandable", item.pk, "yes")], researcher)
    late = {"act": "decide", next(cell for cell in shown if "understandable" in cell.value.html_name
            and str(item.pk) in cell.value.html_name).value.html_name: "no"}  # fmt: skip
    assert client.post(address, late).status_code == 200
    assert set(Adjudication.objects.values_list("response__question", "value")) == {("understandable", "yes")}


@pytest.mark.slow
def test_every_table_of_an_adjudicated_report_says_so(ratings_study, researcher, tmp_path):
    decide_cells(unit_of(ratings_study), [clarity(ratings_study)], researcher)
    call_command("report", ratings_study.slug, "--out", str(tmp_path), "--adjudicated")
    tables = list((tmp_path / "tables").glob("*.csv"))
    assert tables
    for path in tables:
        header, *rows = csv.reader(path.open(encoding="utf-8", newline=""))
        assert header[-1] == "answers"
        assert {row[-1] for row in rows} <= {"adjudicated"}


def test_a_page_of_results_offers_decisions_in_place_of_answers(ratings_study, as_user, researcher):
    address, client = f"/s/{ratings_study.slug}/results/details/", as_user(researcher)
    assert 'name="answers"' not in client.get(address).content.decode()
    decide_cells(unit_of(ratings_study), [clarity(ratings_study, 2)], researcher)
    assert 'name="answers"' in client.get(address).content.decode()


@pytest.mark.slow
def test_a_pack_takes_the_decisions_along_but_not_who_made_them(ratings_study, researcher):
    decide_cells(unit_of(ratings_study), [clarity(ratings_study, 2, "read it again")], researcher)
    again = import_pack_bytes(export_pack_bytes(ratings_study))
    assert values(again, adjudicated=True) == [2, 2, 2]
    decided = Adjudication.objects.filter(response__assignment__annotator__study=again)
    assert set(decided.values_list("value", "reason", "decided_by")) == {(2, "read it again", None)}
