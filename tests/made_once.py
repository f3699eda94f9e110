"""Studies that take long to make are made once in a run of the tests; after that their rows are put back.

A function that makes one is marked by `made_once`. It is run again where other rows stood in the database before,
as its rows would have other primary keys, and always on a database other than SQLite, whose sequences would not follow.
"""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.db import connection, transaction
from django.db.models import Model

Rows = dict[str, dict[int, tuple]]  # by table and SQLite's number of the row


def made_once(make: Callable[..., Any]) -> Callable[..., Any]:
    """`make` from the second time on without its work: it changes no row that stood before, and writes no file.

    It is given objects of the database, and gives one or a text.
    """
    kept: dict[object, tuple[Rows, Any]] = {}

    @wraps(make)
    def make_once(*given: Model) -> Any:
        if connection.vendor != "sqlite":
            return make(*given)
        before = all_rows()
        start = (*(each.pk for each in given), frozenset((table, row) for table in before for row in before[table]))
        if start not in kept:
            result = make(*given)
            kept[start] = (diff_rows(before, all_rows()), result)
        else:
            put_back(kept[start][0])
        return read_anew(kept[start][1])

    return make_once


def read_anew(result: Any) -> Any:
    return type(result)._default_manager.get(pk=result.pk) if isinstance(result, Model) else result


def all_rows() -> Rows:
    """What every table holds, as it is stored."""
    with connection.cursor() as cursor:
        tables = connection.introspection.django_table_names(only_existing=True)  # not those of the full-text index
        return {table: rows_of(cursor, table) for table in tables}


def rows_of(cursor, table: str) -> dict[int, tuple]:
    """A column with a sign before it is read as it is stored: Django would read a time or a number of its own kind."""
    stored = ", ".join(f'+"{name}"' for name in columns_of(cursor, table))
    found = cursor.execute(f'SELECT rowid, {stored} FROM "{table}"').fetchall()  # noqa: S608 - names of our tables
    return {row[0]: tuple(row[1:]) for row in found}


def columns_of(cursor, table: str) -> list[str]:
    return [row[1] for row in cursor.execute(f'PRAGMA table_info("{table}")').fetchall()]


def diff_rows(before: Rows, after: Rows) -> Rows:
    for table, rows in before.items():
        assert rows.items() <= after[table].items(), f"rows of {table} that stood before were changed"
    return {
        table: {number: rows[number] for number in rows.keys() - before[table].keys()} for table, rows in after.items()
    }


def put_back(rows_by_table: Rows) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        for table, rows in rows_by_table.items():
            if rows:
                columns = columns_of(cursor, table)
                names, places = ", ".join(f'"{name}"' for name in columns), ", ".join(["%s"] * len(columns))
                insert = f'INSERT INTO "{table}" ({names}) VALUES ({places})'  # noqa: S608 - names of our tables
                cursor.executemany(insert, list(rows.values()))
