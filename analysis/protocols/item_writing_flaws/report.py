"""The report of item-writing flaws: how often people, models and rules find each, and their agreement with people."""

from collections.abc import Iterator
from dataclasses import replace
from math import isnan
from typing import Any

import numpy as np
import pandas as pd
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from analysis.choices import CONVENTIONS
from analysis.formatting import count as write_count
from analysis.formatting import format_with_interval
from analysis.formatting import number as write
from analysis.frames.evidence import Evidence
from analysis.measures.coefficients import clustered_coefficient, conger_kappa
from analysis.protocols import default
from analysis.protocols.tables import AGREEMENT
from analysis.reports.drill_down import ITEM, list_rows
from analysis.reports.estimates import Estimate
from analysis.reports.evaluators import HUMAN, find_evaluator, list_evaluators
from analysis.reports.report import Report
from analysis.reports.tables import ANSWERS_BY, QUESTION
from analysis.science.common import make_undefined
from analysis.science.flaws import FLAW_NAMES, RULE, apply_rules, take_majority
from analysis.tables.spec import Row, Table, TableSpec, count, estimate, number
from analysis.words import name_evaluator, strip_quotes
from items.flaw_rules import RULES

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
    codes = build_flaw_codes(evidence)
    findings = [*say_people(report.table(AGREEMENT.name)), *say_likeness(codes)]
    return replace(
        report,
        tables=(codes, *report.tables),
        sentences=(*report.sentences, *(sentence for sentence, _table in findings)),
        findings=(*report.findings, *findings),
    )


def say_people(agreement: Table) -> list[tuple[str, str]]:
    """A sentence on the flaws on which people agree most and least, with the name of its table."""
    rows = [row for row in agreement.rows if row["alpha"] is not None and not isnan(row["alpha"])]
    if not rows:
        return []
    best, worst = (choose(rows, key=lambda row: row["alpha"]) for choose in (max, min))
    words = _("People agree most on “%(best)s” (α = %(high)s) and least on “%(worst)s” (α = %(low)s).")
    if best is worst:
        words = _("People agree on “%(best)s” with α = %(high)s.")
    about = {
        "best": strip_quotes(FLAW_NAMES[best["question"]]), "high": write(best["alpha"]),
        "worst": strip_quotes(FLAW_NAMES[worst["question"]]), "low": write(worst["alpha"]),
    }  # fmt: skip
    return [(words % about, agreement.name)]


def say_likeness(codes: Table) -> list[tuple[str, str]]:
    """A sentence on the model or rule that codes most like people, by mean κ, and its worst flaw; with its table."""
    rows = [row for row in codes.rows if row["kappa"] is not None]
    if not rows:
        return []
    by_name = {name: [row for row in rows if row["evaluator"] == name] for name in {row["evaluator"] for row in rows}}
    means = {name: sum(row["kappa"] for row in mine) / len(mine) for name, mine in by_name.items()}
    name = max(sorted(means), key=lambda each: means[each])
    worst = min(by_name[name], key=lambda row: row["kappa"])
    about = {
        "name": name_evaluator(name), "mean": write(means[name]), "n": write_count(len(by_name[name])),
        "flaw": strip_quotes(FLAW_NAMES[worst["question"]]),
        "worst": format_with_interval(worst["kappa"], worst["low"], worst["high"]),
    }  # fmt: skip
    sentence = ngettext(
        "Of models and rules, “%(name)s” codes most as people do: κ = %(worst)s on “%(flaw)s”.",
        "Of models and rules, “%(name)s” codes most as people do: mean κ %(mean)s over %(n)s flaws, least on "
        "“%(flaw)s” (κ = %(worst)s).",
        len(by_name[name]),
    )
    return [(sentence % about, codes.name)]


def list_tables() -> tuple[TableSpec, ...]:
    return FLAW_CODES, *default.list_tables()


