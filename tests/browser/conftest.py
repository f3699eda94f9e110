"""A real Chromium for the tests: `page` on a laptop, `phone`, and `open_page` for anything else."""

import os
from collections.abc import Callable

import pytest
from django.conf import settings
from django.test import override_settings
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from config import static_build, static_files
from config.cli.test import find_chromium
from tests.patience import PATIENCE
from tests.waiting import moments

expect.set_options(timeout=1000 * PATIENCE)

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


@pytest.fixture(autouse=True, scope="session")
def bundles(sources_of_static_files, tmp_path_factory):
    """As in the product: a browser that asks for each part of a script by itself, anew in each test, takes longer."""
    folder = tmp_path_factory.mktemp("bundles")
    for name in static_files.BUNDLES:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(static_files.bundle(static_build.SOURCES / name), "utf-8")
    with override_settings(STATICFILES_DIRS=[folder, *settings.STATICFILES_DIRS]):
        yield


@pytest.fixture(scope="session")
def chromium():
    """One browser for all tests. Playwright's loop in this thread makes Django take us for an asynchronous caller."""
    path = find_chromium()
    if path is None:
        pytest.fail("No Chromium was found. Install one, or name it in LESART_CHROMIUM.")
    before = os.environ.get("DJANGO_ALLOW_ASYNC_UNSAFE")
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"
    is_root = hasattr(os, "geteuid") and os.geteuid() == 0
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=[*ARGS, *(["--no-sandbox"] if is_root else [])])
        yield browser
        browser.close()
    if before is None:
        del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]
    else:
        os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = before


@pytest.fixture
def open_page(chromium: Browser, live_server) -> Callable[..., Page]:
    """A function that opens an empty page in a browser of its own; paths are relative to the live server.

    A script that fails fails the test. At the end what is on the wire is waited for: an answer that is still being
    made would meet the emptied tables of the next test.
    """
    contexts, problems, on_the_wire = [], [], set()

    def make(**options) -> Page:
        context = chromium.new_context(base_url=live_server.url, **(LAPTOP | options))
        context.set_default_timeout(1000 * PATIENCE)
        contexts.append(context)
        context.on("request", lambda request: on_the_wire.add(request))
        context.on("requestfinished", lambda request: on_the_wire.discard(request))
        context.on("requestfailed", lambda request: on_the_wire.discard(request))
        page = context.new_page()
        page.on("pageerror", lambda error: problems.append(str(error)))
        return page

    yield make
    for context in contexts:
        settle(context, on_the_wire)
        context.close()
    assert not problems


def settle(context: BrowserContext, on_the_wire: set) -> None:
    page = context.pages[0]
    page.wait_for_timeout(40)
    for _moment in moments(page, lambda: f"Never answered: {[request.url for request in on_the_wire]}"):
        if not on_the_wire:
            return


@pytest.fixture
def page(open_page) -> Page:
    return open_page()


@pytest.fixture
def phone(open_page) -> Page:
    return open_page(**PHONE)
