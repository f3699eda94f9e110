"""What a page of an annotator costs the server in CPU, for both databases, beside a bare Django view.

    python bench/annotators.py [--postgres] [--people 8] [--units 1500] [--cycles 480] [--each-change]
                               [--web-processes 1] [--out FILE.json]

Starts a server of its own on 127.0.0.1 (8 threads for each web process) with a data folder of its own, on SQLite, or
with --postgres on a PostgreSQL server of its own. Annotators work through HTTP without a pause:

- rating: a draft, then the hand-in, whose reply is the next page
- pair: the hand-in, whose reply is the next page
- guess-then-read: one stage page with its drafts, one for each item (as the script gathers them), or with --each-change
  one for each answer, and the confirmation of a guess
- floor: one POST to a bare Django view with a session and a CSRF token (bench/floor_site.py)

CPU is that of the web processes, with --postgres also that of the database server. Exits 1 if a reply was not 200, or
if what was acknowledged is not what is stored.
"""

import argparse
import http.client
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from random import Random
from threading import Lock, Thread
from urllib.parse import urlencode, urlsplit

from long_writes import postgres
from people_at_work import quantile
from walk import ROOT, prepare, wait_for

SERVED = {"rating": "dimension-ratings", "pair": "pairwise", "guess-then-read": "guess-then-read"}
PROTOCOLS = SERVED | {"stopping": "stopping-questionnaire", "best-worst": "best-worst"}  # also for bench/path.py
STAGES = {"rating": "rate", "pair": "compare", "stopping": "judge", "best-worst": "choose"}
HIDDEN = re.compile(r'type="hidden" name="([^"]+)" value="([^"]*)"')
BOX = re.compile(r'type="(radio|checkbox)" name="([^"]+)"[^>]*? value="([^"]+)"')
BUTTON = re.compile(r'<button class="primary big" name="([^"]+)" value="([^"]+)" data-arrow')
ITEM = re.compile(r"-(h[0-9a-f]{12})$")
FREE = re.compile(r'<textarea id="field-([^"]+-h[0-9a-f]{12})"')
BODY = "In that year a bridge was built over the river. It stood for a long time, and people paid to cross it. "
TICKS = os.sysconf("SC_CLK_TCK")


def main() -> int:
    options = arguments()
    with postgres() if options.postgres else nullcontext(), tempfile.TemporaryDirectory() as folder:
        prepare(folder)
        make_studies(Path(folder), options)
        found = {"database": "PostgreSQL" if options.postgres else "SQLite", "units": options.units}
        found |= {"people": options.people, "floor": measure("bench.floor_site", floor_clients(options), options)}
        for name in options.only or SERVED:
            clients = [Annotator(name, *row, each_change=options.each_change) for row in annotators(name)]
            found[name] = measure("config.wsgi", clients, options) | {"wrong": count_wrong(name, clients)}
    text = json.dumps(found, indent=1)
    if options.out:
        options.out.write_text(text)
    print(text)
    measured = [part for part in found.values() if isinstance(part, dict)]
    return int(any(part["bad_replies"] or part.get("wrong") for part in measured))


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--people", type=int, default=8)
    parser.add_argument("--units", type=int, default=1500)
    parser.add_argument("--cycles", type=int, default=480, help="of all annotators together, for each kind of page")
    parser.add_argument("--only", nargs="*", choices=list(SERVED))
    parser.add_argument("--each-change", action="store_true")
    parser.add_argument("--web-processes", type=int, default=1)
    parser.add_argument("--postgres", action="store_true")
    parser.add_argument("--out", type=Path)
    return parser.parse_args()


