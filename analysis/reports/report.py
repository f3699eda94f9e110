"""The parts of a report: tables, names of figures, sentences about the numbers, and checks."""

from dataclasses import dataclass, replace
from datetime import datetime

from django.utils.translation import gettext as _

from analysis.choices import ANNOTATORS, PUBLISHED, READERS
from analysis.formatting import count, say_texts
from analysis.frames.evidence import Evidence, repeat_by_item
from analysis.reports.evaluators import get_people
from analysis.tables.spec import Row, RowsOnDemand, Table


@dataclass(frozen=True)
class Check:
    """A check of the data: whether it passed, and a sentence about it."""

    passed: bool
    sentence: str


@dataclass(frozen=True)
class Report:
    """The whole report of one study under one set of choices. `scope`: sentences that hold for every table, such as who
    is included. `findings`: sentences beside the main result, each with the name of its table."""

    tables: tuple[Table, ...]
    sentences: tuple[str, ...]
    figures: tuple[str, ...]
    included: tuple[str, ...] = ()
    corrections: tuple[str, ...] = ()
    left_out: tuple[tuple[str, int], ...] = ()
    scope: tuple[str, ...] = ()
    n_responses: int = 0
    checks: tuple[Check, ...] = ()
    as_of: datetime | None = None  # set if the report is older than the current answers
    n_since: int = 0
    findings: tuple[tuple[str, str], ...] = ()

    def table(self, name: str) -> Table:
        """The table of that name; `KeyError` if the report has none."""
        return {table.name: table for table in self.tables}[name]


ADJUDICATED = "adjudicated"  # value of the column `answers`, which tables get if decisions replace answers
INTERVAL_TEXTS = 2  # with fewer there is no interval over texts
RATERS = 2  # with fewer people per item there is no agreement


def run_checks(evidence: Evidence) -> tuple[Check, ...]:
    """The checks, in a fixed order; none if there are no answers."""
    if evidence.frame.empty:
        return ()
    return (
        check_keys(evidence),
        check_left_out(evidence),
        check_texts(evidence),
        check_raters(evidence),
        check_items(evidence),
    )


def check_keys(evidence: Evidence) -> Check:
    n = len(evidence.corrections)
    if not n:
        return Check(True, _("No key was corrected after launch."))
    return Check(False, _("Keys corrected after launch: %(n)s. They count as they are now.") % {"n": count(n)})


def check_left_out(evidence: Evidence) -> Check:
    if not evidence.left_out:
        return Check(True, _("No pilot or simulated answers are left out."))
    words = {"pilot": _("of pilots"), "simulated": _("simulated"), "main": _("of the main part")}
    parts = ", ".join(f"{count(n)} {words.get(purpose, purpose)}" for purpose, n in evidence.left_out.items())
    return Check(False, _("Answers that are not included: %(parts)s.") % {"parts": parts})


def check_texts(evidence: Evidence) -> Check:
    n = evidence.frame["text_id"].nunique()
    if n < INTERVAL_TEXTS:
        return Check(False, _("All answers are about one text, so there are no intervals by texts."))
    return Check(True, _("Answers are about %(n)s texts, so there are intervals by texts.") % {"n": count(n)})


def check_raters(evidence: Evidence) -> Check:
    """Whether at least two people judged each item."""
    people = repeat_by_item(evidence, get_people(evidence).select_rows(evidence.frame))
    n = people.groupby("item_id")["annotator"].nunique().reindex(evidence.items["item_id"].unique(), fill_value=0)
    few = int((n < RATERS).sum())
    if people["annotator"].nunique() == 1:
        return Check(False, _("One person answered, so results say nothing about other people."))
    if not few:
        return Check(True, _("Every item has answers of at least two people."))
    sentence = _("%(few)s of %(all)s items have answers of fewer than two people, so agreement does not cover them.")
    return Check(False, sentence % {"few": count(few), "all": count(len(n))})


