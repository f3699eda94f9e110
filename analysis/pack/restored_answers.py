"""The answers of a pack, checked against the protocol's declaration, as rows in the order in which they were stored."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _

from analysis.pack.archive import BadPack
from items.models import Item
from studies.models import Adjudication, Annotator, Assignment, Response, Ruling, Study
from studies.protocols import Declaration, Question
from studies.services.adjudicating import MAX_REASON
from studies.services.declarations import get_declaration, get_version_id, map_variant_declarations
from studies.services.responses.checks import (
    ItemAnswer,
    build_context,
    check_rows,
    find_annotator_conflicts,
    find_baseless_rounds,
    find_conflicting_parts,
    find_mixed_guesses,
)
from studies.services.responses.importing import ImportRefused
from studies.services.responses.rows import (
    READ_COLUMNS,
    SEQUENCE,
    BadCell,
    Cells,
    Row,
    RowParser,
    RowProblem,
    parse_time,
    read_cells,
)

BATCH = 2_000
Cell = tuple[str, int, Any]  # annotator, round, unit_key


@dataclass(frozen=True)
class Extra:
    """What the long export says about an answer beyond the columns of an import."""

    sequence: int
    first_answered_at: datetime | None
    last_changed_at: datetime | None
    n_changes: int | None
    settled: tuple[str, ...] = ()  # the adjudication's decision about it, as in the export
    decided_value: str = ""
    decided_at: datetime | None = None
    reason: str = ""


EXTRA_COLUMNS = (
    "first_answered_at", "last_changed_at", "n_changes",
    "adjudication", "adjudicated_value", "adjudicated_at", "reason",
)  # fmt: skip


def read_answers(
    study: Study, annotators: Mapping[str, Annotator], items: list[Item], content: bytes
) -> tuple[list[ItemAnswer], dict[int, Extra]]:
    """The answers by item, and further facts by line; `ImportRefused` if nobody could have given one of them."""
    problems: list[RowProblem] = []
    rows: list[Row] = []
    extras: dict[int, Extra] = {}
    parse_row = RowParser()
    for line, cells in read_cells(content, problems, (*READ_COLUMNS, *EXTRA_COLUMNS)):
        try:
            rows.append(parse_row(line, cells))
            extras[line] = parse_extra(cells)
        except BadCell as bad:
            problems.append(RowProblem(line, bad.column, str(bad)))
    known = build_context(study, items)
    problems += find_annotator_conflicts(rows)
    answered = [
        each
        for declaration, mine in group_by_declaration(study, annotators, rows)
        for each in check_rows(mine, replace(known, declaration=declaration), problems)
    ]
    problems += find_mixed_guesses(answered) + find_conflicting_parts(answered)
    if known.declaration.rounds:
        problems += find_baseless_rounds(rows)
    if problems:
        raise ImportRefused(problems)
    return answered, extras


def group_by_declaration(
    study: Study, annotators: Mapping[str, Annotator], rows: list[Row]
) -> Iterator[tuple[Declaration, list[Row]]]:
    """The rows of people who were asked in the same way, for each way; `BadPack` for people whom the pack does not
    list."""
    declarations = {"": get_declaration(study)} | map_variant_declarations(study)
    found: dict[str, list[Row]] = {name: [] for name in declarations}
    for row in rows:
        if row.annotator not in annotators:
            values = {"who": row.annotator, "item": row.item_label}
            raise BadPack(_("The pack has answers of %(who)s to %(item)s, but no assignment for them.") % values)
        variant = annotators[row.annotator].variant
        found[variant.name if variant else ""].append(row)
    return ((declarations[name], mine) for name, mine in found.items())


def parse_extra(cells: Cells) -> Extra:
    return Extra(
        sequence=parse_whole_number(SEQUENCE, cells.get(SEQUENCE, "")) or 0,
        first_answered_at=parse_time("first_answered_at", cells.get("first_answered_at", "")),
        last_changed_at=parse_time("last_changed_at", cells.get("last_changed_at", "")),
        n_changes=parse_whole_number("n_changes", cells.get("n_changes", "")),
        settled=tuple(each for each in cells.get("adjudication", "").split("; ") if each in Ruling.values),
        decided_value=cells.get("adjudicated_value", ""),
        decided_at=parse_time("adjudicated_at", cells.get("adjudicated_at", "")),
        reason=cells.get("reason", "")[:MAX_REASON],
    )


def parse_whole_number(name: str, written: str) -> int | None:
    if not written:
        return None
    if written.isascii() and written.isdecimal() and len(written) < 10:
        return int(written)
    raise BadCell(name, _("This is not a whole number."))


def store_answers(
    answered: list[ItemAnswer], extras: Mapping[int, Extra], assignments: Mapping[Cell, Assignment]
) -> int:
    """Store them in the order of their sequence; `BadPack` for an answer to something that was never assigned."""
    rows: list[tuple[Extra, Question, Response]] = []
    for found in answered:
        if found.cell not in assignments:
            values = {"who": found.rows[0].annotator, "item": found.rows[0].item_label}
            raise BadPack(_("The pack has answers of %(who)s to %(item)s, but no assignment for them.") % values)
        rows += build_responses(found, extras, assignments[found.cell])
    rows.sort(key=lambda row: row[0].sequence)
    Response.objects.bulk_create((response for _extra, _question, response in rows), batch_size=BATCH)
    Adjudication.objects.bulk_create((each for row in rows for each in build_adjudications(*row)), batch_size=BATCH)
    return len(rows)


def build_adjudications(extra: Extra, question: Question, response: Response) -> Iterator[Adjudication]:
    """The decision about a response; who decided it is not in a pack."""
    for settled in extra.settled:
        yield Adjudication(
            response=response,
            settled=settled,
            value=question.read(extra.decided_value) if settled == Ruling.DECIDED else None,
            reason=extra.reason,
            decided_at=extra.decided_at or timezone.now(),
        )


def build_responses(
    found: ItemAnswer, extras: Mapping[int, Extra], assignment: Assignment
) -> Iterator[tuple[Extra, Question, Response]]:
    by_option = {(row.question, row.option_id): row for row in found.rows}
    external = {option.pk: option.external_id for option in found.item.options.all()}
    for answer in found.answers:
        row = by_option[answer.question, external.get(answer.option_id or 0, "")]
        extra = extras[row.line]
        yield (
            extra,
            found.stage.question(answer.question),
            Response(
                assignment=assignment,
                stage=found.stage.name,
                question=answer.question,
                item_id=answer.item_id,
                option_id=answer.option_id,
                value=answer.value,
                probability=answer.probability,
                unsure=answer.unsure if row.unsure is not None else None,
                comment=answer.comment or row.comment,
                instrument_version_id=get_version_id(assignment.annotator),
                submitted_at=row.submitted_at,
                first_answered_at=extra.first_answered_at,
                last_changed_at=extra.last_changed_at,
                n_changes=extra.n_changes,
            ),
        )
