"""Frames of many rows in little room: each different value once, and for each row which one it is."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

MISSING = 2  # the code of a truth that is missing; 0 and 1 are the others


@dataclass(frozen=True)
class CompactColumn:
    """`codes`: (rows,) places in `values`; `dtype`: of the column in the frame, object, boolean or a numpy number."""

    codes: np.ndarray
    values: np.ndarray
    dtype: str

    def rows(self, kept: np.ndarray | slice) -> pd.Series:
        """The values of these rows, as they were."""
        codes = self.codes[kept]
        if self.dtype == "boolean":
            return pd.Series(pd.arrays.BooleanArray(codes == 1, codes == MISSING), copy=False)
        return pd.Series(self.values[codes], dtype=self.dtype, copy=False)

    def among(self, wanted: Collection[Any]) -> np.ndarray:
        """(rows,) Whether the value is one of these."""
        return np.array([value in wanted for value in self.values], dtype=bool)[self.codes]


@dataclass(frozen=True)
class CompactFrame:
    """A frame by its columns; its index is forgotten."""

    columns: dict[str, CompactColumn]

    def frame(self, among: Mapping[str, Collection[Any]] | None = None) -> pd.DataFrame:
        """The frame, or those of its rows that have one of the values of each of these columns, in their order."""
        kept: np.ndarray | slice = slice(None)
        if among:
            masks = [self.columns[name].among(wanted) for name, wanted in among.items()]
            kept = np.flatnonzero(np.logical_and.reduce(masks))
        return pd.DataFrame({name: column.rows(kept) for name, column in self.columns.items()}, copy=False)


def compact(frame: pd.DataFrame) -> CompactFrame:
    return CompactFrame({name: compact_column(frame[name]) for name in frame.columns})


def compact_column(column: pd.Series) -> CompactColumn:
    """Values that are equal but not the same, such as True and 1, or 0.0 and -0.0, stay apart."""
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
