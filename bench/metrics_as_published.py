"""How many values of QGEval's released metric file the metrics of the same name reproduce.

    python -m bench.metrics_as_published metric_result.xlsx [--wordnet FOLDER]

The file is `data/metric_result.xlsx` of the data set (Fu et al. 2024), or its first sheet as CSV: columns `reference`,
`prediction`, `source`, and one for each metric. References scored against themselves are left out: 2,800 questions
remain. Values are compared after rounding to four decimals.
"""

from __future__ import annotations

import argparse
import csv
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from xml.etree import ElementTree
from zipfile import ZipFile

from evaluation.metrics import Question, has_wordnet, list_metrics

METRICS = ("BLEU-4", "ROUGE-L", "METEOR")
DECIMALS = 4
FOLDER = "/usr/share/wordnet"
MOST_SHOWN = 5
SHEET = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
Row = dict[str, str]


def read_rows(file: Path) -> list[Row]:
    """The rows by the names of the first line, without those of references."""
    lines = read_sheet(file) if file.suffix == ".xlsx" else read_csv(file)
    header = next(lines)
    rows = ({name: line.get(column, "") for column, name in header.items()} for line in lines)
    return [row for row in rows if row["prediction"] and not row["source"].casefold().endswith("reference")]


def read_csv(file: Path) -> Iterator[Row]:
    """Each line as cells by column."""
    with file.open(encoding="utf-8-sig", newline="") as opened:
        for line in csv.reader(opened):
            yield {str(column): cell for column, cell in enumerate(line)}


def read_sheet(file: Path) -> Iterator[Row]:
    """Each line of an Excel file's first sheet as cells by the letters of the column."""
    with ZipFile(file) as parts:
        shared = read_strings(parts) if "xl/sharedStrings.xml" in parts.namelist() else []
        for line in parse_part(parts, "xl/worksheets/sheet1.xml").iter(f"{SHEET}row"):
            yield {re.sub(r"\d", "", cell.get("r", "")): read_cell(cell, shared) for cell in line}


def parse_part(parts: ZipFile, name: str) -> ElementTree.Element:
    return ElementTree.fromstring(parts.read(name))  # noqa: S314  # a file that whoever runs this has chosen


def read_strings(parts: ZipFile) -> list[str]:
    return [text_of(each) for each in parse_part(parts, "xl/sharedStrings.xml")]


def text_of(element: ElementTree.Element) -> str:
    return "".join(each.text or "" for each in element.iter(f"{SHEET}t"))


def read_cell(cell: ElementTree.Element, shared: list[str]) -> str:
    value = cell.findtext(f"{SHEET}v", "")
    if cell.get("t") == "s":
        return shared[int(value)]
    return text_of(cell) if cell.get("t") == "inlineStr" else value


def compare(rows: list[Row], name: str, compute: Callable[[Question], float]) -> list[str]:
    """The rows whose value differs, in words."""
    found = []
    for row in rows:
        question, reference = row["prediction"], row["reference"]
        own = round(compute(Question(question, "", "en", references=(reference,))), DECIMALS)
        printed = round(float(row[name]), DECIMALS)
        if own != printed:
            found.append(f"{printed} printed, {own} computed: {question} / {reference}")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path)
    parser.add_argument("--wordnet", default=FOLDER, help="folder of WordNet's files")
    asked = parser.parse_args()
    rows, metrics = read_rows(asked.file), list_metrics(asked.wordnet)
    if not has_wordnet(asked.wordnet):
        print(f"{asked.wordnet} has no WordNet: METEOR is left out.", file=sys.stderr)
    for name in METRICS:
        if name in metrics:
            different = compare(rows, name, metrics[name])
            print(f"{name}: {len(rows) - len(different)} of {len(rows)} equal")
            for line in different[:MOST_SHOWN]:
                print(f"  {line}")


if __name__ == "__main__":
    main()
