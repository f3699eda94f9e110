"""Which errors were found in the items of each generator."""

from django.utils.translation import gettext as _

from analysis.evidence import Evidence
from analysis.tables import Shown, Table, make_table

COLUMNS = ("generator", "code", "n", "share_of_all", "share_of_erroneous")


def error_codes(evidence: Evidence) -> Table:
    """Without codes, which nothing records so far, the table has its header only."""
    shown = (
        Shown(_("Generator"), "generator"),
        Shown(_("Code"), "code"),
        Shown("n", "n", "count"),
        Shown(_("Share of all items"), "share_of_all", "number"),
        Shown(_("Share of erroneous items"), "share_of_erroneous", "number"),
    )
    note = _("Empty: no error codes were set for the items of this study.")
    return make_table("error_codes", COLUMNS, (), title=_("Error codes"), notes=(note,), shown=shown)
