"""Which criteria decided, where the study asks that."""

from django.utils.translation import gettext as _

from analysis.evidence import Evidence
from analysis.reports.evaluators import people_in
from analysis.reports.judged_pairs import PLACE, calibration_note, counted
from analysis.tables import Shown, Table, make_table
from studies.services.declaring import declaration_of

COLUMNS = ("criterion", "n", "n_decided", "share")


def criteria(evidence: Evidence) -> Table:
    """One row per criterion: in how many of the judgments with a winner it was ticked."""
    stage = declaration_of(evidence.study).stages[0]
    names = [question.name for question in stage.questions if question.kind == "tick"]
    people = people_in(evidence).rows_of(evidence.frame)
    answers = people.merge(counted(evidence)[PLACE], on=PLACE)
    rows = []
    for name in names:
        ticked = answers[answers["question"] == name]["value"]
        n, decided = int(ticked.astype(bool).sum()), len(ticked)
        rows.append({"criterion": name, "n": n, "n_decided": decided, "share": n / decided if decided else None})
    notes = (_("Asked of judgments with a winner; several criteria may have decided."), *calibration_note(evidence))
    return make_table(
        "criteria", COLUMNS, rows, title=_("What decided"), notes=notes, shown=shown(), named_by=("criterion",)
    )


def shown() -> tuple[Shown, ...]:
    return (
        Shown(_("Criterion"), "criterion", "question"),
        Shown(_("Ticked"), "n", "count", about=_("judgments in which it was ticked")),
        Shown(_("Judgments with a winner"), "n_decided", "count", about=_("judgments with a winner")),
        Shown(_("Share"), "share", "number", about=_("of the judgments with a winner")),
    )
