"""Texts that are added to a study that runs: a block with a plan of its own, and what says so."""

from collections import Counter

import pytest
from django.core.management import call_command
from django.urls import reverse
from django.utils import timezone
from django.utils.dateparse import parse_datetime
from django.utils.formats import date_format
from django.utils.timezone import localtime

from analysis.choices import Choices
from analysis.frames.evidence import collect_evidence
from analysis.frames.export_rows import iter_export_rows
from analysis.pack.methods import collect_facts, describe_blocks, describe_conduct
from analysis.reports.description import build_description
from annotation.pages import find_common_genre
from studies.models import AnnotatorKind, Assignment, Purpose, Slot
from studies.services.blocks import add_texts
from studies.services.evaluating import add_evaluator
from studies.services.launching import close_study
from studies.services.people import add_annotators, revoke_link
from studies.services.recruiting import NoPlace, admit_visitor
from studies.services.spec import SpecError
from studies.services.states import WrongState
from tests.analysis.packs import export_pack_bytes, import_pack_bytes
from tests.factory import make_item, make_text
from tests.studies.world import GENERATORS, bank, make_live_study, make_study_with_bank, person

pytestmark = pytest.mark.slow

PLAN = {"annotators": 4, "per_unit": 2}


def more(project, *names, generators=GENERATORS, language="en"):
    for name in names:
        text = make_text(project, name, language=language)
        for generator in generators:
            make_item(text, generator, f"{name}-{generator}-1", "TFF")


def list_cells(study, purpose=Purpose.MAIN, **of_unit):
    slots = Slot.objects.filter(unit__study=study, purpose=purpose, **of_unit)
    return sorted(slots.values_list("unit__text__external_id", "seat", "generator__name"))


def list_texts(annotator):
    return list(annotator.assignments.order_by("position").values_list("unit__text__external_id", flat=True))


@pytest.fixture
def study(project):
    study = make_study_with_bank(project, texts=4, plan=PLAN)
    more(project, "u1", "u2", "u3", "u4")
    return study


def test_a_block_is_planned_by_itself_and_leaves_every_earlier_cell(study, researcher):
    before = list_cells(study)
    first = {each.pk: list_texts(each) for each in study.annotators.all()}
    added = add_texts(study, ["u1", "u2", "u3", "u4"], made_by=researcher)
    assert (added.number, added.texts, added.units, added.assignments) == (2, 4, 4, 8)
    assert list_cells(study, unit__block=1) == before
    new = list_cells(study, unit__block=2)
    assert set(Counter(text for text, _seat, _name in new).values()) == {2}
    assert set(Counter(seat for _text, seat, _name in new).values()) == {2}
    assert all({name for text, _seat, name in new if text == wanted} == set(GENERATORS) for wanted in ("u1", "u4"))
    for annotator in study.annotators.all():
        assert list_texts(annotator)[: len(first[annotator.pk])] == first[annotator.pk]
    study.refresh_from_db()
    (block,) = study.blocks
    assert (block["number"], block["texts"], block["made_by"]) == (2, 4, researcher.pk)
    assert study.launched_at < study.block_dates[2] <= timezone.now()


def test_another_block_is_drawn_anew_and_again_the_same_from_the_seed(project):
    bank(project, texts=2)
    one, two = (make_live_study(project, slug=slug, plan=PLAN) for slug in ("one", "two"))
    more(project, "u1", "u2", "v1", "v2")
    for names in (["u1", "u2"], ["v1", "v2"]):
        assert add_texts(one, names).number == add_texts(two, names[::-1]).number
    assert list_cells(one) == list_cells(two)
    assert set(one.units.filter(block=3).values_list("text__external_id", flat=True)) == {"v1", "v2"}


@pytest.mark.parametrize("finished_too", [True, False])
def test_whoever_has_finished_gets_the_block_only_if_wanted(study, finished_too):
    done = person(study, 0).start().finish().annotator
    gone = person(study, 3).annotator
    revoke_link(gone)
    add_texts(study, ["u1", "u2", "u3", "u4"], finished_too=finished_too)
    assert done.assignments.filter(unit__block=2).exists() is finished_too
    assert not gone.assignments.filter(unit__block=2).exists()
    assert person(study, 1).annotator.assignments.filter(unit__block=2).exists()
    assert Assignment.objects.filter(unit__block=2).count() == 8  # each text by two, whoever is left


def test_what_nobody_at_work_can_do_goes_to_whoever_joins(study):
    for number in range(4):
        person(study, number).start().finish()
    assert add_texts(study, ["u1", "u2"]).assignments == 0
    (new,) = add_annotators(study, 1)
    assert set(list_texts(new)) == {"u1", "u2"}


