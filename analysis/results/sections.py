"""What stands on a results page: tables, grids and figures in their order, and what has a page of its own."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from urllib.parse import urlencode

from analysis.items.coding import kinds_of
from analysis.reports.published import apart, comparing
from analysis.reports.report import Report
from analysis.results.contents import (
    FigurePlace,
    contents_of_listed,
    contents_of_sections,
    nothing_yet,
    place_in_results,
)
from analysis.results.forms import ResultsForm
from analysis.results.links import LISTS, STUDY, alarms, asked, behind_link, links_of, sheet_links
from analysis.tables.grids import Grid, grids_of
from analysis.tables.page import Facts, PageTable, description, page_table
from analysis.tables.page_budget import cells_of, grids_that_fit, rows_that_fit
from analysis.tables.page_grids import pivot, side_by_side
from analysis.tables.spec import Table
from studies.models import Study
from studies.services.states import are_effects_hidden

SHORT = 24  # rows of a table that stands on the results page
MOST_ALARMS = 12  # options whose key may be wrong, on the results page
SURE_ENOUGH = 15  # items of a list that has the surest first
SHORT_CLOSED = 12  # rows of one that is closed at first, and of a part of the description
CLOSED = (
    "informativity", "contrasts", "informativity_matched", "informativity_standardised", "beside_accuracy",
    "informativity_intervals", "informativity_probability",
)  # fmt: skip
MEASURES = ("informativity", "informativity_matched")
PUBLISHED = "published"
DESCRIPTION = "description"


def sections(study: Study, form: ResultsForm, report: Report, page: str) -> dict:
    """The tables and figures in the order of the page, which stands under this path."""
    behind, convention = behind_link(study, form, page), form.choices.convention
    elsewhere, of_several, here = long_tables(report), notes_of_several(report), rows_here(report)
    is_listed, main = report.template == Report.template, measures_of(form)[0]
    beside = [] if is_listed else [side_by_side(report.table(main), convention, behind(report.table(main)))]
    grids = grids_that_fit(report.tables if is_listed else ())
    described = description(report.table(DESCRIPTION), behind(report.table(DESCRIPTION)), SHORT_CLOSED)
    taken = cells_taken(described, beside, grids)
    most = rows_that_fit([(len(table.rows), len(table.columns)) for table in here.values()], taken)
    tables = {}
    for table in report.tables:
        own_notes = tuple(note for note in table.notes if note not in of_several)
        mine = replace(here[table.name], notes=own_notes)
        fitting = min(most, SURE_ENOUGH) if table.name in LISTS else most
        links = links_of(study, form, replace(mine, rows=mine.rows[:fitting])) if mine.rows else {}
        shown = page_table(mine, convention, links, behind(table), fitting)
        tables[table.name] = replace(shown, more=len(table.rows)) if table.name in elsewhere else shown
    common = {
        "tables": tables,
        "notes_of_several": of_several,
        "description": described,
        **apart_from_published(report),
    }
    place = partial(place_in_results, study, report, urlencode(asked(form), doseq=True))
    if is_listed:
        drawn = {table.name: pivot(table, convention, behind(table), grids[table.name]) for table in report.tables}
        every = list_in_order(report, tables, elsewhere, drawn, place)
        return common | listed_sections(study, form, report, every)
    return common | reading_sections(study, form, report, tables, place) | {"beside": beside[0]}


def listed_sections(study: Study, form: ResultsForm, report: Report, every: list["Listed"]) -> dict:
    """Of a page that lists its tables: those that have rows or figures, and the others together."""
    sheet = next(iter(sheet_links(study, urlencode(asked(form), doseq=True), STUDY).values()), "")
    filled = [each for each in every if not each.is_empty]
    empty = group_empty_tables([each.table for each in every if each.is_empty])
    has_sheets = bool(sheet) and not are_effects_hidden(study)
    return {
        "listed": filled,
        "empty": {"title": nothing_yet(), "tables": empty},
        "first_sheet": sheet,
        "contents": contents_of_listed(report, filled, bool(empty), has_sheets),
    }


def reading_sections(
    study: Study, form: ResultsForm, report: Report, tables: dict[str, PageTable], place: Callable[..., FigurePlace]
) -> dict:
    """Of a page with a layout of its own, by the measure that was asked for."""
    first, second = measures_of(form)
    alarmed = alarms_of(study, form, report.table("item_analysis"))
    return {
        "first": tables[first],
        "second": tables[second],
        "dumbbell": place("dumbbell" if form.estimand == "pooled" else "dumbbell_matched", report.table(first)),
        "figures": {name: place(name, report.table(name)) for name in ("ratings", "accuracy_by_rating")},
        "alarms": alarmed,
        "most_alarms": f":{MOST_ALARMS}",
        "more_alarms": max(0, len(alarmed) - MOST_ALARMS),
        "contents": contents_of_sections(report, tables),
        **kinds_of(study),
    }


def measures_of(form: ResultsForm) -> tuple[str, str]:
    """The informativity that was asked for, and the other."""
    return (MEASURES[1], MEASURES[0]) if form.estimand == "matched" else MEASURES


def rows_here(report: Report) -> dict[str, Table]:
    """Each table with those of its rows that may stand on the results page."""
    elsewhere = long_tables(report) | {DESCRIPTION}  # the description is laid out apart
    found = {table.name: replace(table, rows=()) if table.name in elsewhere else table for table in report.tables}
    return found | {name: comparing(table) for name, table in found.items() if name == PUBLISHED}


def cells_taken(described: list[Facts], beside: list[PageTable], grids: Mapping[str, list[Grid]]) -> int:
    """How many cells stand on the page besides those of lists."""
    return (
        sum(len(part.rows) * (len(part.quantities) + 1) for part in described)
        + sum(len(table.rows) * len(table.head) for table in beside)
        + sum(cells_of(grid) for several in grids.values() for grid in several)
    )


def apart_from_published(report: Report) -> dict:
    """What of the published numbers does not compare, if they stand on the page."""
    found = [each for table in report.tables if table.name == PUBLISHED for each in apart(table)]
    return {"apart": found, "n_apart": sum(each.n for each in found)}


def long_tables(report: Report) -> set[str]:
    """Those whose rows stand on pages of their own, so that the results page stays one that is read."""
    if report.template != Report.template:
        closed = (report.table(name) for name in CLOSED if any(table.name == name for table in report.tables))
        return {"item_analysis", *(table.name for table in closed if len(table.rows) > SHORT_CLOSED)}
    return {
        table.name
        for table in report.tables
        if table.name != PUBLISHED and (len(table.rows) > SHORT or grids_of(table))
    }


def notes_of_several(report: Report) -> list[str]:
    """What holds of more than one table: the page says it once, as files say it of each."""
    found = Counter(note for table in report.tables if table.rows for note in dict.fromkeys(table.notes))
    return [note for note, n in found.items() if n > 1]


@dataclass(frozen=True)
class Listed:
    """A table with its figures and its first grids.

    `n_rows`: of the report's table, of which the page may show none; `n_elsewhere`: how many it has on its own page.
    """

    table: PageTable
    n_rows: int
    n_elsewhere: int
    figures: list[FigurePlace]
    grids: list[PageTable]

    @property
    def is_empty(self) -> bool:
        return not (self.n_rows or self.figures)


def group_empty_tables(tables: list[PageTable]) -> list[tuple[list[PageTable], tuple[str, ...]]]:
    """Tables without rows, those together whose notes are the same."""
    found: dict[tuple[str, ...], list[PageTable]] = {}
    for table in tables:
        found.setdefault(table.notes, []).append(table)
    return [(alike, notes) for notes, alike in found.items()]


def list_in_order(
    report: Report,
    tables: dict[str, PageTable],
    elsewhere: set[str],
    grids: dict[str, list[PageTable]],
    place: Callable[[str, Table], FigurePlace],
) -> list[Listed]:
    """Each table but the description, in the order of the report."""
    from analysis.figures.registry import list_figures

    drawn = [(name, list_figures()[name][0]) for name in report.figures]
    return [
        Listed(
            tables[table.name],
            len(table.rows),
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
