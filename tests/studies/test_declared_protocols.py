"""A protocol is a declaration: plan, pages, drafts, hand-in, import and export follow it without knowing its name."""

import csv
import io

import pytest

from analysis.exports.writing import export_responses
from annotation.simulation import simulate_study
from studies.models import Response, Unit
from studies.protocols import PROTOCOLS
from studies.services.answering import Incomplete
from studies.services.launching import open_main_part
from studies.services.places import find_place
from studies.services.responses.importing import ImportRefused, import_responses
from studies.stage_blocks import build_blocks
from tests.annotation.world import Walker
from tests.studies.answer_files import as_csv
from tests.studies.toys import COMPARING, STOPPING, ship
from tests.studies.world import bank, draft_study, make_live_study, person, post


@pytest.fixture(autouse=True)
def toys(monkeypatch):
    for toy in (STOPPING, COMPARING):
        monkeypatch.setitem(PROTOCOLS, toy.name, toy)
        ship(monkeypatch, toy)


def stopping(project, **changes):
    bank(project)
    return make_live_study(project, protocol="toy-stopping", **changes)


def comparing(project, **changes):
    return make_live_study(project, protocol="toy-comparing", **changes)


def make_fields(someone, **answers):
    """Fields of the page at hand, whose one subject is named after the first item shown."""
    handle = someone.shown[0][0]
    return post(item=handle, **{f"{name}-{handle}": value for name, value in answers.items()})


def export_rows(study) -> list[dict]:
    out = io.StringIO()
    export_responses(study, "csv", out, ("main", "simulated"))
    return list(csv.DictReader(io.StringIO(out.getvalue())))


def test_a_unit_is_one_item_and_everybody_gets_each(project):
    study = stopping(project)
    assert [unit.items.count() for unit in study.units.all()] == [1, 1, 1, 1]
    assert {annotator.assignments.count() for annotator in study.annotators.all()} == {4}


def test_units_of_a_text_stand_together_in_the_order_of_an_annotator(project):
    bank(project, texts=5, items=3)
    for annotator in make_live_study(project, protocol="toy-stopping").annotators.all():
        texts = [assignment.unit.text_id for assignment in annotator.assignments.order_by("position")]
        assert texts == [text for text in dict.fromkeys(texts) for _item in range(6)]


def test_so_many_annotators_do_a_unit_as_the_plan_says_and_all_do_equally_many(project):
    bank(project, texts=3, items=5)
    study = make_live_study(project, protocol="toy-stopping", plan={"annotators": 4, "per_unit": 2})
    assert {unit.slots.count() for unit in study.units.all()} == {2}
    assert {annotator.assignments.count() for annotator in study.annotators.all()} == {15}


def test_what_stands_behind_a_stop_is_neither_wanted_nor_kept(project):
    someone = person(stopping(project)).start()
    someone.save(make_fields(someone, good="no", why="Too vague.", central="yes", use="no"))
    assert someone.here.drafts.get().values == {"good": "no", "why": "Too vague."}
    someone.hand_in()
    assert dict(Response.objects.values_list("question", "value")) == {"good": "no", "why": "Too vague."}


def test_what_is_asked_after_the_answers_is_wanted(project):
    someone = person(stopping(project)).start()
    someone.save(make_fields(someone, good="yes", central="maybe"))
    with pytest.raises(Incomplete) as missing:
        someone.hand_in()
    (block,) = build_blocks(missing.value.form)
    assert block.errors == ["Not answered yet: use."]
    assert {row.name: row.is_asked for row in block.rows} == {"good": True, "why": False, "central": True, "use": True}


def test_an_optional_text_may_stay_empty(project):
    someone = person(stopping(project)).start()
    someone.save(make_fields(someone, good="no"))
    someone.hand_in()
    assert Response.objects.get().value == "no"


def row(item, question, value, **more):
    return {"annotator": "ada", "stage": "judge", "item_id": item, "question": question, "value": value} | more


def problems(study, rows) -> list[tuple[int, str]]:
    with pytest.raises(ImportRefused) as refused:
        import_responses(study, as_csv(rows))
    return [(problem.line, problem.field) for problem in refused.value.problems]


def test_an_imported_answer_behind_a_stop_is_refused(project):
    bank(project)
    study = draft_study(project, protocol="toy-stopping")
    rows = [row("t1-alder-1", "good", "no"), row("t1-alder-1", "central", "yes")]
    assert problems(study, rows) == [(3, "question")]
    assert problems(study, [row("t1-birch-1", "use", "yes")]) == [(2, "question")]
    assert not Response.objects.exists()


