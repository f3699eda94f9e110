"""A database that is away, full or held by others is a 503 with a reason, and one line in the log."""

import errno
import json
import logging
import os
import signal
import socket
import sqlite3
import subprocess
import sys
import urllib.error
import urllib.request
from datetime import datetime, timedelta
from itertools import pairwise
from unittest.mock import Mock

import psycopg
import pytest
from django.conf import settings
from django.db import DatabaseError, InterfaceError, OperationalError, ProgrammingError, connection
from django.urls import reverse

from config import logs, outages
from config.cli import resources, usage
from config.cli.postgres import run_server
from config.postgresql import WEB_LIMITS
from config.postgresql.base import is_answering
from tests.config.shell import ROOT, lesart, wait_for
from tests.patience import PATIENCE

NO_SPACE = OSError(errno.ENOSPC, "No space left on device")


def by_driver(cause, kind=OperationalError):
    error = kind(str(cause))
    error.__cause__ = cause
    return error


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (OperationalError("connection refused"), outages.AWAY),
        (InterfaceError("connection already closed"), outages.AWAY),
        (by_driver(psycopg.errors.AdminShutdown("terminating connection")), outages.AWAY),
        (by_driver(psycopg.errors.DiskFull("could not extend file")), outages.FULL),
        (OperationalError("database or disk is full"), outages.FULL),
        (NO_SPACE, outages.FULL),
        (OperationalError("database is locked"), outages.BUSY),
        (by_driver(psycopg.errors.QueryCanceled("canceling statement")), outages.BUSY),
        (by_driver(psycopg.errors.LockNotAvailable("canceling statement")), outages.BUSY),
        (OperationalError("attempt to write a readonly database"), outages.READ_ONLY),
        (by_driver(psycopg.errors.ReadOnlySqlTransaction("cannot"), DatabaseError), outages.READ_ONLY),
        (by_driver(psycopg.errors.UndefinedTable("no relation"), ProgrammingError), None),
        (by_driver(psycopg.errors.StatementTooComplex("stack depth"), OperationalError), None),
        (FileNotFoundError(errno.ENOENT, "No such file"), None),
        (ValueError("is full"), None),
        (None, None),
    ],
)  # fmt: skip
def test_an_outage_is_told_from_a_fault(error, kind):
    assert outages.find_outage(error) is kind


@pytest.mark.parametrize(("free", "kind"), [(0, outages.FULL), (10**9, outages.AWAY)])
def test_sqlite_that_cannot_make_its_files_tells_a_full_disk_by_the_room_on_it(monkeypatch, free, kind):
    """Even reading takes two files beside the database: "disk I/O error" is all that it says without room for them."""
    monkeypatch.setattr("config.outages.shutil.disk_usage", lambda folder: Mock(free=free))
    error = by_driver(sqlite3.OperationalError("disk I/O error"))
    assert outages.find_outage(error) is kind


@pytest.mark.parametrize(
    ("error", "words"),
    [(OperationalError("database or disk is full"), "The disk of this server is full."),
     (OperationalError("connection refused"), "The database does not respond or is not set up")],
)  # fmt: skip
def test_health_gives_the_reason(client, db, monkeypatch, error, words):
    def fail():
        raise error

    monkeypatch.setattr("config.views.Worker.objects.exists", fail)
    reply = client.get("/health/")
    assert reply.status_code == 503
    assert reply.json()["database"].startswith(words)


def test_a_wrong_question_to_sqlite_is_no_outage(db):
    with pytest.raises(DatabaseError) as caught:
        connection.cursor().execute("SELECT nothing FROM nowhere")
    assert outages.find_outage(caught.value) is None


def test_the_error_behind_another_counts():
    outer = RuntimeError("a page broke")
    outer.__cause__ = OperationalError("connection refused")
    assert outages.find_outage(outer) is outages.AWAY


# Pages --------------------------------------------------------------------------------------------------------------


