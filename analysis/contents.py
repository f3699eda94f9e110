"""The contents of a results page: its sections with their anchors, for a reader who knows what they came for."""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from django.utils.translation import gettext as _

from analysis.pages import PageTable
from analysis.report import Report

if TYPE_CHECKING:
    from analysis.sections import Listed

Section = tuple[str, str]  # anchor and title
TABLES = (
    "agreement_with_humans", "ratings", "accuracy_by_rating", "variants", "guessable_items", "unanswerable_items",
    "item_analysis", "published",
)  # fmt: skip


def contents_of_listed(report: Report, listed: Sequence["Listed"], empty: bool, has_sheets: bool) -> list[Section]:
    """Of a page that lists its tables; `empty`: some have no rows and stand together, `has_sheets`: of items."""
    return [
        *((each.table.name, each.table.title) for each in listed),
        *([("items", _("Item by item"))] if has_sheets else []),
        *([("empty", nothing_yet())] if empty else []),
        *ending(report),
    ]


def contents_of_sections(report: Report, tables: Mapping[str, PageTable]) -> list[Section]:
    """Of a page of guess-then-read, whose first section is its main result."""
    return [
        ("informativity", tables["informativity"].title),
        *((name, tables[name].title) for name in TABLES if name in tables),
        *ending(report),
    ]


def ending(report: Report) -> Iterator[Section]:
    if report.checks:
        yield "checks", _("Checks")
    yield "description", report.table("description").title
    yield "downloads", _("Answers")


def nothing_yet() -> str:
    """Over what a report of this protocol can have and this study has not."""
    return _("Nothing to show yet")
