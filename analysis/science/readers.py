"""Readers and items: the Rasch model if there are enough answers, answers that depend on each other, DIF by group."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from analysis.formatting import format_p_value, format_with_interval, number
from analysis.frames.evidence import Evidence
from analysis.measures.contrasts import HOLM, adjust_p_values
from analysis.measures.distributions import chi_squared_above, normal_quantile
from analysis.measures.informativity import CarryOver, carry_over
from analysis.measures.item_response import (
    LARGE,
    MISSING,
    ItemResponseModel,
    fit_item_response,
    fit_statistics,
    item_functioning,
    residual_correlations,
)
from analysis.measures.reader_intervals import FIXED, RANDOM, Readers
from analysis.reports.evaluators import HUMAN, get_people, list_groups
from analysis.science.common import collect_judgments, estimate_by_convention, get_reading_stages
from analysis.science.tables import CARRY_OVER, DEPENDENCE, DEPENDENT_PAIRS, DIF, PERSON_FIT, RASCH, TEXT_DIF
from analysis.tables.spec import Table
from studies.services.phases import list_background_questions

RASCH_PEOPLE, RASCH_ITEMS, RASCH_ANSWERS, SLOPE_PEOPLE, DEPENDENCE_PEOPLE = 100, 10, 30, 500, 100
DIF_SMALLER, DIF_ALL, DIF_ITEMS = 100, 300, 10
FITS, MOST_MISFITS, FAR, PERSON_MISFIT = (0.7, 1.3), 0.2, 0.2, 2.0
LEVEL = 0.05

TOO_FEW_READERS = gettext_noop("A Rasch model needs 100 readers; here %(n)d. Difficulty is shown as the share right.")
TOO_FEW_ITEMS = gettext_noop("A Rasch model needs 10 items; here %(n)d. Difficulty is shown as the share right.")
TOO_FEW_ANSWERS = gettext_noop("Fewer than 30 answers, or all of them alike.")
LIKELIHOOD_RATIO = gettext_noop(
    "Two-parameter model against Rasch, likelihood-ratio test: χ² = %(chi2)s, %(df)d degrees of freedom, p = %(p)s."
)
DOES_NOT_FIT = gettext_noop("The model does not fit these items; its numbers are not shown.")
DIF_TOO_FEW = gettext_noop("DIF needs 100 people in the smaller group; here %(n)d.")
DIF_TOO_FEW_IN_ALL = gettext_noop("DIF needs 300 people in both groups; here %(n)d.")
OTHER_GROUPS = gettext_noop("The first two groups of the study are compared; not compared: %(groups)s.")
BY_ANSWER = gettext_noop("Groups by people's answers to “%(question)s”; whoever gave none is left out.")
OTHER_ANSWERS = gettext_noop("The two most common answers are compared; not compared: %(answers)s.")
DIF_TOO_FEW_ITEMS = gettext_noop("DIF needs at least 10 items to match people by; here %(n)d.")


@dataclass(frozen=True)
class AnswerMatrix:
    """People's answers with the text: (people, items) codes in `right`, and the text of each item in `texts`.

    A code is 1 if all options of the item were judged right, 0 if not, and MISSING without an answer.
    """

    right: np.ndarray
    people: pd.Index
    items: pd.Index
    texts: np.ndarray


def build_reader_tables(evidence: Evidence) -> tuple[Table, ...]:
    """All tables about readers; empty if nobody answered with the text."""
    answered = build_answer_matrix(evidence)
    if answered is None:
        return ()
    rows, model, used, notes = fit_rasch(answered)
    return (
        RASCH.build(rows, notes=notes),
        *build_person_fit(answered, model, used),
        *build_dependence(evidence, answered, model, used),
        *build_dif_tables(evidence, answered),
    )


def read_judgments(evidence: Evidence) -> pd.DataFrame:
    """People's judgments of options with the text."""
    stages = get_reading_stages(evidence)
    mine = get_people(evidence).select_rows(collect_judgments(evidence))
    return mine[mine["stage"] == stages.with_text] if stages else mine.iloc[:0]


