"""Prepared SQL: queries whose SQL is built once, and inserting many rows with one statement."""

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cache, partial
from itertools import chain, islice, repeat
from operator import attrgetter
from threading import local
from typing import Any, Generic, NamedTuple, TypeVar

from django.db import connection, models
from django.db.backends.utils import CursorWrapper
from django.db.models import QuerySet

# Queries whose SQL is built once: building it takes Django ten times as long as the database takes to answer, and
# PostgreSQL as long to plan it (config/postgresql). Used for the few queries of every annotator page.

Row = TypeVar("Row")
FIRST_MARK = 32_000  # placeholders are numbers that fit every field, and texts that no column holds


class PreparedQuery(Generic[Row]):
    """Calls `build` once per thread, with placeholders instead of values, and runs its SQL with the values of each
    call.

    Each value is a number or a text (see `kinds`) and compared directly: never None, never in a list whose
    length changes.
    """

    def __init__(self, build: Callable[..., QuerySet[Any, Row]], *kinds: type):
        self.build = build
        self.marks = [FIRST_MARK + place if kind is int else f"\0{place}" for place, kind in enumerate(kinds)]
        self.per_thread = local()

    def __call__(self, *values: int | str) -> list[Row]:
        rows, compiler, sql, marked = self.per_thread.__dict__.get("made") or self.prepare()
        given = dict(zip(self.marks, values, strict=True))
        with connection.prepared_cursor() as cursor:  # type: ignore[attr-defined]
            cursor.execute(sql, tuple(given.get(each, each) for each in marked))
            found = cursor.fetchall()
        compiler.execute_sql = lambda *_args, **_options: [found]
        return list(rows._iterable_class(rows))

    def prepare(self) -> tuple[Any, Any, str, tuple]:
        rows: Any = self.build(*self.marks)
        compiler = rows.query.get_compiler(rows.db)
        sql, marked = compiler.as_sql()
        converters = compiler.get_converters([column for column, *_rest in compiler.select[: compiler.col_count]])
        compiler.get_converters = lambda _columns: converters
        rows.query.get_compiler = lambda *_args, **_options: compiler
        self.per_thread.made = rows, compiler, sql, marked
        return self.per_thread.made


# Rows written as plain values: Django's work per object takes longer than the database's.


BATCH_ROWS = 500


