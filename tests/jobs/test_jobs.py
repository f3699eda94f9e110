"""Jobs: asked for once, done once, retried after a crash, cancelled, given up, forgotten."""

from contextlib import suppress
from datetime import timedelta
from pathlib import Path

import pytest
from django.utils import timezone
from kombu.exceptions import OperationalError

from config.celery import app
from jobs import files, scheduling, working
from jobs.kinds import KINDS, JobFailed, Kind
from jobs.models import Job, JobState
from jobs.scheduling import cancel, get_or_schedule, maintain_jobs, make_job, retry
from jobs.working import Heartbeat, get_or_run, run_job

seen = []
ADVICE = "Try again; if it fails again, the log of the worker says more."


def count(job, report_progress) -> Path | None:
    """The work of the tests' kind: it does what the parameters say."""
    seen.append(job.parameters["does"])
    report_progress("counting", 1, 2)
    if job.parameters["does"] == "fails":
        raise JobFailed("There is nothing to count.")
    if job.parameters["does"] == "breaks":
        raise ZeroDivisionError
    if job.parameters["does"] == "is cancelled":
        cancel(job)
        heartbeats[-1].act()
        report_progress("counting", 2, 2)
    return files.write_value([len(seen)]) if job.parameters["does"] == "writes" else None


heartbeats = []


@pytest.fixture(autouse=True)
def kind(monkeypatch, settings, tmp_path):
    seen.clear()
    settings.JOB_FOLDER = tmp_path / "jobs"
    monkeypatch.setitem(KINDS, "count", Kind("count", f"{__name__}.count", "Counting", {"counting": "%(done)s"}))
    monkeypatch.setattr(Heartbeat, "start", lambda heartbeat: heartbeats.append(heartbeat))
    monkeypatch.setattr(Heartbeat, "stop", lambda heartbeat: None)


@pytest.fixture
def sent_ids(monkeypatch, db, django_capture_on_commit_callbacks):
    """The ids of which workers are told."""
    told = []
    monkeypatch.setattr(app, "send_task", lambda name, kwargs, **how: told.append(kwargs["job_id"]))
    with django_capture_on_commit_callbacks(execute=True):
        monkeypatch.setattr(scheduling.transaction, "on_commit", lambda act: act())
        yield told


@pytest.fixture
def ask(project, sent_ids):
    """A function that asks for a job that does something, for a version of its data."""
    return lambda does="writes", version="1", **how: get_or_schedule(
        make_job("count", "project:1", {"does": does}, project), version, **how
    )


def crash(job: Job) -> None:
    """As if the worker had been killed in the middle of it."""
    assert working.claim(job.pk)
    Job.objects.filter(pk=job.pk).update(lease_until=timezone.now() - timedelta(seconds=1))


def test_who_asks_again_gets_the_same_job_and_workers_are_told_once(ask, sent_ids):
    first, second = ask(), ask()
    assert (first.pk, first.state, sent_ids) == (second.pk, JobState.QUEUED, [first.pk])


def test_other_parameters_subject_and_language_are_other_jobs(ask, project):
    wanted = [
        make_job(*given)
        for given in [
            ("count", "project:1", {"does": "writes"}, project),
            ("count", "project:1", {"does": "fails"}, project),
            ("count", "project:2", {"does": "writes"}, project),
            ("other", "project:1", {"does": "writes"}, project),
            ("count", "project:1", {"does": "writes"}, project, "de"),
        ]
    ]
    assert len({job.key for job in wanted}) == 5


def test_a_job_is_done_once_and_has_its_file(ask):
    job = ask()
    run_job(job.pk)
    run_job(job.pk)
    job = ask()
    assert (job.state, job.is_current("1"), job.read_value(), seen) == ("done", True, [1], ["writes"])


def test_a_newer_version_is_done_again_while_the_earlier_result_stays(ask):
    run_job(ask().pk)
    job = ask(version="2")
    assert (job.state, job.file_version, job.has_result, job.read_value()) == ("queued", "1", True, [1])
    earlier = job.file
    run_job(job.pk)
    job.refresh_from_db()
    assert (job.is_current("2"), job.read_value(), files.make_path(earlier).exists()) == (True, [2], False)


@pytest.mark.parametrize(
    ("does", "message"), [("fails", "There is nothing to count."), ("breaks", f"ZeroDivisionError. {ADVICE}")]
)
def test_what_failed_is_said_and_done_again_when_asked_or_for_other_data(does, message, ask, sent_ids):
    job = ask(does)
    if does == "breaks":
        with pytest.raises(ZeroDivisionError):
            run_job(job.pk)
    else:
        run_job(job.pk)
    job = ask(does)
    assert (job.state, job.error, len(sent_ids)) == ("failed", message, 1)
    retry(job)
    assert Job.objects.get().state == JobState.QUEUED
    assert len(sent_ids) == 2
    Job.objects.update(state=JobState.FAILED)
    assert ask(does, version="2").state == JobState.QUEUED