@pytest.fixture
def page_that_meets(client, monkeypatch):
    """A function: the reply of a page whose view meets that error."""
    client.raise_request_exception = False

    def get(error, **headers):
        def fail(*arguments):
            raise error

        monkeypatch.setattr("projects.views.find_invitation", fail)
        return client.get("/invitation/abc/", headers=headers)

    return get


@pytest.mark.parametrize("error", [OperationalError("connection refused to hidden-host"), NO_SPACE])
def test_a_page_in_an_outage_is_a_503_that_gives_the_reason(page_that_meets, error):
    reply = page_that_meets(error)
    page = reply.content.decode()
    assert (reply.status_code, reply["Retry-After"]) == (503, "30")
    assert str(outages.find_outage(error).page) in page
    assert f"<code>{reply['X-Request-ID']}</code>" in page
    assert "hidden-host" not in page


def test_the_session_of_a_member_may_be_what_cannot_be_read(as_user, owner, monkeypatch):
    def fail(*arguments):
        raise OperationalError("connection refused")

    client = as_user(owner)
    client.raise_request_exception = False
    monkeypatch.setattr("django.contrib.sessions.backends.db.SessionStore._get_session_from_db", fail)
    assert client.get("/").status_code == 503


def test_a_page_that_is_not_there_asks_a_silent_database_once(as_user, owner, monkeypatch):
    asked = []

    def fail(*arguments):
        asked.append(arguments)
        raise OperationalError("connection timeout expired")

    client = as_user(owner)
    client.raise_request_exception = False
    monkeypatch.setattr("django.contrib.sessions.backends.db.SessionStore._get_session_from_db", fail)
    assert client.get("/nowhere/").status_code == 503
    assert len(asked) == 1


@pytest.mark.skipif(connection.vendor != "sqlite", reason="a bound of pages is SQLite's")
def test_a_full_database_is_a_503_that_says_so(as_user, owner):
    client = as_user(owner)
    client.raise_request_exception = False
    client.get(reverse("project_list"))
    with connection.cursor() as cursor:
        bound = cursor.execute("PRAGMA max_page_count").fetchone()[0]
        cursor.execute(f"PRAGMA max_page_count = {cursor.execute('PRAGMA page_count').fetchone()[0]}")
        for n in range(1_000):
            reply = client.post(reverse("project_new"), {"title": f"Title {n}"})
            if reply.status_code != 302:
                break
        cursor.execute(f"PRAGMA max_page_count = {bound}")
    assert reply.status_code == 503
    assert str(outages.FULL.page) in reply.content.decode()


# Logs ---------------------------------------------------------------------------------------------------------------


@pytest.fixture
def log_of():
    """A function: the lines of a logger with our filters after what is done with it."""

    def collect(use, formatter):
        lines, logger = [], logging.Logger("test")
        handler = logging.Handler()
        handler.emit = lambda record: lines.append(handler.format(record))
        handler.setFormatter(formatter)
        handler.addFilter(logs.AddRequestId())
        handler.addFilter(logs.SummarizeOutages())
        logger.addHandler(handler)
        use(logger)
        return lines

    return collect


def meet_outages(logger):
    for n in range(1_700):
        try:
            raise OperationalError(f"connection refused {n}")
        except OperationalError as error:
            logger.error("Task failed", exc_info=error) if n % 2 else logger.warning("Cannot be stored: %s", error)


def test_1700_errors_of_an_outage_are_one_line(log_of):
    (line,) = log_of(meet_outages, logs.TextFormatter())
    assert "connection refused 0" in line
    assert "Traceback" not in line


def test_the_next_line_tells_how_many_were_kept_back(log_of, monkeypatch):
    moments = iter([0.0, 1.0, 2.0, 61.0])
    monkeypatch.setattr(logs.time, "monotonic", lambda: next(moments))

    def fail_four_times(logger):
        for _ in range(4):
            logger.error("%s", OperationalError("connection refused"))

    first, second = log_of(fail_four_times, logs.TextFormatter())
    assert "(2 more" in second
    assert "more" not in first


