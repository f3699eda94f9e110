"""Agreement in tables of pairs of labels: what is measured, and the columns that show it."""

from django.utils.translation import gettext as _

from analysis.measures.agreement import cohen_kappa, gwet_ac1, percent_agreement
from analysis.measures.coefficients import category_counts, fleiss_kappa, table_ratings
from analysis.measures.types import IntArray
from analysis.tables.spec import Shown


def measured(table: IntArray) -> tuple[float, float, float, float, int, str]:
    """percent, κ, κ whichever came first, AC1, number of pairs, and why something is undefined."""
    at, times = table_ratings(table)
    order_free = fleiss_kappa(category_counts(at, len(table)), times=times)
    return (
        float(percent_agreement(table)),
        float(cohen_kappa(table)),
        order_free.value,
        float(gwet_ac1(table)),
        int(table.sum()),
        _(order_free.reason) if order_free.reason else "",
    )


def agreement_columns(kappa: str) -> tuple[Shown, ...]:
    """The columns of what `measured` gives; `kappa` names the annotators that κ compares."""
    return (
        Shown(_("Percent agreement"), "percent", "number", reason="reason", about=_("share of pairs that are alike")),
        Shown(_("Cohen's κ"), "kappa", "number", reason="reason", about=kappa),
        Shown(
            _("Fleiss' κ"), "kappa_order_free", "number", reason="reason",
            about=_("κ with one distribution of labels for all, whoever came first"),
        ),
        Shown(
            _("AC1"), "ac1", "number", reason="reason", about=_("Gwet's AC1, robust to very unequal labels")
        ),
        Shown(_("Pairs"), "n_pairs", "count", about=_("pairs of judgments of one item")),
    )  # fmt: skip
