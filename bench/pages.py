"""How long the pages beside the results page take on large studies, and where the time goes.

    python bench/pages.py [--study answers|pairs|both] [--texts 100] [--database sqlite|postgresql] [--only NAME …]

`answers`: the guess-then-read study of `bench/reports.py` with so many texts (500 are a million responses), in which
one of the 17 annotators is a model. `pairs`: judgments of 15 pairs of each text by 17 people, 5 of them of each text in
a calibration. The results page has been worked out before; each page is opened in a process of its own, with a worker.

`first`: seconds until the page, or the one that says how far it is, stands; `worker`: what a worker then takes;
`then`: the page after that; `again`: once more. Of all four, `database` is spent in queries (without fetching rows),
`frame` on reading answers into frames, `rest` on measures, rows and pages; `cpu` are seconds of the processor, which
a busy machine stretches less. Memory is the most of the process.
"""

import argparse
import csv
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from contextlib import ExitStack
from importlib import import_module
from itertools import combinations
from pathlib import Path
from urllib.parse import urlencode

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from bench import reports  # noqa: E402
from bench.engine import database  # noqa: E402

reports.SPECS["pairs"] = f"slug: pairs\ntitle: Pairs\nprotocol: pairwise\nlanguage: en\n{reports.PLAN}"
reports.ANNOTATORS["pairs"], reports.GENERATORS["pairs"] = 17, 6
CALIBRATED = 5  # pairs of each text
# Tables and columns of the answers study whose first number that leads somewhere is clicked; `.csv` takes the file.
NUMBERS = {
    "answers": (
        ("informativity", "guessability"),
        ("informativity", "n_items"),
        ("informativity_standardised", "answerability"),
        ("ratings", "mean"),
        ("beside_accuracy", "items_right"),
        ("agreement_with_humans", "kappa"),
        ("item_analysis", "discrimination"),
        ("item_analysis", "miskey"),
        ("unanswerable_items", "share_right"),
        ("description", "value"),
        ("stand_in", "kappa"),
    ),
    "pairs": (("wins", "wins_a"), ("agreement", "percent")),
}
PAGES = {
    "study": "/s/{study}/",
    "results": "/s/{study}/results/",
    "items": "/s/{study}/items/",
    "item": "/s/{study}/items/{item}/",
    "lab": "/s/{study}/agreement/",
    "stand-in": "/s/{study}/stand-in/",
    "planner": "/s/{study}/planner/",
    "shortcuts": "/p/{study}/shortcuts/",
    "pack": "/s/{study}/pack/",
    "csv": "/s/{study}/export/csv/",
    "wide": "/s/{study}/export/wide/",
    "jsonl": "/s/{study}/export/jsonl/",
    "codebook": "/s/{study}/export/codebook/",
    "metrics": "/s/{study}/export/metrics/",
}
NOT_OF_PAIRS = ("items", "shortcuts")


# The studies ----------------------------------------------------------------------------------------------------------


def write_pairs(file: Path) -> int:
    """People prefer generators of a higher number, and differ; the number of rows."""
    rng, n = random.Random(1), 0
    with file.open("w", encoding="utf-8", newline="") as out:
        rows = csv.writer(out)
        rows.writerow(["annotator", "annotator_kind", "stage", "text_id", "item_id", "other_item_id", "question",
                       "value", "part"])  # fmt: skip
        for annotator in range(reports.ANNOTATORS["pairs"]):
            for text in range(reports.TEXTS["pairs"]):
                for number, pair in enumerate(combinations(range(reports.GENERATORS["pairs"]), 2)):
                    one, other = (f"t{text}-g{generator}-0" for generator in pair)
                    value = rng.choices((one, other, "tie"), (3, 4, 1))[0]
                    part = "calibration" if number < CALIBRATED else "main"
                    who = f"a{annotator}", "human", "compare", f"t{text}", one, other
                    rows.writerow([*who, "better", value, part])
                    n += 1
    return n


def make(study: str, folder: Path, _page: str) -> dict[str, float]:
    """The study with its results worked out, and somebody who may see all of it."""
    from django.core.management import call_command

    from projects.models import Membership, Role, User
    from studies.models import Study

    call_command("migrate", verbosity=0)
    call_command("create_project", study)
    reports.write_bank(study, folder / "bank.jsonl")
    (folder / "study.yaml").write_text(reports.SPECS[study])
    file = folder / "answers.csv"
    n = reports.write_answers(file, models=1) if study == "answers" else write_pairs(file)
    call_command("import_items", str(folder / "bank.jsonl"), project=study, verbosity=0)
    call_command("create_study", str(folder / "study.yaml"), project=study)
    call_command("import_responses", str(file), study=study)
    made = Study.objects.get(slug=study)
    user, _new = User.objects.get_or_create(username="bench")
    Membership.objects.get_or_create(project=made.project, user=user, role=Role.OWNER)
    return {"rows": n}


# The pages ------------------------------------------------------------------------------------------------------------


