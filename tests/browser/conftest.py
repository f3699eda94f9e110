"""A real Chromium for the tests: `page` on a laptop, `phone`, and `open_page` for anything else."""

import os
from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Page, sync_playwright

from config.lesart.chromium import find

LAPTOP = {"viewport": {"width": 1280, "height": 800}}
PHONE = {
    "viewport": {"width": 390, "height": 844},
    "device_scale_factor": 2,
    "is_mobile": True,
    "has_touch": True,
}
ARGS = [
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-quic",
    "--disable-sync",
    "--no-first-run",
]


@pytest.fixture(scope="session")
def chromium():
    """One browser for all tests. Playwright runs a loop in this thread, which Django takes for an asynchronous caller."""
    path = find()
    if path is None:
        pytest.fail("No Chromium was found. Install one, or name it in LESART_CHROMIUM.")
    before = os.environ.get("DJANGO_ALLOW_ASYNC_UNSAFE")
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"
    is_root = hasattr(os, "geteuid") and os.geteuid() == 0
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=path, args=[*ARGS, *(["--no-sandbox"] if is_root else [])]
        )
        yield browser
        browser.close()
    if before is None:
        del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]
    else:
        os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = before


@pytest.fixture
def open_page(chromium: Browser, live_server) -> Callable[..., Page]:
    """A function that opens an empty page in a browser of its own; paths are relative to the live server.

    A script that fails fails the test.
    """
    contexts, problems = [], []

    def make(**options) -> Page:
        context = chromium.new_context(base_url=live_server.url, **(LAPTOP | options))
        context.set_default_timeout(10_000)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: problems.append(str(error)))
        return page

    yield make
    for context in contexts:
        context.close()
    assert not problems


@pytest.fixture
def page(open_page) -> Page:
    return open_page()


@pytest.fixture
def phone(open_page) -> Page:
    return open_page(**PHONE)
