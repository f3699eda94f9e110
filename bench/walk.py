"""Six annotators click through the planted study in Chromium; export and report must equal what was planted.

    python bench/walk.py [--width 1280] [--screenshots DIR]

Runs against a server of its own with a data folder of its own, on SQLite, or on DATABASE_URL if it is set (the database
should be empty). Prints what it checked and how long each annotator took; exits 1 if anything differs.
"""

import argparse
import csv
import io
import json
import os
import subprocess
import sys
import tempfile
import time
import urllib.request
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
CHROMIUM = ["--no-sandbox", "--disable-background-networking", "--disable-component-update", "--disable-sync"]
CHROMIUM += ["--disable-quic", "--no-first-run"]


def main() -> int:
    options = arguments()
    with tempfile.TemporaryDirectory() as folder:
        prepare(folder)
        study = launch_study(Path(folder))
        with server() as base:
            for seat, seconds in enumerate(click_through(study, base, options)):
                print(f"annotator {seat + 1} of 6 clicked through 10 texts in {seconds:.0f} s")
        return check(study, Path(folder))


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--width", type=int, default=1280)
    parser.add_argument("--screenshots", type=Path)
    return parser.parse_args()


def prepare(folder: str) -> None:
    os.environ |= {"LESART_DATA": folder, "DJANGO_SETTINGS_MODULE": "config.settings"}
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "1"  # Playwright's loop runs in this thread
    import django

    django.setup()


def launch_study(folder: Path):
    from django.core.management import call_command

    from projects.models import Project
    from studies.models import Study
    from tests import walk

    call_command("migrate", verbosity=0)
    Project.objects.create(slug="walk", title="Walk")
    (folder / "bank.jsonl").write_text(walk.bank())
    (folder / "study.yaml").write_text(walk.spec("walk", "walk"))
    call_command("import_items", str(folder / "bank.jsonl"), project="walk", verbosity=0)
    call_command("create_study", str(folder / "study.yaml"), project="walk", launch=True)
    return Study.objects.get(slug="walk")


@contextmanager
def server():
    from config.cli.resources import find_free_port

    port = find_free_port()
    command = [sys.executable, "-m", "gunicorn", "config.wsgi", "--bind", f"127.0.0.1:{port}", "--threads", "8"]
    process = subprocess.Popen(command, cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT)}, stderr=subprocess.DEVNULL)
    base = f"http://127.0.0.1:{port}"
    try:
        wait_for(base + "/accounts/login/")
        yield base
    finally:
        process.terminate()
        process.wait(60)  # gunicorn gives open connections 30 s


def wait_for(address: str) -> None:
    for _try in range(100):
        try:
            urllib.request.urlopen(address, timeout=5).close()
            return
        except OSError:
            time.sleep(0.2)
    raise SystemExit("The server did not start.")


def click_through(study, base: str, options: argparse.Namespace):
    from playwright.sync_api import sync_playwright

    from tests import walk
    from tests.walkers import BrowserWalker

    items = walk.by_stem(study)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=os.environ.get("LESART_CHROMIUM") or None, args=CHROMIUM)
        for annotator in walk.annotators(study):
            start = time.monotonic()
            page = browser.new_context(viewport={"width": options.width, "height": 900}).new_page()
            BrowserWalker(page, base, annotator.seat, items).work_through(annotator.get_link())
            if options.screenshots:
                page.screenshot(path=options.screenshots / f"done-{annotator.code}.png")
            page.context.close()
            yield time.monotonic() - start
        browser.close()


def check(study, folder: Path) -> int:
    """Hold the export and the report against what was planted; 0 if nothing differs."""
    from django.core.management import call_command

    from tests import walk

    call_command("export_responses", "walk", format="csv", out=str(folder / "walk.csv"))
    rows = list(csv.DictReader(io.StringIO((folder / "walk.csv").read_text("utf-8"))))
    columns = ("annotator", "stage", "item_id", "option_id", "question", "value", "unsure")
    exported = [tuple(row[name] for name in columns) for row in rows]
    same = set(exported) == walk.expected_responses(study) and len(exported) == len(set(exported))
    print(f"export: {len(exported)} rows, {'exactly what was planted, once each' if same else 'NOT what was planted'}")
    call_command("report", "walk", out=str(folder / "report"))
    equal = shares_equal(walk.expected_shares(study), folder / "report" / "tables" / "informativity.json")
    print(
        f"report: accuracies {'equal the planted ones to the last digit' if equal else 'DIFFER from the planted ones'}"
    )
    return 0 if same and equal else 1


def shares_equal(planted: dict, table: Path) -> bool:
    rows = {row["generator"]: row for row in json.loads(table.read_text())["rows"] if row["evaluator"] == "human"}
    measures = {"guess": "guessability", "read": "answerability"}
    return all(
        rows[generator][measures[stage]] == share.numerator / share.denominator
        for (generator, stage), share in planted.items()
    )


if __name__ == "__main__":
    sys.exit(main())
