"""Tables of published data sets, in the columns that the import of tables knows."""

from collections.abc import Sequence

from items.formats.table_cells import Table, TableRow

# QGEval: a row a question, among them the reference; other columns are scores of annotators or metrics.
QGEVAL = ("id", "reference", "passage", "answer", "prediction", "source")
NAMES = ("text_id", "item_id", "text", "question", "answer", "generator", "reference")
REFERENCE = "reference"


def convert_known(table: Table) -> Table:
    """The table of a data set in our columns; any other as it is."""
    names = [name.strip().casefold() for name in table.header]
    if not set(QGEVAL) <= set(names):
        return table
    places = [names.index(name) for name in QGEVAL]
    return Table(list(NAMES), [convert_qgeval(row, places) for row in table.rows])


def convert_qgeval(row: TableRow, places: Sequence[int]) -> TableRow:
    """Ids as the import of judgments makes them; `source` is the data set and, after the first _, who wrote it."""
    number, _reference, passage, answer, question, source = (row.cells[place] for place in places)
    generator = source.partition("_")[2] or source
    is_reference = "yes" if generator == REFERENCE else "no"
    return TableRow(row.line, [number, f"{number}-{source}", passage, question, answer, generator, is_reference])
