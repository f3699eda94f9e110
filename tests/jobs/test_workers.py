"""Workers that say they are there."""

import logging
from datetime import timedelta

import pytest
from django.db import OperationalError
from django.utils import timezone

from jobs import workers
from jobs.models import SEEN_WITHIN, Worker


@pytest.fixture
def old_worker(db):
    """A function that makes the row of a worker last seen some time ago."""

    def make(name: str, ago: timedelta) -> Worker:
        then = timezone.now() - ago
        return Worker.objects.create(name=name, started_at=then, last_seen=then)

    return make


class Beats(workers.WorkerHeartbeat):
    """Runs in the test's own thread and ends after the second beat."""

    def __init__(self):
        super().__init__("w@here", every=0)
        self.seen = []

    def _do(self, write, *arguments):
        super()._do(write, *arguments)
        self.seen.append((write.__name__, Worker.objects.filter(name="w@here").exists()))
        if len(self.seen) == 4:
            self.is_over.set()


@pytest.fixture
def own_connection(monkeypatch):
    """The test's connection is not the thread's to close."""
    monkeypatch.setattr(workers, "close_old_connections", lambda: None)
    monkeypatch.setattr(workers.connection, "close", lambda: None)


def test_first_beat_makes_the_row(db):
    workers.record_heartbeat("w@here")
    assert Worker.objects.alive().get().name == "w@here"


def test_next_beat_moves_last_seen_only(old_worker):
    before = old_worker("w@here", timedelta(hours=1))
    workers.record_heartbeat("w@here")
    after = Worker.objects.get()
    assert after.last_seen > before.last_seen
    assert after.started_at == before.started_at


def test_a_worker_that_came_again_has_a_new_start(old_worker):
    old_worker("w@here", timedelta(hours=1))
    now = timezone.now()
    workers.record_heartbeat("w@here", now)
    assert Worker.objects.get().started_at == now


def test_silence_makes_a_worker_dead(old_worker):
    old_worker("w@here", SEEN_WITHIN + timedelta(seconds=1))
    assert not Worker.objects.alive().exists()


def test_rows_not_seen_for_a_day_are_forgotten(old_worker):
    old_worker("gone@there", timedelta(days=1, seconds=1))
    old_worker("slow@there", timedelta(hours=23))
    workers.delete_old_workers()
    assert [worker.name for worker in Worker.objects.all()] == ["slow@there"]


def test_thread_cleans_up_beats_and_leaves(db, own_connection):
    thread = Beats()
    thread.run()
    assert thread.seen == [
        ("delete_old_workers", False),
        ("record_heartbeat", True),
        ("look_after_jobs", True),
        ("record_heartbeat", True),
        ("look_after_jobs", True),
        ("remove_worker", False),
    ]


def test_a_database_that_is_away_is_logged_and_tried_again(db, own_connection, monkeypatch, caplog):
    answers = iter([OperationalError("database is locked"), None])
    real = workers.record_heartbeat

    def record_heartbeat(name, started_at=None):
        if error := next(answers):
            raise error
        real(name, started_at)

    monkeypatch.setattr(workers, "record_heartbeat", record_heartbeat)
    with caplog.at_level(logging.WARNING):
        thread = Beats()
        thread.run()
    assert [name for name, _ in thread.seen] == [
        "delete_old_workers",
        "record_heartbeat",
        "look_after_jobs",
        "record_heartbeat",
        "look_after_jobs",
        "remove_worker",
    ]
    assert "database is locked" in caplog.text


def test_stop_ends_a_running_thread(db, monkeypatch):
    monkeypatch.setattr(workers.WorkerHeartbeat, "_do", lambda self, write, *arguments: None)
    thread = workers.WorkerHeartbeat("w@here", every=3600)
    thread.start()
    thread.stop()
    assert not thread.is_alive()