def build_answer_matrix(evidence: Evidence) -> AnswerMatrix | None:
    read = read_judgments(evidence)
    if read.empty:
        return None
    whole = read.groupby(["annotator", "item_id"], sort=True)["correct"].all().unstack("item_id")
    text = read.drop_duplicates("item_id").set_index("item_id")["text_id"].reindex(whole.columns)
    known = whole.to_numpy(dtype=np.float64, na_value=np.nan)
    right = np.where(np.isnan(known), MISSING, known).astype(np.int64)
    return AnswerMatrix(right, whole.index, whole.columns, text.to_numpy())


# Rasch ----------------------------------------------------------------------------------------------------------------


def fit_rasch(answered: AnswerMatrix) -> tuple[list[dict[str, Any]], ItemResponseModel | None, np.ndarray, list[str]]:
    """Rows, the model (None with too few answers), which items are in it, and notes."""
    right, seen = answered.right == 1, answered.right != MISSING
    n = seen.sum(axis=0)
    share = right.sum(axis=0) / n
    usable = (n >= RASCH_ANSWERS) & (share > 0) & (share < 1)
    reason = explain_too_few(len(answered.people), int(usable.sum()))
    model, notes = (None, []) if reason else choose_model(answered.right[:, usable])
    fits = None if model is None else fit_statistics(answered.right[:, usable], model.expected_answers(), 0)
    if fits is not None:
        misfits = sum(not FITS[0] <= each <= FITS[1] for each in fits.infit)
        reason = _(DOES_NOT_FIT) if misfits > MOST_MISFITS * len(fits.infit) else ""
    shown = iter(range(int(usable.sum())))
    rows = []
    for place, item in enumerate(answered.items):
        about: dict[str, Any] = {
            "text_id": answered.texts[place], "item_id": item, "share_right": share[place], "n_people": n[place],
        }  # fmt: skip
        at = next(shown) if usable[place] else None
        if reason or at is None or model is None or fits is None:
            why = reason or _(TOO_FEW_ANSWERS)
            rows.append(
                about | dict.fromkeys(("difficulty", "slope", "infit", "outfit")) | {"model": "", "reason": why}
            )
        else:
            rows.append(about | {
                "difficulty": model.difficulty[at], "slope": model.slope[at], "infit": fits.infit[at],
                "outfit": fits.outfit[at], "reason": "",
                "model": "Rasch" if np.ptp(model.slope) == 0 else "2PL",
            })  # fmt: skip
    return rows, model, usable, notes


def explain_too_few(people: int, items: int) -> str:
    if people < RASCH_PEOPLE:
        return _(TOO_FEW_READERS) % {"n": people}
    return _(TOO_FEW_ITEMS) % {"n": items} if items < RASCH_ITEMS else ""


def choose_model(answers: np.ndarray) -> tuple[ItemResponseModel, list[str]]:
    """Rasch, or from 500 people the two-parameter model if a likelihood-ratio test prefers it; and a note on the
    test."""
    common = fit_item_response(answers, "common")
    if len(answers) < SLOPE_PEOPLE:
        return common, []
    each = fit_item_response(answers, "each")
    better, freedom = max(2 * (each.log_likelihood - common.log_likelihood), 0.0), len(each.slope) - 1
    p = float(chi_squared_above(better, freedom))
    values = {"chi2": number(better), "df": freedom, "p": format_p_value(p)}
    return each if p < LEVEL else common, [_(LIKELIHOOD_RATIO) % values]


