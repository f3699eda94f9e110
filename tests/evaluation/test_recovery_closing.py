"""The last answer to a text closes its assignment, whoever wrote it, and whoever died in between."""

import threading

import pytest
from django.db import connection, transaction

from evaluation import run_kind
from evaluation.services.asking import ModelSpec, start
from evaluation.services.progress import get_row
from llm.models import Run, RunState
from llm.services import runs, workers
from llm.services.draining import drain_here
from studies.models import Response, Submission
from tests.mock_server import steady
from tests.patience import PATIENCE

pytestmark = [pytest.mark.database, pytest.mark.usefixtures("quick_models")]


@pytest.fixture
def evaluator(study, serve_model, endpoint):
    return start(study, ModelSpec(endpoint(serve_model(steady))))


def n_open(evaluator) -> int:
    return evaluator.annotator.assignments.open().count()


@pytest.mark.django_db
def test_what_every_worker_saw_unanswered_is_closed_when_the_run_is_done(evaluator, monkeypatch):
    monkeypatch.setattr(run_kind, "is_answered", lambda *about: False)
    drain_here(get_row(evaluator).run)
    assert get_row(evaluator).run.state == RunState.DONE
    assert n_open(evaluator) == 0
    assert Submission.objects.filter(assignment__annotator=evaluator.annotator).count() == 4


@pytest.mark.django_db
def test_a_run_is_not_done_before_that_and_the_sweep_tries_again(evaluator, monkeypatch):
    monkeypatch.setattr(run_kind, "is_answered", lambda *about: False)
    run = get_row(evaluator).run
    with monkeypatch.context() as dying:
        dying.setattr(run_kind, "close_answered", dies)
        with pytest.raises(InterruptedError):
            drain_here(run)
    run.refresh_from_db()
    assert (run.state, n_open(evaluator)) == (RunState.RUNNING, 2)
    assert not run.calls.open().exists()
    workers.check_runs()
    run.refresh_from_db()
    assert (run.state, n_open(evaluator)) == (RunState.DONE, 0)


def dies(*about):
    raise InterruptedError


@pytest.mark.django_db
def test_an_evaluator_that_was_removed_meanwhile_does_not_keep_its_run_from_ending(evaluator):
    run = get_row(evaluator).run
    Run.objects.filter(pk=run.pk).update(state=RunState.RUNNING, is_planned=True)
    evaluator.delete()
    assert runs.finish(run)


@pytest.mark.django_db(transaction=True)
def test_two_transactions_at_once_that_each_miss_the_others_last_answer(evaluator):
    if connection.vendor == "sqlite":
        pytest.skip("Two transactions never write at once on SQLite.")
    run = get_row(evaluator).run
    setting = run_kind.load_setting(run)
    *earlier, one, other = [(stage, option) for stage, option in map(run_kind.read_key, setting.call_keys())]
    for stage, option in earlier:
        tick(setting, stage, option)
    together = threading.Barrier(2, timeout=PATIENCE)
    threads = [threading.Thread(target=write, args=(setting, *last, together)) for last in (one, other)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert Response.objects.filter(assignment__annotator=evaluator.annotator).count() == 16
    assert n_open(evaluator) == 1
    Run.objects.filter(pk=run.pk).update(state=RunState.RUNNING, is_planned=True)
    assert runs.finish(run)
    assert n_open(evaluator) == 0


def write(setting, stage, option, together) -> None:
    with transaction.atomic():
        tick(setting, stage, option)
        together.wait()
    connection.close()


def tick(setting, stage, option) -> None:
    run_kind.store_answer(setting, stage, setting.place_of_option[option], {option: True}, {})
