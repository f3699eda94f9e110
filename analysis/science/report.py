"""What this package adds to the report of any protocol: tables, figures of those with numbers, and a sentence each."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from django.utils.translation import gettext as _

from analysis.choices import ANNOTATORS, READERS, Choices
from analysis.figures.intervals import FORESTS
from analysis.frames.evidence import Evidence
from analysis.reports.contrasts import Comparison, Family, build_intervals_by_convention, note_max_t
from analysis.reports.report import Report
from analysis.science.flaws import build_flaw_tables, describe_largest_flaw
from analysis.science.joined import build_joined_tables, describe_joined
from analysis.science.labels import build_label_tables, describe_severity
from analysis.science.raters import build_rating_tables, describe_generators, describe_raters
from analysis.science.readers import (
    build_carry_over,
    build_reader_tables,
    describe_carry_over,
    describe_dependence,
    describe_dif,
    describe_rasch,
)
from analysis.science.scores import build_reliability_tables, describe_reliability
from analysis.science.tables import (
    CARRY_OVER,
    DEPENDENT_PAIRS,
    DIF,
    FLAWS,
    G_STUDY,
    GENERATOR_G_STUDY,
    JOINED,
    JOINED_VERSIONS,
    LABEL_SEVERITY,
    OTHERS,
    RASCH,
    RELIABILITY,
    TEXT_VERSIONS,
)
from analysis.science.versions import (
    build_text_version_tables,
    build_version_tables,
    describe_version_effect,
    say_version_difference,
)
from analysis.tables.spec import Table

Say = Callable[[tuple[Table, ...]], list[str]]  # from the tables of a piece to its sentences


def add_science(report: Report, evidence: Evidence) -> Report:
    """The report with the tables that its answers allow, before the description, which comes last."""
    pieces: list[tuple[tuple[Table, ...], Sequence[tuple[str, Say]]]] = [
        (build_joined_tables(evidence), [(JOINED.name, describe_joined)]),
        (build_text_version_tables(evidence), [(TEXT_VERSIONS.name, describe_version_effect)]),
        (build_version_tables(evidence), [(JOINED_VERSIONS.name, say_version_difference)]),
        (build_carry_over(evidence), [(CARRY_OVER.name, describe_carry_over)]),
        (build_reliability_tables(evidence), [(RELIABILITY.name, describe_reliability)]),
        (build_flaw_tables(evidence), [(FLAWS.name, describe_largest_flaw)]),
        (build_reader_tables(evidence), [(DIF.name, describe_dif), (DEPENDENT_PAIRS.name, describe_dependence),
                                   (RASCH.name, describe_rasch)]),
        (build_rating_tables(evidence), [(G_STUDY.name, describe_raters),
                                         (GENERATOR_G_STUDY.name, describe_generators)]),
        (build_label_tables(evidence), [(LABEL_SEVERITY.name, describe_severity)]),
    ]  # fmt: skip
    tables = [table for found, _sentences in pieces for table in found]
    findings = [(sentence, name) for found, sentences in pieces for name, say in sentences for sentence in say(found)]
    return replace(
        report,
        tables=(*report.tables[:-1], *tables, *report.tables[-1:]),
        sentences=(*report.sentences, *(sentence for sentence, _table in findings)),
        findings=(*report.findings, *findings),
        figures=(*report.figures, *(table.name for table in tables if has_figure(table))),
    )


def has_figure(table: Table) -> bool:
    """Whether the table is drawn and has a number to draw."""
    if table.name not in FORESTS:
        return False
    value = FORESTS[table.name].value
    return any(row[value] is not None for row in table.rows)


# Each generator against the mean of the others, by every measure on which generators are compared.

FEWEST = 3  # generators; with two, “the others” are the other one


def compare_with_others(evidence: Evidence, comparisons: Sequence[Comparison]) -> tuple[Table, ...]:
    families = [each.family for each in comparisons if len(each.family.figures) >= FEWEST]
    rows = [row for family in families for row in build_family_rows(family, evidence.choices)]
    return (OTHERS.build(rows, notes=[note_max_t(evidence.choices.convention)]),) if rows else ()


def build_family_rows(family: Family, choices: Choices) -> Iterator[dict[str, Any]]:
    convention = READERS if choices.convention == READERS else ANNOTATORS
    found = {
        each: family.against_others(each, choices.seed, alone=each != convention) for each in (READERS, ANNOTATORS)
    }
    chosen = found[convention]
    for place, (name, contrast) in enumerate(zip(family.figures, chosen, strict=True)):
        n = family.counts(name, name)[0]
        yield {
            "measure": family.measure, "evaluator": family.evaluator, "generator": name,
            "difference": contrast.value, "low": contrast.low, "high": contrast.high,
            "low_adjusted": contrast.low_adjusted, "high_adjusted": contrast.high_adjusted,
            "p_adjusted": contrast.p_adjusted, "adjustment": contrast.adjustment, "family_size": contrast.family_size,
            "n_texts": n, "reason": _(contrast.reason) if contrast.reason else "",
            "intervals": {"difference": build_intervals_by_convention({each: found[each][place] for each in found}, n)},
        }  # fmt: skip
