"""A Chromium for the browser tests: an installed one, else Debian's package, else Playwright's own."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]
MAC = [f"/Applications/{name}.app/Contents/MacOS/{name}" for name in ("Google Chrome", "Chromium")]


class NoChromium(Exception):
    """There is none and none could be installed; the sentence says what to do."""


def find() -> str | None:
    """An installed browser: LESART_CHROMIUM, else the first of the usual names, else Playwright's."""
    if named := os.environ.get("LESART_CHROMIUM"):
        if not os.access(named, os.X_OK):
            raise NoChromium(f"LESART_CHROMIUM is {named!r}, which is no program. Correct it or leave it out.")
        return named
    return next((path for name in NAMES + MAC if (path := shutil.which(name))), None) or _of_playwright()


def ensure() -> str:
    """The path of a browser, which is installed if there is none."""
    found = find()
    if found is None and os.geteuid() == 0 and _is_debian():
        _run(["apt-get", "update", "-qq"])
        _run(["apt-get", "install", "-y", "-qq", "chromium"])
        found = find()
    if found is None:
        _run([sys.executable, "-m", "playwright", "install", "chromium"])
        found = find()
    if found is None:
        raise NoChromium(
            "No Chromium was found and none could be installed, see above. "
            "Install one, or name it: LESART_CHROMIUM=/path ./lesart test"
        )
    return found


def _is_debian() -> bool:
    """Debian itself: elsewhere the package of that name may be an empty one that leads to a snap."""
    release = Path("/etc/os-release")
    return shutil.which("apt-get") is not None and release.exists() and "ID=debian" in release.read_text().splitlines()


def _of_playwright() -> str | None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if os.path.exists(path) else None


def _run(command: list[str]) -> bool:
    print(f"No Chromium is installed. Trying: {' '.join(command)}", flush=True)
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    return subprocess.call(command, stdin=subprocess.DEVNULL, env=quiet) == 0
