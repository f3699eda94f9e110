"""Codes of items as a CSV file, for export and import: one row per code of an item. A file is imported wholly or not
at all."""

import csv
from collections.abc import Iterator
from dataclasses import dataclass

from django.db.models import Q
from django.utils.translation import gettext as _

from analysis.codes import SEVERAL, find_code, get_category, is_known, is_single, list_codes, name_category_code
from analysis.items.coding import list_offered_codes
from analysis.items.coding_acts import ActResult, BadCode, CodePlacement, code_items, find_span
from analysis.items.sheet import map_item_pks
from analysis.models import ItemCode
from analysis.tables.writers import TextWriter, write_cell
from items.formats.rows import Reading
from items.formats.table_cells import TableRow, read_cells
from items.models import Item, Option
from items.plain import make_printable, unescape_formula
from projects.models import User
from studies.models import Study
from studies.services.responses.importing import ImportRefused
from studies.services.responses.rows import BadCell, RowProblem

COLUMNS = ("item_id", "kind", "code", "option_id", "quote", "note")
MORE = ("set_by", "set_at", "text_id", "generator", "question")  # for people who read the file; ignored by imports
MOST_NOTE = 1_000


@dataclass(frozen=True)
class CodeImport:
    """What a file changed; with `dry_run` how many codes it contains. `new`: codes of the team's own that it adds."""

    n_rows: int
    done: ActResult | None
    new: tuple[str, ...] = ()


def export_codes(study: Study, out: TextWriter, kind: str = "") -> int:
    """Every current code, in the study's order of items. With a kind: only its codes, and an empty row to fill in for
    each item without one. Returns the number of rows."""
    rows = csv.writer(out)
    rows.writerow([*COLUMNS, *MORE])
    current: dict[int, list[ItemCode]] = {}
    for code in ItemCode.objects.current().filter(study=study).select_related("option", "set_by", "item__text"):
        if kind in ("", find_code(study.protocol, code.code).kind):
            current.setdefault(code.item_id, []).append(code)
    items = Item.objects.filter(unit_items__unit__study=study).select_related("text", "generator").distinct().in_bulk()
    n = 0
    for pk in map_item_pks(study).values():
        codes: list[ItemCode | None] = list(current.get(pk, [])) or ([None] if kind else [])
        for each in codes:
            rows.writerow(map(write_cell, build_code_row(study, items[pk], each, kind)))
            n += 1
    return n


def build_code_row(study: Study, item: Item, code: ItemCode | None, kind: str) -> list[str]:
    about = [item.text.external_id, item.generator.name, item.stem]
    if code is None:
        return [item.external_id, kind, "", "", "", "", "", "", *about]
    option, who = code.option.external_id if code.option else "", code.set_by.username if code.set_by else ""
    kind = find_code(study.protocol, code.code).kind
    cells = [item.external_id, kind, get_category(code.code), option, code.quote, code.note]
    return [*cells, who, code.set_at.isoformat(timespec="seconds"), *about]


def import_codes(study: Study, content: bytes, user: User | None, *, dry_run: bool = False) -> CodeImport:
    """Set the codes in the file, as one act that can be undone. Rows without a code are ignored; nothing is removed
    except a code that the file's code replaces because an item can have only one of its kind.
    """
    reading = Reading()
    table = read_cells(content, reading)
    problems = [RowProblem(each.line, each.field, each.reason) for each in reading.problems.listed]
    rows = list(read_rows(table.header, table.rows, problems)) if table else []
    placed = [] if problems else list(place_rows(study, rows, problems))
    if problems:
        raise ImportRefused(problems)
    new = sorted({each.code for each in placed} - {code.name for code in list_offered_codes(study)})
    done = None if dry_run else code_items(study, placed, user)
    return CodeImport(len(placed), done, tuple(new))


@dataclass(frozen=True)
class Row:
    line: int
    cells: dict[str, str]


def read_rows(header: list[str], rows: list[TableRow], problems: list[RowProblem]) -> Iterator[Row]:
    """The rows that name a code. Unknown columns are ignored, as an export has more than an import needs."""
    names = [name.strip().casefold() for name in header]
    if missing := [name for name in ("item_id", "code") if name not in names]:
        reason = _("The column %(names)s is missing. The columns here are: %(columns)s.")
        columns = make_printable(", ".join(header), 200)
        problems.append(RowProblem(1, "", reason % {"names": ", ".join(missing), "columns": columns}))
        return
    for row in rows:
        values = {
            name: unescape_formula(values) for name, values in zip(names, row.cells, strict=True) if name in COLUMNS
        }
        if values["code"]:
            yield Row(row.line, {name: values.get(name, "") for name in COLUMNS})


