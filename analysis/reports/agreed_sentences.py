"""On which category of a questionnaire that stops people agree most, and on which least, in words."""

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from analysis.formatting import UNDEFINED, count, number
from analysis.reports.judged import ALL
from analysis.tables import Row, Table
from studies.question_words import question_word

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
        "Among pairs of people who both got to a category, agreement is highest at “%(most)s” (%(high)s) and lowest at"
        " “%(least)s” (%(low)s)."
    ) % {
        "most": question_word(most["category"]),
        "high": numbers_of(most),
        "least": question_word(least["category"]),
        "low": numbers_of(least),
    }
    return [said, *left_out(len(rows) - len(met))]


def is_of_all(row: Row) -> bool:
    """Whether a row is about all people, all generators and all sources."""
    return all(row[column] == ALL for column in ("group", "generator", "source"))


def numbers_of(row: Row) -> str:
    """AC1, κ and how many pairs they rest on."""
    kappa = _(UNDEFINED) if row["kappa"] is None else number(row["kappa"])
    pairs = ngettext("%(n)s pair", "%(n)s pairs", row["n_pairs"]) % {"n": count(row["n_pairs"])}
    return f"AC1 {number(row['ac1'])}, κ {kappa}, {pairs}"


def left_out(n: int) -> list[str]:
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
