"""How far judgments got in a questionnaire that stops."""

from django.utils.translation import gettext as _

from analysis.evidence import Evidence
from analysis.reports.judged import group_of, groups_in, is_label, judgments_in, scope_note
from analysis.tables import Crossing, Shown, Table, make_table

COLUMNS = ("group", "category", "reached", "stopped")


def flow(evidence: Evidence) -> Table:
    """One row per group and category: judgments that got to it, and those that its answer ended."""
    judgments = judgments_in(evidence)
    rows = []
    for evaluator in groups_in(evidence):
        frame = judgments.among(evaluator).frame
        for category in judgments.categories:
            stopped = int((frame["stopped"] == category.name).sum())
            values = (group_of(evaluator), category.name, int(is_label(frame, category.name).sum()), stopped)
            rows.append(dict(zip(COLUMNS, values, strict=True)))
    notes = (
        scope_note(),
        _("Reached: judgments that answered the category. Stopped: those of them after whose answer nothing more was "
          "asked, though more could have been."),
    )  # fmt: skip
    return make_table(
        "flow", COLUMNS, rows, title=_("How far judgments got"), notes=notes, shown=shown(),
        named_by=("group", "category"), crossings=(Crossing("reached", "category", "group", beneath=("stopped",)),),
    )  # fmt: skip


def shown() -> tuple[Shown, ...]:
    return (
        Shown(_("Category"), "category", "question"),
        Shown(_("Group"), "group", "group"),
        Shown(_("Reached"), "reached", "count", about=_("judgments that answered the category")),
        Shown(_("Stopped"), "stopped", "count", about=_("judgments that ended with this answer")),
    )
