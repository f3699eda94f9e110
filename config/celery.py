"""The Celery application: JSON messages that carry ids, late acknowledgment, no result backend."""

import os

from celery import Celery
from celery.signals import before_task_publish, setup_logging, task_prerun, worker_ready, worker_shutdown

from config.logs import get_request_id, set_request_id

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("lesart")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()

heartbeats: list = []


@setup_logging.connect
def keep_logging(**about):
    """Use Django's LOGGING for workers, too: with a handler connected here, Celery sets up no logging of its own."""


@before_task_publish.connect
def send_request_id(headers, **about):
    """Add the id of the request that caused the work to the message, for the worker's log lines."""
    headers["request_id"] = get_request_id()


@task_prerun.connect
def take_request_id(task, **about):
    set_request_id(getattr(task.request, "request_id", None) or task.request.id)


@worker_ready.connect
def start_heartbeat(sender, **about):
    from jobs.workers import WorkerHeartbeat  # models cannot be imported earlier

    heartbeat = WorkerHeartbeat(sender.hostname)
    heartbeat.start()
    heartbeats.append(heartbeat)


@worker_shutdown.connect
def stop_heartbeat(**about):
    while heartbeats:
        heartbeats.pop().stop()
