"""Whether the parts answer: JSON for supervisors, a page for people. Says no address and no secret."""

import logging

import redis
from django.conf import settings
from django.db import Error
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from redis.backoff import NoBackoff
from redis.retry import Retry

from llm.models import Worker

log = logging.getLogger(__name__)
OK = "ok"


@never_cache
def health(request: HttpRequest) -> HttpResponse:
    """200 while pages can be served; a missing broker or worker only delays work."""
    database = check_database()
    parts = {"web": OK, "database": database, "broker": check_broker(), "worker": check_worker(database)}
    status = 200 if database == OK else 503
    if request.get_preferred_type(["application/json", "text/html"]) == "text/html":
        return render(request, "health.html", {"parts": parts}, status=status)
    return JsonResponse(parts, status=status)


def check_database() -> str:
    try:
        Worker.objects.exists()
    except Error as error:
        log.warning("The database does not answer: %s", error)
        return _("The database does not answer or is not prepared: start it, or run python manage.py migrate.")
    return OK


def check_broker() -> str:
    """Asked once, and waited for a second at most."""
    try:
        with redis.Redis.from_url(
            settings.CELERY_BROKER_URL, socket_timeout=1, socket_connect_timeout=1, retry=Retry(NoBackoff(), 0)
        ) as broker:
            broker.ping()
    except (redis.RedisError, ValueError) as error:
        log.warning("The broker does not answer: %s", type(error).__name__)  # its words may hold the password
        return _("The broker does not answer: start it with ./lesart up, or check REDIS_URL.")
    return OK


def check_worker(database: str) -> str:
    if database != OK:
        return _("Unknown while the database does not answer.")
    if not Worker.objects.alive().exists():
        return _("No worker is listening: start one with ./lesart up or celery -A config worker.")
    return OK
