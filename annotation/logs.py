"""Links that open a door stay out of the logs, also where a request for one fails."""

import logging
import re

LINK = re.compile(r"(/(?:join|invitation|sign-in)/)[^/\s?\"']+")
LOGGERS = ("django.request", "django.server", "django.security.csrf")


def without_links(value: object) -> object:
    return LINK.sub(r"\1…", value) if isinstance(value, str) else value


class WithoutLinks(logging.Filter):
    """Cuts the token out of what is logged about a request."""

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg = without_links(record.msg)
        if isinstance(record.args, tuple):
            record.args = tuple(without_links(value) for value in record.args)
        return True


def keep_links_out() -> None:
    for name in LOGGERS:
        logging.getLogger(name).addFilter(WithoutLinks())
