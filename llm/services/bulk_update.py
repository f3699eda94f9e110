"""Changing many rows with one prepared statement each: the ledger writes thousands per second."""

from collections.abc import Sequence
from functools import cache
from typing import Any

from django.db import connection

from llm.models import Call
from projects.sql import make_adapter


def update_calls(calls: Sequence[Call], columns: Sequence[str], states: Sequence[str], owner: str | None = None) -> int:
    """Write these columns of each call whose row is still in one of the states (and leased to the owner); returns how
    many."""
    adapters = [(column, _ADAPTERS[column]) for column in columns]
    rows = [(*(adapt(getattr(call, column)) for column, adapt in adapters), call.pk) for call in calls]
    return update_rows(columns, rows, states, owner)


def update_rows(
    columns: Sequence[str], rows: Sequence[tuple[Any, ...]], states: Sequence[str], owner: str | None = None
) -> int:
    """Like `update_calls`; a row: the columns' values in the database's types (JSON as text), then the call's id."""
    if not rows:
        return 0
    sets = ", ".join(f"{_quote(column)} = %s" for column in columns)
    where = f"{_quote('id')} = %s AND {_quote('state')} IN ({', '.join(['%s'] * len(states))})"
    tail: tuple[Any, ...] = tuple(str(state) for state in states)
    if owner is not None:
        where += f" AND {_quote('lease_owner')} = %s"
        tail += (owner,)
    with connection.cursor() as cursor:
        statement = f"UPDATE {_quote(Call._meta.db_table)} SET {sets} WHERE {where}"  # noqa: S608
        cursor.executemany(statement, [row + tail for row in rows])
        return int(cursor.rowcount)


PLANNED: dict[str, str] = {
    "run_id": "bigint", "position": "integer", "key": "text", "sample": "integer", "prompt_hash": "text",
    "state": "text", "error_class": "text", "error": "text", "finished_at": "timestamptz",
}  # fmt: skip
"""The columns of a planned call that differ between rows, with their types for PostgreSQL."""


def insert_planned(rows: Sequence[tuple[Any, ...]]) -> None:
    """Insert calls, values in the order of PLANNED; existing calls (same run, key, sample and turn) are unchanged."""
    if not rows:
        return
    fixed = _defaults()
    into = f"INSERT INTO {_quote(Call._meta.db_table)} ({', '.join(map(_quote, [*PLANNED, *fixed]))})"
    end = "ON CONFLICT DO NOTHING"
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            arrays = ", ".join(f"%s::{kind}[]" for kind in PLANNED.values())
            values = f"SELECT {', '.join(['given.*', *fixed.values()])} FROM unnest({arrays}) AS given"  # noqa: S608
            cursor.execute(f"{into} {values} {end}", [list(column) for column in zip(*rows, strict=True)])
        else:
            values = f"VALUES ({', '.join([*['%s'] * len(PLANNED), *fixed.values()])})"
            cursor.executemany(f"{into} {values} {end}", rows)


@cache
def _defaults() -> dict[str, str]:
    """The other non-null columns, with the value of a new call as a literal."""
    call, found = Call(), {}
    for field in Call._meta.concrete_fields:
        value = _ADAPTERS[field.attname](getattr(call, field.attname))
        if field.attname not in PLANNED and value is not None:
            found[field.attname] = f"'{value}'" if isinstance(value, str) else str(value)
    return found


_ADAPTERS = {field.attname: make_adapter(field) for field in Call._meta.concrete_fields}


def _quote(name: str) -> str:
    return connection.ops.quote_name(name)
