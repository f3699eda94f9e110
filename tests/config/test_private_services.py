"""Valkey and PostgreSQL of our own: they answer, and they go with whoever started them."""

import os
import socket
import stat
import urllib.parse

import psycopg
import pytest
import redis

from config.cli.postgres import run_postgresql
from config.cli.valkey import configure, read_url, run_valkey
from tests.config.shell import line_with, script, wait_for

pytestmark = pytest.mark.slow

HOLDER = """
import time
from config.cli.{module} import {name}
with {name}() as url:
    print("url", url, flush=True)
    time.sleep(300)
"""


def is_listening(url: str) -> bool:
    parts = urllib.parse.urlsplit(url)
    with socket.socket() as probe:
        return probe.connect_ex((parts.hostname, parts.port)) == 0


@pytest.mark.broker
def test_valkey_answers_with_its_password_and_stops():
    with run_valkey() as url:
        assert redis.Redis.from_url(url).ping()
        with pytest.raises(redis.AuthenticationError):
            redis.Redis.from_url(url.replace(urllib.parse.urlsplit(url).password, "wrong")).ping()
    assert not is_listening(url)


def test_postgresql_answers_only_with_its_password_and_stops():
    with run_postgresql() as url:
        with psycopg.connect(url) as connection:
            assert connection.execute("SHOW server_encoding").fetchone() == ("UTF8",)
        with pytest.raises(psycopg.OperationalError, match="password"):
            psycopg.connect(url.replace(urllib.parse.urlsplit(url).password, "wrong"))
    assert not is_listening(url)


@pytest.mark.broker
def test_valkey_goes_with_a_killed_owner():
    with script(HOLDER.format(module="valkey", name="run_valkey")) as owner:
        url = line_with(owner, "url").split()[1]
        assert is_listening(url)
        owner.kill()
        assert wait_for(lambda: not is_listening(url))


def test_postgresql_goes_with_a_killed_owner_though_a_client_holds_on():
    with script(HOLDER.format(module="postgres", name="run_postgresql")) as owner:
        url = line_with(owner, "url").split()[1]
        with psycopg.connect(url):
            owner.kill()
            assert wait_for(lambda: not is_listening(url))


def test_the_password_is_in_a_file_of_the_owner_and_not_on_the_command_line(tmp_path):
    command = configure(tmp_path / "a broker", 7001, "secret")
    assert "secret" not in " ".join(command)
    assert stat.S_IMODE(os.stat(command[1]).st_mode) == 0o600
    assert read_url(tmp_path / "a broker") == "redis://:secret@127.0.0.1:7001/0"


def test_no_broker_was_configured_yet(tmp_path):
    assert read_url(tmp_path) is None
