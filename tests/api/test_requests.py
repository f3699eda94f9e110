"""What holds for every address: problems, pages, filters, ETags, idempotency keys."""

import json

import pytest

from api.models import StoredReply
from items.models import Item
from llm.models import Endpoint, Run, RunState
from projects.models import Project
from tests.factory import answer, make_annotator, make_text

NEW = {"title": "Lakes", "slug": "lakes"}


def test_pages_lead_through_all_rows_once(project, viewer, caller):
    names = [make_text(project, f"t{n}").external_id for n in range(7)]
    call, found, address = caller(viewer), [], f"projects/{project.slug}/texts/?limit=3"
    while address:
        page = call.get(address.removeprefix("http://testserver")).json()
        found += [row["id"] for row in page["results"]]
        address = page["next"]
    assert found == names


def test_rows_are_filtered_and_sorted(project, viewer, caller):
    make_text(project, "b", language="de")
    make_text(project, "a", language="de")
    make_text(project, "c")
    answer = caller(viewer).get(f"projects/{project.slug}/texts/?language=de&sort=-id").json()
    assert [row["id"] for row in answer["results"]] == ["b", "a"]


@pytest.mark.parametrize("query", ["sort=secret", "cursor=cD1hYmM%3D", "cursor=cD0lMDA%3D", "language=%00", "q=%00"])
def test_a_query_that_means_nothing_is_refused(query, project, viewer, caller):
    answer = caller(viewer).get(f"projects/{project.slug}/texts/?{query}")
    assert answer.status_code in (400, 404)
    assert answer.headers["Content-Type"] == "application/problem+json"


def test_what_is_unchanged_is_not_sent_again(project, viewer, caller):
    call = caller(viewer)
    first = call.get(f"projects/{project.slug}/")
    again = call.get(f"projects/{project.slug}/", If_None_Match=first.headers["ETag"])
    assert (again.status_code, again.content) == (304, b"")
    Project.objects.update(title="Other")
    assert call.get(f"projects/{project.slug}/", If_None_Match=first.headers["ETag"]).status_code == 200


def test_a_change_of_something_that_has_changed_is_refused(project, owner, caller):
    call = caller(owner)
    seen = call.get(f"projects/{project.slug}/", Accept_Encoding="gzip").headers["ETag"]
    assert call.patch(f"projects/{project.slug}/", {"title": "A"}, If_Match=seen).status_code == 200
    late = call.patch(f"projects/{project.slug}/", {"title": "B"}, If_Match=seen)
    assert (late.status_code, late.json()["type"]) == (412, "urn:lesart:problem:changed")
    assert Project.objects.get(pk=project.pk).title == "A"


def test_a_repeated_request_gets_the_first_reply_and_does_nothing(viewer, caller):
    call = caller(viewer)
    first = call.post("projects/", NEW, Idempotency_Key="k1")
    again = call.post("projects/", NEW, Idempotency_Key="k1")
    assert (first.status_code, again.status_code) == (201, 201)
    assert again.json() == first.json()
    assert again.headers["Idempotency-Replayed"] == "true"
    assert Project.objects.filter(slug="lakes").count() == 1
    assert "Lakes" not in StoredReply.objects.get().body


def test_a_key_with_another_body_is_refused(viewer, caller):
    call = caller(viewer)
    call.post("projects/", NEW, Idempotency_Key="k1")
    other = call.post("projects/", NEW | {"slug": "lakes-2"}, Idempotency_Key="k1")
    assert (other.status_code, other.json()["type"]) == (422, "urn:lesart:problem:key-reused")
    assert not Project.objects.filter(slug="lakes-2").exists()


def test_a_key_while_the_first_request_is_at_work(viewer, caller, monkeypatch):
    call = caller(viewer)
    call.post("projects/", NEW, Idempotency_Key="k1")
    StoredReply.objects.update(status=None)
    answer = call.post("projects/", NEW, Idempotency_Key="k1")
    assert (answer.status_code, answer.headers["Retry-After"]) == (409, "1")


def test_a_refused_request_leaves_its_key_free(viewer, caller):
    call = caller(viewer)
    assert call.post("projects/", {"title": ""}, Idempotency_Key="k1").status_code == 400
    assert call.post("projects/", NEW, Idempotency_Key="k1").status_code == 201


