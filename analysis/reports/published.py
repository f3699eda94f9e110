"""The figures that the study printed from which a protocol comes, beside the same ones of one's own study.

The numbers are facts of the publications named in `SOURCES`, as printed there; `analysis/published.csv` holds those
that the table needs. What differs in method stands under the table in words.
"""

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from analysis.codes import title_of
from analysis.evidence import Evidence
from analysis.formatting import count, with_interval
from analysis.report import Report
from analysis.tables import Row, Shown, Table, make_table
from analysis.words import evaluator_word, view_word
from studies.question_words import question_word, stage_word

NAME = "published"
FILE = Path(__file__).parent.parent / "published.csv"
COLUMNS = (
    "table", "row", "measure", "group", "published", "published_low", "published_high", "published_n", "own", "own_low",
    "own_high", "own_n", "reason",
)  # fmt: skip
SOURCES = {
    "guess-then-read": "Säuberli & Clematide (2024), Automatic Generation and Evaluation of Reading Comprehension Test "
    "Items with Large Language Models",
    "dimension-ratings": "Fu et al. (2024), QGEval: Benchmarking Multi-dimensional Evaluation for Question Generation",
    "stopping-questionnaire": "Horbach et al. (2020), Linguistic Appropriateness and Pedagogic Usefulness of Reading "
    "Comprehension Questions",
    "pairwise": gettext_noop("a study of four generators on 55 school texts (2025)"),
}
# Column of the ends of the interval, and of n, of an own table.
ENDS = {"informativity": "informativity_{}", "alpha": "{}", "mean": "{}", "conger_kappa": "{}", "r": "{}"}
COUNTED = {"informativity": "n_read", "agreement_with_humans": "n_judgments", "alpha": "n_values",
           "generator_means": "n", "ratings": "n", "metric_correlations": "n", "error_codes": "n"}  # fmt: skip
COUNTS_OF = {"n_read": "answerability"}  # of which shown number a count is the n, where it is not shown itself
ALONE = ("informativity", "agreement_with_humans", "generator_means")  # tables whose own rows are listed without others
RATED = ("n_1", "n_5")  # measures that are counts
PAIRS = {"stopping-questionnaire": "n_pairs", "pairwise": "n_units"}
DIFFERS = {
    "guess-then-read": (
        gettext_noop("Published intervals draw single judgments; the default here draws texts, which is wider. Choose "
                     "the published convention above to compare widths."),
        gettext_noop("Published were 10 texts for 6 people and 50 for models; here each row is over the texts that its "
                     "answers are about. κ is the unweighted mean over pairs, as printed, for people the mean of each "
                     "person's mean."),
        gettext_noop("Published n are about so many judgments with the text, as the printed intervals imply; of "
                     "ratings so many for each generator."),
        gettext_noop("The published reading of models' probabilities used thresholds chosen on other texts, and one "
                     "option a call."),
    ),
    "dimension-ratings": (
        gettext_noop("Published α is at interval level, over 3,000 questions and 3 annotators who rated everything. "
                     "Round 2 was printed after the annotators had seen disagreements: it is no reliability."),
        gettext_noop("Published means are of round 2 on a scale of 1 to 3; on another scale only the order of "
                     "generators compares. No intervals were printed. Where this study has no second round, its "
                     "own means are those of round 1, and say so."),
        gettext_noop("Published correlations with metrics are Pearson's over all 3,000 questions; error codes are "
                     "shares of 42 erroneous ones among 100 questions looked at."),
    ),
    "stopping-questionnaire": (
        gettext_noop("Published are two annotations a question in each group of annotators, and no intervals; κ is "
                     "Cohen's on first and second annotation."),
        gettext_noop("View all: a category that somebody did not get to is a label of its own. View applicable: both "
                     "got to it. The published domain was biology; another domain, or edited questions, are another "
                     "questionnaire."),
    ),
    "pairwise": (
        gettext_noop("Published are five annotators on the 150 pairs of a calibration; intervals take pairs as "
                     "independent, the default here draws texts."),
        gettext_noop("That pairs were dropped without ties if anybody called a tie is inferred from their printed "
                     "number."),
    ),
}  # fmt: skip


