"""The planner of pairwise comparisons: what is assumed, and the power and widths that follow."""

from collections.abc import Iterator
from dataclasses import dataclass
from math import nan
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from analysis.formatting import count, number
from analysis.frames.evidence import Evidence
from analysis.measures.components import estimate_text_spread, text_spread_interval
from analysis.measures.power import Components, preference_outlook
from analysis.measures.strengths import TIE
from analysis.planning.forms import OutlookForm, Sizes, make_share_field, make_size_field, make_spread_field
from analysis.planning.outlook import (
    STUDIES,
    AssumedPlan,
    Planner,
    build_component_row,
    build_outlook_row,
    format_percent,
    list_sizes_around,
    make_unfitted_row,
)
from analysis.protocols.pairwise.ranking import encode_judgments, select_counted
from analysis.protocols.pairwise.report import fit_pair_spread, orient_pairs
from analysis.protocols.pairwise.tables import OUTLOOK
from analysis.reports.spread import Spread, name_components
from analysis.tables.spec import Row

PREFERRED, TEXT_SPREAD = 0.6, 0.5  # Lesart's assumptions if a study has no answers yet


@dataclass(frozen=True)
class PairPlan(AssumedPlan):
    """The assumptions about a study: texts, untied judgments of a pair of generators per text, and the share of these
    that prefer the first generator."""

    texts: int
    judgments: int
    share: float
    text_spread: float

    axes = ("texts", "judgments")
    table = OUTLOOK

    def rows(self, seed: int) -> Iterator[dict[str, Any]]:
        for axis, least in (("texts", 2), ("judgments", 1)):
            own = getattr(self, axis)
            for n in list_sizes_around(own, least):
                about = {"texts": self.texts, "judgments": self.judgments} | {axis: n}
                found = preference_outlook(
                    about["texts"], about["judgments"], self.share, text_spread=self.text_spread, seed=seed,
                    studies=STUDIES,
                )  # fmt: skip
                yield build_outlook_row(axis, n, n == own, about, found)

    def note(self) -> str:
        return _("Power: share of simulated studies in which the interval of the share preferred "
                 "excludes one half. Width: of that interval. Judgments: of one pair of generators per "
                 "text, without ties.")  # fmt: skip

    def sentence(self, own: Row) -> str:
        return _(
            "With %(texts)s texts and %(judgments)s untied judgments per text for a pair of generators, "
            "%(power)s of such studies would detect a preference of %(share)s. The interval of that "
            "share would be %(width)s wide."
        ) % {
            "texts": count(own["texts"]),
            "judgments": count(own["judgments"]),
            "power": format_percent(own["power"]),
            "share": format_percent(self.share),
            "width": number(own["width"]),
        }


class PairForm(OutlookForm):
    SIZES = ("texts", "judgments")
    EFFECTS = ("share",)

    texts = make_size_field(gettext_lazy("Texts"), 2, 2000)
    judgments = make_size_field(gettext_lazy("Untied judgments of a pair of generators, a text"), 1, 500)
    share = make_share_field(gettext_lazy("Share that prefers the better generator"), 0.5)
    text_spread = make_spread_field(gettext_lazy("between texts"))

    def assumptions(self) -> PairPlan:
        return PairPlan(**self.cleaned_data)


def assume_values(sizes: Sizes, found: Spread) -> dict[str, Any]:
    """The initial values of the form."""
    text_spread = TEXT_SPREAD if found.text_spread is None else found.text_spread
    return {"texts": sizes.texts, "judgments": sizes.judgments, "share": PREFERRED, "text_spread": text_spread}


def list_components(evidence: Evidence) -> list[dict[str, Any]]:
    first, second, outcome, text = encode_judgments(evidence, select_counted(evidence))
    untied, default = outcome != TIE, Components().text
    if not untied.any():
        return [make_unfitted_row("text", name_components()["text"], default)]
    cell, won = orient_pairs(first[untied], second[untied], outcome[untied], len(evidence.generators))
    found = estimate_text_spread(text[untied], cell, won)
    interval = text_spread_interval(text[untied], cell, won, found)
    return [build_component_row("text", name_components()["text"], nan if found is None else found, default, interval)]


def make_planner() -> Planner:
    return Planner(PairForm, fit_pair_spread, list_components, assume_values)
