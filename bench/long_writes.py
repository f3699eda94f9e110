"""A launch and an import while people work: nobody gets an error, waits long or loses an answer.

    python bench/long_writes.py [--people 24] [--assignments 48000] [--items 32000] [--postgres] [--out FILE.json]

Starts a server of its own on 127.0.0.1 with a data folder of its own, on SQLite, or with --postgres on a PostgreSQL
server of its own. People rate through HTTP, with a pause between pages, first alone, then while a study is launched,
then while items are imported, each by its command. Exits 1 if a reply was 5xx, none came, or what was acknowledged is
not what is stored; waits above 2 s are counted. The bound of each part is ten minutes.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from contextlib import nullcontext
from pathlib import Path
from threading import Event
from typing import Any

from people_at_work import Rater, compare, summary
from walk import ROOT, prepare, server

BOUND = 600
WORKED = {"texts": 120, "items": 3}


def main() -> int:
    options = arguments()
    with postgres() if options.postgres else nullcontext(""), tempfile.TemporaryDirectory() as folder:
        prepare(folder)
        study = make_world(Path(folder), options)
        with server() as base:
            found = run(study, base, Path(folder), options)
    text = json.dumps(found, indent=1)
    if options.out:
        options.out.write_text(text)
    print(text)
    parts = [found[name] for name in ("alone", "launch", "import")]
    bad = any(part["server_errors"] or part["lost"] for part in parts)
    kept = found["answers"]
    equal = kept["acknowledged"] == kept["acknowledged_and_stored"] == kept["stored"] - kept["stored_without_a_reply"]
    return 1 if bad or not equal or any(part.get("exit") for part in parts) else 0


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--people", type=int, default=24)
    parser.add_argument("--pause", type=float, default=2.0, help="seconds between two pages of a person")
    parser.add_argument("--assignments", type=int, default=48_000)
    parser.add_argument("--items", type=int, default=32_000)
    parser.add_argument("--postgres", action="store_true")
    parser.add_argument("--out", type=Path)
    return parser.parse_args()


def postgres():
    """A PostgreSQL server whose address stands in the environment."""
    from contextlib import contextmanager

    from config.cli.postgres import run_postgresql

    @contextmanager
    def running():
        with run_postgresql() as url:
            os.environ["DATABASE_URL"] = url
            yield url

    return running()


def make_world(folder: Path, options: argparse.Namespace):
    """A launched study that people work on, a draft to launch, and a file to import."""
    from django.core.management import call_command

    from studies.models import Study

    call_command("migrate", verbosity=0)
    call_command("createcachetable")
    texts = options.assignments // options.people
    for name, n, items in (("worked", WORKED["texts"], WORKED["items"]), ("large", texts, 1)):
        call_command("create_project", name, verbosity=0)
        write_bank(folder / f"{name}.jsonl", name, n, items)
        call_command("import_items", str(folder / f"{name}.jsonl"), project=name, verbosity=0)
        spec: dict[str, Any] = {"slug": name, "title": name, "protocol": "dimension-ratings", "language": "en"}
        spec |= {"plan": {"annotators": options.people, "seed": 1}}
        (folder / f"{name}.yaml").write_text(json.dumps(spec))
        call_command("create_study", str(folder / f"{name}.yaml"), project=name, launch=name == "worked")
    call_command("create_project", "imported", verbosity=0)
    write_bank(folder / "imported.jsonl", "imported", options.items // 8, 8)
    return Study.objects.get(slug="worked")


def write_bank(file: Path, name: str, texts: int, items: int) -> None:
    body = "In that year a bridge was built over the river. It stood for a long time, and people paid to cross it. " * 8
    with file.open("w") as out:
        for text in range(texts):
            asked = [
                {"id": f"{name}-{text}-{place}", "generator": f"writer {place % 4}", "question": f"What is {place}?"}
                for place in range(items)
            ]
            line = {"id": f"{name}-{text}", "text": f"{body} {name} {text}", "language": "en", "items": asked}
            out.write(json.dumps(line) + "\n")


def run(study, base: str, folder: Path, options: argparse.Namespace) -> dict:
    start_all(study)
    found: dict = {"database": "PostgreSQL" if options.postgres else "SQLite", "load_before": os.getloadavg()}
    stop, raters = Event(), []
    for seed, annotator in enumerate(study.annotators.filter(purpose="main")):
        raters.append(Rater(base, annotator.public_id, annotator.token, options.pause, stop, seed))
    for rater in raters:
        rater.start()
    try:
        time.sleep(5)
        commands = {
            "alone": None,
            "launch": ["launch_study", "large"],
            "import": ["import_items", str(folder / "imported.jsonl"), "--project", "imported"],
        }
        for name, command in commands.items():
            found[name] = measure_while(raters, command)
    finally:
        stop.set()
        for rater in raters:
            rater.join(90)
    found["load_after"] = os.getloadavg()
    return found | {"answers": compare(study, raters)}


def start_all(study) -> None:
    from studies.services import answering

    for annotator in study.annotators.filter(purpose="main"):
        answering.join_study(annotator)
        for phase in ("consent", "instructions"):
            answering.pass_phase(annotator, phase)


def measure_while(raters: list[Rater], command: list[str] | None) -> dict:
    """What people met while the command ran; without one, for 20 seconds."""
    for rater in raters:
        rater.replies.clear()
    start = time.monotonic()
    values: dict[str, Any] = {}
    if command is None:
        time.sleep(20)
    else:
        with tempfile.NamedTemporaryFile(suffix=".json") as out:
            process = subprocess.run(
                [sys.executable, "bench/held_locks.py", out.name, *command],
                cwd=ROOT, timeout=BOUND, capture_output=True, check=False,
            )  # fmt: skip
            values = {"exit": process.returncode, "output": (process.stdout + process.stderr).decode()[-300:]}
            values["lock"] = json.loads(out.read() or b"{}")
    return {"seconds": round(time.monotonic() - start, 1), "load": os.getloadavg()[0], **values, **summary(raters)}


if __name__ == "__main__":
    sys.exit(main())
