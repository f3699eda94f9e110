"""Webhooks: signed, tried again, never to an address inside."""

import hashlib
import hmac
import json

import pytest

from api.models import Webhook
from api.services import webhooks
from jobs.models import Job, JobState
from llm import keys
from llm.transport import RawResponse
from studies.services.launching import close_study

URL = "https://hooks.example.org/lesart"


@pytest.fixture
def webhook(study, researcher, project):
    """A webhook for everything; its secret stands beside it."""
    made, made.secret = webhooks.create_webhook(project, URL, ["study.closed", "job.ended"], researcher)
    return made


@pytest.fixture
def answers(monkeypatch):
    """Statuses with which the address answers one after the other, and what it got."""
    monkeypatch.setattr(webhooks, "PAUSES", (0, 0, 0))
    statuses, got = [], []

    async def post(url, body, headers):
        got.append((url, body, headers))
        return RawResponse(statuses.pop(0), "", {}, "")

    monkeypatch.setattr(webhooks, "_post", post)
    return statuses, got


def test_the_end_of_a_study_is_told_once_and_signed(webhook, study, answers, run_jobs):
    statuses, got = answers
    statuses.append(204)
    close_study(study)
    assert run_jobs() == ["webhook"]
    [(url, body, headers)] = got
    values = json.loads(body)
    assert (url, values["event"], values["subject"], values["project"]) == (URL, "study.closed", study.slug, "rivers")
    time, signature = (part.split("=")[1] for part in headers["Lesart-Signature"].split(","))
    expected = hmac.new(webhook.secret.encode(), f"{time}.".encode() + body, hashlib.sha256).hexdigest()
    assert signature == expected
    assert run_jobs() == []  # a delivery that ended is no event


def test_a_delivery_is_tried_three_times_then_seen_as_failed(webhook, study, answers, run_jobs):
    statuses, got = answers
    statuses += [500, 503, 429]
    close_study(study)
    run_jobs()
    job = Job.objects.get(kind="webhook")
    assert (len(got), job.state, job.error) == (3, JobState.FAILED, "The address answered 429.")


def test_a_second_try_may_succeed(webhook, study, answers, run_jobs):
    answers[0][:] = [500, 200]
    close_study(study)
    run_jobs()
    assert Job.objects.get(kind="webhook").state == JobState.DONE


def test_only_wanted_events_of_the_project_are_told(webhook, study, answers, project):
    Webhook.objects.update(events=["run.ended"])
    close_study(study)
    assert not Job.objects.filter(kind="webhook").exists()


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:8000/", "http://10.0.0.1/", "http://db.internal/", "file:///etc/hosts"]
)
def test_a_target_inside_the_network_is_refused(url, project, researcher, caller, settings):
    settings.LESART_INSIDE_HOSTS = []
    answer = caller(researcher).post(f"projects/{project.slug}/webhooks/", {"url": url, "events": ["job.ended"]})
    assert (answer.status_code, answer.json()["type"]) == (422, "urn:lesart:problem:refused")
    assert not Webhook.objects.exists()


def test_a_name_that_leads_inside_is_refused_when_it_is_called(webhook, study, run_jobs, settings, monkeypatch):
    settings.LESART_INSIDE_HOSTS = []

    async def resolve(host, port):
        return ["169.254.169.254"]

    monkeypatch.setattr("llm.transport._resolve", resolve)
    close_study(study)
    run_jobs()
    job = Job.objects.get(kind="webhook")
    assert job.state == JobState.FAILED
    assert "inside this machine or network" in job.error


def test_the_secret_is_shown_once(project, researcher, caller):
    call = caller(researcher)
    made = call.post(f"projects/{project.slug}/webhooks/", {"url": URL, "events": ["job.ended"]}).json()
    assert made["secret"] not in call.get(f"projects/{project.slug}/webhooks/").content.decode()
    assert made["secret"] not in str(Webhook.objects.values())


PAGE = "/p/rivers/webhooks/"


def test_the_page_adds_a_webhook_and_shows_its_secret_once(study, client, researcher):
    client.force_login(researcher)
    response = client.post(PAGE, {"url": URL, "events": ["run.ended", "study.closed"]})
    made = Webhook.objects.get()
    assert (made.url, made.events, made.created_by) == (URL, ["run.ended", "study.closed"], researcher)
    secret = keys.decrypt(made.encrypted_secret)
    assert secret in response.content.decode()
    again = client.get(PAGE).content.decode()
    assert URL in again
    assert secret not in again


@pytest.mark.parametrize("given", [{"url": "http://10.0.0.1/x", "events": ["run.ended"]}, {"url": URL}])
def test_the_page_refuses_an_address_inside_and_a_webhook_for_nothing(study, client, researcher, given):
    client.force_login(researcher)
    assert client.post(PAGE, given).context["form"].errors
    assert not Webhook.objects.exists()


def test_the_page_says_how_the_last_delivery_went(webhook, study, answers, run_jobs, client, researcher):
    answers[0].extend([500, 500, 500])
    close_study(study)
    run_jobs()
    client.force_login(researcher)
    assert "The address answered 500." in client.get(PAGE).content.decode()


def test_the_page_is_for_researchers_and_deletes_what_is_the_projects(webhook, client, viewer, stranger, researcher):
    address = f"{PAGE}{webhook.pk}/delete/"
    for user in (viewer, stranger):
        client.force_login(user)
        assert client.get(PAGE).status_code == client.post(address).status_code == 404
    client.force_login(researcher)
    assert client.get(address).status_code == 405
    assert client.post(f"{PAGE}{webhook.pk + 1}/delete/").status_code == 404
    assert client.post(address).url == PAGE
    assert not Webhook.objects.exists()
