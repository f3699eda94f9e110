"""A toy run kind, a mock server as endpoint, and runs of it."""

from decimal import Decimal

import pytest

from llm import failures, registry
from llm.models import Endpoint, Run
from llm.services import draining, runs
from tests.llm.toy import Toy
from tests.mock_server import mock_server


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Waiting is for servers, not for tests."""
    monkeypatch.setattr(failures, "FIRST_DELAY", 0.0)
    monkeypatch.setattr(failures, "LEAST_LIMIT_DELAY", 0.0)
    monkeypatch.setattr(draining, "WAIT_SECONDS", 0.02)


@pytest.fixture(autouse=True)
def messages_to_workers(monkeypatch):
    """Messages that would go to a broker: run ids."""
    sent = []
    monkeypatch.setattr(runs, "_send", sent.append)
    return sent


@pytest.fixture
def toy(monkeypatch):
    """The kind of run "toy", with what it has read."""
    run_kind = Toy()
    monkeypatch.setitem(registry._run_kinds, "toy", run_kind)
    return run_kind


@pytest.fixture
def allow_loopback(settings):
    settings.LESART_INSIDE_HOSTS = ["127.0.0.1"]


@pytest.fixture
def serve_model(allow_loopback):
    """A function that starts a mock server with the given answers; they all end with the test."""
    from contextlib import ExitStack

    with ExitStack() as stack:
        yield lambda answer="R", **settings: stack.enter_context(mock_server(answer, **settings))


@pytest.fixture
def make_run(project, toy):
    """A function that starts a run of n calls (or of these keys) against a server."""

    def make(server, n=3, *, keys=None, price=None, budget=None, params=None, **fields) -> Run:
        fields = {"max_concurrency": 4, "timeout_seconds": 60} | fields
        if price is not None:
            fields |= {"price_in": Decimal(price), "price_out": Decimal(price)}
        endpoint, _ = Endpoint.objects.update_or_create(
            name="mock", defaults={"base_url": server.base_url, "model": "mock-1", **fields}
        )
        keys = [f"k{number}" for number in range(n)] if keys is None else keys
        return runs.create_run(
            project=project, kind="toy", endpoint=endpoint, label="a toy run",
            params={"keys": keys} | (params or {}), budget=budget,
        )  # fmt: skip

    return make


@pytest.fixture
def states():
    """A function that says how many calls of a run are in which state."""

    def count(run):
        from collections import Counter

        return dict(Counter(run.calls.values_list("state", flat=True)))

    return count
