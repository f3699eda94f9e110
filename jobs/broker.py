"""Messages to workers. Celery is imported with the first of them: most commands send none, and it costs them a quarter
of a second."""

import logging

from django.conf import settings
from django.utils.module_loading import import_string

log = logging.getLogger(__name__)


def send_task(name: str, **about: int) -> bool:
    """Ask the workers for the task of this name, without waiting; False if the broker is away."""
    from kombu.exceptions import OperationalError

    try:
        import_string(settings.MESSAGE_APPLICATION).send_task(name, kwargs=about, retry=False)
    except (OperationalError, OSError) as error:
        log.warning("No message could be sent for %s %s: %s", name, about, type(error).__name__)
        return False
    return True
