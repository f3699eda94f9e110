"""Tables of which a page shows some rows at a time, each turned by a parameter of its own."""

from dataclasses import dataclass, replace

from django.core.paginator import Page, Paginator
from django.http import QueryDict

from analysis.pages import BehindLink, PageTable, page_table
from analysis.room import rows_on_a_page
from analysis.tables import Table


@dataclass(frozen=True)
class Turned:
    """The rows of one page of a table; `parameter` turns it, `query` is the rest of the address."""

    table: PageTable
    page: Page
    parameter: str
    query: str


def turned(table: Table, asked: QueryDict, convention: str, behind: BehindLink | None = None, of: int = 1) -> Turned:
    """The page that the address asks for, the first by default; `of`: so many tables share the page."""
    parameter, rest = f"page-{table.name}", asked.copy()
    rest.pop(parameter, None)
    page = Paginator(table.rows, rows_on_a_page(table, of)).get_page(asked.get(parameter))
    shown = page_table(replace(table, rows=tuple(page.object_list)), convention, behind=behind)
    return Turned(shown, page, parameter, rest.urlencode())
