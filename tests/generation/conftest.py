"""Models on a mock server, waited for by nobody."""

from contextlib import ExitStack

import pytest

from llm.models import Endpoint
from llm.services import draining, policy, runs
from tests.factory import make_text
from tests.mock_server import mock_server

GERMAN = "Mira hörte jeden Abend um sieben ein Klavierstück aus der Wohnung im Erdgeschoss. Herr Seidel spielte es."


@pytest.fixture(autouse=True)
def quick(monkeypatch, settings):
    """Waiting is for servers; messages to workers go nowhere; the mock server may be called."""
    monkeypatch.setattr(policy, "FIRST_DELAY", 0.0)
    monkeypatch.setattr(draining, "WAIT_SECONDS", 0.02)
    monkeypatch.setattr(runs, "_send", lambda run_id: None)
    settings.LESART_INSIDE_HOSTS = ["127.0.0.1"]


@pytest.fixture
def served():
    with ExitStack() as stack:
        yield lambda answer, **how: stack.enter_context(mock_server(answer, **how))


@pytest.fixture
def endpoint():
    """A function that makes the endpoint “mock” of a server."""

    def make(server, **fields) -> Endpoint:
        fields = {"base_url": server.base_url, "model": "mock-1", "max_concurrency": 4, "timeout_seconds": 5} | fields
        return Endpoint.objects.update_or_create(name="mock", defaults=fields)[0]

    return make


@pytest.fixture
def piano(project):
    return make_text(project, "piano", title="Das Ende", body=GERMAN, language="de")
