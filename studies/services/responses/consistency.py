"""Contradictions between rows of an import, beyond one item: about their annotator, and about other items."""

from collections.abc import Hashable, Iterator
from operator import attrgetter

from django.utils.translation import gettext as _

from studies.protocols import Declaration
from studies.services.responses.checks import ItemAnswer
from studies.services.responses.rows import Row, RowProblem

SAME_EVERYWHERE = ("kind", "group", "person", "purpose", "model", "reading")


def find_annotator_conflicts(rows: list[Row]) -> list[RowProblem]:
    """Rows that contradict the first row of their annotator in what they say about the annotator."""
    first: dict[str, Row] = {}
    read = attrgetter(*SAME_EVERYWHERE)
    return [
        problem
        for row in rows
        if read(row) != read(seen := first.setdefault(row.annotator, row))
        for problem in explain_annotator_conflicts(row, seen)
    ]


def explain_annotator_conflicts(row: Row, seen: Row) -> Iterator[RowProblem]:
    for name in SAME_EVERYWHERE:
        here, there = getattr(row, name), getattr(seen, name)
        if here != there:
            values = {"who": row.annotator, "here": here, "there": there, "line": seen.line}
            reason = _("%(who)s is “%(here)s” here, but “%(there)s” in line %(line)d.") % values
            yield RowProblem(row.line, "annotator_kind" if name == "kind" else name, reason)


def find_missing_reads(rows: list[Row], answered: list[ItemAnswer], declaration: Declaration) -> list[RowProblem]:
    """People's answers to an item in a stage, if the stage that must follow has no answer to it.

    Invalid rows of that stage count as answers, as they are reported elsewhere.
    """
    there = {(row.annotator, row.round, row.item_label, row.stage) for row in rows}
    problems = []
    for found in answered:
        row, following = found.rows[0], declaration.stage_after(found.stage.name)
        if not found.by_person or not following or (row.annotator, row.round, row.item_label, following.name) in there:
            continue
        values = {"who": row.annotator, "item": row.item_label, "here": found.stage.name, "later": following.name}
        reason = _(
            "%(who)s answered item “%(item)s” in %(here)s, but not in %(later)s. Add the missing rows, or import what"
            " there is (--partial)."
        )
        problems.append(RowProblem(row.line, "stage", reason % values))
    return problems


def is_first_round_unknown(rows: list[Row]) -> bool:
    """Whether people's answers are all of a later round: then the file has only the state after that round."""
    rounds = {row.round for row in rows if row.kind == "human"}
    return bool(rounds) and 1 not in rounds


def find_baseless_rounds(rows: list[Row]) -> list[RowProblem]:
    """Answers of a later round to questions that were not answered in the first: later rounds only reopen answers.

    No error if people's first round is unknown as a whole.
    """
    if is_first_round_unknown(rows):
        return []
    first = {(row.annotator, row.item_label, row.option_id, row.question) for row in rows if row.round == 1}
    return [
        RowProblem(row.line, "round", _("This was not answered in round 1, so round 2 cannot have reopened it."))
        for row in rows
        if row.round > 1 and (row.annotator, row.item_label, row.option_id, row.question) not in first
    ]


def find_baseless_verdicts(rows: list[Row], declaration: Declaration) -> list[RowProblem]:
    """Experts' verdicts on answers that nobody gave."""
    check = declaration.check
    if check is None:
        return []
    given = {(row.item_id, row.question) for row in rows if row.stage == check.checks}
    return [
        RowProblem(
            row.line,
            "item_id",
            _("No annotator answered this question about the item, so there is nothing an expert could have checked."),
        )
        for row in rows
        if row.stage == check.name and (row.item_id, row.question) not in given
    ]


def find_mixed_guesses(answered: list[ItemAnswer]) -> list[RowProblem]:
    """People's answers about items of a second generator in a stage that shows items of one only."""
    first: dict[tuple[tuple[str, int, Hashable], str], ItemAnswer] = {}
    problems = []
    for found in answered:
        if found.stage.items == "all" or not found.by_person:
            continue
        seen = first.setdefault((found.cell, found.stage.name), found)
        if seen.item.generator_id != found.item.generator_id:
            row = found.rows[0]
            values = {"who": row.annotator, "stage": found.stage.name, "line": seen.rows[0].line}
            reason = _(
                "In the stage %(stage)s a person sees the items of one generator per text, but line "
                "%(line)d gives %(who)s an item of another generator."
            )
            problems.append(RowProblem(row.line, "item_id", reason % values))
    return problems


def find_wrong_versions(answered: list[ItemAnswer], versions: list[str]) -> list[RowProblem]:
    """Rows whose version of the text is not one that the study compares, or differs within one reading of a text."""
    first: dict[Hashable, Row] = {}
    problems = []
    for found in answered:
        seen = first.setdefault(found.cell, found.rows[0])
        for row in found.rows:
            if (versions or row.text_version) and (reason := explain_wrong_version(row, seen, versions)):
                problems.append(RowProblem(row.line, "text_version", reason))
    return problems


def explain_wrong_version(row: Row, first: Row, versions: list[str]) -> str:
    """Why the version of the text is wrong; empty if the study compares it and the first row of the reading has it."""
    if not versions:
        return _("This study compares no versions of texts. Leave the column out.") if row.text_version else ""
    if row.text_version not in versions:
        sentence = _("“%(name)s” is none of the versions that the study compares: %(names)s.")
        return sentence % {"name": row.text_version, "names": ", ".join(versions)}
    if row.text_version != first.text_version:
        sentence = _("%(who)s reads “%(here)s” here, but “%(there)s” in line %(line)d about the same unit.")
        return sentence % {
            "who": row.annotator,
            "here": row.text_version,
            "there": first.text_version,
            "line": first.line,
        }
    return ""
