"""The agreement lab: all coefficients of some annotators about one question, side by side, and the table behind."""

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import pandas as pd
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from analysis.choices import Choices
from analysis.formatting import label_word
from analysis.lab_questions import Asked
from analysis.measures import agreement, alpha, coefficient_intervals, coefficients, scales
from analysis.measures.agreement import MISSING, all_pairs, mean_agreement, pairwise
from analysis.measures.agreement_intervals import clustered_kappa
from analysis.measures.intervals import Interval
from analysis.measures.types import FloatArray
from analysis.tables import Shown, Table, make_table, saying_included

COLUMNS = (
    "coefficient", "weights", "value", "low", "high", "n_units", "n_pairs", "n_judgments", "prevalence", "n_texts",
    "interval", "reason",
)  # fmt: skip
# Files have these names as they are; `formatting.coefficient_word` says them in the reader's language.
NAMES = {
    "percent": gettext_noop("Percent agreement"),
    "fleiss": gettext_noop("Fleiss' κ"),
    "conger": gettext_noop("Conger's κ"),
    "gwet": gettext_noop("Gwet's AC1"),
    "brennan_prediger": "Brennan–Prediger",
}
WEIGHTED = {"conger": gettext_noop("Conger's κ"), "gwet": gettext_noop("Gwet's AC2")}
MEAN_KAPPA, ALPHA = gettext_noop("Cohen's κ, mean of pairs"), gettext_noop("Krippendorff's α")
FUNCTIONS = {
    "percent": coefficients.percent,
    "fleiss": coefficients.fleiss_kappa,
    "gwet": coefficients.gwet_ac,
    "brennan_prediger": coefficients.brennan_prediger,
}


@dataclass(frozen=True)
class Lab:
    """Coefficients, the counts they rest on, and how often each category was given by whom."""

    coefficients: Table
    contingency: Table
    labels: Table


@dataclass(frozen=True)
class Answers:
    """(raters, units) codes of the declared categories with MISSING; who the raters are; the text of each unit."""

    values: np.ndarray
    raters: list[str]
    text: np.ndarray


def lab(frame: pd.DataFrame, asked: Asked, annotators: list[str], choices: Choices) -> Lab | None:
    """`frame` as of `responses_frame`; `annotators`: the codes of those who are compared. None if fewer than two of
    them answered the question."""
    answers = answers_in(frame, asked, annotators)
    if len(answers.raters) < 2:
        return None
    rows = rows_of(answers, asked, choices.seed)
    found = make_table("agreement_lab", COLUMNS, rows, title=_("Coefficients"), shown=shown())
    tables = (found, contingency(answers, asked), labels(answers, asked))
    return Lab(*(saying_included(table, choices.purposes) for table in tables))


def answers_in(frame: pd.DataFrame, asked: Asked, annotators: list[str]) -> Answers:
    """Raters in the order of `annotators`, without those who did not answer the question."""
    of_question = (frame["stage"] == asked.stage) & (frame["question"] == asked.name)
    mine = frame[of_question & frame["annotator"].isin(annotators)]
    present = set(mine["annotator"])
    raters = [code for code in annotators if code in present]
    unit, units = pd.factorize(pd.MultiIndex.from_frame(mine[["unit", "item_id", "option_id"]].fillna("").astype(str)))
    values = np.full((len(raters), len(units)), MISSING, dtype=np.int64)
    codes = {category: code for code, category in enumerate(asked.categories)}
    given = [
        codes.get(asked.category(value, item), MISSING)
        for value, item in zip(mine["value"], mine["item_id"], strict=True)
    ]
    values[pd.Index(raters).get_indexer(pd.Index(mine["annotator"])), unit] = given
    text = np.zeros(len(units), dtype=np.int64)
    text[unit] = pd.factorize(mine["text_id"])[0]
    return Answers(values, raters, text)


def rows_of(answers: Answers, asked: Asked, seed: int) -> Iterator[dict[str, Any]]:
    """Unweighted coefficients of any scale, then those that know how far two levels of an ordered one are apart."""
    for name, title in NAMES.items():
        yield coefficient_row(answers, asked, name, title, scales.IDENTITY, seed)
    yield mean_kappa_row(answers, asked, seed)
    yield alpha_row(answers, asked, alpha.NOMINAL, seed)
    if asked.ordered:
        for kind in (scales.LINEAR, scales.QUADRATIC):
            for name, title in WEIGHTED.items():
                yield coefficient_row(answers, asked, name, title, kind, seed)
        for level in (alpha.ORDINAL, alpha.INTERVAL):
            yield alpha_row(answers, asked, level, seed)


def coefficient_row(answers: Answers, asked: Asked, name: str, title: str, weights: str, seed: int) -> dict[str, Any]:
    c = len(asked.categories)
    w = scales.agreement_weights(weights, c)
    if name == "conger":
        found = coefficients.conger_kappa(answers.values, c, w)
    else:
        found = FUNCTIONS[name](coefficients.category_counts(answers.values, c), w)
    interval = coefficient_intervals.clustered_coefficient(name, answers.values, c, answers.text, seed=seed, weights=w)
    counts = (found.n_units, found.n_pairs, found.n_judgments, found.prevalence)
    return row_of(title, weights, found.value, counts, interval, found.reason)


