"""What workers do. Messages only carry an id; each task may run twice without harm."""

from celery import shared_task
from celery.signals import worker_ready, worker_shutdown, worker_shutting_down

from llm.services import draining, endpoints
from llm.services.workers import Sweeper

_sweepers: list[Sweeper] = []


@shared_task
def drain(*, run_id: int) -> None:
    """Work on the run for a while, and request the next turn if something is left."""
    if draining.drain(run_id) and not draining.leaving.is_set():
        drain.apply_async(kwargs={"run_id": run_id})


@shared_task
def test_endpoint(*, endpoint_id: int) -> None:
    """Ask the model a first question, and store the result."""
    endpoints.probe_endpoint(endpoint_id)


@worker_ready.connect
def start_sweeper(**about: object) -> None:
    draining.leaving.clear()
    sweeper = Sweeper()
    sweeper.start()
    _sweepers.append(sweeper)


@worker_shutting_down.connect
def stop_draining(**about: object) -> None:
    draining.leaving.set()


@worker_shutdown.connect
def stop_sweeper(**about: object) -> None:
    while _sweepers:
        _sweepers.pop().stop()
