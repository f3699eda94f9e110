"""Pages of the server itself: its health, without addresses or secrets, and the page of an unhandled error."""

import logging
import sys

from django.conf import settings
from django.db import Error
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.template.loader import render_to_string
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from config.cli import valkey
from config.logs import current_request_id
from config.outages import find_outage
from jobs.models import Worker
from jobs.workers import has_live_workers

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
        log.warning("The database cannot be asked: %s", error)
        return _("The database does not respond or is not set up: start it, or run python manage.py migrate.")
    return OK


def check_broker() -> str:
    """Asked once, and waited for a second at most."""
    if reason := valkey.find_broker_error(settings.CELERY_BROKER_URL):
        log.warning("The broker does not answer: %s", reason)
        return _("The broker does not respond: start it with ./lesart up, or check REDIS_URL.")
    return OK


def check_worker(database: str) -> str:
    if database != OK:
        return _("Unknown while the database does not respond.")
    if not has_live_workers():
        return _("No worker is running: start one with ./lesart up or celery -A config worker.")
    return OK


SECONDS_TO_RETRY = "30"


def handle_error(request: HttpRequest) -> HttpResponse:
    """Asks nothing of the database, which may be what is missing; Django calls it while it handles the error."""
    outage = find_outage(sys.exception())
    status, template = (503, "503.html") if outage else (500, "500.html")
    context = {"outage": outage, "request_id": current_request_id()}
    response = HttpResponse(render_to_string(template, context), status=status)
    if outage:
        response["Retry-After"] = SECONDS_TO_RETRY
    return response
