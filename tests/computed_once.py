"""Reports, figures and plans are computed once in a run of the tests: most tests ask about the same few studies.

A test of how they are computed, or whether they come out the same again, uses the fixture `recompute`.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from functools import wraps
from hashlib import sha256
from typing import Any

import pandas as pd
from django.db.models import DateTimeField, Model
from django.utils.translation import get_language
from numpy.random import Generator

from analysis.frames.evidence import Evidence
from analysis.tables.spec import Table
from studies import plan_search
from studies.plan_search import Design, IntArray
from tests.shelf import take_or_make


def compute_once(compute: Callable[..., Any]) -> Callable[..., Any]:
    """`compute` from evidence, from the second time on a copy of its result; `__wrapped__` computes anew."""

    @wraps(compute)
    def compute_once(evidence: Evidence, *more: object) -> Any:
        key = f"{compute.__qualname__} {hash_evidence(evidence, *more)}"
        return take_or_make(key, lambda: compute(evidence, *more))

    return compute_once


def hash_evidence(evidence: Evidence, *more: object) -> str:
    """The same for evidence that says the same of the same study in the same language, whenever it was made."""
    variants = evidence.study.variants.values_list("name", "params", "instrument_version")
    text = [str(list(variants)), *(describe(getattr(evidence, field.name)) for field in fields(evidence))]
    return sha256("\n".join([*text, repr(more), str(get_language())]).encode()).hexdigest()


def draw_once(draw: Callable[..., dict[str, Any]]) -> Callable[..., dict[str, Any]]:
    """`registry.build_specification`: the same table under the same heading gives the same figure."""

    @wraps(draw)
    def draw_once(name: str, table: Table, heading: str, lines: Sequence[str] = ()) -> dict[str, Any]:
        about = table.name, table.header, table.rows, str(table.title), [str(note) for note in table.notes]
        columns = [(column.name, str(column.title), column.kind) for column in table.columns]
        key = f"figure {name} {about} {columns} {heading} {[*lines]} {get_language()}"
        return take_or_make(key, lambda: draw(name, table, heading, lines))

    return draw_once


def describe(value: object) -> str:
    if isinstance(value, pd.DataFrame):
        columns = [(name, str(column.dtype), column.to_numpy(object).tolist()) for name, column in value.items()]
        return f"{value.index.tolist()} {columns}"
    if isinstance(value, Model):
        kept = [field for field in value._meta.concrete_fields if not isinstance(field, DateTimeField)]
        return repr({field.attname: getattr(value, field.attname) for field in kept})
    if isinstance(value, set | frozenset):  # whose order is another one in each process
        return str(sorted(map(describe, value)))
    if isinstance(value, Mapping):
        return str([(describe(key), describe(each)) for key, each in value.items()])
    if is_dataclass(value) and not isinstance(value, type):
        return str([(field.name, describe(getattr(value, field.name))) for field in fields(value)])
    return repr(value)


def search_once(search: Callable[[Design, Generator], IntArray]) -> Callable[[Design, Generator], IntArray]:
    """`plan_search.balance_labels`, which gives the same plan for the same design and random numbers."""

    @wraps(search)
    def search_once(design: Design, rng: Generator) -> IntArray:
        sizes = [seats.tolist() for seats in design.who]
        limits = plan_search.MOST_STEPS, plan_search.ALL_STEPS
        key = (design.seats, design.share.tobytes(), sizes, design.paired.tobytes(), rng.bit_generator.state, limits)
        labels, rng.bit_generator.state = take_or_make(
            f"balance_labels {key}", lambda: (search(design, rng), rng.bit_generator.state)
        )
        return labels

    return search_once
