"""`./lesart test`: the suite on SQLite, database and broker tests on PostgreSQL, then the browser; finds a Chromium.

With --quick only the tests of the first part that are not marked `slow`.
"""

import os
import re
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path

from config.cli import resources, usage
from config.cli.postgres import run_postgresql
from config.cli.processes import die_with_parent
from config.cli.valkey import run_valkey

NAMES = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"]
MAC = [f"/Applications/{name}.app/Contents/MacOS/{name}" for name in ("Google Chrome", "Chromium")]


class NoChromium(Exception):
    """No Chromium was found or could be installed; the message says what to do."""


def find_chromium() -> str | None:
    """An installed browser: LESART_CHROMIUM, else the first of the usual names, else Playwright's."""
    if named := os.environ.get("LESART_CHROMIUM"):
        if not os.access(named, os.X_OK):
            raise NoChromium(f"LESART_CHROMIUM is {named!r}, which is no program. Correct it or leave it out.")
        return named
    return next((path for name in NAMES + MAC if (path := shutil.which(name))), None) or _find_playwright()


def ensure_chromium() -> str:
    """The path of a browser, which is installed if there is none."""
    found = find_chromium()
    if found is None and os.geteuid() == 0 and _runs_on_debian():
        _try_command(["apt-get", "update", "-qq"])
        _try_command(["apt-get", "install", "-y", "-qq", "chromium"])
        found = find_chromium()
    if found is None:
        _try_command([sys.executable, "-m", "playwright", "install", "chromium"])
        found = find_chromium()
    if found is None:
        raise NoChromium(
            "No Chromium was found and none could be installed, see above. "
            "Install one, or name it: LESART_CHROMIUM=/path ./lesart test"
        )
    return found


def _runs_on_debian() -> bool:
    """Whether this is Debian itself: in systems based on it, the package `chromium` may only refer to a snap."""
    release = Path("/etc/os-release")
    return shutil.which("apt-get") is not None and release.exists() and "ID=debian" in release.read_text().splitlines()


def _find_playwright() -> str | None:
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        path = playwright.chromium.executable_path
    return path if os.path.exists(path) else None


def _try_command(command: list[str]) -> bool:
    print(f"No Chromium is installed. Trying: {' '.join(command)}", flush=True)
    quiet = {**os.environ, "DEBIAN_FRONTEND": "noninteractive"}
    return subprocess.call(command, stdin=subprocess.DEVNULL, env=quiet) == 0


# Settings of a deployment must not affect the tests; an outside database is only used by the second part.
DEPLOYMENT_VARIABLES = ["DATABASE_URL", "REDIS_URL", "SECRET_KEY", "ALLOWED_HOSTS", "DEBUG", "LESART_DATA"]
NO_TESTS_COLLECTED = 5


class CannotRun(Exception):
    """Something that a part needs is missing; the message says what to do."""


def _use_sqlite() -> AbstractContextManager[dict[str, str]]:
    return _use_private_services()


@contextmanager
def _use_postgresql() -> Iterator[dict[str, str]]:
    given = os.environ.get("DATABASE_URL")
    if given and not given.startswith("postgres"):
        raise CannotRun("DATABASE_URL names no PostgreSQL. Leave it out: the tests then start one of their own.")
    with _use_private_services() as environment:
        if given:
            yield {**environment, "DATABASE_URL": given}
        else:
            with run_postgresql() as url:
                yield {**environment, "DATABASE_URL": url}


@contextmanager
def _use_browser() -> Iterator[dict[str, str]]:
    browser = ensure_chromium()
    with _use_private_services() as environment:
        yield {**environment, "LESART_CHROMIUM": browser}


@contextmanager
def _use_private_services(**variables: str) -> Iterator[dict[str, str]]:
    """A broker and a data folder for the part alone."""
    with run_valkey() as url, tempfile.TemporaryDirectory(prefix="lesart-test-") as folder:
        yield {"REDIS_URL": url, "LESART_DATA": folder, "SECRET_KEY": secrets.token_urlsafe(48), **variables}


# A worker runs whole files, and creates their studies once. Files with slow tests come first (tests/conftest.py). If a
# worker dies, the part ends: another worker would start with the test that killed it.
ON_ALL_CORES = ["-n", "auto", "--dist", "loadfile", "--no-loadscope-reorder", "--max-worker-restart", "0"]


