"""Whether every number that stands on a page is the one of the report's files, rounded as pages round."""

import csv
import io
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from bs4 import BeautifulSoup, Tag

from analysis.formatting import UNDEFINED, choose_digits, format_as, format_interval
from analysis.reports.published import format_published
from analysis.tables.page import name_fact
from analysis.tables.spec import Column, Table
from analysis.words import name_code

INTERVALS = {
    "readers": "readers and texts",
    "annotators": "these annotators only",
    "published": "as published",
}


@dataclass(frozen=True)
class Files:
    """One table as the files of a report have it: the cells of the CSV, and the rows of the JSON."""

    rows: list[dict[str, str]]
    json: list[dict]


def files_in(contents: Mapping[str, bytes]) -> dict[str, Files]:
    """By name of the table, from the files of a folder `tables` by their names."""
    return {
        name.removesuffix(".csv"): Files(
            list(csv.DictReader(io.StringIO(content.decode(), newline=""))),
            json.loads(contents[name.removesuffix(".csv") + ".json"])["rows"],
        )
        for name, content in contents.items()
        if name.endswith(".csv")
    }


def number_of(cell: str) -> int | float | None:
    """What a cell of a CSV file says: a count, a number, or that it is undefined."""
    if not cell:
        return None
    return int(cell) if cell.lstrip("-").isdecimal() else float(cell)


def format_cell(cell: str, kind: str = "number", ends: tuple[float | None, float | None] = (None, None)) -> str:
    value = number_of(cell)
    return UNDEFINED if value is None else format_as(kind, value, choose_digits(*ends))


def tables_on(*pages: BeautifulSoup) -> dict[str, list[Tag]]:
    """The rows of each table by its name, a table that goes over several pages in their order; not those of grids, nor
    of tables of which a page has only some rows: their own pages have all."""
    found: dict[str, list[Tag]] = {}
    for page in pages:
        for table in page.select(
            ":not(.crossed) > .table-wrap > table[data-table]:not([data-part], #published:has(.rest) table)"
        ):
            found.setdefault(str(table["data-table"]), []).extend(table.select("tbody tr"))
    return found


def compare_page_and_files(
    tables: Mapping[str, Table], files: Mapping[str, Files], on_pages: Mapping[str, list[Tag]], chosen: str
):
    """Where page and files differ, in words, and how many cells were compared; `chosen`: the convention."""
    differences, n = [], 0
    for name, rows in on_pages.items():
        if name not in files or name == "description":
            continue
        table, file = tables[name], files[name]
        if len(rows) != len(file.rows):
            differences.append(f"{name}: {len(rows)} rows on the page, {len(file.rows)} in the file")
        for place, row in enumerate(rows):
            cells = row.find_all(["th", "td"], recursive=False)
            for column, cell in zip(table.columns, cells, strict=True):
                for where, shown, wanted in pairs_of(column, cell, file.rows[place], file.json[place], chosen):
                    n += 1
                    if shown != wanted:
                        differences.append(f"{name} {place} {column.name} {where}: {shown!r} is not {wanted!r}")
    return differences, n


def pairs_of(
    column: Column, cell: Tag, row: Mapping[str, str], whole: Mapping, chosen: str
) -> Iterator[tuple[str, str, str]]:
    """(what, on the page, by the files) of each thing that stands in a cell."""
    held = column.name if column.name in row else ""
    if not column.is_numeric:
        text = "".join(part.strip() for part in cell.strings if not part.find_parent(class_="told"))
        if column.name == "own_said" and row["own"]:
            ends = (number_of(row[end]) for end in ("own", "own_low", "own_high"))
            yield "own", text.partition(" (")[0], format_published(*ends, row["measure"])  # without its round
        elif held:
            yield "name", text, " ".join(name_code(column.kind, whole[held]).split())
        return
    # What is not in the CSV, such as how sure an item is in a list, stands in the JSON.
    exact = row[held] if held else json.dumps(whole[column.name]).replace("null", "")
    nothing = "" if column.kind == "optional" else UNDEFINED
    has_ends = column.low and exact and column.name in whole.get("intervals", {})
    ends = [number_of(row[end]) for end in (column.low, column.high)] if has_ends else (None, None)
    yield "value", value_in(cell), format_cell(exact, column.kind, ends) if exact else nothing
    if not has_ends:
        return
    intervals = whole["intervals"][column.name]
    yield "interval", interval_in(cell), format_interval(*ends) or without_interval(exact, intervals[chosen])
    if column.n:
        yield "below", below(cell), below_wanted(column, intervals, chosen)


