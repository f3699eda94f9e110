"""One table of what Lesart costs beside its goals, for both databases, as JSON and Markdown.

    python -m bench.table [--out DIR] [--database sqlite postgresql] [--parts annotators waits growth launches bulk …]
                          [--cycles 240] [--quick]

Each part is a script of this folder in processes of its own; nothing of it touches another data folder. A figure in
milliseconds stands beside that of the bare Django view measured in the same hour, as machines differ: goals in
milliseconds hold where that view takes 3.1 ms on SQLite. Seconds are CPU, waits are time on the clock. --quick makes
all sizes small, to see that everything runs. The table is written anew after each figure, so that a stop leaves what
there is. Exits 1 if a figure is beyond its gate, or a part ended with an error; the others go on.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

DATABASES = ("sqlite", "postgresql")
ANNOTATORS = {  # gate and goal on SQLite, then on PostgreSQL
    "rating": ((25, 12), (38, 18)),
    "pair": ((26, 12), (38, 18)),
    "guess-then-read": ((80, 40), (None, None)),
}
# p95 of 32 people at once, on SQLite, then on PostgreSQL
WAITS = {
    "rating": ((1200, 400), (2000, 600)),
    "pair": ((1200, 400), (2000, 600)),
    "guess-then-read": ((3000, 1000), (None, None)),
}
SPREAD = (2, 1.6)  # p95 / p50 on SQLite
GROWTH = (1.3, 1.1)  # of a cycle, from 60 to 100,000 units of a person
# 1,500 texts for 32 people, and 100,000 for three each
LAUNCHES: tuple[tuple[str, int, list[str], tuple[float, float]], ...] = (
    ("rating", 1500, [], (5, 3)), ("guess-then-read", 1500, [], (15, 8)),
    ("rating", 100_000, ["--people", "3", "--per-unit", "3"], (30, 15)),
)  # fmt: skip
LONG_WAIT = (1000, 400)  # p99 of people while a study is launched, or items are imported
# Of 1,020,000 answers.
BULK = {"import": (45, 20), "export": (20, 8), "report": (20, 12)}
PAGES = {"first page": (None, None), "items list": (None, 3), "stand-in": (None, 3)}
FIRST_PAGE = (6, 2)  # of results, at 102,000 answers


@dataclass(frozen=True)
class Row:
    what: str
    database: str
    measured: float
    unit: str
    gate: float | None
    goal: float | None
    floor: float | None = None  # of the bare view, in milliseconds
    load: float | None = None


def main() -> int:
    options = arguments()
    options.out.mkdir(parents=True, exist_ok=True)
    rows: list[Row] = []
    failed = [
        (database, part)
        for database in options.database
        for part in options.parts
        if not measure_part(database, part, rows, options)
    ]
    print("".join(f"{part} on {database} ended with an error.\n" for database, part in failed), end="")
    return int(bool(failed) or any(is_beyond(row) for row in rows))


def measure_part(database: str, part: str, rows: list[Row], options: argparse.Namespace) -> bool:
    """Add the figures of the part; False if one of its commands ended with an error, which it has printed."""
    try:
        for row in PARTS[part](database, options):
            rows.append(row)
            print(as_line(row), flush=True)
            write_table(options.out, rows)
    except subprocess.CalledProcessError as error:
        print(f"{part} on {database}: {error}", file=sys.stderr, flush=True)
        return False
    return True


def write_table(folder: Path, rows: list[Row]) -> None:
    (folder / "table.json").write_text(json.dumps([asdict(row) for row in rows], indent=1))
    (folder / "table.md").write_text("\n".join([*HEADER, *map(as_line, rows), ""]))


def is_beyond(row: Row) -> bool:
    """Whether the figure is above its gate; one with a bare view beside it, as a multiple of that."""
    scale = row.floor / FLOORS[row.database] if row.floor else 1.0
    return row.gate is not None and row.measured > row.gate * scale


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("bench-table"))
    parser.add_argument("--database", nargs="+", choices=DATABASES, default=DATABASES)
    parser.add_argument("--parts", nargs="+", choices=list(PARTS), default=list(PARTS))
    parser.add_argument("--cycles", type=int, default=240)
    parser.add_argument("--quick", action="store_true")
    return parser.parse_args()


def measure_annotators(database: str, options: argparse.Namespace) -> Iterator[Row]:
    """CPU of eight people at once."""
    found = run_annotators(database, options, 8)
    floor = sum(found["floor"]["cpu_ms"].values())
    for name, bounds in ANNOTATORS.items():
        gate, goal = bounds[DATABASES.index(database)]
        cpu = sum(found[name]["cpu_ms"].values())
        yield Row(f"{name}, one cycle", database, round(cpu, 1), "ms", gate, goal, floor, found[name]["load"])
    yield from list_spreads(found, database, 8)


def measure_waits(database: str, options: argparse.Namespace) -> Iterator[Row]:
    """Waits of 32 people at once."""
    found = run_annotators(database, options, 32)
    for name, bounds in WAITS.items():
        gate, goal = bounds[DATABASES.index(database)]
        yield Row(f"{name}, p95 of 32", database, found[name]["p95_ms"], "ms", gate, goal, load=found[name]["load"])
    yield from list_spreads(found, database, 32)


def run_annotators(database: str, options: argparse.Namespace, people: int) -> dict:
    sizes = ["--people", str(people), "--units", "60", "--cycles", str(40 if options.quick else options.cycles)]
    return run_json("annotators.py", [*sizes, *(["--postgres"] if database == "postgresql" else [])])


def list_spreads(found: dict, database: str, people: int) -> Iterator[Row]:
    gate, goal = SPREAD if database == "sqlite" else (None, None)
    for name in ANNOTATORS:
        spread = round(found[name]["p95_ms"] / found[name]["p50_ms"], 2)
        yield Row(f"{name}, p95 / p50 of {people}", database, spread, "", gate, goal, load=found[name]["load"])


def measure_growth(database: str, options: argparse.Namespace) -> Iterator[Row]:
    """CPU of a rating in one process, of a person with many units beside one with 60."""
    many = 600 if options.quick else 100_000
    postgres = ["--postgres"] if database == "postgresql" else []
    few_ms, many_ms = (
        sum(run_path(["--only", "rating", "--units", str(units), "--cycles", "50", *postgres])["cpu_ms"].values())
        for units in (60, many)
    )
    what, bounds = f"rating, growth from 60 to {many:,} units", unless_quick(GROWTH, options)
    yield Row(what, database, round(many_ms / few_ms, 2), "", *bounds, load=os.getloadavg()[0])


def run_path(given: list[str]) -> dict:
    printed = run([sys.executable, "bench/path.py", *given], {})
    return json.loads(printed[printed.index("{") :])["rating"]


def measure_launches(database: str, options: argparse.Namespace) -> Iterator[Row]:
    for protocol, texts, more, bounds in LAUNCHES:
        given = ["--protocol", protocol, "--texts", str(texts // 50 if options.quick else texts), *more]
        with provide_database(database) as url:
            output = run_json("launches.py", given, url)
        what = f"launch of {output['assignments']:,} assignments, {protocol} ({output['megabytes']:.0f} MB)"
        yield Row(what, database, output["cpu"], "s", *unless_quick(bounds, options), load=output["load"])


def measure_long_writes(database: str, options: argparse.Namespace) -> Iterator[Row]:
    """The waits of people meanwhile; a reply that was an error, or an answer that was lost, ends the part."""
    sizes = ["--assignments", "480", "--items", "800"] if options.quick else []
    found = run_json("long_writes.py", [*sizes, *(["--postgres"] if database == "postgresql" else [])])
    for name in ("alone", "launch", "import"):
        bounds = (None, None) if name == "alone" else unless_quick(LONG_WAIT, options)
        what = "p99 of 24 people alone" if name == "alone" else f"p99 of 24 people during a {name}"
        yield Row(what, database, found[name]["p99_ms"], "ms", *bounds, load=found[name]["load"])


def measure_bulk(database: str, options: argparse.Namespace) -> Iterator[Row]:
    """Steps of bench/reports.py on the study of answers."""
    texts = "10" if options.quick else "500"
    steps = BULK if options.quick else BULK | PAGES  # the pages of a small study need no worker
    for step, rows, values in run_steps(database, texts, steps):
        what = f"{step} of {rows:,} answers ({values['megabytes']:.0f} MB)"
        bounds = unless_quick(steps[step], options)
        yield Row(what, database, round(values["cpu"], 1), "s", *bounds, load=os.getloadavg()[0])


def measure_first_page(database: str, options: argparse.Namespace) -> Iterator[Row]:
    """The first results page of a process, with the worker's part and all that they import."""
    if options.quick:  # results of a small study need no worker
        return
    for step, rows, values in run_steps(database, "50", ["import", "first page"]):
        if step == "first page":
            what = f"first results page at {rows:,} answers ({values['megabytes']:.0f} MB)"
            yield Row(what, database, round(values["cpu"], 1), "s", *FIRST_PAGE, load=os.getloadavg()[0])


