"""Accuracy of scores by experts' verdicts on a random sample."""

from django.utils.translation import gettext as _

from analysis.evidence import Evidence
from analysis.tables import Shown, Table, make_table

COLUMNS = ("dimension", "expert", "n", "accuracy")


def expert_check(evidence: Evidence) -> Table:
    """Without verdicts, which nothing records so far, the table has its header only."""
    shown = (
        Shown(_("Dimension"), "dimension"),
        Shown(_("Expert"), "expert"),
        Shown("n", "n", "count"),
        Shown(_("Accuracy"), "accuracy", "number"),
    )
    note = _("Empty: no expert has checked a sample of this study.")
    return make_table("expert_check", COLUMNS, (), title=_("Expert check"), notes=(note,), shown=shown)
