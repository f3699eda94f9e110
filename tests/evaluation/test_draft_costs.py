"""What a model would cost on a draft: its calls are counted as a run would make them, and stand on the launch page."""

import pytest
from django.urls import reverse

from evaluation.services import asking, judges
from evaluation.services.asking import estimate_draft
from llm.models import Endpoint
from studies.services.declarations import get_declaration
from studies.services.design import summarize_draft
from studies.services.launching import launch_study
from tests.studies.world import bank, draft_study


@pytest.fixture
def endpoints(db):
    about = {"base_url": "http://localhost:9/v1", "currency": "EUR"}
    Endpoint.objects.create(name="dear", model="m", price_in=1000, price_out=1000, **about)
    Endpoint.objects.create(name="unpriced", model="m", **about)


def costs_of(study):
    return estimate_draft(study.project, summarize_draft(study).outline.units, get_declaration(study))


@pytest.mark.parametrize("protocol", ["guess-then-read", "dimension-ratings", "pairwise"])
def test_the_calls_of_a_draft_are_those_of_a_run_after_its_launch(project, endpoints, protocol):
    bank(project, texts=2, items=2)
    study = draft_study(project, protocol=protocol)
    dear, unpriced = costs_of(study)
    assert (dear.name, unpriced.name, unpriced.price) == ("dear", "unpriced", "")
    assert dear.price.endswith("EUR")
    launch_study(study)
    study.refresh_from_db()
    endpoint = Endpoint.objects.get(name="dear")
    if protocol == "guess-then-read":
        found = asking.estimate_run(study, asking.ModelSpec(endpoint=endpoint))
    else:
        found = judges.estimate_run(study, judges.JudgeSpec(endpoint=endpoint))
    assert dear.n_calls == found.n_calls


def test_the_launch_page_names_the_models(client, researcher, project, endpoints):
    bank(project)
    study = draft_study(project)
    client.force_login(researcher)
    page = client.get(reverse("study_step", args=[study.slug, "launch"])).content.decode()
    assert "dear" in page
    assert costs_of(study)[0].price in page
