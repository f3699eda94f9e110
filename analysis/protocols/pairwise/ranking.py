"""Which generator's items people preferred: wins and ties, and generators ranked by Davidson's model."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from analysis.frames.evidence import Evidence
from analysis.measures.agreement import MISSING
from analysis.measures.intervals import JUDGMENT, Interval
from analysis.measures.ranking import Ranking, rank_generators
from analysis.measures.strengths import FIRST, METHODS, SECOND, TIE, pair_counts
from analysis.measures.types import IntArray
from analysis.protocols.pairwise.tables import CRITERIA, RANKING, SIDES, WINS
from analysis.reports.estimates import (
    add_codes,
    build_arm,
    describe_intervals,
    estimate_share,
    note_texts_only,
    repeat_text_interval,
)
from analysis.reports.evaluators import Evaluator, get_people
from analysis.science.scores import sum_scores
from analysis.tables.spec import Table
from jobs.progress import split_table
from studies.protocols.pairwise.declaration import BETTER
from studies.protocols.pairwise.declaration import TIE as TIE_WORD
from studies.services.declarations import get_declaration
from studies.services.selection import CALIBRATION

ALL = "all"


def build_wins(evidence: Evidence) -> Table:
    """One row per two generators, in the order of the bank, even if they never met."""
    return WINS.build(iter_win_rows(evidence, select_counted(evidence)), notes=note_calibration(evidence))


def iter_win_rows(evidence: Evidence, judgments: pd.DataFrame) -> Iterator[dict[str, Any]]:
    first, second, outcome, _text = encode_judgments(evidence, judgments)
    names, once = evidence.generators, np.zeros(len(first), dtype=np.int64)
    counts = pair_counts(first, second, outcome, len(names), once, 1).total()
    for a, b in combinations(range(len(names)), 2):
        yield {
            "generator_a": names[a],
            "generator_b": names[b],
            "wins_a": int(counts.wins[a, b]),
            "wins_b": int(counts.wins[b, a]),
            "ties": int(counts.ties[a, b]),
            "n": int(counts.n[a, b]),
        }


def build_sides(evidence: Evidence) -> Table:
    """The share of wins on the left, over all wins and by generator, where sides are known; .5 by chance."""
    won = select_wins(select_counted(evidence))
    groups = [(ALL, won)] + [(name, won[won["generator"] == name]) for name in evidence.generators]
    rows = [build_side_row(evidence, name, mine) for name, mine in groups]
    return SIDES.build(rows, evidence.choices.convention, note_calibration(evidence))


def select_wins(judgments: pd.DataFrame) -> pd.DataFrame:
    """One row per judgment with a winner and a known side: text_id, annotator, generator of the winner, on_left."""
    won = keep_known_sides(judgments)
    found = {"generator": find_winner(won, "generator_"), "on_left": find_winner(won) == won["left"]}
    return won[["text_id", "annotator"]].assign(**found)


def keep_known_sides(judgments: pd.DataFrame) -> pd.DataFrame:
    """The judgments with a winner and a known left side."""
    return judgments[(judgments["outcome"] != TIE) & judgments["left"].notna()]


def build_side_row(evidence: Evidence, name: str, won: pd.DataFrame) -> dict[str, Any]:
    arm = build_arm(add_codes(won), "on_left")
    return {
        "generator": name,
        "share_left": estimate_share(arm, evidence.choices.seed, _("There are no judgments to compute this from.")),
        "n": len(won),
        "generator_said": _("all generators") if name == ALL else name,
    }


def build_criteria(evidence: Evidence) -> Table:
    """One row per criterion: in how many judgments with a winner it was ticked."""
    stage = get_declaration(evidence.study).stages[0]
    names = [question.name for question in stage.questions if question.kind == "tick"]
    answers = get_people(evidence).select_rows(evidence.frame).merge(select_counted(evidence)[KEY], on=KEY)
    rows = []
    for name in names:
        ticked = answers[answers["question"] == name]["value"]
        n, decided = int(ticked.astype(bool).sum()), len(ticked)
        rows.append({"criterion": name, "n": n, "n_decided": decided, "share": n / decided if decided else None})
    return CRITERIA.build(rows, notes=note_calibration(evidence))


# Generators ranked by strengths fitted to wins and ties, by Davidson's model and three others.

METHOD_WORDS = {
    "davidson": gettext_noop("Davidson, ties modelled"),
    "bradley_terry_half": gettext_noop("Bradley–Terry, ties as half wins"),
    "bradley_terry_dropped": gettext_noop("Bradley–Terry, ties dropped"),
    "rao_kupper": gettext_noop("Rao–Kupper, ties modelled"),
}


def build_ranking(evidence: Evidence) -> Table:
    """One row per method and generator, the strongest first. A generator without a finite strength has a reason."""
    judgments = select_counted(evidence)
    rows = [
        row for method in split_table(RANKING.name, METHODS) for row in build_method_rows(evidence, judgments, method)
    ]
    notes = (note_texts_only(_("strengths and possible ranks")), *note_calibration(evidence))
    return RANKING.build(rows, notes=notes)


def build_method_rows(evidence: Evidence, judgments: pd.DataFrame, method: str) -> list[dict[str, Any]]:
    first, second, outcome, text = encode_judgments(evidence, judgments)
    g, seed = len(evidence.generators), evidence.choices.seed
    by_text = rank_generators(first, second, outcome, g, text, method, seed=seed)
    singly = rank_generators(first, second, outcome, g, np.arange(len(text)), method, seed=seed)
    found = repeat_text_interval(by_text, replace(singly, intervals=[set_judgment_unit(i) for i in singly.intervals]))
    rows = [
        build_generator_row(name, code, method, found, evidence.choices.convention)
        for code, name in enumerate(evidence.generators)
    ]
    return sorted(rows, key=lambda row: row["rank"] or g + 1)


def set_judgment_unit(interval: Interval) -> Interval:
    return replace(interval, unit=JUDGMENT)


def build_generator_row(
    name: str, code: int, method: str, found: dict[str, Ranking], convention: str
) -> dict[str, Any]:
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
        "intervals": {"strength": describe_intervals({key: each.intervals[code] for key, each in found.items()})},
    }


# Judgments of pairs, one row per annotator and pair; results count only people's --------------------------------------


KEY = ["annotator", "unit", "round"]


def select_judgments(evidence: Evidence) -> pd.DataFrame:
    """People's judgments; see `select_judgments_by`."""
    return select_judgments_by(evidence, get_people(evidence))


