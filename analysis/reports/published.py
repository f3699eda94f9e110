"""The numbers printed in the publication of a protocol, beside the same numbers of one's own study.

`analysis/published.csv` has the numbers as printed in the publications that plug-ins name. Differences in method are
described under the table. A published generator is matched by
`Evidence.published_names`; other names are compared without regard to case, blanks, `_` and `-`.
"""

import csv
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from django.utils.translation import gettext as _

from analysis.choices import PUBLISHED
from analysis.codes import get_code_title
from analysis.formatting import count, format_with_interval
from analysis.frames.evidence import Evidence
from analysis.plugins import PublishedStudy, find_plugin
from analysis.published_names import fold_name, match_generators
from analysis.reports import tables
from analysis.reports.report import Report
from analysis.tables.spec import Row, Table
from analysis.words import name_code, name_evaluator
from studies.question_words import name_question, name_stage

ALL, SAMPLE = "all", "sample"  # all generators together; the sample of questions that model judges scored
FILE = Path(__file__).parent.parent / "published.csv"
# In the study's own tables: the columns of a column's interval ({} is low or high), and the column of a table's n.
ENDS = {"informativity": "informativity_{}", "alpha": "{}", "mean": "{}", "conger_kappa": "{}", "r": "{}"}
COUNTED = {"informativity": "n_read", "agreement_with_humans": "n_judgments", "alpha": "n_values",
           "generator_means": "n", "metric_means": "n", "ratings": "n", "metric_correlations": "n",
           "error_codes": "n"}  # fmt: skip
COUNTS_OF = {"n_read": "answerability"}  # counts that pages show only as the n of another number
LISTS_UNPUBLISHED = (
    "informativity",
    "agreement_with_humans",
    "generator_means",
)  # own rows are listed even if unpublished
RATED = ("n_1", "n_5")  # measures that are counts of items with this rating


@dataclass(frozen=True)
class PublishedNumber:
    """One published number: its table, row and column, and its group of annotators."""

    protocol: str
    group: str
    table: str
    row: tuple[tuple[str, str], ...]
    measure: str
    value: float
    low: float | None
    high: float | None
    n: int | None


@cache
def load_published_numbers() -> tuple[PublishedNumber, ...]:
    """All published numbers, in the order of the file."""
    with FILE.open(encoding="utf-8", newline="") as file:
        return tuple(parse_line(line) for line in csv.DictReader(file))


def parse_line(line: Mapping[str, str]) -> PublishedNumber:
    row = tuple((name, value) for name, _sign, value in (part.partition("=") for part in line["row"].split(";")))
    low, high = (float(line[end]) if line[end] else None for end in ("low", "high"))
    n = int(line["n"]) if line["n"] else None
    return PublishedNumber(
        line["protocol"], line["group"], line["table"], row, line["measure"], float(line["value"]), low, high, n
    )


def add_published(report: Report, evidence: Evidence) -> Report:
    """The report with one more table before its last, the description, if numbers of its protocol are published."""
    if find_plugin(evidence.study.protocol).published is None:
        return report
    found = compare_published(report, evidence)
    return replace(report, tables=(*report.tables[:-1], found, report.tables[-1]))


def compare_published(report: Report, evidence: Evidence) -> Table:
    """One row per published number, with the own number if there is one; then own rows that were not published."""
    protocol = evidence.study.protocol
    study = find_published_study(protocol)
    both = sorted(
        build_comparison_rows(report, evidence), key=lambda row: row["own"] is None
    )  # rows that can be compared come first
    rows = [*both, *list_own_only(report, evidence)]
    notes = (
        _("Published: %(source)s.") % {"source": _(study.source)},
        *map(_, study.differs),
        *describe_widths(report, protocol, evidence.choices.convention),
        _("–: this study has no such row."),
    )
    has_groups = any(each.group for each in load_published_numbers() if each.protocol == protocol)
    return tables.PUBLISHED.build(rows, notes=notes, hide=() if has_groups else ("group_said",))


