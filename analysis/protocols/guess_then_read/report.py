"""The report of guess-then-read (Säuberli & Clematide 2024)."""

from collections.abc import Iterator, Mapping, Sequence
from math import isnan
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from analysis.figures.paper import Line, Mark, Panels, Ranges, Style, say_more_lines
from analysis.formatting import (
    format_interval,
    number,
    say_items,
    say_judgments,
    say_of_people,
    say_of_texts,
    say_texts,
)
from analysis.frames.evidence import Evidence
from analysis.pack.methods import Facts, get_table, write_with_interval
from analysis.protocols.guess_then_read import figures as drawn
from analysis.protocols.guess_then_read.agreement import build_agreement
from analysis.protocols.guess_then_read.answers import build_accuracy_by_rating, build_ratings
from analysis.protocols.guess_then_read.beside_accuracy import build_tables
from analysis.protocols.guess_then_read.figures import draw_dumbbell
from analysis.protocols.guess_then_read.informativity import (
    INFORMATIVITY,
    build_informativity,
    build_interval_methods,
    build_matched_informativity,
    compare_reading,
    list_mix_sentences,
    standardize_informativity,
)
from analysis.protocols.guess_then_read.item_analysis import (
    build_guessable_items,
    build_item_analysis,
    build_unanswerable_items,
)
from analysis.protocols.guess_then_read.spread import compute_narrowing
from analysis.reports.contrasts import Comparison, build_contrasts, find_comparison
from analysis.reports.description import build_description, build_variants
from analysis.reports.evaluators import HUMAN, find_evaluator
from analysis.reports.headlines import INFORMATIVITY_WORDING, say_not_compared, write_headline, write_values
from analysis.reports.outcome import (
    FEWEST_TEXTS,
    MOST_NAMED,
    AgreementSummary,
    ContrastSet,
    Outcome,
    OutcomeSentences,
    build_contrast_set,
    build_standings,
    find_rows,
    join_names,
    join_sentences,
    make_sort_key,
    read_bounds,
    shorten,
    summarize_values,
)
from analysis.reports.report import Report
from analysis.science.report import compare_with_others
from analysis.tables.spec import Row, Table
from analysis.words import name_evaluator
from studies.question_words import name_stage

# The main findings in a few sentences; each claim is supported by an adjusted interval.


def list_sentences(evidence: Evidence, informativity: Table, comparisons: Sequence[Comparison]) -> list[str]:
    """Sentences about people if any have answered, else about the first model with a defined informativity.

    Baselines are left out: what they gain or lose with the text follows from their rule.
    """
    asked = [row for row in informativity.rows if row["evaluator_kind"] != "baseline"]
    defined = [row for row in asked if row["informativity"] is not None]
    if not defined:
        return []
    speaker = HUMAN if any(row["evaluator"] == HUMAN for row in defined) else defined[0]["evaluator"]
    rows = sorted((row for row in defined if row["evaluator"] == speaker), key=lambda row: -row["informativity"])
    sentences = [
        say_gains(rows, speaker, describe_basis(rows)),
        *explain_undefined([row for row in asked if row["evaluator"] == speaker]),
    ]
    return [*sentences, *say_comparison(evidence, speaker, find_comparison(comparisons, INFORMATIVITY, speaker))]


def explain_undefined(rows: list[Row]) -> list[str]:
    """Sentences on the generators without a defined figure, one per reason."""
    reasons = dict.fromkeys(row["informativity_reason"] for row in rows if row["informativity"] is None)
    return [
        say_not_compared(
            [row["generator"] for row in rows if row["informativity"] is None and row["informativity_reason"] == why],
            why,
        )
        for why in reasons
    ]


def describe_basis(rows: list[Row]) -> str:
    """The basis of the rows in words: all their judgments, and the largest numbers of texts and people of any row."""
    n = sum(row["n_guess"] + row["n_read"] for row in rows)
    texts, people = (max(row[column] for row in rows) for column in ("n_texts", "n_annotators"))
    values = {"judgments": say_judgments(n), "texts": say_of_texts(texts), "people": say_of_people(people)}
    if rows[0]["evaluator_kind"] == "human":
        return _("%(judgments)s by %(people)s on %(texts)s") % values
    return _("%(judgments)s on %(texts)s") % values


def say_gains(rows: list[Row], speaker: str, basis: str) -> str:
    """A sentence with the informativity of each generator (only the range of many) and what it is based on, `basis`."""
    values = {
        "values": write_values(rows, "informativity", "informativity_low", "informativity_high"),
        "who": speaker,
        "basis": basis,
    }
    if speaker == HUMAN:
        return _("By people's answers, text informativity is %(values)s: %(basis)s.") % values
    return _("By the answers of %(who)s, text informativity is %(values)s: %(basis)s.") % values


