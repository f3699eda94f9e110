"""The best and the worst rows of a table, marked."""

from collections.abc import Callable
from typing import Any

import numpy as np

MARKED = 3
BEST, WORST = "best", "worst"


def marked(
    rows: list[dict[str, Any]],
    by: Callable[[dict[str, Any]], float] = lambda row: float(row["mean"]),
    words: tuple[str, str] = (BEST, WORST),
) -> list[dict[str, Any]]:
    """The rows with the three highest and the three lowest marked, by unrounded numbers; equal ones alike.

    Fewer where there are fewer than six; NaN is never marked. `words` say what stands in the column `mark`.
    """
    numbers = sorted(by(row) for row in rows if not np.isnan(by(row)))
    n = min(MARKED, len(numbers) // 2)
    for row in rows:
        if n and by(row) >= numbers[-n] and by(row) > numbers[n - 1]:
            row["mark"] = words[0]
        elif n and by(row) <= numbers[n - 1] and by(row) < numbers[-n]:
            row["mark"] = words[1]
    return rows