def select_judgments_by(evidence: Evidence, evaluator: Evaluator) -> pd.DataFrame:
    """The evaluator's judgments, including the calibration.

    Columns: annotator, unit, round, part, text_id, first, second, generator_first, generator_second, outcome, left.
    outcome: FIRST, SECOND or TIE, by the order of the pair rather than by side. left: the item on the left; missing if
    that is unknown.
    """
    rows = evaluator.select_rows(evidence.frame)
    rows = rows[rows["question"] == BETTER][[*KEY, "part", "text_id", "value"]]
    found = rows.merge(evidence.pairs, on=KEY, how="left")
    outcome = np.select([found["value"] == TIE_WORD, found["value"] == found["first"]], [TIE, FIRST], SECOND)
    return found.drop(columns="value").assign(outcome=outcome.astype(np.int64))


def select_counted(evidence: Evidence, evaluator: Evaluator | None = None) -> pd.DataFrame:
    """The judgments that enter the results, by default people's; with the calibration only if the choices say so."""
    found = select_judgments_by(evidence, evaluator or get_people(evidence))
    return found if evidence.choices.calibration else found[found["part"] != CALIBRATION].reset_index(drop=True)


def note_calibration(evidence: Evidence) -> list[str]:
    """A note on whether the calibration counts, if the study has answers to one."""
    if not (select_judgments(evidence)["part"] == CALIBRATION).any():
        return []
    if evidence.choices.calibration:
        return [_("Judgments of the calibration are counted.")]
    return [_("Judgments of the calibration are not counted.")]


def find_winner(judgments: pd.DataFrame, prefix: str = "") -> pd.Series:
    """The winning item of each judgment, or its generator; missing for a tie."""
    won = judgments[f"{prefix}first"].where(judgments["outcome"] == FIRST)
    return won.where(judgments["outcome"] != SECOND, judgments[f"{prefix}second"])


def build_rating_matrix(judgments: pd.DataFrame) -> tuple[IntArray, IntArray]:
    """Outcomes as (raters, pairs), MISSING where nobody judged, and the text of each pair, (pairs,).

    Without judgments there is one rater, who has judged nothing.
    """
    if judgments.empty:
        return np.full((1, 0), MISSING, dtype=np.int64), np.empty(0, dtype=np.int64)
    # Sorted by content, not by time, so that sums come out the same to the last digit.
    units = judgments.drop_duplicates("unit").sort_values(["text_id", "first", "second"]).set_index("unit")
    table, texts = judgments.pivot(index="annotator", columns="unit", values="outcome")[units.index], units["text_id"]
    ratings = table.fillna(MISSING).to_numpy(dtype=np.int64)
    return ratings, pd.factorize(texts, sort=True)[0].astype(np.int64)


def encode_judgments(evidence: Evidence, judgments: pd.DataFrame) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """first, second: (n,) codes of generators in the order of the bank; outcome, text: (n,)."""
    codes = {name: code for code, name in enumerate(evidence.generators)}
    first, second = (judgments[f"generator_{side}"].map(codes).to_numpy() for side in ("first", "second"))
    outcome, text = judgments["outcome"].to_numpy(), pd.factorize(judgments["text_id"], sort=True)[0]
    return first.astype(np.int64), second.astype(np.int64), outcome.astype(np.int64), text.astype(np.int64)


def score_items(evidence: Evidence) -> pd.DataFrame:
    """The share of comparisons that each item wins, a tie as half; see `analysis.science.scores`."""
    judged = select_counted(evidence)
    won = judged["outcome"].map({FIRST: 1.0, SECOND: 0.0, TIE: 0.5})
    sides = [
        judged[["text_id"]].assign(item_id=judged[side], generator=judged[f"generator_{side}"], value=value)
        for side, value in (("first", won), ("second", 1 - won))
    ]
    both = pd.concat(sides, ignore_index=True)
    return sum_scores(both, both["value"], "win_rate")