def test_a_fault_keeps_its_traceback(log_of):
    def fail(logger):
        try:
            raise ValueError("a fault")
        except ValueError:
            logger.exception("It broke.")

    assert "Traceback" in log_of(fail, logs.TextFormatter())[0]
    assert "Traceback" in json.loads(log_of(fail, logs.JsonLineFormatter())[0])["exc_info"]


def test_lines_carry_time_and_request_id(log_of):
    logs.set_request_id("abc-1")
    try:
        (text,) = log_of(lambda logger: logger.warning("SpecValues %s", "so"), logs.TextFormatter())
        (line,) = log_of(
            lambda logger: logger.warning("SpecValues %s", "so", extra={"request": "/join/secret/"}),
            logs.JsonLineFormatter(),
        )
    finally:
        logs.set_request_id(None)
    time, rest = text.split(" ", 1)
    assert time.endswith("Z")
    assert rest == "WARNING test [abc-1] SpecValues so"
    assert {name: value for name, value in json.loads(line).items() if name != "time"} == {
        "level": "WARNING", "logger": "test", "request_id": "abc-1", "message": "SpecValues so",
    }  # fmt: skip


def test_every_reply_has_an_id_of_its_own(client, db):
    ids = {client.get("/accounts/login/")["X-Request-ID"] for _ in range(2)} | {client.get("/none/")["X-Request-ID"]}
    assert len(ids) == 3


def test_only_the_id_of_a_known_proxy_is_kept_and_only_a_plain_one(client, db, settings):
    headers = {"X-Request-ID": "of-the-proxy.1"}
    assert client.get("/accounts/login/", headers=headers)["X-Request-ID"] != "of-the-proxy.1"
    settings.ALLAUTH_TRUSTED_PROXY_COUNT = 1
    assert client.get("/accounts/login/", headers=headers)["X-Request-ID"] == "of-the-proxy.1"
    assert " " not in client.get("/accounts/login/", headers={"X-Request-ID": "a line\x1b"})["X-Request-ID"]


def test_a_worker_names_the_request_that_asked_for_its_work():
    from config.celery import send_request_id, take_request_id

    class Task:
        class request:
            id = "task-1"

    headers = {}
    logs.set_request_id("asked-by")
    send_request_id(headers)
    Task.request.request_id = headers["request_id"]
    logs.set_request_id(None)
    take_request_id(Task)
    assert logs.get_request_id() == "asked-by"
    Task.request.request_id = "not a word\n"
    take_request_id(Task)
    assert logs.get_request_id() == logs.NO_REQUEST
    logs.set_request_id(None)


# The processes ------------------------------------------------------------------------------------------------------


PAGES = ["/health/", f"/invitation/{'a' * 43}/", f"/join/{'a' * 32}/"]


@pytest.fixture
def silent_port():
    """A port at which connections are taken and nothing is ever said."""
    with socket.create_server(("127.0.0.1", 0), backlog=64) as server:
        yield server.getsockname()[1]


def ask(url):
    try:
        with urllib.request.urlopen(urllib.request.Request(url, headers={"Accept": "text/html"})) as reply:
            return reply.status, reply.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


