"""The agreement lab: all coefficients of some annotators on one question, side by side, and the table they come
from."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from analysis.agreement.questions import (
    ALL,
    APPLICABLE,
    Answers,
    LabQuestion,
    collect_answers,
    join_categories,
    keep_latest_judgments,
    list_category_names,
    read_judgment,
)
from analysis.agreement.tables import COEFFICIENTS, CONTINGENCY, LABELS, QUESTIONS, TESTS
from analysis.choices import ANNOTATORS, PUBLISHED, READERS, Choices
from analysis.measures import agreement, alpha, coefficients
from analysis.measures import types as scales
from analysis.measures.agreement import (
    MISSING,
    all_pairs,
    clustered_kappa,
    mean_agreement,
    pair_tables,
    pairwise,
    select_sharing_pairs,
)
from analysis.measures.coefficients import category_counts, fleiss_kappa
from analysis.measures.intervals import TEXT, Interval, undefined_interval
from analysis.measures.kappa import fleiss_test, kappa_test
from analysis.measures.reader_coefficients import readers_alpha, readers_coefficient, readers_kappa
from analysis.measures.reliability import clustered_icc, icc
from analysis.reports.estimates import NOT_PUBLISHED, Estimate, note_texts_only
from analysis.tables.spec import Table, count
from analysis.words import name_code
from studies.protocols import Stage
from studies.protocols.conditions import NOT_APPLICABLE
from studies.question_words import name_label

# Is agreement better than chance? Cohen's κ of every two annotators, and Fleiss' κ of all and of each category.

COHEN, FLEISS = gettext_noop("Cohen's κ"), gettext_noop("Fleiss' κ")
WHOLE = ""  # in place of a category: all categories

ONE_CONSTANT = gettext_noop("One of the two annotators always gave the same label, so κ cannot be tested.")
NEVER_GIVEN = gettext_noop("No annotator, or every annotator, gave this category.")


def build_tests(answers: Answers, asked: LabQuestion) -> Table:
    pairs = [row | {"about_said": row["about"]} for row in build_pair_rows(answers, asked)]
    rows = [*pairs, *(row | {"about_said": name_category(row["about"])} for row in build_fleiss_rows(answers, asked))]
    return TESTS.build(rows)


def name_category(category: str) -> str:
    return name_code("scope", category) if category == WHOLE else name_label(category)


def build_pair_rows(answers: Answers, asked: LabQuestion) -> Iterator[dict[str, Any]]:
    """Cohen's κ of each pair with units that both judged, with its asymptotic errors (Fleiss, Cohen & Everitt 1969)."""
    pairs = select_sharing_pairs(answers.values, all_pairs(len(answers.raters)))
    tables = pair_tables(answers.values, len(asked.categories), pairs, answers.one_group, 1)[0]
    for (one, other), table in zip(pairs, tables.astype(np.int64), strict=True):
        found = kappa_test(table)
        yield {
            "coefficient": COHEN,
            "about": f"{answers.raters[one]} × {answers.raters[other]}",
            "value": found.value,
            "se_units": found.error_unbiased,
            "se_asymptotic": found.error,
            "se_null": found.error_null,
            "z": found.z,
            "p": found.p,
            "n_units": found.n,
            "reason": explain_missing_test(found.reason, ONE_CONSTANT, found.z),
        }


def build_fleiss_rows(answers: Answers, asked: LabQuestion) -> Iterator[dict[str, Any]]:
    """Fleiss' κ of all annotators, then of each category against all others."""
    counts = category_counts(answers.values, len(asked.categories))
    whole, found = fleiss_kappa(counts), fleiss_test(counts)
    tested = zip(list_category_names(asked), found.kappa, found.z, found.p, strict=True)
    rows = [
        (WHOLE, whole.value, found.overall_z, found.overall_p, found.overall_error_null),
        *((*row, found.error_null) for row in tested),
    ]
    for about, value, z, p, error in rows:
        yield {
            "coefficient": FLEISS,
            "about": about,
            "value": value,
            "se_units": whole.error if about == WHOLE else math.nan,
            "se_asymptotic": math.nan,
            "se_null": error,
            "z": z,
            "p": p,
            "n_units": int((counts.sum(axis=1) > 0).sum()),
            "reason": explain_missing_test(found.reason, NEVER_GIVEN, z),
        }


def explain_missing_test(reason: str, otherwise: str, z: float) -> str:
    """Why there is no test, in the active language; empty if there is one."""
    why = reason or (otherwise if math.isnan(z) else "")
    return _(why) if why else ""


