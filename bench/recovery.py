"""What a kill costs: workers die by -9 in the middle of a run, the broker is emptied, the workers start again.

    python bench/recovery.py [ITEMS.jsonl] [--texts 20] [--base-url U --model M | --small-model] [--workers 2]
                             [--kills 10] [--restart-database]

A guess-then-read study on some texts of the file is answered by a model, once in peace and once with kills. Counted are
calls, answers and requests, and whether both reports say the same. Without --base-url the model is a mock server in
this process, which keeps a journal of what it was asked; without a file the items are the planted ones of the tests.
--small-model starts the small local model and asks that; --reading probability spares it the second questions.
--restart-database stops PostgreSQL after the last kill and starts it again on the same folder and port; the workers and
the command that waits go on by themselves.
Everything is in a data folder, a broker and a database of its own. Exits 1 if anything was lost, or asked without need.
"""

import argparse
import csv
import hashlib
import json
import os
import random
import shutil
import sqlite3
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import urlsplit

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

import psycopg  # noqa: E402
import redis  # noqa: E402

from config.cli import model, postgres  # noqa: E402
from config.cli.processes import Guard, Process  # noqa: E402
from config.cli.valkey import run_valkey  # noqa: E402
from tests.mock_server import Planned, Received, Server, label, mock_server  # noqa: E402

STUDY = "slug: recovery\ntitle: Recovery\nprotocol: guess-then-read\nplan: {annotators: 1, seed: 1}\n"
SERVER_WORKER = ["-A", "config", "worker", "--pool", "threads", "--concurrency", "2", "--loglevel", "WARNING"]
SERVER_WORKER += ["--without-gossip", "--without-mingle"]
SMALL_MODEL_KEY = "SMALL_MODEL_KEY"
EVALUATE = ["manage.py", "evaluate_study", "recovery", "--model", "model", "--yes"]
ANSWER = ("annotator", "stage", "item_id", "option_id", "question")
DONE = "state IN ('answered', 'cached', 'failed', 'refused', 'rejected')"
MODELS_OPEN = """SELECT count(*) FROM studies_assignment a JOIN studies_annotator n ON n.id = a.annotator_id
    WHERE n.kind <> 'human' AND a.finished_at IS NULL AND a.returned_at IS NULL"""


def main(words: list[str] | None = None) -> int:
    options = arguments().parse_args(words)
    with model_server(options) as (base_url, server), tempfile.TemporaryDirectory(prefix="lesart-recovery-") as name:
        prepared = Path(name) / "data"
        peaceful = play(options, base_url, server, prepared, kills=0)
        print(f"undisturbed: {peaceful.sentence()}", flush=True)
        is_disturbed = options.kills or options.restart_database
        killed = peaceful
        if is_disturbed:
            killed = play(options, base_url, server, prepared, options.kills, options.restart_database)
    print(f"killed {options.kills} ×: {killed.sentence()}")
    for kill in killed.kills:
        print(f"  {kill.sentence()}")
    problems = problems_of(peaceful, killed)
    equal = f"{len(killed.tables)} tables and {len(killed.answers)} answers equal those of the undisturbed run."
    print("\n".join(problems) or equal)
    return 1 if problems else 0


def arguments() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", nargs="?", type=Path, metavar="ITEMS.jsonl")
    parser.add_argument("--texts", type=int, default=20, help="drawn from the file; default 20")
    parser.add_argument("--base-url", metavar="U", help="an OpenAI-compatible server; default: the mock server")
    parser.add_argument("--model", metavar="M", default="mock-1", help="its model's name")
    parser.add_argument("--small-model", action="store_true", help="start the small local model and ask that")
    parser.add_argument("--reading", choices=["label", "probability"], default="label", help="how replies are read")
    parser.add_argument("--key-env", metavar="VAR", default="", help="the environment variable that holds its key")
    parser.add_argument("--at-a-time", type=int, default=8, help="calls at a time; default 8")
    parser.add_argument("--latency", type=float, default=0.2, help="of the mock server, in seconds; default 0.2")
    parser.add_argument("--workers", type=int, default=1, help="worker processes; each kill takes all of them")
    parser.add_argument("--database", choices=["sqlite", "postgresql"], default="sqlite")
    parser.add_argument("--kills", type=int, default=1, help="0: only the undisturbed run; default 1")
    parser.add_argument("--restart-database", action="store_true", help="PostgreSQL, once, after the last kill")
    parser.add_argument("--seed", type=int, default=1, help="draws texts and moments of the kills")
    parser.add_argument(
        "--lease", type=float, help="seconds until a silent worker is thought dead; default: as shipped"
    )
    parser.add_argument("--share", type=int, default=500, help="with --lease: open calls for each worker on a run")
    return parser