@pytest.mark.slow
@pytest.mark.parametrize("is_silent", [True, False])
def test_the_web_server_says_that_its_database_is_away(tmp_path, silent_port, is_silent):
    database, port = silent_port if is_silent else resources.find_free_port(), resources.find_free_port()
    environment = os.environ | {
        "DATABASE_URL": f"postgres://me:hidden@127.0.0.1:{database}/lesart", "LESART_DATA": str(tmp_path),
        "REDIS_URL": "redis://127.0.0.1:1/0", "PYTHONPATH": str(ROOT), "LESART_LOG_FORMAT": "json",
    }  # fmt: skip
    command = [sys.executable, "-m", "gunicorn", "config.wsgi", "--bind", f"127.0.0.1:{port}", "--no-control-socket"]
    command += ["--worker-class", "gthread", "--threads", "4", "--log-level", "warning"]
    server = subprocess.Popen(command, cwd=ROOT, env=environment, stderr=subprocess.PIPE, text=True)
    try:
        assert wait_for(lambda: socket.socket().connect_ex(("127.0.0.1", port)) == 0)
        replies = [ask(f"http://127.0.0.1:{port}{path}") for path in PAGES * 2]
    finally:
        server.terminate()
        _, written = server.communicate(timeout=PATIENCE)
    assert {status for status, _ in replies} == {503}
    assert not any("hidden" in page for _, page in replies)
    lines = [json.loads(line) for line in written.splitlines()]
    assert "exc_info" not in written
    told = [line for line in lines if not line["message"].startswith("The broker")]
    assert {line["message"].startswith(outages.AWAY.summary) for line in told} == {True}
    moments = [datetime.fromisoformat(line["time"]) for line in told]
    assert all(later - earlier > timedelta(seconds=59) for earlier, later in pairwise(moments))  # one a minute


@pytest.mark.slow
def test_a_suspended_server_is_given_up_and_web_requests_alone_have_limits():
    with run_server() as database:
        kept = psycopg.connect(database.url, autocommit=True)
        assert is_answering(kept.pgconn, 60)
        assert kept.execute("SHOW statement_timeout").fetchone() == ("0",)
        server = [database.process.pid, *children(database.process.pid)]
        for process in server:
            os.kill(process, signal.SIGSTOP)
        assert not is_answering(kept.pgconn, 0.2)
        for process in server:
            os.kill(process, signal.SIGCONT)
        kept.close()
        with psycopg.connect(database.url, options=WEB_LIMITS) as limited:
            assert limited.execute("SHOW statement_timeout").fetchone() == ("30s",)
            assert limited.execute("SHOW lock_timeout").fetchone() == ("10s",)


def children(pid):
    listing = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True, check=True)
    return [int(word) for word in listing.stdout.split()]


@pytest.mark.skipif(connection.vendor != "postgresql", reason="the settings of PostgreSQL")
@pytest.mark.database
def test_connections_know_within_seconds_that_the_server_is_away(db):
    assert settings.DATABASES["default"]["ENGINE"] == "config.postgresql"
    assert settings.DATABASES["default"]["OPTIONS"]["connect_timeout"] == 2
    connection.ensure_connection()
    assert connection.is_usable()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("variables", "code", "word"),
    [
        ({"DATABASE_URL": "postgres://me:hidden@127.0.0.1:1/lesart"}, usage.NOT_PREPARED, "DATABASE_URL"),
        ({"DATABASE_URL": "mysql://me:hidden@127.0.0.1:1/lesart"}, usage.NOT_PREPARED, "DATABASE_URL"),
        ({"LESART_TIME_ZONE": "Moon/Base"}, usage.NOT_PREPARED, "LESART_TIME_ZONE"),
        ({"LESART_LOG_LEVEL": "LOUD"}, usage.NOT_PREPARED, "LESART_LOG_LEVEL"),
        ({"REDIS_URL": "redis://:hidden@127.0.0.1:1/0"}, usage.NOT_STARTED, "REDIS_URL"),
        ({"REDIS_URL": "nonsense"}, usage.NOT_STARTED, "REDIS_URL"),
    ],
)
def test_up_ends_in_one_sentence_where_a_setting_or_a_server_is_wrong(tmp_path, variables, code, word):
    usual = {"DATABASE_URL": "", "REDIS_URL": "", "LESART_DATA": str(tmp_path)}
    answer = lesart("up", "--port", "0", "--no-model", **(usual | variables))
    assert answer.returncode == code
    assert answer.stderr.count("\n") == 1
    assert word in answer.stderr
    assert "Traceback" not in answer.stdout
    assert "hidden" not in answer.stdout + answer.stderr
