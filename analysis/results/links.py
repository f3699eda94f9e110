"""Where the cells of a study's tables lead: to texts, to sheets of items, to the answers that a number counts."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from functools import lru_cache
from posixpath import relpath
from typing import Any
from urllib.parse import urlencode

from django.core.paginator import Page
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from analysis.choices import DEFAULT_CONVENTION
from analysis.formatting import make_natural_key
from analysis.items.sheet import map_item_pks
from analysis.reports.report import Report
from analysis.results.forms import ResultsForm, encode_filters
from analysis.tables.page import DrillDownLink, sort_naturally
from analysis.tables.spec import NUMBERS, Column, Row, Table
from items.models import Item
from projects.models import Role
from studies.models import Study
from studies.services.states import are_effects_hidden

ALARM = 0.5  # above this a wrong key is more probable than a right one
STUDY = "study"
ANY = 10**15  # placeholder for an item's primary key in an address template
LISTS = {
    "guessable_items": gettext_lazy("guessable items"),
    "unanswerable_items": gettext_lazy("unanswerable items"),
    "item_analysis": gettext_lazy("item analysis"),
    "flagged_cells": gettext_lazy("deviating scores"),
    STUDY: gettext_lazy("all items of the study"),
}


@dataclass(frozen=True)
class ListPosition:
    """The position of an item in a list, counted from 1 (0: not in it), and the primary keys of its neighbors."""

    list: str
    title: str
    number: int
    total: int
    previous: int | None
    next: int | None


def locate_item(study: Study, report: Report, name: str, item_pk: int, order: str = "") -> ListPosition:
    """The item's position in the list `name`; an unknown name means the study's order."""
    pks = list_item_pks(study, report, name, order)
    name = name if name in LISTS else STUDY
    if item_pk not in pks:
        return ListPosition(name, str(LISTS[name]), 0, len(pks), None, None)
    at = pks.index(item_pk)
    before = pks[at - 1] if at else None
    after = pks[at + 1] if at + 1 < len(pks) else None
    return ListPosition(name, str(LISTS[name]), at + 1, len(pks), before, after)


def list_item_pks(study: Study, report: Report, name: str, order: str) -> list[int]:
    known = map_item_pks(study)
    tables = {table.name: table for table in report.tables}
    if name not in tables or name not in LISTS:
        return list(known.values())
    listed = sort_rows(tables[name], order).rows
    return list(dict.fromkeys(known[row["item_id"]] for row in listed if row["item_id"] in known))


def map_sheet_links(study: Study, asked: str, name: str) -> dict[str, str]:
    """The addresses of all items' sheets by external id, for the list `name`."""
    query = f"{asked}&from={name}" if asked else f"from={name}"
    # Resolved once: resolving ten thousand addresses takes longer than the rest of a page.
    before, after = reverse("study_item", args=[study.slug, ANY]).split(f"/{ANY}/")
    return {external_id: f"{before}/{pk}/{after}?{query}" for external_id, pk in map_item_pks(study).items()}


def sort_rows(table: Table, order: str) -> Table:
    """The rows sorted by a column: descending after a minus sign, undefined values last; an unknown column leaves
    them as people read them."""
    column = order.removeprefix("-")
    if column not in table.header:
        return sort_naturally(table)
    defined = [row for row in table.rows if row[column] is not None]
    undefined = [row for row in table.rows if row[column] is None]
    ordered = sorted(defined, key=lambda row: sort_key(row[column]), reverse=order.startswith("-"))
    return replace(table, rows=(*ordered, *undefined))


def sort_key(value: Any) -> Any:
    return make_natural_key(value) if isinstance(value, str) else value


def list_likely_miskeys(rows: Iterable[Row]) -> list[Row]:
    """The rows of the item analysis whose key is more probably wrong than right, the most probable first."""
    return sorted((row for row in rows if (row["miskey"] or 0) >= ALARM), key=lambda row: -row["miskey"])


@dataclass(frozen=True)
class Heading:
    """A column head that sorts: the address for it, and how the table is sorted by it now."""

    title: str
    is_numeric: bool
    query: str
    sorted: str  # "ascending", "descending" or ""