# Files have these names unchanged; `words.name_coefficient` translates them for pages.
NAMES = {
    "percent": gettext_noop("Percent agreement"),
    "fleiss": gettext_noop("Fleiss' κ"),
    "conger": gettext_noop("Conger's κ"),
    "gwet": gettext_noop("Gwet's AC1"),
    "brennan_prediger": "Brennan–Prediger",
}
WEIGHTED = NAMES | {"gwet": gettext_noop("Gwet's AC2")}
MEAN_KAPPA, ALPHA = gettext_noop("Cohen's κ, mean of pairs"), gettext_noop("Krippendorff's α")
LIGHT = gettext_noop("Light's κ, unweighted mean of pairs")
ICCS = ("ICC(1)", "ICC(2)", "ICC(3)", "ICC(1,k)", "ICC(2,k)", "ICC(3,k)")  # one-way, two-way random, two-way mixed
FUNCTIONS = {
    "percent": coefficients.percent,
    "fleiss": coefficients.fleiss_kappa,
    "gwet": coefficients.gwet_ac,
    "brennan_prediger": coefficients.brennan_prediger,
}


@dataclass(frozen=True)
class Lab:
    """Coefficients, their tests against chance, the counts behind them, and how often each annotator gave each
    category."""

    coefficients: Table
    tests: Table
    contingency: Table
    labels: Table


def build_lab(frame: pd.DataFrame, asked: LabQuestion, annotators: list[str], choices: Choices) -> Lab | None:
    """`frame`: see `responses_frame`; `annotators`: the codes of those to compare. None if fewer than two of them
    answered the question."""
    answers = collect_answers(frame, asked, annotators)
    if len(answers.raters) < 2:
        return None
    rows = build_coefficient_rows(answers, asked, choices.convention, choices.seed)
    notes = [note_texts_only(_("intraclass correlations"))] if asked.is_ordered else []
    found = COEFFICIENTS.build(rows, notes=notes)
    tables = (found, build_tests(answers, asked), count_contingency(answers, asked), count_labels(answers, asked))
    return Lab(*(table.add_included(choices.purposes) for table in tables))


def build_coefficient_rows(
    answers: Answers, asked: LabQuestion, convention: str, seed: int
) -> Iterator[dict[str, Any]]:
    """Unweighted coefficients for any scale, then those that use the distance between levels of an ordered one."""
    for name, title in NAMES.items():
        yield build_coefficient_row(answers, asked, name, title, scales.IDENTITY, convention, seed)
    yield build_mean_kappa_row(answers, asked, convention, seed)
    yield build_mean_kappa_row(answers, asked, convention, seed, weighted=False)
    yield build_alpha_row(answers, asked, alpha.NOMINAL, convention, seed)
    if asked.is_ordered:
        for kind in (scales.LINEAR, scales.QUADRATIC, scales.ORDINAL):
            for name, title in WEIGHTED.items():
                yield build_coefficient_row(answers, asked, name, title, kind, convention, seed)
        for level in (alpha.ORDINAL, alpha.INTERVAL, *([alpha.RATIO] if min(asked.categories) >= 0 else [])):
            yield build_alpha_row(answers, asked, level, convention, seed)
        yield from build_icc_rows(answers, asked, convention, seed)


def build_coefficient_row(
    answers: Answers, asked: LabQuestion, name: str, title: str, weights: str, convention: str, seed: int
) -> dict[str, Any]:
    c = len(asked.categories)
    w = scales.agreement_weights(weights, c, list_level_values(asked))
    if name == "conger":
        found = coefficients.conger_kappa(answers.values, c, w)
    else:
        found = FUNCTIONS[name](coefficients.category_counts(answers.values, c), w)
    values, text = answers.values, answers.text
    intervals = {
        READERS: readers_coefficient(name, values, c, text, weights=w, fixed=answers.fixed_raters),
        ANNOTATORS: coefficients.clustered_coefficient(name, values, c, text, seed=seed, weights=w),
        PUBLISHED: found.interval(),
    }
    counts = (found.n_units, found.n_pairs, found.n_judgments, found.prevalence)
    return describe_coefficient(title, weights, found.value, counts, intervals, convention, found.reason, found.error)


def build_mean_kappa_row(
    answers: Answers, asked: LabQuestion, convention: str, seed: int, *, weighted: bool = True
) -> dict[str, Any]:
    """The mean of Cohen's κ over pairs of annotators, weighted by shared units, and unweighted (Light 1971)."""
    pairs, c = all_pairs(len(answers.raters)), len(asked.categories)
    shared = pairwise(answers.values, c, pairs)
    found = mean_agreement(shared)
    judged = (answers.values, c, pairs, answers.text)
    intervals = {
        READERS: readers_kappa(*judged, weighted=weighted, fixed=answers.fixed_raters),
        ANNOTATORS: clustered_kappa(*judged, seed=seed, weighted=weighted),
    }
    compared = agreement.judgments_compared(answers.values, pairs)
    counts = (int(compared.any(axis=0).sum()), int(shared.n.sum()), int(compared.sum()), measure_prevalence(answers, c))
    title, value = (MEAN_KAPPA, found.kappa) if weighted else (LIGHT, found.kappa_unweighted)
    return describe_coefficient(title, scales.IDENTITY, value, counts, intervals, convention)


