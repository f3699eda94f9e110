"""Rows of a Parquet file as words, read in a separate process: fastparquet crashes on some damaged files.

It reads the Parquet file from standard input and writes a line of JSON per row, the names of the columns first; then
`null` after the last row, or the name of what is wrong. It imports no Django, so that it starts quickly.
"""

import io
import json
import os
import sys
from collections.abc import Iterator
from datetime import date, datetime, time
from typing import Any

MAX_BYTES = 500_000_000  # unpacked, as the Parquet file states
MAX_COLUMN = 16_384  # as many as a spreadsheet has
MAX_ROW = 1_048_576
MAX_MEMORY, MAX_SECONDS = 2_000_000_000, 300  # of the process
TOO_LARGE = "too large"


def write_cell(value: Any) -> str:
    """A cell as a CSV file would have it: whole numbers without a point, nothing for what is missing."""
    if value is None or value != value:  # NaN and NaT
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, bytes):
        return value.decode("utf-8", "replace")
    if isinstance(value, bool) or type(value).__name__ == "bool_":
        return "true" if value else "false"
    if isinstance(value, datetime | date | time):
        return value.isoformat()
    if isinstance(value, list | dict | tuple):
        return json.dumps(value, ensure_ascii=False, default=str)
    if isinstance(value, float):
        return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(float(value))
    return str(value)


def read_rows(content: bytes) -> Iterator[list[str] | str | None]:
    """The names, the cells of each row, then None; or TOO_LARGE. A damaged file raises anything."""
    from fastparquet import ParquetFile  # loads pandas

    file = ParquetFile(io.BytesIO(content))
    names = [str(name) for name in file.columns]
    size = sum(max(group.total_byte_size or 0, 0) for group in file.row_groups)
    if file.count() > MAX_ROW or size > MAX_BYTES or len(names) > MAX_COLUMN:
        yield TOO_LARGE
        return
    yield names
    for frame in file.iter_row_groups():
        for cells in frame[file.columns].itertuples(index=False, name=None):
            yield [write_cell(cell) for cell in cells]
    yield None


def limit_resources() -> None:
    """Limit time and memory, so that a malicious file can end only this process."""
    import resource

    resource.setrlimit(resource.RLIMIT_CPU, (MAX_SECONDS, MAX_SECONDS))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_DATA, (MAX_MEMORY, MAX_MEMORY))


def main() -> None:
    limit_resources()
    with os.fdopen(os.dup(1), "w", encoding="utf-8") as rows:
        os.dup2(2, 1)  # fastparquet prints warnings, which must not mix with the rows
        for row in read_rows(sys.stdin.buffer.read()):
            rows.write(json.dumps(row) + "\n")


if __name__ == "__main__":
    main()