def build_headings(table: Table, order: str, asked: dict) -> list[Heading]:
    """The heads of the columns: the first click sorts numbers from the highest, texts from A; a second click
    reverses."""
    found, order = [], order or table.sort
    for column in table.columns:
        first = f"-{column.name}" if column.kind in NUMBERS else column.name
        other = column.name if first.startswith("-") else f"-{column.name}"
        now = {column.name: "ascending", f"-{column.name}": "descending"}.get(order, "")
        query = urlencode(asked | {"sort": other if order == first else first}, doseq=True)
        found.append(Heading(column.title, column.is_numeric, query, now))
    return found


def keep_stage(table: Table, stage: str) -> Table:
    """Only the rows of that stage; all rows without a stage."""
    return replace(table, rows=tuple(row for row in table.rows if stage in ("", row["stage"])))


def select_page_rows(table: Table, page: Page) -> Table:
    """The table with the rows of one page only."""
    return replace(table, rows=tuple(page.object_list))


def list_stage_choices() -> list[tuple[str, str]]:
    return [("", _("both stages")), ("guess", _("without the text")), ("read", _("with the text"))]


def build_query(form: ResultsForm) -> dict:
    """The choices that differ from the defaults, as parameters of an address for figures and downloads."""
    choices = form.choices
    if form.is_untouched:
        return {}
    chosen = {
        "include": choices.extra_purposes,
        "evaluators": choices.evaluators,
        "convention": "" if choices.convention == DEFAULT_CONVENTION else choices.convention,
        "estimate": "" if form.estimand == "pooled" else form.estimand,
        "texts": "shared" if choices.shared_texts else "",
        "drop": choices.dropped,
        "answers": "adjudicated" if choices.adjudicated else "",
        "calibration": "" if choices.calibration else "without",
        "dif_by": choices.dif_by,
    }
    return {"asked": 1} | {name: value for name, value in chosen.items() if value}


def map_links(study: Study, form: ResultsForm, table: Table) -> dict[str, dict[str, str]]:
    """The addresses of the texts, items and calls in a table, by their ids."""
    calls = map_call_links(table)
    if not any(column.kind == "item id" for column in table.columns):
        return calls
    return calls | {
        "text id": map_text_links(study),
        "item id": map_sheet_links(study, urlencode(build_query(form), doseq=True), table.name),
        **map_stems(study, table),
    }


def map_stems(study: Study, table: Table) -> dict[str, dict[str, str]]:
    """The stems of the items in the rows, by external id, as an id alone says little."""
    columns = [column.name for column in table.columns if column.kind == "item id"]
    named = {row[column] for row in table.rows for column in columns}
    items = Item.objects.filter(unit_items__unit__study=study, external_id__in=named)
    return {"item stem": dict(items.values_list("external_id", "stem"))}


def map_call_links(table: Table) -> dict[str, dict[str, str]]:
    """The pages of the calls in the rows."""
    columns = [column.name for column in table.columns if column.kind == "call"]
    named = {row[column] for row in table.rows for column in columns}
    return {"call": {name: reverse("call", args=name.split("/")) for name in named}} if columns else {}


def make_drill_down_link(
    study: Study, form: ResultsForm, page: str, **more: str
) -> Callable[[Table], DrillDownLink | None]:
    """For a table, a function from its numbers to the pages of their answers; None if the user may not see answers.

    `page`: the path of the page that the numbers are on, from which the links are relative, as there are
    hundreds of them.
    `more`: parameters of the page that the form does not hold.
    """
    chosen = urlencode(encode_filters(build_query(form)) | more, doseq=True)
    path = relpath(reverse("study_behind", args=[study.slug]), page)
    address = f"{path}/?{chosen}{'&' if chosen else ''}"
    may_see = study.project.my_role.rank >= Role.REVIEWER.rank and not are_effects_hidden(study)

    def of_table(table: Table) -> DrillDownLink | None:
        if not may_see:
            return None
        # Cached by names: a row has several numbers, and may be another mapping each time.
        key = lru_cache(maxsize=None, typed=True)(
            lambda *names: table.make_row_key(dict(zip(table.keys, names, strict=True)))
        )

        def link(row: Row, column: Column) -> str:
            if column.cell:
                return f"{address}{urlencode(row[column.cell])}"
            return f"{address}table={table.name}&number={column.name}&row={key(*(row[name] for name in table.keys))}"

        return link

    return of_table


def map_text_links(study: Study) -> dict[str, str]:
    texts = study.units.values_list("text__external_id", "text_id")
    return {external_id: reverse("text", args=[study.project.slug, pk]) for external_id, pk in texts}
