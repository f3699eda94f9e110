"""The parts of bench/recovery.py that are processes of their own, on the database and broker of the environment.

`prepare FOLDER BASE_URL MODEL AT_ONCE KEY_VARIABLE`, `conclude FOLDER SEED`, and `work NAME LEASE SHARE`, which is a
worker that another one thinks dead after LEASE seconds of silence and that joins a run for every SHARE open calls.
"""

import os
import sys
from datetime import timedelta
from io import StringIO

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()

from django.core.management import call_command  # noqa: E402

BASELINES = ("majority", "exact", "fuzzy")


def prepare(folder: str, base_url: str, model: str, at_once: str, key_variable: str) -> None:
    """A launched study on the items in the folder, answered by the baselines, and the model's endpoint."""
    out = StringIO()
    call_command("migrate", verbosity=0)
    call_command("create_project", "recovery", stdout=out)
    call_command("import_items", f"{folder}/items.jsonl", project="recovery", verbosity=0)
    call_command("create_study", f"{folder}/study.yaml", project="recovery", launch=True, stdout=out)
    for baseline in BASELINES:
        call_command("evaluate_study", "recovery", model=baseline, stdout=out)
    key = ["--key-env", key_variable] if key_variable else []
    words = ["model", "--base-url", base_url, "--model", model, "--at-a-time", at_once, *key]
    call_command("add_model", *words, stdout=out)


def conclude(folder: str, seed: str) -> None:
    """Draws the report and exports the answers into the folder."""
    out = StringIO()
    call_command("report", "recovery", out=f"{folder}/report", seed=seed, stdout=out)
    call_command("export_responses", "recovery", format="csv", out=f"{folder}/answers.csv", stdout=out)


def work(name: str, lease: str, share: str) -> None:
    """A worker as a server starts it, but hurried: what takes it half a minute takes seconds here."""
    from config.celery import app
    from llm.services import draining, workers

    workers.LEASE, workers.CALLS_PER_DRAINER = timedelta(seconds=float(lease)), int(share)
    draining.RENEW_SECONDS = float(lease) / 4
    workers.SWEEP_EVERY = timedelta(seconds=float(lease) / 2)
    app.worker_main(["-q", "worker", "-n", name, "--pool", "threads", "--concurrency", "2",
                     "--loglevel", "WARNING", "--without-gossip", "--without-mingle"])  # fmt: skip


if __name__ == "__main__":
    {"prepare": prepare, "conclude": conclude, "work": work}[sys.argv[1]](*sys.argv[2:])
