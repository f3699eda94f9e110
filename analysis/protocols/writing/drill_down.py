"""Behind the counts of a writing study: the items as they were written, and the minutes that texts took."""

import pandas as pd
from django.utils.translation import gettext as _

from analysis.frames.evidence import Evidence
from analysis.protocols.writing.report import written_by_people
from analysis.protocols.writing.tables import TABLES, WRITING
from analysis.reports.drill_down import COUNTED, list_counted, list_rows
from analysis.tables.spec import Row, Table, TableSpec
from items.plain import count_words
from studies.models import Verdict

ITEM = ("text_id", "annotator", "group", "part", "stem", "words", "minutes", "verdict")
TEXT = ("text_id", "annotator", "minutes")
VERDICTS = {
    "n_accepted": Verdict.ACCEPTED, "n_repaired": Verdict.REPAIRED, "n_rejected": Verdict.REJECTED, "n_waiting": "",
}  # fmt: skip


def list_tables() -> tuple[TableSpec, ...]:
    return TABLES


@WRITING.drill_down
def list_written(evidence: Evidence, row: Row, column: str) -> Table:
    found = pd.DataFrame(
        [
            {
                "text_id": each.text.external_id,
                "annotator": each.annotator,
                "group": each.group,
                "part": each.part,
                "stem": each.values.stem,
                "words": count_words(each.values.stem),
                "minutes": each.minutes,
                "verdict": each.verdict,
            }
            for each in written_by_people(evidence, row["group"])
        ]
    )
    if column in VERDICTS:
        found = found[found["verdict"] == VERDICTS[column]]
    elif column == "minutes_per_text":  # a text of an annotator has its minutes once
        texts = found.drop_duplicates(["annotator", "text_id"]).dropna(subset="minutes")
        return list_rows(evidence, texts, TEXT, _("The minutes"))
    elif column in COUNTED and column != "n_items":
        return list_counted(evidence, found, column)
    return list_rows(evidence, found, ITEM, _("The items"))