def test_a_crashed_worker_is_followed_by_another_until_it_is_given_up(ask, sent_ids):
    job = ask()
    for _attempt in range(working.MAX_ATTEMPTS):
        crash(job)
        maintain_jobs()
    job.refresh_from_db()
    assert (job.state, job.attempts, len(sent_ids)) == ("failed", 3, 3)
    assert job.error == f"The worker crashed, probably out of memory. {ADVICE}"
    assert seen == []


def test_a_message_that_comes_again_for_a_dead_worker_does_the_job(ask):
    job = ask()
    crash(job)
    run_job(job.pk)
    assert (ask().is_current("1"), seen) == (True, ["writes"])


def test_a_worker_thought_dead_stores_nothing(ask):
    job = ask()
    late = working.claim(job.pk)
    Job.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    run_job(job.pk)
    path = files.write_value("late")
    working.finish(late, path)
    assert (ask().read_value(), path.exists()) == ([1], False)


def test_a_held_job_is_left_alone(ask):
    job = ask()
    working.claim(job.pk)
    run_job(job.pk)
    assert seen == []


def test_a_heartbeat_renews_the_lease_and_says_how_far_it_is(ask):
    job = working.claim(ask().pk)
    Job.objects.update(lease_until=timezone.now() - timedelta(seconds=1))
    heartbeat = Heartbeat(job)
    heartbeat.on_progress("counting", 7, 9)
    heartbeat.act()
    now = Job.objects.get()
    assert (now.step, now.done, now.total) == ("counting", 7, 9)
    assert now.lease_until > timezone.now()


def test_a_cancelled_job_ends_and_keeps_no_result(ask):
    job = ask("is cancelled")
    run_job(job.pk)
    job.refresh_from_db()
    assert (job.state, job.file) == ("cancelled", "")
    assert ask("is cancelled").state == JobState.CANCELLED


def test_without_a_broker_the_job_waits_and_is_sent_when_it_is_back(ask, sent_ids, monkeypatch):
    def refuse(name, **how):
        raise OperationalError

    with monkeypatch.context() as away:
        away.setattr(app, "send_task", refuse)
        job = ask()
    assert (job.state, job.sent_at, sent_ids) == ("queued", None, [])
    maintain_jobs()
    assert sent_ids == [job.pk]


def test_a_lost_message_is_sent_again(ask, sent_ids):
    job = ask()
    maintain_jobs()
    Job.objects.update(sent_at=timezone.now() - timedelta(minutes=2))
    maintain_jobs()
    assert sent_ids == [job.pk, job.pk]


def test_a_lost_file_is_written_again_and_not_for_ever(ask):
    for _attempt in range(working.MAX_ATTEMPTS):
        job = ask()
        run_job(job.pk)
        job.refresh_from_db()
        files.delete_file(job.file)
    job = ask()
    assert (job.state, len(seen)) == ("failed", 3)
    assert "LESART_DATA" in job.error


def test_what_has_expired_is_deleted_with_its_file_and_files_of_nobody_later(ask):
    run_job(ask().pk)
    kept = Job.objects.get().file
    orphan = files.write_value("nobody's")
    maintain_jobs()
    assert (orphan.exists(), files.make_path(kept).exists()) == (True, True)
    Job.objects.update(expires_at=timezone.now() - timedelta(seconds=1))
    maintain_jobs()
    assert (Job.objects.exists(), files.make_path(kept).exists()) == (False, False)


def test_jobs_that_failed_and_results_that_are_too_many_are_forgotten(ask, monkeypatch):
    monkeypatch.setattr("jobs.models.MAX_KEPT", 1)
    for does in ("fails", "nothing", "writes"):
        run_job(ask(does).pk)
    maintain_jobs()
    assert [job.parameters["does"] for job in Job.objects.all()] == ["writes"]
    Job.objects.update(state=JobState.FAILED, expires_at=None)
    maintain_jobs()
    assert Job.objects.exists()
    Job.objects.update(queued_at=timezone.now() - timedelta(days=2))
    maintain_jobs()
    assert not Job.objects.exists()


def test_who_opens_a_file_that_was_just_replaced_gets_the_new_one(ask):
    run_job(ask().pk)
    read_before = Job.objects.get()
    run_job(ask(version="2").pk)
    assert (read_before.read_value(), read_before.file_version) == ([2], "2")


def test_files_that_no_job_knows_are_deleted_when_they_are_old(ask, monkeypatch):
    orphan = files.write_value("nobody's")
    monkeypatch.setattr(files, "ORPHANED_AFTER", timedelta(seconds=-1))
    run_job(ask().pk)
    maintain_jobs()
    assert [path.name for path in orphan.parent.iterdir()] == [Job.objects.get().file]


def test_done_here_it_is_as_if_a_worker_had_done_it(ask, project):
    wanted = make_job("count", "project:1", {"does": "writes"}, project)
    assert get_or_run(wanted, "1").is_current("1")
    assert ask().is_current("1")
    assert get_or_run(wanted, "2").is_current("2")
    assert (Job.objects.count(), len(list(files.make_path("").iterdir()))) == (1, 1)


def test_a_file_that_cannot_be_written_whole_is_gone(db):
    with suppress(ZeroDivisionError), files.create_file() as file:
        file.write(b"half" * (1 // 0))
    assert list(files.make_path("").iterdir()) == []