def mean_kappa_row(answers: Answers, asked: Asked, seed: int) -> dict[str, Any]:
    """Cohen's κ of each pair of annotators, weighted by what they share."""
    pairs, c = all_pairs(len(answers.raters)), len(asked.categories)
    shared = pairwise(answers.values, c, pairs)
    found = mean_agreement(shared)
    interval = clustered_kappa(answers.values, c, pairs, answers.text, seed=seed)
    compared = agreement.judgments_compared(answers.values, pairs)
    counts = (int(compared.any(axis=0).sum()), int(shared.n.sum()), int(compared.sum()), prevalence(answers, c))
    return row_of(MEAN_KAPPA, scales.IDENTITY, found.kappa, counts, interval)


def alpha_row(answers: Answers, asked: Asked, level: str, seed: int) -> dict[str, Any]:
    judged, values = answers.values != MISSING, points_of(answers, asked)
    found = alpha.krippendorff_alpha(values, level)
    interval = alpha.clustered_alpha(values, level, answers.text, seed=seed)
    pairs = judged.sum(axis=0)
    n_pairs = int((pairs * (pairs - 1) // 2).sum())
    counts = (found.n_units, n_pairs, found.n_values, prevalence(answers, len(asked.categories)))
    return row_of(ALPHA, level, found.value, counts, interval, found.reason)


def points_of(answers: Answers, asked: Asked) -> FloatArray:
    """(raters, units): levels of a scale, else the numbers of the categories' places; NaN where nothing was judged."""
    points = np.array(asked.categories if asked.ordered else range(len(asked.categories)), dtype=np.float64)
    judged = answers.values != MISSING
    return np.where(judged, points[np.where(judged, answers.values, 0)], np.nan)


def row_of(
    title: str,
    weights: str,
    value: float,
    counts: tuple[int, int, int, float],
    interval: Interval,
    reason: str = "",
) -> dict[str, Any]:
    why = reason or interval.reason
    return {
        "coefficient": title,
        "weights": weights,
        "value": value,
        "low": interval.low,
        "high": interval.high,
        **dict(zip(("n_units", "n_pairs", "n_judgments", "prevalence"), counts, strict=True)),
        "n_texts": interval.n_units,
        "interval": interval.method,
        "reason": _(why) if why else "",
        "intervals": {"value": {"clustered": asdict(interval)}},
    }


def prevalence(answers: Answers, categories: int) -> float:
    """The share of the commonest category among all judgments; NaN without any."""
    counts = np.bincount(answers.values[answers.values != MISSING], minlength=categories)
    return float(counts.max() / counts.sum()) if counts.sum() else float("nan")


def contingency(answers: Answers, asked: Asked) -> Table:
    """How often two annotators gave which two categories to the same unit.

    Of two annotators the first is in the rows; of more each pair counts in both orders.
    """
    c = len(asked.categories)
    pairs = all_pairs(len(answers.raters))
    groups = np.zeros(answers.values.shape[1], dtype=np.int64)
    table = agreement.pair_tables(answers.values, c, pairs, groups, 1)[0].sum(axis=0)
    if len(answers.raters) > 2:
        table = table + table.T
    names = names_of(asked)
    rows = [
        {"category": name, **dict(zip(names, map(int, counts), strict=True))}
        for name, counts in zip(names, table, strict=True)
    ]
    note = (
        _("Rows: %(first)s. Columns: %(second)s.") % dict(zip(("first", "second"), answers.raters, strict=True))
        if len(answers.raters) == 2
        else _("All pairs of annotators, each counted in both orders.")
    )
    columns = [Shown(_("Category"), "category", "label"), *(Shown(label_word(name), name, "count") for name in names)]
    return make_table(
        "agreement_contingency", ["category", *names], rows, title=_("Contingency table"), notes=(note,),
        shown=tuple(columns),
    )  # fmt: skip


def names_of(asked: Asked) -> list[str]:
    """The categories as files of responses write them."""
    return [str(category).lower() if isinstance(category, bool) else str(category) for category in asked.categories]


def labels(answers: Answers, asked: Asked) -> Table:
    """How often each annotator gave each category."""
    names = names_of(asked)
    rows = [
        {
            "annotator": rater,
            **{name: int((values == code).sum()) for code, name in enumerate(names)},
            "n": int((values != MISSING).sum()),
        }
        for rater, values in zip(answers.raters, answers.values, strict=True)
    ]
    columns = [Shown(_("Annotator"), "annotator"), *(Shown(label_word(name), name, "count") for name in names)]
    return make_table(
        "agreement_labels", ["annotator", *names, "n"], rows, title=_("What each annotator gave"),
        shown=(*columns, Shown(_("Judgments"), "n", "count")),
    )  # fmt: skip


def shown() -> tuple[Shown, ...]:
    return (
        Shown(_("Coefficient"), "coefficient", "coefficient"),
        Shown(_("Weights or level"), "weights", "weights"),
        Shown(_("Value"), "value", "number", "low", "high", "reason"),
        Shown(_("Units"), "n_units", "count"),
        Shown(_("Pairs of judgments"), "n_pairs", "count"),
        Shown(_("Judgments"), "n_judgments", "count"),
        Shown(_("Commonest label"), "prevalence", "number"),
        Shown(_("Texts"), "n_texts", "count"),
    )