def build_person_fit(answered: AnswerMatrix, model: ItemResponseModel | None, used: np.ndarray) -> tuple[Table, ...]:
    """Ability and fit of each person, the worst fit first; nothing without a model."""
    if model is None:
        return ()
    answers = answered.right[:, used]
    fits = fit_statistics(answers, model.expected_answers(), 1)
    n_items = (answers != MISSING).sum(axis=1)
    rows = [
        {"annotator": person, "ability": model.ability[place], "ability_sd": model.ability_sd[place],
         "infit": fits.infit[place], "outfit": fits.outfit[place], "n_items": int(n_items[place])}
        for place, person in enumerate(answered.people) if n_items[place]
    ]  # fmt: skip
    misfits = sum(max(row["infit"], row["outfit"]) > PERSON_MISFIT for row in rows)
    note = _("%(n)d of %(all)d people have an infit or outfit above 2.") % {"n": misfits, "all": len(rows)}
    return (PERSON_FIT.build(sorted(rows, key=lambda row: -max(row["infit"], row["outfit"])), notes=[note]),)


def build_dependence(
    evidence: Evidence, answered: AnswerMatrix, model: ItemResponseModel | None, used: np.ndarray
) -> tuple[Table, ...]:
    """Q3 of pairs of options within an item, of items within a text and across texts, and the pairs of items that
    stand out; nothing with fewer than 100 people."""
    if model is None or len(answered.people) < DEPENDENCE_PEOPLE:
        return ()
    answers, items, texts = answered.right[:, used], answered.items[used], answered.texts[used]
    one, other, values = correlate_residuals(answers, model)
    same = texts[one] == texts[other]
    rows = [
        *summarize_option_pairs(evidence), summarize_pairs("within text", values[same]),
        summarize_pairs("across texts", values[~same]),
    ]  # fmt: skip
    seen = (answers != MISSING).astype(np.int64)
    strong = sorted(np.flatnonzero(values > FAR), key=lambda at: -values[at])
    pairs = [
        {"text_a": texts[a], "item_a": items[a], "text_b": texts[b], "item_b": items[b], "q3": values[at],
         "n_people": int((seen[:, a] * seen[:, b]).sum())}
        for at in strong for a, b in [(one[at], other[at])]
    ]  # fmt: skip
    return (DEPENDENCE.build(rows), *((DEPENDENT_PAIRS.build(pairs),) if pairs else ()))


