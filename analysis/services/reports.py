"""Reports and drill-down of any protocol: each one's own module says what its answers mean."""

from dataclasses import replace

from django.utils.translation import gettext as _

from analysis.agreement import stand_in_rows
from analysis.agreement.stand_in import stand_in_tables
from analysis.choices import BadChoice, Choices
from analysis.frames.evidence import Evidence, evidence_of
from analysis.plugins import find_plugin
from analysis.reports.drill_down import TABLES
from analysis.reports.published import with_published
from analysis.reports.report import Report, complete
from analysis.science import drill_down as science_drill_down
from analysis.science.report import with_science
from analysis.tables.spec import Row, Table, TableSpec
from studies.models import Study


def build(study: Study, choices: Choices) -> Report:
    """The report of a study, from one moment's answers. `BadChoice` if something chosen does not occur."""
    check_groups(study, choices)
    return report_from(evidence_of(study, choices))


def report_from(evidence: Evidence) -> Report:
    """The report that this evidence gives: arithmetic, nothing more is read."""
    return complete(own_report(evidence), evidence)


def own_report(evidence: Evidence) -> Report:
    """What the protocol's own module says, with the published numbers beside it."""
    report = find_plugin(evidence.study.protocol).report(evidence)
    return with_published(with_science(report, evidence), evidence)


def full_report_from(evidence: Evidence) -> Report:
    """The same with the tables that have a page of their own: for files, where nobody waits."""
    report = own_report(evidence)
    return complete(replace(report, tables=(*report.tables, *stand_in_tables(evidence))), evidence)


def stand_in_report(evidence: Evidence, kind: str) -> Report:
    """Whether models may stand in for people of this kind (see `analysis.agreement.stand_in`)."""
    return complete(Report(stand_in_tables(evidence, kind), (), ()), evidence)


def check_groups(study: Study, choices: Choices) -> None:
    known = {*study.groups, *study.annotators.values_list("group", flat=True)} - {""}
    unknown = [group for group in choices.groups or () if group not in known]
    if unknown:
        values = {"group": unknown[0], "groups": ", ".join(sorted(known)) or _("none")}
        raise BadChoice(_("There is no group “%(group)s” in this study. Its groups: %(groups)s.") % values)


# Drill-down -----------------------------------------------------------------------------------------------------------


def list_specs(protocol: str) -> dict[str, TableSpec]:
    """By name the tables whose numbers lead to answers; those of the protocol itself win."""
    specs = (*TABLES, *science_drill_down.list_tables(), *stand_in_rows.list_tables(), *find_plugin(protocol).tables())
    return {spec.name: spec for spec in specs if spec.list_answers}


def find_shared(study: Study, name: str, row: Row) -> dict[str, tuple[str]]:
    """By column of the frame, the one value of all answers that a number in this row of the table may count."""
    spec = list_specs(study.protocol).get(name)
    return {column: (row[column],) for column in spec.shared} if spec else {}


def drill_down(evidence: Evidence, name: str, row: Row, column: str) -> Table:
    """What the number in this column of a row of the table counts; `KeyError` for a table that leads nowhere."""
    list_answers = list_specs(evidence.study.protocol)[name].list_answers
    assert list_answers is not None
    return list_answers(evidence, row, column)
