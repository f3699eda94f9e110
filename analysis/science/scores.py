"""Scores of items and readers by people's answers: of items under any protocol, with the reliability per hour; how two
studies of the same items compare; and how reliably the items would rank the same readers again."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
import pandas as pd
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from analysis.choices import DEFAULT_CONVENTION
from analysis.formatting import format_with_interval, number, say_of_people, say_of_texts
from analysis.frames.evidence import Evidence
from analysis.measures.intervals import JACKKNIFE, Interval
from analysis.measures.reliability import (
    LEAST_FACTOR_PARTS,
    AlphaOfParts,
    alpha_of_parts,
    generator_correlation,
    item_correlation,
    largest_block,
    omega_total,
    reliability_of_an_hour,
    spearman_brown,
)
from analysis.measures.variance_parts import VarianceParts
from analysis.plugins import find_plugin
from analysis.reports.estimates import Estimate
from analysis.reports.evaluators import get_people
from analysis.science.common import collect_judgments, estimate_over_texts, get_reading_stages, make_undefined
from analysis.science.tables import BETWEEN, HOUR, RELIABILITY
from analysis.tables.spec import Row, Table
from studies.question_words import name_question
from studies.services.declarations import get_declaration

SCORED = ["measure", "text_id", "item_id", "generator", "total", "n"]
YES = "yes"
READERS, GENERATORS = "reader", "generator"
FEWEST_GENERATORS = 5


@dataclass(frozen=True)
class TimedReliability:
    """α over texts of `objects` (readers, or generators by a measure), and the minutes of active time it took."""

    objects: str
    measure: str
    alpha: AlphaOfParts
    minutes: float


@dataclass(frozen=True)
class StudyScores:
    """items: columns of SCORED, from people's answers alone; wording: by item, its question and options."""

    title: str
    items: pd.DataFrame
    wording: dict[str, str]
    reliable: tuple[TimedReliability, ...]


def score_study(evidence: Evidence) -> StudyScores:
    items = find_plugin(evidence.study.protocol).scores(evidence)
    items = items[SCORED].sort_values(["measure", "text_id", "item_id"], ignore_index=True)
    return StudyScores(evidence.study.title, items, map_wordings(evidence), tuple(iter_reliabilities(evidence, items)))


def map_wordings(evidence: Evidence) -> dict[str, str]:
    options = evidence.options.groupby("item_id")["wording"].agg("\n".join)
    stems = evidence.items.set_index("item_id")["stem"]
    return {str(item): f"{stem}\n{options.get(item, '')}" for item, stem in stems.items()}


# Scores of items ------------------------------------------------------------------------------------------------------


def score_items(evidence: Evidence) -> pd.DataFrame:
    """The scores for any protocol: shares correct, means of scales, shares of “yes”; see `StudyScores.items`."""
    found = [*score_ticks(evidence), *score_questions(evidence)]
    return pd.concat(found, ignore_index=True) if found else pd.DataFrame(columns=SCORED)


def sum_scores(rows: pd.DataFrame, values: pd.Series, measure: str) -> pd.DataFrame:
    """The sum and number of values by item."""
    sums = values.astype(float).groupby([rows[name] for name in ("text_id", "item_id", "generator")])
    return sums.agg(total="sum", n="size").reset_index().assign(measure=measure)


def score_ticks(evidence: Evidence) -> Iterator[pd.DataFrame]:
    stages = get_reading_stages(evidence)
    if stages is None:
        return
    mine = get_people(evidence).select_rows(collect_judgments(evidence))
    parts = {}
    for measure, stage in (("answerability", stages.with_text), ("guessability", stages.without)):
        rows = mine[mine["stage"] == stage]
        if stage and not rows.empty:
            parts[measure] = sum_scores(rows, rows["correct"], measure)
            yield parts[measure]
    if len(parts) == 2:
        keys = ["text_id", "item_id", "generator"]
        both = parts["answerability"].merge(parts["guessability"], on=keys, suffixes=("", "_guess"))
        difference = both["total"] / both["n"] - both["total_guess"] / both["n_guess"]
        yield both[keys].assign(total=difference, n=1, measure="informativity")


def score_questions(evidence: Evidence) -> Iterator[pd.DataFrame]:
    """Scales and yes/no questions about items."""
    mine = get_people(evidence).select_rows(evidence.frame)
    mine = mine[mine["item_id"].notna()]
    for stage in get_declaration(evidence.study).stages:
        for question in stage.questions:
            rows = mine[(mine["question"] == question.name) & (mine["stage"] == stage.name)]
            if question.per != "item" or rows.empty:
                continue
            if question.kind == "scale":
                yield sum_scores(rows, rows["value"], question.name)
            elif YES in question.levels:
                yield sum_scores(rows, rows["value"] == YES, question.name)


