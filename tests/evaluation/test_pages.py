"""The page of a study's evaluators: who may see and change what, and what it says."""

from datetime import timedelta

import pytest
from bs4 import BeautifulSoup
from django.urls import reverse
from django.utils import timezone

from evaluation.models import Evaluator
from evaluation.services import baselines
from evaluation.services.baselines import add_baseline, answer_by_baseline
from jobs.models import Job, JobState, Worker
from studies.models import Annotator, Response, StudyState
from tests.factory import answer as answer_as
from tests.factory import make_annotator, make_study

pytestmark = pytest.mark.django_db
PAGE = "/s/rivers-1/evaluators/"
BOTH = ["guess", "read"]
MAJORITY = "Gives every option the label that most options of the other texts have"
FUZZY = "Selects an option that occurs in the text with small differences"


def page_of(client, url=PAGE) -> BeautifulSoup:
    response = client.get(url)
    assert response.status_code == 200
    return BeautifulSoup(response.content, "html.parser")


def rows_on(page: BeautifulSoup) -> dict[str, list[str]]:
    rows = page.select("table tbody tr")
    return {row.th.get_text(strip=True): [" ".join(td.get_text().split()) for td in row.select("td")] for row in rows}


def test_adding_a_baseline_lets_it_answer_at_once(as_user, researcher, study):
    client = as_user(researcher)
    response = client.post(PAGE, {"method": "majority", "stages": BOTH, "label": ""}, follow=True)
    assert "“majority” has answered." in response.content.decode()
    assert rows_on(page_of(client))["majority"][:4] == [MAJORITY, "8 of 8", "8 of 8", "free"]
    assert not Job.objects.exists()


def test_a_matcher_needs_the_text_and_has_no_zero(as_user, researcher, study):
    client = as_user(researcher)
    client.post(PAGE, {"method": "fuzzy", "stages": BOTH, "label": "near"})
    assert rows_on(page_of(client))["near"][:4] == [FUZZY, "needs the text", "8 of 8", "free"]


def test_what_takes_longer_is_left_to_a_worker(as_user, researcher, study, run_jobs, monkeypatch):
    monkeypatch.setattr(baselines, "AT_ONCE", 0.0)
    client = as_user(researcher)
    client.post(PAGE, {"method": "majority", "stages": BOTH})
    assert rows_on(page_of(client))["majority"][:4] == [MAJORITY, "5 of 8", "5 of 8", "free"]
    assert page_of(client).select("[data-refresh]")
    client.post(reverse("evaluator_continue", args=["rivers-1", Evaluator.objects.get().pk]))  # changes nothing
    assert rows_on(page_of(client))["majority"][:4] == [MAJORITY, "5 of 8", "5 of 8", "free"]
    assert run_jobs() == ["baseline"]
    assert rows_on(page_of(client))["majority"][:4] == [MAJORITY, "8 of 8", "8 of 8", "free"]
    assert not page_of(client).select("[data-refresh]")
    assert Response.objects.count() == 16


def test_a_job_of_a_removed_evaluator_does_nothing(study, run_jobs, monkeypatch):
    monkeypatch.setattr(baselines, "AT_ONCE", 0.0)
    baselines.start_baseline(add_baseline(study, "majority"), None)
    Evaluator.objects.all().delete()
    n = Response.objects.count()
    run_jobs()
    assert (Response.objects.count(), Job.objects.get().state) == (n, JobState.DONE)


def test_an_unfinished_evaluator_can_be_continued(as_user, researcher, study):
    evaluator = add_baseline(study, "majority")
    client = as_user(researcher)
    action = page_of(client).select_one("table form")["action"]
    assert action == reverse("evaluator_continue", args=["rivers-1", evaluator.pk])
    client.post(action)
    assert rows_on(page_of(client))["majority"][:4] == [MAJORITY, "8 of 8", "8 of 8", "free"]
    assert not page_of(client).select("table form")


def test_the_page_says_if_no_worker_is_listening(as_user, researcher, study):
    add_baseline(study, "majority")
    client = as_user(researcher)
    assert "No worker is running" in page_of(client).get_text()
    now = timezone.now()
    Worker.objects.create(name="w", started_at=now, last_seen=now)
    assert "No worker is running" not in page_of(client).get_text()
    Worker.objects.update(last_seen=now - timedelta(hours=1))
    assert "No worker is running" in page_of(client).get_text()


def test_a_page_of_finished_evaluators_needs_no_worker(as_user, researcher, study):
    answer_by_baseline(add_baseline(study, "majority"))
    assert "No worker is running" not in page_of(as_user(researcher)).get_text()


def test_what_is_refused_stands_on_the_page(as_user, researcher, study):
    response = as_user(researcher).post(PAGE, {"method": "exact", "stages": BOTH, "label": "human"})
    assert response.status_code == 200
    assert "Tables use" in response.content.decode()
    assert not Annotator.objects.exists()


