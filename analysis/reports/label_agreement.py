"""Agreement in tables of pairs of labels."""

from typing import Any

from django.utils.translation import gettext as _

from analysis.measures.agreement import cohen_kappa, gwet_ac1, percent_agreement
from analysis.measures.coefficients import category_counts, fleiss_kappa, table_ratings
from analysis.measures.types import IntArray


def measure_labels(table: IntArray) -> dict[str, Any]:
    """`tables.LABEL_AGREEMENT`: percent, κ, κ whichever came first, AC1, number of pairs, and why one is undefined."""
    at, times = table_ratings(table)
    order_free = fleiss_kappa(category_counts(at, len(table)), times=times)
    return {
        "percent": percent_agreement(table),
        "kappa": cohen_kappa(table),
        "kappa_order_free": order_free.value,
        "ac1": gwet_ac1(table),
        "n_pairs": table.sum(),
        "reason": _(order_free.reason) if order_free.reason else "",
    }
