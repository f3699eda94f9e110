"""What follows from the table `stand_in` in words: who may stand in on each question and stage, on what conditions."""

from dataclasses import dataclass

from django.utils.text import capfirst
from django.utils.translation import gettext as _

from analysis.formatting import UNDEFINED, number, of_people, of_texts, with_interval
from analysis.measures.alternative_annotator import FEWEST_UNITS
from analysis.tables import Row, Table
from studies.question_words import question_word, stage_word


@dataclass(frozen=True)
class Verdicts:
    """A sentence per model, of those that were tested on the same conditions; `title`: the question and the stage."""

    title: str
    conditions: tuple[str, ...]
    said: tuple[str, ...]


def verdicts(table: Table) -> list[Verdicts]:
    """In the order of the table; under each heading first who may stand in, and last of whom it cannot be told."""
    groups: dict[tuple[str, tuple[str, ...]], list[Row]] = {}
    for row in table.rows:
        groups.setdefault((title_of(row), conditions_of(row)), []).append(row)
    return [
        Verdicts(title, conditions, tuple(map(verdict, sorted(rows, key=surest_first))))
        for (title, conditions), rows in groups.items()
    ]


def surest_first(row: Row) -> int:
    return (True, False, None).index(row["passed"])


def title_of(row: Row) -> str:
    return capfirst(", ".join(filter(None, (question_word(row["question"]), stage_word(row["stage"])))))


def conditions_of(row: Row) -> tuple[str, ...]:
    """What the models of a row's question were tested on, and how much people's own agreement lets the test say."""
    values = {
        "texts": of_texts(row["n_texts"]),
        "people": of_people(row["n_people"]),
        "epsilon": number(row["epsilon"]),
        "between": with_ends(row, "kappa_people", "people_low", "people_high"),
    }
    said = _("On %(texts)s and %(people)s, with ε = %(epsilon)s; κ between people %(between)s.") % values
    if row["people_low"] is None or row["people_low"] > 0:
        return (said,)
    return said, _(
        "People may agree here by no more than chance. Then passing says little: whoever guesses could pass."
    )


def verdict(row: Row) -> str:
    values = {
        "model": row["evaluator"],
        "rate": "" if row["winning_rate"] is None else number(row["winning_rate"]),
        "advantage": "" if row["advantage"] is None else number(row["advantage"]),
        "kappa": with_ends(row, "kappa", "low", "high"),
        "reason": row["reason"],
    }
    if row["passed"] is None:
        return _("Whether %(model)s may stand in for a person cannot be told: %(reason)s") % values
    if row["passed"]:
        said = _("%(model)s may stand in for a person: winning rate %(rate)s, at least as good as a person in "
                 "%(advantage)s of the units, κ with people %(kappa)s.")  # fmt: skip
    else:
        said = _("It is not shown that %(model)s may stand in for a person: winning rate %(rate)s, at least as good as "
                 "a person in %(advantage)s of the units, κ with people %(kappa)s.")  # fmt: skip
    return f"{said % values}{few_units(row)}"


def few_units(row: Row) -> str:
    if not row["n_few_units"]:
        return ""
    said = _("For %(n)s of the people there are fewer than %(fewest)s units, and the test is shaky.")
    return " " + said % {"n": row["n_few_units"], "fewest": FEWEST_UNITS}


def with_ends(row: Row, value: str, low: str, high: str) -> str:
    if row[value] is None:
        return _(UNDEFINED)
    return with_interval(row[value], row[low], row[high])
