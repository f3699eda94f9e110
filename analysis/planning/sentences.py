"""What a plan would give, in words: the study's own size first, then what more texts or annotators would buy."""

from django.utils.translation import gettext as _

from analysis.formatting import number
from analysis.planning.outlook import PEOPLE_TEXTS, AssumedPlan, own_row, percent
from analysis.tables.spec import Table


def sentences(assumed: AssumedPlan, table: Table) -> list[str]:
    own = own_row(table)
    if own["power"] is None:
        return [_("A plan of this size gives no interval: it needs at least two texts that are guessed and read.")]
    return [assumed.sentence(own), *(said for axis in assumed.axes if (said := describe_doubling(table, axis)))]


def describe_doubling(table: Table, axis: str) -> str:
    """What twice as many of something would give; of texts with people what models on all texts would."""
    own = own_row(table)
    size = own["texts"] if axis == PEOPLE_TEXTS else 2 * own[axis]
    row = next((row for row in table.rows if row["axis"] == axis and row["size"] == size), None)
    if row is None or row["power"] is None:
        return ""
    words = {
        "texts": _("With twice the texts: %(power)s of the studies, an interval %(width)s wide."),
        PEOPLE_TEXTS: _(
            "With models on all texts that agree with people by r = %(r)s: %(power)s of the studies, an interval "
            "%(width)s wide."
        ),
        "annotators": _("With twice the annotators: %(power)s of the studies, an interval %(width)s wide."),
        "items": _("With twice the items: %(power)s of the studies, an interval %(width)s wide."),
        "judgments": _(
            "With twice the judgments on the same texts: %(power)s of the studies, an interval %(width)s wide."
        ),
    }
    said = {"power": percent(row["power"]), "width": number(row["width"]), "r": number(row.get("r") or 0)}
    return words[axis] % said
