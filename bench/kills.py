"""Launches, imports and erasures killed by -9 at random moments: each is whole or not done, the next try succeeds.

    python bench/kills.py [--seconds 300] [--postgres] [--seed 1] [--out FILE.json]

In turn a study is launched, items and answers are imported, and a person withdraws, each by its command in a data
folder of its own, on SQLite, or with --postgres on a PostgreSQL server of its own. A command is killed at a moment
drawn from the time that it took undisturbed; then nothing or all of it must be there, and the same command once more
must complete it and leave no scratch row. Exits 1 at the first fault.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from random import Random

from annotators import PROTOCOLS, write_bank
from long_writes import postgres
from walk import ROOT, prepare

TEXTS, PEOPLE = 200, 24
FEW = 2  # people of a study that one of them leaves
DIMENSIONS = ("fluency", "clarity", "conciseness", "relevance", "consistency", "answerability")


@dataclass(frozen=True)
class Act:
    """A command that writes or deletes much, and how many rows it should have written or deleted under a slug."""

    command: Callable[[str], list[str]]
    prepare: Callable[[str], None]
    count: Callable[[str], int]
    whole: int


def main() -> int:
    options = arguments()
    with postgres() if options.postgres else nullcontext(), tempfile.TemporaryDirectory() as folder:
        prepare(folder)
        found = kill_until(options, make_acts(Path(folder)))
    found |= {"database": "PostgreSQL" if options.postgres else "SQLite", "load": os.getloadavg()[0]}
    text = json.dumps(found, indent=1)
    if options.out:
        options.out.write_text(text)
    print(text)
    return 1 if found["faults"] else 0


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seconds", type=int, default=300)
    parser.add_argument("--postgres", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path)
    return parser.parse_args()


def make_acts(folder: Path) -> dict[str, Act]:
    from django.core.management import call_command

    from items.models import Item
    from studies.models import Annotator, Assignment, Response

    bank, answers, few = (folder / name for name in ("bank.jsonl", "answers.csv", "few.csv"))
    call_command("migrate", verbosity=0)
    call_command("create_project", "large", verbosity=0)
    write_bank(bank, "large", TEXTS, 1, 1)
    call_command("import_items", str(bank), project="large", verbosity=0)
    answers.write_text("\n".join(list_answers(PEOPLE)))
    few.write_text("\n".join(list_answers(FEW)))
    of_one = TEXTS * len(DIMENSIONS)

    def make_study(slug: str) -> None:
        spec = {"slug": slug, "title": slug, "protocol": PROTOCOLS["rating"], "language": "en"}
        (folder / "study.yaml").write_text(json.dumps(spec | {"plan": {"annotators": PEOPLE, "seed": 1}}))
        call_command("create_study", str(folder / "study.yaml"), project="large", stdout=sys.stderr)

    def make_answered_study(slug: str) -> None:
        make_study(slug)
        call_command("import_responses", str(few), study=slug, stdout=sys.stderr)

    def count_erased(slug: str) -> int:
        people = Annotator.objects.filter(study__slug=slug, code="a0")
        return of_one - Response.objects.filter(assignment__annotator__in=people).count()

    of_study = Assignment.objects.filter
    return {
        "launch": Act(
            lambda slug: ["launch_study", slug], make_study,
            lambda slug: of_study(annotator__study__slug=slug, annotator__purpose="main").count(), TEXTS * PEOPLE,
        ),
        "items": Act(
            lambda slug: ["import_items", str(bank), "--project", slug],
            lambda slug: call_command("create_project", slug, verbosity=0),
            lambda slug: Item.objects.filter(text__project__slug=slug).count(), TEXTS,
        ),
        "answers": Act(
            lambda slug: ["import_responses", str(answers), "--study", slug], make_study,
            lambda slug: Response.objects.filter(assignment__annotator__study__slug=slug).count(),
            PEOPLE * of_one,
        ),
        "erasure": Act(
            lambda slug: ["withdraw_person", "--code", "a0", "--study", slug], make_answered_study, count_erased, of_one
        ),
    }  # fmt: skip


def list_answers(people: int) -> list[str]:
    from items.models import Item

    rng, rows = Random(1), ["annotator,stage,text_id,item_id,question,value"]
    for item, text in Item.objects.values_list("external_id", "text__external_id"):
        for person in range(people):
            rows += [f"a{person},rate,{text},{item},{name},{rng.choice('123')}" for name in DIMENSIONS]
    return rows


def kill_until(options: argparse.Namespace, acts: dict[str, Act]) -> dict:
    rng, usual, kills, outcomes, faults = Random(options.seed), {}, Counter(), Counter(), []
    for name, act in acts.items():
        act.prepare(f"{name}-usual")
        start = time.monotonic()
        code = run(act.command(f"{name}-usual"))
        usual[name] = time.monotonic() - start
        faults += check(act, f"{name}-usual", [act.whole], f"{name} undisturbed, exit {code}")
    end, number = time.monotonic() + options.seconds, 0
    while time.monotonic() < end and not faults:
        number += 1
        name = list(acts)[number % len(acts)]
        act, slug = acts[name], f"{name}-{number}"
        act.prepare(slug)
        moment = rng.uniform(0.2, 1) * usual[name]
        was_killed = run(act.command(slug), moment) < 0
        kills[name] += was_killed
        faults += check(act, slug, [0, act.whole] if was_killed else [act.whole], f"{slug} killed after {moment:.2f} s")
        outcomes["whole" if act.count(slug) else "nothing"] += was_killed
        if not act.count(slug):
            code = run(act.command(slug))
            faults += check(act, slug, [act.whole], f"{slug} once more, exit {code}") + find_scratch(slug)
    return {"kills": dict(kills), "after_a_kill": dict(outcomes), "faults": faults, "usual_seconds": usual}


def run(command: list[str], kill_after: float | None = None) -> int:
    """The exit code; negative if it was killed."""
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen([sys.executable, "manage.py", *command], cwd=ROOT, **quiet)
    try:
        return process.wait(kill_after)
    except subprocess.TimeoutExpired:
        process.kill()
        return process.wait()


def check(act: Act, slug: str, allowed: list[int], what: str) -> list[str]:
    count = act.count(slug)
    return [] if count in allowed else [f"{what}: {count} rows, not {' or '.join(map(str, allowed))}"]


def find_scratch(slug: str) -> list[str]:
    from projects.models import Project
    from studies.models import Study

    left = Study.everything.exclude(writer="").count() + Project.everything.exclude(writer="").count()
    return [f"{slug}: {left} scratch rows are left"] if left else []


if __name__ == "__main__":
    sys.exit(main())
