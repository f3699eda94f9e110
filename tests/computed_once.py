"""Reports and plans are computed once in a run of the tests: most tests ask about the same few studies.

A test of how they are computed, or whether they come out the same again, uses the fixture `recompute`.
"""

import pickle
from collections.abc import Callable
from dataclasses import fields
from functools import wraps
from hashlib import sha256
from typing import Any

import pandas as pd
from django.db.models import DateTimeField, Model
from django.utils.translation import get_language
from numpy.random import Generator

from analysis.frames.evidence import Evidence
from studies import plan_search
from studies.plan_search import Design, IntArray


def compute_once(compute: Callable[..., Any]) -> Callable[..., Any]:
    """`compute` from evidence, from the second time on a copy of its result; `__wrapped__` computes anew."""
    kept: dict[str, bytes] = {}

    @wraps(compute)
    def compute_once(evidence: Evidence, *more: object) -> Any:
        key = hash_evidence(evidence, *more)
        if key in kept:
            return pickle.loads(kept[key])  # noqa: S301 - what was pickled below
        result = compute(evidence, *more)
        kept[key] = pickle.dumps(result)
        return result

    return compute_once


def hash_evidence(evidence: Evidence, *more: object) -> str:
    """The same for evidence that says the same of the same study in the same language, whenever it was made."""
    variants = evidence.study.variants.values_list("name", "params", "instrument_version")
    text = [str(list(variants)), *(describe(getattr(evidence, field.name)) for field in fields(evidence))]
    return sha256("\n".join([*text, repr(more), str(get_language())]).encode()).hexdigest()


def describe(value: object) -> str:
    if isinstance(value, pd.DataFrame):
        return f"{value.to_dict('split')} {list(value.dtypes)}"
    if isinstance(value, Model):
        kept = [field for field in value._meta.concrete_fields if not isinstance(field, DateTimeField)]
        return repr({field.attname: getattr(value, field.attname) for field in kept})
    return repr(value)


def search_once(search: Callable[[Design, Generator], IntArray]) -> Callable[[Design, Generator], IntArray]:
    """`plan_search.balance_labels`, which gives the same plan for the same design and random numbers."""
    kept: dict[tuple[object, ...], tuple[IntArray, dict[str, Any]]] = {}

    @wraps(search)
    def search_once(design: Design, rng: Generator) -> IntArray:
        sizes = [seats.tolist() for seats in design.who]
        limits = plan_search.MOST_STEPS, plan_search.ALL_STEPS
        key = (design.seats, design.share.tobytes(), str(sizes), design.paired.tobytes(), str(rng.bit_generator.state))
        if (*key, limits) not in kept:
            kept[*key, limits] = search(design, rng), rng.bit_generator.state
        labels, rng.bit_generator.state = kept[*key, limits]
        return labels.copy()

    return search_once
