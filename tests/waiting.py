"""Waiting for what a page comes to, instead of looking at once: a busy machine is no failure."""

import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import pytest
from playwright.sync_api import Page, TimeoutError

from tests.patience import PATIENCE


def moments(page: Page, describe: Callable[[], str] = lambda: "It never came.") -> Iterator[None]:
    """Moments in which to look or try once more; after all patience the test fails, however long each try took."""
    end = time.monotonic() + PATIENCE
    while time.monotonic() < end:
        yield
        page.wait_for_timeout(50)
    pytest.fail(describe())


def act_until(page: Page, act: Callable[[], object], is_done: Callable[[], object]) -> None:
    """Act again until it has its effect: a key or tap that comes too soon after a page has loaded is not taken."""
    for _moment in moments(page):
        with suppress(TimeoutError):  # the page has gone on, or something lies over the control for a moment
            act()
        page.wait_for_timeout(100)
        if is_done():
            return


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