def build_flaw_codes(evidence: Evidence) -> Table:
    coded = {evaluator.name: build_code_matrix(evidence, evaluator.name) for evaluator in list_evaluators(evidence)}
    if RULE not in coded:  # no baseline has stored the answers of the rules
        coded[RULE] = build_code_matrix(evidence, RULE)
    people = coded.get(HUMAN, build_code_matrix(evidence, HUMAN))
    rows = [row for name, codes in coded.items() for row in build_rows(evidence, name, codes, people)]
    return FLAW_CODES.build(rows, evidence.choices.convention)


def build_code_matrix(evidence: Evidence, evaluator: str) -> pd.DataFrame:
    """Items × flaws: True, False, or missing without an answer."""
    if is_computed(evidence, evaluator):
        return apply_rules(evidence)[list(RULES)]
    return take_majority(find_evaluator(evidence, evaluator).select_rows(evidence.frame))


def is_computed(evidence: Evidence, evaluator: str) -> bool:
    """Whether the rules are evaluated now, because no baseline has stored their answers."""
    return evaluator == RULE and RULE not in {each.name for each in list_evaluators(evidence)}


def build_rows(
    evidence: Evidence, evaluator: str, codes: pd.DataFrame, people: pd.DataFrame
) -> Iterator[dict[str, Any]]:
    text = evidence.items.set_index("item_id")["text_id"]
    asked = set(evidence.frame["question"])
    for flaw in codes.columns:
        known = codes[flaw].dropna().astype(bool)
        if known.empty or flaw not in asked:
            continue
        about = {"evaluator": evaluator, "question": flaw, "n": len(known), "n_yes": int(known.sum())}
        yield about | {"share": known.mean()} | compare(evaluator, known, people.get(flaw), text, evidence.choices.seed)


def compare(evaluator: str, known: pd.Series, people: pd.Series | None, text: pd.Series, seed: int) -> dict[str, Any]:
    """The columns of agreement with the majority of people; empty for people themselves."""
    empty = {"percent": None, "missed": None, "false_alarms": None, "kappa": make_undefined(""), "reason": ""}
    if evaluator == HUMAN:
        return empty
    theirs = (pd.Series(dtype=object) if people is None else people.dropna()).reindex(known.index).dropna().astype(bool)
    if theirs.empty:
        return empty | {"kappa": make_undefined(_(NOT_JUDGED)), "reason": _(NOT_JUDGED)}
    mine = known[theirs.index]
    ratings = np.stack([mine, theirs]).astype(np.int64)
    found, codes = conger_kappa(ratings, 2), pd.factorize(text[theirs.index], sort=True)[0].astype(np.int64)
    interval = clustered_coefficient("conger", ratings, 2, codes, seed=seed)
    reason = _(found.reason) if found.reason else ""
    return {
        "percent": float((mine == theirs).mean()), "missed": int((theirs & ~mine).sum()),
        "false_alarms": int((mine & ~theirs).sum()), "reason": reason,
        "kappa": make_undefined(reason) if reason else Estimate(found.value, dict.fromkeys(CONVENTIONS, interval)),
    }  # fmt: skip


@FLAW_CODES.drill_down
def list_coded(evidence: Evidence, row: Row, column: str) -> Table:
    """The items that the evaluator coded, those with the flaw, or the answers behind them."""
    by_question = build_code_matrix(evidence, row["evaluator"])
    codes = pd.Series(by_question[row["question"]]).dropna().astype(bool)
    if column in ("n", "n_yes") or is_computed(evidence, row["evaluator"]):
        chosen = codes[codes].index if column == "n_yes" else codes.index
        return list_rows(evidence, evidence.items[evidence.items["item_id"].isin(chosen)], ITEM, _("The items"))
    rows = find_evaluator(evidence, row["evaluator"]).select_rows(evidence.frame)
    return default.list_answers(evidence, rows[rows["question"] == row["question"]])