def describe_widths(report: Report, protocol: str, convention: str) -> list[str]:
    """A sentence on the convention of the study's intervals, and on how many are wider than over single judgments."""
    names = dict.fromkeys(each.table for each in load_published_numbers() if each.protocol == protocol)
    intervals = [
        each for name in names for row in report.table(name).rows for each in row.get("intervals", {}).values()
    ]
    widths = ((measure_width(each[convention]), measure_width(each[PUBLISHED])) for each in intervals)
    both = [(own, theirs) for own, theirs in widths if own is not None and theirs is not None]
    if convention == PUBLISHED or not both:
        return []
    values = {"convention": name_code("convention", convention), "n": count(len(both))}
    values["wider"] = count(sum(own > theirs for own, theirs in both))
    sentence = _("This study's intervals: %(convention)s. Of the %(n)s intervals in these tables, %(wider)s "
             "are wider than intervals over single judgments.")  # fmt: skip
    return [sentence % values]


def measure_width(interval: Mapping[str, Any]) -> float | None:
    return None if interval["low"] is None else interval["high"] - interval["low"]


def build_comparison_rows(report: Report, evidence: Evidence) -> Iterator[dict[str, Any]]:
    names, n = map_to_own_generators(evidence), len(list_published_generators(evidence.study.protocol))
    for each in select_published_numbers(evidence):
        table = report.table(each.table)
        wanted = dict(each.row)
        own = find_own_row(table.rows, wanted, names, n)
        if own is None and each.table == "generator_means":
            own = find_own_row(table.rows, wanted | {"round": "1"}, names, n)
        yield build_comparison_row(each, table, own, evidence.study.protocol)


def map_to_own_generators(evidence: Evidence) -> dict[str, str]:
    """The study's own generator that matches each published generator, by name of the latter."""
    own = match_generators(
        list_published_generators(evidence.study.protocol), evidence.generators, evidence.published_names
    )
    return {published: name for name, published in own.items()}


def find_published_study(protocol: str) -> PublishedStudy:
    """The study in which the protocol was published; `KeyError` if it has no published numbers."""
    found = find_plugin(protocol).published
    if found is None:
        raise KeyError(protocol)
    return found


def list_published_generators(protocol: str) -> tuple[str, ...]:
    """The generators for which the publication printed numbers, in the order of the file."""
    named = (dict(each.row).get("generator", ALL) for each in load_published_numbers() if each.protocol == protocol)
    return tuple(dict.fromkeys(name for name in named if name != ALL))


def select_published_numbers(evidence: Evidence) -> list[PublishedNumber]:
    """The published numbers of the protocol; if they were published by language, those in the study's language, or in
    English."""
    mine = [each for each in load_published_numbers() if each.protocol == evidence.study.protocol]
    if not find_published_study(evidence.study.protocol).by_language:
        return mine
    groups = {each.group.partition(":")[0] for each in mine}
    language = evidence.study.language.partition("-")[0]
    wanted = language if language in groups else "en"
    return [each for each in mine if each.group.partition(":")[0] == wanted]


def find_own_row(rows: Sequence[Row], wanted: Mapping[str, str], names: Mapping[str, str], n: int) -> Row | None:
    """The study's own row with the `wanted` values; None if there is none.

    Without a wanted group, generator or source, the row for all of them. names: the study's own generator by published
    generator. n: how many generators have published numbers.
    """
    everything = {column: "" for column in ("group", "generator", "source") if rows and column in rows[0]}
    keys = {**everything, **wanted}
    if keys.get("dimension") and wanted.get("generator") == ALL:
        theirs = [row for row in rows if row["generator"] in names.values()]
        return average_generators(theirs, wanted, n)
    if (generator := wanted.get("generator", ALL)) != ALL:
        if generator not in names:
            return None
        rows = [row for row in rows if row["generator"] == names[generator]]
        del keys["generator"]
    return next((row for row in rows if all(is_same(row[name], value) for name, value in keys.items())), None)


def is_same(own: object, name: str) -> bool:
    return fold_name(str(own)) == fold_name(name)