def test_strangers_find_the_new_cells_free(project):
    study = make_study_with_bank(project, texts=1, plan={"annotators": 2}, recruitment={"open_link": True})
    known = [admit_visitor(study, start=start) for start in "ab"]
    with pytest.raises(NoPlace):
        admit_visitor(study, start="c")
    more(project, "u1")
    assert add_texts(study, ["u1"]).assignments == 0
    assert [list_texts(admit_visitor(study, start=start)) for start in "cd"] == [["u1"], ["u1"]]
    with pytest.raises(NoPlace):
        admit_visitor(study, start="e")
    assert [list_texts(each) for each in known] == [["t1"], ["t1"]]


def test_items_of_other_generators_than_those_of_the_launch_stay_out(study, project):
    make_item(make_text(project, "w1"), "cedar", "w1-cedar-1", "TFF")
    make_item(project.texts.get(external_id="u1"), "cedar", "u1-cedar-1", "TFF")
    with pytest.raises(SpecError, match="w1"):
        add_texts(study, ["u1", "w1"])
    add_texts(study, ["u1"])
    items = study.units.filter(block=2).values_list("items__external_id", flat=True)
    assert set(items) == {"u1-alder-1", "u1-birch-1"}


@pytest.mark.parametrize("names", [[], ["t1", "u1"], ["unknown"], ["x1"]])
def test_what_cannot_be_added_is_refused_and_nothing_changes(study, project, names):
    more(project, "x1", language="de")
    with pytest.raises(SpecError):
        add_texts(study, names)
    study.refresh_from_db()
    assert (study.blocks, study.units.count()) == ([], 4)


@pytest.mark.parametrize("plan", [{"annotators": 2, "people_texts": 2}, {"annotators": 2, "own_texts": 2}])
def test_plans_that_no_text_can_join_are_refused(project, plan):
    study = make_study_with_bank(project, texts=4, plan=plan)
    more(project, "u1")
    with pytest.raises(SpecError):
        add_texts(study, ["u1"])


def test_a_closed_study_takes_no_texts(study):
    close_study(study)
    with pytest.raises(WrongState):
        add_texts(study, ["u1"])


def test_models_have_the_new_units_to_answer(study):
    model = add_evaluator(study, "m", kind=AnnotatorKind.MODEL, model="m", reading="label")
    add_texts(study, ["u1", "u2"])
    assert model.assignments.order_by("position").values_list("position", "unit__block").last() == (5, 2)
    assert model.assignments.count() == 6


def test_the_kind_of_text_that_pages_name_follows_the_texts_there_are(study, project):
    project.texts.update(genre="fable")
    assert find_common_genre(study) == "fable"
    project.texts.filter(external_id="u1").update(genre="letter")
    add_texts(study, ["u1"])
    study.refresh_from_db()
    assert find_common_genre(study) == ""


def test_export_tables_methods_and_pack_say_the_block(study):
    add_texts(study, ["u1", "u2", "u3", "u4"])
    study.refresh_from_db()
    person(study).start().finish()
    rows = list(iter_export_rows(study, ["main"]))
    assert {(row["text_id"][0], row["block"]) for row in rows} == {("t", 1), ("u", 2)}
    dates = {row["block"]: row["block_added_at"] for row in rows}
    assert dates == {number: date.isoformat() for number, date in study.block_dates.items()}
    evidence = collect_evidence(study, Choices())
    told = build_description(evidence).rows
    assert [row["value"] for row in told if row["quantity"] == "n_blocks"] == [2]
    facts = collect_facts(evidence, type("R", (), {"n_responses": 1}), describe_conduct(evidence))
    assert "2" in describe_blocks(facts)
    again = import_pack_bytes(export_pack_bytes(study))
    assert [{**each, "made_by": None} for each in study.blocks] == again.blocks
    blocks = study.units.order_by("position").values_list("text__external_id", "block")
    assert list(again.units.order_by("position").values_list("text__external_id", "block")) == list(blocks)


def test_page_and_command_add_texts(study, as_user, researcher):
    address = reverse("study_texts", args=[study.slug])
    client = as_user(researcher)
    assert [row["n"] for row in client.get(address).context["form"].rows()] == [2, 2, 2, 2]
    assert client.post(address, {"texts": ["t1"]}).context["form"].errors
    answer = client.post(address, {"texts": ["u1"], "finished_too": "on"})
    assert answer.url == reverse("study_design", args=[study.slug])
    call_command("add_texts", study.slug, "--texts", "u2", "u3")
    study.refresh_from_db()
    assert [(each["texts"], each["finished_too"]) for each in study.blocks] == [(1, True), (2, False)]
    page = client.get(reverse("study_design", args=[study.slug])).text
    day = date_format(localtime(parse_datetime(study.blocks[0]["added_at"])), "DATE_FORMAT")
    assert page.count(day) >= 2
    client.post(address, {"every": "yes"})
    assert study.units.filter(block=4).get().text.external_id == "u4"
    assert not client.get(address).context["form"].offered.texts
    close_study(study)
    assert client.get(address).context["problem"]
