"""Studies that take long to make are made once in a run of the tests, by whichever worker; else rows are put back.

A function that makes one is marked by `made_once`. It is run again where other rows stood in the database before,
as its rows would have other primary keys, and always on a database other than SQLite, whose sequences would not follow.
"""

from collections.abc import Callable
from functools import cache, wraps
from typing import Any

from django.db import connection, transaction
from django.db.models import Model

from tests.shelf import take_or_make

Rows = dict[str, dict[int, tuple]]  # by table and SQLite's number of the row


def made_once(make: Callable[..., Any]) -> Callable[..., Any]:
    """`make` from the second time on without its work: it changes no row that stood before, and writes no file.

    It is given objects of the database and, by name, plain values; it gives such an object or a text.
    """

    @wraps(make)
    def make_once(*given: Model, **named: Any) -> Any:
        if connection.vendor != "sqlite":
            return make(*given, **named)
        keys = [each.pk for each in given]
        start = f"{make.__module__}.{make.__qualname__} {keys} {sorted(named.items())} {row_numbers()}"
        made: list[tuple[Rows, Any]] = []
        rows, result = take_or_make(start, lambda: made.append(make_and_diff(make, *given, **named)) or made[0])
        if not made:
            put_back(rows)
        return read_anew(result)

    return make_once


def make_and_diff(make: Callable[..., Any], *given: Model, **named: Any) -> tuple[Rows, Any]:
    before, result = all_rows(), make(*given, **named)
    return diff_rows(before, all_rows()), result


def read_anew(result: Any) -> Any:
    return type(result)._default_manager.get(pk=result.pk) if isinstance(result, Model) else result


@cache
def list_tables() -> dict[str, list[str]]:
    """Every table with its columns."""
    tables = connection.introspection.django_table_names(only_existing=True)  # not those of the full-text index
    with connection.cursor() as cursor:
        info = {table: cursor.execute(f'PRAGMA table_info("{table}")').fetchall() for table in tables}
    return {table: [row[1] for row in rows] for table, rows in info.items()}


def row_numbers() -> list[tuple[int, int]]:
    """Which rows there are, by the table's place."""
    each = (f'SELECT {place}, rowid FROM "{table}"' for place, table in enumerate(list_tables()))  # noqa: S608
    with connection.cursor() as cursor:
        return sorted(cursor.execute(" UNION ALL ".join(each)).fetchall())


def all_rows() -> Rows:
    """What every table holds, as it is stored."""
    with connection.cursor() as cursor:
        return {table: rows_of(cursor, table) for table in list_tables()}


def rows_of(cursor, table: str) -> dict[int, tuple]:
    """A column with a sign before it is read as it is stored: Django would read a time or a number of its own kind."""
    stored = ", ".join(f'+"{name}"' for name in list_tables()[table])
    found = cursor.execute(f'SELECT rowid, {stored} FROM "{table}"').fetchall()  # noqa: S608 - names of our tables
    return {row[0]: tuple(row[1:]) for row in found}


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
                columns = list_tables()[table]
                names, places = ", ".join(f'"{name}"' for name in columns), ", ".join(["%s"] * len(columns))
                insert = f'INSERT INTO "{table}" ({names}) VALUES ({places})'  # noqa: S608 - names of our tables
                cursor.executemany(insert, list(rows.values()))
