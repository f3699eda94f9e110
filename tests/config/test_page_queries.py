"""How many queries the main pages of a researcher take: the same number for ten texts and for 10,000."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from items.models import Item, Text
from projects.models import Membership, Project, Role
from studies.models import Assignment, Study, Unit, UnitItem
from studies.services.responses.importing import import_responses
from tests.dimensions import DIMENSIONS
from tests.studies import world
from tests.studies.answer_files import as_csv

FEW, MANY, LARGE = 10, 120, 10_000  # many is more than any page shows at once
OF_A_PROJECT = ("project", "text_list", "study_list", "run_list")
OF_A_LIVE_STUDY = ("study_design", "study_phases", "study_annotators", "study_evaluators", "study_manage")
OF_RESULTS = ("study_results", "results_agreement", "results_items", "results_compare", "results_details")


def make_project(owner, texts: int) -> Project:
    project = Project.objects.create(slug=f"p{texts}", title="Rivers")
    Membership.objects.create(project=project, user=owner, role=Role.OWNER)
    world.bank(project, texts=texts)
    return project


def make_results(owner, texts: int) -> dict[str, str]:
    """The pages of results of a study of so many texts with scores of three people, by name."""
    answered = world.draft_study(make_project(owner, texts), slug=f"answered{texts}", protocol="dimension-ratings")
    import_responses(answered, as_csv(list_scores(texts)))
    return {name: reverse(name, args=[answered.slug]) for name in OF_RESULTS}


def list_scores(texts: int) -> list[dict[str, str]]:
    return [
        {"annotator": f"a{seat}", "stage": "rate", "item_id": f"t{text}-{generator}-1", "question": dimension}
        | {"value": str(1 + (text + seat + place) % 3)}
        for seat in range(3)
        for text in range(1, texts + 1)
        for generator in world.GENERATORS
        for place, dimension in enumerate(DIMENSIONS[:-1])  # the last needs an expected answer
    ]


def count_queries(client, path: str) -> int:
    """Of the second visit: the first one computes the results."""
    assert client.get(path).status_code == 200
    with CaptureQueriesContext(connection) as asked:
        client.get(path)
    return len(asked)


@pytest.mark.slow
def test_results_ask_as_often_for_many_texts_as_for_ten(stranger, as_user):
    client = as_user(stranger)
    few, many = (make_results(stranger, texts) for texts in (FEW, MANY))
    assert {name: count_queries(client, path) for name, path in many.items()} == {
        name: count_queries(client, path) for name, path in few.items()
    }


@pytest.mark.slow
def test_pages_ask_as_often_for_a_thousand_units_as_for_ten(stranger, as_user):
    client, project = as_user(stranger), make_project(stranger, FEW)
    live = world.make_live_study(project, slug="live", plan={"annotators": 3})
    pages = [reverse("project_list"), *(reverse(name, args=[project.slug]) for name in OF_A_PROJECT)]
    pages += [reverse(name, args=[live.slug]) for name in OF_A_LIVE_STUDY]
    few = {path: count_queries(client, path) for path in pages}
    add_units(live, LARGE)
    assert {path: count_queries(client, path) for path in pages} == few


def add_units(study: Study, number: int) -> None:
    """As many more texts with one item each, done by the study's first annotator."""
    last = study.annotators.first().assignments.last()
    item, project = last.unit.items.first(), study.project
    texts = Text.objects.bulk_create(
        Text(project=project, external_id=f"more{place}", body="A river.", language="en") for place in range(number)
    )
    items = Item.objects.bulk_create(
        Item(project=project, text=text, generator=item.generator, external_id=f"{text.external_id}-1", stem="What?")
        for text in texts
    )
    units = Unit.objects.bulk_create(
        Unit(study=study, text=text, position=1_000 + place) for place, text in enumerate(texts)
    )
    UnitItem.objects.bulk_create(
        UnitItem(unit=unit, item=item, position=0) for unit, item in zip(units, items, strict=True)
    )
    Assignment.objects.bulk_create(
        Assignment(annotator=last.annotator, unit=unit, position=unit.position, shown=last.shown, stage=last.stage)
        for unit in units
    )