def build_alpha_row(answers: Answers, asked: LabQuestion, level: str, convention: str, seed: int) -> dict[str, Any]:
    values = convert_to_numbers(answers, asked)
    found = alpha.krippendorff_alpha(values, level)
    intervals = {
        READERS: readers_alpha(values, level, answers.text, fixed=answers.fixed_raters),
        ANNOTATORS: alpha.clustered_alpha(values, level, answers.text, seed=seed),
        PUBLISHED: found.interval(),
    }
    pairs = (~np.isnan(values)).sum(axis=0)
    n_pairs = int((pairs * (pairs - 1) // 2).sum())
    counts = (found.n_units, n_pairs, found.n_values, measure_prevalence(answers, len(asked.categories)))
    return describe_coefficient(ALPHA, level, found.value, counts, intervals, convention, found.reason, found.error)


def build_icc_rows(answers: Answers, asked: LabQuestion, convention: str, seed: int) -> Iterator[dict[str, Any]]:
    """Intraclass correlations of one annotator and of the mean of all, over the units that all of them judged."""
    values = convert_to_numbers(answers, asked)
    found, k = icc(values), len(answers.raters)
    counts = (found.n, found.n * k * (k - 1) // 2, found.n * k, measure_prevalence(answers, len(asked.categories)))
    intervals = clustered_icc(values, answers.text, seed=seed)
    for title, value, interval in zip(ICCS, (*found.single, *found.average), intervals, strict=True):
        both = {READERS: interval, ANNOTATORS: interval}
        yield describe_coefficient(title, alpha.INTERVAL, value, counts, both, convention, found.reason)


def list_level_values(asked: LabQuestion) -> np.ndarray:
    """(c,): the values of the levels of a scale; the places of other categories."""
    return np.array(asked.categories if asked.is_ordered else range(len(asked.categories)), dtype=np.float64)


def convert_to_numbers(answers: Answers, asked: LabQuestion) -> np.ndarray:
    """(raters, units): the answers as `list_level_values`, NaN if missing."""
    judged = answers.values != MISSING
    return np.where(judged, list_level_values(asked)[np.where(judged, answers.values, 0)], np.nan)


def describe_coefficient(
    title: str,
    weights: str,
    value: float,
    counts: tuple[int, int, int, float],
    intervals: dict[str, Interval],
    convention: str,
    reason: str = "",
    error: float = math.nan,
) -> dict[str, Any]:
    by_texts = intervals[ANNOTATORS]
    unpublished = undefined_interval("", (TEXT, by_texts.n_units, by_texts.n_responses, None), NOT_PUBLISHED)
    estimate = Estimate(value, {PUBLISHED: unpublished} | intervals, _(reason) if reason else "")
    low, high, why = estimate.ends(convention)
    return {
        "coefficient": title,
        "weights": weights,
        "value": value,
        "low": low,
        "high": high,
        "se_units": error,
        **dict(zip(("n_units", "n_pairs", "n_judgments", "prevalence"), counts, strict=True)),
        "n_texts": by_texts.n_units,
        "interval": estimate.intervals[convention].method,
        "reason": why,
        "intervals": {"value": estimate.as_json()},
    }


def measure_prevalence(answers: Answers, categories: int) -> float:
    """The share of the most frequent category among all judgments; NaN without judgments."""
    counts = np.bincount(answers.values[answers.values != MISSING], minlength=categories)
    return float(counts.max() / counts.sum()) if counts.sum() else float("nan")


def count_contingency(answers: Answers, asked: LabQuestion) -> Table:
    """How often two annotators gave which two categories to the same unit.

    For two annotators the first is in the rows; for more, each pair counts in both orders.
    """
    c = len(asked.categories)
    pairs = all_pairs(len(answers.raters))
    table = agreement.pair_tables(answers.values, c, pairs, answers.one_group, 1)[0].sum(axis=0)
    if len(answers.raters) > 2:
        table = table + table.T
    names = list_category_names(asked)
    rows = [
        {"category": name, **dict(zip(names, map(int, counts), strict=True))}
        for name, counts in zip(names, table, strict=True)
    ]
    note = (
        _("Rows: %(first)s. Columns: %(second)s.") % dict(zip(("first", "second"), answers.raters, strict=True))
        if len(answers.raters) == 2
        else _("All pairs of annotators, each counted in both orders.")
    )
    return CONTINGENCY.build(rows, notes=(note,), more={"category": [count(name, name_label(name)) for name in names]})


def count_labels(answers: Answers, asked: LabQuestion) -> Table:
    """How often each annotator gave each category."""
    names = list_category_names(asked)
    rows = [
        {
            "annotator": rater,
            **{name: int((values == code).sum()) for code, name in enumerate(names)},
            "n": int((values != MISSING).sum()),
        }
        for rater, values in zip(answers.raters, answers.values, strict=True)
    ]
    return LABELS.build(rows, more={"annotator": [count(name, name_label(name)) for name in names]})


# All questions of a study at a glance, for the same annotators; of a stopping questionnaire gate by gate.


def build_overview(
    frame: pd.DataFrame,
    questions: Sequence[LabQuestion],
    annotators: list[str],
    stages: Mapping[str, Stage],
    choices: Choices,
) -> Table:
    """One row per question, for a stopping questionnaire one per view; questions that fewer than two annotators
    answered are left out. frame, annotators: as in `build_lab`; stages: how each annotator was asked."""
    whole = add_not_applicable(frame, stages)
    rows = [
        row
        for asked in questions
        for view in list_views(asked)
        if (row := build_overview_row(whole if view == ALL else frame, apply_view(asked, view), annotators)) is not None
    ]
    notes = [
        _("Units judged by at least two of these annotators. α at interval level for scales, otherwise nominal."),
        _("If nearly all labels are the same, κ and α are near 0 even when nearly all judgments agree."),
    ]
    if any(row["view"] for row in rows):
        notes.insert(1, _("All: a question that an annotator did not reach has the label “not "
                          "applicable”. Applicable: only annotators who reached the question."))  # fmt: skip
    hide = {"stage"} if len({row["stage"] for row in rows}) < 2 else set()
    if not any(row["view"] for row in rows):
        hide.add("view")
    return QUESTIONS.build(rows, notes=notes, hide=hide).add_included(choices.purposes)


def list_views(asked: LabQuestion) -> tuple[str, ...]:
    return (ALL, APPLICABLE) if asked.may_be_skipped else ("",)


def apply_view(asked: LabQuestion, view: str) -> LabQuestion:
    """The question with “not applicable” as one more category, if the view is ALL."""
    more = (NOT_APPLICABLE,) if view == ALL else ()
    return replace(asked, view=view, categories=(*asked.categories, *more))


def add_not_applicable(frame: pd.DataFrame, stages: Mapping[str, Stage]) -> pd.DataFrame:
    """The frame with a row for each question that somebody did not reach on an item; missing answers stay missing."""
    names = [name for name, stage in stages.items() if stage.gates]
    mine = keep_latest_judgments(frame[frame["annotator"].isin(names) & frame["option_id"].isna()])
    categories = join_categories(stages[name] for name in names)
    rows = []
    for (annotator, _unit, _item), answers in mine.groupby(["annotator", "unit", "item_id"], sort=False):
        labels = read_judgment(
            stages[str(annotator)], categories, dict(zip(answers["question"], answers["value"], strict=True))
        )
        first = answers.iloc[0].to_dict()
        rows += [
            first | {"question": each.name, "value": NOT_APPLICABLE}
            for each in categories
            if labels[each.name] == NOT_APPLICABLE
        ]
    return pd.concat([frame, pd.DataFrame(rows, columns=frame.columns)], ignore_index=True) if rows else frame


def build_overview_row(frame: pd.DataFrame, asked: LabQuestion, annotators: list[str]) -> dict[str, Any] | None:
    answers = collect_answers(frame, asked, annotators)
    if len(answers.raters) < 2:
        return None
    c = len(asked.categories)
    identity = scales.agreement_weights(scales.IDENTITY, c)
    counted = coefficients.category_counts(answers.values, c)
    percent = coefficients.percent(counted, identity)
    conger = coefficients.conger_kappa(answers.values, c, identity)
    level = alpha.INTERVAL if asked.is_ordered else alpha.NOMINAL
    agreed = alpha.krippendorff_alpha(convert_to_numbers(answers, asked), level)
    reason = percent.reason or conger.reason or agreed.reason
    return {
        "stage": asked.stage,
        "question": asked.name,
        "view": asked.view,
        "percent": percent.value,
        "conger_kappa": conger.value,
        "ac1": coefficients.gwet_ac(counted, identity).value,
        "alpha": agreed.value,
        "level": level,
        "prevalence": percent.prevalence,
        "n_units": percent.n_units,
        "n_pairs": percent.n_pairs,
        "n_judgments": percent.n_judgments,
        "n_texts": count_shared_texts(answers),
        "n_annotators": len(answers.raters),
        "reason": _(reason) if reason else "",
    }


def count_shared_texts(answers: Answers) -> int:
    """How many texts have units judged by at least two annotators."""
    return len(np.unique(answers.text[(answers.values != MISSING).sum(axis=0) > 1]))
