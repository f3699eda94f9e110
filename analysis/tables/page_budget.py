"""Limits on the size of a page, in cells, so that it loads quickly; measured by bench/page_weight.py.

A cell takes about 150 bytes, one with intervals by both conventions twice as many.
"""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from analysis.tables.grids import Grid, build_grids
from analysis.tables.spec import Table

MOST_ROWS = 30
FEWEST_ROWS = 5
LIST = 280  # cells of a list on its own page
GRIDS = 250  # cells of the grids above it
OPEN_GRIDS = 2  # grids per table on the results page, such as one per round
OPEN_CELLS = 100  # cells of these together; with more, only the first grid is shown
RESULTS_GRIDS = 260  # cells of all grids on a results page
RESULTS = 360  # cells of everything on a results page
GRID_CELLS = (300, 240, 180, 150, 120, 90, 60, 40)  # of a single grid on a results page, tried in this order
LIST_ROWS = (24, 18, 12, 8, FEWEST_ROWS)  # of each list on a results page, tried in this order


def count_rows_on_page(table: Table, of: int = 1) -> int:
    """The number of rows that a list may show on a page with `of` lists; fewer if it has more columns."""
    return max(FEWEST_ROWS, min(MOST_ROWS, LIST * 3 // (2 * of + 1) // len(table.columns)))


def split_into_pages(table: Table) -> list[list[Grid]]:
    """The grids of a table, divided into pages; a grid that is too large for one page is split."""
    found: list[list[Grid]] = []
    for grid in (piece for whole in build_grids(table) for piece in split_grid(whole)):
        if found and sum(map(count_cells, found[-1])) + count_cells(grid) <= GRIDS:
            found[-1].append(grid)
        else:
            found.append([grid])
    return found


def split_grid(grid: Grid) -> list[Grid]:
    most = count_grid_rows(grid, GRIDS)
    return [replace(grid, down=grid.down[start : start + most]) for start in range(0, len(grid.down), most)]


def count_grid_rows(grid: Grid, cells: int) -> int:
    """The number of rows of the grid that fit into this number of cells."""
    return max(FEWEST_ROWS, cells // (len(grid.across) + 1))


def count_cells(grid: Grid) -> int:
    return len(grid.down) * (len(grid.across) + 1)


def select_open_grids(table: Table) -> list[Grid]:
    """The first grids of a table for the results page: two if both are small, else one."""
    first = build_grids(table)[:OPEN_GRIDS]
    return first if sum(len(grid.down) * len(grid.across) for grid in first) <= OPEN_CELLS else first[:1]


def select_fitting_grids(tables: Iterable[Table]) -> dict[str, list[Grid]]:
    """The grids of each table for the results page, the largest ones shortened so that all fit.

    If there is too little room, second grids are dropped before any row.
    """
    several = {table.name: select_open_grids(table) for table in tables}
    single = {name: grids[:1] for name, grids in several.items()}
    for chosen, most in ((several, GRID_CELLS[0]), *((single, cells) for cells in GRID_CELLS)):
        found = {name: [shorten_grid(grid, most) for grid in grids] for name, grids in chosen.items()}
        if sum(count_cells(grid) for grids in found.values() for grid in grids) <= RESULTS_GRIDS:
            break
    return found


def shorten_grid(grid: Grid, cells: int) -> Grid:
    """The grid, shortened to this number of cells, unless only a single row would be left out."""
    most = count_grid_rows(grid, cells)
    return grid if len(grid.down) <= most + 1 else replace(grid, down=grid.down[:most], n_cut=len(grid.down) - most)


def count_fitting_rows(sizes: Sequence[tuple[int, int]], taken: int) -> int:
    """The number of rows of each list that fit on the results page beside the `taken` cells of other tables.

    `sizes`: the number of rows and columns of each list.
    """
    fitting = (most for most in LIST_ROWS if taken + sum(min(n, most) * across for n, across in sizes) <= RESULTS)
    return next(fitting, LIST_ROWS[-1])
