"""A thread that does something again and again beside the work: heartbeats, and looking after what died."""

import logging
import threading
from typing import Self

from django.db import Error, close_old_connections, connection

log = logging.getLogger(__name__)


class Repeating(threading.Thread):
    """Calls `act` at once and then at intervals, on a database connection of its own, until it is stopped.

    What goes wrong is logged, and tried again the next time.
    """

    def __init__(self, name: str, every: float):
        super().__init__(name=name, daemon=True)
        self.every, self.is_over = every, threading.Event()

    def act(self) -> None:
        raise NotImplementedError

    def run(self) -> None:
        while True:
            close_old_connections()
            try:
                self.act()
            except Error as error:
                log.warning("The %s was kept from its work: %s", self.name, error)
            except Exception:
                log.exception("The %s met an error.", self.name)  # the next time may go well; a dead timer never
            if self.is_over.wait(self.every):
                break
        connection.close()

    def stop(self) -> None:
        self.is_over.set()
        self.join(timeout=5)

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self.stop()
