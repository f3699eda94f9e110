"""Commands and the web server start without the large packages that they do not need."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from config.cli.resources import ROOT

pytestmark = pytest.mark.slow

HEAVY = {
    "numpy",
    "pandas",
    "scipy",
    "nltk",
    "openai",
    "aiohttp",
    "altair",
    "vl_convert",
    "HanTa",
    "celery",
    "kombu",
    "psycopg",
}
LATE = {"nltk", "altair", "scipy.stats", "scipy.optimize"}
# Each command in a child of its own, which starts from what all of them load.
REPORT = f"""
import os, sys
import django
from config.command_line import run

django.setup()
for command in sys.argv[1:]:
    child = os.fork()
    if child == 0:
        code = run(["manage.py", *command.split()])
        if heavy := {HEAVY} & set(sys.modules):
            print(command, *heavy, file=sys.stderr, flush=True)
        os._exit(code)
    if os.waitpid(child, 0)[1]:
        print(command, "failed", file=sys.stderr, flush=True)
"""
COMMANDS = (
    "help", "showmigrations --plan", "create_project --help", "import_items --help", "create_sign_in_link --help",
    "report --help", "export_pack --help", "import_responses --help", "open_second_round --help",
)  # fmt: skip
SERVE = f"""
import sys
import config.wsgi
from django.urls import resolve, reverse
resolve(reverse("work", args=["a"]))
print(*({HEAVY - {"numpy", "psycopg"}} & set(sys.modules)), file=sys.stderr)
address = reverse("study_results", args=["a"])
assert "pandas" not in sys.modules
assert resolve(address).func.__name__ == "study_results"
assert "pandas" in sys.modules
import analysis.services.computing
print(*({LATE} & set(sys.modules)), file=sys.stderr)
"""


def test_no_command_imports_a_large_package_before_it_needs_it(tmp_path):
    assert run(tmp_path, REPORT, *COMMANDS) == (0, "")


def test_results_are_imported_with_the_first_request_for_them(tmp_path):
    """A web server that only annotators use has neither pandas nor scipy in its memory; with results, only of what
    they need."""
    assert run(tmp_path, SERVE) == (0, "")


def run(folder: Path, source: str, *arguments: str) -> tuple[int, str]:
    environment = {**os.environ, "DJANGO_SETTINGS_MODULE": "config.settings", "LESART_DATA": str(folder)}
    environment |= {"SECRET_KEY": "x" * 50, "DATABASE_URL": ""}
    done = subprocess.run(
        [sys.executable, "-c", source, *arguments], cwd=ROOT, env=environment, capture_output=True, text=True
    )
    return done.returncode, done.stderr.strip()
