"""Plans with numbers for each group: who does what, who may join, what is refused, and what the pages say."""

from collections import Counter
from itertools import combinations

import pytest
from django.urls import reverse

from annotation.simulation import simulate_study
from studies.models import Assignment, Purpose, Slot, Study
from studies.services.people import add_annotators, revoke_link
from studies.services.places import give_back
from studies.services.quotas import share_out
from studies.services.spec import SpecError, check_spec
from tests.dimensions import make_bank
from tests.dimensions import make_live_study as launched_ratings
from tests.studies.steps import address, begin, send
from tests.studies.world import bank, draft_study, make_live_study, spec

PLAN = {"annotators": {"experts": 4, "crowd": 8}, "per_unit": {"experts": 2, "crowd": 2}}


def by_group(study, purpose: str = "main") -> set[tuple[tuple[str, int], ...]]:
    """How many annotators of each group have each unit, as a set over units."""
    rows = Assignment.objects.active().filter(unit__study=study, annotator__purpose=purpose)
    counts: dict[int, Counter] = {}
    for unit, group in rows.values_list("unit", "annotator__group"):
        counts.setdefault(unit, Counter())[group] += 1
    return {tuple(sorted(each.items())) for each in counts.values()}


def test_each_text_is_done_by_so_many_of_each_group(project):
    bank(project, texts=8)
    study = make_live_study(project, plan=PLAN)
    assert study.groups == ["experts", "crowd"]
    assert Counter(study.annotators.values_list("group", flat=True)) == {"experts": 4, "crowd": 8}
    assert by_group(study) == {(("crowd", 2), ("experts", 2))}
    loads = Counter(Assignment.objects.values_list("annotator__group", "annotator"))
    assert set(loads.values()) == {4, 2}
    assert {group: n for (group, _who), n in loads.items()} == {"experts": 4, "crowd": 2}


def test_generators_are_guessed_equally_often_on_a_text_over_both_groups(project):
    bank(project, texts=6)
    study = make_live_study(project, plan=PLAN)
    guesses = Counter(Slot.objects.filter(unit__study=study).values_list("unit", "generator"))
    assert set(guesses.values()) == {2}


def test_a_question_is_done_by_so_many_of_each_group(project):
    make_bank(project)
    study = launched_ratings(
        project, plan={"annotators": {"experts": 3, "crowd": 4}, "per_unit": {"experts": 2, "crowd": 3}}
    )
    assert by_group(study) == {(("crowd", 3), ("experts", 2))}


@pytest.mark.slow
def test_no_two_groups_get_the_same_pattern(project):
    bank(project, texts=12)
    study = make_live_study(project, plan={"annotators": {"a": 4, "b": 4}, "per_unit": {"a": 2, "b": 2}})
    seats = [frozenset(Slot.objects.filter(unit=unit).values_list("seat", flat=True)) for unit in study.units.all()]
    assert len({frozenset(seat % 4 for seat in row) for row in seats if len(row) == 4}) > 1
    shared = Counter(pair for row in seats for pair in combinations(sorted(row), 2))
    assert max(shared.values()) < 12


def test_whoever_joins_gets_the_share_of_their_group_alone(project):
    bank(project, texts=4)
    study = make_live_study(
        project, plan={"annotators": "open", "per_unit": {"experts": 1, "crowd": 2}}, groups=["experts", "crowd"]
    )
    add_annotators(study, 1, group="experts")
    with pytest.raises(SpecError):
        add_annotators(study, 1, group="experts")
    add_annotators(study, 2, group="crowd")
    assert by_group(study) == {(("crowd", 2), ("experts", 1))}


def test_what_an_expert_leaves_goes_to_the_next_expert(project):
    bank(project, texts=2)
    study = make_live_study(
        project, plan={"annotators": {"experts": 2, "crowd": 2}, "per_unit": {"experts": 1, "crowd": 1}}
    )
    expert = study.annotators.filter(group="experts").first()
    revoke_link(expert)
    with pytest.raises(SpecError):
        add_annotators(study, 1, group="crowd")
    n = expert.assignments.active().count()
    new = add_annotators(study, 1, group="experts")[0]
    assert new.assignments.count() == n
    assert {slot.group for slot in Slot.objects.filter(assignments__annotator=new)} == {"experts"}


def test_with_everybody_doing_everything_cells_stay_in_their_group(project):
    bank(project, texts=2)
    study = make_live_study(project, plan={"annotators": {"experts": 1, "crowd": 1}})
    expert = study.annotators.get(group="experts")
    give_back(list(expert.assignments.values_list("pk", flat=True)), "left")
    new = add_annotators(study, 1, group="crowd")[0]
    assert not Slot.objects.filter(assignments__annotator=expert, assignments__in=new.assignments.all()).exists()
    assert new.assignments.count() == 2


