"""`./lesart test`: the whole suite on SQLite, what touches database or broker again on PostgreSQL, then the browser."""

import os
import secrets
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass

from config.lesart import chromium, data, exits
from config.lesart.postgres import postgresql
from config.lesart.processes import die_with_parent
from config.lesart.valkey import valkey

# What a deployment sets must not reach the tests; an outside database is for the second part alone.
OF_DEPLOYMENTS = ["DATABASE_URL", "REDIS_URL", "SECRET_KEY", "ALLOWED_HOSTS", "DEBUG", "LESART_DATA"]
NO_TESTS_COLLECTED = 5


class CannotRun(Exception):
    """What a part needs is not there; the sentence says what to do."""


def _sqlite() -> AbstractContextManager[dict[str, str]]:
    return _private_services()


@contextmanager
def _on_postgresql() -> Iterator[dict[str, str]]:
    given = os.environ.get("DATABASE_URL")
    if given and not given.startswith("postgres"):
        raise CannotRun("DATABASE_URL names no PostgreSQL. Leave it out: the tests then start one of their own.")
    with _private_services() as environment:
        if given:
            yield {**environment, "DATABASE_URL": given}
        else:
            with postgresql() as url:
                yield {**environment, "DATABASE_URL": url}


@contextmanager
def _in_browser() -> Iterator[dict[str, str]]:
    browser = chromium.ensure()
    with _private_services() as environment:
        yield {**environment, "LESART_CHROMIUM": browser}


@contextmanager
def _private_services() -> Iterator[dict[str, str]]:
    """A broker and a data folder of the part's own."""
    with valkey() as url, tempfile.TemporaryDirectory(prefix="lesart-test-") as folder:
        yield {"REDIS_URL": url, "LESART_DATA": folder, "SECRET_KEY": secrets.token_urlsafe(48)}


@dataclass(frozen=True)
class Part:
    name: str
    is_called: str | None
    """Its word for --without, or for --with if it is `optional`; None for the part that always runs."""
    arguments: Sequence[str]
    surroundings: Callable[[], AbstractContextManager[dict[str, str]]]
    optional: bool = False


PARTS = [
    Part("SQLite", None, ["-n", "auto", "-m", "not browser and not local"], _sqlite),
    Part("PostgreSQL", "postgres", ["-n", "auto", "-m", "(database or broker) and not browser"], _on_postgresql),
    Part("browser", "browser", ["-m", "browser"], _in_browser),
    Part("transformers", "local", ["-m", "local"], _sqlite, optional=True),
]


def test(without: Sequence[str], arguments: Sequence[str], extras: Sequence[str]) -> int:
    """Runs every part that is not left out, and those of the extras, whatever became of the one before; sums up."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))  # so that the services are cleaned up
    parts = [part for part in PARTS if not part.optional or part.is_called in extras]
    outcomes = {part.name: "left out" if part.is_called in without else _run(part, arguments) for part in parts}
    print("\n" + "\n".join(f"{name}: {outcome}" for name, outcome in outcomes.items()), flush=True)
    if left_out := [name for name, outcome in outcomes.items() if outcome == "left out"]:
        print(f"Not everything was tested. Left out: {', '.join(left_out)}.", flush=True)
    return exits.STOPPED if set(outcomes.values()) <= {"passed", "left out"} else exits.FAILED


def _run(part: Part, arguments: Sequence[str]) -> str:
    print(f"\n=== {part.name} ===", flush=True)
    try:
        with part.surroundings() as environment:
            code = _pytest([*part.arguments, *arguments], environment)
    except (CannotRun, chromium.NoChromium, RuntimeError, TimeoutError) as error:
        print(error, flush=True)
        return "failed, it could not run"
    if code == NO_TESTS_COLLECTED:
        return "failed, it has no test"
    return "passed" if code == 0 else "failed"


def _pytest(arguments: Sequence[str], environment: dict[str, str]) -> int:
    """It shares our process group: Ctrl-C reaches it, and we wait until it has cleaned up."""
    kept = {name: value for name, value in os.environ.items() if name not in OF_DEPLOYMENTS}
    command = [sys.executable, "-m", "pytest", *arguments]
    process = subprocess.Popen(
        command, cwd=data.ROOT, env={**kept, **environment}, stdin=subprocess.DEVNULL,
        preexec_fn=die_with_parent(signal.SIGTERM),
    )  # fmt: skip
    try:
        return process.wait()
    except SystemExit:
        process.terminate()
        raise
    finally:
        process.wait()
