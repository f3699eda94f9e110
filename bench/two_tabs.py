"""Races of two tabs that hand in one page with different answers: the tab that is told so must be the one stored.

    python bench/two_tabs.py [--races 100] [--postgres] [--out FILE.json]

Starts a server of its own on 127.0.0.1 with a data folder of its own, on SQLite, or with --postgres on a PostgreSQL
server of its own. Exits 1 unless in every race of every protocol one tab was told so and its answers are stored.
"""

import argparse
import json
import os
import sys
import tempfile
import urllib.error
import urllib.parse
import urllib.request
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from pathlib import Path
from threading import Barrier

from long_writes import postgres
from walk import prepare, server


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--races", type=int, default=100)
    parser.add_argument("--postgres", action="store_true")
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    with postgres() if options.postgres else nullcontext(), tempfile.TemporaryDirectory() as folder:
        prepare(folder)
        studies = make_studies(options.races)
        with server() as base:
            outcomes = {name: Counter(races(study, base, options.races)) for name, study in studies.items()}
    found = {"database": "PostgreSQL" if options.postgres else "SQLite", "load": os.getloadavg()[0]}
    found |= {name: dict(counts) for name, counts in outcomes.items()}
    text = json.dumps(found, indent=1)
    if options.out:
        options.out.write_text(text)
    print(text)
    return 0 if all(counts == {"as told": options.races} for counts in outcomes.values()) else 1


def make_studies(races: int) -> dict:
    """A study of each protocol with as many annotators as races; each races at their first stage."""
    from django.core.management import call_command

    from projects.models import Project
    from tests.tabs import STUDIES

    call_command("migrate", verbosity=0)
    made = {}
    for name, make in STUDIES.items():
        project = Project.objects.create(slug=name, title=name)
        plan = {"annotators": races, "shared_texts": 0, "own_texts": 0}
        made[name] = make(project, slug=name, plan=plan)
    return made


def races(study, base: str, number: int):
    from studies.models import Assignment
    from studies.services import answering
    from studies.services.declarations import get_declaration
    from tests.tabs import fill_form, is_stored_as_sent, main_form

    for annotator in study.annotators.filter(purpose="main")[:number]:
        answering.join_study(annotator)
        for phase in get_declaration(study).phases:
            answering.pass_phase(annotator, phase)
        page = ask(base, annotator, f"/work/{annotator.public_id}/")[1]
        tabs, gate = [fill_form(main_form(page), tab) for tab in (0, 1)], Barrier(2)
        assignment = annotator.assignments.open().first()
        with ThreadPoolExecutor(2) as pool:
            told = list(pool.map(hand_in, [base] * 2, [annotator] * 2, tabs, [gate] * 2))
        stored = [is_stored_as_sent(Assignment.objects.get(pk=assignment.pk), assignment.stage, sent) for sent in tabs]
        yield "as told" if sorted(told) == [False, True] and stored == told else f"told {told}, stored {stored}"


def hand_in(base: str, annotator, sent: dict, gate: Barrier) -> bool:
    """Whether the tab was told that it handed in; what is asked to be confirmed is."""
    from tests.tabs import hidden_fields, main_form

    gate.wait(60)
    status, page = ask(base, annotator, f"/work/{annotator.public_id}/", sent)
    form = main_form(page)
    if status == 200 and form and str(form.get("action", "")).endswith("/confirm/"):
        status, _page = ask(base, annotator, str(form["action"]), hidden_fields(form))
    return status == 200


def ask(base: str, annotator, path: str, data: dict | None = None) -> tuple[int, str]:
    body = urllib.parse.urlencode(data, doseq=True).encode() if data else None
    headers = {"Cookie": f"lesart-work={annotator.token}", "X-Lesart-Part": "1"}
    try:
        with urllib.request.urlopen(urllib.request.Request(base + path, body, headers), timeout=60) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


if __name__ == "__main__":
    sys.exit(main())
