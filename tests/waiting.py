"""Waiting for what a page comes to, instead of looking at once: a busy machine is no failure."""

from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page

PATIENCE_MS = 120_000  # only bounds what never comes


def wait_until_equal(page: Page, read: Callable[[Page], Any], expected: Any) -> None:
    """Read again and again until it is so; the last reading is compared for the message."""
    for _try in range(PATIENCE_MS // 50):
        if read(page) == expected:
            return
        page.wait_for_timeout(50)
    assert read(page) == expected


def wait_until_it_fits(page: Page) -> None:
    """Until the page is loaded and nothing runs out of it sideways."""
    page.wait_for_load_state("load")
    page.wait_for_function("() => document.body && document.documentElement.scrollWidth <= innerWidth")
