"""What is said of a questionnaire that stops: how far judgments got, where people agree, and the methods draft."""

from math import isnan

import pandas as pd
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from analysis.formatting import UNDEFINED, count, number
from analysis.frames.evidence import Evidence
from analysis.pack.methods import Facts, table, write_value
from analysis.protocols.stopping_questionnaire.judged import ALL, judgments_in
from analysis.reports.contrasts import Comparison, Family, Measured, compare_all
from analysis.reports.estimates import arm_of, with_codes
from analysis.reports.evaluators import HUMAN, people_in
from analysis.reports.headlines import STOPPED_WORDING, headline
from analysis.reports.spread import about_annotators, say_scatter
from analysis.tables.spec import Row, Table
from studies.question_words import name_question
from studies.services.declarations import get_declaration

FEWEST = 10  # pairs: with fewer a single pair moves the agreement by more than a tenth


def most_and_least(agreed: Table) -> list[str]:
    """By AC1, which unequal labels do not pull down as they do κ, over pairs that both got to the category.

    agreed: the table `agreement`. Nothing where fewer than two categories have an AC1, or all have the same.
    """
    rows = [row for row in agreed.rows if row["view"] == "applicable" and is_of_all(row)]
    met = [row for row in rows if row["n_pairs"] >= FEWEST and row["ac1"] is not None]
    if len({row["ac1"] for row in met}) < 2:
        return []
    most, least = (choose(met, key=lambda row: row["ac1"]) for choose in (max, min))
    said = _(
        "Among pairs of people who both reached a category, agreement is highest for “%(most)s” "
        "(%(high)s) and lowest for “%(least)s” (%(low)s)."
    ) % {
        "most": name_question(most["category"]),
        "high": numbers_of(most),
        "least": name_question(least["category"]),
        "low": numbers_of(least),
    }
    return [said, *say_left_out(len(rows) - len(met))]


def is_of_all(row: Row) -> bool:
    """Whether a row is about all people, all generators and all sources."""
    return all(row[column] == ALL for column in ("group", "generator", "source"))


def numbers_of(row: Row) -> str:
    """AC1, κ and how many pairs they rest on."""
    kappa = _(UNDEFINED) if row["kappa"] is None else number(row["kappa"])
    pairs = ngettext("%(n)s pair", "%(n)s pairs", row["n_pairs"]) % {"n": count(row["n_pairs"])}
    return f"AC1 {number(row['ac1'])}, κ {kappa}, {pairs}"


def say_left_out(n: int) -> list[str]:
    if not n:
        return []
    return [
        ngettext(
            "%(n)s category with fewer than %(fewest)s such pairs is left out.",
            "%(n)s categories with fewer than %(fewest)s such pairs are left out.",
            n,
        )
        % {"n": count(n), "fewest": count(FEWEST)}
    ]


STOPPED = "stopped"


def stopped_in(evidence: Evidence) -> pd.DataFrame:
    """People's judgments of items: text_id, annotator, generator, value (1 if it stopped early, else 0)."""
    frame = judgments_in(evidence).among(people_in(evidence)).frame
    texts = evidence.items.set_index("item_id")["text_id"]
    return pd.DataFrame(
        {
            "text_id": frame["item_id"].map(texts),
            "annotator": frame["annotator"],
            "generator": frame["generator"],
            "value": frame["stopped"].notna().astype(float),
        }
    )


def stopped_comparisons(evidence: Evidence, stopped: pd.DataFrame) -> tuple[Comparison, ...]:
    """The share of judgments that stop early; lower is better."""
    coded = with_codes(stopped)
    judged = [name for name in evidence.generators if (coded["generator"] == name).any()]
    figures = {name: Measured((arm_of(coded[coded["generator"] == name], "value"),)) for name in judged}
    family = Family(STOPPED, HUMAN, figures, coded["text_id"].nunique(), (-1.0, 1.0), higher_is_better=False)
    return compare_all([family], evidence.choices)


def say_differences(evidence: Evidence, stopped: pd.DataFrame, comparisons: tuple[Comparison, ...]) -> list[str]:
    """Which generators' items are stopped at less often."""
    if not comparisons:
        return []
    largest = comparisons[0].largest()
    if largest is None or isnan(largest.low):
        return headline(comparisons[0], STOPPED_WORDING)
    clause = about_annotators(say_scatter(stopped, largest.better, largest.worse), evidence.choices)
    return headline(comparisons[0], STOPPED_WORDING, clause)


def say_flow(how_far: Table) -> list[str]:
    """How many judgments stopped early, and where most of them did."""
    rows = [row for row in how_far.rows if not row["group"]]
    n, stopped = max((row["reached"] for row in rows), default=0), sum(row["stopped"] for row in rows)
    if not n:
        return []
    most = max(rows, key=lambda row: row["stopped"])
    said = {
        "n": count(n),
        "stopped": count(stopped),
        "category": name_question(most["category"]),
        "most": count(most["stopped"]),
    }
    if not stopped:
        return [_("None of %(n)s judgments stopped early.") % said]
    return [
        _("%(stopped)s of %(n)s judgments stopped early, %(most)s of them at “%(category)s”.") % said,
    ]


# The methods draft ----------------------------------------------------------------------------------------------------


def describe_design(facts: Facts) -> str:
    questions = [question.name for question in get_declaration(facts.study).stages[0].questions]
    return _("Each question was judged by a questionnaire that stops where further questions make no sense (Horbach et "
             "al., 2020); it asks: %(questions)s.") % {"questions": ", ".join(questions)}  # fmt: skip


def describe_agreement(facts: Facts) -> str:
    everyone = {"group": "", "generator": "", "source": "", "view": "all"}
    rows = [
        row for row in table(facts, "agreement").rows if all(row[column] == value for column, value in everyone.items())
    ]
    by = ", ".join(f"{row['category']} {write_value(row['kappa'])}" for row in rows)
    return _("Cohen's κ, with “not applicable” as a label of its own: %(by)s.") % {"by": by}