def insert_rows(model: type[models.Model], columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Insert rows with the values of `columns` (attribute names); all other fields get their defaults.

    Times and JSON are Python values. Primary keys are not returned. A column whose default differs between rows, such
    as a random token, must be in `columns`.
    """
    prepared, rows = prepare_insert(model, tuple(columns)), list(rows)
    if not rows:
        return
    # Column by column, which takes a third of the time of row by row.
    pairs = zip(prepared.adapters, zip(*rows, strict=True), strict=True)
    values = (column if adapt is as_is else map(adapt, column) for adapt, column in pairs)
    adapted = zip(*values, *map(repeat, prepared.rest), strict=False)  # repeated values are endless
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            with cursor.copy(prepared.copy) as copy:
                for row in adapted:
                    copy.write_row(row)
        else:
            insert_in_batches(cursor, prepared, adapted)


def insert_in_batches(cursor: CursorWrapper, prepared: "Insert", rows: Iterator[Sequence[Any]]) -> None:
    """Insert `BATCH_ROWS` rows per statement: SQLite updates its full-text index after each statement."""
    while batch := list(islice(rows, BATCH_ROWS)):
        places = ", ".join([prepared.places] * len(batch))
        cursor.execute(f"{prepared.insert} {places}", list(chain.from_iterable(batch)))


def insert_objects(model: type[models.Model], rows: Sequence[models.Model]) -> None:
    """`bulk_create` in a quarter of its time: all fields are written unchanged, and the primary keys are set."""
    prepared = prepare_objects(model)
    values = [adapt(read(row)) for row in rows for read, adapt in prepared.columns]
    places = ", ".join([prepared.places] * len(rows))
    with connection.cursor() as cursor:
        cursor.execute(f"{prepared.insert} {places} {prepared.returning}", values)
        for row, (pk,) in zip(rows, cursor.fetchall(), strict=True):
            row.pk, row._state.adding, row._state.db = pk, False, connection.alias


class ObjectInsert(NamedTuple):
    """How objects are inserted: how each value is read and adapted, and the parts of the statement."""

    columns: list[tuple[Callable[[Any], Any], Callable[[Any], Any]]]
    insert: str
    places: str
    returning: str


@cache
def prepare_objects(model: type[models.Model]) -> ObjectInsert:
    quote = connection.ops.quote_name
    fields = [field for field in model._meta.concrete_fields if not field.primary_key]
    names = ", ".join(quote(str(field.column)) for field in fields)
    table, key = quote(model._meta.db_table), quote(str(model._meta.pk.column))
    insert = f"INSERT INTO {table} ({names}) VALUES"
    places = f"({', '.join(['%s'] * len(fields))})"
    return ObjectInsert(
        [(make_reader(each), make_adapter(each)) for each in fields], insert, places, f"RETURNING {key}"
    )


def make_reader(field: "models.Field[Any, Any]") -> Callable[[Any], Any]:
    """From an object to the value of its field; for `auto_now` fields, the present time."""
    if getattr(field, "auto_now_add", False) or getattr(field, "auto_now", False):
        return partial(field.pre_save, add=True)
    return attrgetter(field.attname)


def update_row(row: models.Model, *columns: str) -> None:
    """Store these attributes of an existing row."""
    statement, adapters = prepare_update(type(row), columns)
    values = [adapt(getattr(row, name)) for name, adapt in zip(columns, adapters, strict=True)]
    with connection.prepared_cursor() as cursor:  # type: ignore[attr-defined]
        cursor.execute(statement, [*values, row.pk])


class Insert(NamedTuple):
    """How rows are inserted: the adapter of each value, then the values of the other columns."""

    adapters: list[Callable[[Any], Any]]
    rest: tuple[Any, ...]
    copy: str
    insert: str
    places: str


@cache
def prepare_insert(model: type[models.Model], columns: tuple[str, ...]) -> Insert:
    rest = list_fixed_values(model, columns)
    fields = {field.attname: field for field in model._meta.concrete_fields}
    names = ", ".join(connection.ops.quote_name(str(fields[name].column)) for name in (*columns, *rest))
    table = connection.ops.quote_name(model._meta.db_table)
    places = ", ".join(["%s"] * (len(columns) + len(rest)))
    adapters = [make_adapter(fields[name]) for name in columns]
    insert = f"INSERT INTO {table} ({names}) VALUES"
    return Insert(adapters, tuple(rest.values()), f"COPY {table} ({names}) FROM STDIN", insert, f"({places})")


@cache
def prepare_update(model: type[models.Model], columns: tuple[str, ...]) -> tuple[str, list[Callable[[Any], Any]]]:
    quote = connection.ops.quote_name
    fields = {field.attname: field for field in model._meta.concrete_fields}
    changes = ", ".join(f"{quote(str(fields[name].column))} = %s" for name in columns)
    table, key = quote(model._meta.db_table), quote(str(model._meta.pk.column))
    statement = f"UPDATE {table} SET {changes} WHERE {key} = %s"  # noqa: S608 - names of our tables
    return statement, [make_adapter(fields[name]) for name in columns]


def list_fixed_values(model: type[models.Model], columns: Sequence[str]) -> dict[str, Any]:
    """The values of the other columns of a new row, in the database's types; null columns are left out."""
    new, found = model(), {}
    for field in model._meta.concrete_fields:
        value = make_adapter(field)(getattr(new, field.attname))
        if field.attname not in columns and value is not None and not field.primary_key:
            if field.has_default() and callable(field.default) and field.default not in (dict, list):
                raise ValueError(f"{field.attname} of a new {model.__name__} is made anew for each row.")
            found[field.attname] = value
    return found


def make_adapter(field: "models.Field[Any, Any]") -> Callable[[Any], Any]:
    """From a Python value to a database value; the fields' own general adapters take ten times as long."""
    kinds: list[tuple[Any, Callable[[Any], Any]]] = [
        (models.JSONField, as_json), (models.DateTimeField, as_time), ((models.CharField, models.TextField), as_text),
    ]  # fmt: skip
    return next((adapt for kind, adapt in kinds if isinstance(field, kind)), as_is)


def as_time(value: Any) -> Any:
    return None if value is None else connection.ops.adapt_datetimefield_value(value)


def as_json(value: Any) -> str | None:
    if isinstance(value, bool):  # true for most answers; the encoder takes ten times as long
        return "true" if value else "false"
    return None if value is None else json.dumps(value)


def as_text(value: Any) -> str | None:
    return None if value is None else str(value)  # also for members of an enumeration


def as_is(value: Any) -> Any:
    return value
