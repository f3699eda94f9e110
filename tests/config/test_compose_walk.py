"""The commands of docker-compose.yml, as processes with its variables and the files of its image, do the whole job.

Host names become addresses of a private PostgreSQL and Valkey, nothing else is changed. People walk through the planted
study as behind a proxy with TLS, a model answers it through the worker, and the report says what was planted.
"""

import csv
import io
import json
import os
import re
import secrets
import shlex
import socket
import subprocess
import sys
import urllib.request
from contextlib import ExitStack
from importlib.metadata import packages_distributions
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

import psycopg
import pytest
from packaging.utils import canonicalize_name

from config.cli import postgres
from config.cli.processes import Guard
from config.cli.resources import find_free_port
from config.cli.valkey import run_valkey
from tests import walk
from tests.config.compose import compose, fill_in, image_environment, make_image, packages_of_tests
from tests.config.shell import ROOT, list_code_blocks, wait_for
from tests.mock_server import Received, mock_server
from tests.patience import PATIENCE

pytestmark = pytest.mark.slow

HOST = "lesart.example.org"
HIDE = """
import sys

class Hidden:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {names!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}} is in the image.", name=name)

sys.meta_path.insert(0, Hidden())
"""
CONTAINER = "docker compose exec -T postgres "
COLUMNS = ("annotator", "stage", "item_id", "option_id", "question", "value", "unsure")


class Site:
    """The services of the file on this machine: what a container is there, a process is here."""

    def __init__(self, folder: Path, guard: Guard, addresses: dict[str, str], variables: dict[str, str]):
        self.folder, self.guard, self.addresses = folder, guard, addresses
        self.services = fill_in(compose()["services"], variables)
        self.image, self.hidden = folder / "image", folder / "hidden"
        make_image(self.image)
        self.hidden.mkdir()
        (self.hidden / "sitecustomize.py").write_text(HIDE.format(names=modules_of_tests()))
        self.processes = {}

    def here(self, words: str) -> str:
        for name, address in self.addresses.items():
            words = words.replace(name, address)
        return words

    def environment(self, service: str) -> dict[str, str]:
        """That of the container. Of ours it has no more than where programs are found, and compiled modules."""
        values = {name: self.here(value) for name, value in self.services[service]["environment"].items()}
        programs = [Path(sys.executable).parent, postgres.find_installation() / "bin", "/usr/bin", "/bin"]
        compiled = {name: value for name, value in os.environ.items() if name == "PYTHONPYCACHEPREFIX"}
        return {
            **compiled,
            **image_environment(),
            **values,
            "PATH": os.pathsep.join(map(str, programs)),
            "HOSTNAME": socket.gethostname(),  # Docker sets it too
            "LESART_DATA": str(self.folder),
            "PYTHONPATH": str(self.hidden),
            "PGPORT": self.addresses["postgres:5432"].rpartition(":")[2],
        }

    def run(self, service: str, *command: str) -> str:
        """What `docker compose run` or `exec` prints; the service's own command without one."""
        words = [self.here(word) for word in command or self.services[service]["command"]]
        done = subprocess.run(
            words, cwd=self.image, env=self.environment(service), capture_output=True, text=True, timeout=PATIENCE
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    def start(self, service: str) -> None:
        command = [self.here(word) for word in self.services[service]["command"]]
        log = (self.folder / f"{service}.log").open("wb")
        self.processes[service] = self.guard.spawn(
            command, cwd=self.image, env=self.environment(service), stdout=log, stderr=log
        )

    def stop(self, service: str) -> int:
        process = self.processes[service]
        self.guard.end(process, seconds=30)
        return process.returncode

    def is_healthy(self, service: str) -> bool:
        kind, *words = self.services[service]["healthcheck"]["test"]
        words = [self.here(word) for word in words]
        command = ["/bin/sh", "-c", *words] if kind == "CMD-SHELL" else words
        environment = self.environment("web") | self.environment(service)
        return not subprocess.run(
            command, cwd=self.image, env=environment, capture_output=True, timeout=PATIENCE
        ).returncode

    def manage(self, *words: str) -> str:
        return self.run("web", "python", "manage.py", *words)

    def page(self, path: str) -> bytes:
        address = self.here("http://127.0.0.1:8000") + path
        request = urllib.request.Request(address, headers={"Host": HOST, "X-Forwarded-Proto": "https"})
        with urllib.request.urlopen(request, timeout=PATIENCE) as response:
            return response.read()

    def in_database(self, command: list[str], words: bytes = b"") -> bytes:
        """As in the container of PostgreSQL, where the socket asks for no password."""
        environment = self.environment("postgres")
        environment |= {"PGHOST": "127.0.0.1", "PGPASSWORD": environment["POSTGRES_PASSWORD"]}
        done = subprocess.run(command, env=environment, input=words, capture_output=True, timeout=PATIENCE)
        assert done.returncode == 0, done.stderr
        return done.stdout

    def log(self, service: str) -> str:
        return (self.folder / f"{service}.log").read_text()


def modules_of_tests() -> set[str]:
    """What can be imported here and not in the image."""
    out = {canonicalize_name(name) for name in packages_of_tests()}
    found = packages_distributions().items()
    return {module for module, owners in found if {canonicalize_name(owner) for owner in owners} <= out}


@pytest.fixture
def server():
    """A model that is always right about what it can read, and always wrong about what it guesses."""
    with mock_server(answer) as server:
        yield server


def answer(request: Received) -> str:
    correct = any(
        item["question"] in request.prompt and option["text"] + "\n" in request.prompt and option["correct"]
        for item in ITEMS
        for option in item["answers"]
    )
    return "C" if correct == ("Marmalade ledger" in request.prompt) else "I"


ITEMS = [walk.item(text, place, number) for text in range(walk.TEXTS) for place in range(3) for number in range(3)]


@pytest.fixture
def site(tmp_path, server):
    """The private servers, and what `.env` says as docs/deploy.md has it."""
    with ExitStack() as stack:
        database, broker = stack.enter_context(postgres.run_postgresql()), stack.enter_context(run_valkey())
        with psycopg.connect(database, autocommit=True) as connection:
            connection.execute("CREATE DATABASE lesart")
        at, queue, web = urlsplit(database), urlsplit(broker), f"127.0.0.1:{find_free_port()}"
        addresses = {"postgres:5432": f"127.0.0.1:{at.port}", "redis:6379": queue.netloc}
        addresses |= {"0.0.0.0:8000": web, "127.0.0.1:8000": web}
        variables = {"POSTGRES_PASSWORD": at.password, "SECRET_KEY": secrets.token_hex(32), "ALLOWED_HOSTS": HOST}
        variables |= {"LESART_HTTPS": "1", "LESART_PROXIES": "1", "LESART_INSIDE_HOSTS": f"127.0.0.1:{server.port}"}
        guard = stack.enter_context(Guard())
        site = Site(tmp_path, guard, addresses, variables)
        site.database = urlunsplit(at._replace(path="/lesart"))
        yield site


def people_walk(site: Site) -> dict:
    """Six people, in a process that may see the database, because only it knows the links and the plan."""
    environment = site.environment("web") | {"PYTHONPATH": str(ROOT), "DJANGO_SETTINGS_MODULE": "config.settings"}
    port = site.here("0.0.0.0:8000").rpartition(":")[2]
    command = [sys.executable, "-m", "tests.config.compose_site", port, HOST]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, timeout=PATIENCE)
    assert done.returncode == 0, done.stderr + site.log("web")
    return json.loads(done.stdout)


