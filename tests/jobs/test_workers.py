"""Workers that say they are there."""

import logging
from datetime import timedelta

import pytest
from django.db import OperationalError
from django.utils import timezone

from jobs import workers, working
from jobs.models import SEEN_WITHIN, Worker


@pytest.fixture
def old_worker(db):
    """A function that makes the row of a worker last seen some time ago."""

    def make(name: str, ago: timedelta) -> Worker:
        then = timezone.now() - ago
        return Worker.objects.create(name=name, started_at=then, last_seen=then)

    return make


@pytest.fixture
def own_connection(monkeypatch):
    """The test's connection is not the thread's to close."""
    monkeypatch.setattr(working, "close_old_connections", lambda: None)
    monkeypatch.setattr(working.connection, "close", lambda: None)


class Times(working.RepeatingThread):
    """Acts three times in the test's own thread."""

    def __init__(self, errors=()):
        super().__init__("timer", every=0)
        self.errors, self.n = iter(errors), 0

    def act(self):
        self.n += 1
        if self.n == 3:
            self.is_over.set()
        if error := next(self.errors, None):
            raise error


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


def test_a_worker_beats_looks_after_jobs_and_leaves(old_worker, monkeypatch):
    looked = []
    monkeypatch.setattr(workers, "maintain_jobs", lambda: looked.append(True))
    old_worker("gone@there", timedelta(days=2))
    heartbeat = workers.WorkerHeartbeat("w@here")
    heartbeat.act()
    assert ([worker.name for worker in Worker.objects.all()], looked) == (["w@here"], [True])
    monkeypatch.setattr(working.RepeatingThread, "stop", lambda heartbeat: None)
    heartbeat.stop()
    assert not Worker.objects.exists()


@pytest.mark.parametrize("error", [OperationalError("database is locked"), ZeroDivisionError("nothing")])
def test_what_goes_wrong_is_logged_and_tried_again(db, own_connection, caplog, error):
    with caplog.at_level(logging.WARNING):
        thread = Times([error])
        thread.run()
    assert thread.n == 3
    assert str(error) in caplog.text


def test_stop_ends_a_running_thread(db, monkeypatch):
    thread = Times()
    thread.every = 3600
    with thread:
        assert thread.is_alive()
    assert not thread.is_alive()
