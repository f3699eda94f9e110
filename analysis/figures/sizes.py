"""The size of a figure on a page, estimated from its table before it is drawn, so that the page does not shift later.

Estimates use the sizes that `analysis.figures` gives to rows, cells and letters; the drawing itself may differ.
"""

import textwrap
from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

from analysis.figures.intervals import FORESTS, measure_forest
from analysis.tables.spec import Row, Table
from analysis.words import name_code, name_evaluator
from studies.protocols.conditions import NOT_APPLICABLE
from studies.question_words import name_label, name_question

LETTERS, NARROW_LETTERS = 80, 15  # letters per line of a heading over a wide part and over a small panel


def write_category_heading(category: str, labels: Iterable[str]) -> str:
    """The category with its answers in order, without “not applicable”, which is written on its bars."""
    answers = [name_label(label) for label in dict.fromkeys(labels) if label != NOT_APPLICABLE]
    return textwrap.fill(f"{name_question(category)}: {', '.join(answers)}", LETTERS)


def write_panel_heading(question: str) -> str:
    """The name of a question over a small panel."""
    return textwrap.fill(name_question(question), NARROW_LETTERS)


SCREEN = 1.15  # a page shows figures larger than paper does, as static/js/figures.js draws them
PADDING, LINE = 54, 15
LETTER, SMALL_LETTER = 6.5, 5.8  # widths of letters before and after a row
BAR, WIDE_BAR = 420, 588
Size = tuple[float, float]


def measure_figure(name: str, table: Table, lines: int = 1) -> tuple[int, int]:
    """Width and height in pixels of the figure `name` with this number of lines under its title."""
    width, height = SIZES.get(name, measure_ranking)(table)
    return round(SCREEN * (width + PADDING)), round(SCREEN * (height + LINE * (lines - 1)))


def list_distinct(table: Table, *columns: str) -> list[Any]:
    """The distinct values of some columns, in order of occurrence."""
    return list(dict.fromkeys(row[column] for column in columns for row in table.rows))


def measure_longest(words: Iterable[str]) -> float:
    return max(map(len, words), default=0)


def measure_dumbbell(table: Table) -> Size:
    generators, evaluators = list_distinct(table, "generator"), list_distinct(table, "evaluator")
    alone = len(evaluators) < 2
    names = generators if alone else [name_evaluator(name) for name in evaluators]
    headers = 0 if alone else 24 * len(generators)
    return BAR + LETTER * measure_longest(names) + 20 * SMALL_LETTER, 62 * len(table.rows) + headers + 147


def measure_ratings(table: Table) -> Size:
    names = [f"{row['generator']} · {name_evaluator(row['evaluator'])}" for row in table.rows]
    return BAR + LETTER * measure_longest(names) + 27 * SMALL_LETTER, 40 * len(table.rows) + 134


def measure_accuracy_by_rating(table: Table) -> Size:
    return 582, 392


def measure_grid(columns: list[str], rows: list[str], cell: int = 62) -> Size:
    """The size of a grid of cells under slanted names."""
    return cell * len(columns) + LETTER * measure_longest(rows), 36 * len(rows) + 130 + 4.4 * measure_longest(columns)


def measure_generator_means(table: Table) -> Size:
    return measure_grid(
        [name_question(name) for name in list_distinct(table, "dimension")], list_distinct(table, "generator")
    )


def measure_dimension_correlations(table: Table) -> Size:
    defined = [row for row in table.rows if row["pearson"] is not None]
    names = list(dict.fromkeys(name_question(row[side]) for side in ("dimension_a", "dimension_b") for row in defined))
    return measure_grid(names, names)


def measure_metric_correlations(table: Table) -> Size:
    defined = [row for row in table.rows if row["r"] is not None]
    columns, rows = (list(dict.fromkeys(row[name] for row in defined)) for name in ("dimension", "metric"))
    return measure_grid([name_question(name) for name in columns], rows)


