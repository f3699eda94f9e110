"""A worker killed with -9 in the middle: every call is answered once, a call on the wire is sent at most twice."""

import json
import os
import secrets
import shutil
import subprocess
import sys
import time
from collections import Counter
from contextlib import contextmanager
from urllib.parse import urlsplit, urlunsplit

import psycopg
import pytest
import redis

from config.cli import postgres
from llm.services.pace import Pace
from tests.config.shell import ROOT
from tests.mock_server import mock_server, steady
from tests.patience import PATIENCE

pytestmark = pytest.mark.slow

N = 120
AT_ONCE = 16
SENT = AT_ONCE + Pace(AT_ONCE).most_ahead  # on the wire, or back and not yet in the ledger


class Site:
    """Processes on a database of their own."""

    def __init__(self, environment):
        self.environment = {**os.environ, "PYTHONPATH": str(ROOT), "LESART_INSIDE_HOSTS": "127.0.0.1", **environment}

    def start(self, *arguments):
        command = [sys.executable, "-m", "tests.llm.kill_site", *arguments]
        return subprocess.Popen(command, cwd=ROOT, env=self.environment, stdout=subprocess.PIPE, text=True)

    def do(self, *arguments):
        process = self.start(*arguments)
        output, _ = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0
        return output

    def sum_up(self, command="sum_up"):
        """What became of the run, after that command."""
        return json.loads(self.do(command))


@pytest.fixture(scope="module")
def migrated(tmp_path_factory):
    """A database without rows, whose tables take longer to make than to copy."""
    with database(tmp_path_factory.mktemp("migrated")) as environment:
        Site(environment).do("migrate")
        yield environment


@pytest.fixture
def site(tmp_path, migrated):
    with database(tmp_path, migrated) as environment:
        yield Site(environment)


@contextmanager
def database(folder, source=None):
    """An empty database, or a copy of the source: a file, or one more on the PostgreSQL of the tests."""
    url = os.environ.get("DATABASE_URL", "")
    if not url.startswith("postgres"):
        if source:
            shutil.copytree(source["LESART_DATA"], folder, dirs_exist_ok=True)
        yield {"LESART_DATA": str(folder), "DATABASE_URL": ""}
        return
    name = f"kill_{secrets.token_hex(6)}"
    template = urlsplit(source["DATABASE_URL"]).path[1:] if source else "template1"
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}" TEMPLATE "{template}"')
        try:
            yield {"LESART_DATA": str(folder), "DATABASE_URL": urlunsplit(urlsplit(url)._replace(path=f"/{name}"))}
        finally:
            connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


def wait_for(server, n):
    until = time.monotonic() + PATIENCE
    while len(server.requests) < n:
        assert time.monotonic() < until, "the drainer did not come that far"
        time.sleep(0.01)


def times_asked(server):
    return Counter(server.prompts)


@pytest.mark.database
def test_killed_twice_every_call_is_answered_and_only_those_on_the_wire_are_sent_again(site):
    with mock_server(steady, latency=0.05) as server:
        site.do("prepare", server.base_url, str(N), "repeat")
        for n in (N // 4, N // 2):
            drainer = site.start("drain")
            wait_for(server, n)
            drainer.kill()
            drainer.communicate()
        result = site.sum_up("drain")
    assert result["state"] == "done"
    assert result["states"] == {"answered": N}
    asked = times_asked(server)
    assert len(asked) == N
    assert len(server.requests) - N <= 2 * SENT
    assert max(asked.values()) <= 3
    assert result["sent"] == N + result["lost"] >= len(server.requests)


@pytest.mark.database
def test_two_drainers_at_once_ask_nothing_twice(site):
    with mock_server(steady, latency=0.02) as server:
        site.do("prepare", server.base_url, str(N), "repeat")
        drainers = [site.start("drain") for _ in range(2)]
        for drainer in drainers:
            drainer.communicate(timeout=PATIENCE)
    assert site.sum_up()["states"] == {"answered": N}
    assert set(times_asked(server).values()) == {1}


@pytest.mark.database
@pytest.mark.broker
def test_a_killed_worker_and_a_flushed_broker_cost_seconds_and_no_answer(site):
    broker = urlunsplit(urlsplit(os.environ["REDIS_URL"])._replace(path=f"/{secrets.randbelow(50) + 10}"))
    site.environment["REDIS_URL"] = broker
    with mock_server(steady, latency=0.05) as server:
        site.do("prepare", server.base_url, str(N), "repeat")
        worker = site.start("work")
        try:
            wait_for(server, N // 3)
            worker.kill()
            worker.communicate()
            with redis.Redis.from_url(broker) as connection:
                connection.flushdb()
            worker = site.start("work")
            wait_for(server, N)
            until = time.monotonic() + PATIENCE
            while site.sum_up()["state"] != "done":
                assert time.monotonic() < until
        finally:
            worker.kill()
            worker.communicate()
    assert site.sum_up()["states"] == {"answered": N}
    asked = times_asked(server)
    assert len(asked) == N
    assert max(asked.values()) <= 2
    assert len(server.requests) - N <= SENT


@pytest.mark.database
def test_where_the_run_says_hold_nothing_is_sent_twice_until_somebody_decides(site):
    with mock_server(steady, latency=0.05) as server:
        site.do("prepare", server.base_url, str(N), "hold")
        drainer = site.start("drain")
        wait_for(server, N // 2)
        drainer.kill()
        drainer.communicate()
        time.sleep(2.2)
        result = site.sum_up("drain")
        assert (result["state"], result["reason"]) == ("paused", "held")
        assert 0 < result["states"]["held"] <= SENT
        assert set(times_asked(server).values()) == {1}
        result = site.sum_up("decide")
    assert result["states"] == {"answered": N}
    assert max(times_asked(server).values()) <= 2


def test_a_database_that_is_restarted_costs_the_calls_on_the_wire_and_nothing_else(tmp_path):
    """The drainer itself goes on; nothing starts it again."""
    with postgres.run_server() as database, mock_server(steady, latency=0.05) as server:
        site = Site({"LESART_DATA": str(tmp_path), "DATABASE_URL": database.url})
        site.do("migrate")
        site.do("prepare", server.base_url, str(N), "repeat")
        drainer = site.start("drain")
        wait_for(server, N // 3)
        database.stop()
        n_before = len(server.requests)
        database.start()
        output, _ = drainer.communicate(timeout=PATIENCE)
        assert drainer.returncode == 0
        assert n_before < len(server.requests)
        result = json.loads(output)
    assert (result["state"], result["states"]) == ("done", {"answered": N})
    asked = times_asked(server)
    assert len(asked) == N
    assert len(server.requests) - N <= SENT
    assert result["sent"] == N + result["lost"] >= len(server.requests)
