"""Small published data sets, with their sources."""

from __future__ import annotations

import numpy as np

from analysis.measures.agreement import MISSING

ABSTRACTORS = [[13, 0, 0], [0, 20, 7], [0, 4, 56]]  # Gwet's cont3x3abstractors, R irrCAC vignettes
COHEN_1968 = [[88, 14, 18], [10, 40, 10], [2, 6, 12]]  # Cohen (1960, 1968), proportions times n = 200
COHEN_1960 = [[50, 26, 24], [24, 4, 32], [6, 30, 4]]  # Cohen (1960), table 1, proportions times n = 200
PROC_FREQ = [[0, 4, 1], [0, 8, 0], [0, 1, 5]]  # SAS PROC FREQ printout in statsmodels' tests
FEINSTEIN_A, FEINSTEIN_B = [[40, 9], [6, 45]], [[80, 10], [5, 5]]  # Feinstein & Cicchetti (1990)

# R irr, anxiety[, 2:3]: 20 subjects, ratings 1 to 6
ANXIETY_2 = [3, 6, 4, 6, 2, 4, 2, 4, 3, 3, 2, 3, 3, 3, 2, 2, 1, 3, 3, 4]
ANXIETY_3 = [2, 1, 4, 4, 3, 2, 1, 6, 1, 1, 1, 2, 3, 3, 1, 1, 3, 3, 2, 2]

# Fleiss (1971), 30 patients × 6 raters × 5 diagnoses; columns as in R irr's copy `diagnoses`
DIAGNOSES = """444444 222555 233335 555555 222444 113333 333355 113334 114444 555555 144444 124444 222333 144444 224445
333335 111455 111112 224444 133555 555555 244444 224555 114444 144445 222224 111155 224444 133333 555555"""

# Its first 15 patients as raters per category, R irrCAC's distrib.6raters
SIX_RATERS = [
    [0, 0, 0, 6, 0], [0, 3, 0, 0, 3], [0, 1, 4, 0, 1], [0, 0, 0, 0, 6], [0, 3, 0, 3, 0],
    [2, 0, 4, 0, 0], [0, 0, 4, 0, 2], [2, 0, 3, 1, 0], [2, 0, 0, 4, 0], [0, 0, 0, 0, 6],
    [1, 0, 0, 5, 0], [1, 1, 0, 4, 0], [0, 3, 3, 0, 0], [1, 0, 0, 5, 0], [0, 2, 0, 3, 1],
]  # fmt: skip

# Gwet (2014), cac.raw4raters in R irrCAC: 12 units × 4 raters, and Krippendorff (2011), section C, which differs in one
FOUR_RATERS = [
    [1, 1, None, 1], [2, 2, 3, 2], [3, 3, 3, 3], [3, 3, 3, 3], [2, 2, 2, 2], [1, 2, 3, 4],
    [4, 4, 4, 4], [1, 1, 2, 1], [2, 2, 2, 2], [None, 5, 5, 5], [None, None, 1, 1], [None, None, 3, None],
]  # fmt: skip
KRIPPENDORFF_C = [*FOUR_RATERS[:-1], [None, 3, None, None]]
KRIPPENDORFF_A = [[0, 1], [1, 1], [0, 1], [0, 0], [0, 0], [0, 1], [0, 0], [0, 0], [1, 0], [0, 0]]  # section A
KRIPPENDORFF_B = ["ab", "aa", "bb", "bb", "db", "cc", "cc", "cc", "ee", "dd", "dd", "ad"]  # section B

# Shrout & Fleiss (1979), 6 targets × 4 judges
SHROUT_FLEISS = [[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]]

# Demšar (2006), table 6: AUC on 14 data sets of C4.5, C4.5+m, C4.5+cf, C4.5+m+cf
DEMSAR = [
    [0.763, 0.768, 0.771, 0.798], [0.599, 0.591, 0.590, 0.569], [0.954, 0.971, 0.968, 0.967],
    [0.628, 0.661, 0.654, 0.657], [0.882, 0.888, 0.886, 0.898], [0.936, 0.931, 0.916, 0.931],
    [0.661, 0.668, 0.609, 0.685], [0.583, 0.583, 0.563, 0.625], [0.775, 0.838, 0.866, 0.875],
    [1.0, 1.0, 1.0, 1.0], [0.940, 0.962, 0.965, 0.962], [0.619, 0.666, 0.614, 0.669],
    [0.972, 0.981, 0.978, 0.975], [0.957, 0.978, 0.946, 0.970],
]  # fmt: skip

# Agresti (2002), p. 438: games won by the row's team, home and away; Milwaukee, Detroit, Toronto, New York, Boston,
# Cleveland, Baltimore
BASEBALL = [
    [0, 7, 9, 7, 7, 9, 11], [6, 0, 7, 5, 11, 9, 9], [4, 6, 0, 7, 7, 8, 12], [6, 8, 6, 0, 6, 7, 10],
    [6, 2, 6, 7, 0, 7, 12], [4, 4, 5, 6, 6, 0, 6], [2, 4, 1, 3, 1, 7, 0],
]  # fmt: skip

# Davidson (1970), example 2, chocolate puddings: i, j, i preferred, j preferred, ties
PUDDINGS = [
    (1, 2, 19, 22, 16), (1, 3, 16, 19, 12), (2, 3, 19, 19, 10), (1, 4, 18, 23, 13), (2, 4, 23, 19, 9),
    (3, 4, 19, 20, 15), (1, 5, 13, 19, 18), (2, 5, 16, 20, 12), (3, 5, 16, 15, 17), (4, 5, 17, 14, 16),
    (1, 6, 18, 21, 12), (2, 6, 22, 20, 12), (3, 6, 13, 18, 10), (4, 6, 14, 19, 18), (5, 6, 11, 21, 12),
]  # fmt: skip


def codes(rows: list[list[int | None]]) -> np.ndarray:
    """Ratings printed units × raters, from 1, as raters × units codes from 0."""
    return np.array([[MISSING if value is None else value - 1 for value in row] for row in rows]).T


def numbers(rows: list[list[int | None]]) -> np.ndarray:
    """Ratings printed units × raters as raters × units numbers, NaN where missing."""
    return np.array([[np.nan if value is None else value for value in row] for row in rows], dtype=float).T
