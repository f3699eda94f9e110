"""The steps of computing results; `jobs.progress` carries them."""

from collections.abc import Callable, Iterator
from typing import Any

from jobs.progress import report_progress

ANSWERS, TABLES = "answers", "tables"  # what is counted


def with_progress(given: Any, *makers: Callable[[Any], Any]) -> Iterator[Any]:
    """What each maker makes of what is given, one table after another."""
    for number, make in enumerate(makers, 1):
        report_progress(TABLES, number, len(makers))
        yield make(given)
