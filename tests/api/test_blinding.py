"""What a token must not give out, whatever its scopes: links, keys, and results that are hidden from the team."""

import pytest

from llm.models import Endpoint
from projects.models import Project
from studies.models import StudyState
from studies.services.states import switch_effects
from tests.factory import make_item, make_study, make_text

pytestmark = pytest.mark.slow

HIDDEN = ("informativity", "item_analysis", "guessable_items", "contrasts")


@pytest.fixture
def hiding_study(study, owner):
    switch_effects(study, owner, hidden=True)
    return study


@pytest.mark.parametrize("character", ["viewer", "reviewer", "researcher", "owner", "admin_user"])
def test_hidden_results_are_in_no_reply(character, hiding_study, caller, request):
    call, address = caller(request.getfixturevalue(character)), f"studies/{hiding_study.slug}/"
    results = call.get(f"{address}results/").json()
    assert results["effects_hidden"] is True
    assert results["sentences"] == results["figures"] == []
    assert not {table["name"] for table in results["tables"]} & set(HIDDEN)
    for name in HIDDEN:
        assert call.get(f"{address}tables/{name}.json").status_code == 404
    assert call.get(f"{address}figures/dumbbell.svg").status_code == 404


@pytest.mark.parametrize(
    "part", ["responses/csv/", "responses/wide/", "responses/jsonl/", "responses/metrics/", "pack/"]
)
def test_single_answers_are_closed_while_results_are_hidden(part, hiding_study, caller, owner):
    answer = caller(owner).get(f"studies/{hiding_study.slug}/{part}")
    assert (answer.status_code, answer.json()["type"]) == (403, "urn:lesart:problem:forbidden")


def test_they_open_with_the_end_of_the_study(hiding_study, caller, viewer):
    hiding_study.state = StudyState.CLOSED
    hiding_study.save()
    assert caller(viewer).get(f"studies/{hiding_study.slug}/tables/informativity.csv").status_code == 200


def test_only_researchers_read_links(study, caller, reviewer, researcher):
    token = study.annotators.first().token
    listed = caller(reviewer).get(f"studies/{study.slug}/annotators/")
    assert token not in listed.content.decode()
    links = caller(researcher).get(f"studies/{study.slug}/links/").json()["results"]
    assert [row["link"].split("/")[-2] for row in links] == [each.token for each in study.annotators.all()]


def test_a_key_goes_in_and_never_out(caller, admin_user, quick_models):
    call = caller(admin_user)
    given = {"name": "m", "base_url": "https://models.example.org/v1", "model": "m", "key": "sk-secret-0123456789"}
    made = call.post("endpoints/", given, Idempotency_Key="k")
    assert made.json()["has_key"] is True
    replies = [made, call.get("endpoints/"), call.get(f"endpoints/{made.json()['id']}/")]
    assert all("sk-secret" not in reply.content.decode() for reply in replies)
    assert Endpoint.objects.get().encrypted_key


@pytest.mark.parametrize("base_url", ["http://127.0.0.1:9000/v1", "http://169.254.169.254/latest", "http://[::1]/v1"])
def test_an_endpoint_inside_the_network_is_refused(base_url, caller, admin_user, settings):
    settings.LESART_INSIDE_HOSTS = []
    answer = caller(admin_user).post("endpoints/", {"name": "m", "base_url": base_url, "model": "m"})
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "base_url")


def test_a_text_that_may_not_be_shared_is_represented_by_its_hash(project, caller, owner):
    make_text(project, "t1", body="Nobody else may read this.", shareable=False)
    answer = caller(owner).get(f"projects/{project.slug}/texts/t1/").json()
    assert (answer["text"], len(answer["text_sha256"])) == (None, 64)


def test_a_study_takes_no_items_of_another_project(stranger, study, caller, owner):
    other = Project.objects.get(slug="mountains")
    foreign = make_study(other, "mountains-1", [make_item(make_text(other, "m1"), "human", "m1-human")])
    call = caller(owner)
    assert call.get(f"studies/{foreign.slug}/").status_code == 404
    link = foreign.annotators.create(code="P01", reading="ticked")
    assert call.post(f"studies/{study.slug}/annotators/{link.pk}/renew/").status_code == 404
