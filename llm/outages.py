"""A database that is restarted is away for some seconds: whoever has time waits for it."""

import logging
import time

from django.db import InterfaceError, OperationalError, connection

log = logging.getLogger(__name__)

AWAY = (OperationalError, InterfaceError)
PATIENCE = 60.0
EVERY = 0.5


def wait_for_database(error: Exception, patience: float = PATIENCE) -> None:
    """Returns with a new connection; raises the error if there is none after so many seconds."""
    log.warning("The database is away: %s", error)
    until = time.monotonic() + patience
    while True:
        connection.close()
        try:
            connection.ensure_connection()
        except AWAY:
            if time.monotonic() > until:
                raise error from None
            time.sleep(EVERY)
        else:
            return