def read_informativity(folder: Path, evaluator: str) -> dict[str, float]:
    table = json.loads((folder / "tables" / "informativity.json").read_text())
    rows = [row for row in table["rows"] if row["evaluator"] == evaluator]
    measures = {"guess": "guessability", "read": "answerability"}
    return {f"{row['generator']}/{stage}": row[name] for row in rows for stage, name in measures.items()}


def read_exported_rows(file: Path) -> list[list[str]]:
    rows = csv.DictReader(io.StringIO(file.read_text("utf-8")))
    return sorted([row[name] for name in COLUMNS] for row in rows if row["annotator_kind"] == "human")


def test_a_teams_server_takes_people_and_a_model_through_the_planted_study(site, server, tmp_path):
    assert wait_for(lambda: site.is_healthy("postgres"))
    site.run("migrate")
    for service in ("web", "worker"):
        site.start(service)
        assert wait_for(lambda name=service: site.is_healthy(name)), site.log(service)

    all_well = dict.fromkeys(["web", "database", "broker", "worker"], "ok")
    assert wait_for(lambda: json.loads(site.page("/health/")) == all_well)
    assert b'@import "base.css"' in site.page("/static/css/lesart.css")
    assert b"--paper" in site.page("/static/css/base.css")
    assert b"/static/drf_spectacular_sidecar/swagger-ui-dist/swagger-ui.css" in site.page("/api/v1/docs/")
    assert b".swagger-ui" in site.page("/static/drf_spectacular_sidecar/swagger-ui-dist/swagger-ui.css")
    (tmp_path / "bank.jsonl").write_text(walk.bank())
    (tmp_path / "study.yaml").write_text(walk.spec("walk", "walk"))
    assert f"https://{HOST}/" in site.manage("create_sign_in_link", "--base", f"https://{HOST}")
    site.manage("create_project", "walk")
    site.manage("import_items", str(tmp_path / "bank.jsonl"), "--project", "walk")
    site.manage("create_study", str(tmp_path / "study.yaml"), "--project", "walk", "--launch")
    planted = people_walk(site)
    site.manage("add_model", "mock", "--base-url", server.base_url, "--model", "mock-1")
    output = site.manage("evaluate_study", "walk", "--model", "mock", "--yes")
    assert output.endswith("“mock” has judged 540 options, 540 of them now; none is missing.\n")

    site.manage("report", "walk", "--out", str(tmp_path / "report"))
    site.manage("export_responses", "walk", "--format", "csv", "--out", str(tmp_path / "answers.csv"))
    assert read_exported_rows(tmp_path / "answers.csv") == planted["responses"]
    assert read_informativity(tmp_path / "report", "human") == planted["shares"]
    stages = {"guess": 0.0, "read": 1.0}
    assert read_informativity(tmp_path / "report", "mock") == {
        f"{generator}/{stage}": share for generator in walk.GENERATORS for stage, share in stages.items()
    }
    assert [site.stop("web"), site.stop("worker")] == [0, 0]
    assert not site.is_healthy("web")
    assert not site.is_healthy("worker")

    (dump,) = list_documented_commands("Backup")
    stored = site.in_database(dump)
    site.manage("flush", "--no-input")
    for command in list_documented_commands("Restore"):
        site.in_database(command, stored if command[0] == "pg_restore" else b"")
    site.manage("export_responses", "walk", "--format", "csv", "--out", str(tmp_path / "restored.csv"))
    assert (tmp_path / "restored.csv").read_bytes() == (tmp_path / "answers.csv").read_bytes()


def list_documented_commands(heading: str) -> list[list[str]]:
    """The commands for the container of PostgreSQL in a section of docs/deploy.md, without their redirections."""
    lines = "".join(list_code_blocks(heading)).replace("\\\n", " ").splitlines()
    inside = [line.removeprefix(CONTAINER) for line in lines if line.startswith(CONTAINER)]
    return [shlex.split(re.split(r" [<>] ", line)[0]) for line in inside]
