"""How long large studies take to import and to report, and where the time goes.

    python bench/reports.py [--study ratings|answers|both] [--database sqlite|postgresql]

`ratings`: 3,000 questions (200 texts, 15 generators) × 7 dimensions × 3 annotators. `answers`: a million responses of a
guess-then-read study (500 texts, 4 generators × 5 items of 4 options, 17 annotators). Both are drawn from a fixed seed,
imported by the commands from files, reported into a folder, and their results page is opened as visitors do. Each
step is a process of its own; seconds are wall clock but for `cpu`, memory is its most; `share` is of the first draw.
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
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from bench.engine import database  # noqa: E402

DIMENSIONS = ("fluency", "clarity", "conciseness", "relevance", "consistency", "answerability", "answer_consistency")
PLAN = "plan: {annotators: 1, seed: 1}\n"
SPECS = {
    "ratings": f"slug: ratings\ntitle: Ratings\nprotocol: dimension-ratings\nlanguage: en\n{PLAN}",
    "answers": f"slug: answers\ntitle: Answers\nprotocol: guess-then-read\nlanguage: en\n{PLAN}",
}
TEXTS = {"ratings": 200, "answers": 500}
ANNOTATORS = {"ratings": 3, "answers": 17}
GENERATORS = {"ratings": 15, "answers": 4}
LETTERS, ITEMS = "abcd", 5
COLUMNS = [
    "annotator",
    "annotator_kind",
    "group",
    "round",
    "stage",
    "text_id",
    "item_id",
    "option_id",
    "question",
    "value",
]


# The studies ----------------------------------------------------------------------------------------------------------


def write_bank(study: str, file: Path) -> None:
    with file.open("w", encoding="utf-8") as lines:
        for text in range(TEXTS[study]):
            body = f"In the year {1500 + text} a bridge was built over the river {text}. It stood for a long time. " * 8
            items = [item(study, text, generator, number) for generator, number in places(study)]
            line = {"id": f"t{text}", "title": f"Bridge {text}", "text": body, "language": "en", "items": items}
            lines.write(json.dumps(line | {"metadata": {"dataset": f"set {text % 2}"}}) + "\n")


def places(study: str) -> list[tuple[int, int]]:
    """Generator and number of each item of a text."""
    each = ITEMS if study == "answers" else 1
    return [(generator, number) for generator in range(GENERATORS[study]) for number in range(each)]


def item(study: str, text: int, generator: int, number: int) -> dict:
    made = {"id": f"t{text}-g{generator}-{number}", "generator": f"generator {generator}"}
    made["question"] = f"What does question {number} of {generator} ask about bridge {text}?"
    if study == "ratings":
        return made | {"answer": f"in {1500 + text}"}
    options = [
        {"id": "abcd"[place], "text": f"answer {place} of {number}", "correct": place == 0} for place in range(4)
    ]
    return made | {"answers": options}


def write_ratings(file: Path) -> int:
    """Scores around a mean of the generator, 1 to 3; the number of rows."""
    rng, n = random.Random(1), 0
    with file.open("w", encoding="utf-8", newline="") as out:
        rows = csv.writer(out)
        rows.writerow(COLUMNS)
        for text in range(TEXTS["ratings"]):
            for generator, number in places("ratings"):
                for dimension in DIMENSIONS:
                    true = 1.8 + generator / 15 + rng.gauss(0, 0.4)
                    for annotator in range(ANNOTATORS["ratings"]):
                        score = min(3, max(1, round(true + rng.gauss(0, 0.5))))
                        key = f"t{text}", f"t{text}-g{generator}-{number}", ""
                        rows.writerow([f"a{annotator}", "human", "", 1, "rate", *key, dimension, score])
                        n += 1
    return n


def write_answers(file: Path, models: int = 0) -> int:
    """Each guesses one generator of a text and reads all, the last `models` of them are models; the number of rows."""
    rng, n = random.Random(1), 0
    with file.open("w", encoding="utf-8", newline="") as out:
        rows = csv.writer(out)
        rows.writerow(COLUMNS)
        for annotator in range(ANNOTATORS["answers"]):
            for text in range(TEXTS["answers"]):
                for generator, number in places("answers"):
                    stages = {"read": 0.8} | ({"guess": 0.6} if generator == (text + annotator) % 4 else {})
                    for stage, right in stages.items():
                        kind = "human" if annotator < ANNOTATORS["answers"] - models else "model"
                        who = [f"a{annotator}", kind, "", 1, stage, f"t{text}", f"t{text}-g{generator}-{number}"]
                        for letter in LETTERS:
                            ticked = (letter == "a") == (rng.random() < right)
                            rows.writerow([*who, letter, "answer", str(ticked).lower()])
                        n += len(LETTERS)
                        if stage == "read":
                            rows.writerow([*who, "", "rating", rng.choice((2, 3, 4, 4, 5))])
                            n += 1
    return n


# The steps ------------------------------------------------------------------------------------------------------------


class Queries:
    """Seconds spent executing queries; what is fetched afterwards is not in it."""

    def __init__(self) -> None:
        self.seconds, self.n = 0.0, 0

    def __call__(self, execute, sql, params, many, context):
        started = time.perf_counter()
        try:
            return execute(sql, params, many, context)
        finally:
            self.seconds, self.n = self.seconds + time.perf_counter() - started, self.n + 1


@contextmanager
def time_calls(found: Counter, owner, name: str, part: str):
    """Adds the seconds of a function to a part; calls within calls count once."""
    function, inside = getattr(owner, name), []

    def measure(*arguments, **named):
        if inside:
            return function(*arguments, **named)
        inside.append(True)
        started = time.perf_counter()
        try:
            return function(*arguments, **named)
        finally:
            found[part] += time.perf_counter() - started
            inside.pop()

    setattr(owner, name, measure)
    try:
        yield
    finally:
        setattr(owner, name, function)


def step(name: str, study: str, folder: Path) -> dict[str, float]:
    """One step in this process: its seconds, and of which parts."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    import django

    django.setup()
    steps = {"prepare": prepare, "import": import_answers, "export": export, "report": report}
    steps |= {"first page": open_first_page, "page": page}
    steps |= {"items list": partial(open_working_page, "items/"), "stand-in": partial(open_working_page, "stand-in/")}
    return steps[name](study, folder)