def run_steps(database: str, texts: str, steps: Iterable[str]) -> Iterator[tuple[str, int, dict]]:
    """Of each step the number of answers and what it says, in a data folder of their own."""
    rows = 0
    with tempfile.TemporaryDirectory() as folder, provide_database(database) as url:
        for step in ("prepare", *steps):
            given = ["--step", step, "--study", "answers", "--folder", folder, "--texts", texts]
            output = run_step(
                [sys.executable, "bench/reports.py", *given], {"LESART_DATA": folder, "DATABASE_URL": url}
            )
            rows = output.get("rows", rows)
            if step != "prepare":
                yield step, rows, output


def unless_quick(
    bounds: tuple[float | None, float | None], options: argparse.Namespace
) -> tuple[float | None, float | None]:
    """Gate and goal, which hold for full sizes only."""
    return (None, None) if options.quick else bounds


def measure_commands(database: str, options: argparse.Namespace) -> Iterator[Row]:
    if database == "sqlite":
        with tempfile.TemporaryDirectory() as folder:
            before = get_cpu_of_children()
            run([sys.executable, "manage.py", "help"], {"LESART_DATA": folder})
            yield Row("manage help", database, round(get_cpu_of_children() - before, 2), "s", 0.8, 0.5)


PARTS = {
    "annotators": measure_annotators,
    "waits": measure_waits,
    "growth": measure_growth,
    "launches": measure_launches,
    "long writes": measure_long_writes,
    "bulk": measure_bulk,
    "first page": measure_first_page,
    "commands": measure_commands,
}
FLOORS = {"sqlite": 3.1, "postgresql": 4.9}  # of the bare view where the goals hold, in milliseconds
HEADER = [
    "| what | database | measured | × bare view | gate | goal | load |",
    "| --- | --- | --- | --- | --- | --- | --- |",
]


