"""A timer in each worker; among many workers one sweep takes place every half minute."""

import logging
import threading

from django.db import Error, close_old_connections, connection

from llm.services.sweeping import EVERY, sweep

log = logging.getLogger(__name__)


class Sweeper(threading.Thread):
    """Sweeps at once and then at intervals, until it is stopped. A database that is away is tried again."""

    def __init__(self, every: float = EVERY.total_seconds()):
        super().__init__(name="sweeper", daemon=True)
        self.every = every
        self.is_over = threading.Event()

    def run(self) -> None:
        while True:
            close_old_connections()
            try:
                sweep()
            except Error as error:
                log.warning("The runs could not be looked after: %s", error)
            except Exception:
                log.exception("Looking after the runs met an error.")  # the next time may go well; a dead timer never
            if self.is_over.wait(self.every):
                break
        connection.close()

    def stop(self) -> None:
        self.is_over.set()
        self.join(timeout=5)
