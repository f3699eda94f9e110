"""Adjusted p-values of a family of tests."""

from __future__ import annotations

import numpy as np

from analysis.measures.types import FloatArray

HOLM, BENJAMINI_HOCHBERG, BENJAMINI_YEKUTIELI = "holm", "bh", "by"
PROCEDURES = (HOLM, BENJAMINI_HOCHBERG, BENJAMINI_YEKUTIELI)


def adjusted(p: FloatArray, procedure: str = HOLM) -> FloatArray:
    """(m,) adjusted p-values; NaN stays NaN and is no member of the family.

    holm: family-wise error (Holm 1979). bh: false discovery rate of independent tests (Benjamini & Hochberg 1995). by:
    of any tests (Benjamini & Yekutieli 2001).
    """
    if procedure not in PROCEDURES:
        raise ValueError(f"There is no procedure called {procedure}; choose one of {', '.join(PROCEDURES)}.")
    result = np.full(p.shape, np.nan)
    tested = ~np.isnan(p)
    result[tested] = _adjust(p[tested], procedure)
    return result


def _adjust(p: FloatArray, procedure: str) -> FloatArray:
    m, order = len(p), np.argsort(p)
    place = np.arange(1, m + 1)
    if procedure == HOLM:
        stepped = np.maximum.accumulate((m - place + 1) * p[order])
    else:
        factor = (1 / place).sum() if procedure == BENJAMINI_YEKUTIELI else 1.0
        stepped = np.minimum.accumulate((factor * m / place * p[order])[::-1])[::-1]
    result = np.empty(m)
    result[order] = np.minimum(stepped, 1.0)
    return result