# What is found ------------------------------------------------------------------------------------------------------


@dataclass
class Kill:
    """One moment: how many calls were finished and on the wire, and after how many seconds the next was finished."""

    done: int
    on_the_wire: int
    pause: float = 0.0
    what: str = "killed"

    def sentence(self) -> str:
        return (
            f"{self.what} after {self.done} calls, with {self.on_the_wire} on the wire; "
            f"{self.pause:.0f} s until the next answer, the start included"
        )


@dataclass
class Played:
    """One run to its end. Requests as the mock server's journal has them; None for another server."""

    states: dict[str, int]
    run_states: list[str]
    sent: int
    seconds: float
    n_open: int
    answers: list[tuple[str, ...]]
    tables: dict[str, str]
    exit_code: int
    kills: list[Kill] = field(default_factory=list)
    requests: Counter[str] | None = None

    @property
    def n_calls(self) -> int:
        return sum(self.states.values())

    @property
    def repeated(self) -> int:
        """Requests for what had been asked before: by the journal, else by the ledger."""
        if self.requests is None:
            return self.sent - self.n_calls
        return sum(self.requests.values()) - len(self.requests)

    @property
    def on_the_wire(self) -> int:
        return sum(kill.on_the_wire for kill in self.kills)

    def sentence(self) -> str:
        states = ", ".join(f"{n} {state}" for state, n in sorted(self.states.items()))
        return (
            f"{self.n_calls} calls ({states}), asked again {self.repeated}, {len(self.answers)} answers, "
            f"{self.n_open} assignments open, {self.seconds:.0f} s"
        )


def problems_of(peaceful: Played, killed: Played) -> list[str]:
    """Sentences about what should not be; none if a kill cost nothing but time."""
    found = []
    for name, played in (("undisturbed", peaceful), ("killed", killed)):
        if set(played.run_states) != {"done"} or played.exit_code:
            found.append(f"{name}: the run is {played.run_states}, the command ended with {played.exit_code}.")
        if not set(played.states) <= {"answered", "cached"}:
            found.append(f"{name}: not every call was answered.")
        if len({answer[: len(ANSWER)] for answer in played.answers}) != len(played.answers):
            found.append(f"{name}: an answer is stored twice.")
        if played.n_open:
            found.append(f"{name}: {played.n_open} assignments are open.")
        if not played.tables:
            found.append(f"{name}: no report was drawn.")
        if played.repeated > played.on_the_wire:
            found.append(f"{name}: {played.repeated} calls were asked again, {played.on_the_wire} were on the wire.")
    if peaceful.n_calls != killed.n_calls:
        found.append(f"{peaceful.n_calls} calls in one, {killed.n_calls} in the other.")
    if n := len(set(peaceful.answers) ^ set(killed.answers)):
        found.append(f"{n} answers differ.")
    different = [name for name, table in peaceful.tables.items() if killed.tables.get(name) != table]
    if different:
        found.append(f"Tables differ: {', '.join(different)}.")
    return found


# The servers --------------------------------------------------------------------------------------------------------


@contextmanager
def model_server(options: argparse.Namespace) -> Iterator[tuple[str, Server | None]]:
    if options.base_url:
        yield options.base_url, None
        return
    if options.small_model:
        with model.run_model() as (base_url, key):
            os.environ[SMALL_MODEL_KEY] = key
            options.model, options.key_env = model.MODEL, SMALL_MODEL_KEY
            yield base_url, None
        return
    with mock_server(by_the_words, latency=options.latency) as server:
        yield server.base_url, server


def by_the_words(request: Received) -> Planned:
    """A label that depends on nothing but the words of the prompt, in the prompt's language."""
    correct, incorrect = ("C", "I") if "C for correct" in request.prompt else ("R", "F")
    return label(correct, incorrect, hashlib.sha256(request.prompt.encode()).digest()[0] / 255)


@contextmanager
def database(kind: str) -> Iterator[postgres.Database | None]:
    """PostgreSQL, or nothing: SQLite is a file in the data folder."""
    if kind == "sqlite":
        yield None
        return
    with postgres.run_server() as server:
        yield server


