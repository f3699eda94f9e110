"""/health/: whether the parts answer, for supervisors and for people."""

import pytest
import redis
from django.db import OperationalError

from config import views
from jobs.workers import record_heartbeat

NO_BROKER = "redis://:hidden-password@127.0.0.1:1/0"


@pytest.fixture
def broker(monkeypatch):
    """A broker that answers."""
    monkeypatch.setattr(redis.Redis, "ping", lambda self: True)


@pytest.fixture
def no_broker(settings):
    settings.CELERY_BROKER_URL = NO_BROKER


@pytest.fixture
def no_database(monkeypatch):
    def refuse():
        raise OperationalError("could not connect to server at db.inside, user hidden-user")

    monkeypatch.setattr(views.Worker.objects, "exists", refuse)


def test_all_well(client, db, broker):
    record_heartbeat("w@here")
    response = client.get("/health/")
    assert response.status_code == 200
    assert response.json() == {"web": "ok", "database": "ok", "broker": "ok", "worker": "ok"}


def test_without_a_worker_pages_still_work_and_the_remedy_is_named(client, db, broker):
    response = client.get("/health/")
    assert response.status_code == 200
    sentence = "No worker is running: start one with ./lesart up or celery -A config worker."
    assert response.json()["worker"] == sentence


def test_without_a_broker_pages_still_work(client, db, no_broker):
    response = client.get("/health/")
    assert response.status_code == 200
    assert response.json()["broker"].startswith("The broker does not")


def test_without_a_database_it_is_unavailable(client, broker, no_database):
    response = client.get("/health/")
    assert response.status_code == 503
    assert response.json()["database"].startswith("The database does not")


@pytest.mark.parametrize("accept", ["application/json", "text/html"])
def test_no_secret_is_said_or_logged(accept, client, no_broker, no_database, caplog):
    text = client.get("/health/", headers={"Accept": accept}).content.decode()
    assert "hidden" not in text
    assert "hidden-password" not in caplog.text


def test_browsers_get_a_page(client, db, no_broker):
    response = client.get("/health/", headers={"Accept": "text/html,application/xhtml+xml,*/*;q=0.8"})
    assert "<h1>Health of this server</h1>" in response.content.decode()
    assert "No worker is running" in response.content.decode()


def test_the_page_needs_no_database(client, broker, no_database):
    response = client.get("/health/", headers={"Accept": "text/html"})
    assert response.status_code == 503
    assert "The database does not" in response.content.decode()


def test_command_line_tools_get_json(client, db, broker):
    assert client.get("/health/", headers={"Accept": "*/*"}).headers["Content-Type"] == "application/json"


@pytest.mark.broker
def test_a_real_broker_answers(client, db):
    assert client.get("/health/").json()["broker"] == "ok"
