"""Informativity at a common mix of item categories: a generator that writes more of an easy kind gains nothing by it.

Models may rate some kinds of question as more informative than others, so generators are compared within categories.
Direct standardisation: within each category informativity as usual, then their mean weighted by the share that the
category has among all items of the study, the same weights for every generator. In each replicate of the interval the
shares right are recomputed and the weights stay.
"""

from typing import Any

import numpy as np
import pandas as pd
from django.utils.translation import gettext as _

from analysis.evidence import Evidence
from analysis.formatting import number
from analysis.measures.intervals import TEXT, Interval, clustered, undefined
from analysis.measures.types import FloatArray
from analysis.reports.answers import judgments_of
from analysis.reports.categories import Categories, categories_in, left_aside
from analysis.reports.contrasts import informativities, sums_of
from analysis.reports.estimates import Estimate
from analysis.reports.evaluators import evaluators_in
from analysis.tables import Shown, Table, make_table

NAME = "informativity_standardised"
COLUMNS = (
    "category_kind", "category", "generator", "evaluator", "share_items", "share_items_common", "informativity", "low",
    "high", "reason", "n_items", "n_texts",
)  # fmt: skip
ALL = ""  # of the column `category`: at the common mix of all
DIFFERS = 0.1  # from here on a share of items is said to differ from the common one


def informativity_standardised(evidence: Evidence) -> Table:
    """One row per way to divide the items, generator and evaluator at the common mix, then one for each category."""
    judgments, ways = judgments_of(evidence.frame), categories_in(evidence)
    rows = [
        row
        for way in ways
        for evaluator in evaluators_in(evidence)
        for generator in evidence.generators
        for row in rows_of(evidence, way, generator, evaluator.name, evaluator.rows_of(judgments))
    ]
    notes = [
        _("Informativity within each category of items, and all of them weighted by the share that each category has "
          "among all items of the study: the same mix for every generator (direct standardisation)."),
        *(warning for way in ways for warning in warnings(evidence, way)),
    ]  # fmt: skip
    if not ways:
        notes = [_("Nothing divides the items into kinds yet: give each item a kind in its metadata, or set the codes "
                   "that say what it asks about on every item.")]  # fmt: skip
    notes += left_aside(evidence)
    title = _("Informativity at a common mix of items")
    named_by = ("category_kind", "category", "generator", "evaluator")
    return make_table(NAME, COLUMNS, rows, title=title, notes=tuple(notes), shown=shown(), named_by=named_by)


def mixes(evidence: Evidence, way: Categories) -> dict[str, dict[str, float]]:
    """The share of each category among the items of each generator, and among all of them under ""."""
    of_items = dict(zip(evidence.items["item_id"], evidence.items["generator"], strict=True))
    found = {}
    for generator in (ALL, *evidence.generators):
        mine = [way.of[item] for item, its_generator in of_items.items() if generator in (ALL, its_generator)]
        found[generator] = {name: mine.count(name) / len(mine) if mine else 0.0 for name in way.names}
    return found


def warnings(evidence: Evidence, way: Categories) -> list[str]:
    """Where a generator's mix is another than the common one, the largest difference of each."""
    shares = mixes(evidence, way)
    common, found = shares[ALL], []
    for generator in evidence.generators:
        own = shares[generator]
        category = max(way.names, key=lambda name: (round(abs(own[name] - common[name]), 9), own[name]))
        if round(abs(own[category] - common[category]), 9) >= DIFFERS:
            values = {"kind": way.said, "category": way.worded(category), "generator": generator}
            values |= {"own": number(own[category]), "common": number(common[category])}
            said = _(
                "Generators differ in mix by %(kind)s: %(category)s is %(own)s of the items by %(generator)s and"
                " %(common)s of all, so compare at the common mix."
            )
            found.append(said % values)
    return found


def mix_sentences(evidence: Evidence) -> list[str]:
    """The warnings of all ways, for where the numbers are first read."""
    return [warning for way in categories_in(evidence) for warning in warnings(evidence, way)]


