"""The report of a writing study: items written, minutes spent, verdicts of the review, and the items themselves."""

from collections.abc import Iterable
from statistics import median
from typing import Any

import pandas as pd
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from analysis.figures.paper import Bar, Bars
from analysis.formatting import count, format_figure, say_items, say_of_people, say_of_texts
from analysis.frames.evidence import Evidence
from analysis.protocols.writing.tables import TABLES, WRITING, WRITTEN_ITEMS
from analysis.reports.description import build_description, build_variants
from analysis.reports.drill_down import COUNTED, list_counted, list_rows
from analysis.reports.evaluators import get_people
from analysis.reports.outcome import Outcome, find_rows
from analysis.reports.report import Report
from analysis.tables.spec import Row, Table, TableSpec
from analysis.words import name_code
from items.plain import count_words
from studies.models import Verdict
from studies.services.written_items import WrittenItem, list_written_items

ALL = ""  # value of the column `group` in the row for all people


def build_report(evidence: Evidence) -> Report:
    """The report on the chosen people, in the chosen purposes."""
    found = list_written_by_people(evidence)
    minutes = build_variants(evidence, lambda mine: iter(()))
    tables = (build_counts(evidence, found), *minutes, build_items(found), build_description(evidence))
    return Report(tables, tuple(list_sentences(found)), ())


def list_written_by_people(evidence: Evidence, group: str = ALL) -> list[WrittenItem]:
    """The items written by the chosen people, or by those of one group."""
    codes = get_people(evidence).codes
    found = list_written_items(evidence.study, evidence.choices.purposes)
    return [each for each in found if each.annotator in codes and group in (ALL, each.group)]


def list_sentences(found: list[WrittenItem]) -> list[str]:
    if not found:
        return []
    waiting = sum(not each.verdict for each in found)
    sentence = ngettext("%(n)d item was written; %(waiting)d still to be reviewed.",
                    "%(n)d items were written; %(waiting)d still to be reviewed.", len(found))  # fmt: skip
    return [sentence % {"n": len(found), "waiting": waiting}]


def build_counts(evidence: Evidence, found: list[WrittenItem]) -> Table:
    """Items written and verdicts on them: a row for all people, then one per group if there are several."""
    groups = sorted({each.group for each in found} - {ALL})
    chosen = [ALL, *(groups if len(groups) > 1 else [])]
    rows = [build_counts_row(group, [each for each in found if group in (ALL, each.group)]) for group in chosen]
    return WRITING.build(rows)


def build_counts_row(group: str, found: list[WrittenItem]) -> dict[str, Any]:
    # The minutes on a text count once per annotator, however many items they wrote about it.
    times = {(each.annotator, each.text.pk): each.minutes for each in found if each.minutes is not None}
    verdicts = [each.verdict for each in found]
    return {
        "group": group,
        "n_annotators": len({each.annotator for each in found}),
        "n_texts": len({each.text.pk for each in found}),
        "n_items": len(found),
        "n_accepted": verdicts.count(Verdict.ACCEPTED),
        "n_repaired": verdicts.count(Verdict.REPAIRED),
        "n_rejected": verdicts.count(Verdict.REJECTED),
        "n_waiting": verdicts.count(""),
        "words_per_stem": sum(count_words(each.values.stem) for each in found) / len(found) if found else None,
        "minutes_per_text": median(times.values()) if times else None,
        "n": len(times),
        "reason": "" if times else _("no times are known"),
    }


def build_items(found: Iterable[WrittenItem]) -> Table:
    """One row per item, as it was written; keys and distractors have one option per line."""
    rows = [
        {
            "text_id": each.text.external_id,
            "annotator": each.annotator,
            "group": each.group,
            "part": each.part,
            "stem": each.values.stem,
            "keys": "\n".join(option.text for option in each.values.options if option.correct),
            "distractors": "\n".join(option.text for option in each.values.options if not option.correct),
            "expected_answer": each.values.expected_answer,
            "minutes": each.minutes,
            "verdict": each.verdict,
            "item_id": each.review.item.external_id if each.review and each.review.item else "",
        }
        for each in found
    ]
    return WRITTEN_ITEMS.build(rows)


# Drill-down from the counts of a writing study to the items as they were written, or to the minutes per text.

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
            for each in list_written_by_people(evidence, row["group"])
        ]
    )
    if column in VERDICTS:
        found = found[found["verdict"] == VERDICTS[column]]
    elif column == "minutes_per_text":  # the minutes on a text count once per annotator
        texts = found.drop_duplicates(["annotator", "text_id"]).dropna(subset="minutes")
        return list_rows(evidence, texts, TEXT, _("The minutes"))
    elif column in COUNTED and column != "n_items":
        return list_counted(evidence, found, column)
    return list_rows(evidence, found, ITEM, _("The items"))


# The main result of a writing study: how many items were written, and what became of them.

DECIDED = ("n_accepted", "n_repaired", "n_rejected", "n_waiting")


def summarize(report: Report, _estimand: str) -> Outcome | None:
    rows = find_rows(report, "writing")
    if not rows or not rows[0]["n_items"]:
        return None
    total = rows[0]  # of all people
    waiting = ngettext("%(n)s waits for review.", "%(n)s wait for review.", total["n_waiting"])
    sentence = _("%(items)s written by %(people)s on %(texts)s.") % {
        "items": say_items(total["n_items"]),
        "people": say_of_people(total["n_annotators"]),
        "texts": say_of_texts(total["n_texts"]),
    }
    parts = (_("accepted"), _("repaired"), _("rejected"), _("waiting"))
    bars = tuple(
        Bar(name_code("group", row["group"]), tuple(row[name] for name in DECIDED), say_items(row["n_items"]))
        for row in rows
    )
    return Outcome(
        title=_("What became of the items"),
        standings=(),
        figure=Bars(bars, parts, _("percent of items; numbers are items")),
        verdict=f"{sentence} {waiting % {'n': count(total['n_waiting'])}}" if total["n_waiting"] else sentence,
        summary=say_minutes(total["minutes_per_text"]),
        tables=("writing", "written_items"),
        n_waiting=total["n_waiting"],
    )


def say_minutes(median: float | None) -> str:
    if not median:
        return ""
    if median < 1:
        return _("The median text took less than a minute.")
    return _("The median text took %(minutes)s minutes.") % {"minutes": format_figure(median)}