@dataclass(frozen=True)
class Printed:
    """One published number: of which table, row and column, and of which group of annotators."""

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
def printed() -> tuple[Printed, ...]:
    """All of them, in the order of the file."""
    with FILE.open(encoding="utf-8", newline="") as file:
        return tuple(parsed(line) for line in csv.DictReader(file))


def parsed(line: Mapping[str, str]) -> Printed:
    row = tuple((name, value) for name, _sign, value in (part.partition("=") for part in line["row"].split(";")))
    low, high = (float(line[end]) if line[end] else None for end in ("low", "high"))
    n = int(line["n"]) if line["n"] else None
    return Printed(
        line["protocol"], line["group"], line["table"], row, line["measure"], float(line["value"]), low, high, n
    )


def with_published(report: Report, evidence: Evidence) -> Report:
    """With one more table at the end, before the description, if numbers of the protocol are published."""
    if evidence.study.protocol not in SOURCES:
        return report
    found = published(report, evidence)
    return replace(report, tables=(*report.tables[:-1], found, report.tables[-1]))


def published(report: Report, evidence: Evidence) -> Table:
    """One row per published number, with one's own where there is such a row; then own rows that nobody published."""
    protocol = evidence.study.protocol
    both = sorted(beside(report, evidence), key=lambda row: row["own"] is None)  # what can be compared comes first
    rows = [*both, *own_only(report, protocol)]
    notes = (
        _("Published: %(source)s.") % {"source": _(SOURCES[protocol])},
        *map(_, DIFFERS[protocol]),
        _("–: this study has no such row."),
    )
    title = _("Published beside recomputed")
    return make_table(NAME, COLUMNS, rows, title=title, notes=notes, shown=shown(protocol))


def beside(report: Report, evidence: Evidence) -> Iterator[dict[str, Any]]:
    for each in chosen(evidence):
        table = report.table(each.table)
        own = find(table.rows, each.row)
        if own is None and each.table == "generator_means":
            own = find(table.rows, tuple((name, "1" if name == "round" else value) for name, value in each.row))
        yield row_of(each, table, own, evidence.study.protocol)


def chosen(evidence: Evidence) -> list[Printed]:
    """The numbers of the protocol; of the questionnaire those in the study's language, or else in English."""
    mine = [each for each in printed() if each.protocol == evidence.study.protocol]
    groups = {each.group.partition(":")[0] for each in mine}
    language = evidence.study.language.partition("-")[0]
    wanted = language if language in groups else "en"
    return [each for each in mine if each.group.partition(":")[0] in ("", wanted)]


def find(rows: Sequence[Row], wanted: tuple[tuple[str, str], ...]) -> Row | None:
    """The own row of that name, whatever its capitals; of all groups, generators and sources where nothing is said."""
    named = dict(wanted)
    everything = {column: "" for column in ("group", "generator", "source") if rows and column in rows[0]}
    keys = everything | named
    return next((row for row in rows if all(same(row[name], value) for name, value in keys.items())), None)


def same(own: object, name: str) -> bool:
    return str(own).casefold() == name.casefold()


def row_of(each: Printed, table: Table, own: Row | None, protocol: str) -> dict[str, Any]:
    ours = own_values(own, table, each.measure, protocol)
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
        "row_said": said_of(each.row),
        "measure_said": measure_word(each.measure),
        "published_said": said(each.value, each.low, each.high, each.measure),
    } | first_round(each, own, ours["own_said"])


def first_round(each: Printed, own: Row | None, own_said: str) -> dict[str, str]:
    """The own number says its round where that is not the published one."""
    wanted = dict(each.row).get("round")
    if own is None or not wanted or str(own["round"]) == wanted:
        return {}
    said_round = _("round %(number)s") % {"number": own["round"]}
    return {"own_said": f"{own_said} ({said_round})"}