# One run ------------------------------------------------------------------------------------------------------------


def play(
    options: argparse.Namespace,
    base_url: str,
    server: Server | None,
    prepared: Path,
    kills: int,
    restarts: bool = False,
) -> Played:
    """From the launched study to the report, with so many kills, and a restart of the database if it is to be."""
    before = len(server.requests) if server else 0
    with (
        tempfile.TemporaryDirectory(prefix="lesart-recovery-") as name,
        run_valkey() as broker,
        database(options.database) as stored,
        Guard() as guard,
    ):
        folder = Path(name)
        where = {"LESART_DATA": name, "DATABASE_URL": stored.url if stored else "", "REDIS_URL": broker}
        site = Site(folder, guard, {**where, **outside(base_url)}, options)
        prepare(site, options, base_url, prepared)
        site.start_workers()
        start = time.monotonic()
        command = site.start("evaluate_study", *EVALUATE, "--reading", options.reading)
        moments = kill_moments(options.seed, kills)
        found = [site.kill_at(moment, broker) for moment in moments]
        if restarts and stored is not None:
            found.append(site.restart_at(LAST_MOMENT, stored))
        exit_code = command.wait()
        seconds = time.monotonic() - start
        site.complete("conclude", name, str(options.seed))
        played = site.played(exit_code, seconds, found)
        if server:
            prompts = site.prompts()
            asked = (request.prompt for request in server.requests[before:])
            played.requests = Counter(prompt for prompt in asked if prompt in prompts)
        site.stop_workers()
    return played


def prepare(site: "Site", options: argparse.Namespace, base_url: str, prepared: Path) -> None:
    """The launched study in the site's folder; in a file of SQLite a copy of the one that was prepared before."""
    if prepared.exists():
        shutil.copytree(prepared, site.folder, dirs_exist_ok=True)
        return
    write_study(options, site.folder)
    words = [str(site.folder), base_url, options.model, str(options.at_a_time), options.key_env]
    site.complete("prepare", *words)
    if options.database == "sqlite":
        shutil.copytree(site.folder, prepared)


def outside(base_url: str) -> dict[str, str]:
    """What the processes need to know of the server and of us."""
    return {"LESART_INSIDE_HOSTS": urlsplit(base_url).netloc, "PYTHONPATH": str(ROOT)}


LAST_MOMENT = 0.88


def kill_moments(seed: int, kills: int) -> list[float]:
    """Shares of the calls, one in each part of the middle."""
    rng = random.Random(seed)
    width = 0.7 / max(1, kills)
    return [0.15 + width * (number + rng.random()) for number in range(kills)]


def write_study(options: argparse.Namespace, folder: Path) -> None:
    lines = options.file.read_text("utf-8").splitlines() if options.file else list_texts_of_walk()
    lines = [line for line in lines if line.strip()]
    chosen = random.Random(options.seed).sample(lines, min(options.texts, len(lines)))
    (folder / "items.jsonl").write_text("\n".join(chosen) + "\n", "utf-8")
    (folder / "study.yaml").write_text(STUDY)


def list_texts_of_walk() -> list[str]:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    import django

    django.setup()
    from tests import walk

    return walk.bank().splitlines()


