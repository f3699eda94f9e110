"""The Celery application: JSON messages that carry ids, late acknowledgement, no result backend."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("lesart")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()
