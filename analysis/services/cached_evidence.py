"""The evidence of large studies is cached as a compact file, so that results need not read all answers anew.

The next file is made of the answers in this one and those given since, unless one of them was taken back.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from analysis.choices import Choices
from analysis.frames.evidence import Evidence, collect_evidence, open_consistent_read
from analysis.frames.responses import Answers, keep_latest_rounds, read_answers
from analysis.services.cached_results import ResultKey, count_answers, hash_state, is_large
from jobs.files import write_value
from jobs.models import Job
from jobs.progress import Listener
from jobs.working import get_or_run
from studies.models import Study

# Frames of many rows with little memory: each different value once, and for each row the place of its value.

MISSING = 2  # the code of a missing truth value; the other codes are 0 and 1


@dataclass(frozen=True)
class CompactColumn:
    """`codes`: (rows,) places in `values`; `dtype`: of the column in the frame: object, boolean or a numpy number."""

    codes: np.ndarray
    values: np.ndarray
    dtype: str

    def rows(self, kept: np.ndarray | slice) -> pd.Series:
        """The original values of these rows."""
        codes = self.codes[kept]
        if self.dtype == "boolean":
            return pd.Series(pd.arrays.BooleanArray(codes == 1, codes == MISSING), copy=False)
        return pd.Series(self.values[codes], dtype=self.dtype, copy=False)

    def mask(self, wanted: Collection[Any]) -> np.ndarray:
        """(rows,) Whether the value is one of these."""
        is_wanted: np.ndarray = np.array([value in wanted for value in self.values], dtype=bool)
        chosen: np.ndarray = is_wanted[self.codes]
        return chosen


@dataclass(frozen=True)
class CompactFrame:
    """A frame stored by columns; its index is not kept."""

    columns: dict[str, CompactColumn]

    def frame(self, among: Mapping[str, Collection[Any]] | None = None) -> pd.DataFrame:
        """The rows, in order, with one of the given values in each column of `among`; all rows without it."""
        kept: np.ndarray | slice = slice(None)
        if among:
            masks = [self.columns[name].mask(wanted) for name, wanted in among.items()]
            kept = np.flatnonzero(np.logical_and.reduce(masks))
        return pd.DataFrame({name: column.rows(kept) for name, column in self.columns.items()}, copy=False)


def compact(frame: pd.DataFrame) -> CompactFrame:
    return CompactFrame({name: compact_column(frame[name]) for name in frame.columns})


def compact_column(column: pd.Series) -> CompactColumn:
    """The column in compact form; values that are equal but not identical, such as True and 1, are kept apart."""
    dtype = str(column.dtype)
    if dtype == "boolean":
        codes = column.astype("Int8").fillna(MISSING).to_numpy(dtype=np.uint8)
        return CompactColumn(codes, np.array([False, True]), dtype)
    given = column.to_numpy()
    same = np.fromiter(map(id, given), np.int64, len(given)) if dtype == "object" else given.view(np.int64)
    codes, found = pd.factorize(same)
    first = np.empty(len(found), dtype=np.int64)
    first[codes[::-1]] = np.arange(len(codes))[::-1]  # of rows with the same value the first is written last
    return CompactColumn(codes.astype(np.min_scalar_type(len(found))), given[first], dtype)


DERIVED = ("study", "choices", "frame")  # passed in, or derived from the rest
Among = Mapping[str, Collection[Any]]  # values by column of the frame


@dataclass(frozen=True)
class CachedEvidence:
    """All fields of an `Evidence` but the derived ones, with its answers compact."""

    every_round: CompactFrame
    rest: dict[str, Any]

    def expand(self, study: Study, choices: Choices, among: Among | None) -> Evidence:
        rounds = self.every_round.frame(among)
        return Evidence(study=study, choices=choices, frame=keep_latest_rounds(rounds), every_round=rounds, **self.rest)


def load_evidence(study: Study, choices: Choices, among: Among | None = None) -> Evidence:
    """What `collect_evidence` returns; for a large study from a cached file if nothing has changed since.

    `among`: by column, the values of the answers to load; ignored for small studies. Only columns of `frames.ANSWERED`
    and of items, so that the latest round of each answer stays the latest.
    """
    if not is_large(count_answers(study)):
        return collect_evidence(study, choices)
    key = ResultKey("evidence", study, select_relevant_choices(choices))
    cached: CachedEvidence = get_or_run(key.make_job(), hash_state(study, key.choices)).read_value()
    return cached.expand(study, choices, among)


def select_relevant_choices(choices: Choices) -> Choices:
    """The choices that evidence depends on; the others only affect measures and tables."""
    return Choices(
        purposes=choices.purposes,
        groups=choices.groups,
        shared_texts=choices.shared_texts,
        adjudicated=choices.adjudicated,
        dif_by=choices.dif_by,
    )


def read_evidence(job: Job, report_progress: Listener) -> Path:
    """The job of the kind “evidence”: its version belongs to the same moment as its answers."""
    key, known = ResultKey.of_job(job), find_known(job)
    with open_consistent_read():
        job.version = hash_state(key.study, key.choices)
        answers = read_answers(key.study, key.choices.purposes, known)
        evidence = collect_evidence(key.study, key.choices, answers)
    rest = {field.name: getattr(evidence, field.name) for field in fields(evidence) if field.name not in DERIVED}
    return write_value(CachedEvidence(compact(rest.pop("every_round")), rest), answers)


def find_known(job: Job) -> Answers | None:
    """The answers behind the evidence in the earlier file of the same job, if there is one."""
    earlier = Job.objects.filter(key=job.key).first()
    if earlier is None or not earlier.file or not earlier.has_result:
        return None
    found: Answers = earlier.read_value(1)
    return found
