"""Log lines of web and worker: text or JSON, with time and request id, and one line for the many errors of an
outage."""

import logging
import re
import threading
import time
from contextvars import ContextVar
from datetime import UTC, datetime
from typing import Any

from pythonjsonlogger.json import JsonFormatter

from config.outages import Outage, find_outage

NO_REQUEST = "-"
PATTERN = re.compile(r"[A-Za-z0-9_.-]{1,64}")
SECONDS_BETWEEN_OUTAGE_LINES = 60.0
FIELDS = ("asctime", "levelname", "name", "request_id", "message")
JSON_NAMES = {"asctime": "time", "levelname": "level", "name": "logger"}

request_id: ContextVar[str] = ContextVar("request_id", default=NO_REQUEST)


def get_request_id() -> str:
    """The id of the request that this thread handles, or that caused a worker's task; `-` without one."""
    return request_id.get()


def set_request_id(value: str | None) -> None:
    """Use an id from outside if it is a plain word, so that nothing else can get into a log."""
    request_id.set(value if value and PATTERN.fullmatch(value) else NO_REQUEST)


class AddRequestId(logging.Filter):
    def filter(self, record: logging.LogRecord) -> bool:
        record.request_id = get_request_id()
        return True


class SummarizeOutages(logging.Filter):
    """One line per minute for each kind of outage, without traceback, instead of a traceback per request and task."""

    def __init__(self, name: str = "", seconds: float = SECONDS_BETWEEN_OUTAGE_LINES):
        super().__init__(name)
        self._seconds = seconds
        self._lock = threading.Lock()
        self._lines: dict[str, tuple[float, int]] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        error = find_logged_error(record)
        outage = find_outage(error)
        if error is None or outage is None:
            return getattr(record, "status_code", None) != 503  # a view that returns it has logged the reason
        n_hidden = self._count(outage)
        if n_hidden is None:
            return False
        more = f" ({n_hidden:,} more errors of this kind since the last line)" if n_hidden else ""
        record.msg, record.args = outage.describe(error) + more, ()
        record.exc_info = record.exc_text = None
        return True

    def _count(self, outage: Outage) -> int | None:
        """The number of errors not logged since the last line; None: do not log this one either."""
        with self._lock:
            now = time.monotonic()
            last, n_hidden = self._lines.get(outage.name, (-self._seconds, 0))
            is_due = now - last >= self._seconds
            self._lines[outage.name] = (now, 0) if is_due else (last, n_hidden + 1)
        return n_hidden if is_due else None


def find_logged_error(record: logging.LogRecord) -> BaseException | None:
    """The error of the traceback, else one among the arguments of the message."""
    if record.exc_info and record.exc_info[1]:
        return record.exc_info[1]
    words = record.args if isinstance(record.args, tuple) else ()
    return next((word for word in words if isinstance(word, BaseException)), None)


class TextFormatter(logging.Formatter):
    """`2026-01-31T09:30:00.123Z WARNING logger [request id] message`."""

    def __init__(self) -> None:
        super().__init__("{asctime} {levelname} {name} [{request_id}] {message}", style="{")

    def formatTime(self, record: logging.LogRecord, datefmt: str | None = None) -> str:
        return format_utc(record)


class JsonLineFormatter(JsonFormatter):
    """One JSON object per line. Attributes added by libraries are left out: one may be a request."""

    def __init__(self) -> None:
        super().__init__(FIELDS, rename_fields=JSON_NAMES)

    def formatTime(self, record: logging.LogRecord, datefmt: str | None = None) -> str:
        return format_utc(record)

    def process_log_record(self, log_data: dict[str, Any]) -> dict[str, Any]:
        passed_on = {*FIELDS, *JSON_NAMES.values(), "exc_info", "stack_info"}
        return {name: value for name, value in log_data.items() if name in passed_on}


def format_utc(record: logging.LogRecord) -> str:
    return datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


LINK = re.compile(r"(/(?:join|invitation|sign-in)/)[^/\s?\"']+")
LOGGERS = ("django.request", "django.server", "django.security.csrf")


def redact_links(value: object) -> object:
    return LINK.sub(r"\1…", value) if isinstance(value, str) else value


class LinkRedactor(logging.Filter):
    """Removes the token from log messages about a request."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg = redact_links(record.msg)
        if isinstance(record.args, tuple):
            record.args = tuple(redact_links(value) for value in record.args)
        return True


def install_link_redactor() -> None:
    for name in LOGGERS:
        logging.getLogger(name).addFilter(LinkRedactor())