@pytest.mark.parametrize("group", ["", "teachers"])
def test_nobody_joins_outside_the_groups(group, project):
    bank(project)
    study = make_live_study(project, plan={"annotators": {"experts": 1, "crowd": 1}})
    with pytest.raises(SpecError, match="experts, crowd"):
        add_annotators(study, 1, group=group)


@pytest.mark.parametrize(
    ("plan", "groups", "named"),
    [
        ({"annotators": {"experts": 2, "crowd": 8}, "per_unit": {"experts": 3, "crowd": 2}}, [], "experts"),
        ({"annotators": {"experts": 2}, "per_unit": {"crowd": 1}}, [], "crowd"),
        ({"annotators": {"experts": 2, "crowd": 2}, "per_unit": {"experts": 1}}, [], "crowd"),
        ({"annotators": {"experts": 2}}, ["students"], "experts"),
        ({"annotators": {"experts": 2}}, ["experts", "crowd"], "crowd"),
        ({"annotators": 6, "per_unit": {"experts": 2}}, [], "plan.annotators"),
        ({"annotators": {"experts": 6}, "per_unit": 2}, [], "plan.per_unit"),
        ({"annotators": {"experts": 0}}, [], "plan.annotators"),
        ({"annotators": {}}, [], "plan.annotators"),
        ({"annotators": {"experts": "open"}}, [], "plan.annotators"),
        ({"annotators": {"a\nb": 2}}, [], "plan.annotators"),
    ],
)
def test_numbers_that_cannot_be_are_refused(plan, groups, named, project):
    bank(project)
    with pytest.raises(SpecError, match=named):
        draft_study(project, plan=plan, groups=groups)
    assert not Study.objects.exists()


def test_a_study_file_takes_all_for_a_group():
    found = check_spec(spec(plan={"annotators": {"a": 2, "b": 3}, "per_unit": {"a": "all", "b": 1}}))
    assert found.plan.per_unit == {"a": "all", "b": 1}


@pytest.mark.parametrize(
    ("number", "parts"), [(12, {"a": 4, "b": 8}), (3, {"a": 1, "b": 2}), (2, {"a": 1, "b": 1}), (1, {"a": 0, "b": 1})]
)
def test_annotators_are_shared_out_in_the_plan_s_proportion(number, parts):
    found = share_out(number, {"a": 4, "b": 8})
    assert sum(found.values()) == number
    assert found == parts or number == 1


@pytest.mark.slow
def test_simulated_people_are_in_the_groups_of_the_plan(project):
    bank(project, texts=2)
    study = make_live_study(project, plan=PLAN)
    simulate_study(study, 6, 1)
    groups = Counter(study.annotators.filter(purpose=Purpose.SIMULATED).values_list("group", flat=True))
    assert groups == {"experts": 2, "crowd": 4}
    assert by_group(study, "simulated") == {(("crowd", 2), ("experts", 2))}


def test_the_form_takes_numbers_for_groups_and_shows_them_again(project, as_user, researcher):
    bank(project)
    client = as_user(researcher)
    begin(client, title="Two")
    numbers = {"grouping": "numbers", "reading": "some", "group_annotators": "experts: 4, crowd: 8"}
    assert send(client, "two", "people", **numbers, group_per_unit="experts: 2, crowd: all").status_code == 302
    study = Study.objects.get(slug="two")
    assert study.plan["annotators"] == {"experts": 4, "crowd": 8}
    assert study.plan["per_unit"] == {"experts": 2, "crowd": "all"}
    form = client.get(address("two", "people")).context["form"]
    assert form["group_annotators"].value() == "experts: 4, crowd: 8"
    page = send(client, "two", "people", group_per_unit="experts: 5, crowd: 1")
    assert page.status_code == 200
    assert page.context["form"].errors


@pytest.mark.parametrize("wrong", ["experts: four", "experts:", ": 4", "a: 1, a: 2", "a: 0", "a: 5000"])
def test_the_form_refuses_what_is_no_number(wrong, project, as_user, researcher):
    bank(project)
    client = as_user(researcher)
    begin(client, title="Two")
    page = send(client, "two", "people", grouping="numbers", group_annotators=wrong)
    assert "group_annotators" in page.context["form"].errors


@pytest.mark.slow
def test_links_of_one_group_are_a_file_of_their_own(project, as_user, researcher):
    bank(project)
    study = make_live_study(project, plan={"annotators": {"experts": 2, "crowd": 3}})
    client = as_user(researcher)
    page = client.get(reverse("annotator_links", args=[study.slug]), {"group": "experts"})
    lines = page.content.decode().splitlines()[1:]
    assert [line.split(",")[2] for line in lines] == ["experts", "experts"]
    groups = client.get(reverse("study_annotators", args=[study.slug])).context["groups"]
    assert groups == [("experts", 0, 2), ("crowd", 0, 3)]
