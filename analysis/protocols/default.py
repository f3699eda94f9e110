"""The report of a protocol without a plug-in of its own: counts, distributions, means on scales, and agreement.

All of it follows from the declaration. It also supplies the parts that a plug-in leaves out.
"""

from collections.abc import Iterator
from typing import Any

import pandas as pd
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from analysis.agreement.lab import build_overview_row
from analysis.agreement.questions import LabQuestion, list_questions
from analysis.figures.paper import Bar, Bars
from analysis.formatting import UNDEFINED, count, number, say_of_people
from analysis.frames.evidence import Evidence, repeat_by_item
from analysis.pack.methods import Facts
from analysis.protocols.tables import AGREEMENT, COUNTS, DISTRIBUTIONS, MEANS, TABLES
from analysis.reports.categories import list_error_tables
from analysis.reports.description import build_description, build_variants
from analysis.reports.drill_down import COUNTED, list_counted, list_rows
from analysis.reports.estimates import estimate_mean
from analysis.reports.evaluators import HUMAN, find_evaluator, get_people, list_evaluators
from analysis.reports.outcome import AgreementSummary, Outcome, find_rows
from analysis.reports.report import Report
from analysis.tables.spec import Row, Table, TableSpec
from studies.question_words import name_label, name_question
from studies.services.declarations import get_declaration

ANSWER = ("text_id", "item_id", "option_id", "annotator", "stage", "question", "value")
COMPARED = ("text_id", "unit_items", "annotator", "stage", "question", "value")  # for answers about several items


def build_report(evidence: Evidence) -> Report:
    tables = (
        count_answers(evidence),
        count_labels(evidence),
        *average_scales(evidence),
        measure_agreement(evidence),
        *build_variants(evidence, lambda mine: iter(())),
        *list_error_tables(evidence),
        build_description(evidence),
    )
    return Report(tables, (), ())


# Tables ---------------------------------------------------------------------------------------------------------------


def count_answers(evidence: Evidence) -> Table:
    """One row per evaluator and question, free texts included."""
    rows = [
        {
            "evaluator": evaluator.name,
            "stage": stage.name,
            "question": question.name,
            "n": len(mine),
            "n_items": repeat_by_item(evidence, mine)["item_id"].nunique(),
            "n_texts": mine["text_id"].nunique(),
            "n_annotators": mine["annotator"].nunique(),
        }
        for evaluator in list_evaluators(evidence)
        for stage in get_declaration(evidence.study).stages
        for question in stage.questions
        if len(mine := select_answers(evaluator.select_rows(evidence.frame), stage.name, question.name))
    ]
    return COUNTS.build(rows)


def count_labels(evidence: Evidence) -> Table:
    """One row per evaluator, question with declared answers, and answer."""
    rows = [
        row
        for evaluator in list_evaluators(evidence)
        for asked in list_questions(evidence.study)
        for row in build_label_rows(evaluator.name, asked, evaluator.select_rows(evidence.frame))
    ]
    return DISTRIBUTIONS.build(rows)


def build_label_rows(evaluator: str, asked: LabQuestion, frame: pd.DataFrame) -> Iterator[dict[str, Any]]:
    labels = list_labels(asked, select_answers(frame, asked.stage, asked.name))
    for label in map(write_label, asked.categories) if len(labels) else ():
        n = int((labels == label).sum())
        yield {
            "evaluator": evaluator,
            "stage": asked.stage,
            "question": asked.name,
            "label": label,
            "n": n,
            "n_all": len(labels),
            "share": n / len(labels),
        }


def average_scales(evidence: Evidence) -> Iterator[Table]:
    """One row per evaluator, question on a scale and generator; no table if there is no such question."""
    scales = [asked for asked in list_questions(evidence.study) if asked.is_ordered]
    rows = [
        row
        for evaluator in list_evaluators(evidence)
        for asked in scales
        for row in build_mean_rows(evidence, evaluator.name, asked, evaluator.select_rows(evidence.frame))
    ]
    if rows:
        yield MEANS.build(rows, evidence.choices.convention)


def build_mean_rows(
    evidence: Evidence, evaluator: str, asked: LabQuestion, frame: pd.DataFrame
) -> Iterator[dict[str, Any]]:
    answers = select_answers(frame, asked.stage, asked.name).astype({"value": "int64"})
    bounds = (float(asked.categories[0]), float(asked.categories[-1]))
    for generator in evidence.generators if answers["generator"].notna().any() else ():
        mine = answers[answers["generator"] == generator]
        yield {
            "evaluator": evaluator,
            "stage": asked.stage,
            "question": asked.name,
            "generator": generator,
            "mean": estimate_mean(mine, bounds, evidence.choices.seed),
            "n": len(mine),
        }


def measure_agreement(evidence: Evidence) -> Table:
    """One row per question that at least two people answered; coefficients as in the agreement lab."""
    people = sorted(get_people(evidence).codes)
    found = (build_overview_row(evidence.frame, asked, people) for asked in list_questions(evidence.study))
    return AGREEMENT.build({name: row[name] for name in AGREEMENT.header} for row in found if row is not None)


def select_answers(frame: pd.DataFrame, stage: str, question: str) -> pd.DataFrame:
    return frame[(frame["stage"] == stage) & (frame["question"] == question)]


def list_labels(asked: LabQuestion, answers: pd.DataFrame) -> pd.Series:
    """The category of each answer, as files write it."""
    return pd.Series(map(write_label, asked.list_categories(answers)), answers.index, dtype=object)


def write_label(category: object) -> str:
    return str(category).lower() if isinstance(category, bool) else str(category)


# Drill-down -----------------------------------------------------------------------------------------------------------


