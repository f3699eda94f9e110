"""The words of Landis & Koch (1977) for the strength of agreement."""

from __future__ import annotations

import math

from analysis.measures.types import gettext_noop

POOR, SLIGHT, FAIR = gettext_noop("poor"), gettext_noop("slight"), gettext_noop("fair")
MODERATE, SUBSTANTIAL = gettext_noop("moderate"), gettext_noop("substantial")
ALMOST_PERFECT = gettext_noop("almost perfect")
UPPER_ENDS = ((0.20, SLIGHT), (0.40, FAIR), (0.60, MODERATE), (0.80, SUBSTANTIAL))


def strength(coefficient: float) -> str:
    """poor below 0, slight to .20, fair to .40, moderate to .60, substantial to .80, above almost perfect.

    Table of Landis & Koch (1977), p. 165, on the coefficient rounded to two digits as their table is printed. Empty
    where the coefficient is undefined.
    """
    if math.isnan(coefficient):
        return ""
    rounded = round(coefficient, 2)
    if rounded < 0:
        return POOR
    return next((word for end, word in UPPER_ENDS if rounded <= end), ALMOST_PERFECT)