# Reliability of an hour -----------------------------------------------------------------------------------------------


def iter_reliabilities(evidence: Evidence, items: pd.DataFrame) -> Iterator[TimedReliability]:
    """Reliability of readers' shares correct, and of generators by each measure."""
    minutes = evidence.minutes.set_index("annotator")["active"]
    yield from iter_reader_reliabilities(evidence, minutes)
    if len(minutes):
        people = get_people(evidence).select_rows(evidence.frame)["annotator"].nunique()
        for measure, rows in items.groupby("measure", sort=True):
            scores = tabulate_scores(rows)
            if len(scores) >= FEWEST_GENERATORS:
                yield TimedReliability(
                    GENERATORS, str(measure), alpha_of_parts(scores), float(minutes.median()) * people
                )


def iter_reader_reliabilities(evidence: Evidence, minutes: pd.Series) -> Iterator[TimedReliability]:
    stages = get_reading_stages(evidence)
    if stages is None:
        return
    mine = get_people(evidence).select_rows(collect_judgments(evidence))
    read = mine[mine["stage"] == stages.with_text]
    block = read if read.empty else find_complete_block(read)
    timed = minutes.reindex(block["annotator"].unique()).dropna()
    if block["annotator"].nunique() < FEWEST_PEOPLE or timed.empty:
        return
    scores, text = select_complete_scores(block)
    parts = np.stack([scores[:, text == each].sum(axis=1) for each in np.unique(text)], axis=1)
    yield TimedReliability(READERS, "answerability", alpha_of_parts(parts), float(timed.median()))


def tabulate_scores(rows: pd.DataFrame) -> Any:
    """(generators, texts) mean scores over the texts on which all of the generators have items."""
    sums = rows.groupby(["generator", "text_id"])[["total", "n"]].sum()
    return (sums["total"] / sums["n"]).unstack("text_id").dropna(axis=1).to_numpy(dtype=np.float64)


# The same items under two protocols: do both rank generators and items alike, and which informs more per hour?


FEWEST_ITEMS, FEWEST_TEXTS = 30, 5
ITEMS = "item"
TOO_FEW_GENERATORS = gettext_noop("Ranks of generators need at least 5 generators in both studies; here %(n)d.")
TOO_FEW_ITEMS = gettext_noop("Ranks of items need at least 30 items in both studies; here %(n)d.")
TOO_FEW_TEXTS = gettext_noop("The jackknife needs at least 5 texts in both studies; here %(n)d.")
NO_TIME = gettext_noop("Its α over texts is not above 0, so more time would not help.")
NO_LOWER_END = gettext_noop("The interval of α over texts reaches 0 or below, so an hour has no interval.")


def compare_studies(one: StudyScores, other: StudyScores) -> tuple[Table, Table]:
    """How the two rank what they share, by pairs of measures, and each one's reliability per hour."""
    rows = [
        row for pair in product(list_measures(one), list_measures(other)) for row in build_rank_rows(one, other, *pair)
    ]
    hours = [row for each in (one, other) for row in build_hour_rows(each)]
    return BETWEEN.build(rows, DEFAULT_CONVENTION), HOUR.build(hours)


def list_measures(scores: StudyScores) -> list[str]:
    return sorted(scores.items["measure"].unique())


def build_rank_rows(one: StudyScores, other: StudyScores, measure_a: str, measure_b: str) -> Iterator[dict[str, Any]]:
    both = join_items(one, other, measure_a, measure_b)
    about = {"measure_a": measure_a, "measure_b": measure_b, "n_texts": both["text_id"].nunique()}
    text, texts = pd.factorize(both["text_id"], sort=True)
    generator, generators = pd.factorize(both["generator"], sort=True)
    for ranked, n in ((GENERATORS, len(generators)), (ITEMS, len(both))):
        reason = explain_undefined(ranked, n, len(texts))
        if reason:
            yield about | {"ranked": ranked, "n": n, "rho": make_undefined(reason), "reason": reason}
            continue
        yield about | {"ranked": ranked, "n": n, "rho": estimate_over_texts(correlate(both, ranked, text, generator))}


def correlate(both: pd.DataFrame, ranked: str, text: np.ndarray, generator: np.ndarray) -> VarianceParts:
    """ρ over generators or items; text, generator: codes of the items."""
    if ranked == GENERATORS:
        return generator_correlation(sum_tables(both, "_a", text, generator), sum_tables(both, "_b", text, generator))
    return item_correlation(compute_means(both, "_a"), compute_means(both, "_b"), text.astype(np.int64))


