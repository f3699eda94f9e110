"""The lines of docs/deploy.md about backup, restore and the move to PostgreSQL, run as they stand there.

`docker` and `./lesart` are small scripts here: the first runs what follows `exec -T postgres` with the programs of the
tests' own PostgreSQL, the second runs manage.py.
"""

import json
import os
import sqlite3
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import psycopg
import pytest

from config.cli.postgres import find_installation, run_server
from tests.config.shell import ROOT, list_code_blocks

pytestmark = pytest.mark.slow

DOCKER = """#!/bin/sh
test "$1 $2 $3 $4" = "compose exec -T postgres" || exit 0
shift 4
exec "$@"
"""
LESART = f"""#!/bin/sh
test "$1" = manage || exit 0
shift
exec {sys.executable} {ROOT}/manage.py "$@"
"""
ANSWERS = [{"text": "Rain", "correct": True}, {"text": "Snow", "correct": False}]
TEXT = {"text": "Rain fell. 雨が降った。", "language": "en", "items": [{"question": "What fell?", "answers": ANSWERS}]}
EXAMPLE_DATE, EXAMPLE_URL = "2026-01-31", "postgres://lesart:PASSWORD@127.0.0.1:5432/lesart"
# Filled anew by the database that takes the rows, or left behind on purpose.
NOT_MOVED = {
    "django_content_type", "auth_permission", "django_session", "django_migrations", "lesart_cache", "sqlite_sequence",
}  # fmt: skip


class Place:
    """A folder that looks like a clone, and the PostgreSQL server of a team."""

    def __init__(self, folder: Path, server: str):
        self.folder, self.server = folder, urlsplit(server)
        self.url = server.rsplit("/", 1)[0] + "/lesart"
        for name, script in (("bin/docker", DOCKER), ("lesart", LESART)):
            (folder / name).parent.mkdir(exist_ok=True)
            (folder / name).write_text(script)
            (folder / name).chmod(0o755)
        (folder / ".venv").symlink_to(sys.prefix)

    def run(self, block: str, **environment: str) -> None:
        variables = os.environ | {
            "PATH": f"{self.folder / 'bin'}:{find_installation() / 'bin'}:{os.environ['PATH']}", "DATABASE_URL": "",
            "LESART_DATA": str(self.folder / "data"), "PGHOST": self.server.hostname, "PGPORT": str(self.server.port),
            "PGPASSWORD": self.server.password,
        }  # fmt: skip
        variables.pop("SECRET_KEY", None)
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", block], cwd=self.folder, env=variables | environment,
            capture_output=True, text=True,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr
        assert "error" not in done.stderr.lower()

    def take_as_example(self, suffix: str) -> None:
        """Give the backup just made the date of the page."""
        (made,) = self.folder.glob(f"lesart-*.{suffix}")
        made.rename(self.folder / f"lesart-{EXAMPLE_DATE}.{suffix}")

    def rows_of_file(self) -> dict[str, list]:
        with sqlite3.connect(self.folder / "data" / "lesart.sqlite3") as database:
            tables = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
            return {name: database.execute(f"SELECT * FROM {name}").fetchall() for name in tables}  # noqa: S608

    def rows_of_server(self) -> dict[str, list]:
        with psycopg.connect(self.url) as database:
            found = database.execute("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
            tables = [name for (name,) in found.fetchall()]
            rows = {name: database.execute(f"SELECT * FROM {name}").fetchall() for name in tables}  # noqa: S608
            return {name: sorted(found, key=repr) for name, found in rows.items()}


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """With a small project in the embedded database."""
    folder = tmp_path_factory.mktemp("clone")
    (folder / "items.jsonl").write_text(json.dumps(TEXT))
    with run_server() as server:
        place = Place(folder, server.url)
        with psycopg.connect(server.url, autocommit=True) as connection:
            connection.execute("CREATE DATABASE lesart")
        place.run("./lesart manage migrate")
        place.run("./lesart manage create_project rivers --title Rivers")
        place.run("./lesart manage import_items items.jsonl --project rivers")
        yield place


def test_the_embedded_database_is_restored_to_what_it_was(place):
    before = place.rows_of_file()
    backup, restore = list_code_blocks("The embedded database")
    place.run(backup)
    place.take_as_example("sqlite3")
    with sqlite3.connect(place.folder / "data" / "lesart.sqlite3") as database:
        database.execute("UPDATE projects_project SET title = 'Changed later'")
    (place.folder / "data" / "secret_key").write_text("lost")
    place.run(restore)
    assert place.rows_of_file() == before
    assert (place.folder / "data" / "secret_key").read_text() != "lost"


def test_the_move_to_postgresql_takes_every_row_along_and_a_dump_restores_into_a_new_database(place):
    (move,) = list_code_blocks("From the embedded database to PostgreSQL")
    assert EXAMPLE_URL in move
    place.run(move.replace(EXAMPLE_URL, place.url))
    source, moved = place.rows_of_file(), place.rows_of_server()
    counts = {name: len(rows) for name, rows in source.items() if name not in NOT_MOVED and "_words" not in name}
    assert counts == {name: len(moved[name]) for name in counts}
    assert counts["items_item"] == counts["items_text"] == counts["projects_project"] == 1
    assert any(TEXT["text"] in row for row in moved["items_text"])
    with psycopg.connect(place.url) as database:  # keys go on counting where they stopped
        (key,) = database.execute("SELECT nextval(pg_get_serial_sequence('items_item', 'id'))").fetchone()
        assert key > max(row[0] for row in moved["items_item"])

    (backup,), (restore,) = list_code_blocks("Backup"), list_code_blocks("Restore")
    place.run(backup)
    place.take_as_example("dump")
    for _again in range(2):  # the second time with the database that was put aside before
        with psycopg.connect(place.url) as database:
            database.execute("UPDATE projects_project SET title = 'Changed later'")
            database.execute("CREATE TABLE of_another_version (id integer)")
        place.run(restore)
        assert place.rows_of_server() == moved