def make_studies(folder: Path, options: argparse.Namespace) -> None:
    """A launched study of each protocol with as many units as asked for, and annotators at their first stage."""
    from django.core.management import call_command

    from studies.models import Study
    from studies.services import answering
    from studies.services.declarations import get_declaration

    call_command("migrate", verbosity=0)
    call_command("createcachetable")
    texts = dict.fromkeys(PROTOCOLS, options.units) | {"pair": options.units // 30}
    items = dict.fromkeys(PROTOCOLS, (1, 1))  # generators, items of each
    items |= {"pair": (3, 5), "guess-then-read": (3, 2), "best-worst": (4, 1)}
    for name in options.only or SERVED:
        call_command("create_project", name, verbosity=0)
        write_bank(folder / "bank.jsonl", name, texts[name], *items[name])
        call_command("import_items", str(folder / "bank.jsonl"), project=name, verbosity=0)
        spec = {"slug": name, "title": name, "protocol": PROTOCOLS[name], "language": "en"}
        plan = {"annotators": options.people, "seed": 1}
        spec |= {"plan": plan | ({"shared_texts": texts[name], "own_texts": 0} if name == "pair" else {})}
        (folder / "study.yaml").write_text(json.dumps(spec))
        call_command("create_study", str(folder / "study.yaml"), project=name, launch=True, stdout=sys.stderr)
        study = Study.objects.get(slug=name)
        for annotator in study.annotators.filter(purpose="main"):
            answering.join_study(annotator)
            for phase in get_declaration(study).phases:
                answering.pass_phase(annotator, phase)


def write_bank(file: Path, name: str, texts: int, generators: int, items: int) -> None:
    with file.open("w") as out:
        for text in range(texts):
            asked = [
                {
                    "id": f"{name}-{text}-{writer}-{place}",
                    "generator": f"writer {writer}",
                    "question": f"What is asked about bridge {writer}{place} here?",
                    "answers": [{"text": f"Answer {number}", "correct": number == 0} for number in range(4)],
                }
                for writer in range(generators)
                for place in range(items)
            ]
            line = {"id": f"{name}-{text}", "text": f"{BODY * 8}{name} {text}", "language": "en", "items": asked}
            out.write(json.dumps(line) + "\n")


def annotators(slug: str) -> list[tuple[str, str]]:
    from studies.models import Annotator

    rows = Annotator.objects.filter(study__slug=slug, purpose="main").order_by("seat")
    return list(rows.values_list("public_id", "token"))


@dataclass
class Client:
    """Somebody who asks over a connection of their own, which is kept, as browsers do."""

    headers: dict[str, str] = field(default_factory=dict)
    waits: list[float] = field(default_factory=list)  # seconds of each cycle
    bad: list[int] = field(default_factory=list)

    def connect(self, base: str) -> None:
        self.http = http.client.HTTPConnection(urlsplit(base).netloc, timeout=60)

    def ask(self, path: str, data: list[tuple[str, str]] | None = None) -> str:
        body = urlencode(data) if data else None
        form = {"Content-Type": "application/x-www-form-urlencoded"} if data else {}
        self.http.request("POST" if data else "GET", path, body, self.headers | form)
        answer = self.http.getresponse()
        text = answer.read().decode()
        if answer.status != 200:
            self.bad.append(answer.status)
        for cookie in answer.headers.get_all("Set-Cookie") or ():
            self.keep_cookie(cookie.partition(";")[0])
        return text

    def keep_cookie(self, cookie: str) -> None:
        known = dict(part.split("=", 1) for part in self.headers.get("Cookie", "").split("; ") if part)
        name, value = cookie.split("=", 1)
        self.headers["Cookie"] = "; ".join(f"{key}={kept}" for key, kept in (known | {name: value}).items())


@dataclass
class Counter(Client):
    page: str = ""

    def begin(self) -> None:
        self.page = self.ask("/")

    def cycle(self) -> None:
        self.page = self.ask("/", HIDDEN.findall(self.page))


def floor_clients(options: argparse.Namespace) -> list[Client]:
    return [Counter() for _person in range(options.people)]


class Annotator(Client):
    """Answers pages at random; `told` is what was acknowledged, by stage."""

    def __init__(self, name: str, public_id: str, token: str, each_change: bool):
        super().__init__({"Cookie": f"lesart-work={token}", "X-Lesart-Part": "1"})
        self.name, self.work, self.each_change = name, f"/work/{public_id}/", each_change
        self.rng, self.told = Random(public_id), []

    def begin(self) -> None:
        self.page = self.ask(self.work)

    def cycle(self) -> None:
        self.page = self.page.partition('id="stage"')[2]  # before it there may be a form that leads back
        hidden, answers = HIDDEN.findall(self.page), self.choose()
        if self.name != "pair":
            for draft in self.drafts(answers):
                named = [("item", item) for item in dict.fromkeys(ITEM.search(name)[1] for name, _value in draft)]
                self.ask(f"{self.work}draft/", [("token", dict(hidden)["token"]), *named, *draft])
        self.page = self.ask(self.work, [*hidden, *answers])
        if "data-enter" in self.page:
            self.page = self.ask(f"{self.work}confirm/", HIDDEN.findall(self.page))
        if 'id="stage"' in self.page and f'value="{dict(hidden)["token"]}"' not in self.page:
            self.told.append((self.stage_of(answers), answers))

    def stage_of(self, answers: list[tuple[str, str]]) -> str:
        if self.name != "guess-then-read":
            return STAGES[self.name]
        return "read" if any(name.startswith("rating-") for name, _value in answers) else "guess"

    def choose(self) -> list[tuple[str, str]]:
        if buttons := BUTTON.findall(self.page):
            return [self.rng.choice(buttons)]
        levels: dict[str, list[str]] = {}
        for _kind, name, value in BOX.findall(self.page):
            if not name.startswith("unsure-"):
                levels.setdefault(name, []).append(value)
        answers = [(name, "Some words.") for name in FREE.findall(self.page)]
        for name, values in levels.items():
            picked = {value for _name, value in answers if ITEM.search(f"-{value}")}  # the best item is not the worst
            answers.append((name, self.rng.choice([each for each in values if each not in picked])))
        return answers

    def drafts(self, answers: list[tuple[str, str]]) -> list[list[tuple[str, str]]]:
        """What is sent while one answers: of a rating the one item, else one request for each item or each change."""
        by_item: dict[str, list[tuple[str, str]]] = {}
        for name, value in answers:
            by_item.setdefault(ITEM.search(name)[1], []).append((name, value))
        if not self.each_change or self.name == "rating":
            return list(by_item.values())
        return [own[: place + 1] for own in by_item.values() for place in range(len(own))]


@contextmanager
def server(application: str, processes: int) -> Iterator[tuple[str, int]]:
    from config.cli.resources import find_free_port

    port = find_free_port()
    command = [sys.executable, "-m", "gunicorn", application, "--bind", f"127.0.0.1:{port}", "--no-control-socket"]
    command += ["--worker-class", "gthread", "--threads", "8", "--workers", str(processes)]
    process = subprocess.Popen(command, cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT)}, stderr=subprocess.DEVNULL)
    try:
        wait_for(f"http://127.0.0.1:{port}/{'accounts/login/' if application == 'config.wsgi' else ''}")
        yield f"http://127.0.0.1:{port}", process.pid
    finally:
        process.terminate()
        process.wait(60)  # gunicorn gives open connections 30 s


