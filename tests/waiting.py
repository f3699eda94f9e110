"""Waiting for what a page comes to, instead of looking at once: a busy machine is no failure."""

import time
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import Page

PATIENCE_MS = 120_000  # only bounds what never comes


def moments(page: Page, describe: Callable[[], str] = lambda: "It never came.") -> Iterator[None]:
    """Moments in which to look or try once more; after all patience the test fails, however long each try took."""
    end = time.monotonic() + PATIENCE_MS / 1000
    while time.monotonic() < end:
        yield
        page.wait_for_timeout(50)
    pytest.fail(describe())


def wait_until_equal(page: Page, read: Callable[[Page], Any], expected: Any) -> None:
    """Read again and again until it is so."""
    found = None
    for _moment in moments(page, lambda: f"{found!r} is not {expected!r}."):
        if (found := read(page)) == expected:
            return


def wait_until_it_fits(page: Page) -> None:
    """Until the page is loaded and nothing runs out of it sideways."""
    page.wait_for_load_state("load")
    page.wait_for_function("() => document.body && document.documentElement.scrollWidth <= innerWidth")