def say_comparison(evidence: Evidence, speaker: str, comparison: Comparison | None) -> list[str]:
    """Sentences on which generators differ; for people also on what would narrow the interval."""
    largest = comparison.largest() if comparison else None
    if largest is None or isnan(largest.low):
        return write_headline(comparison, INFORMATIVITY_WORDING)
    if speaker != HUMAN:
        return write_headline(comparison, INFORMATIVITY_WORDING, _("more texts would narrow this interval"))
    judgments = find_evaluator(evidence, HUMAN).select_rows(evidence.judgments)
    more = compute_narrowing(evidence, judgments, largest.n_texts)
    sentences = write_headline(
        comparison, INFORMATIVITY_WORDING, more.clause if more else _("more texts would narrow this interval")
    )
    return [*sentences, *([more.basis] if more and more.clause else [])]


# The methods draft ----------------------------------------------------------------------------------------------------


def describe_design(facts: Facts) -> str:
    sentences = [
        _("Following Säuberli & Clematide (2024), annotators first judged every option of one generator's items "
          "without seeing the text, then those of all generators with the text."),
        _("People rated each item as well.") if any(row["n"] for row in get_table(facts, "ratings").rows) else "",
        _("Models and baselines judged the items of all generators in each stage that they answered.")
        if facts.evaluators else "",
        _("Text informativity is the share of options judged rightly with the text less that without it."),
    ]  # fmt: skip
    return " ".join(filter(None, sentences))


def describe_agreement(facts: Facts) -> str:
    rows = {row["stage"]: row for row in get_table(facts, "agreement_with_humans").rows if row["evaluator"] == HUMAN}
    values = {stage: write_with_interval(rows.get(stage), "kappa") for stage in ("guess", "read")}
    return _("Mean Cohen's κ between people was %(guess)s without the text and %(read)s with it.") % values


def describe_outcome(facts: Facts) -> str:
    rows = [row for row in get_table(facts, "informativity").rows if row["evaluator"] == HUMAN]
    by = ", ".join(f"{row['generator']} {write_with_interval(row, 'informativity')}" for row in rows)
    return _("Text informativity by people's answers: %(by)s.") % {"by": by} if by else ""


# The main result of a guess-then-read study: how much reading the text adds for each generator's items.

MEASURE, COIN = "informativity", 0.5
STAGE_OF = {"guessability": "guess", "answerability": "read"}
TABLES = {"pooled": "informativity", "matched": "informativity_matched"}
WORDS = OutcomeSentences(
    winner=gettext_noop("Items by %(best)s measure the text best."),
    among=gettext_noop("Items by %(best)s measure the text best of the %(n)s generators that can be compared."),
    tie=gettext_noop("No generator comes out best: %(names)s."),
    above=gettext_noop("Items by %(names)s measure the text."),
    unclear=gettext_noop("Items by %(names)s: too close to zero to tell."),
    below=gettext_noop("Items by %(names)s: more options right without the text than with it."),
)


def summarize(report: Report, estimand: str) -> Outcome | None:
    name = TABLES.get(estimand, MEASURE)
    every = [row for row in find_rows(report, name) if row["evaluator_kind"] != "baseline"]
    speaker = find_speaker(every)
    rows = [row for row in every if row["evaluator"] == speaker]
    if not rows:
        return None
    standings = build_standings(rows, MEASURE, f"{MEASURE}_", higher=True)
    order = {each.generator: place for place, each in enumerate(standings)}
    rows.sort(key=lambda row: order[row["generator"]])
    is_pooled = name == MEASURE
    compared = build_contrast_set(report, MEASURE, speaker).select(standings) if is_pooled else ContrastSet()
    gains = _("After reading, %(who)s judged more options right: %(values)s.")
    return Outcome(
        title=write_title(speaker),
        standings=standings,
        figure=draw_gains(rows),
        words=WORDS,
        summary=summarize_values(gains, standings, compared, who=name_evaluator(speaker)),
        compared=compared,
        basis=say_basis(rows, speaker),
        has_zero=True,
        speaker="" if speaker == HUMAN else speaker,
        tables=(name, "contrasts"),
    )


def find_speaker(rows: Sequence[Row]) -> str:
    """People if they have a defined informativity, else the first model that has; people if nobody has."""
    defined = [row["evaluator"] for row in rows if row[MEASURE] is not None]
    return HUMAN if HUMAN in defined or not defined else str(defined[0])


def write_title(speaker: str) -> str:
    if speaker == HUMAN:
        return _("How much people gain by reading")
    return _("How much %(model)s gains by reading") % {"model": speaker}


def say_basis(rows: Sequence[Row], speaker: str) -> str:
    n = sum(row["n_guess"] + row["n_read"] for row in rows)
    texts, people = (max(row[column] for row in rows) for column in ("n_texts", "n_annotators"))
    items = sum(row["n_items"] for row in rows)
    values = {"judgments": say_judgments(n), "items": say_items(items), "texts": say_of_texts(texts)}
    sentence = _("%(judgments)s of options about %(items)s on %(texts)s.") % values
    if speaker == HUMAN:
        values |= {"people": say_of_people(people)}
        sentence = _("%(judgments)s of options by %(people)s about %(items)s on %(texts)s.") % values
    return join_sentences(sentence, *say_stages_without_interval(rows))


