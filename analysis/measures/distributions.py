"""Quantiles and tails of Student's t, the normal and χ² distribution, from scipy.special.

`scipy.stats` gives the same numbers to the last digit, but takes a second to load, so only rarer tests load it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from scipy.special import chdtrc, ndtr, ndtri, stdtr, stdtrit


def t_quantile(share: Any, freedom: float) -> Any:
    """The value that a share of Student's t is below."""
    return np.where(np.equal(share, 0), -np.inf, stdtrit(freedom, share))  # stdtrit gives ∞ for 0


def t_above(value: Any, freedom: float) -> Any:
    """The share of Student's t above the value."""
    return stdtr(freedom, -value)


def normal_quantile(share: float) -> Any:
    """The value that a share of the standard normal distribution is below."""
    return ndtri(share)


def normal_above(value: Any) -> Any:
    """The share of the standard normal distribution above the value."""
    return ndtr(-value)


def chi_squared_above(value: float, freedom: float) -> Any:
    """The share of the χ² distribution above the value."""
    return chdtrc(freedom, value)