def list_tables() -> tuple[TableSpec, ...]:
    return TABLES


@COUNTS.drill_down
def list_counts(evidence: Evidence, row: Row, column: str) -> Table:
    mine = find_evaluator(evidence, row["evaluator"]).select_rows(evidence.frame)
    mine = select_answers(mine, row["stage"], row["question"])
    rows = repeat_by_item(evidence, mine) if column == "n_items" else mine
    return list_counted(evidence, rows, column) if column in COUNTED else list_answers(evidence, mine)


@DISTRIBUTIONS.drill_down
def list_label(evidence: Evidence, row: Row, column: str) -> Table:
    """The answers with the label, or all answers to the question."""
    mine = find_evaluator(evidence, row["evaluator"]).select_rows(evidence.frame)
    mine = select_answers(mine, row["stage"], row["question"])
    asked = {(each.stage, each.name): each for each in list_questions(evidence.study)}[row["stage"], row["question"]]
    return list_answers(evidence, mine[list_labels(asked, mine) == row["label"]] if column == "n" else mine)


@MEANS.drill_down
def list_scale(evidence: Evidence, row: Row, column: str) -> Table:
    """The answers about the generator's items."""
    mine = find_evaluator(evidence, row["evaluator"]).select_rows(evidence.frame)
    mine = select_answers(mine, row["stage"], row["question"])
    return list_answers(evidence, mine[mine["generator"] == row["generator"]])


@AGREEMENT.drill_down
def list_shared(evidence: Evidence, row: Row, column: str) -> Table:
    """People's answers about units that at least two of them judged; for the count of people, these people."""
    mine = select_answers(get_people(evidence).select_rows(evidence.frame), row["stage"], row["question"])
    if column in COUNTED:
        return list_counted(evidence, mine, column)
    units = mine[["unit", "item_id", "option_id"]].fillna("").astype(str).agg("\0".join, axis=1)
    judged = mine.groupby(units)["annotator"].transform("nunique")
    return list_answers(evidence, mine[judged > 1])


def list_answers(evidence: Evidence, rows: pd.DataFrame) -> Table:
    """The answers, without columns that are empty in all of them: an answer about a whole item has no option."""
    if evidence.unit_items:
        items = rows["unit"].map(evidence.unit_items).map(" ".join, na_action="ignore")
        return list_rows(evidence, rows.assign(unit_items=items), COMPARED, _("The answers"))
    columns = [name for name in ANSWER if name not in ("item_id", "option_id") or rows[name].notna().any()]
    return list_rows(evidence, rows, columns, _("The answers"))


# The methods draft ----------------------------------------------------------------------------------------------------


def describe_design(facts: Facts) -> str:
    stages = get_declaration(facts.study).stages
    by = "; ".join(f"{stage.name}: {', '.join(question.name for question in stage.questions)}" for stage in stages)
    return _("Annotators were asked, by stage: %(questions)s.") % {"questions": by}


def describe_agreement(facts: Facts) -> str:
    """A sentence with the κ of each question; empty if the report lacks the table `agreement`."""
    rows = next((table.rows for table in facts.report.tables if table.name == "agreement"), ())
    values = {row["question"]: row["conger_kappa"] for row in rows}
    by = ", ".join(f"{name} {_(UNDEFINED) if value is None else number(value)}" for name, value in values.items())
    return _("Conger's κ between people: %(by)s.") % {"by": by} if by else ""


# The summary ----------------------------------------------------------------------------------------------------------


def summarize(report: Report, _estimand: str) -> Outcome | None:
    """The number of answers, and the distribution of answers to the first question with declared answers."""
    counts = [row for row in find_rows(report, "counts") if row["evaluator"] == HUMAN] or find_rows(report, "counts")
    if not counts:
        return None
    n, people = sum(row["n"] for row in counts), max(row["n_annotators"] for row in counts)
    values = {"answers": count_words(n), "people": say_of_people(people), "questions": len(counts)}
    sentence = ngettext(
        "%(answers)s to %(questions)s question by %(people)s.",
        "%(answers)s to %(questions)s questions by %(people)s.",
        len(counts),
    )
    return Outcome(
        title=_("How the answers distribute"),
        standings=(),
        figure=draw_labels(report),
        verdict=sentence % values,
        tables=("distributions", "counts"),
    )


def count_words(n: int) -> str:
    return ngettext("%(n)s answer", "%(n)s answers", n) % {"n": count(n)}


def draw_labels(report: Report) -> Bars | None:
    """Bars of people's answers to the first question and to others with the same possible answers; None without any."""
    counts: dict[str, dict[str, int]] = {}
    for row in find_rows(report, "distributions"):
        if row["evaluator"] == HUMAN:
            counts.setdefault(row["question"], {})[row["label"]] = row["n"]
    if not counts:
        return None
    labels = tuple(next(iter(counts.values())))
    lines = tuple(
        Bar(name_question(name), tuple(mine.values()), count_words(sum(mine.values())))
        for name, mine in counts.items()
        if tuple(mine) == labels
    )
    return Bars(lines, tuple(map(name_label, labels)), _("percent of answers; numbers are answers"))


def list_agreed(report: Report) -> list[AgreementSummary]:
    """The agreement of people on each question; empty if the table `agreement` is not the default one."""
    return [
        AgreementSummary(
            name_question(row["question"]), row["conger_kappa"], None, None, row["reason"], row["percent"], row["ac1"],
            ngettext("%(n)s unit", "%(n)s units", row["n_units"]) % {"n": count(row["n_units"])},
        )
        for row in find_rows(report, "agreement")
        if "conger_kappa" in row and "n_units" in row
    ]  # fmt: skip