def own_only(report: Report, protocol: str) -> Iterator[dict[str, Any]]:
    """Own generators, models and dimensions that the published study did not have."""
    kinds = dict.fromkeys((each.table, each.measure, tuple(name for name, _value in each.row))
                          for each in printed() if each.protocol == protocol)  # fmt: skip
    known = {(each.table, each.measure, tuple(value.casefold() for _name, value in each.row)) for each in printed()}
    generators = {dict(each.row)["generator"].casefold() for each in printed() if each.measure == "mean"}
    for name, measure, names in kinds:
        if name not in ALONE:
            continue
        table = report.table(name)
        for own in table.rows:
            values = tuple(str(own[name]) for name in names)
            wanted = own.get("evaluator_kind") != "human" or own.get("evaluator") == "human"
            is_average = own.get("dimension", "average") == "average"
            is_beside = measure == "mean" and own["generator"].casefold() in generators  # whatever its round
            is_known = is_beside or (name, measure, tuple(map(str.casefold, values))) in known
            if wanted and is_average and not is_known:
                yield {
                    **dict.fromkeys(COLUMNS), "table": name, "row": ", ".join(values), "measure": measure, "group": "",
                    **own_values(own, table, measure, protocol), "published_said": "",
                    "measure_said": measure_word(measure), "row_said": said_of(tuple(zip(names, values, strict=True))),
                }  # fmt: skip


def own_values(own: Row | None, table: Table, measure: str, protocol: str) -> dict[str, Any]:
    """own, own_low, own_high, own_n, reason, the own number in words, and of which cells of `table` they are."""
    if own is None:
        nothing = dict.fromkeys(("own", "own_low", "own_high", "own_n", "own_cell", "own_n_cell"))
        return nothing | {"reason": _("this study has no such row"), "own_said": "–"}
    ends = ENDS.get(measure)
    low, high = (own[ends.format(end)] if ends else None for end in ("low", "high"))
    reason = own.get("informativity_reason" if measure == "informativity" else "reason", "")
    n_column = COUNTED.get(table.name) or PAIRS[protocol]
    return {
        "own": own[measure],
        "own_low": low,
        "own_high": high,
        "own_n": own[n_column],
        "own_cell": cell_named(table, own, measure),
        "own_n_cell": cell_named(table, own, COUNTS_OF.get(n_column, n_column)),
        "reason": reason if own[measure] is None else "",
        "own_said": said(own[measure], low, high, measure) or (reason if own[measure] is None else ""),
    }


def cell_named(table: Table, row: Row, column: str) -> dict[str, str] | None:
    """Table, number and row of a cell, if answers stand behind it."""
    try:
        shown = table.column_shown(column)
    except KeyError:
        return None
    value = row[shown.value]
    is_empty = value is None or (isinstance(value, int) and not value)  # as `analysis.pages.leads`
    return None if is_empty else {"table": table.name, "number": column, "row": table.key(row)}


def said(value: float | None, low: float | None, high: float | None, measure: str) -> str:
    """The number with its interval, in one piece: a line does not break in it."""
    if value is not None and measure in RATED:
        return count(int(value))
    return "" if value is None else with_interval(value, low, high).replace(" ", "\N{NO-BREAK SPACE}")


def measure_word(measure: str) -> str:
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


def items_by(generator: str) -> str:
    return _("all items") if generator == "all" else _("items by %(generator)s") % {"generator": generator}


def said_of(row: tuple[tuple[str, str], ...]) -> str:
    """The names of a row in words."""
    words = {
        "generator": items_by,
        "evaluator": lambda value: _("answers by %(who)s") % {"who": evaluator_word(value)},
        "stage": stage_word,
        "view": view_word,
        "category": question_word,
        "dimension": question_word,
        "coefficient": lambda value: "",
        "scope": lambda value: "",
        "code": lambda value: title_of("dimension-ratings", value),
        "round": lambda value: _("round %(number)s") % {"number": value},
    }
    return ", ".join(filter(None, (words.get(name, str)(value) for name, value in row)))


def shown(protocol: str) -> tuple[Shown, ...]:
    groups = (Shown(_("Published group"), "group"),) if protocol == "stopping-questionnaire" else ()
    return (
        Shown(_("What it is of"), "row_said"),
        Shown(_("Measure"), "measure_said"),
        *groups,
        Shown(_("Published"), "published_said"),
        Shown(_("Published n"), "published_n", "optional"),
        Shown(_("This study"), "own_said", cell="own_cell"),
        Shown(_("This study's n"), "own_n", "optional", cell="own_n_cell"),
    )
