"""What stands on a results page: tables, grids and figures in their order, and what has a page of its own."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from urllib.parse import urlencode

from analysis.addresses import asked, behind_link, links_of
from analysis.contents import contents_of_listed, contents_of_sections, nothing_yet
from analysis.crossing import crossed, side_by_side
from analysis.figure_places import FigurePlace, place_in_results
from analysis.forms import ResultsForm
from analysis.grids import grids_of
from analysis.item_lists import LISTS, STUDY, alarms, kinds_of, sheet_links
from analysis.pages import MOST_ROWS, PageTable, description, page_table
from analysis.report import Report
from analysis.tables import Table
from studies.models import Study
from studies.services.effects import effects_hidden

OPEN_GRIDS = 2  # such as one for each round; others stand on the table's own page
OPEN_CELLS = 100  # of them together, beyond the first grid
SHORT = 24  # rows of a table that stands on the results page
SHORT_CLOSED = 12  # rows of one that is closed at first
CLOSED = (
    "informativity_standardised", "beside_accuracy", "informativity_intervals", "informativity_probability",
)  # fmt: skip


def sections(study: Study, form: ResultsForm, report: Report) -> dict:
    """The tables and figures in the order of the page."""
    behind, convention = behind_link(study, form), form.choices.convention
    elsewhere, of_several = long_tables(report), notes_of_several(report)
    tables = {}
    for table in report.tables:
        here = replace(table, notes=tuple(note for note in table.notes if note not in of_several))
        here = replace(here, rows=()) if table.name in elsewhere else here
        most = SHORT if table.name in LISTS else MOST_ROWS
        links = links_of(study, form, table) if here.rows else {}
        shown = page_table(here, convention, links, behind(table), most)
        tables[table.name] = replace(shown, more=len(table.rows)) if table.name in elsewhere else shown
    described = report.table("description")
    common = {
        "tables": tables,
        "notes_of_several": of_several,
        "description": description(described, behind(described)),
    }
    place = partial(place_in_results, study, report, urlencode(asked(form), doseq=True))
    if report.template == Report.template:
        first = next(iter(sheet_links(study, urlencode(asked(form), doseq=True), STUDY).values()), "")
        grids = {table.name: crossed(table, convention, behind(table), open_grids(table)) for table in report.tables}
        every = listed(report, tables, elsewhere, grids, place)
        filled = [each for each in every if not each.is_empty]
        empty = lacking([each.table for each in every if each.is_empty])
        has_sheets = bool(first) and not effects_hidden(study)
        return common | {
            "listed": filled,
            "empty": {"title": nothing_yet(), "tables": empty},
            "first_sheet": first,
            "contents": contents_of_listed(report, filled, bool(empty), has_sheets),
        }
    first, second = ("informativity", "informativity_matched")
    if form.estimand == "matched":
        first, second = second, first
    table = report.table(first)
    return common | {
        "beside": side_by_side(table, form.choices.convention, behind(table)),
        "first": tables[first],
        "second": tables[second],
        "dumbbell": place("dumbbell" if form.estimand == "pooled" else "dumbbell_matched", table),
        "figures": {name: place(name, report.table(name)) for name in ("ratings", "accuracy_by_rating")},
        "kinds": kinds_of(study),
        "alarms": alarms_of(study, form, report.table("item_analysis")),
        "contents": contents_of_sections(report, tables),
    }


def long_tables(report: Report) -> set[str]:
    """Those whose rows stand on pages of their own, so that the results page stays one that is read."""
    if report.template != Report.template:
        closed = (report.table(name) for name in CLOSED if any(table.name == name for table in report.tables))
        return {"item_analysis", *(table.name for table in closed if len(table.rows) > SHORT_CLOSED)}
    return {table.name for table in report.tables if len(table.rows) > SHORT or grids_of(table)}


def open_grids(table: Table) -> int:
    """How many grids of a table stand on the results page: two where both are small."""
    cells = [len(grid.down) * len(grid.across) for grid in grids_of(table)[:OPEN_GRIDS]]
    return len(cells) if sum(cells) <= OPEN_CELLS else 1


def notes_of_several(report: Report) -> list[str]:
    """What holds of more than one table: the page says it once, as files say it of each."""
    found = Counter(note for table in report.tables if table.rows for note in dict.fromkeys(table.notes))
    return [note for note, n in found.items() if n > 1]


@dataclass(frozen=True)
class Listed:
    """A table with its figures and its first grids; `n_elsewhere`: how many rows it has on a page of its own."""

    table: PageTable
    n_elsewhere: int
    figures: list[FigurePlace]
    grids: list[PageTable]

    @property
    def is_empty(self) -> bool:
        return not (self.table.rows or self.n_elsewhere or self.figures)


def lacking(tables: list[PageTable]) -> list[tuple[list[PageTable], tuple[str, ...]]]:
    """Tables without rows, those together whose notes are the same."""
    found: dict[tuple[str, ...], list[PageTable]] = {}
    for table in tables:
        found.setdefault(table.notes, []).append(table)
    return [(alike, notes) for notes, alike in found.items()]


def listed(
    report: Report,
    tables: dict[str, PageTable],
    elsewhere: set[str],
    grids: dict[str, list[PageTable]],
    place: Callable[[str, Table], FigurePlace],
) -> list[Listed]:
    """Each table but the description, in the order of the report."""
    from analysis.figures import FIGURES

    drawn = [(name, FIGURES[name][0]) for name in report.figures]
    return [
        Listed(
            tables[table.name],
            len(table.rows) if table.name in elsewhere else 0,
            [place(name, table) for name, shown in drawn if shown == table.name],
            grids[table.name],
        )
        for table in report.tables
        if table.name != "description"
    ]


def alarms_of(study: Study, form: ResultsForm, table: Table) -> list[dict]:
    """The options whose key is probably wrong, each with the address of its item's sheet."""
    links = sheet_links(study, urlencode(asked(form), doseq=True), table.name)
    return [{"row": row, "href": links.get(row["item_id"], "")} for row in alarms(table.rows)]
