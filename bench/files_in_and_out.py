"""CPU time and memory of the import of items and the export of answers, by their commands.

    python -m bench.files_in_and_out [--items 10000] [--rows 100000] [--times 3] [--postgres]

Measured are the user and system time and the greatest memory of the command's own process, beyond those of the same
command with next to nothing to do; a PostgreSQL server's own CPU is apart, SQLite works inside the process. Of each the
median is shown. Exits 1 above the bounds: 3 s for 10,000 items of four options, 2 s and 50 MB for 100,000 rows.
"""

from __future__ import annotations

import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from typing import NamedTuple

from bench import reports

ROOT = Path(__file__).resolve().parent.parent
ITEMS_PER_TEXT = OPTIONS = 4
ITEM_SECONDS, ROW_SECONDS, ROW_MEGABYTES = 3.0, 2.0, 50.0


class Cost(NamedTuple):
    """Of a process: seconds of CPU and the greatest memory in MB."""

    seconds: float
    megabytes: float


def measure(*arguments: str) -> Cost:
    """Run a command of manage.py; what it took."""
    command = [sys.executable, "manage.py", *arguments]
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(command, cwd=ROOT, stdout=output, stderr=subprocess.STDOUT)
        _pid, status, used = os.wait4(process.pid, 0)
        if status:
            output.seek(0)
            raise SystemExit(output.read().decode())
    return Cost(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def subtract(costs: list[Cost], idle: list[Cost]) -> Cost:
    """The medians beyond those of a command that has nothing to do."""

    def find_median(measured: list[Cost], name: str) -> float:
        return statistics.median(getattr(cost, name) for cost in measured)

    return Cost(*(find_median(costs, name) - find_median(idle, name) for name in Cost._fields))


def write_bank(file: Path, n_items: int) -> None:
    rng = Random(1)
    words = [f"word{number}" for number in range(500)]
    with file.open("w") as out:
        for text in range(-(-n_items // ITEMS_PER_TEXT)):
            items = [
                {
                    "id": f"i{text}-{place}",
                    "generator": f"writer {place}",
                    "question": f"What does {' '.join(rng.choices(words, k=8))} mean?",
                    "answers": [
                        {"text": " ".join(rng.choices(words, k=6)), "correct": option == place}
                        for option in range(OPTIONS)
                    ],
                }
                for place in range(min(ITEMS_PER_TEXT, n_items - text * ITEMS_PER_TEXT))
            ]
            line = {"id": f"t{text}", "text": " ".join(rng.choices(words, k=150)), "language": "en", "items": items}
            out.write(json.dumps(line) + "\n")


def import_banks(folder: Path, n_items: int, times: int) -> Cost:
    """Each time into a project of its own; beside it the import of a single item."""
    costs: dict[str, list[Cost]] = {"many": [], "one": []}
    for name, n in (("many", n_items), ("one", 1)):
        write_bank(folder / f"{name}.jsonl", n)
        for number in range(times):
            measure("create_project", f"{name}{number}")
            costs[name].append(measure("import_items", str(folder / f"{name}.jsonl"), "--project", f"{name}{number}"))
    return subtract(costs["many"], costs["one"])


def make_study(folder: Path, slug: str, texts: int) -> None:
    """An imported study of seven ratings of 15 items a text by five people: 525 rows a text."""
    reports.TEXTS["ratings"], reports.ANNOTATORS["ratings"] = texts, 5
    reports.write_bank("ratings", folder / "bank.jsonl")
    reports.write_ratings(folder / "ratings.csv")
    (folder / "study.yaml").write_text(reports.SPECS["ratings"].replace("slug: ratings", f"slug: {slug}"))
    measure("create_project", slug)
    measure("import_items", str(folder / "bank.jsonl"), "--project", slug)
    measure("create_study", str(folder / "study.yaml"), "--project", slug)
    measure("import_responses", str(folder / "ratings.csv"), "--study", slug)


def export_answers(folder: Path, n_rows: int, times: int) -> Cost:
    """Beside it the export of a study with a single text."""
    costs: dict[str, list[Cost]] = {}
    for slug, texts in (("large", -(-n_rows // 525)), ("small", 1)):
        make_study(folder, slug, texts)
        command = ("export_responses", slug, "--format", "csv", "--out", str(folder / f"{slug}.csv"))
        costs[slug] = [measure(*command) for _time in range(times)]
    return subtract(costs["large"], costs["small"])


@contextmanager
def database(folder: Path, with_postgresql: bool) -> Iterator[None]:
    """A data folder of its own, with SQLite or a PostgreSQL server in it; all in the environment of the commands."""
    os.environ |= {"LESART_DATA": str(folder), "SECRET_KEY": "bench"}
    if not with_postgresql:
        yield
        return
    from config.cli.postgres import run_postgresql

    with run_postgresql() as url:
        os.environ["DATABASE_URL"] = url
        yield


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--items", type=int, default=10_000)
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--postgres", action="store_true")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as name, database(Path(name), asked.postgres):
        measure("migrate", "-v0")
        came_in = import_banks(Path(name), asked.items, asked.times)
        print(f"{asked.items:,} items in: {came_in.seconds:.2f} s, {came_in.megabytes:.0f} MB", flush=True)
        went_out = export_answers(Path(name), asked.rows, asked.times)
        print(f"{asked.rows:,} rows out: {went_out.seconds:.2f} s, {went_out.megabytes:.0f} MB", flush=True)
    is_slow = came_in.seconds > ITEM_SECONDS or went_out.seconds > ROW_SECONDS
    return int(is_slow or went_out.megabytes > ROW_MEGABYTES)


if __name__ == "__main__":
    sys.exit(main())
