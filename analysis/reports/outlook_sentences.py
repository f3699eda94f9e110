"""What a plan would give, in words: the study's own size first, then what more texts or annotators would buy."""

from django.utils.translation import gettext as _

from analysis.formatting import count, number
from analysis.reports.outlook import GuessPlan, PairPlan, own_row
from analysis.tables import Row, Table


def sentences(assumed: GuessPlan | PairPlan, table: Table) -> list[str]:
    own = own_row(table)
    if own["power"] is None:
        return [_("A plan of this size gives no interval: it needs at least two texts that are guessed and read.")]
    others = [said for axis in axes_of(assumed) if (said := doubled(table, axis))]
    return [sentence_of_pairs(assumed, own) if isinstance(assumed, PairPlan) else of_guesses(assumed, own), *others]


def axes_of(assumed: GuessPlan | PairPlan) -> tuple[str, ...]:
    return ("texts", "judgments") if isinstance(assumed, PairPlan) else ("texts", "annotators", "items")


def of_guesses(assumed: GuessPlan, own: Row) -> str:
    return _(
        "With %(texts)s texts, each done by %(annotators)s annotators, %(power)s of such studies would see a difference"
        " of %(difference)s in informativity. The interval of one generator's informativity would be %(width)s wide."
    ) % {
        "texts": count(own["texts"]),
        "annotators": count(own["annotators"]),
        "power": percent(own["power"]),
        "difference": number(assumed.difference),
        "width": number(own["width"]),
    }


def sentence_of_pairs(assumed: PairPlan, own: Row) -> str:
    return _(
        "With %(texts)s texts and %(judgments)s untied judgments of a pair of generators on each, %(power)s of such"
        " studies would see that one is preferred, if it is preferred in %(share)s. The interval of that share would be"
        " %(width)s wide."
    ) % {
        "texts": count(own["texts"]),
        "judgments": count(own["judgments"]),
        "power": percent(own["power"]),
        "share": percent(assumed.share),
        "width": number(own["width"]),
    }


def doubled(table: Table, axis: str) -> str:
    """What twice as many of something would give."""
    own = own_row(table)
    row = next((row for row in table.rows if row["axis"] == axis and row["size"] == 2 * own[axis]), None)
    if row is None or row["power"] is None:
        return ""
    words = {
        "texts": _("Twice the texts: %(power)s, %(width)s wide."),
        "annotators": _("Twice the annotators: %(power)s, %(width)s wide."),
        "items": _("Twice the items: %(power)s, %(width)s wide."),
        "judgments": _("Twice the judgments on the same texts: %(power)s, %(width)s wide."),
    }
    return words[axis] % {"power": percent(row["power"]), "width": number(row["width"])}


def percent(share: float) -> str:
    return _("%(n)s %%") % {"n": round(100 * share)}