def prepare(study: str, folder: Path) -> dict[str, float]:
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    call_command("create_project", study)
    write_bank(study, folder / "bank.jsonl")
    (folder / "study.yaml").write_text(SPECS[study])
    n = {"ratings": write_ratings, "answers": write_answers}[study](folder / "answers.csv")
    started = time.perf_counter()
    call_command("import_items", str(folder / "bank.jsonl"), project=study, verbosity=0)
    seconds = time.perf_counter() - started
    call_command("create_study", str(folder / "study.yaml"), project=study)
    return {"rows": n, "bank": seconds}


def import_answers(study: str, folder: Path) -> dict[str, float]:
    from django.core.management import call_command
    from django.db import connection

    queries = Queries()
    started = time.perf_counter()
    with connection.execute_wrapper(queries):
        call_command("import_responses", str(folder / "answers.csv"), study=study)
    return {"seconds": time.perf_counter() - started, "queries": queries.seconds}


def export(study: str, folder: Path) -> dict[str, float]:
    from django.core.management import call_command

    started = time.perf_counter()
    call_command("export_responses", study, format="csv", out=str(folder / "export.csv"))
    return {"seconds": time.perf_counter() - started}


def report(study: str, folder: Path) -> dict[str, float]:
    from django.core.management import call_command
    from django.db import connection

    from analysis.frames import evidence
    from analysis.services import reporting

    found, queries = Counter(), Queries()
    guess_then_read = import_module("analysis.protocols.guess_then_read.report")
    started = time.perf_counter()
    with (
        connection.execute_wrapper(queries),
        time_calls(found, evidence, "load_every_round", "frame"),
        time_calls(found, guess_then_read, "build_informativity", "informativity"),
        time_calls(found, guess_then_read, "build_agreement", "agreement"),
        time_calls(found, reporting, "write_tables", "tables"),
        time_calls(found, reporting, "write_figures", "figures"),
    ):
        call_command("report", study, out=str(folder / "report"))
    found["seconds"], found["queries"] = time.perf_counter() - started, queries.seconds
    found["measures"] = found["seconds"] - found["frame"] - found["tables"] - found["figures"]
    return dict(found)


def open_first_page(study: str, folder: Path) -> dict[str, float]:
    """The first results page of a process, with the worker's part; `cpu` is of both with all that they import."""
    from jobs.models import Job

    Job.objects.all().delete()
    return open_working_page("results/", study, folder)


def open_working_page(address: str, study: str, folder: Path) -> dict[str, float]:
    """A page of the study, with the worker's part where it needs one."""
    from jobs import tasks
    from studies.models import Study

    started = time.perf_counter()
    client, sent = make_visitor(Study.objects.get(slug=study))
    be_there()
    client.get(f"/s/{study}/{address}")
    for job_id in sent:
        tasks.work(job_id=job_id)
    assert client.get(f"/s/{study}/{address}").status_code == 200
    return {"seconds": time.perf_counter() - started}


