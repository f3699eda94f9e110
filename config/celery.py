"""The Celery application: JSON messages that carry ids, late acknowledgement, no result backend."""

import os

from celery import Celery
from celery.signals import worker_ready, worker_shutdown

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("lesart")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()

heartbeats: list = []


@worker_ready.connect
def start_heartbeat(sender, **about):
    from llm.heartbeat import Heartbeat  # models can be imported only now

    heartbeat = Heartbeat(sender.hostname)
    heartbeat.start()
    heartbeats.append(heartbeat)


@worker_shutdown.connect
def stop_heartbeat(**about):
    while heartbeats:
        heartbeats.pop().stop()