def average_generators(rows: Sequence[Row], wanted: Mapping[str, str], n: int) -> Row | None:
    """The mean over the n published generators of their means on a dimension, if the study has all of them."""
    mine = [row for row in rows if all(is_same(row[name], wanted[name]) for name in ("dimension", "round"))]
    if len(mine) < n or any(row["mean"] is None for row in mine):
        return None
    mean = math.fsum(row["mean"] for row in mine) / len(mine)
    return {"mean": mean, "low": None, "high": None, "n": sum(row["n"] for row in mine), "round": mine[0]["round"]}


def build_comparison_row(each: PublishedNumber, table: Table, own: Row | None, protocol: str) -> dict[str, Any]:
    ours = build_own_values(own, table, each.measure, protocol)
    return {
        "table": each.table,
        "row": ", ".join(value for _name, value in each.row),
        "measure": each.measure,
        "group": each.group,
        "published": each.value,
        "published_low": each.low,
        "published_high": each.high,
        "published_n": each.n,
        **ours,
        "row_said": say_row(each.row, protocol),
        "group_said": name_group(each.group),
        "measure_said": name_measure(each.measure),
        "published_said": format_published(each.value, each.low, each.high, each.measure),
    } | name_other_round(each, own, ours["own_said"])


def name_other_round(each: PublishedNumber, own: Row | None, own_said: str) -> dict[str, str]:
    """The own number in words with its round, if that is not the published round; else nothing."""
    wanted = dict(each.row).get("round")
    if own is None or not wanted or str(own["round"]) == wanted:
        return {}
    round_text = _("round %(number)s") % {"number": own["round"]}
    return {"own_said": f"{own_said} ({round_text})"}


def list_own_only(report: Report, evidence: Evidence) -> Iterator[dict[str, Any]]:
    """Rows of the study's own generators and models that the published study did not have; of dimensions, only the
    average."""
    protocol, names = evidence.study.protocol, map_to_own_generators(evidence)
    kinds = dict.fromkeys((each.table, each.measure, tuple(name for name, _value in each.row))
                          for each in load_published_numbers() if each.protocol == protocol)  # fmt: skip
    known = {
        (each.table, each.measure, tuple(normalize_own(name, value, names) for name, value in each.row))
        for each in load_published_numbers()
    }
    for name, measure, names_of_row in kinds:
        if name not in LISTS_UNPUBLISHED:
            continue
        table = report.table(name)
        for own in table.rows:
            values = tuple(str(own[column]) for column in names_of_row)
            wanted = own.get("evaluator_kind") != "human" or own.get("evaluator") == "human"
            is_average = own.get("dimension", "average") == "average"
            is_beside = measure == "mean" and own["generator"] in names.values()  # whatever its round
            own_key = tuple(normalize_own(column, str(own[column])) for column in names_of_row)
            is_known = is_beside or (name, measure, own_key) in known
            if wanted and is_average and not is_known:
                yield {
                    **dict.fromkeys(tables.PUBLISHED.header), "table": name, "row": ", ".join(values),
                    "measure": measure, "group": "",
                    **build_own_values(own, table, measure, protocol), "published_said": "", "group_said": "",
                    "measure_said": name_measure(measure),
                    "row_said": say_row(tuple(zip(names_of_row, values, strict=True)), protocol),
                }  # fmt: skip


def normalize_own(column: str, value: str, names: Mapping[str, str] | None = None) -> str:
    """A name as it is compared: a published generator by the own generator that matches it."""
    if column == "generator":
        return (names or {}).get(value, value)
    return fold_name(value)


def build_own_values(own: Row | None, table: Table, measure: str, protocol: str) -> dict[str, Any]:
    """The columns of the own number: value, interval, n, reason, the number in words, and its cells in `table`."""
    if own is None:
        nothing = dict.fromkeys(("own", "own_low", "own_high", "own_n", "own_cell", "own_n_cell"))
        return nothing | {"reason": _("this study has no such row"), "own_said": "–"}
    ends = ENDS.get(measure)
    low, high = (own.get(ends.format(end)) if ends else None for end in ("low", "high"))
    reason = own.get("informativity_reason" if measure == "informativity" else "reason", "")
    n_column = COUNTED.get(table.name) or find_published_study(protocol).counted[table.name]
    return {
        "own": own[measure],
        "own_low": low,
        "own_high": high,
        "own_n": own[n_column],
        "own_cell": locate_cell(table, own, measure),
        "own_n_cell": locate_cell(table, own, COUNTS_OF.get(n_column, n_column)),
        "reason": reason if own[measure] is None else "",
        "own_said": format_published(own[measure], low, high, measure) or (reason if own[measure] is None else ""),
    }


