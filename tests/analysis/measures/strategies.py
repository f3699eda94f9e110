"""What hypothesis draws: ratings of a few raters."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from analysis.measures.agreement import MISSING


def ratings(raters: int, categories: int, missing: bool = True) -> st.SearchStrategy[np.ndarray]:
    """(raters, 1 to 25 units) codes."""
    low = MISSING if missing else 0
    units = st.integers(1, 25)
    return units.flatmap(lambda n: arrays(np.int64, (raters, n), elements=st.integers(low, categories - 1)))