def place_rows(study: Study, rows: list[Row], problems: list[RowProblem]) -> Iterator[CodePlacement]:
    """The codes with the items they belong to. Rows that cannot be used are added to `problems`."""
    items, options = map_item_pks(study), map_options(study, rows)
    bodies = map_bodies(study) if any(row.cells["quote"] for row in rows) else {}
    seen: dict[tuple[int, str], tuple[int, str]] = {}
    for row in rows:
        try:
            placed = place_row(study, row.cells, items, options, bodies)
            refuse_second(study, seen, row.line, placed)
        except BadCell as bad:
            problems.append(RowProblem(row.line, bad.column, str(bad)))
        else:
            yield placed


def place_row(
    study: Study,
    values: dict[str, str],
    items: dict[str, int],
    options: dict[tuple[int, str], int],
    bodies: dict[int, str],
) -> CodePlacement:
    item = items.get(values["item_id"])
    if item is None:
        shown = {"id": make_printable(values["item_id"])}
        raise BadCell("item_id", _("The study has no item “%(id)s”. Write the id of one of its items.") % shown)
    code, option, start, end = resolve_code_name(study, values["kind"], values["code"]), None, None, None
    if values["option_id"]:
        option = options.get((item, values["option_id"]))
        if option is None:
            shown = {"id": make_printable(values["option_id"])}
            raise BadCell(
                "option_id", _("The item has no option “%(id)s”. Write the id of one, or leave it empty.") % shown
            )
    if values["quote"]:
        try:
            start, end = find_span(values["quote"], bodies[item])
        except BadCode as bad:
            raise BadCell("quote", str(bad)) from None
    if len(values["note"]) > MOST_NOTE:
        raise BadCell("note", _("A note may have up to %(n)s characters. Shorten it.") % {"n": MOST_NOTE})
    return CodePlacement(item, code, option, start, end, values["note"])


def resolve_code_name(study: Study, kind: str, code: str) -> str:
    """The full name of a code in a file. The kind may be left out for codes that the protocol itself has."""
    catalogue = {each.name: each.kind for each in list_codes(study.protocol)}
    if catalogue.get(code) == (kind or catalogue.get(code)) and code in catalogue:
        return code
    name = name_category_code(study.protocol, kind, code) if kind else code
    if (
        kind in SEVERAL
        or not is_known(study.protocol, name)
        or (not kind and code not in catalogue and "=" not in code)
    ):
        values = {"code": make_printable(code), "known": ", ".join(catalogue) or "–"}
        raise BadCell(
            "code",
            _(
                "“%(code)s” is not a code of this kind of study. Use one of: %(known)s. For your own "
                "category, write its kind into the column “kind”; both may have up to 60 characters."
            )
            % values,
        )
    return name


def refuse_second(study: Study, seen: dict[tuple[int, str], tuple[int, str]], line: int, placed: CodePlacement) -> None:
    """Raises `BadCell` for a code that the file has twice, and for a second code where an item can have only one."""
    kind = find_code(study.protocol, placed.code).kind
    about = kind if is_single(kind) else f"{placed.code} {placed.option}"
    before, other = seen.setdefault((placed.item, about), (line, placed.code))
    if before != line:
        if other != placed.code:
            values = {"line": before, "other": get_category(other)}
            raise BadCell(
                "code", _("Line %(line)s gives this item the code “%(other)s”. Keep one of the two rows.") % values
            )
        raise BadCell("code", _("Line %(line)s is the same. Remove one of the two.") % {"line": before})


def map_options(study: Study, rows: list[Row]) -> dict[tuple[int, str], int]:
    """The options of the study's items, if any row points to one."""
    if not any(row.cells["option_id"] for row in rows):
        return {}
    found = Option.objects.filter(Q(item__unit_items__unit__study=study)).order_by().distinct()
    return {(item, name): pk for pk, item, name in found.values_list("pk", "item", "external_id")}


def map_bodies(study: Study) -> dict[int, str]:
    items = Item.objects.filter(unit_items__unit__study=study).order_by().distinct()
    return dict(items.values_list("pk", "text__body"))
