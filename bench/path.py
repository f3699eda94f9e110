"""What one request of an annotator runs through: queries, functions of Lesart with their lines, CPU, and a profile.

    python bench/path.py [--postgres] [--only rating] [--units 60] [--cycles 100] [--statements] [--names] [--profile N]

The cycles of bench/annotators.py without a server: the pages are asked for in this process, so that CPU is that of
Lesart and Django alone. Functions are named functions outside the tests, counted during one hand-in in the middle.
"""

import argparse
import cProfile
import dis
import json
import pstats
import sys
import tempfile
import time
from contextlib import nullcontext
from pathlib import Path

from annotators import PROTOCOLS, Annotator, annotators, make_studies
from long_writes import postgres
from walk import ROOT, prepare

KINDS = {"draft/": "draft", "confirm/": "confirm"}


def main() -> int:
    options = arguments()
    with postgres() if options.postgres else nullcontext(), tempfile.TemporaryDirectory() as folder:
        prepare(folder)
        options.only = options.only or list(PROTOCOLS)
        make_studies(Path(folder), options)
        for name in options.only:
            print(json.dumps({name: measure(name, options)}, indent=1))
    return 0


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--people", type=int, default=1)
    parser.add_argument("--units", type=int, default=150)
    parser.add_argument("--cycles", type=int, default=40)
    parser.add_argument("--only", nargs="*", choices=list(PROTOCOLS))
    parser.add_argument("--postgres", action="store_true")
    parser.add_argument("--statements", action="store_true", help="print what is sent to the database")
    parser.add_argument("--names", action="store_true", help="print the functions in the order of their calls")
    parser.add_argument("--profile", type=int, default=0, help="print the N dearest functions")
    return parser.parse_args()


class Visitor(Annotator):
    """The annotator of bench/annotators.py, who asks in this process."""

    def connect(self, base: str = "") -> None:
        from django.test import Client

        self.cpu, self.watch = {}, None
        self.client = Client(HTTP_COOKIE=self.headers["Cookie"], HTTP_X_LESART_PART="1", HTTP_HOST="127.0.0.1")

    def ask(self, path: str, data: list[tuple[str, str]] | None = None) -> str:
        from urllib.parse import urlencode

        kind = KINDS.get(path.removeprefix(self.work), "hand-in" if data else "page")
        with self.watch(kind) if self.watch else nullcontext():
            start = time.process_time()
            response = (
                self.client.post(path, urlencode(data), content_type="application/x-www-form-urlencoded")
                if data
                else self.client.get(path)
            )
            self.cpu.setdefault(kind, []).append(time.process_time() - start)
        if response.status_code != 200:
            self.bad.append(response.status_code)
        return response.text


def measure(name: str, options: argparse.Namespace) -> dict:
    from django.db import connection

    visitor = Visitor(name, *annotators(name)[0], each_change=False)
    visitor.connect()
    visitor.begin()
    for _cycle in range(6):
        visitor.cycle()
    found = {"walked": {}, "statements": {}}
    visitor.watch = lambda kind: Watch(kind, found, connection)
    visitor.cycle()
    visitor.watch, visitor.cpu = None, {}
    run(visitor, options.cycles)
    found["cpu_ms"] = {kind: round(sum(each) / len(each) * 1000, 2) for kind, each in visitor.cpu.items()}
    if options.profile:
        profile = cProfile.Profile(time.process_time)
        profile.enable()
        run(visitor, options.cycles)
        profile.disable()
        for order in ("tottime", "cumtime"):
            pstats.Stats(profile, stream=sys.stderr).sort_stats(order).print_stats(options.profile)
    found["bad"] = visitor.bad
    if not options.names:
        del found["names"]
    if not options.statements:
        found["statements"] = {kind: len(said) for kind, said in found["statements"].items()}
    return found


def run(visitor: Visitor, cycles: int) -> None:
    for _cycle in range(cycles):
        visitor.cycle()


class Watch:
    """Counts the statements, and the functions of Lesart with their lines, of one request."""

    def __init__(self, kind: str, found: dict, connection):
        self.kind, self.found, self.connection = kind, found, connection
        self.codes, self.statements = {}, []

    def __enter__(self) -> None:
        self.wrapper = self.connection.execute_wrapper(self.note)
        self.wrapper.__enter__()
        sys.setprofile(lambda frame, event, _given: event == "call" and self.codes.setdefault(frame.f_code))

    def note(self, execute, sql, *rest):
        self.statements.append(sql)
        return execute(sql, *rest)

    def __exit__(self, *error) -> None:
        sys.setprofile(None)
        self.wrapper.__exit__(*error)
        outside = (str(ROOT / ".venv"), str(ROOT / "bench"), str(ROOT / "tests"))
        own = [
            code
            for code in self.codes
            if code.co_filename.startswith(str(ROOT)) and not code.co_filename.startswith(outside)
            if not code.co_name.startswith("<")
        ]
        n_lines = sum(1 + last_line(code) - code.co_firstlineno for code in own)
        files = {code.co_filename for code in own}
        self.found["walked"][self.kind] = {"files": len(files), "functions": len(own), "lines": n_lines}
        self.found.setdefault("names", {})[self.kind] = [
            f"{Path(code.co_filename).relative_to(ROOT)}:{code.co_qualname}" for code in own
        ]
        self.found["statements"][self.kind] = self.statements


def last_line(code) -> int:
    inner = [last_line(const) for const in code.co_consts if hasattr(const, "co_code")]
    return max([code.co_firstlineno, *(line for _start, line in dis.findlinestarts(code) if line), *inner])


if __name__ == "__main__":
    sys.exit(main())
