"""Generators ranked by strengths fitted to wins and ties, Davidson's model first, others beside it."""

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from analysis.frames.evidence import Evidence
from analysis.measures.intervals import JUDGMENT, Interval
from analysis.measures.ranking import Ranking, rank_generators
from analysis.measures.strengths import METHODS
from analysis.protocols.pairwise.judged_pairs import calibration_note, encode, select_counted
from analysis.protocols.pairwise.tables import RANKING
from analysis.reports.estimates import intervals_json, over_texts, texts_only_note
from analysis.tables.spec import Table

METHOD_WORDS = {
    "davidson": gettext_noop("Davidson, ties modelled"),
    "bradley_terry_half": gettext_noop("Bradley–Terry, ties as half wins"),
    "bradley_terry_dropped": gettext_noop("Bradley–Terry, ties dropped"),
    "rao_kupper": gettext_noop("Rao–Kupper, ties modelled"),
}


def ranking(evidence: Evidence) -> Table:
    """One row per method and generator, the strongest first. A generator without a finite strength has the reason."""
    judgments = select_counted(evidence)
    rows = [row for method in METHODS for row in method_rows(evidence, judgments, method)]
    notes = (texts_only_note(_("strengths and possible ranks")), *calibration_note(evidence))
    return RANKING.build(rows, notes=notes)


def method_rows(evidence: Evidence, judgments: pd.DataFrame, method: str) -> list[dict[str, Any]]:
    first, second, outcome, text = encode(evidence, judgments)
    g, seed = len(evidence.generators), evidence.choices.seed
    by_text = rank_generators(first, second, outcome, g, text, method, seed=seed)
    singly = rank_generators(first, second, outcome, g, np.arange(len(text)), method, seed=seed)
    found = over_texts(by_text, replace(singly, intervals=[by_judgment(i) for i in singly.intervals]))
    rows = [
        generator_row(name, code, method, found, evidence.choices.convention)
        for code, name in enumerate(evidence.generators)
    ]
    return sorted(rows, key=lambda row: row["rank"] or g + 1)


def by_judgment(interval: Interval) -> Interval:
    return replace(interval, unit=JUDGMENT)


def generator_row(name: str, code: int, method: str, found: dict[str, Ranking], convention: str) -> dict[str, Any]:
    chosen = found[convention]
    interval = chosen.intervals[code]
    reason = chosen.reasons[code] or interval.reason
    return {
        "method": method,
        "generator": name,
        "rank": int(chosen.rank[code]) or None,
        "strength": chosen.strength[code],
        "low": interval.low,
        "high": interval.high,
        "rank_low": int(chosen.rank_low[code]) or None,
        "rank_high": int(chosen.rank_high[code]) or None,
        "n": chosen.n[code],
        "reason": _(reason) if reason else "",
        "ranks": f"{chosen.rank_low[code]}–{chosen.rank_high[code]}" if chosen.rank[code] else "",
        "method_said": _(METHOD_WORDS[method]),
        "intervals": {"strength": intervals_json({key: each.intervals[code] for key, each in found.items()})},
    }