def count_workers() -> int:
    """One more than there are cores: a worker that waits for a process or a browser uses no core."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return cores + 1


ONE_EXTRA_WORKER = ["-n", str(count_workers()), *ON_ALL_CORES[2:]]


@dataclass(frozen=True)
class Part:
    name: str
    option: str | None
    """Its name for --without, or for --with if it is `optional`; None for the part that always runs."""
    arguments: Sequence[str]
    surroundings: Callable[[], AbstractContextManager[dict[str, str]]]
    optional: bool = False
    marks: Sequence[str] = ()
    """If any are given, every test of the part has one of these marks, and only files that name one are collected."""


PARTS = [
    Part("SQLite", None, [*ONE_EXTRA_WORKER, "--nomigrations", "-m", "not browser and not local"], _use_sqlite),
    Part(
        "PostgreSQL", "postgres", [*ON_ALL_CORES, "-m", "(database or broker) and not browser"], _use_postgresql,
        marks=["database", "broker"],
    ),
    Part("browser", "browser", [*ONE_EXTRA_WORKER, "--nomigrations", "-m", "browser"], _use_browser, marks=["browser"]),
    Part("transformers", "local", ["--nomigrations", "-m", "local"], _use_sqlite, optional=True, marks=["local"]),
]  # fmt: skip
QUICK = Part(
    "quick", None, [*ON_ALL_CORES, "--nomigrations", "-m", "not browser and not local and not slow"],
    lambda: _use_private_services(LESART_TEST_QUICK="1"),
)  # fmt: skip


def test(without: Sequence[str], arguments: Sequence[str], extras: Sequence[str], quick: bool) -> int:
    """Run every part that is not left out, and the extras, even after failures; then summarize."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # so that the services are cleaned up
    parts = [QUICK] if quick else [part for part in PARTS if not part.optional or part.option in extras]
    outcomes = {part.name: "left out" if part.option in without else _run_part(part, arguments) for part in parts}
    print("\n" + "\n".join(f"{name}: {outcome}" for name, outcome in outcomes.items()), flush=True)
    if quick:
        print("Not everything was tested. Run ./lesart test before you send a change.", flush=True)
    if left_out := [name for name, outcome in outcomes.items() if outcome == "left out"]:
        print(f"Not everything was tested. Left out: {', '.join(left_out)}.", flush=True)
    return usage.STOPPED if set(outcomes.values()) <= {"passed", "left out"} else usage.FAILED


def find_files_with(marks: Sequence[str]) -> list[str]:
    """The test files that name one of these marks: importing all others takes longer than many tests do."""
    named = re.compile(rf"\bmark\.({'|'.join(marks)})\b")
    files = sorted((resources.ROOT / "tests").rglob("test_*.py"))
    return [str(path.relative_to(resources.ROOT)) for path in files if named.search(path.read_text("utf-8"))]


def _select_files(part: Part, arguments: Sequence[str]) -> list[str]:
    """The files of a part, unless the arguments name some."""
    is_named = any((resources.ROOT / argument.partition("::")[0]).exists() for argument in arguments)
    return find_files_with(part.marks) if part.marks and not is_named else []


def _run_part(part: Part, arguments: Sequence[str]) -> str:
    print(f"\n=== {part.name} ===", flush=True)
    try:
        with part.surroundings() as environment:
            code = _run_pytest([*part.arguments, *arguments, *_select_files(part, arguments)], environment)
    except (CannotRun, NoChromium, RuntimeError, TimeoutError) as error:
        print(error, flush=True)
        return "failed, it could not run"
    if code == NO_TESTS_COLLECTED:
        return "failed, it has no test"
    return "passed" if code == 0 else "failed"


def _run_pytest(arguments: Sequence[str], environment: dict[str, str]) -> int:
    """pytest shares our process group: Ctrl-C reaches it, and we wait until it has cleaned up."""
    kept = {name: value for name, value in os.environ.items() if name not in DEPLOYMENT_VARIABLES}
    command = [sys.executable, "-m", "pytest", *arguments]
    process = subprocess.Popen(
        command, cwd=resources.ROOT, env={**kept, **environment}, stdin=subprocess.DEVNULL,
        preexec_fn=die_with_parent(signal.SIGTERM),
    )  # fmt: skip
    try:
        return process.wait()
    except SystemExit:
        process.terminate()
        raise
    finally:
        process.wait()
