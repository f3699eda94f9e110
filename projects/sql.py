"""SQL that is written once: prepared queries, and many rows inserted with one statement."""

import json
from collections.abc import Callable, Iterable, Sequence
from threading import local
from typing import Any, Generic, TypeVar

from django.db import connection, models
from django.db.models import QuerySet

# Queries whose SQL is made once: Django needs ten times as long to write it as the database to answer it.
#
# For the few that every page of an annotator asks. The rows are the same as those of the queryset itself.

Row = TypeVar("Row")
FIRST = 32_000  # marks are numbers that fit every field, and texts that no column holds


class Prepared(Generic[Row]):
    """Calls `build` once a thread, with marks instead of values, and asks its SQL again with the values of each call.

    Each value is a number or a text (`kinds` says which) and is compared as it is: never None, never in a list whose
    length changes.
    """

    def __init__(self, build: Callable[..., QuerySet[Any, Row]], *kinds: type):
        self.build = build
        self.marks = [FIRST + place if kind is int else f"\0{place}" for place, kind in enumerate(kinds)]
        self.kept = local()

    def __call__(self, *values: int | str) -> list[Row]:
        rows, compiler, sql, marked = self.kept.__dict__.get("made") or self.prepare()
        given = dict(zip(self.marks, values, strict=True))
        compiler.as_sql = lambda *_args, **_options: (sql, tuple(given.get(each, each) for each in marked))
        return list(rows._iterable_class(rows))

    def prepare(self) -> tuple[Any, Any, str, tuple]:
        rows: Any = self.build(*self.marks)
        compiler = rows.query.get_compiler(rows.db)
        sql, marked = compiler.as_sql()
        rows.query.get_compiler = lambda *_args, **_options: compiler
        self.kept.made = rows, compiler, sql, marked
        return self.kept.made


# Rows inserted as plain values, many at once: what Django does for each object takes longer than the database.


def insert_rows(model: type[models.Model], columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Insert rows of the values of `columns` (attribute names); all other fields have their defaults.

    Times and JSON are Python values. Primary keys do not come back. A default that is a function, such as a random
    token, is made once: its column belongs into `columns`.
    """
    rest = fixed_values(model, columns)
    fields = {field.attname: field for field in model._meta.concrete_fields}
    adapters = [make_adapter(fields[name]) for name in columns]
    tail = tuple(rest.values())
    adapted = ([*(adapt(value) for adapt, value in zip(adapters, row, strict=True)), *tail] for row in rows)
    names = ", ".join(connection.ops.quote_name(str(fields[name].column)) for name in (*columns, *rest))
    table = connection.ops.quote_name(model._meta.db_table)
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            with cursor.copy(f"COPY {table} ({names}) FROM STDIN") as copy:
                for row in adapted:
                    copy.write_row(row)
        else:
            places = ", ".join(["%s"] * (len(columns) + len(rest)))
            insert = f"INSERT INTO {table} ({names}) VALUES ({places})"  # noqa: S608 - names of our tables
            cursor.executemany(insert, list(adapted))


def fixed_values(model: type[models.Model], columns: Sequence[str]) -> dict[str, Any]:
    """What the other columns of a new row hold, as the database takes it; those that are null are left out."""
    new, found = model(), {}
    for field in model._meta.concrete_fields:
        value = make_adapter(field)(getattr(new, field.attname))
        if field.attname not in columns and value is not None and not field.primary_key:
            found[field.attname] = value
    return found


def make_adapter(field: "models.Field[Any, Any]") -> Callable[[Any], Any]:
    """From a value of Python to one of the database; what the fields themselves do for any takes ten times as long."""
    kinds: list[tuple[Any, Callable[[Any], Any]]] = [
        (models.JSONField, as_json), (models.DateTimeField, as_time), ((models.CharField, models.TextField), as_text),
    ]  # fmt: skip
    return next((adapt for kind, adapt in kinds if isinstance(field, kind)), as_is)


def as_time(value: Any) -> Any:
    return None if value is None else connection.ops.adapt_datetimefield_value(value)


def as_json(value: Any) -> str | None:
    if isinstance(value, bool):  # most answers; the encoder takes ten times as long
        return "true" if value else "false"
    return None if value is None else json.dumps(value)


def as_text(value: Any) -> str | None:
    return None if value is None else str(value)  # also for the members of an enumeration


def as_is(value: Any) -> Any:
    return value
