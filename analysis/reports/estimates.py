"""Shares, differences and means of answers with both conventions' intervals, as the columns of a table."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pandas as pd
from django.utils.translation import gettext as _

from analysis.measures.accuracy import informativity, share, tally
from analysis.measures.intervals import Interval
from analysis.measures.share_intervals import (
    clustered_contrast,
    clustered_mean,
    published_contrast,
    published_mean,
    published_share,
)


@dataclass(frozen=True)
class Estimate:
    """A number with its interval by each convention; the number is NaN where it is undefined."""

    value: float
    intervals: Mapping[str, Interval]
    reason: str = ""  # why the number is undefined

    def columns(self, name: str, convention: str) -> dict[str, Any]:
        """`name` and `name_low`, `name_high`, `name_reason`."""
        low, high, reason = self.ends(convention)
        return {name: self.value, f"{name}_low": low, f"{name}_high": high, f"{name}_reason": reason}

    def ends(self, convention: str) -> tuple[float, float, str]:
        """Low, high and why the number or its interval is undefined."""
        chosen = self.intervals[convention]
        return chosen.low, chosen.high, self.reason or _translated(chosen.reason)

    def as_json(self) -> dict[str, dict[str, Any]]:
        return {
            convention: asdict(interval) | {"reason": self.reason or _translated(interval.reason)}
            for convention, interval in self.intervals.items()
        }


def _translated(reason: str) -> str:
    return _(reason) if reason else ""  # the empty message id is the catalogue's header


@dataclass(frozen=True)
class Counts:
    """Right judgments and all judgments of one stage, per text."""

    right: np.ndarray
    n: np.ndarray

    @property
    def totals(self) -> tuple[int, int]:
        return int(self.right.sum()), int(self.n.sum())


def counts_of(judgments: pd.DataFrame, texts: pd.Index) -> Counts:
    """Counts per text, in the order of `texts`."""
    codes = texts.get_indexer(pd.Index(judgments["text_id"])).astype(np.int64)
    return Counts(*tally(judgments["correct"].to_numpy(dtype=bool), codes, len(texts)))


def share_of(counts: Counts, seed: int, reason: str = "") -> Estimate:
    """The share of right judgments; `reason` is used where there are none."""
    right, n = counts.totals
    intervals = {
        "clustered": clustered_mean(counts.right, counts.n, seed=seed),
        "published": published_share(right, n, seed=seed),
    }
    return Estimate(share(right, n), intervals, reason if n == 0 else "")


def difference_of(read: Counts, guess: Counts, seed: int, reason: str = "") -> Estimate:
    """Answerability minus guessability; `reason` is used where one of them is undefined."""
    totals = (*read.totals, *guess.totals)
    intervals = {
        "clustered": clustered_contrast(read.right, read.n, guess.right, guess.n, seed=seed),
        "published": published_contrast(*totals, seed=seed),
    }
    value = informativity(*totals)
    return Estimate(value, intervals, reason if np.isnan(value) else "")


def skewed_note() -> str:
    """What tables of agreement say of their intervals; `bench/agreement_rates.py` has the rates."""
    return _("Where nearly all labels are the same and texts are few, intervals of κ and α are too narrow.")


def mean_of(values: pd.Series, text_ids: pd.Series, bounds: tuple[float, float], seed: int) -> Estimate:
    """The mean of whole numbers, such as ratings; undefined without any."""
    texts, codes = np.unique(text_ids.to_numpy(dtype=str), return_inverse=True)
    numbers = values.to_numpy(dtype=np.int64)
    total = np.bincount(codes, weights=numbers, minlength=len(texts)).astype(np.int64)
    n = np.bincount(codes, minlength=len(texts)).astype(np.int64)
    kinds, counts = np.unique(numbers, return_counts=True)
    intervals = {
        "clustered": clustered_mean(total, n, bounds=bounds, seed=seed),
        "published": published_mean(kinds, counts, seed=seed),
    }
    return Estimate(share(int(total.sum()), int(n.sum())), intervals, "" if len(numbers) else _("no ratings"))