def correlate_residuals(answers: np.ndarray, model: ItemResponseModel) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Both codes of each pair, and its Q3 minus the mean of all; NaN if nobody answered both."""
    q3 = residual_correlations(answers, model.expected_answers())
    one, other = np.triu_indices(len(q3), 1)
    values = q3[one, other]
    return one, other, values - np.nanmean(values)


def summarize_pairs(name: str, values: np.ndarray) -> dict[str, Any]:
    mine = values[~np.isnan(values)]
    return {
        "pairs": name, "q3": mine.mean() if len(mine) else None, "n_pairs": len(mine),
        "n_high": int((mine > FAR).sum()), "reason": "",
    }  # fmt: skip


def summarize_option_pairs(evidence: Evidence) -> Iterator[dict[str, Any]]:
    """The row for pairs of options of one item, from a model of options; nothing if options allow none."""
    read = read_judgments(evidence)
    option = read["item_id"].str.cat(read["option_id"], sep="\n")
    judged = read.groupby([read["annotator"], option], sort=True)["correct"].all().unstack()
    of_option = pd.Series(read["item_id"].to_numpy(), option.to_numpy()).groupby(level=0).first()
    known = judged.to_numpy(dtype=np.float64, na_value=np.nan)
    n, right = (~np.isnan(known)).sum(axis=0), np.nansum(known, axis=0)
    used = (n >= RASCH_ANSWERS) & (right > 0) & (right < n)
    if used.sum() < RASCH_ITEMS:
        return
    answers = np.where(np.isnan(known[:, used]), MISSING, known[:, used]).astype(np.int64)
    item = pd.factorize(of_option.reindex(judged.columns[used]))[0]
    one, other, values = correlate_residuals(answers, fit_item_response(answers, "common"))
    yield summarize_pairs("within item", values[item[one] == item[other]])


# Groups ---------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ComparedGroups:
    """Two groups of people, `names`; of_person: the group of each person by code; notes: how they were formed."""

    names: list[str]
    of_person: pd.Series
    notes: list[str]

    @property
    def people(self) -> pd.Index:
        return self.of_person.index[self.of_person.isin(self.names)]


def group_people(evidence: Evidence) -> ComparedGroups | None:
    """The groups that are compared item by item: the first two of the study, or the two most common answers to the
    background question that was chosen; None without two groups."""
    people = evidence.annotators[evidence.annotators["kind"] == HUMAN]
    if evidence.choices.dif_by:
        return group_by_answer(evidence, people)
    names = list_groups(evidence)
    if len(names) < 2:
        return None
    notes = [_(OTHER_GROUPS) % {"groups": ", ".join(names[2:])}] if names[2:] else []
    return ComparedGroups(names[:2], people.set_index("annotator")["group"], notes)


def group_by_answer(evidence: Evidence, people: pd.DataFrame) -> ComparedGroups:
    """Groups by answers to a background question, in the order of its answers; whoever gave none is in neither."""
    named = {question.name: question for question in list_background_questions(evidence.study)}
    question = named[evidence.choices.dif_by]
    given = pd.Series({code: answers.get(question.name) for code, answers in evidence.background.items()}, dtype=object)
    of_person = given.map(question.possible_answers).reindex(people["annotator"])
    labels, n = list(dict.fromkeys(question.possible_answers.values())), of_person.value_counts()
    chosen = sorted(labels, key=lambda label: -n.get(label, 0))[:2]
    others = [label for label in labels if label in n and label not in chosen]
    notes = [_(BY_ANSWER) % {"question": question.text}]
    notes += [_(OTHER_ANSWERS) % {"answers": ", ".join(others)}] if others else []
    return ComparedGroups([label for label in labels if label in chosen], of_person, notes)


def build_dif_tables(evidence: Evidence, answered: AnswerMatrix) -> tuple[Table, ...]:
    """Compares two groups of people, items of class C first; nothing without two groups."""
    groups = group_people(evidence)
    if groups is None:
        return ()
    of_person = groups.of_person.reindex(answered.people)
    chosen = of_person.isin(groups.names).to_numpy()
    right, second = answered.right[chosen], (of_person[chosen] == groups.names[1]).to_numpy()
    found = list_dif_rows(answered, right, second, groups.names)
    rows = sorted(found, key=lambda row: (row["category"] or "-", abs(np.nan_to_num(row["d"] or 0))), reverse=True)
    return (DIF.build(rows, notes=groups.notes), *build_text_dif(answered, right, rows))


def build_text_dif(answered: AnswerMatrix, right: np.ndarray, rows: list[dict[str, Any]]) -> tuple[Table, ...]:
    """One row per text with at least two items that have a D: the sum of D over its items. Empty without such texts."""
    known = pd.DataFrame([row for row in rows if row["item_id"] and not row["reason"]])
    if known.empty:
        return ()
    reach, found = normal_quantile(0.975), []
    for text, mine in known.groupby("text_id", sort=True):
        if len(mine) < 2:
            continue
        d, half = mine["d"].sum(), float(np.sqrt((((mine["high"] - mine["low"]) / 2 / reach) ** 2).sum())) * reach
        seen = right[:, answered.items.isin(mine["item_id"])] != MISSING
        found.append({
            "text_id": text, "group_a": mine["group_a"].iloc[0], "group_b": mine["group_b"].iloc[0], "d": d,
            "low": d - half, "high": d + half, "n_items": len(mine), "n_people": int(seen.any(axis=1).sum()),
            "reason": "",
        })  # fmt: skip
    return (TEXT_DIF.build(found),) if found else ()


def list_dif_rows(
    answered: AnswerMatrix, right: np.ndarray, second: np.ndarray, groups: list[str]
) -> Iterator[dict[str, Any]]:
    smaller, n_items = int(min(second.sum(), (~second).sum())), right.shape[1]
    names = {"group_a": groups[0], "group_b": groups[1]}
    reason = (
        _(DIF_TOO_FEW) % {"n": smaller} if smaller < DIF_SMALLER
        else _(DIF_TOO_FEW_IN_ALL) % {"n": len(second)} if len(second) < DIF_ALL
        else _(DIF_TOO_FEW_ITEMS) % {"n": n_items} if n_items < DIF_ITEMS else ""
    )  # fmt: skip
    if reason:
        empty = dict.fromkeys(("d", "low", "high", "p", "p_adjusted"))
        yield names | empty | {"text_id": "", "item_id": "", "category": "", "n_people": len(second), "reason": reason}
        return
    found = item_functioning(right, second)
    p_adjusted = adjust_p_values(np.array([each.p for each in found]), HOLM)
    reach = normal_quantile(0.975)
    for place, each in enumerate(found):
        yield names | {
            "text_id": answered.texts[place], "item_id": answered.items[place], "d": each.d,
            "low": each.d - reach * each.error, "high": each.d + reach * each.error, "category": each.category,
            "p": each.p, "p_adjusted": p_adjusted[place], "n_people": int((right[:, place] != MISSING).sum()),
            "reason": "" if each.category else _("No score has people of both groups and both outcomes."),
        }  # fmt: skip


# Carry-over: whether guessing an item changes how it is answered with the text.

FEWEST_TEXTS = 5
PAIR = ["annotator", "item_id"]
NOTHING_TO_COMPARE = gettext_noop(
    "In this plan everybody (or nobody) guesses an item before reading it, so there is nothing to compare."
)
TOO_FEW_TEXTS = gettext_noop("Comparing those who guessed an item with the others needs at least 5 texts; here %(n)d.")


def build_carry_over(evidence: Evidence) -> tuple[Table, ...]:
    stages = get_reading_stages(evidence)
    if stages is None or not stages.without:
        return ()
    mine = get_people(evidence).select_rows(collect_judgments(evidence))
    read = mine[mine["stage"] == stages.with_text]
    if read.empty:
        return ()
    before = mine[mine["stage"] == stages.without]
    guessed = pd.MultiIndex.from_frame(before[PAIR].drop_duplicates())
    rows = [build_carry_over_row("answerability", sum_right_cells(read), guessed)]
    timed = sum_time_cells(evidence, read, stages.with_text)
    if not timed.empty:
        of_text = before[["annotator", "text_id"]].drop_duplicates()
        rows.append(build_carry_over_row("minutes", timed, pd.MultiIndex.from_frame(of_text)))
    return (CARRY_OVER.build(rows, evidence.choices.convention),)


def build_carry_over_row(measure: str, cells: pd.DataFrame, guessed: pd.MultiIndex) -> dict[str, Any]:
    bounds = (-1.0, 1.0) if measure == "answerability" else (-np.inf, np.inf)
    random, fixed = (estimate_carry_over(cells, guessed, bounds, readers) for readers in (RANDOM, FIXED))
    reason = explain_no_carry_over(random)
    return {
        "evaluator": HUMAN, "measure": measure, "effect": estimate_by_convention(random.parts, fixed.parts, reason),
        "others_only": None if np.isnan(random.others_only) else random.others_only, "n_items": random.n_items,
        "n_texts": random.n_texts,
    }  # fmt: skip


def sum_right_cells(read: pd.DataFrame) -> pd.DataFrame:
    """Options right and judged, by annotator and item."""
    cells = read.groupby(["annotator", "item_id", "text_id"], sort=True)["correct"].agg(total="sum", n="size")
    return cells.reset_index()


def sum_time_cells(evidence: Evidence, read: pd.DataFrame, stage: str) -> pd.DataFrame:
    """Minutes per item of the stage, by annotator and text; the text takes the place of the item."""
    minutes = evidence.times[evidence.times["stage"] == stage][["annotator", "text_id", "minutes"]]
    items = read.groupby(["annotator", "text_id"])["item_id"].nunique().rename("items").reset_index()
    timed = minutes.groupby(["annotator", "text_id"])["minutes"].sum().reset_index().merge(items)
    return timed.assign(item_id=timed["text_id"], total=timed["minutes"] / timed["items"], n=1)


def estimate_carry_over(
    cells: pd.DataFrame, guessed: pd.MultiIndex, bounds: tuple[float, float], readers: Readers
) -> CarryOver:
    """The effect of having guessed an item before. guessed: the annotators and items of guessed cells."""
    before = guessed.get_indexer(pd.MultiIndex.from_frame(cells[PAIR])) >= 0
    item, text, annotator = (
        pd.factorize(cells[name], sort=True)[0].astype(np.int64) for name in ("item_id", "text_id", "annotator")
    )
    right, n = (cells[name].to_numpy(dtype=np.float64) for name in ("total", "n"))
    return carry_over(item, text, annotator, before, right, n, readers, bounds)


def explain_no_carry_over(found: CarryOver) -> str:
    if not found.n_items:
        return _(NOTHING_TO_COMPARE)
    return _(TOO_FEW_TEXTS) % {"n": found.n_texts} if found.n_texts < FEWEST_TEXTS else ""


def describe_carry_over(tables: tuple[Table, ...]) -> list[str]:
    """A sentence only if the interval of the effect excludes 0."""
    for table in tables:
        row = table.rows[0]
        if row["effect"] is not None and row["low"] is not None and row["low"] * row["high"] > 0:
            value = format_with_interval(row["effect"], row["low"], row["high"])
            return [_("Guessing an item changed how it was answered with the text: %(value)s.") % {"value": value}]
    return []


def describe_dif(tables: tuple[Table, ...]) -> list[str]:
    """How many items clearly favor one group; nothing if none does."""
    rows = [row for table in tables if table.name == DIF.name for row in table.rows if row["category"]]
    large = [row for row in rows if row["category"] == LARGE]
    if not large:
        return []
    sentence = ngettext(
        "%(n)d of %(all)d items clearly treats equally good readers of the groups “%(a)s” and “%(b)s” differently "
        "(class C).",
        "%(n)d of %(all)d items clearly treat equally good readers of the groups “%(a)s” and “%(b)s” differently "
        "(class C).",
        len(large),
    )
    return [sentence % {"n": len(large), "all": len(rows), "a": large[0]["group_a"], "b": large[0]["group_b"]}]


def describe_rasch(tables: tuple[Table, ...]) -> list[str]:
    """How many items the model fits; nothing without a model."""
    rows = [row for table in tables if table.name == RASCH.name for row in table.rows if row["infit"] is not None]
    if not rows:
        return []
    fitting = sum(FITS[0] <= row["infit"] <= FITS[1] for row in rows)
    words = _(
        "A model of readers (%(model)s) fits %(n)d of %(all)d items: their difficulty does not depend on who answered."
    )
    return [words % {"model": rows[0]["model"], "n": fitting, "all": len(rows)}]


def describe_dependence(tables: tuple[Table, ...]) -> list[str]:
    """How many pairs of items depend on each other, and the strongest; nothing if none does."""
    rows = [row for table in tables if table.name == DEPENDENT_PAIRS.name for row in table.rows]
    if not rows:
        return []
    sentence = ngettext(
        "Answers to %(n)d pair of items go together beyond what ability explains: %(a)s and %(b)s (Q3 %(q3)s).",
        "Answers to %(n)d pairs of items go together beyond what ability explains, most of all %(a)s and %(b)s "
        "(Q3 %(q3)s).",
        len(rows),
    )
    about = {"n": len(rows), "a": rows[0]["item_a"], "b": rows[0]["item_b"], "q3": number(rows[0]["q3"])}
    return [sentence % about]
