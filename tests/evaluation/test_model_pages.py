"""A model is added by page: first the estimate, then the run."""

import pytest
from bs4 import BeautifulSoup
from django.urls import reverse

from evaluation import views
from evaluation.models import Evaluator
from evaluation.services.asking import ModelSpec, start
from jobs.models import Worker
from llm.models import Call, CallState, Endpoint, Run, RunState
from llm.services import runs
from projects.models import Project
from studies.models import Annotator, StudyState
from tests.factory import make_study

pytestmark = pytest.mark.django_db
PAGE = "/s/rivers-1/evaluators/model/"
LIST = "/s/rivers-1/evaluators/"


@pytest.fixture(autouse=True)
def no_messages(monkeypatch):
    monkeypatch.setattr(runs, "_send", lambda run_id: None)


@pytest.fixture
def endpoint(db):
    return Endpoint.objects.create(
        name="mock", base_url="http://127.0.0.1:9/v1", model="mock-1", price_in=1, price_out=2
    )


@pytest.fixture
def entries(endpoint):
    return {
        "endpoint": endpoint.pk,
        "reading": "label",
        "label": "",
        "budget": "",
        "stages": ["guess", "read"],
        "prompt": [""],
    }


def soup(response) -> BeautifulSoup:
    return BeautifulSoup(response.content, "html.parser")


def read_page(response) -> str:
    return soup(response).select_one("input[name=seen]")["value"]


def test_the_estimate_comes_first_and_stores_nothing(as_user, researcher, study, entries):
    page = soup(as_user(researcher).post(PAGE, entries))
    assert "16 calls, 0 of them answered before" in page.select_one(".note").get_text()
    assert "USD" in page.select_one(".note").get_text()
    assert page.select_one("form button.primary").get_text() == "Start"
    assert not Run.objects.exists()
    assert not Annotator.objects.exists()


def test_start_with_the_same_entries_starts_the_run(as_user, researcher, study, entries):
    client = as_user(researcher)
    seen = read_page(client.post(PAGE, entries))
    response = client.post(PAGE, entries | {"seen": seen})
    run = Run.objects.get()
    assert response["Location"] == reverse("run", args=[run.pk])
    assert (run.started_by, run.kind, run.project) == (researcher, "evaluation", study.project)
    assert Evaluator.objects.get().annotator.code == "mock"


def test_other_entries_than_those_estimated_are_estimated_again(as_user, researcher, study, entries):
    client = as_user(researcher)
    seen = read_page(client.post(PAGE, entries))
    response = client.post(PAGE, entries | {"seen": seen, "label": "other"})
    assert response.status_code == 200
    assert read_page(response) != seen
    assert not Run.objects.exists()


def test_a_large_study_is_not_rendered_by_the_page(as_user, researcher, study, entries, monkeypatch):
    monkeypatch.setattr(views, "MOST_ESTIMATED", 15)
    note = soup(as_user(researcher).post(PAGE, entries)).select_one(".note").get_text()
    assert "16 calls." in note
    assert "evaluate_study rivers-1 --model mock --estimate" in note


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"label": "human"}, "Tables use"),
        ({"threshold_guess": ".7"}, "Thresholds only"),
        ({"threshold_guess": "2", "reading": "probability"}, "less than or equal to 1"),
        ({"endpoint": "999"}, "Select a valid choice"),
    ],
)
def test_what_is_refused_stands_on_the_page(as_user, researcher, study, entries, change, message):
    client = as_user(researcher)
    response = client.post(PAGE, entries | change)
    while soup(response).select_one("input[name=seen]") is not None:
        response = client.post(PAGE, entries | change | {"seen": read_page(response)})
    assert message in response.content.decode()
    assert not Run.objects.exists()


def test_a_budget_without_a_price_is_refused_at_the_start(as_user, researcher, study, entries, endpoint):
    Endpoint.objects.update(price_in=None)
    client = as_user(researcher)
    wanted = entries | {"budget": "5"}
    response = client.post(PAGE, wanted | {"seen": read_page(client.post(PAGE, wanted))})
    assert "has no price, so a budget cannot be kept" in response.content.decode()
    assert not Annotator.objects.exists()


@pytest.mark.parametrize("project_of_its_own", [True, False])
def test_a_model_that_is_not_offered_cannot_be_chosen(
    as_user, researcher, stranger, study, entries, endpoint, project_of_its_own
):
    Endpoint.objects.create(name="other", base_url="http://127.0.0.1:9/v1", model="other-1")
    if project_of_its_own:
        endpoint.projects.add(Project.objects.get(slug="mountains"))
    else:
        Endpoint.objects.filter(pk=endpoint.pk).update(is_active=False)
    assert "Select a valid choice" in as_user(researcher).post(PAGE, entries).content.decode()