def test_a_key_belongs_to_its_token(viewer, owner, caller):
    caller(viewer).post("projects/", NEW, Idempotency_Key="k1")
    other = caller(owner).post("projects/", NEW | {"slug": "lakes-2"}, Idempotency_Key="k1")
    assert other.json()["slug"] == "lakes-2"


@pytest.mark.parametrize(
    "body", [b"{", b"[]", b'{"title": NaN}', b'{"title": "\\ud800"}', b'{"title": "\\u0000"}', b"[" * 10_000, b"\xff"]
)
def test_bodies_that_no_database_could_hold_are_refused(body, viewer, caller):
    call = caller(viewer)
    answer = call.client.post("/api/v1/projects/", body, content_type="application/json", headers=call.headers)
    assert answer.status_code == 400
    assert answer.json()["detail"]


def test_too_large_a_body_is_refused(viewer, caller, settings):
    settings.DATA_UPLOAD_MAX_MEMORY_SIZE = 100
    assert caller(viewer).post("projects/", {"title": "x" * 200}).status_code == 413


def test_an_unknown_field_is_named(viewer, caller):
    answer = caller(viewer).post("projects/", NEW | {"colour": "red"}).json()
    assert [(each["field"], each["reason"]) for each in answer["errors"]] == [("colour", "This field is unknown.")]


@pytest.mark.parametrize("address", ["/api/", "/api/v1/nothing/", "/api/v2/"])
def test_other_addresses_are_problems_too(address, client):
    answer = client.get(address)
    assert (answer.status_code, answer.headers["Content-Type"]) == (404, "application/problem+json")


def test_answers_of_a_model_are_given_as_item_evaluation_has_them(study, reviewer, caller):
    model, item = make_annotator(study, "exact", kind="baseline"), Item.objects.get(external_id="t1-gpt")
    for stage in ("guess", "read"):
        answer(model, stage, item, "TF")
    call, address = caller(reviewer), f"studies/{study.slug}/responses/item-evaluation/"
    refused = call.get(address)
    assert (refused.status_code, "evaluator exact, stage read" in refused.json()["detail"]) == (400, True)
    lines = b"".join(call.get(f"{address}?evaluator=exact&stage=read").streaming_content).splitlines()
    (asked,) = [each for each in json.loads(lines[0])["items"] if each["id"] == "t1-gpt"]
    assert [option["prediction"]["pred_correct"] for option in asked["answers"]] == [True, False]


def test_a_paused_run_goes_on_within_another_budget(project, researcher, caller):
    endpoint = Endpoint.objects.create(
        name="m", base_url="https://models.example.org/v1", model="m", price_in=1, price_out=1
    )
    run = Run.objects.create(
        project=project, kind="evaluation", endpoint=endpoint, label="r", model="m", state=RunState.PAUSED,
        reason="budget", budget_nanos=10**9,
    )  # fmt: skip
    call = caller(researcher)
    assert call.post(f"runs/{run.pk}/resume/", {"budget": -1}).status_code == 400
    resumed = call.post(f"runs/{run.pk}/resume/", {"budget": "2.5"}).json()
    assert (resumed["state"], resumed["budget"]) == (RunState.PLANNING, 2.5)
    late = call.post(f"runs/{run.pk}/resume/", {"budget": "9"})
    assert (late.status_code, late.json()["type"]) == (409, "urn:lesart:problem:wrong-state")
    assert Run.objects.get().budget_nanos == 2_500_000_000
    Run.objects.update(state=RunState.PAUSED)
    assert call.post(f"runs/{run.pk}/resume/", {}).json()["budget"] == 2.5


def test_a_model_without_a_price_takes_no_budget(project, researcher, caller):
    endpoint = Endpoint.objects.create(name="m", base_url="https://models.example.org/v1", model="m")
    run = Run.objects.create(
        project=project, kind="evaluation", endpoint=endpoint, label="r", model="m", state=RunState.PAUSED
    )
    refused = caller(researcher).post(f"runs/{run.pk}/resume/", {"budget": 1})
    assert (refused.status_code, Run.objects.get().state) == (422, RunState.PAUSED)
    assert "no price" in refused.json()["detail"]