def as_line(row: Row) -> str:
    ratio = f"{row.measured / row.floor:.1f}" if row.floor else ""
    bounds = [f"{bound:g} {row.unit}".strip() if bound is not None else "" for bound in (row.gate, row.goal)]
    load = f"{row.load:.1f}" if row.load is not None else ""
    measured = f"{row.measured:g} {row.unit}".strip()
    return f"| {row.what} | {row.database} | {measured} | {ratio} | {' | '.join(bounds)} | {load} |"


def provide_database(kind: str):
    from bench.engine import database

    return database(kind)


def run_json(script: str, given: list[str], url: str = "") -> dict:
    with tempfile.NamedTemporaryFile(suffix=".json") as out:
        run([sys.executable, f"bench/{script}", *given, "--out", out.name], {"DATABASE_URL": url})
        return json.loads(out.read())


def run_step(command: list[str], environment: dict[str, str]) -> dict:
    return json.loads(run(command, environment).splitlines()[-1])


def run(command: list[str], environment: dict[str, str]) -> str:
    """What the command prints; an error of its own ends the part."""
    made = subprocess.run(command, cwd=ROOT, env=os.environ | environment, stdout=subprocess.PIPE, check=True)
    return made.stdout.decode()


def get_cpu_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    sys.exit(main())
