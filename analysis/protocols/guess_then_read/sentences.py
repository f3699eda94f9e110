"""What a guess-then-read study says, in a few sentences; nothing is claimed that no adjusted interval supports."""

from collections.abc import Sequence
from math import isnan

from django.utils.translation import gettext as _

from analysis.formatting import judgments_counted, of_people, of_texts
from analysis.frames.evidence import Evidence
from analysis.frames.responses import judgments_of
from analysis.pack.methods import Facts, table, with_ends
from analysis.protocols.guess_then_read.informativity import INFORMATIVITY
from analysis.protocols.guess_then_read.spread import narrowing
from analysis.reports.contrasts import Comparison, find
from analysis.reports.evaluators import HUMAN, evaluator_named
from analysis.reports.headlines import INFORMATIVITY_WORDING, headline, list_values, without
from analysis.tables.spec import Row, Table


def sentences(evidence: Evidence, informativity: Table, comparisons: Sequence[Comparison]) -> list[str]:
    """About people if there are answers of people, else about the first model that has informativity.

    Baselines say nothing of items: what they gain or lose by the text is their rule.
    """
    asked = [row for row in informativity.rows if row["evaluator_kind"] != "baseline"]
    defined = [row for row in asked if row["informativity"] is not None]
    if not defined:
        return []
    speaker = HUMAN if any(row["evaluator"] == HUMAN for row in defined) else defined[0]["evaluator"]
    rows = sorted((row for row in defined if row["evaluator"] == speaker), key=lambda row: -row["informativity"])
    said = [summary(rows, speaker, basis(rows)), *missing([row for row in asked if row["evaluator"] == speaker])]
    return [*said, *say_comparison(evidence, speaker, find(comparisons, INFORMATIVITY, speaker))]


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


def basis(rows: list[Row]) -> str:
    """On how many judgments, texts and people the rows rest at most."""
    n = sum(row["n_guess"] + row["n_read"] for row in rows)
    texts, people = (max(row[column] for row in rows) for column in ("n_texts", "n_annotators"))
    said = {"judgments": judgments_counted(n), "texts": of_texts(texts), "people": of_people(people)}
    if rows[0]["evaluator_kind"] == "human":
        return _("%(judgments)s by %(people)s on %(texts)s") % said
    return _("%(judgments)s on %(texts)s") % said


def summary(rows: list[Row], speaker: str, basis: str) -> str:
    """The informativity of each generator, the highest first; of many only the range. `basis`: what it rests on."""
    values = {
        "values": list_values(rows, "informativity", "informativity_low", "informativity_high"),
        "who": speaker,
        "basis": basis,
    }
    if speaker == HUMAN:
        return _("By people's answers, text informativity is %(values)s: %(basis)s.") % values
    return _("By the answers of %(who)s, text informativity is %(values)s: %(basis)s.") % values


def say_comparison(evidence: Evidence, speaker: str, comparison: Comparison | None) -> list[str]:
    """Which generators differ; of people also what would narrow the interval of a difference."""
    largest = comparison.largest() if comparison else None
    if largest is None or isnan(largest.low):
        return headline(comparison, INFORMATIVITY_WORDING)
    if speaker != HUMAN:
        return headline(comparison, INFORMATIVITY_WORDING, _("more texts would narrow this interval"))
    judgments = evaluator_named(evidence, HUMAN).rows_of(judgments_of(evidence.frame))
    more = narrowing(evidence, judgments, largest.n_texts)
    said = headline(
        comparison, INFORMATIVITY_WORDING, more.clause if more else _("more texts would narrow this interval")
    )
    return [*said, *([more.basis] if more and more.clause else [])]


# The methods draft ----------------------------------------------------------------------------------------------------


def describe_design(facts: Facts) -> str:
    said = [
        _("Following Säuberli & Clematide (2024), annotators first judged every option of one generator's items "
          "without seeing the text, then those of all generators with the text."),
        _("People rated each item as well.") if any(row["n"] for row in table(facts, "ratings").rows) else "",
        _("Models and baselines judged the items of all generators in each stage that they answered.")
        if facts.evaluators else "",
        _("Text informativity is the share of options judged rightly with the text less that without it."),
    ]  # fmt: skip
    return " ".join(filter(None, said))


def describe_agreement(facts: Facts) -> str:
    rows = {row["stage"]: row for row in table(facts, "agreement_with_humans").rows if row["evaluator"] == HUMAN}
    values = {stage: with_ends(rows.get(stage), "kappa") for stage in ("guess", "read")}
    return _("Mean Cohen's κ between people was %(guess)s without the text and %(read)s with it.") % values


def describe_outcome(facts: Facts) -> str:
    rows = [row for row in table(facts, "informativity").rows if row["evaluator"] == HUMAN]
    by = ", ".join(f"{row['generator']} {with_ends(row, 'informativity')}" for row in rows)
    return _("Text informativity by people's answers: %(by)s.") % {"by": by} if by else ""
