"""How many queries the main pages of a researcher take: the same number for many texts as for ten."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from projects.models import Membership, Project, Role
from studies.services.responses.importing import import_responses
from tests.dimensions import DIMENSIONS
from tests.studies import world
from tests.studies.answer_files import as_csv

FEW, MANY = 10, 120  # more than any page shows at once
OF_A_PROJECT = ("project", "text_list", "study_list", "run_list")
OF_A_LIVE_STUDY = ("study_design", "study_phases", "study_annotators", "study_evaluators", "study_manage")
OF_RESULTS = ("study_results", "results_agreement", "results_items", "results_compare", "results_details")


def make_project(owner, texts: int) -> dict[str, str]:
    """The pages of a project with so many texts, in a live study and in one with scores of three people, by name."""
    project = Project.objects.create(slug=f"p{texts}", title="Rivers")
    Membership.objects.create(project=project, user=owner, role=Role.OWNER)
    world.bank(project, texts=texts)
    live = world.launched(project, slug=f"live{texts}", plan={"annotators": 3})
    answered = world.drafted(project, slug=f"answered{texts}", protocol="dimension-ratings")
    import_responses(answered, as_csv(list_scores(texts)))
    pages = {"project_list": reverse("project_list")}
    for names, slug in ((OF_A_PROJECT, project.slug), (OF_A_LIVE_STUDY, live.slug), (OF_RESULTS, answered.slug)):
        pages |= {name: reverse(name, args=[slug]) for name in names}
    return pages


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
def test_pages_ask_as_often_for_many_texts_as_for_ten(stranger, as_user):
    client = as_user(stranger)
    few, many = (make_project(stranger, texts) for texts in (FEW, MANY))
    assert {name: count_queries(client, path) for name, path in many.items()} == {
        name: count_queries(client, path) for name, path in few.items()
    }
