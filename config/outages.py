"""Errors about the state of the database or the disk rather than the code: recognizing them, and their messages."""

import errno
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.db import DatabaseError, InterfaceError, OperationalError
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

ROOM = 100_000  # bytes; SQLite's two extra files of a database take some 70 kB
NO_SPACE = {errno.ENOSPC, errno.EDQUOT}


@dataclass(frozen=True)
class Outage:
    """One kind of outage: how databases report it, the sentence for pages, and those for logs and commands."""

    name: str
    page: str | Promise
    summary: str
    remedy: str
    states: tuple[str, ...] = ()
    """Beginnings of PostgreSQL's SQLSTATE."""
    signs: tuple[str, ...] = ()
    """Parts of the message, in the words of SQLite and the connection library."""

    def describe(self, error: BaseException) -> str:
        """One line for logs and commands; a connection's error contains host and user, never the password."""
        reason = str(error).strip().partition("\n")[0]
        return f"{self.summary}: {reason.rstrip('.')}. {self.remedy}"


FULL = Outage(
    "full", _("The disk of this server is full."), "The disk is full",
    "Make room on the disk of the database and of LESART_DATA.", ("53100",), ("is full", "No space left"),
)  # fmt: skip
READ_ONLY = Outage(
    "read-only", _("The database of this server is currently read-only."), "The database cannot be written",
    "Give this user the right to write the database and its folder, LESART_DATA.",
    ("25006",), ("readonly", "read-only"),
)  # fmt: skip
BUSY = Outage(
    "busy", _("The database of this server is busy."), "The database is held by others for too long",
    "Wait until that is done, and try again.",
    ("55P03", "57014", "40P01", "53300"), ("is locked", "statement timeout", "lock timeout"),
)  # fmt: skip
AWAY = Outage(
    "away", _("The database of this server does not respond."), "The database does not answer",
    "See that it runs and that DATABASE_URL or LESART_DATA name it (docs/settings.md).",
    ("08", "57P", "28", "3D000"), ("unable to open", "disk I/O error"),
)  # fmt: skip
OUTAGES = (FULL, READ_ONLY, BUSY, AWAY)


def find_outage(error: BaseException | None) -> Outage | None:
    """The outage behind an error, or behind its cause; None for every other error."""
    for each in walk_causes(error):
        if isinstance(each, OSError) and each.errno in NO_SPACE:
            return FULL
        if isinstance(each, DatabaseError | InterfaceError):
            return classify_error(each)
    return None


def walk_causes(error: BaseException | None) -> Iterator[BaseException]:
    while error is not None:
        yield error
        error = error.__cause__ or (None if error.__suppress_context__ else error.__context__)


def classify_error(error: Exception) -> Outage | None:
    """By PostgreSQL's state code, else by the message; a failed connection has no code."""
    if state := getattr(error.__cause__, "sqlstate", None):
        return next((kind for kind in OUTAGES if state.startswith(kind.states)), None)
    is_of_sqlite = type(error.__cause__).__module__ == "sqlite3"
    if found := next((kind for kind in OUTAGES if any(sign in str(error) for sign in kind.signs)), None):
        # SQLite cannot create the files that even reading needs, and gives no other reason.
        return FULL if found is AWAY and is_of_sqlite and has_no_room() else found
    # SQLite uses the same name for errors in a query.
    return AWAY if isinstance(error, OperationalError | InterfaceError) and not is_of_sqlite else None


def has_no_room() -> bool:
    """Whether the disk with the database file is full."""
    try:
        return shutil.disk_usage(Path(settings.DATABASES["default"]["NAME"]).parent).free < ROOM
    except OSError:
        return False
