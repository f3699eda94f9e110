"""Behind the numbers about what experts and researchers said of dimension ratings: verdicts, and items with errors."""

import pandas as pd
from django.utils.translation import gettext as _

from analysis.formatting import count, number
from analysis.frames.evidence import Evidence
from analysis.protocols.dimension_ratings.rows_of_items import item_table
from analysis.reports.error_codes import ALL, coded_items
from analysis.tables.spec import Row, Shown, Table
from studies.protocols.dimension_ratings.declaration import RIGHT


def of_experts(evidence: Evidence, row: Row, column: str) -> Table:
    """The verdicts of one expert on a dimension."""
    verdicts = evidence.verdicts
    mine = verdicts[(verdicts["annotator"] == row["expert"]) & (verdicts["question"] == row["dimension"])]
    found = pd.DataFrame({"expert": mine["annotator"], "dimension": mine["question"], "right": mine["value"] == RIGHT})
    shown = (
        Shown(_("Expert"), "expert"),
        Shown(_("Dimension"), "dimension", "question"),
        Shown(_("Right"), "right", "truth"),
    )
    return item_table(evidence, found.set_index(mine["item_id"]), shown)


def of_codes(evidence: Evidence, row: Row, column: str) -> Table:
    """The items with the code; for shares all items of the generator, or those of them that have any error."""
    items = (
        evidence.items if row["generator"] == ALL else evidence.items[evidence.items["generator"] == row["generator"]]
    )
    coded = coded_items(evidence)
    errors = [coded.get(item, set()) for item in items["item_id"]]
    found = pd.DataFrame(
        {"codes": [", ".join(sorted(each)) for each in errors], "has_code": [row["code"] in each for each in errors]},
        index=pd.Index(items["item_id"]),
    )
    kept = {"n": found["has_code"], "share_of_erroneous": found["codes"] != ""}
    rows = found[kept[column]] if column in kept else found
    shown = (Shown(_("Codes"), "codes"), Shown(row["code"], "has_code", "truth"))
    return item_table(evidence, rows, shown, share_said(rows))


def share_said(rows: pd.DataFrame) -> tuple[str, ...]:
    if rows.empty:
        return ()
    n = int(rows["has_code"].sum())
    said = {"n": count(n), "all": count(len(rows)), "share": number(n / len(rows))}
    return (_("%(n)s of %(all)s items have the code, %(share)s") % said,)


SOURCES = {"expert_check": of_experts, "error_codes": of_codes}