def make_visitor(study):
    """A signed-in owner's client, and the ids of the jobs that are sent to a worker from now on."""
    from django.test import Client

    from config.celery import app
    from projects.models import Membership, Role, User

    user, _new = User.objects.get_or_create(username="bench")
    Membership.objects.get_or_create(project=study.project, user=user, role=Role.OWNER)
    client, sent = Client(headers={"host": "127.0.0.1"}), []
    client.force_login(user)
    app.send_task = lambda name, kwargs, **how: sent.append(kwargs["job_id"])
    return client, sent


def page(study: str, folder: Path) -> dict[str, float]:
    """Seconds until the results page stands, as its visitors meet it.

    `request`: first draw, computed in the request as of a small study; `share` of it is the report. `panel`: first
    draw as of a large one, for which a worker then takes `worker` seconds. `drawn`: the page after it. `figures`: all
    of its figures, one after another. `answered`: the page after one more answer, with the earlier results.
    """
    from django.conf import settings
    from django.test import override_settings

    from analysis.results.forms import ResultsForm
    from analysis.services import computing
    from analysis.services.results import count_by_purpose, get_report
    from jobs import tasks
    from jobs.models import Job
    from studies.models import Study

    made, found = Study.objects.get(slug=study), Counter()
    client, sent = make_visitor(made)

    def open_page(part: str):
        started = time.perf_counter()
        response = client.get(f"/s/{study}/results/")
        found[part] = time.perf_counter() - started
        assert response.status_code == 200, response.status_code
        return response

    Job.objects.all().delete()
    small = override_settings(LESART=settings.LESART | {"RESULTS_AT_ONCE": sys.maxsize})
    with small, time_calls(found, computing, "compute_report", "report"):
        open_page("request")
    found["share"] = found.pop("report") / found["request"]
    Job.objects.all().delete()
    be_there()
    open_page("panel")
    started = time.perf_counter()
    tasks.work(job_id=sent[-1])
    found["worker"] = time.perf_counter() - started
    shown = open_page("drawn")
    found["kilobytes"] = len(shown.content) / 1000
    started = time.perf_counter()
    asked = ResultsForm(made, count_by_purpose(made)).choices
    for name in get_report(made, asked).figures:
        assert client.get(f"/s/{study}/results/figures/{name}.svg").status_code == 200
    found["figures"] = time.perf_counter() - started
    answer_once(study)
    be_there()
    open_page("answered")
    return dict(found)


def be_there() -> None:
    """A worker is alive."""
    from django.utils import timezone

    from jobs.models import Worker

    Worker.objects.update_or_create(name="bench", defaults={"started_at": timezone.now(), "last_seen": timezone.now()})


def answer_once(study: str) -> None:
    """One more answer of somebody new, like the study's last."""
    from studies.models import Annotator, Response

    last = Response.objects.filter(assignment__annotator__study__slug=study).order_by("pk").last()
    assignment = last.assignment
    somebody = Annotator.objects.create(study=assignment.annotator.study, code="one-more", reading="ticked")
    assignment.pk, assignment.annotator = None, somebody
    assignment.save(force_insert=True)
    last.assignment = assignment
    last.pk = None
    last.save(force_insert=True)


def in_a_process(name: str, study: str, folder: Path, environment: dict[str, str]) -> None:
    command = [sys.executable, __file__, "--step", name, "--study", study, "--folder", str(folder)]
    command += ["--texts", str(TEXTS["answers"])]
    output = subprocess.run(command, cwd=ROOT, env=os.environ | environment, stdout=subprocess.PIPE, check=True)
    found = json.loads(output.stdout.splitlines()[-1])
    parts = ", ".join(f"{part} {value:,.2f}" for part, value in found.items())
    print(f"{study}, {name}: {parts}; load {os.getloadavg()[0]:.1f}", flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("--study", choices=["ratings", "answers", "both"], default="both")
    parser.add_argument("--database", choices=["sqlite", "postgresql"], default="sqlite")
    parser.add_argument("--step", help=argparse.SUPPRESS)
    parser.add_argument("--folder", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--texts", type=int, help="of the study `answers`, instead of 500")
    options = parser.parse_args()
    TEXTS["answers"] = options.texts or TEXTS["answers"]
    if options.step:
        found = step(options.step, options.study, options.folder)
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
        print(json.dumps(found | {"cpu": time.process_time(), "megabytes": most}))
        return 0
    for study in ("ratings", "answers") if options.study == "both" else (options.study,):
        with tempfile.TemporaryDirectory() as name, database(options.database) as url:
            environment = {"LESART_DATA": name, "DATABASE_URL": url}
            for part in ("prepare", "import", "export", "report", "first page", "page"):
                in_a_process(part, study, Path(name), environment)
    return 0


if __name__ == "__main__":
    sys.exit(main())
