"""What is done to the database in a test and is not to be seen by the rest of it."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import transaction


@contextmanager
def undone() -> Iterator[None]:
    """All that is written inside is undone: so pages can be asked one after the other of a world made once."""
    with transaction.atomic():
        yield
        transaction.set_rollback(True)
