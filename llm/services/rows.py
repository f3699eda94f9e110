"""Many rows changed with one statement each, prepared once: the ledger writes thousands a second."""

from collections.abc import Sequence
from typing import Any

from django.db import connection

from llm.models import Call

FIELDS = {field.attname: field for field in Call._meta.concrete_fields}


def update_calls(calls: Sequence[Call], columns: Sequence[str], states: Sequence[str], owner: str | None = None) -> int:
    """Writes these columns of each call whose row is still in one of the states (and leased to the owner); how many."""
    if not calls:
        return 0
    sets = ", ".join(f"{_quote(column)} = %s" for column in columns)
    marks = ", ".join(["%s"] * len(states))
    where = f"{_quote('id')} = %s AND {_quote('state')} IN ({marks})"
    tail: list[Any] = [str(state) for state in states]
    if owner is not None:
        where += f" AND {_quote('lease_owner')} = %s"
        tail.append(owner)
    rows = [[*_values(call, columns), call.pk, *tail] for call in calls]
    with connection.cursor() as cursor:
        cursor.executemany(f"UPDATE {_quote(Call._meta.db_table)} SET {sets} WHERE {where}", rows)  # noqa: S608
        return int(cursor.rowcount)


def _values(call: Call, columns: Sequence[str]) -> list[Any]:
    return [FIELDS[column].get_db_prep_save(getattr(call, column), connection) for column in columns]


def _quote(name: str) -> str:
    return connection.ops.quote_name(name)
