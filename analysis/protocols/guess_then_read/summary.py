"""What a guess-then-read study comes out at: how much each generator's items gain by reading."""

from collections.abc import Sequence

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from analysis.figures.paper import Line, Mark, Panels, Ranges, Style
from analysis.formatting import interval, items_counted, judgments_counted, number, of_people, of_texts, texts_counted
from analysis.reports.evaluators import HUMAN
from analysis.reports.outcome import (
    Agreed,
    Compared,
    Outcome,
    Words,
    ends_of,
    find_compared,
    rank,
    rows_called,
    standings_of,
    summarize_values,
)
from analysis.reports.report import Report
from analysis.tables.spec import Row
from analysis.words import evaluator_word
from studies.question_words import name_stage

MEASURE, COIN = "informativity", 0.5
TABLES = {"pooled": "informativity", "matched": "informativity_matched"}
WORDS = Words(
    winner=gettext_noop("Items by %(best)s measure the text best."),
    among=gettext_noop("Items by %(best)s measure the text best of the %(n)s generators that can be compared."),
    tie=gettext_noop("No generator comes out best: %(names)s."),
    above=gettext_noop("Items by %(names)s measure the text."),
    unclear=gettext_noop("Items by %(names)s: too close to zero to tell."),
    below=gettext_noop("Items by %(names)s: more options right without the text than with it."),
)


def summarize(report: Report, estimand: str) -> Outcome | None:
    name = TABLES.get(estimand, MEASURE)
    every = [row for row in rows_called(report, name) if row["evaluator_kind"] != "baseline"]
    speaker = find_speaker(every)
    rows = [row for row in every if row["evaluator"] == speaker]
    if not rows:
        return None
    standings = standings_of(rows, MEASURE, f"{MEASURE}_", higher=True)
    order = {each.generator: place for place, each in enumerate(standings)}
    rows.sort(key=lambda row: order[row["generator"]])
    is_pooled = name == MEASURE
    compared = find_compared(report, MEASURE, speaker).among(standings) if is_pooled else Compared()
    gains = _("After reading, %(who)s judged more options right: %(values)s.")
    return Outcome(
        title=title_of(speaker),
        standings=standings,
        figure=draw_gains(rows),
        words=WORDS,
        summary=summarize_values(gains, standings, compared, who=evaluator_word(speaker)),
        compared=compared,
        basis=say_basis(rows, speaker),
        has_zero=True,
        tables=(name, "contrasts"),
    )


def find_speaker(rows: Sequence[Row]) -> str:
    """People, if any have answered in both stages, else the first model that has; people where nobody has."""
    defined = [row["evaluator"] for row in rows if row[MEASURE] is not None]
    return HUMAN if HUMAN in defined or not defined else str(defined[0])


def title_of(speaker: str) -> str:
    if speaker == HUMAN:
        return _("How much people gain by reading")
    return _("How much %(model)s gains by reading") % {"model": speaker}


def say_basis(rows: Sequence[Row], speaker: str) -> str:
    n = sum(row["n_guess"] + row["n_read"] for row in rows)
    texts, people = (max(row[column] for row in rows) for column in ("n_texts", "n_annotators"))
    items = sum(row["n_items"] for row in rows)
    said = {"judgments": judgments_counted(n), "items": items_counted(items), "texts": of_texts(texts)}
    if speaker == HUMAN:
        return _("%(judgments)s of options by %(people)s about %(items)s on %(texts)s.") % (
            said | {"people": of_people(people)}
        )
    return _("%(judgments)s of options about %(items)s on %(texts)s.") % said


# Figures --------------------------------------------------------------------------------------------------------------


def marks_of(row: Row, *, intervals: bool = True) -> tuple[Mark, ...]:
    """Without the text, hollow, and with it, filled."""
    found: tuple[tuple[str, Style], ...] = (("guessability", "without"), ("answerability", "with"))
    return tuple(
        Mark(row[name], *ends_of(row, f"{name}_"), style) if intervals else Mark(row[name], style=style)
        for name, style in found
    )


def gain_line(row: Row) -> Line:
    value, (low, high) = row[MEASURE], ends_of(row, f"{MEASURE}_")
    if value is None:
        return Line(row["generator"], marks_of(row), "–", row[f"{MEASURE}_reason"])
    after = interval(low, high) or _("%(texts)s: no interval") % {"texts": texts_counted(row["n_texts"])}
    return Line(row["generator"], marks_of(row), number(value), after)


def legend() -> tuple:
    return (("without", name_stage("guess")), ("with", name_stage("read")))


def draw_gains(rows: Sequence[Row]) -> Ranges:
    return Ranges(
        tuple(map(gain_line, rows)), _("share of options judged right (dashed: coin toss)"), _("with − without"),
        legend(), COIN, (0, 1), joined=True,
    )  # fmt: skip


def draw_evaluators(report: Report) -> Panels | None:
    """People, models and baselines beside each other, a panel for each generator; none without models."""
    rows = rows_called(report, MEASURE)
    evaluators = sorted({row["evaluator"] for row in rows}, key=lambda name: (name != HUMAN, name))
    if len(evaluators) < 2:
        return None
    cells = {(row["generator"], row["evaluator"]): row for row in rows}
    generators = sorted(
        {row["generator"] for row in rows},
        key=lambda name: rank(standings_of([cells[name, evaluators[0]]], MEASURE, f"{MEASURE}_")[0], True),
    )
    panels = tuple(
        (name, tuple(marks_of(cells[name, each], intervals=False) for each in evaluators)) for name in generators
    )
    axis = _("share of options judged right (dashed: coin toss)")
    return Panels(tuple(map(evaluator_word, evaluators)), panels, axis, legend(), COIN, (0, 1), joined=True)


def list_agreed(report: Report) -> list[Agreed]:
    """Between people, without the text and with it."""
    return [
        Agreed(
            name_stage(row["stage"]), row["kappa"], row["low"], row["high"], row["reason"], row["percent"], row["ac1"],
            judgments_counted(row["n_judgments"]),
        )
        for row in rows_called(report, "agreement_with_humans")
        if row["evaluator"] == HUMAN
    ]  # fmt: skip
