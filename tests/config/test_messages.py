"""Whatever runs Django sends its messages to REDIS_URL: the web server, each of its threads, and every command."""

import subprocess
import sys

import pytest

from tests.config.shell import ROOT, script
from tests.patience import PATIENCE

pytestmark = pytest.mark.slow

ASK = """
from threading import Thread
from celery import Celery
from jobs.scheduling import send_task

Celery.send_task = lambda app, name, **how: print(app.conf.broker_url, name, flush=True)

def say():
    send_task("jobs.work", job_id=1)
"""
BROKER = "redis://127.0.0.1:7/0"


@pytest.fixture
def surroundings(tmp_path):
    return {"REDIS_URL": BROKER, "LESART_DATA": str(tmp_path), "DATABASE_URL": ""}


def test_the_web_server_and_its_threads(surroundings):
    source = f"import config.wsgi\n{ASK}\nsay()\nThread(target=say).start()"
    with script(source, **surroundings) as process:
        assert process.communicate(timeout=PATIENCE)[0] == f"{BROKER} jobs.work\n" * 2


def test_a_command(surroundings):
    source = f"from config.command_line import run\nrun(['manage.py', 'check', '-v', '0'])\n{ASK}\nsay()"
    with script(source, DJANGO_SETTINGS_MODULE="config.settings", **surroundings) as process:
        assert process.communicate(timeout=PATIENCE)[0].splitlines()[-1] == f"{BROKER} jobs.work"


def test_the_launcher_needs_no_package_for_that():
    """`config` itself is read by the machine's own Python, before anything is installed."""
    command = [sys.executable, "-I", "-S", str(ROOT / "config" / "cli" / "bootstrap.py"), "--help"]
    assert subprocess.run(command, capture_output=True, timeout=PATIENCE).returncode == 0
