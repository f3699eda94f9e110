"""Informativity at a common mix of item categories, so that a generator gains nothing by writing more of an easy kind.

Models may rate some kinds of question as more informative than others, so generators are compared within categories.
Direct standardization: informativity is computed within each category; these values are averaged with the share of
each category among all items of the study as weights, which are the same for every generator. In each replicate of the
interval the shares right are computed again and the weights stay fixed.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from analysis.choices import CONVENTIONS
from analysis.formatting import number
from analysis.frames.evidence import Evidence
from analysis.measures.intervals import TEXT, undefined_interval
from analysis.measures.types import FloatArray
from analysis.protocols.guess_then_read.answers import READ
from analysis.protocols.guess_then_read.informativity import informativities
from analysis.protocols.guess_then_read.tables import STANDARDISED
from analysis.reports.categories import Categories, categories_in, say_left_aside
from analysis.reports.estimates import Estimate, figure_of, with_codes
from analysis.reports.evaluators import Evaluator, evaluators_in
from analysis.tables.spec import Table

NOT_PUBLISHED = gettext_noop("A common mix has no published interval.")
ALL = ""  # in the column `category`: at the common mix
DIFFERS = 0.1  # a share of items that differs at least this much from the common one is reported


def standardize_informativity(evidence: Evidence) -> Table:
    """One row per way to divide the items, generator and evaluator at the common mix, then one for each category."""
    judgments, ways = evidence.judgments, categories_in(evidence)
    rows = [
        row
        for way in ways
        for evaluator in evaluators_in(evidence)
        for generator in evidence.generators
        for row in rows_of(evidence, way, generator, evaluator, evaluator.rows_of(judgments))
    ]
    notes = [
        _("Informativity within each category of items, and its mean weighted by each category's share "
          "of all items of the study, so that every generator is compared on the same mix (direct "
          "standardization)."),
        *(warning for way in ways for warning in warnings(evidence, way)),
    ]  # fmt: skip
    if not ways:
        notes = [_("The items have no kinds yet. Give every item a kind in its metadata, or code what "
                   "every item asks about.")]  # fmt: skip
    notes += say_left_aside(evidence)
    return STANDARDISED.build(rows, evidence.choices.convention, notes)


def mixes(evidence: Evidence, way: Categories) -> dict[str, dict[str, float]]:
    """The share of each category among the items of each generator, and under "" among all of them."""
    of_items = dict(zip(evidence.items["item_id"], evidence.items["generator"], strict=True))
    found = {}
    for generator in (ALL, *evidence.generators):
        mine = [way.of[item] for item, its_generator in of_items.items() if generator in (ALL, its_generator)]
        found[generator] = {name: mine.count(name) / len(mine) if mine else 0.0 for name in way.names}
    return found


def warnings(evidence: Evidence, way: Categories) -> list[str]:
    """Which generators have another mix of items than the common one, with the largest difference of each."""
    shares = mixes(evidence, way)
    common, found = shares[ALL], []
    for generator in evidence.generators:
        own = shares[generator]
        category = max(way.names, key=lambda name: (round(abs(own[name] - common[name]), 9), own[name]))
        if round(abs(own[category] - common[category]), 9) >= DIFFERS:
            values = {"kind": way.phrase, "category": way.title_of(category), "generator": generator}
            values |= {"own": number(own[category]), "common": number(common[category])}
            sentence = _(
                "The generators' items differ in %(kind)s: %(category)s makes up %(own)s of the items by "
                "%(generator)s and %(common)s of all items, so compare at the common mix."
            )
            found.append(sentence % values)
    return found


def mix_sentences(evidence: Evidence) -> list[str]:
    """The warnings of all ways to divide the items, for the page where the numbers first occur."""
    return [warning for way in categories_in(evidence) for warning in warnings(evidence, way)]


def rows_of(
    evidence: Evidence, way: Categories, generator: str, evaluator: Evaluator, judgments: pd.DataFrame
) -> list[dict[str, Any]]:
    """The standardised row, then one for each category."""
    shares = mixes(evidence, way)
    mine = judgments[judgments["generator"] == generator]
    category = mine["item_id"].map(way.of)
    coded, sums = with_codes(mine), sums_of(mine, category, way.names)
    common = np.array([shares[ALL][name] for name in way.names])
    rows = []
    for place, name in [(None, ALL), *enumerate(way.names)]:
        weights = common if place is None else np.eye(len(common))[place]
        about = mine if place is None else mine[category == name]
        found = estimate(
            coded, sums, weights, list(map(way.title_of, way.names)), evidence.choices.seed, evaluator.is_fixed
        )
        rows.append(
            {
                "category_kind": way.kind,
                "category": name,
                "generator": generator,
                "evaluator": evaluator.name,
                "share_items": 1.0 if place is None else shares[generator][name],
                "share_items_common": 1.0 if place is None else shares[ALL][name],
                "informativity": found,
                "n_items": about["item_id"].nunique(),
                "n_texts": about["text_id"].nunique(),
                "category_kind_said": way.phrase,
                "category_said": _("all, common mix") if place is None else way.title_of(name),
            }
        )
    return rows


def sums_of(judgments: pd.DataFrame, category: pd.Series, names: Sequence[str]) -> FloatArray:
    """(judgments, categories, 4): what each judgment adds to right and n with the text, and right and n without it."""
    read, right = (judgments["stage"] == READ).to_numpy(), judgments["correct"].to_numpy(dtype=bool)
    parts = np.stack([right & read, read, right & ~read, ~read], axis=1)
    mine = np.stack([(category == name).to_numpy() for name in names], axis=1)
    return (mine[:, :, None] & parts[:, None, :]).astype(np.float64)


def estimate(
    judgments: pd.DataFrame, sums: FloatArray, weights: FloatArray, names: list[str], seed: int, fixed: bool
) -> Estimate:
    """Σ weight · informativity of the categories, over judgments `with_codes`; sums as of `sums_of`."""
    used = weights > 0
    empty = [name for name, part, is_used in zip(names, sums.sum(axis=0), used, strict=True)
             if is_used and not part[1::2].all()]  # fmt: skip
    if empty:
        reason = _("no answers in both stages about: %(categories)s") % {"categories": ", ".join(empty)}
        nowhere = undefined_interval("", (TEXT, judgments["text_id"].nunique(), len(judgments), None), "")
        return Estimate(float("nan"), dict.fromkeys(CONVENTIONS, nowhere), reason)

    def statistic(added: FloatArray) -> FloatArray:
        parts = added.reshape(len(added), -1, 4)
        return np.asarray(sum(weight * informativities(parts[:, at]) for at, weight in enumerate(weights[used])))

    about = np.flatnonzero(sums[:, used].any(axis=(1, 2)))
    return figure_of(
        statistic, judgments.iloc[about], sums[about][:, used].reshape(len(about), -1), bounds=(-1.0, 1.0), seed=seed,
        not_published=NOT_PUBLISHED, fixed=fixed,
    )  # fmt: skip
