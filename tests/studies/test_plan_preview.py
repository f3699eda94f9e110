"""Who gets what, before a launch: what the page and its file say is what the launch then does."""

import csv
import io

import pytest
from django.urls import reverse

from items.models import Item
from studies.models import Slot, Study, StudyState
from studies.services import design
from studies.services.design import preview_plan
from studies.services.launching import launch_study
from tests.studies.world import bank, counts, draft_study

PLANS = {
    "everything": {"annotators": 3},
    "some": {"annotators": 4, "per_unit": 2},
    "own": {"annotators": 2, "shared_texts": 2, "own_texts": 2},
    "groups": {"annotators": {"experts": 1, "crowd": 2}, "per_unit": {"experts": 1, "crowd": 2}},
    "drawn": {"annotators": 2, "people_texts": 3, "people_texts_by": "equal chance"},
}


@pytest.fixture
def client(client, researcher):
    client.force_login(researcher)
    return client


def read_file(client, study) -> set[tuple]:
    content = client.get(reverse("study_plan_csv", args=[study.slug])).content.decode()
    rows = csv.DictReader(io.StringIO(content))
    return {(row["person"], row["group"], row["text_id"], row["item_ids"], row["guessed_generator"]) for row in rows}


def read_launched(study) -> set[tuple]:
    """The same from the rows of the launched study."""
    people = {each.seat: each for each in study.annotators.all()}
    found = set()
    for slot in Slot.objects.filter(unit__study=study).select_related("unit__text", "generator"):
        items = slot.unit.items.order_by("unit_items__position").values_list("external_id", flat=True)
        person, generator = people[slot.seat], slot.generator.name if slot.generator else ""
        found.add((person.code, person.group, slot.unit.text.external_id, " ".join(items), generator))
    return found


@pytest.mark.parametrize("protocol", ["guess-then-read", "dimension-ratings", "pairwise"])
@pytest.mark.parametrize("plan", PLANS.values(), ids=PLANS)
def test_the_file_says_what_the_launch_does(project, client, plan, protocol):
    bank(project, texts=6)
    study = draft_study(project, plan=plan, protocol=protocol)
    before = counts()
    said = read_file(client, study)
    assert counts() == before
    assert said == read_launched(launch_study(study)[0])


def test_the_page_counts_texts_and_guesses_of_each_person(project, client):
    bank(project, texts=4)
    study = draft_study(project, plan={"annotators": 2})
    launch = client.get(reverse("study_step", args=[study.slug, "launch"])).text
    assert reverse("study_plan", args=[study.slug]) in launch
    page = client.get(reverse("study_plan", args=[study.slug]))
    assert [(person.code, person.n_texts, person.guesses) for person in page.context["page"]] == [
        ("P01", 4, [("alder", 2), ("birch", 2)]),
        ("P02", 4, [("alder", 2), ("birch", 2)]),
    ]


@pytest.mark.slow
def test_places_of_an_open_link_are_shown_and_their_group_is_open(project, client):
    bank(project)
    recruitment = {"open_link": True, "minutes": 10}
    study = draft_study(project, plan={"annotators": 3, "per_unit": 1}, groups=["a", "b"], recruitment=recruitment)
    assert [(person.code, person.group) for person in preview_plan(study).people] == [
        ("P001", ""), ("P002", ""), ("P003", "")
    ]  # fmt: skip
    assert "takes a free place as a whole" in client.get(reverse("study_plan", args=[study.slug])).text


def test_a_large_plan_leaves_the_search_to_the_launch(project, client, monkeypatch):
    monkeypatch.setattr(design, "AT_ONCE", 3)
    bank(project)
    study = draft_study(project)
    assert {generator for *_cell, generator in read_file(client, study)} == {""}
    assert "computed by the launch" in client.get(reverse("study_plan", args=[study.slug])).text


def test_a_draft_that_cannot_be_launched_and_a_launched_study_have_no_preview(project, client):
    bank(project)
    study = draft_study(project)
    Item.objects.all().delete()
    assert client.get(reverse("study_plan", args=[study.slug])).status_code == 302
    assert client.get(reverse("study_plan_csv", args=[study.slug])).status_code == 404
    Study.objects.update(state=StudyState.LIVE)
    assert client.get(reverse("study_plan", args=[study.slug])).url == reverse("study_annotators", args=[study.slug])
    assert client.get(reverse("study_plan_csv", args=[study.slug])).status_code == 404