def join_items(one: StudyScores, other: StudyScores, measure_a: str, measure_b: str) -> pd.DataFrame:
    """The items that both studies ask with the same words, with the sums and numbers of both."""
    keys = ["text_id", "item_id", "generator"]
    sides = [
        scores.items[scores.items["measure"] == measure].drop(columns="measure")
        for scores, measure in ((one, measure_a), (other, measure_b))
    ]
    both = sides[0].merge(sides[1], on=keys, suffixes=("_a", "_b"))
    same = [one.wording.get(item) == other.wording.get(item) for item in both["item_id"]]
    return both[np.array(same, dtype=bool)].reset_index(drop=True)


def explain_undefined(ranked: str, n: int, n_texts: int) -> str:
    if ranked == GENERATORS and n < FEWEST_GENERATORS:
        return _(TOO_FEW_GENERATORS) % {"n": n}
    if ranked == ITEMS and n < FEWEST_ITEMS:
        return _(TOO_FEW_ITEMS) % {"n": n}
    return _(TOO_FEW_TEXTS) % {"n": n_texts} if n_texts < FEWEST_TEXTS else ""


def compute_means(both: pd.DataFrame, side: str) -> np.ndarray:
    return (both[f"total{side}"] / both[f"n{side}"]).to_numpy(dtype=np.float64)


def sum_tables(both: pd.DataFrame, side: str, text: np.ndarray, generator: np.ndarray) -> np.ndarray:
    """(2, texts, generators) sums and numbers."""
    shape = (int(text.max()) + 1, int(generator.max()) + 1)
    cell = text * shape[1] + generator
    columns = (both[f"total{side}"], both[f"n{side}"])
    return np.stack([
        np.bincount(cell, weights=each.to_numpy(dtype=np.float64), minlength=shape[0] * shape[1]).reshape(shape)
        for each in columns
    ])  # fmt: skip


def build_hour_rows(scores: StudyScores) -> Iterator[dict[str, Any]]:
    for each in scores.reliable:
        value, low, high = (
            reliability_of_an_hour(end, each.minutes) for end in (each.alpha.value, each.alpha.low, each.alpha.high)
        )
        yield {
            "study": scores.title, "objects": each.objects, "measure": each.measure, "alpha": each.alpha.value,
            "minutes": each.minutes, "hour": value, "low": low, "high": high, "n": each.alpha.n,
            "n_texts": each.alpha.k, "reason": explain_no_hour(value, low),
        }  # fmt: skip


def explain_no_hour(value: float, low: float) -> str:
    if np.isnan(value):
        return _(NO_TIME)
    return _(NO_LOWER_END) if np.isnan(low) else ""


def say_comparison(tables: tuple[Table, Table]) -> list[str]:
    """The two measures that agree most on generators, else on items; and the study with more reliability per hour."""
    ranks, hours = tables
    known = [row for row in ranks.rows if row["rho"] is not None]
    of_generators = [row for row in known if row["ranked"] == GENERATORS]
    found = [say_rank(max(of_generators or known, key=lambda row: row["rho"]))] if known else []
    timed = [row for row in hours.rows if row["hour"] is not None and row["objects"] == GENERATORS]
    if len({row["study"] for row in timed}) > 1:
        best = max(timed, key=lambda row: row["hour"])
        sentence = _(
            "An hour of one person's time tells most about generators in “%(study)s” (%(measure)s: %(value)s)."
        )
        value = format_with_interval(best["hour"], best["low"], best["high"])
        found.append(sentence % {"study": best["study"], "measure": name_question(best["measure"]), "value": value})
    return found


def say_rank(row: Row) -> str:
    both = row["measure_a"] == row["measure_b"]
    words = {
        (GENERATORS, False): _("Both studies rank generators most alike by %(a)s and %(b)s: ρ = %(value)s."),
        (GENERATORS, True): _("Both studies rank generators most alike by %(a)s: ρ = %(value)s."),
        (ITEMS, False): _("Both studies rank items most alike by %(a)s and %(b)s: ρ = %(value)s."),
        (ITEMS, True): _("Both studies rank items most alike by %(a)s: ρ = %(value)s."),
    }
    value = format_with_interval(row["rho"], row["low"], row["high"])
    a, b = (name_question(row[name]) for name in ("measure_a", "measure_b"))
    return words[row["ranked"], both] % {"a": a, "b": b, "value": value}


# How reliably the items on these texts would rank the same readers again.


FEWEST_PEOPLE = 30
MORE_TEXTS = 2
TOO_FEW = gettext_noop("Reliability needs 30 people who did the same items; here %(n)d.")
NO_SPREAD = gettext_noop("All these people have the same sum, so nothing can be ranked.")
VERSIONS_DIFFER = gettext_noop("These people read different versions of the texts, so their sums cannot be compared.")
FEW_PARTS = gettext_noop("A factor needs at least 3 parts.")
NOT_BY_ITEMS = gettext_noop("Only α over texts says what further texts would give.")
TEXTS = "text"


