"""The lists from which somebody comes to an item's sheet, and what stands before and after it there."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from django.core.paginator import Page
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from analysis.codes import TAG, codes_of
from analysis.models import ItemCode
from analysis.report import Report
from analysis.tables import Row, Table
from studies.models import Study, UnitItem

ALARM = 0.5  # from here on a wrong key is likelier than a right one
STUDY = "study"
ANY = 10**15  # in place of an item's key, in an address that is made for all
LISTS = {
    "guessable_items": gettext_lazy("guessable items"),
    "unanswerable_items": gettext_lazy("unanswerable items"),
    "item_analysis": gettext_lazy("item analysis"),
    "flagged_cells": gettext_lazy("scores that stand out"),
    STUDY: gettext_lazy("all items of the study"),
}


@dataclass(frozen=True)
class Place:
    """Where an item stands in a list, counted from 1 (0: not in it), and its neighbours by primary key."""

    list: str
    title: str
    number: int
    of: int
    previous: int | None
    next: int | None


def place_in(study: Study, report: Report, name: str, item_pk: int, order: str = "") -> Place:
    """The item's place in the list called `name`; unknown lists are the study's order."""
    pks = pks_of(study, report, name, order)
    name = name if name in LISTS else STUDY
    if item_pk not in pks:
        return Place(name, str(LISTS[name]), 0, len(pks), None, None)
    at = pks.index(item_pk)
    before = pks[at - 1] if at else None
    after = pks[at + 1] if at + 1 < len(pks) else None
    return Place(name, str(LISTS[name]), at + 1, len(pks), before, after)


def pks_of(study: Study, report: Report, name: str, order: str) -> list[int]:
    known = item_pks(study)
    tables = {table.name: table for table in report.tables}
    if name not in tables or name not in LISTS:
        return list(known.values())
    listed = sorted_by(tables[name], order).rows if order else tables[name].rows
    return list(dict.fromkeys(known[row["item_id"]] for row in listed if row["item_id"] in known))


def item_pks(study: Study) -> dict[str, int]:
    """Primary keys of the study's items by external id, in the study's order."""
    ordered = UnitItem.objects.filter(unit__study=study).order_by("unit__position", "position")
    return dict(ordered.values_list("item__external_id", "item_id"))


@dataclass(frozen=True)
class Kinds:
    """How many items of a study have the one code that says what they ask about, of how many; the first without."""

    coded: int
    of: int
    first_without: int | None


def kinds_of(study: Study) -> Kinds:
    tags = [code.name for code in codes_of(study.protocol) if code.kind == TAG]
    pks = list(item_pks(study).values())
    standing = ItemCode.objects.standing().filter(study=study, code__in=tags)
    each = Counter(standing.values_list("item_id", "code").distinct().values_list("item_id", flat=True))
    without = [pk for pk in pks if each[pk] != 1]
    return Kinds(len(pks) - len(without), len(pks), next(iter(without), None))


def sheet_links(study: Study, asked: str, name: str) -> dict[str, str]:
    """The addresses of the sheets of all items, by external id, for the list called `name`."""
    query = f"{asked}&from={name}" if asked else f"from={name}"
    # Found once: ten thousand look-ups of an address take longer than the rest of a page.
    before, after = reverse("study_item", args=[study.slug, ANY]).split(f"/{ANY}/")
    return {external_id: f"{before}/{pk}/{after}?{query}" for external_id, pk in item_pks(study).items()}


def sorted_by(table: Table, order: str) -> Table:
    """The rows by a column, from its highest with a minus before the name, undefined last; unknown names: as is."""
    column = order.removeprefix("-")
    if column not in table.columns:
        return table
    defined = [row for row in table.rows if row[column] is not None]
    undefined = [row for row in table.rows if row[column] is None]
    ordered = sorted(defined, key=lambda row: row[column], reverse=order.startswith("-"))
    return replace(table, rows=(*ordered, *undefined))


def alarms(rows: Iterable[Row]) -> list[Row]:
    """The rows of the item analysis whose key is likelier wrong than right, the likeliest first."""
    return sorted((row for row in rows if (row["miskey"] or 0) >= ALARM), key=lambda row: -row["miskey"])


@dataclass(frozen=True)
class Heading:
    """A column head that sorts: the address that does, and how the table is sorted by it now."""

    title: str
    is_numeric: bool
    query: str
    sorted: str  # ascending, descending or nothing


def headings(table: Table, order: str, asked: dict) -> list[Heading]:
    """Numbers sort from the highest first, texts from A; a second click turns it round."""
    found = []
    for column in table.shown:
        first = f"-{column.value}" if column.kind in ("count", "number") else column.value
        other = column.value if first.startswith("-") else f"-{column.value}"
        now = {column.value: "ascending", f"-{column.value}": "descending"}.get(order, "")
        query = urlencode(asked | {"sort": other if order == first else first}, doseq=True)
        found.append(Heading(column.title, column.is_numeric, query, now))
    return found


def of_stage(table: Table, stage: str) -> Table:
    """Only the rows of that stage; without one all."""
    return replace(table, rows=tuple(row for row in table.rows if stage in ("", row["stage"])))


def page_of(table: Table, page: Page) -> Table:
    """The table with the rows of one page only."""
    return replace(table, rows=tuple(page.object_list))


def stage_choices() -> list[tuple[str, str]]:
    return [("", _("both stages")), ("guess", _("without the text")), ("read", _("with the text"))]
