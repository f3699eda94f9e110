"""Simulate people who come by an open link; a third leaves early. Every cell of the plan ends with its quota of work.

    python bench/strangers.py [--places 130] [--arrivals 200] [--burst 25] [--postgres] [--out FILE.json]

Starts a server of its own on 127.0.0.1 with a data folder of its own. Arrivals come in bursts, as browsers do, from two
platforms, each with a study. After each burst the script moves the clock past the time-out, by moving what is stored to
earlier; some of those who left come back. Exits 1 unless every cell has exactly one finished assignment, nobody was
refused while a cell was free or after consent, and every acknowledged page is stored once, as sent.
"""

import argparse
import http.cookiejar
import json
import os
import resource
import sys
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import Path
from random import Random

from long_writes import postgres
from walk import prepare, server

UNITS = 2  # of each place
LEAVING = 1 / 3
RETURNING = 1 / 4  # of those who left
PLATFORMS = {
    "prolific": ({"platform": "prolific"}, "PROLIFIC_PID", "https://app.prolific.com/submissions/complete?cc=DONE"),
    "other": (
        {"platform": "other", "id_parameter": "pid", "return_to": "https://panel.example/back?c={code}"},
        "pid",
        "https://panel.example/back?c=DONE",
    ),
}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--places", type=int, default=130)
    parser.add_argument("--arrivals", type=int, default=200)
    parser.add_argument("--burst", type=int, default=25)
    parser.add_argument("--postgres", action="store_true")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    with postgres() if options.postgres else nullcontext(), tempfile.TemporaryDirectory() as folder:
        prepare(folder)
        shares = {"prolific": options.places * 10 // 13, "other": options.places - options.places * 10 // 13}
        studies = {name: make_study(name, places) for name, places in shares.items()}
        with server() as base:
            start, cpu = time.monotonic(), children_cpu()
            found = {name: run(studies[name], base, name, options, shares[name]) for name in studies}
            seconds = time.monotonic() - start
        used = children_cpu() - cpu
    found |= {"database": "PostgreSQL" if options.postgres else "SQLite", "seconds": round(seconds, 1)}
    found |= {"cpu_seconds_of_the_server": round(used, 1), "load": os.getloadavg()[0]}
    text = json.dumps(found, indent=1)
    if options.out:
        options.out.write_text(text)
    print(text)
    return 1 if any(found[name]["wrong"] for name in studies) else 0


def children_cpu() -> float:
    """Of ended children; the server's is known once it has ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def make_study(name: str, places: int):
    """A study of guesses and reading: as many texts as make whole places of two."""
    from django.core.management import call_command

    from projects.models import Project
    from tests.studies import world

    call_command("migrate", verbosity=0)
    project = Project.objects.create(slug=name, title=name)
    per_unit = next(number for number in (10, 6, 5, 4, 3, 2, 1) if places * UNITS % number == 0)
    world.bank(project, texts=places * UNITS // per_unit, items=1)
    recruitment = {"open_link": True, "minutes": 10, "codes": {"finished": "DONE"}} | PLATFORMS[name][0]
    plan = {"annotators": places, "per_unit": per_unit}
    return world.make_live_study(project, slug=name, plan=plan, recruitment=recruitment)


def run(study, base: str, name: str, options, places: int) -> dict:
    """All bursts of one study; what came of it."""
    rng, visitors, wrong = Random(name), [], []
    number = options.arrivals * places // options.places
    while len(visitors) < number or (count_free(study) and len(visitors) < 3 * number):
        burst = [make_visitor(study, base, name, len(visitors) + place, rng) for place in range(options.burst)]
        back = [each for each in visitors if each.outcome == "left" and rng.random() < RETURNING]
        for each in back:
            each.leaves_after = None
        visitors += burst
        with ThreadPoolExecutor(options.burst) as pool:
            list(pool.map(Visitor.walk, [*burst, *back]))
        if any(each.outcome == "no place" for each in burst) and count_free(study):
            wrong.append("refused while a cell was free")
        move_clock(study, minutes=31)
    wrong += [problem for each in visitors for problem in each.wrong]
    wrong += check_cells(study) + check_answers(visitors)
    counted = Counter(each.outcome for each in visitors)
    surplus = study.annotators.filter(assignments__apart="surplus").distinct().count()
    return {"places": places, "arrivals": len(visitors), "surplus": surplus, "outcomes": counted,
            "pages_acknowledged": sum(len(each.acknowledged) for each in visitors), "wrong": wrong[:20]}  # fmt: skip


def make_visitor(study, base: str, name: str, number: int, rng: Random) -> "Visitor":
    path = f"/open/{study.open_token}/?{PLATFORMS[name][1]}=person{number}"
    leaves = rng.randrange(1, 4 + 3 * UNITS) if rng.random() < LEAVING else None
    return Visitor(base, path, PLATFORMS[name][2], leaves)


def count_free(study) -> int:
    from studies.services.recruiting import filter_free

    return filter_free(study, None).count()


def move_clock(study, minutes: int) -> None:
    """Everybody was seen so many minutes earlier; then what times out is returned, as with a worker's heartbeat."""
    from datetime import timedelta

    from django.db.models import F

    from studies.services.recruiting import return_timed_out_work

    ago = timedelta(minutes=minutes)
    study.annotators.update(last_seen=F("last_seen") - ago, joined_at=F("joined_at") - ago)
    return_timed_out_work()


def check_cells(study) -> list[str]:
    """Every cell is held by exactly one assignment, which is finished."""
    from studies.models import Assignment, Slot

    held = Counter(
        Assignment.objects.filter(slot__unit__study=study, returned_at=None, finished_at__isnull=False).values_list(
            "slot", flat=True
        )
    )
    slots = Slot.objects.filter(unit__study=study, purpose="main").values_list("pk", flat=True)
    wrong = [f"cell {slot}: {held[slot]} finished" for slot in slots if held[slot] != 1]
    under_way = Assignment.objects.filter(slot__unit__study=study, returned_at=None, finished_at=None).count()
    return wrong + ([f"{under_way} cells still under way"] if under_way else [])


def check_answers(visitors: list["Visitor"]) -> list[str]:
    """Every acknowledged page is stored once, with the answers sent."""
    from studies.models import Assignment, Submission
    from tests.tabs import is_stored_as_sent

    by_handle = {
        row[0]: (assignment, stage)
        for assignment in Assignment.objects.all()
        for stage, rows in assignment.shown.items()
        for row in rows
    }
    wrong = []
    for sent, stage in (page for each in visitors for page in each.acknowledged):
        assignment, _stage = by_handle[sent["item"][0]]
        if Submission.objects.filter(assignment=assignment, stage=stage).count() != 1:
            wrong.append(f"{assignment} {stage}: acknowledged, not stored once")
        elif not is_stored_as_sent(assignment, stage, sent):
            wrong.append(f"{assignment} {stage}: stored otherwise than sent")
    return wrong


@dataclass
class Visitor:
    """A browser without JavaScript that presses each page's button; `leaves_after` so many of them."""

    base: str
    path: str
    return_link: str
    leaves_after: int | None
    outcome: str = "new"
    wrong: list[str] = field(default_factory=list)
    acknowledged: list[tuple[dict, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.opener = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar()))

    def walk(self) -> None:
        from tests.tabs import fill_form, hidden_fields, main_form

        address, page = self.ask(self.path)
        presses = 0
        guessed: dict = {}
        while form := main_form(page):
            if self.leaves_after is not None and presses >= self.leaves_after:
                self.outcome = "left"
                return
            is_stage = form.get("id") == "stage"
            sent = fill_form(form, 0) if is_stage else hidden_fields(form)
            stage = "read" if "rating" in " ".join(sent) else "guess"
            address, following = self.ask(str(form.get("action") or address), sent)
            presses += 1
            if is_stage and stage == "guess":
                guessed = sent  # acknowledged once it is confirmed
            elif str(form.get("action", "")).endswith("/confirm/") and main_form(following):
                self.acknowledged.append((guessed, "guess"))
            elif is_stage:
                self.acknowledged.append((sent, "read"))
            page = following
        self.end(page, presses)

    def end(self, page: str, presses: int) -> None:
        if "All places are taken" in page:
            self.outcome = "no place"
            if presses > 1:
                self.wrong.append("told after having begun that there is no place")
            return
        self.outcome = "finished"
        if self.return_link not in page:
            self.wrong.append("finished without the link back")

    def ask(self, path: str, data: dict | None = None) -> tuple[str, str]:
        body = urllib.parse.urlencode(data, doseq=True).encode() if data else None
        address = path if path.startswith("http") else self.base + path
        try:
            with self.opener.open(urllib.request.Request(address, body), timeout=120) as answer:
                return answer.url, answer.read().decode()
        except urllib.error.HTTPError as error:
            if error.code != 409:
                self.wrong.append(f"status {error.code}")
            return address, error.read().decode()


if __name__ == "__main__":
    sys.exit(main())
