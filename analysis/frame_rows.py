"""Rows of a table that stand in a frame: most are never looked at, and a million mappings take a gigabyte."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, overload

if TYPE_CHECKING:
    import pandas as pd

AT_ONCE = 10_000  # rows made at a time


class FrameRows(Sequence[Mapping[str, Any]]):
    """One mapping per row of the frame, with these columns and the values in `more`, made when it is looked at."""

    def __init__(self, frame: "pd.DataFrame", columns: Sequence[str], more: Mapping[str, Any] | None = None):
        self.frame, self.columns, self.more = frame[list(columns)], tuple(columns), dict(more or {})

    def __len__(self) -> int:
        return len(self.frame)

    @overload
    def __getitem__(self, at: int) -> Mapping[str, Any]: ...

    @overload
    def __getitem__(self, at: slice) -> tuple[Mapping[str, Any], ...]: ...

    def __getitem__(self, at: int | slice) -> Mapping[str, Any] | tuple[Mapping[str, Any], ...]:
        if isinstance(at, slice):
            return tuple(self.made(at))
        place = range(len(self))[at]
        return self.made(slice(place, place + 1))[0]

    def __iter__(self) -> Iterator[Mapping[str, Any]]:
        for first in range(0, len(self), AT_ONCE):
            yield from self.made(slice(first, first + AT_ONCE))

    def marked(self, column: str, value: Any) -> "FrameRows":
        """The same rows with one more column that has the same value in each."""
        return FrameRows(self.frame, self.columns, self.more | {column: value})

    def made(self, some: slice) -> list[dict[str, Any]]:
        """Values as a table has them: numbers are Python's, what is missing or undefined is None."""
        from analysis.tables import plain  # tables know these rows

        values = self.frame.iloc[some].astype(object)
        rows = values.where(values.notna(), None).to_numpy()
        return [plain(dict(zip(self.columns, row, strict=True)) | self.more) for row in rows]
