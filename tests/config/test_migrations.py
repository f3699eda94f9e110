"""The other tests build their tables from the models: the migrations lead to the same ones."""

import os
import sqlite3
import subprocess
import sys

import pytest
from django.db import connection

from tests.config.shell import ROOT

pytestmark = pytest.mark.slow

TABLES = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
APPLIED = "django_migrations"


@pytest.mark.skipif(connection.vendor != "sqlite", reason="on PostgreSQL the tests run on migrated tables")
def test_migrations_lead_to_the_tables_of_the_models(db, tmp_path):
    environment = {**os.environ, "LESART_DATA": str(tmp_path), "DATABASE_URL": "", "SECRET_KEY": "x" * 50}
    command = [sys.executable, "manage.py", "migrate", "--verbosity", "0", "--skip-checks"]
    subprocess.run(command, cwd=ROOT, env=environment, check=True)
    with sqlite3.connect(tmp_path / "lesart.sqlite3") as migrated, connection.cursor() as cursor:
        assert describe(migrated.cursor()) == describe(cursor)


def describe(cursor) -> dict[str, tuple]:
    """Of each table the columns and the names of its indexes and constraints."""
    tables = sorted({name for (name,) in cursor.execute(TABLES).fetchall()} - {APPLIED})
    return {name: (list_columns(cursor, name), list_indexes(cursor, name)) for name in tables}


def list_columns(cursor, table: str) -> set[tuple]:
    return {tuple(row[1:4]) for row in cursor.execute(f'PRAGMA table_info("{table}")').fetchall()}


def list_indexes(cursor, table: str) -> set[tuple]:
    """Unique or not, partial or not, and of which columns."""
    indexes = [(row[1], row[2], row[4]) for row in cursor.execute(f'PRAGMA index_list("{table}")').fetchall()]
    return {
        (unique, partial, *(row[2] for row in cursor.execute(f'PRAGMA index_info("{name}")').fetchall()))
        for name, unique, partial in indexes
    }
