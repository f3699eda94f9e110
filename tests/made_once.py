"""Studies that take long to make are made once in a run of the tests; after that their rows are put back.

A function that makes one is marked by `made_once`. It is run again where other rows stood in the database before,
as its rows would have other primary keys, and always on a database other than SQLite, whose sequences would not follow.
"""

from collections.abc import Callable
from functools import wraps

from django.db import connection

from projects.models import Project
from studies.models import Study

Rows = dict[str, dict[int, tuple]]  # by table and SQLite's number of the row
Make = Callable[[Project], Study]


def made_once(make: Make) -> Make:
    """`make` from the second time on without its work: it changes no row that stood before, and keeps no file."""
    kept: dict[object, tuple[Rows, int]] = {}

    @wraps(make)
    def made(project: Project) -> Study:
        if connection.vendor != "sqlite":
            return make(project)
        before = all_rows()
        start = (project.pk, frozenset((table, number) for table, rows in before.items() for number in rows))
        if start not in kept:
            pk = make(project).pk
            kept[start] = (added(before, all_rows()), pk)
        else:
            put_back(kept[start][0])
        return Study.objects.get(pk=kept[start][1])

    return made


def all_rows() -> Rows:
    """What every table holds, as it is stored."""
    with connection.cursor() as cursor:
        return {table: rows_of(cursor, table) for table in connection.introspection.table_names(cursor)}


def rows_of(cursor, table: str) -> dict[int, tuple]:
    """A column with a sign before it is read as it is stored: Django would read a time or a number of its own kind."""
    stored = ", ".join(f'+"{name}"' for name in columns_of(cursor, table))
    return {row[0]: tuple(row[1:]) for row in cursor.execute(f'SELECT rowid, {stored} FROM "{table}"').fetchall()}


def columns_of(cursor, table: str) -> list[str]:
    return [row[1] for row in cursor.execute(f'PRAGMA table_info("{table}")').fetchall()]


def added(before: Rows, after: Rows) -> Rows:
    for table, rows in before.items():
        assert rows.items() <= after[table].items(), f"rows of {table} that stood before were changed"
    return {table: {number: rows[number] for number in rows.keys() - before[table].keys()} for table, rows in after.items()}


def put_back(rows_by_table: Rows) -> None:
    with connection.cursor() as cursor:
        for table, rows in rows_by_table.items():
            if rows:
                columns = columns_of(cursor, table)
                names, places = ", ".join(f'"{name}"' for name in columns), ", ".join(["%s"] * len(columns))
                cursor.executemany(f'INSERT INTO "{table}" ({names}) VALUES ({places})', list(rows.values()))
