"""The array types of measures, and the marker for translated sentences."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

BoolArray = NDArray[np.bool_]
FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


def gettext_noop(sentence: str) -> str:
    """The sentence as it is: translators find it by this name, which is that of Django's function."""
    return sentence


IDENTITY, LINEAR, QUADRATIC, ORDINAL = "identity", "linear", "quadratic", "ordinal"
KINDS = (IDENTITY, LINEAR, QUADRATIC, ORDINAL)


def agreement_weights(kind: str, categories: int, points: FloatArray | None = None) -> FloatArray:
    """(c, c) weights from 0 to 1, 1 on the diagonal, of c declared categories in their order (Gwet 2014, chapter 3).

    identity: full agreement only. linear: 1 - |k - l| / range. quadratic: 1 - (k - l)² / range², both on `points`
    (c,), the categories' numbers, default 0 to c - 1. ordinal: 1 - M_kl / max M, M_kl = (d + 1) d / 2 for categories d
    apart. A single category has weight 1.
    """
    at = np.arange(categories, dtype=np.float64) if points is None else np.asarray(points, dtype=np.float64)
    apart = np.abs(at[:, None] - at[None, :])
    steps = np.abs(np.subtract.outer(np.arange(categories), np.arange(categories))).astype(np.float64)
    distances = {
        IDENTITY: (steps > 0).astype(np.float64),
        LINEAR: apart,
        QUADRATIC: apart**2,
        ORDINAL: steps * (steps + 1) / 2,
    }
    if kind not in distances:
        raise ValueError(f"There are no weights called {kind}; choose one of {', '.join(KINDS)}.")
    farthest = distances[kind].max()
    return np.asarray(1 - distances[kind] / farthest) if farthest > 0 else np.ones((categories, categories))


def free_weights(weights: FloatArray) -> FloatArray:
    """(c, c) custom weights, checked: square, symmetric, 0 to 1, with 1 on the diagonal."""
    given = np.asarray(weights, dtype=np.float64)
    if given.ndim != 2 or given.shape[0] != given.shape[1] or not np.allclose(given, given.T):
        raise ValueError("Weights must be a square table that is the same in rows and columns.")
    if not np.allclose(np.diag(given), 1) or given.min() < 0 or given.max() > 1:
        raise ValueError("Weights must lie between 0 and 1, with 1 on the diagonal.")
    return given


def weights_of_disagreement(disagreement: FloatArray) -> FloatArray:
    """(c, c) agreement weights 1 - d / max d of disagreement weights with 0 on the diagonal (Cohen 1968)."""
    given = np.asarray(disagreement, dtype=np.float64)
    if not given.max(initial=0.0) > 0:
        raise ValueError("Weights of disagreement need at least one above 0; where none is, everything agrees.")
    return free_weights(1 - given / given.max())