def test_a_draft_is_sent_back_with_a_sentence(as_user, researcher, project, bank, entries):
    make_study(project, "draft", bank, state=StudyState.DRAFT, language="de")
    response = as_user(researcher).post("/s/draft/evaluators/model/", entries, follow=True)
    assert "Launch it first" in response.content.decode()


def row_in(client, label="mock") -> list[str]:
    row = next(row for row in soup(client.get(LIST)).select("tbody tr") if row.th.get_text(strip=True) == label)
    return [" ".join(cell.get_text(" ").split()) for cell in row.select("td")]


def test_the_list_shows_the_run_and_whether_it_is_answering(as_user, researcher, study, endpoint):
    evaluator = start(study, ModelSpec(endpoint))
    client = as_user(researcher)
    assert row_in(client) == ["Model mock-1 answering", "0 of 8", "0 of 8", "0.00 USD", "Run Remove mock"]
    run = Run.objects.get()
    assert soup(client.get(LIST)).select_one("tbody td a")["href"] == reverse("run", args=[run.pk])
    runs.pause(run, "user")
    assert row_in(client)[1:] == ["0 of 8", "0 of 8", "0.00 USD", "Run Continue Remove mock"]
    client.post(reverse("evaluator_continue", args=["rivers-1", evaluator.pk]))
    run.refresh_from_db()
    assert run.state == RunState.PLANNING


def test_replies_without_an_answer_are_counted_in_the_list(as_user, researcher, study, endpoint):
    start(study, ModelSpec(endpoint))
    run = Run.objects.get()
    for place, failure in enumerate(["parse", "cut", "server"]):
        Call.objects.create(run=run, key=f"guess/{place}", position=place, state=CallState.FAILED, error_class=failure)
    Run.objects.update(state=RunState.DONE)
    assert row_in(as_user(researcher))[0] == "Model mock-1 2 replies without an answer"


def test_what_all_runs_have_cost_is_shown_and_one_is_asked_again_in_its_way(as_user, researcher, study, endpoint):
    evaluator = start(study, ModelSpec(endpoint, stages=["read"], temperature=0.7))
    Run.objects.update(spent_nanos=1_500_000_000)
    client = as_user(researcher)
    assert row_in(client)[3] == "1.50 USD"
    form = client.get(f"{PAGE}?like={evaluator.pk}").context["form"]
    assert (form["stages"].value(), form["temperature"].value()) == (["read"], 0.7)
    assert (form["endpoint"].value(), form["label"].value()) == (endpoint.pk, None)


def test_a_run_at_work_without_a_worker_is_said(as_user, researcher, study, endpoint):
    start(study, ModelSpec(endpoint))
    assert not Worker.objects.exists()
    assert "No worker is running" in soup(as_user(researcher).get(LIST)).get_text()


def test_stages_way_of_asking_and_the_published_reading_are_chosen_on_the_page(as_user, researcher, study, entries):
    client = as_user(researcher)
    wanted = entries | {"stages": ["guess"], "answering": "letters", "as_published": "on"}
    first = client.post(PAGE, wanted)
    assert "3 calls" in soup(first).select_one(".note").get_text()
    client.post(PAGE, wanted | {"seen": read_page(first)})
    evaluator = Evaluator.objects.get()
    assert evaluator.stages == ["guess"]
    assert (evaluator.params["as_published"], evaluator.params["answering"]) == (True, "letters")


def test_a_baseline_answers_in_the_stages_that_were_ticked(as_user, researcher, study):
    as_user(researcher).post(LIST, {"method": "majority", "stages": ["read"]})
    assert Evaluator.objects.get().stages == ["read"]


def test_what_is_rarely_used_is_folded_until_it_says_something(as_user, researcher, study, entries):
    client = as_user(researcher)
    fold = soup(client.get(PAGE)).select_one("form details")
    assert {"threshold_read", "samples", "budget", "on_unknown"} <= {each["name"] for each in fold.select("[name]")}
    assert not fold.has_attr("open")
    values = entries | {"on_unknown": "repeat"}
    assert not soup(client.post(PAGE, values)).select_one("form details").has_attr("open")
    for change in ({"budget": "2"}, {"threshold_guess": "2"}):
        assert soup(client.post(PAGE, values | change)).select_one("form details").has_attr("open")