def say_stages_without_interval(rows: Sequence[Row]) -> Iterator[str]:
    """A sentence for each reason why marks of the figure have no interval; “too few texts” is printed beside the rows
    instead."""
    by_reason: dict[str, list[str]] = {}
    for row in rows:
        for share, stage in STAGE_OF.items():
            if row[share] is not None and row[f"{share}_low"] is None and row["n_texts"] >= FEWEST_TEXTS:
                name = f"{shorten(row['generator'])} ({name_stage(stage)})"
                by_reason.setdefault(row[f"{share}_reason"], []).append(name)
    for reason, names in by_reason.items():
        listed = names if len(names) <= MOST_NAMED else [*names[:MOST_NAMED], say_more_lines(len(names) - MOST_NAMED)]
        yield join_sentences(_("No interval for %(names)s.") % {"names": join_names(listed)}, reason)


# Figures --------------------------------------------------------------------------------------------------------------


def build_marks(row: Row, *, intervals: bool = True) -> tuple[Mark, ...]:
    """Two marks: the accuracy without the text (hollow) and with it (filled)."""
    found: tuple[tuple[str, Style], ...] = (("guessability", "without"), ("answerability", "with"))
    return tuple(
        Mark(row[name], *read_bounds(row, f"{name}_"), style) if intervals else Mark(row[name], style=style)
        for name, style in found
    )


def build_gain_line(row: Row) -> Line:
    value, (low, high) = row[MEASURE], read_bounds(row, f"{MEASURE}_")
    if value is None:
        return Line(row["generator"], build_marks(row), "–", row[f"{MEASURE}_reason"])
    after = format_interval(low, high) or _("%(texts)s: no interval") % {"texts": say_texts(row["n_texts"])}
    return Line(row["generator"], build_marks(row), number(value), after)


def make_legend() -> tuple:
    return (("without", name_stage("guess")), ("with", name_stage("read")))


def draw_gains(rows: Sequence[Row]) -> Ranges:
    return Ranges(
        tuple(map(build_gain_line, rows)), _("share of options judged right (dashed: coin toss)"), _("with − without"),
        make_legend(), COIN, (0, 1), joined=True,
    )  # fmt: skip


def draw_evaluators(report: Report) -> Panels | None:
    """People, models and baselines side by side, in a panel for each generator; none without models."""
    rows = find_rows(report, MEASURE)
    evaluators = sorted({row["evaluator"] for row in rows}, key=lambda name: (name != HUMAN, name))
    if len(evaluators) < 2:
        return None
    cells = {(row["generator"], row["evaluator"]): row for row in rows}
    generators = sorted(
        {row["generator"] for row in rows},
        key=lambda name: make_sort_key(build_standings([cells[name, evaluators[0]]], MEASURE, f"{MEASURE}_")[0], True),
    )
    panels = tuple(
        (name, tuple(build_marks(cells[name, each], intervals=False) for each in evaluators)) for name in generators
    )
    axis = _("share of options judged right (dashed: coin toss)")
    return Panels(tuple(map(name_evaluator, evaluators)), panels, axis, make_legend(), COIN, (0, 1), joined=True)


def list_agreed(report: Report) -> list[AgreementSummary]:
    """Agreement between people, without the text and with it."""
    return [
        AgreementSummary(
            name_stage(row["stage"]), row["kappa"], row["low"], row["high"], row["reason"], row["percent"], row["ac1"],
            say_judgments(row["n_judgments"]),
        )
        for row in find_rows(report, "agreement_with_humans")
        if row["evaluator"] == HUMAN
    ]  # fmt: skip


def build_report(evidence: Evidence) -> Report:
    comparisons = compare_reading(evidence)
    pooled = build_informativity(evidence, comparisons=comparisons)
    tables = (
        pooled,
        build_contrasts(evidence, comparisons),
        *compare_with_others(evidence, comparisons),
        build_matched_informativity(evidence),
        standardize_informativity(evidence),
        *build_tables(evidence),
        build_interval_methods(evidence),
        build_agreement(evidence),
        build_ratings(evidence),
        build_accuracy_by_rating(evidence),
        build_guessable_items(evidence),
        build_unanswerable_items(evidence),
        build_item_analysis(evidence),
        *build_variants(evidence, lambda mine: iter(())),
        build_description(evidence),
    )
    answered = any(row["n_read"] for row in pooled.rows)
    return Report(
        tables,
        (*list_sentences(evidence, pooled, comparisons), *(list_mix_sentences(evidence) if answered else [])),
        ("dumbbell", "dumbbell_matched", "ratings", "accuracy_by_rating"),
    )


def list_figures() -> Mapping[str, Any]:
    return {
        "dumbbell": ("informativity", draw_dumbbell),
        "dumbbell_matched": ("informativity_matched", draw_dumbbell),
        "ratings": ("ratings", drawn.draw_ratings),
        "accuracy_by_rating": ("accuracy_by_rating", drawn.draw_accuracy_by_rating),
    }
