"""Behind the table of a study's variants: the people of a variant, the minutes they took, and what they answered."""

from django.utils.translation import gettext as _

from analysis.frames.evidence import Evidence
from analysis.reports.behind.listing import listed
from analysis.reports.variants import MINUTES, PEOPLE, of_variant
from analysis.tables.spec import Row, Table

ANSWERS = ("text_id", "item_id", "annotator", "stage", "question", "value")


def variants(evidence: Evidence, row: Row, column: str) -> Table:
    mine = of_variant(evidence, row["variant"])
    if row["measure"] == PEOPLE:
        n = mine.frame.groupby("annotator").size()
        people = mine.annotators.assign(n_answers=mine.annotators["annotator"].map(n).fillna(0).astype(int))
        return listed(evidence, people, ("annotator", "group", "n_answers"), _("The annotators"))
    if row["measure"] == MINUTES:
        return listed(evidence, mine.times, ("text_id", "annotator", "stage", "minutes"), _("The minutes"))
    first = mine.every_round[mine.every_round["round"] == 1]
    answers = first if row["measure"] == "alpha" else mine.frame  # α is of the first round, before any discussion
    return listed(evidence, answers[answers["question"] == row["category"]], ANSWERS, _("The answers"))


SOURCES = {"variants": variants}