def rows_of(
    evidence: Evidence, way: Categories, generator: str, evaluator: str, judgments: pd.DataFrame
) -> list[dict[str, Any]]:
    """The standardised row, then one for each category."""
    shares = mixes(evidence, way)
    mine = judgments[judgments["generator"] == generator]
    category = mine["item_id"].map(way.of)
    texts = pd.Index(mine["text_id"].unique())
    sums = np.stack([sums_of(mine[category == name], generator, texts) for name in way.names])
    common = np.array([shares[ALL][name] for name in way.names])
    rows = []
    for place, name in [(None, ALL), *enumerate(way.names)]:
        weights = common if place is None else np.eye(len(common))[place]
        about = mine if place is None else mine[category == name]
        found = estimate(sums, weights, len(about), list(map(way.worded, way.names)), evidence.choices.seed)
        low, high, reason = found.ends(evidence.choices.convention)
        rows.append(
            {
                "category_kind": way.kind,
                "category": name,
                "generator": generator,
                "evaluator": evaluator,
                "share_items": 1.0 if place is None else shares[generator][name],
                "share_items_common": 1.0 if place is None else shares[ALL][name],
                "informativity": found.value,
                "low": low,
                "high": high,
                "reason": reason,
                "n_items": about["item_id"].nunique(),
                "n_texts": about["text_id"].nunique(),
                "category_kind_said": way.said,
                "category_said": _("all, common mix") if place is None else way.worded(name),
                "intervals": {"informativity": found.as_json()},
            }
        )
    return rows


def estimate(sums: FloatArray, weights: FloatArray, n: int, names: list[str], seed: int) -> Estimate:
    """Σ weight · informativity of the categories; sums: (categories, texts, 4) as of `sums_of`."""
    used = weights > 0
    empty = [name for name, part, is_used in zip(names, sums, used, strict=True)
             if is_used and not part[:, 1::2].sum(axis=0).all()]  # fmt: skip
    if empty:
        reason = _("no answers in both stages about: %(categories)s") % {"categories": ", ".join(empty)}
        nowhere = undefined("", (TEXT, sums.shape[1], n, None), "")
        return Estimate(float("nan"), {"clustered": nowhere, "published": nowhere}, reason)

    def statistic(taken: FloatArray) -> FloatArray:
        parts = [weight * informativities(taken @ part) for weight, part in zip(weights[used], sums[used], strict=True)]
        return np.asarray(sum(parts))

    about = sums[used][:, :, 1::2].sum(axis=(0, 2)) > 0
    ends: Interval = clustered(
        lambda taken: statistic(spread_over(taken, about)), int(about.sum()), n, bounds=(-1.0, 1.0), seed=seed
    )
    value = float(statistic(np.ones((1, sums.shape[1])))[0])
    none = undefined("", (TEXT, int(about.sum()), n, None), _("A common mix has an interval by texts only."))
    return Estimate(value, {"clustered": ends, "published": none})


def spread_over(taken: FloatArray, about: np.ndarray) -> FloatArray:
    """Weights of the texts that count, with 0 for the others."""
    whole = np.zeros((len(taken), len(about)))
    whole[:, about] = taken
    return whole


def shown() -> tuple[Shown, ...]:
    informed = _("answerability minus guessability within each category, weighted by its share of all items")
    return (
        Shown(_("Items divided by"), "category_kind_said"),
        Shown(_("Category"), "category_said"),
        Shown(_("Generator"), "generator"),
        Shown(_("Answers by"), "evaluator", "evaluator"),
        Shown(_("Share of its items"), "share_items", "number", about=_("share of the generator's items")),
        Shown(_("Share of all items"), "share_items_common", "number", about=_("share of all items: the weight")),
        Shown(_("Informativity"), "informativity", "number", "low", "high", "reason", about=informed),
        Shown(_("Items"), "n_items", "count", about=_("items with judgments")),
        Shown(_("Texts"), "n_texts", "count", about=_("texts with judgments")),
    )
