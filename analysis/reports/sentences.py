"""What the numbers say, in a sentence or two; nothing is claimed that no interval supports."""

from math import isnan

from django.utils.translation import gettext as _

from analysis.evidence import Evidence
from analysis.formatting import judgments_counted, number, of_people, of_texts, texts_counted, with_interval
from analysis.reports.answers import judgments_of
from analysis.reports.contrasts import Contrast, contrast
from analysis.reports.evaluators import HUMAN, evaluators_in
from analysis.reports.narrowing import narrowing
from analysis.tables import Row, Table

NBSP = "\u00a0"
EQUAL = 1e-9  # values this close are the same but for rounding


def sentences(evidence: Evidence, informativity: Table) -> list[str]:
    """About people if there are answers of people, else about the first model that has informativity.

    Baselines say nothing of items: what they gain or lose by the text is their rule.
    """
    asked = [row for row in informativity.rows if row["evaluator_kind"] != "baseline"]
    defined = [row for row in asked if row["informativity"] is not None]
    if not defined:
        return []
    speaker = HUMAN if any(row["evaluator"] == HUMAN for row in defined) else defined[0]["evaluator"]
    rows = sorted((row for row in defined if row["evaluator"] == speaker), key=lambda row: row["informativity"])
    said = [summary(rows, speaker, basis(rows)), *missing([row for row in asked if row["evaluator"] == speaker])]
    if len(rows) > 1:
        said += compared(evidence, speaker, rows)
    return said


def missing(rows: list[Row]) -> list[str]:
    """The generators of which nothing can be said, by the reason."""
    reasons = dict.fromkeys(row["informativity_reason"] for row in rows if row["informativity"] is None)
    return [
        without(
            [row["generator"] for row in rows if row["informativity"] is None and row["informativity_reason"] == why],
            why,
        )
        for why in reasons
    ]


def without(generators: list[str], reason: str) -> str:
    return _("Not compared: items by %(generators)s (%(reason)s).") % {
        "generators": ", ".join(generators),
        "reason": reason,
    }


def basis(rows: list[Row]) -> str:
    """On how many judgments, texts and people the rows rest at most."""
    n = sum(row["n_guess"] + row["n_read"] for row in rows)
    texts, people = (max(row[column] for row in rows) for column in ("n_texts", "n_annotators"))
    said = {"judgments": judgments_counted(n), "texts": of_texts(texts), "people": of_people(people)}
    if rows[0]["evaluator_kind"] == "human":
        return _("%(judgments)s by %(people)s on %(texts)s") % said
    return _("%(judgments)s on %(texts)s") % said


def summary(rows: list[Row], speaker: str, basis: str) -> str:
    """The most and the least informative generator; `basis` says on what the numbers rest."""
    best, worst = rows[-1], rows[0]
    values = {"best": best["generator"], "most": printed(best), "worst": worst["generator"], "least": printed(worst)}
    values |= {"who": speaker, "basis": basis}
    if len(rows) == 1 and speaker == HUMAN:
        return _("By people's answers, text informativity is %(most)s for items by %(best)s: %(basis)s.") % values
    if len(rows) == 1:
        return _("By the answers of %(who)s, text informativity is %(most)s for items by %(best)s: %(basis)s.") % values
    if best["informativity"] - worst["informativity"] < EQUAL:
        return alike(rows, values)
    if speaker == HUMAN:
        return (
            _(
                "By people's answers, items by %(best)s inform most (%(most)s), those by %(worst)s least (%(least)s):"
                " %(basis)s."
            )
            % values
        )
    return (
        _(
            "By the answers of %(who)s, items by %(best)s inform most (%(most)s), those by %(worst)s least (%(least)s):"
            " %(basis)s."
        )
        % values
    )


def alike(rows: list[Row], values: dict[str, str]) -> str:
    """Where all inform equally, none of them most."""
    values = values | {"names": ", ".join(row["generator"] for row in rows), "most": number(rows[0]["informativity"])}
    if values["who"] == HUMAN:
        return _("By people's answers, items by %(names)s inform equally (%(most)s): %(basis)s.") % values
    return _("By the answers of %(who)s, items by %(names)s inform equally (%(most)s): %(basis)s.") % values


def printed(row: Row) -> str:
    """.35 [.26, .44]"""
    ends = row["intervals"]["informativity"]["clustered"]
    return with_interval(row["informativity"], ends["low"], ends["high"])


def compared(evidence: Evidence, speaker: str, rows: list[Row]) -> list[str]:
    """The difference between the two ends, if it has an interval."""
    evaluator = next(each for each in evaluators_in(evidence) if each.name == speaker)
    judgments = evaluator.rows_of(judgments_of(evidence.frame))
    found = contrast(judgments, rows[0]["generator"], rows[-1]["generator"], evidence.choices.seed)
    if isnan(found.interval.low):
        return [untold(found)]
    more = narrowing(evidence, judgments, found.n_texts) if speaker == HUMAN else None
    said = worded(found, more.clause if more else _("more texts would narrow this"))
    basis = [more.basis] if more and more.clause else []
    return [said, *basis, *([largest(len(rows))] if len(rows) > 2 else [])]


def untold(found: Contrast) -> str:
    """Why the two ends cannot be told apart at all."""
    values = {"less": found.less, "more": found.more, "reason": _(found.interval.reason)}
    return (
        _("Whether items by %(less)s and %(more)s differ cannot be told, as there is no interval: %(reason)s") % values
    )


def worded(found: Contrast, clause: str = "") -> str:
    """The contrast in words; `clause` says what would narrow its interval."""
    texts = texts_counted(found.n_texts).replace(" ", NBSP)
    values = {
        "less": found.less,
        "more": found.more,
        "difference": with_interval(found.value, found.interval.low, found.interval.high),
        "texts": f"{texts}; {clause}" if clause else texts,
    }
    if found.interval.high < 0:
        return _("Items by %(less)s inform less than those by %(more)s: %(difference)s, %(texts)s.") % values
    return (
        _("Whether items by %(less)s inform less than those by %(more)s cannot be told: %(difference)s, %(texts)s.")
        % values
    )


def largest(n: int) -> str:
    pairs = n * (n - 1) // 2
    return _("This is the largest of %(pairs)s differences; its interval does not allow for having been chosen.") % {
        "pairs": pairs
    }