def test_what_was_imported_comes_out_again(project):
    bank(project)
    study = draft_study(project, protocol="toy-stopping")
    rows = [row("t1-alder-1", "good", "no"), row("t1-alder-1", "why", "Two\nlines"), row("t2-birch-1", "good", "yes")]
    import_responses(study, as_csv(rows))
    study.refresh_from_db()
    answered = [each for each in export_rows(study) if each["applicable"] == "true"]
    found = {(each["item_id"], each["question"], each["value"]) for each in answered}
    assert found == {(each["item_id"], each["question"], each["value"]) for each in rows}
    assert Unit.objects.count() == 4


def test_a_pair_is_one_unit_whose_answer_names_an_item(project):
    bank(project, texts=1)
    study = comparing(project)
    someone = person(study).start()
    (first, second) = study.units.get().unit_items.all()
    left, right = someone.shown
    someone.save(make_fields(someone, better=right[0]))
    someone.hand_in()
    answer = Response.objects.get()
    chosen = first if right[1] == first.item_id else second
    assert (answer.item_id, answer.value) == (first.item_id, chosen.item.external_id)
    assert export_rows(study)[0]["other_item_id"] == second.item.external_id
    shown_left = first if left[1] == first.item_id else second
    assert export_rows(study)[0]["shown_left"] == shown_left.item.external_id


def test_sides_are_drawn_for_each_annotator(project):
    bank(project, texts=6, items=2)
    study = comparing(project, plan={"annotators": 4})
    for annotator in study.annotators.all():
        lefts = [
            assignment.shown["compare"][0][1] == assignment.unit.unit_items.first().item_id
            for assignment in annotator.assignments.all()
        ]
        assert 4 <= sum(lefts) <= 20, lefts  # of 24


def test_the_keys_stand_first_where_the_stage_says_so(project):
    bank(project, texts=1, keys="FFT")
    place = find_place(person(comparing(project)).start().annotator)
    from studies.services.stage_form import StageForm

    (block,) = build_blocks(StageForm(place.assignment, place.stage))
    assert [[option.is_key for option in side.options] for side in block.sides] == [[True, False, False]] * 2


def pair(better, **more):
    shared = {"annotator": "ada", "stage": "compare", "question": "better", "value": better}
    return shared | {"item_id": "t1-birch-1", "other_item_id": "t1-alder-1"} | more


def test_pairs_of_a_file_are_its_units_whichever_item_is_named_first(project):
    bank(project)
    study = draft_study(project, protocol="toy-comparing")
    turned = {"item_id": "t1-alder-1", "other_item_id": "t1-birch-1"}
    rows = [pair("t1-birch-1", shown_left="t1-alder-1"), pair("tie", annotator="ben", **turned)]
    import_responses(study, as_csv(rows))
    study.refresh_from_db()
    assert Unit.objects.count() == 1
    columns = ("item_id", "other_item_id", "value", "shown_left")
    assert [tuple(each[column] for column in columns) for each in export_rows(study)] == [
        ("t1-birch-1", "t1-alder-1", "t1-birch-1", "t1-alder-1"),
        ("t1-birch-1", "t1-alder-1", "tie", ""),
    ]


@pytest.mark.parametrize(
    ("changes", "column"),
    [
        ({"value": "t2-alder-1"}, "value"),
        ({"other_item_id": ""}, "other_item_id"),
        ({"other_item_id": "t2-alder-1"}, "other_item_id"),
        ({"other_item_id": "nobody"}, "other_item_id"),
        ({"shown_left": "t2-alder-1"}, "shown_left"),
        ({"part": "calibration"}, "part"),
    ],
)
def test_what_cannot_be_said_of_a_pair_is_refused(project, changes, column):
    bank(project)
    study = draft_study(project, protocol="toy-comparing")
    assert problems(study, [pair("tie") | changes]) == [(2, column)]


def test_after_the_calibration_annotators_wait_until_the_main_part_is_opened(project):
    bank(project, texts=3)
    plan = {"annotators": 2, "shared_texts": 1, "own_texts": 1}
    study = comparing(project, plan=plan, params={"calibration": True})
    someone = person(study).start()
    assert someone.here.unit.part == "calibration"
    someone.save(make_fields(someone, better="tie"))
    someone.hand_in()
    assert find_place(someone.annotator).kind == "waiting"
    someone.annotator.study = open_main_part(study)
    assert find_place(someone.annotator).kind == "stage"
    assert someone.here.unit.part == "main"


def test_simulated_people_get_through_pages_of_both(project):
    bank(project)
    for protocol, n in (("toy-stopping", 4), ("toy-comparing", 2)):
        study = make_live_study(project, slug=protocol, protocol=protocol)
        (annotator,) = simulate_study(study, 1, seed=1)
        assert annotator.assignments.filter(finished_at__isnull=False).count() == n


def test_the_page_names_what_is_asked_and_hides_what_is_not(project):
    walker = Walker(person(stopping(project)).annotator).start()
    page = walker.get().content.decode()
    assert "Question 1 of 4" in page
    assert page.count("disabled") == 3
    assert "data-asked-if=" in page