def build_reliability_tables(evidence: Evidence) -> tuple[Table, ...]:
    stages = get_reading_stages(evidence)
    if stages is None:
        return ()
    mine = get_people(evidence).select_rows(collect_judgments(evidence))
    read = mine[mine["stage"] == stages.with_text]
    if read.empty:
        return ()
    reason = _(VERSIONS_DIFFER) if evidence.frame["text_version"].nunique() > 1 else ""
    return (
        RELIABILITY.build(
            list(iter_reliability_rows(*select_complete_scores(read), reason)), evidence.choices.convention
        ),
    )


def find_complete_block(read: pd.DataFrame) -> pd.DataFrame:
    """The judgments of the largest block of people who finished the same texts."""
    scores = read.groupby(["annotator", "item_id"], sort=True)["correct"].mean().unstack("item_id")
    text = read.drop_duplicates("item_id").set_index("item_id")["text_id"].reindex(scores.columns)
    values, (code, _texts) = scores.to_numpy(dtype=np.float64), pd.factorize(text, sort=True)
    n_items = np.bincount(code)
    done = np.stack([(~np.isnan(values[:, code == each])).sum(axis=1) for each in range(len(n_items))], axis=1)
    people, texts = largest_block(done == n_items, FEWEST_PEOPLE)
    kept = scores.columns[np.isin(code, texts)]
    return read[read["annotator"].isin(scores.index[people]) & read["item_id"].isin(kept)]


def select_complete_scores(read: pd.DataFrame) -> tuple[np.ndarray, np.ndarray]:
    """(people, items) share of options right and the text of each item, of the complete block."""
    block = find_complete_block(read)
    scores = block.groupby(["annotator", "item_id"], sort=True)["correct"].mean().unstack("item_id")
    text = block.drop_duplicates("item_id").set_index("item_id")["text_id"].reindex(scores.columns)
    return scores.to_numpy(dtype=np.float64), pd.factorize(text, sort=True)[0]


def iter_reliability_rows(scores: np.ndarray, text: np.ndarray, reason: str = "") -> Iterator[dict[str, Any]]:
    """One row with the texts as parts, one with the items as parts."""
    texts = np.unique(text)
    by_text = np.stack([scores[:, text == each].sum(axis=1) for each in texts], axis=1) if len(texts) else scores
    for name, parts in ((TEXTS, by_text), (ITEMS, scores)):
        yield build_reliability_row(name, parts, len(texts), reason)


def build_reliability_row(name: str, parts: np.ndarray, n_texts: int, reason: str) -> dict[str, Any]:
    n, k = parts.shape
    reason = reason or (_(TOO_FEW) % {"n": n} if n < FEWEST_PEOPLE else "")
    about: dict[str, Any] = {"parts": name, "n_people": n, "n_parts": k, "omega": None, "longer": None}
    if reason:
        return about | {"alpha": make_undefined(reason), "reason": reason}
    found = alpha_of_parts(parts)
    if np.isnan(found.value):
        return about | {"alpha": make_undefined(_(NO_SPREAD)), "reason": _(NO_SPREAD)}
    interval = Interval(found.low, found.high, JACKKNIFE, "annotator", n, n * k, 0, None, "")
    few = _(FEW_PARTS) if k < LEAST_FACTOR_PARTS else ""
    is_over_texts = name == TEXTS
    return about | {
        "alpha": Estimate(found.value, dict.fromkeys(("readers", "annotators", "published"), interval)),
        "omega": None if few else omega_total(parts),
        "longer": spearman_brown(found.value, (n_texts + MORE_TEXTS) / n_texts) if is_over_texts else None,
        "reason": " ".join(filter(None, (few, "" if is_over_texts else _(NOT_BY_ITEMS)))),
    }


def describe_reliability(tables: tuple[Table, ...]) -> list[str]:
    """A sentence on α with the texts as parts, if it is defined."""
    return [
        sentence for table in tables for row in table.rows if row["parts"] == TEXTS for sentence in format_alpha(row)
    ]


def format_alpha(row: Row) -> list[str]:
    if row["alpha"] is None:
        return []
    values = {
        "alpha": number(row["alpha"]),
        "people": say_of_people(row["n_people"]),
        "texts": say_of_texts(row["n_parts"]),
    }
    return [
        _("The items would rank readers with a reliability of %(alpha)s (α over texts: %(people)s, %(texts)s).")
        % values
    ]
