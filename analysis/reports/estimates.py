"""Shares, differences and means with their interval under each convention."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from math import isnan
from typing import Any

import numpy as np
import pandas as pd
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from analysis.choices import ANNOTATORS, CONVENTIONS, PUBLISHED, READERS
from analysis.formatting import number
from analysis.measures.informativity import informativity
from analysis.measures.intervals import (
    Bounds,
    Interval,
    cluster_interval,
    clustered_contrast,
    clustered_mean,
    published_contrast,
    published_mean,
    published_share,
    undefined_interval,
)
from analysis.measures.reader_intervals import Arm, add_up, parts_of_sums, readers_contrast, readers_mean, readers_share
from analysis.measures.types import FloatArray, IntArray
from analysis.measures.variance_parts import AT_LEAST, AT_MOST

ROUNDING = 1e-9  # widths this close are the same
INTERVAL_COLUMNS = (
    "interval", "replicates", "seed", "n_texts_effective", "n_annotators_effective", "share_from_readers",
)  # fmt: skip


@dataclass(frozen=True)
class Estimate:
    """A number with its interval under each convention; NaN where it is undefined."""

    value: float
    intervals: Mapping[str, Interval]
    reason: str = ""  # why the number is undefined

    def columns(self, name: str, convention: str) -> dict[str, Any]:
        """The cells of the columns `name`, `name_low`, `name_high` and `name_reason`."""
        low, high, reason = self.ends(convention)
        return {name: self.value, f"{name}_low": low, f"{name}_high": high, f"{name}_reason": reason}

    def ends(self, convention: str) -> tuple[float, float, str]:
        """Low, high and why the number or its interval is undefined."""
        chosen = self.intervals[convention]
        return (
            chosen.low,
            chosen.high,
            self.reason or " ".join(filter(None, (_translate(chosen.reason), describe_bound(chosen)))),
        )

    def as_json(self) -> dict[str, dict[str, Any]]:
        return describe_intervals(self.intervals, self.reason)


NOT_PUBLISHED = gettext_noop("There is no published interval of this figure.")
NARROWER = gettext_noop(
    "Narrower than the published interval, which treats single judgments as independent. Check the "
    "number of texts before you rely on it."
)


def describe_intervals(intervals: Mapping[str, Interval], reason: str = "") -> dict[str, dict[str, Any]]:
    """The intervals of a number by convention, in words; `reason`: why the number itself is undefined.

    An interval that is narrower than the published one says so.
    """
    published = intervals.get(PUBLISHED)
    return {
        convention: asdict(each)
        | {
            "reason": reason or _translate(each.reason),
            "caveats": list(list_caveats(each, published)),
        }
        for convention, each in intervals.items()
    }


def list_caveats(interval: Interval, published: Interval | None) -> Iterator[str]:
    """The caveats to print with an interval."""
    yield from (_(each) for each in interval.caveats if each not in (AT_LEAST, AT_MOST))
    if interval.bound is not None:
        yield describe_bound(interval)
    if is_narrower(interval, published):
        yield _(NARROWER)


def describe_bound(interval: Interval) -> str:
    """The one-sided bound of a number at an end of its scale, in words; empty for other numbers."""
    if interval.bound is None:
        return ""
    values = {"bound": number(interval.bound)}
    if AT_LEAST in interval.caveats:
        return (
            _(
                "All judgments are at the upper end of the scale: the value is at least %(bound)s, with "
                "97.5 %% confidence."
            )
            % values
        )
    return (
        _("All judgments are at the lower end of the scale: the value is at most %(bound)s, with 97.5 %% confidence.")
        % values
    )


def is_narrower(interval: Interval, published: Interval | None) -> bool:
    """Whether an interval is narrower than the published one; an undefined one is not."""
    if published is None or interval is published:
        return False
    return interval.high - interval.low < published.high - published.low - ROUNDING


def _translate(reason: str) -> str:
    return _(reason) if reason else ""  # the empty message id is the header of the catalog


def fill_interval_columns(interval: Interval, convention: str) -> dict[str, Any]:
    """The cells of `INTERVAL_COLUMNS`: the convention and what the interval is based on; empty if nothing was drawn."""
    drawn = interval.seed is not None
    return {
        "interval": convention,
        "replicates": interval.replicates if drawn else None,
        "seed": interval.seed,
        "n_texts_effective": interval.n_texts_effective,
        "n_annotators_effective": interval.n_annotators_effective,
        "share_from_readers": interval.share_from_readers,
    }


def repeat_interval(interval: Interval) -> dict[str, dict[str, Any]]:
    """The interval repeated under every convention, for numbers that have only one."""
    return describe_intervals(dict.fromkeys(CONVENTIONS, interval))


def repeat_text_interval(by_texts: Any, published: Any) -> dict[str, Any]:
    """The interval over texts under both conventions, for numbers without an established interval over readers."""
    return {READERS: by_texts, ANNOTATORS: by_texts, PUBLISHED: published}


def note_texts_only(figures: str) -> str:
    """The footnote about numbers whose intervals are always over texts only."""
    return _("Over texts only, also where readers and texts are chosen: %(figures)s. How well an interval over readers "
             "covers these has not been measured.") % {"figures": figures}  # fmt: skip


def add_codes(judgments: pd.DataFrame) -> pd.DataFrame:
    """The same judgments with codes of their texts and annotators (`text`, `reader`), sorted by id."""
    return judgments.assign(
        text=pd.factorize(judgments["text_id"], sort=True)[0], reader=pd.factorize(judgments["annotator"], sort=True)[0]
    )


def build_arm(judgments: pd.DataFrame, column: str = "correct") -> Arm:
    """The sums of a column and the numbers of judgments by text and annotator, from judgments after `add_codes`.

    The order of the rows does not change the last digit if the values are whole numbers.
    """
    text, reader = (judgments[name].to_numpy(dtype=np.int64) for name in ("text", "reader"))
    width = int(reader.max(initial=0)) + 1
    cells, at, n = np.unique(text * width + reader, return_inverse=True, return_counts=True)
    total = np.bincount(at, weights=judgments[column].to_numpy(dtype=np.float64), minlength=len(cells))
    return Arm(cells // width, cells % width, total.astype(np.float64), n.astype(np.float64))


def sum_by_text(arm: Arm, n_texts: int) -> tuple[IntArray, IntArray]:
    """(n_texts,) sums and (n_texts,) numbers of judgments; for arms of whole numbers."""
    total, n = (np.bincount(arm.text, weights=part, minlength=n_texts) for part in (arm.total, arm.n))
    return total.astype(np.int64), n.astype(np.int64)


def count_texts(*arms: Arm) -> int:
    return max((int(arm.text.max(initial=-1)) + 1 for arm in arms), default=0)


def sum_totals(arm: Arm) -> tuple[int, int]:
    """The numbers of right judgments and of all judgments."""
    return round(arm.total.sum()), arm.n_judgments


def estimate_share(arm: Arm, seed: int, reason: str = "", *, fixed: bool = False) -> Estimate:
    """The share of right judgments. reason: used if there are none. fixed: whether they are by a model or baseline."""
    right, n = sum_totals(arm)
    intervals = {
        READERS: readers_share(arm, fixed=fixed),
        ANNOTATORS: clustered_mean(*sum_by_text(arm, count_texts(arm)), seed=seed),
        PUBLISHED: published_share(right, n, seed=seed),
    }
    return Estimate(arm.mean(), intervals, reason if n == 0 else "")


def estimate_difference(read: Arm, guess: Arm, seed: int, reason: str = "", *, fixed: bool = False) -> Estimate:
    """Answerability minus guessability. reason: used if one of them is undefined."""
    n_texts = count_texts(read, guess)
    value = informativity(*sum_totals(read), *sum_totals(guess))
    intervals = {
        READERS: readers_contrast((read,), (guess,), fixed=fixed),
        ANNOTATORS: clustered_contrast(*sum_by_text(read, n_texts), *sum_by_text(guess, n_texts), seed=seed),
        PUBLISHED: published_contrast(*sum_totals(read), *sum_totals(guess), seed=seed),
    }
    return Estimate(value, intervals, reason if isnan(value) else "")


def estimate_mean(judgments: pd.DataFrame, bounds: Bounds, seed: int, *, fixed: bool = False) -> Estimate:
    """The mean of the column `value`, whole numbers such as ratings; undefined if there are none."""
    arm, numbers = build_arm(add_codes(judgments), "value"), judgments["value"].to_numpy(dtype=np.int64)
    kinds, counts = np.unique(numbers, return_counts=True)
    intervals = {
        READERS: readers_mean(arm, bounds, fixed=fixed),
        ANNOTATORS: clustered_mean(*sum_by_text(arm, count_texts(arm)), bounds=bounds, seed=seed),
        PUBLISHED: published_mean(kinds, counts, seed=seed),
    }
    return Estimate(arm.mean(), intervals, "" if len(numbers) else _("no ratings"))


def estimate_figure(
    statistic: Callable[[FloatArray], FloatArray],
    judgments: pd.DataFrame,
    sums: FloatArray,
    *,
    bounds: Bounds,
    seed: int,
    not_published: str,
    fixed: bool = False,
) -> Estimate:
    """The estimate of any function of sums over judgments after `add_codes`. not_published: why no interval is.

    sums: (judgments, q). statistic: (b, q) sums give (b,) values, NaN where undefined.
    """
    text, reader = (judgments[name].to_numpy(dtype=np.int64) for name in ("text", "reader"))
    n = np.ones(len(judgments))
    over_readers = parts_of_sums(statistic, text, reader, sums, n, bounds=bounds, fixed=fixed)
    texts, groups = np.unique(text, return_inverse=True)
    of_texts = add_up(sums, groups, len(texts))
    intervals = {
        READERS: over_readers.interval(),
        ANNOTATORS: cluster_interval(
            lambda weights: statistic(weights @ of_texts), len(texts), len(judgments), bounds=bounds, seed=seed
        ),
        PUBLISHED: undefined_interval("", ("text", len(texts), len(judgments), None), not_published),
    }
    return Estimate(over_readers.value, intervals)


def note_skewed_intervals() -> str:
    """The footnote on intervals of agreement; `bench/agreement_rates.py` measured the coverage."""
    return _("If nearly all labels are the same and there are few texts, intervals of κ and α are too narrow.")
