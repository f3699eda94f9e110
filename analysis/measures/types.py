"""The array types that measures take and give, and the mark of a sentence that pages translate."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

BoolArray = NDArray[np.bool_]
FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]


def gettext_noop(sentence: str) -> str:
    """The sentence as it is: translators find it by this name, which is that of Django's function."""
    return sentence
