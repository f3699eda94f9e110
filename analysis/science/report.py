"""What the pieces add to the report of any protocol: tables, figures of those with numbers, and a sentence each."""

from dataclasses import replace

from analysis.figures.forest import FORESTS
from analysis.frames.evidence import Evidence
from analysis.reports.report import Report
from analysis.science.experiment import carry_over_sentence, carry_over_tables
from analysis.science.flaws import flaw_sentence, flaw_tables
from analysis.science.joined import joined_sentences, joined_tables
from analysis.science.raters import rating_tables
from analysis.science.readers import reader_tables
from analysis.science.reliability import reliability_sentence, reliability_tables
from analysis.tables.spec import Table


def with_science(report: Report, evidence: Evidence) -> Report:
    """The report with the tables that its answers allow, before its last one, the description."""
    joined, carried = joined_tables(evidence), carry_over_tables(evidence)
    reliable, flawed = reliability_tables(evidence), flaw_tables(evidence)
    tables = (
        *joined, *carried, *reliable, *flawed, *rating_tables(evidence),
        *reader_tables(evidence),
    )  # fmt: skip
    sentences = (
        *joined_sentences(joined),
        *carry_over_sentence(carried),
        *reliability_sentence(reliable),
        *flaw_sentence(flawed),
    )
    return replace(
        report,
        tables=(*report.tables[:-1], *tables, *report.tables[-1:]),
        sentences=(*report.sentences, *sentences),
        figures=(*report.figures, *(table.name for table in tables if has_figure(table))),
    )


def has_figure(table: Table) -> bool:
    """Whether the table is drawn and has a number to draw."""
    if table.name not in FORESTS:
        return False
    value = FORESTS[table.name].value
    return any(row[value] is not None for row in table.rows)