def check_items(evidence: Evidence) -> Check:
    """Whether each generator has as many items on each text as the others."""
    n = evidence.items.groupby(["text_id", "generator"]).size().unstack(fill_value=0)
    if (n.nunique(axis=1) == 1).all():
        return Check(True, _("Every generator has the same number of items on each text."))
    sentence = _("Generators have different numbers of items per text.")
    return Check(False, sentence)


def complete_report(report: Report, evidence: Evidence) -> Report:
    """The report with its scope, and with the notes and columns that every table needs."""
    choices, lines = evidence.choices, describe_scope(evidence)
    tables = [
        table.add_notes((*note_intervals(table, choices.convention), *lines, *evidence.corrections))
        for table in report.tables
    ]
    if choices.extra_purposes:
        tables = [table.add_column("included", ", ".join(choices.purposes)) for table in tables]
    if choices.adjudicated:
        tables = [table.add_column("answers", ADJUDICATED) for table in tables]
    return replace(
        report,
        tables=tuple(tables),
        included=choices.extra_purposes,
        corrections=evidence.corrections,
        left_out=tuple(evidence.left_out.items()),
        scope=tuple(lines),
        n_responses=len(evidence.frame),
        checks=run_checks(evidence),
    )


def note_intervals(table: Table, convention: str) -> list[str]:
    """The note on the convention of a table's intervals, if any of them depends on it."""
    is_without = isinstance(table.rows, RowsOnDemand) and "intervals" not in table.rows.columns
    if (
        is_without
        or not any(column.low for column in table.columns)
        or not any(depends_on_convention(row) for row in table.rows)
    ):
        return []
    return [note_convention(convention)]


def depends_on_convention(row: Row) -> bool:
    """Whether the intervals of a row depend on the convention."""
    return any(each[READERS] != each[PUBLISHED] for each in row.get("intervals", {}).values())


def note_convention(convention: str) -> str:
    """The note on a convention: what its intervals cover and how they are computed."""
    notes = {
        READERS: _("95 % intervals over readers and texts cover other readers and other texts (one t per "
                   "variance component); for models and baselines, other texts only. If an interval is "
                   "more than 1.5 times as wide as for these annotators only, the share of variance from "
                   "readers is shown below it."),
        ANNOTATORS: _("95 % intervals for these annotators only cover other texts: jackknife over texts "
                      "(t) with fewer than 40 texts, otherwise 10,000 bootstrap draws of texts."),
        PUBLISHED: _("95 % intervals as published: 10,000 draws of single judgments treated as "
                     "independent, or the formula of the publication."),
    }  # fmt: skip
    return notes[convention]


def say_different_texts(evidence: Evidence) -> str:
    """A sentence on the number of texts that people and models answered about, if these differ; else empty."""
    answered = evidence.frame[["kind", "text_id"]].drop_duplicates()
    people = set(answered[answered["kind"] == "human"]["text_id"])
    models = set(answered[answered["kind"] == "model"]["text_id"])
    if not people or not models or people == models:
        return ""
    numbers = {"people": say_texts(len(people)), "models": say_texts(len(models)), "both": len(people & models)}
    return _("People answered about %(people)s, models about %(models)s; both about %(both)d of them.") % numbers


def describe_scope(evidence: Evidence) -> list[str]:
    """Sentences on whose answers are included, if not simply everybody's main answers."""
    words = {"simulated": _("Simulated answers included."), "pilot": _("Pilot answers included.")}
    lines = [words[purpose] for purpose in evidence.choices.extra_purposes]
    if evidence.choices.adjudicated:
        lines.append(_("Adjudicated: decisions replace people's answers, and excluded answers are left out."))
    if evidence.choices.shared_texts:
        n = say_texts(evidence.texts["text_id"].nunique())
        lines.append(_("Only texts that people and all models answered: %(texts)s.") % {"texts": n})
    if sentence := say_different_texts(evidence):
        lines.append(sentence)
    if evidence.choices.groups is not None:
        lines.append(_("Only people of: %(groups)s.") % {"groups": ", ".join(evidence.choices.groups)})
    return lines