def open_page(study: str, folder: Path, page: str) -> dict[str, float]:
    """One page by its name in `PAGES`, or a number as table.column or table.column.csv."""
    from django.db import connection
    from django.test import Client

    from analysis.frames import evidence, responses
    from config.celery import app
    from jobs import tasks
    from projects.models import User

    for name in ("analysis.figures", "analysis.reports", "analysis.items.sheet"):
        import_module(name)  # takes a second or more, once in a process
    sent: list[int] = []
    app.send_task = lambda name, kwargs, **how: sent.append(kwargs["job_id"])
    client, found, queries = Client(headers={"host": "127.0.0.1"}), Counter[str](), reports.Queries()
    client.force_login(User.objects.get(username="bench"))
    reports.be_there()
    address = address_of(study, page)

    def see(part: str) -> int:
        started, cpu = time.perf_counter(), time.process_time()
        response = client.get(address)
        n = len(b"".join(response)) if response.streaming else len(response.content)
        found[part], found["kilobytes"] = time.perf_counter() - started, n / 1000
        found["cpu"] += time.process_time() - cpu
        assert response.status_code in (200, 202), (address, response.status_code)
        return response.status_code

    with ExitStack() as measured:
        measured.enter_context(connection.execute_wrapper(queries))
        for owner in (evidence, responses):
            measured.enter_context(reports.time_calls(found, owner, "load_every_round", "frame"))
        is_there = see("first") == 200 and not sent
        while sent:  # what one page waits for may be worked out of several
            work_out(sent.pop(0), tasks.work, found)
            is_there = see("then") == 200 and not sent
        assert is_there, address
        see("again")
    found["database"] = queries.seconds
    seconds = sum(found[part] for part in ("first", "worker", "then", "again"))
    found["rest"] = seconds - found["frame"]
    return dict(found)


def work_out(job_id: int, task: Callable[..., object], found: Counter[str]) -> None:
    started, cpu = time.perf_counter(), time.process_time()
    task(job_id=job_id)
    found["worker"] += time.perf_counter() - started
    found["cpu"] += time.process_time() - cpu


def address_of(study: str, page: str) -> str:
    if page in PAGES:
        from items.models import Item

        return PAGES[page].format(study=study, item=Item.objects.order_by("pk")[100].pk)
    from django.http import QueryDict

    from analysis.choices import Choices
    from analysis.results.forms import ResultsForm
    from analysis.services.cached_results import ResultKey, get_result
    from analysis.services.results import STAND_IN, count_by_purpose
    from analysis.tables.page import has_answers
    from studies.models import Study

    made = Study.objects.get(slug=study)
    name, column, *ending = page.split(".")
    choices: Choices = ResultsForm(made, count_by_purpose(made), QueryDict()).choices
    key = ("stand-in", made, choices, ("skilled",)) if name in STAND_IN else ("report", made, choices)
    table = get_result(ResultKey(*key)).table(name)  # computed before
    shown = table.find_number(column)
    row = next(row for row in table.rows if has_answers(table, shown, row[column]))
    query = urlencode({"table": name, "number": column} | table.names(row))
    return f"/s/{study}/results/judgments{'.csv' if ending else '/'}?{query}"


# Running --------------------------------------------------------------------------------------------------------------


def names(study: str) -> list[str]:
    """What is opened, in this order: results first, as others rest on them."""
    pages = [page for page in PAGES if study == "answers" or page not in NOT_OF_PAIRS]
    numbers = [".".join(number) for number in NUMBERS[study]]
    return [*sorted(pages, key=lambda page: page != "results"), *numbers, f"{numbers[0]}.csv"]


def in_a_process(page: str, study: str, folder: Path, environment: dict[str, str], texts: int) -> None:
    command = [sys.executable, __file__, "--child", page, "--study", study, "--folder", str(folder)]
    command += ["--texts", str(texts)]
    output = subprocess.run(command, cwd=ROOT, env=os.environ | environment, stdout=subprocess.PIPE, check=False)
    if output.returncode:
        print(f"{study}, {page}: failed", flush=True)
        return
    found = json.loads(output.stdout.splitlines()[-1])
    parts = ", ".join(f"{part} {value:,.2f}" for part, value in found.items())
    print(f"{study}, {page}: {parts}; load {os.getloadavg()[0]:.1f}", flush=True)


def child(options: argparse.Namespace) -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    import django

    django.setup()
    step = make if options.child == "make" else open_page
    found = step(options.study, options.folder, options.child)
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
    print(json.dumps(found | {"megabytes": most}))


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--study", choices=["answers", "pairs", "both"], default="both")
    parser.add_argument("--texts", type=int, default=100)
    parser.add_argument("--database", choices=["sqlite", "postgresql"], default="sqlite")
    parser.add_argument("--only", nargs="+", default=[], help="pages, or numbers as table.column; results come first")
    parser.add_argument("--folder", type=Path, help="with SQLite: keep the study here, or use the one that is here")
    parser.add_argument("--child", help=argparse.SUPPRESS)
    options = parser.parse_args()
    reports.TEXTS["answers"] = reports.TEXTS["pairs"] = options.texts
    if options.child:
        child(options)
        return 0
    for study in ("answers", "pairs") if options.study == "both" else (options.study,):
        with tempfile.TemporaryDirectory() as name, database(options.database) as url:
            folder = options.folder / study if options.folder and not url else Path(name)
            environment = {"LESART_DATA": str(folder), "DATABASE_URL": url}
            if not (folder / "answers.csv").exists():
                folder.mkdir(parents=True, exist_ok=True)
                in_a_process("make", study, folder, environment, options.texts)
            for page in options.only or names(study):
                in_a_process(page, study, folder, environment, options.texts)
    return 0


if __name__ == "__main__":
    sys.exit(main())