def test_a_draft_offers_no_baseline_and_refuses_one(as_user, researcher, project, bank):
    make_study(project, "draft", bank, state=StudyState.DRAFT)
    client = as_user(researcher)
    page = page_of(client, "/s/draft/evaluators/")
    assert "still a draft" in page.get_text()
    assert not page.select("main input[name=method]")
    assert (
        "Launch it first"
        in client.post("/s/draft/evaluators/", {"method": "exact", "stages": BOTH}, follow=True).content.decode()
    )


def test_imported_evaluators_are_listed_and_cannot_be_removed(as_user, researcher, study, bank):
    model = make_annotator(study, "gpt", kind="model", model="gpt-9")
    answer_as(model, "read", bank[0], "TFF")
    page = page_of(as_user(researcher))
    assert rows_on(page)["gpt"] == ["Model gpt-9 imported", "–", "3", "–", ""]


def test_people_are_not_listed(as_user, researcher, study):
    make_annotator(study, "Anna")
    assert rows_on(page_of(as_user(researcher))) == {}


def test_removing_asks_first(as_user, researcher, study):
    evaluator = add_baseline(study, "exact")
    answer_by_baseline(evaluator)
    client = as_user(researcher)
    url = reverse("evaluator_remove", args=["rivers-1", evaluator.pk])
    assert page_of(client).select_one("table td a")["href"] == url
    assert "Remove exact?" in page_of(client, url).get_text()
    assert Evaluator.objects.exists()
    assert "“exact” was removed." in client.post(url, follow=True).content.decode()
    assert not Annotator.objects.exists()
    assert not Response.objects.exists()
    assert client.post(url).status_code == 404


def test_viewers_and_reviewers_see_the_evaluators_and_change_nothing(client, viewer, reviewer, study):
    evaluator = add_baseline(study, "exact")
    for user in (viewer, reviewer):
        client.force_login(user)
        page = page_of(client)
        assert "exact" in rows_on(page)
        assert not page.select("main form, main a.button")
        assert client.post(PAGE, {"method": "majority", "stages": BOTH}).status_code == 404
        assert client.post(reverse("evaluator_continue", args=["rivers-1", evaluator.pk])).status_code == 404
        for method in (client.get, client.post):
            assert method(reverse("evaluator_remove", args=["rivers-1", evaluator.pk])).status_code == 404
    assert Annotator.objects.count() == 1


def test_without_signing_in_there_is_no_page(client, study):
    assert client.get(PAGE)["Location"].startswith("/accounts/login/")


def test_an_evaluator_of_another_study_is_not_reached_through_this_one(as_user, researcher, study, project, bank):
    other = add_baseline(make_study(project, "rivers-2", bank), "exact")
    client = as_user(researcher)
    assert client.post(reverse("evaluator_remove", args=["rivers-1", other.pk])).status_code == 404
    assert Evaluator.objects.filter(pk=other.pk).exists()


def test_a_label_is_shown_as_text(as_user, researcher, study):
    client = as_user(researcher)
    client.post(PAGE, {"method": "exact", "stages": BOTH, "label": "<b>x</b>"})
    assert "<b>x</b>" in rows_on(page_of(client))


def test_the_page_asks_the_database_as_often_for_ten_evaluators_as_for_one(
    as_user, researcher, study, django_assert_max_num_queries
):
    client = as_user(researcher)
    for number in range(10):
        add_baseline(study, "exact", label=f"e{number}")
    with django_assert_max_num_queries(12):
        client.get(PAGE)


def test_the_first_line_says_who_answers_and_what_is_missing(as_user, researcher, study):
    client = as_user(researcher)
    assert page_of(client).select_one(".verdict").get_text() == "No model or baseline has answered yet."
    answer_by_baseline(add_baseline(study, "exact"))
    add_baseline(study, "majority")
    assert page_of(client).select_one(".verdict").get_text() == "2 baselines: 16 answers are missing."
    answer_by_baseline(Evaluator.objects.get(method="majority"))
    assert page_of(client).select_one(".verdict").get_text() == "2 baselines: nothing is missing."


def test_a_baseline_is_added_from_the_menu_in_all_stages(as_user, researcher, study):
    client = as_user(researcher)
    menu = page_of(client).select_one("details.menu form:has([name=stages])")
    fields = {"stages": [tag["value"] for tag in menu.select("[name=stages]")]}
    client.post(PAGE, fields | {"method": menu.select_one("button[value=exact]")["value"]})
    assert Evaluator.objects.get().annotator.code == "exact"


def test_no_stage_ticked_is_refused_and_not_read_as_all(as_user, researcher, study):
    assert "stages" in as_user(researcher).post(PAGE, {"method": "majority"}).context["form"].errors
    assert not Evaluator.objects.exists()
