"""Rows of a frame as rows of a table."""

from collections.abc import Sequence
from typing import Any

import pandas as pd


def rows_of(frame: pd.DataFrame, columns: Sequence[str]) -> list[dict[str, Any]]:
    """One mapping per row, with these columns."""
    return [dict(zip(columns, row, strict=True)) for row in frame[list(columns)].astype(object).to_numpy()]
