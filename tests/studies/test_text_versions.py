"""Studies of text versions: who reads which, what pages, models and files have of it, and what is refused."""

from collections import Counter

import pytest

from annotation import simulation
from annotation.simulation import simulate_study
from evaluation.services.baselines import add_baselines, answer_by_baseline
from items.models import Text
from studies.models import Assignment, Response, Slot
from studies.services.people import add_annotators, replace_person
from studies.services.places import find_place
from studies.services.responses.importing import ImportRefused, import_responses
from studies.services.spec import SpecError, check_spec
from tests.studies.answer_files import as_csv, whole
from tests.studies.steps import address, begin, read_fields
from tests.studies.world import bank, draft_study, make_live_study, person, spec

pytestmark = pytest.mark.slow

VERSIONS = ["original", "simple", "hard"]
COMPARED = {"annotators": 6, "text_versions": VERSIONS}


@pytest.fixture
def texts(project):
    bank(project, texts=6)
    for text in Text.objects.all():
        words = {name: f"A {name} text {text.external_id}." for name in VERSIONS[1:]}
        text.versions = [{"name": name, "text": body} for name, body in words.items()]
        text.save()
    return project


def cells(rows) -> list[tuple[str, int, str]]:
    return [tuple(row) for row in rows.values_list("unit__text__external_id", "seat", "text_version")]


def test_versions_rotate_over_readers_and_are_stored_with_the_plan(texts):
    study = make_live_study(texts, plan=COMPARED)
    plan = cells(Slot.objects.filter(unit__study=study))
    assert set(Counter((text, version) for text, _seat, version in plan).values()) == {2}
    assert set(Counter((seat, version) for _text, seat, version in plan).values()) == {2}
    for assignment in Assignment.objects.select_related("slot"):
        assert assignment.text_version == assignment.slot.text_version in VERSIONS


def test_the_page_shows_the_version_of_the_assignment_and_no_other(texts, client):
    study = make_live_study(texts, plan=COMPARED)
    reader = person(study, 1).start()
    reader.do()
    assignment = find_place(reader.annotator).assignment_and_stage[0]
    page = client.post(reader.annotator.get_link(), follow=True).content.decode()
    text = assignment.unit.text
    assert assignment.stage == "read"
    for name in VERSIONS:
        assert (text.in_version(name).body in page) == (name == assignment.text_version)


def test_who_joins_later_goes_on_with_the_rotation_and_who_replaces_reads_the_same(texts):
    study = make_live_study(texts, plan=COMPARED)
    (late,) = add_annotators(study, 1)
    first = {text: version for text, seat, version in cells(Slot.objects.filter(unit__study=study)) if seat == 0}
    assert {each.unit.text.external_id: each.text_version for each in late.assignments.all()} == first
    new = replace_person(study.annotators.get(code="P01"))
    assert {each.unit.text.external_id: each.text_version for each in new.assignments.all()} == first


def test_models_read_all_versions_as_an_evaluator_each(texts):
    study = make_live_study(texts, plan=COMPARED)
    option = study.units.first().items.first().options.get(external_id="a")
    text = study.units.first().text
    text.versions[0]["text"] = f"It says: {option.text}"
    text.save()
    labels = {}
    for evaluator in add_baselines(study, "exact"):
        answer_by_baseline(evaluator)
        own = Response.objects.filter(assignment__annotator=evaluator.annotator)
        labels[evaluator.annotator.code] = own.get(option=option).value
        assert set(own.values_list("assignment__text_version", flat=True)) == {evaluator.params["text_version"]}
    assert labels == {"exact": False, "exact (simple)": True, "exact (hard)": False}


def test_simulated_people_read_each_text_once(texts):
    study = make_live_study(texts, plan=COMPARED)
    simulate_study(study, 3, 1)
    mine = Assignment.objects.filter(annotator__purpose="simulated")
    assert set(Counter(mine.values_list("unit", "text_version")).values()) == {1}


def test_simulated_people_do_better_with_another_version_by_the_planted_effect(texts, monkeypatch):
    monkeypatch.setattr(simulation, "ABILITY", {"guess": 0.0, "read": 0.0})
    monkeypatch.setattr(simulation, "SPREAD", 0.0)
    monkeypatch.setattr(simulation, "OTHER_VERSION", 1.0)
    study = make_live_study(texts, plan=COMPARED)
    (person, *_others) = simulate_study(study, 3, 1)
    rows = Response.objects.filter(question="answer", assignment__annotator__purpose="simulated", stage="read")
    right = {(row.assignment.text_version, row.value == row.option.correct) for row in rows}
    assert right == {("original", False), ("simple", True), ("hard", True)}
    person.refresh_from_db()
    assert person.profile["simulated"]["other_version"] == 1.0


def test_texts_without_a_version_are_left_out_and_without_any_refused(texts):
    Text.objects.filter(external_id="t1").update(versions=[])
    study = draft_study(texts, plan=COMPARED)
    assert any("simple" in notice for notice in list_launch_notices(study))
    with pytest.raises(SpecError, match="unread"):
        draft_study(texts, slug="other", plan={"text_versions": ["original", "unread"]})


def list_launch_notices(study) -> list[str]:
    from studies.services.selection import choose_items

    chosen = choose_items(study)
    assert len(chosen.texts) == 5
    return chosen.notices


@pytest.mark.parametrize("names", [["original"], ["simple", "simple"]])
def test_one_version_is_nothing_to_compare(names):
    with pytest.raises(SpecError, match="text_versions"):
        check_spec(spec(plan={"text_versions": names}))


def test_a_file_of_answers_says_which_version_was_read(texts):
    study = draft_study(texts, plan=COMPARED)
    import_responses(study, as_csv(whole(text_version="simple")))
    assert set(Assignment.objects.values_list("text_version", flat=True)) == {"simple"}


@pytest.mark.parametrize(
    ("versions", "told"),
    [(["unread"] * 99, "unread"), ([""] * 99, "original, simple"), (["simple"] + ["hard"] * 99, "hard")],
)
def test_a_file_with_other_versions_is_refused(versions, told, texts):
    study = draft_study(texts, plan=COMPARED)
    rows = [row | {"text_version": version} for row, version in zip(whole(), versions, strict=False)]
    with pytest.raises(ImportRefused) as refused:
        import_responses(study, as_csv(rows))
    assert {problem.field for problem in refused.value.problems} == {"text_version"}
    assert told in refused.value.problems[0].reason


def test_the_design_step_chooses_the_versions(texts, client, researcher):
    client.force_login(researcher)
    begin(client, protocol="guess-then-read", title="Versions")
    study = texts.studies.get()
    url = address(study, "texts")
    fields = read_fields(client.get(url).content)
    assert "versions" not in fields
    client.post(url, fields | {"versions": ["original", "simple"]})
    people = address(study, "people")
    client.post(people, read_fields(client.get(people).content))
    study.refresh_from_db()
    assert study.plan["text_versions"] == ["original", "simple"]
    assert client.post(url, fields | {"versions": ["simple"]}).context["form"].errors.keys() == {"versions"}