def measure(application: str, clients: list, options: argparse.Namespace) -> dict:
    """CPU a cycle of the web processes and of the database server, after a few cycles to warm up."""
    with server(application, options.web_processes) as (base, pid):
        for client in clients:
            client.connect(base)
            client.begin()
        run(clients, 5 * len(clients))
        for client in clients:
            client.waits.clear()
        before, start = cpu(pid), time.monotonic()
        run(clients, options.cycles)
        seconds, after = time.monotonic() - start, cpu(pid)
    waits = sorted(wait for client in clients for wait in client.waits)
    spent = {name: round((after[name] - before[name]) * 1000 / len(waits), 2) for name in after if after[name]}
    return {"cpu_ms": spent, "cycles": len(waits), "per_second": round(len(waits) / seconds, 1)} | {
        **{f"p{share}_ms": quantile(waits, share) for share in (50, 95)},
        "load": os.getloadavg()[0],
        "bad_replies": sum(len(client.bad) for client in clients),
    }


def run(clients: list, cycles: int) -> None:
    lots, lock = count(), Lock()

    def work(client) -> None:
        while True:
            with lock:
                if next(lots) >= cycles:
                    return
            start = time.monotonic()
            client.cycle()
            client.waits.append(time.monotonic() - start)

    threads = [Thread(target=work, args=[client]) for client in clients]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def cpu(web: int) -> dict[str, float]:
    """Seconds of CPU so far of the web process with its children, and of every process of the database server."""
    parents = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdecimal():
            try:
                stat = (folder / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            parents[int(folder.name)] = (int(stat[1]), (int(stat[11]) + int(stat[12])) / TICKS)
    own = [pid for pid, (parent, _seconds) in parents.items() if parent == os.getpid()]
    databases = [pid for pid in own if pid != web]
    return {"web": family(parents, web), "database": sum(family(parents, pid) for pid in databases)}


def family(parents: dict[int, tuple[int, float]], pid: int) -> float:
    children = [child for child, (parent, _seconds) in parents.items() if parent == pid]
    return parents[pid][1] + sum(family(parents, child) for child in children)


def count_wrong(name: str, clients: list[Annotator]) -> int:
    """How many acknowledged hand-ins are not stored as they were sent."""
    from items.models import Item
    from studies.models import Response

    stored: dict[tuple[str, str], set[str]] = {}
    external = dict(Item.objects.filter(project__slug=name).values_list("external_id", "pk"))
    rows = Response.objects.filter(assignment__annotator__study__slug=name).select_related("assignment")
    for row in rows.iterator():
        shown = row.assignment.shown[row.stage]
        handles = {item: handle for handle, item, _options in shown}
        options = {option: handle for _handle, _item, own in shown for handle, option in own}
        handle = shown[0][0] if name == "pair" else handles[row.item_id]
        values = stored.setdefault((row.stage, f"{row.question}-{handle}"), set())
        if row.option_id is None:
            values.add(str(handles.get(external.get(row.value), row.value)))
        elif row.value:
            values.add(options[row.option_id])
    told = [(stage, *answer) for client in clients for stage, answers in client.told for answer in answers]
    return sum(stored.get((stage, name)) != {value} - {"none"} for stage, name, value in told) + (not told)


if __name__ == "__main__":
    sys.exit(main())