@dataclass
class Site:
    """Processes on one database and broker, and the ledger that they write."""

    folder: Path
    guard: Guard
    environment: dict[str, str]
    options: argparse.Namespace
    workers: list[Process] = field(default_factory=list)

    def start(self, log: str, *words: str) -> Process:
        with (self.folder / f"{log}.log").open("ab") as output:
            return self.guard.spawn(
                [sys.executable, *words], cwd=ROOT, env={**os.environ, **self.environment}, stdout=output, stderr=output
            )

    def complete(self, step: str, *words: str) -> None:
        process = self.start(step, "-m", "bench.recovery_site", step, *words)
        if process.wait():
            raise SystemExit(f"{step} failed: {(self.folder / f'{step}.log').read_text()}")

    def start_workers(self) -> None:
        self.workers = [self.start_worker(f"worker{number + 1}@recovery") for number in range(self.options.workers)]
        marks = len(self.workers)
        self.wait(lambda: self.one("SELECT count(*) FROM llm_worker") >= marks)

    def start_worker(self, name: str) -> Process:
        options = self.options
        if options.lease:
            return self.start(name, "-m", "bench.recovery_site", "work", name, str(options.lease), str(options.share))
        return self.start(name, "-m", "celery", *SERVER_WORKER, "-n", name)

    def stop_workers(self) -> None:
        for worker in self.workers:
            self.guard.end(worker, seconds=30)

    def kill_at(self, share: float, broker: str) -> Kill:
        """Waits until so many calls are finished, kills the workers, empties the broker, starts workers again."""
        self.wait(lambda: self.n_done() >= share * self.n_planned() > 0)
        for worker in self.workers:
            worker.kill()
        for worker in self.workers:
            worker.wait()
            self.guard.sweep(worker)
        began = time.monotonic()
        kill = Kill(self.n_done(), self.one("SELECT count(*) FROM llm_call WHERE state = 'sent'"))
        with redis.Redis.from_url(broker) as connection:
            connection.flushall()
        self.start_workers()
        self.wait(lambda: self.n_done() > kill.done)
        kill.pause = time.monotonic() - began
        return kill

    def restart_at(self, share: float, database: postgres.Database) -> Kill:
        """Waits until so many calls are finished, and starts the database again under those who work on it."""
        self.wait(lambda: self.n_done() >= share * self.n_planned() > 0)
        began = time.monotonic()
        kill, lost = Kill(self.n_done(), 0, what="database restarted"), self.n_lost()
        database.stop()
        database.start()
        self.wait(lambda: self.n_done() > kill.done and self.n_lost() > lost)
        kill.on_the_wire, kill.pause = self.n_lost() - lost, time.monotonic() - began
        return kill

    def n_planned(self) -> int:
        """All calls of the run, 0 while it is being planned."""
        planned = self.one("SELECT count(*) FROM llm_run WHERE is_planned")
        return self.one("SELECT count(*) FROM llm_call") if planned else 0

    def n_done(self) -> int:
        return self.one(f"SELECT count(*) FROM llm_call WHERE {DONE}")  # noqa: S608

    def n_lost(self) -> int:
        """How often a call was on the wire when its drainer or the database went away."""
        return self.one("SELECT coalesce(sum(times_lost), 0) FROM llm_call")

    def wait(self, is_so, seconds: float = 600.0) -> None:
        until = time.monotonic() + seconds
        while not is_so():
            if time.monotonic() > until:
                logs = "\n".join(file.read_text() for file in sorted(self.folder.glob("*.log")))
                raise SystemExit(f"Nothing happens any more. What the processes said:\n{logs}")
            time.sleep(0.02)

    def played(self, exit_code: int, seconds: float, kills: list[Kill]) -> Played:
        return Played(
            states=dict(self.rows("SELECT state, count(*) FROM llm_call GROUP BY state")),
            run_states=[state for (state,) in self.rows("SELECT state FROM llm_run")],
            sent=self.one("SELECT coalesce(sum(times_sent), 0) FROM llm_call"),
            seconds=seconds,
            n_open=self.one(MODELS_OPEN),
            answers=answers_in(self.folder / "answers.csv"),
            tables={file.name: file.read_text() for file in sorted((self.folder / "report" / "tables").glob("*.csv"))},
            exit_code=exit_code,
            kills=kills,
        )

    def prompts(self) -> set[str]:
        """What the run asked, to be told from the test of the endpoint."""
        rows = self.rows("SELECT messages FROM llm_call WHERE messages IS NOT NULL")
        read = (json.loads(messages) if isinstance(messages, str) else messages for (messages,) in rows)
        return {messages[-1]["content"] for messages in read}

    def one(self, query: str) -> int:
        return int(self.rows(query)[0][0])

    def rows(self, query: str) -> list[tuple]:
        """Read on a connection of its own, as nobody else would see it."""
        if url := self.environment["DATABASE_URL"]:
            with psycopg.connect(url) as connection:
                return connection.execute(query).fetchall()
        with closing(sqlite3.connect(self.folder / "lesart.sqlite3", timeout=20)) as connection:
            return connection.execute(query).fetchall()


def answers_in(file: Path) -> list[tuple[str, ...]]:
    rows = csv.DictReader(file.read_text("utf-8").splitlines(keepends=True))
    return [tuple(row[name] for name in (*ANSWER, "value", "probability")) for row in rows]


if __name__ == "__main__":
    sys.exit(main())