def measure_wins(table: Table) -> Size:
    names = list_distinct(table, "generator_a", "generator_b")
    return measure_grid(names, names, 110)


def measure_flow(table: Table) -> Size:
    names = [name_question(name) for name in list_distinct(table, "category")]
    return BAR + LETTER * measure_longest(names) + 23 * SMALL_LETTER, 34 * len(names) + 135


def measure_metric_by_score(table: Table) -> Size:
    drawn = [row for row in table.rows if row["median"] is not None]
    metrics, dimensions, scores = ({row[name] for row in drawn} for name in ("metric", "dimension", "score"))
    lines = max((write_panel_heading(name).count("\n") + 1 for name in dimensions), default=1)
    return 108 * len(dimensions) + 30, (20 * len(scores) + 94 + LINE * lines) * len(metrics) + 30


def select_rows_by_group_and_source(table: Table) -> list[Row]:
    """The rows of each group in each source, all generators together; if there is one group or one source, the rows by
    the other."""
    rows = [row for row in table.rows if not row["generator"]]
    split = [column for column in ("group", "source") if any(row[column] for row in rows)]
    unsplit = {"group", "source"} - set(split)
    return [
        row for row in rows if split and all(row[name] for name in split) and not any(row[name] for name in unsplit)
    ]


def name_group_and_source(row: Row) -> str:
    return " · ".join(filter(None, (row["group"], row["source"])))


def measure_labels_by_group_and_source(table: Table) -> Size:
    rows = select_rows_by_group_and_source(table)
    return measure_stacked_labels(
        replace(table, rows=tuple(rows)), list(dict.fromkeys(map(name_group_and_source, rows)))
    )


def measure_label_distributions(table: Table) -> Size:
    return measure_stacked_labels(table, [name_code("scope", name) for name in list_distinct(table, "generator")])


def measure_stacked_labels(table: Table, names: list[str]) -> Size:
    """The size of bars with these names for each category of the table."""
    labels: dict[str, list[str]] = {}
    for row in table.rows:
        labels.setdefault(row["category"], []).append(row["label"])
    lines = max(
        (write_category_heading(*each).count("\n") for each in labels.items()), default=0
    )  # all parts are equally far apart
    return WIDE_BAR + LETTER * measure_longest(names), len(labels) * (26 * len(names) + 29 + LINE * lines) + 125


def measure_ranking(table: Table) -> Size:
    """The size of a figure of points, one per generator; the default for figures that `SIZES` does not list."""
    names = list_distinct(table, "generator")
    return BAR + LETTER * measure_longest(names), 46 * len(names) + 105


def measure_outlook(table: Table) -> Size:
    return 262 * len(list_distinct(table, "axis")), 560


# The rows that a figure draws, where it does not draw all rows of its table.
DRAWN: dict[str, Callable[[Table], list[Row]]] = {
    **{name: shape.select_rows for name, shape in FORESTS.items()},
    "labels_by_group_and_source": select_rows_by_group_and_source,
    "applicable_labels_by_group_and_source": select_rows_by_group_and_source,
}
SIZES: dict[str, Callable[[Table], Size]] = {
    "dumbbell": measure_dumbbell,
    "dumbbell_matched": measure_dumbbell,
    "ratings": measure_ratings,
    "accuracy_by_rating": measure_accuracy_by_rating,
    "generator_means": measure_generator_means,
    "flow": measure_flow,
    "label_distributions": measure_label_distributions,
    "labels_by_group_and_source": measure_labels_by_group_and_source,
    "applicable_labels_by_group_and_source": measure_labels_by_group_and_source,
    "metric_by_score": measure_metric_by_score,
    "dimension_correlations": measure_dimension_correlations,
    "metric_correlations": measure_metric_correlations,
    "wins": measure_wins,
    "ranking": measure_ranking,
    "scores": measure_ranking,
    "outlook": measure_outlook,
    **dict.fromkeys(FORESTS, measure_forest),
}
