"""How pairs were compared, for the methods draft."""

from django.utils.translation import gettext as _

from analysis.formatting import UNDEFINED
from analysis.pack.methods import Facts, table, with_ends, written


def describe_design(facts: Facts) -> str:
    said = _("Annotators compared pairs of items by different generators about the same text, and chose the better one "
             "or a tie.")  # fmt: skip
    if not facts.course.n_calibration:
        return said
    return (
        said
        + " "
        + _("%(n)s of the pairs were a calibration that all annotators did first.") % {"n": facts.course.n_calibration}
    )


def describe_agreement(facts: Facts) -> str:
    rows = {row["view"]: row for row in table(facts, "agreement").rows}
    values = {
        "kappa": with_ends(rows.get("with_ties"), "conger_kappa"),
        "percent": written(rows["with_ties"]["percent"]) if "with_ties" in rows else UNDEFINED,
    }
    return _("Annotators agreed with a share of %(percent)s (Conger's κ %(kappa)s, ties included).") % values
