"""Flaws by people, models and rules: how often each says yes, and how far it agrees with the majority of people."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from analysis.choices import CONVENTIONS
from analysis.frames.evidence import Evidence
from analysis.measures.coefficient_intervals import clustered_coefficient
from analysis.measures.coefficients import conger_kappa
from analysis.protocols import default
from analysis.reports.drill_down import ITEM, list_rows
from analysis.reports.estimates import Estimate
from analysis.reports.evaluators import HUMAN, evaluator_named, evaluators_in
from analysis.reports.report import Report
from analysis.reports.tables import ANSWERS_BY, QUESTION
from analysis.science.common import refuse
from analysis.science.flaws import apply_rules, take_majority
from analysis.tables.spec import Row, Table, TableSpec, count, estimate, number
from items.flaw_rules import RULES

RULE = "rules"
NOT_JUDGED = gettext_noop("People did not code an item that this evaluator coded.")

FLAW_CODES = TableSpec(
    "flaw_codes", gettext_noop("Flaws by people, models and rules"), (
        ANSWERS_BY,
        QUESTION,
        count("n", gettext_noop("Items"), gettext_noop("items with a yes or a no; of people by majority")),
        count("n_yes", gettext_noop("With the flaw"), gettext_noop("items with a yes")),
        number("share", gettext_noop("Share"), gettext_noop("share of items with the flaw")),
        number("percent", gettext_noop("As people"), gettext_noop("share of items coded as by the majority of people"),
               reason="reason"),
        estimate("kappa", gettext_noop("κ"), gettext_noop("Cohen's κ with the majority of people")),
        count("missed", gettext_noop("Missed"), gettext_noop("items where people say yes and this evaluator no"),
              leads=False),
        count("false_alarms", gettext_noop("False alarms"),
              gettext_noop("items where people say no and this evaluator yes"), leads=False),
        "reason",
    ),
    keys=("evaluator", "question"),
    notes=(
        gettext_noop("Rules read the wording alone; four flaws that take understanding have none. Intervals of κ are "
                     "over texts."),
    ),
)  # fmt: skip


def build_report(evidence: Evidence) -> Report:
    report = default.build_report(evidence)
    return replace(report, tables=(flaw_codes(evidence), *report.tables))


def list_tables() -> tuple[TableSpec, ...]:
    return FLAW_CODES, *default.list_tables()


def flaw_codes(evidence: Evidence) -> Table:
    coded = {evaluator.name: codes_by(evidence, evaluator.name) for evaluator in evaluators_in(evidence)}
    if RULE not in coded:  # a baseline of that name has stored them
        coded[RULE] = codes_by(evidence, RULE)
    people = coded.get(HUMAN, codes_by(evidence, HUMAN))
    rows = [row for name, codes in coded.items() for row in rows_of(evidence, name, codes, people)]
    return FLAW_CODES.build(rows, evidence.choices.convention)


def codes_by(evidence: Evidence, evaluator: str) -> pd.DataFrame:
    """Items × flaws: True, False, or missing without a yes or a no."""
    if is_computed(evidence, evaluator):
        return apply_rules(evidence)[list(RULES)]
    return take_majority(evaluator_named(evidence, evaluator).rows_of(evidence.frame))


def is_computed(evidence: Evidence, evaluator: str) -> bool:
    """Whether rules are asked now, as no baseline has stored what they say."""
    return evaluator == RULE and RULE not in {each.name for each in evaluators_in(evidence)}


def rows_of(evidence: Evidence, evaluator: str, codes: pd.DataFrame, people: pd.DataFrame) -> Iterator[dict[str, Any]]:
    text = evidence.items.set_index("item_id")["text_id"]
    asked = set(evidence.frame["question"])
    for flaw in codes.columns:
        known = codes[flaw].dropna().astype(bool)
        if known.empty or flaw not in asked:
            continue
        about = {"evaluator": evaluator, "question": flaw, "n": len(known), "n_yes": int(known.sum())}
        yield about | {"share": known.mean()} | compare(evaluator, known, people.get(flaw), text, evidence.choices.seed)


def compare(evaluator: str, known: pd.Series, people: pd.Series | None, text: pd.Series, seed: int) -> dict[str, Any]:
    """Agreement with the majority of people; empty for people themselves."""
    empty = {"percent": None, "missed": None, "false_alarms": None, "kappa": refuse(""), "reason": ""}
    if evaluator == HUMAN:
        return empty
    theirs = (pd.Series(dtype=object) if people is None else people.dropna()).reindex(known.index).dropna().astype(bool)
    if theirs.empty:
        return empty | {"kappa": refuse(_(NOT_JUDGED)), "reason": _(NOT_JUDGED)}
    mine = known[theirs.index]
    ratings = np.stack([mine, theirs]).astype(np.int64)
    found, codes = conger_kappa(ratings, 2), pd.factorize(text[theirs.index], sort=True)[0].astype(np.int64)
    interval = clustered_coefficient("conger", ratings, 2, codes, seed=seed)
    reason = _(found.reason) if found.reason else ""
    return {
        "percent": float((mine == theirs).mean()), "missed": int((theirs & ~mine).sum()),
        "false_alarms": int((mine & ~theirs).sum()), "reason": reason,
        "kappa": refuse(reason) if reason else Estimate(found.value, dict.fromkeys(CONVENTIONS, interval)),
    }  # fmt: skip


@FLAW_CODES.drill_down
def list_coded(evidence: Evidence, row: Row, column: str) -> Table:
    """The items that the evaluator coded, those with the flaw, or the answers behind them."""
    said = codes_by(evidence, row["evaluator"])
    codes = pd.Series(said[row["question"]]).dropna().astype(bool)
    if column in ("n", "n_yes") or is_computed(evidence, row["evaluator"]):
        chosen = codes[codes].index if column == "n_yes" else codes.index
        return list_rows(evidence, evidence.items[evidence.items["item_id"].isin(chosen)], ITEM, _("The items"))
    rows = evaluator_named(evidence, row["evaluator"]).rows_of(evidence.frame)
    return default.list_answers(evidence, rows[rows["question"] == row["question"]])
