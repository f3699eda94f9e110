import select
import time

from django.db.backends.postgresql import base
from django.db.backends.utils import CursorWrapper
from psycopg import OperationalError, pq
from psycopg.pq.abc import PGconn

SECONDS_TO_ANSWER = 1.5


class DatabaseWrapper(base.DatabaseWrapper):
    def prepared_cursor(self) -> CursorWrapper:
        """A cursor whose statements the server plans once per connection, as long as their values are similar.

        Other cursors put values into the statement, as Django does, so that the plan fits them.
        """
        self.close_if_health_check_failed()
        self.ensure_connection()
        with self.wrap_database_errors:
            cursor = base.ServerBindingCursor(self.connection)  # type: ignore[call-arg]
            return self._prepare_cursor(cursor)  # type: ignore[attr-defined, no-any-return]

    def is_usable(self) -> bool:
        """Whether a kept connection answers soon. Django's own check waits forever if a server is suspended."""
        if self.connection is None:
            return False
        try:
            return is_answering(self.connection.pgconn, SECONDS_TO_ANSWER)
        except (OperationalError, OSError):
            return False


def is_answering(connection: PGconn, seconds: float) -> bool:
    """Send an empty query and read the whole reply, or give up."""
    deadline = time.monotonic() + seconds
    connection.send_query(b"")
    connection.flush()
    is_right = True
    while True:
        while connection.is_busy():
            if not select.select([connection.socket], [], [], max(0.0, deadline - time.monotonic()))[0]:
                return False
            connection.consume_input()
        result = connection.get_result()
        if result is None:
            return is_right
        is_right &= result.status == pq.ExecStatus.EMPTY_QUERY