def value_in(cell: Tag) -> str:
    """The number alone, without star and footnote."""
    value = cell.select_one(".value") or cell
    pieces = [piece for piece in value.strings if piece.parent is value or piece.parent.name in ("a", "strong")]
    return "".join(pieces).strip()


def interval_in(cell: Tag) -> str:
    between = cell.select_one(".interval")
    return between.get_text() if between else ""


def below(cell: Tag) -> str:
    return " / ".join(line.get_text() for line in cell.select(".under"))


def without_interval(exact: str, found: Mapping) -> str:
    """What stands in the place of an interval: a bound of a number at an end of its scale, if there is one."""
    if found.get("bound") is None:
        return "interval undefined"
    end = "at least" if found["bound"] <= float(exact) else "at most"
    return f"{end} {format_as('number', found['bound'])}"


def below_wanted(column: Column, intervals: Mapping, chosen: str) -> str:
    """Whether readers differ, the other conventions' intervals if they are others, and how much the number rests on."""
    ends = {name: format_interval(each["low"], each["high"]) or UNDEFINED for name, each in intervals.items()}
    others = [f"{INTERVALS[name]}: {ends[name]}" for name in INTERVALS if ends[name] != ends[chosen]]
    n_texts, n = intervals["annotators"]["n_units"], intervals["annotators"]["n_responses"]
    texts = f"{n_texts:,} text{'' if n_texts == 1 else 's'}"
    judgments = f"{n:,} judgment{'' if n == 1 else 's'}"
    n = texts if column.n == "texts" else f"{judgments}, {texts}"
    return " / ".join([*differing(intervals, chosen), *others, n])


def differing(intervals: Mapping, chosen: str) -> list[str]:
    """What an interval over readers says that is more than 1.5 times as wide as that of these annotators only."""
    wide, narrow = (intervals[name] for name in ("readers", "annotators"))
    share = wide.get("share_from_readers")
    if chosen != "readers" or share is None or wide["low"] is None or narrow["low"] is None:
        return []
    if wide["high"] - wide["low"] <= 1.5 * (narrow["high"] - narrow["low"]):
        return []
    return [f"readers: {round(100 * share)} % of the variance"]


def compare_description(file: Files, page: BeautifulSoup):
    """The same of the description, which stands on a page as three small tables: names down, quantities across."""
    titles = {"Texts": "texts", "Items": "items", "Who answered": "evaluators"}
    wanted = {
        (row["about"], name_fact(whole), name_code("quantity", row["quantity"])): format_cell(row["value"])
        for row, whole in zip(file.rows, file.json, strict=True)
    }
    shown = {}
    for table in page.select("table[data-table=description]"):
        about, *quantities = (head.get_text() for head in table.select("thead th"))
        for row in table.select("tbody tr"):
            cells = [value_in(cell) for cell in row.select("td")]
            name = row.select_one("th").get_text()
            shown |= {(titles[about], name, one): cell for one, cell in zip(quantities, cells, strict=True) if cell}
    return shown, wanted


def beside(rows: list[Tag], heads: list[str], file: Files, chosen: str):
    """The same of the table with evaluators side by side: the informativity over its two accuracies."""
    shown = {
        (row.select_one("th").get_text(), head): (value_in(cell), interval_in(cell), below(cell))
        for row in rows
        for head, cell in zip(heads, row.select("td"), strict=True)
    }
    wanted = {}
    for row, whole in zip(file.rows, file.json, strict=True):
        ends = [number_of(row[f"informativity_{end}"]) for end in ("low", "high")]
        between = (format_interval(*ends) or "interval undefined") if row["informativity"] else ""
        accuracies = " → ".join(format_cell(row[name]) for name in ("guessability", "answerability"))
        name = name_code("evaluator", row["evaluator"])
        lines = " / ".join([*differing(whole["intervals"]["informativity"], chosen), accuracies])
        wanted[row["generator"], name] = (format_cell(row["informativity"], "number", ends), between, lines)
    return shown, wanted