def locate_cell(table: Table, row: Row, column: str) -> dict[str, str] | None:
    """The table, number and row of a cell, if it has drill-down."""
    try:
        shown = table.find_number(column)
    except KeyError:
        return None
    if not all(name in row for name in table.keys):  # a mean of several rows
        return None
    value = row[shown.name]
    is_empty = value is None or (isinstance(value, int) and not value)  # as `analysis.tables.page.has_answers`
    return None if is_empty else {"table": table.name, "number": column, "row": table.make_row_key(row)}


def format_published(value: float | None, low: float | None, high: float | None, measure: str) -> str:
    """The number with its interval, kept on one line."""
    if value is not None and measure in RATED:
        return count(int(value))
    return "" if value is None else format_with_interval(value, low, high).replace(" ", "\N{NO-BREAK SPACE}")


def name_measure(measure: str) -> str:
    words = {
        "informativity": _("informativity"),
        "kappa_unweighted": _("κ, unweighted"),
        "kappa": _("Cohen's κ"),
        "conger_kappa": _("Conger's κ"),
        "alpha": "α",
        "mean": _("mean"),
        "percent": _("percent agreement"),
        "n_1": _("ratings of 1, unusable"),
        "n_5": _("ratings of 5, perfect"),
        "r": _("Pearson's r"),
        "share_of_erroneous": _("share of erroneous items"),
    }
    return words[measure]


def name_group(group: str) -> str:
    return _("sample of questions") if group == SAMPLE else group


def say_items_by(generator: str) -> str:
    return _("all items") if generator == ALL else _("items by %(generator)s") % {"generator": generator}


def say_row(row: tuple[tuple[str, str], ...], protocol: str) -> str:
    """The names of a row in words."""
    words = {
        "generator": say_items_by,
        "evaluator": lambda value: _("answers by %(who)s") % {"who": name_evaluator(value)},
        "stage": name_stage,
        "view": lambda value: name_code("view", value),
        "category": name_question,
        "dimension": name_question,
        "coefficient": lambda value: "",
        "scope": lambda value: "",
        "code": lambda value: get_code_title(protocol, value),
        "round": lambda value: _("round %(number)s") % {"number": value},
    }
    return ", ".join(filter(None, (words.get(name, str)(value) for name, value in row)))


NAMED = 4  # rows that are named for each reason why rows are not comparable


@dataclass(frozen=True)
class NotComparable:
    """Numbers of one measure that cannot be compared for one reason: how many, and the names of a few."""

    measure: str
    n: int
    named: tuple[str, ...]
    reason: str

    @property
    def n_unnamed(self) -> int:
        return self.n - len(self.named)


def select_comparable(table: Table) -> Table:
    """The table limited to rows with both numbers."""
    return replace(table, rows=tuple(row for row in table.rows if is_comparable(row)))


def is_comparable(row: Row) -> bool:
    return row["published"] is not None and row["own"] is not None


def list_not_comparable(table: Table) -> Iterator[NotComparable]:
    """The rows that are not comparable, grouped by measure and reason, in the order of the table."""
    found: dict[tuple[str, str], list[str]] = {}
    for row in table.rows:
        if not is_comparable(row):
            found.setdefault((row["measure_said"], explain_row(row)), []).append(name_row(row))
    for (measure, reason), names in found.items():
        yield NotComparable(measure, len(names), tuple(dict.fromkeys(names))[:NAMED], reason)


def explain_row(row: Row) -> str:
    reason: str = row["reason"]
    return reason if row["published"] is not None else reason or _("not published")


def name_row(row: Row) -> str:
    """The row in words, with the published group if there are several."""
    return f"{row['row_said']} ({row['group_said']})" if row["group_said"] else str(row["row_said"])
