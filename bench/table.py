"""One table of what Lesart costs in CPU beside its goals, for both databases, as JSON and Markdown.

    python -m bench.table [--out DIR] [--database sqlite postgresql] [--parts annotators launches bulk commands]
                          [--people 8] [--cycles 240] [--quick]

Each part is a script of this folder in processes of its own; nothing of it touches another data folder. A figure in
milliseconds stands beside that of the bare Django view measured in the same hour, as machines differ: goals in
milliseconds hold where that view takes 3.1 ms on SQLite. --quick makes all sizes small, to see that everything runs.
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
LAUNCHES = {"rating": (5, 3), "guess-then-read": (15, 8)}  # of 1,500 texts for 32 people
# Of 1,020,000 answers.
BULK = {"import": (45, 20), "export": (20, 8), "report": (20, 12)}
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
    rows = []
    for database in options.database:
        for part in options.parts:
            for row in PARTS[part](database, options):
                rows.append(row)
                print(as_line(row), flush=True)
    options.out.mkdir(parents=True, exist_ok=True)
    (options.out / "table.json").write_text(json.dumps([asdict(row) for row in rows], indent=1))
    (options.out / "table.md").write_text("\n".join([*HEADER, *map(as_line, rows), ""]))
    return 0


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("bench-table"))
    parser.add_argument("--database", nargs="+", choices=DATABASES, default=DATABASES)
    parser.add_argument("--parts", nargs="+", choices=list(PARTS), default=list(PARTS))
    parser.add_argument("--people", type=int, default=8)
    parser.add_argument("--cycles", type=int, default=240)
    parser.add_argument("--quick", action="store_true")
    return parser.parse_args()


def measure_annotators(database: str, options: argparse.Namespace) -> Iterator[Row]:
    sizes = ["--people", str(options.people), "--cycles", str(40 if options.quick else options.cycles)]
    sizes += ["--units", "60"] if options.quick else []
    postgres = ["--postgres"] if database == "postgresql" else []
    found = run_json("annotators.py", [*sizes, *postgres])
    floor = sum(found["floor"]["cpu_ms"].values())
    for name, bounds in ANNOTATORS.items():
        gate, goal = bounds[DATABASES.index(database)]
        cpu = sum(found[name]["cpu_ms"].values())
        yield Row(f"{name}, one cycle", database, round(cpu, 1), "ms", gate, goal, floor, found[name]["load"])


def measure_launches(database: str, options: argparse.Namespace) -> Iterator[Row]:
    texts = "30" if options.quick else "1500"
    for protocol, bounds in LAUNCHES.items():
        with provide_database(database) as url:
            output = run_json("launches.py", ["--protocol", protocol, "--texts", texts], url)
        what = f"launch of {output['assignments']:,} assignments, {protocol}"
        yield Row(what, database, output["cpu"], "s", *unless_quick(bounds, options), load=output["load"])


def measure_bulk(database: str, options: argparse.Namespace) -> Iterator[Row]:
    """Steps of bench/reports.py on the study of answers."""
    texts = "10" if options.quick else "500"
    for step, rows, values in run_steps(database, texts, BULK):
        what = f"{step} of {rows:,} answers ({values['megabytes']:.0f} MB)"
        bounds = unless_quick(BULK[step], options)
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


def unless_quick(bounds: tuple[float, float], options: argparse.Namespace) -> tuple[float | None, float | None]:
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
    "launches": measure_launches,
    "bulk": measure_bulk,
    "first page": measure_first_page,
    "commands": measure_commands,
}
HEADER = ["| what | database | CPU | × bare view | gate | goal | load |", "| --- | --- | --- | --- | --- | --- | --- |"]


def as_line(row: Row) -> str:
    ratio = f"{row.measured / row.floor:.1f}" if row.floor else ""
    bounds = [f"{bound:g} {row.unit}" if bound is not None else "" for bound in (row.gate, row.goal)]
    load = f"{row.load:.1f}" if row.load is not None else ""
    return f"| {row.what} | {row.database} | {row.measured:g} {row.unit} | {ratio} | {' | '.join(bounds)} | {load} |"


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
    """What the command prints; an error of its own ends the table."""
    made = subprocess.run(command, cwd=ROOT, env=os.environ | environment, stdout=subprocess.PIPE, check=True)
    return made.stdout.decode()


def get_cpu_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


if __name__ == "__main__":
    sys.exit(main())
