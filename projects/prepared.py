"""Queries whose SQL is made once: Django needs ten times as long to write it as the database to answer it.

For the few that every page of an annotator asks. The rows are the same as those of the queryset itself.
"""

from collections.abc import Callable
from threading import local
from typing import Any, Generic, TypeVar

from django.db.models import QuerySet

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
