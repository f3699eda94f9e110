"""Long tables that read best as grids: on the page and in TeX, with the numbers of the list."""

from dataclasses import replace

import pytest
from bs4 import BeautifulSoup
from django.core.cache import cache
from django.urls import reverse

from analysis.tables.page_budget import select_open_grids
from analysis.tables.page_grids import pivot
from analysis.tables.spec import Column, Crossing
from analysis.tables.writers import as_tex
from tests.analysis.rows import lines_under, make_table
from tests.dimensions import import_study

SHOWN = (
    Column("who", "Who"),
    Column("on", "On", "label"),
    Column("round", "Round", "count"),
    Column("mean", "Mean", "number", "low", "high", "reason", about="a mean"),
    Column("p", "p", "number"),
    Column("mark", "Mark", "mark"),
)


def row(who, on, mean, number=1, **more):
    ends = {"low": None if mean is None else mean - 0.25, "high": None if mean is None else mean + 0.25}
    both = dict.fromkeys(("annotators", "published"), ends)
    about = {"method": "jackknife-t", "unit": "text", "n_units": 2, "n_responses": 4, "replicates": 2, "seed": None}
    values = {"who": who, "on": on, "round": number, "mean": mean, "p": 0.5, "mark": "", "reason": "", **ends}
    return values | {"intervals": {"mean": {name: each | about for name, each in both.items()}}} | more


def table(rows, **crossing):
    columns = ("who", "on", "round", "mean", "low", "high", "p", "mark", "reason")
    how = (Crossing("mean", "who", "on", **crossing),)
    return make_table("t", columns, rows, title="T", columns=SHOWN, crossings=how, keys=("who", "on", "round"))


ROWS = [
    row("a", "clear_cut", 2.5, mark="best"), row("a", "short", None, reason="no answers"),
    row("b", "clear_cut", -1.5, mark="worst"), row("b", "short", 2.0),
]  # fmt: skip


def texts(grid):
    return [[cell.text for cell in line] for line in grid.rows]


def test_columns_that_are_numbers_say_what_they_number():
    rounds = [row("a", "short", 2.0, number=number) for number in (1, 2)]
    by_round = (Crossing("mean", "who", "round"),)
    (grid,) = pivot(replace(table(rounds), crossings=by_round), "annotators")
    assert [column.title for column in grid.head] == ["Who", "Round 1", "Round 2"]


def test_the_results_page_opens_a_second_grid_only_while_both_are_small():
    def wide(n):
        return table([row("a", f"o{place}", 1.0, number=number) for place in range(n) for number in (1, 2)],
                     apart=("round",))  # fmt: skip

    assert [len(select_open_grids(wide(n))) for n in (2, 50, 51)] == [2, 2, 1]


def test_values_of_one_column_stand_down_and_of_another_across():
    (grid,) = pivot(table(ROWS), "annotators")
    assert [column.title for column in grid.head] == ["Who", "clear cut", "short"]
    assert texts(grid) == [["a", "2.50", "undefined"], ["b", "−1.50", "2.00"]]


def test_a_cell_keeps_its_interval_link_hover_and_reason():
    (grid,) = pivot(table(ROWS), "annotators", lambda row, column: f"/{row['who']}/{row['on']}/{column.name}")
    cell = grid.rows[0][1]
    assert (cell.href, cell.under) == ("/a/clear_cut/mean", ("[2.25, 2.75]",))
    assert cell.remarks[:2] == ("a mean", "95 % interval: jackknife over texts (t)")
    empty = grid.rows[0][2]
    assert (empty.href, grid.footnotes[empty.mark]) == ("", "no answers")


def test_marks_are_signs_that_are_explained():
    (grid,) = pivot(table(ROWS, mark="mark"), "annotators")
    assert [(grid.rows[0][1].sign, grid.rows[0][1].is_strong), (grid.rows[1][1].sign, grid.rows[1][1].is_strong)] == [
        ("▲", True), ("▼", False),
    ]  # fmt: skip
    assert "▲ best, ▼ worst" in grid.notes


def test_each_round_has_a_grid_named_after_it():
    rows = [*ROWS, row("a", "short", 1.0, number=2)]
    first, second = pivot(table(rows, apart=("round",)), "annotators")
    assert (first.title, second.title) == ("Round: 1", "Round: 2")
    assert texts(second) == [["a", "", "1.00"]]


def test_a_pair_that_is_said_once_stands_on_both_sides_of_the_diagonal():
    rows = [row("a", "b", 0.5), row("a", "c", 0.25), row("b", "c", -0.5)]
    (grid,) = pivot(table(rows, mirrored=True, beneath=("p",)), "annotators")
    assert texts(grid) == [["a", "", ".50", ".25"], ["b", ".50", "", "−.50"], ["c", ".25", "−.50", ""]]
    assert lines_under(grid.rows[0][2])[-1] == ".50"
    assert "In each cell: Mean; below it: p." in grid.notes


def test_a_pair_seen_from_its_other_side_shows_the_other_number_and_leads_to_it():
    rows = [row("a", "b", 0.5, p=0.25), row("b", "c", 0.75, p=0.125)]
    (grid,) = pivot(
        table(rows, mirrored=True, back="p", heading="One"), "annotators",
        lambda row, column: f"/{row['who']}/{row['on']}/{column.name}",
    )  # fmt: skip
    assert texts(grid) == [["a", "", ".50", ""], ["b", ".25", "", ".75"], ["c", "", ".12", ""]]
    assert [grid.rows[0][2].href, grid.rows[1][1].href] == ["/a/b/mean", "/a/b/p"]
    assert grid.head[0].title == "One"


def test_several_numbers_stand_under_one_each_in_its_place():
    rows = [row("a", "x", 0.5, p=None), row("a", "y", 0.75), row("a", "z", None, reason="no answers")]
    (grid,) = pivot(table(rows, beneath=("p", "round", "who")), "annotators")
    assert [lines_under(cell)[-1:] for cell in grid.rows[0][1:]] == [("undefined · 1 · a",), (".50 · 1 · a",), ()]
    assert grid.notes[-1] == "In each cell: Mean; below it: p · Round · Who."


def test_why_one_of_several_under_a_number_is_undefined_stands_below():
    shown = (*SHOWN[:4], replace(SHOWN[4], reason="reason"), SHOWN[5])
    rows = [row("a", "x", 0.5, p=None, reason="all alike"), row("a", "y", 0.75)]
    (grid,) = pivot(replace(table(rows, beneath=("p", "round")), columns=shown), "annotators")
    assert grid.footnotes[grid.rows[0][1].mark] == grid.rows[0][1].reason == "all alike"
    assert not grid.rows[0][2].mark


def test_each_crossing_has_grids_of_its_own_with_only_the_rows_it_is_about():
    rows = [
        row("a", "x", 1.0, mark="best"), row("a", "y", 2.0, mark="best"), row("b", "z", 9.0),
        row("a", "x", 3.0, number=2), row("b", "x", 4.0, number=2),
    ]  # fmt: skip
    by_what = Crossing("mean", "who", "on", where=(("mark", "best"),), title="By what")
    by_whom = Crossing("mean", "on", "who", where=(("mark", ""), ("on", "x")), apart=("mark", "round"), title="By whom")
    first, second = pivot(replace(table(rows), crossings=(by_what, by_whom)), "annotators")
    assert (first.title, texts(first)) == ("By what", [["a", "1.00", "2.00"]])
    assert (second.title, texts(second)) == ("By whom", [["x", "3.00", "4.00"]])


def test_the_title_of_a_crossing_stands_before_what_tells_its_grids_apart():
    rows = [*ROWS, row("a", "short", 1.0, number=2)]
    first, second = pivot(table(rows, apart=("round",), title="By what"), "annotators")
    assert (first.title, second.title) == ("By what · Round: 1", "By what · Round: 2")


def test_a_crossing_of_one_column_has_no_grid_beside_others():
    rows = [row("a", "x", 1.0), row("b", "x", 2.0)]
    ways = (Crossing("mean", "who", "on"), Crossing("mean", "on", "who"))
    (grid,) = pivot(replace(table(rows), crossings=ways), "annotators")
    assert texts(grid) == [["x", "1.00", "2.00"]]


def test_tex_has_a_table_for_each_crossing_and_the_notes_once():
    ways = (Crossing("mean", "who", "on"), Crossing("mean", "on", "who", beneath=("p", "round")))
    tex = as_tex(replace(table(ROWS), crossings=ways, notes=("Of all.",)))
    first, second = tex.split("\n\n")
    assert r"Who & clear cut & short \\" in first
    assert r"On & a & b \\" in second
    assert r" & \footnotesize .50 · 1 & \footnotesize .50 · 1 \\" in second
    assert tex.count("Of all.") == second.count("Of all.") == 1


def test_what_is_the_same_in_a_whole_line_stands_at_its_end():
    (grid,) = pivot(table(ROWS, along=("p",)), "annotators")
    assert [column.title for column in grid.head][-1] == "p"
    assert [line[-1].text for line in grid.rows] == [".50", ".50"]


def test_a_single_column_stays_a_list():
    assert pivot(table([row("a", "x", 1.0), row("b", "x", 2.0)]), "annotators") == []
    assert pivot(table([]), "annotators") == []


def test_tex_prints_the_grid_with_its_marks():
    assert as_tex(table([*ROWS, row("a", "short", 1.0, number=2)], apart=("round",), mark="mark")).splitlines() == [
        r"\begin{tabular}{lrr}",
        r"\toprule",
        r"Who & clear cut & short \\",
        r"\midrule",
        r"\multicolumn{3}{l}{\emph{Round: 1}} \\",
        r"a & \textbf{2.50} & undefined \\",
        r" & \footnotesize [2.25, 2.75] &  \\",
        r"b & \underline{$-$1.50} & 2.00 \\",
        r" & \footnotesize [$-$1.75, $-$1.25] & \footnotesize [1.75, 2.25] \\",
        r"\midrule",
        r"\multicolumn{3}{l}{\emph{Round: 2}} \\",
        r"a &  & 1.00 \\",
        r" &  & \footnotesize [.75, 1.25] \\",
        r"\bottomrule",
        r"\end{tabular}",
        r"\par\footnotesize bold: best, underlined: worst",
    ]


def test_a_name_in_a_grid_of_tex_runs_nothing():
    assert r"\textbackslash{}input\{x\} &" in as_tex(table([row(r"\input{x}", "a", 1.0), row("b", "c", 1.0)]))


def test_a_name_in_a_grid_of_tex_is_never_an_option_of_the_line_above():
    lines = as_tex(table([row("[a]", "x", 1.0), row("*b", "y", 1.0)])).splitlines()
    assert [line[:5] for line in lines if line[:1] == "{"] == ["{[}a]", "{*}b "]


@pytest.mark.slow
@pytest.mark.django_db
def test_the_results_page_shows_grids_and_keeps_the_list(project, as_user, reviewer):
    cache.clear()
    import_study(project)
    html = as_user(reviewer).get(reverse("results_details", args=["dims"])).content.decode()
    section = BeautifulSoup(html, "html.parser").find(id="generator_means")
    assert "Round: 1" in [heading.text for heading in section.select("h3, h4, caption")]
    assert "All 48 rows" in section.text
    assert len(section.select("table")) == 2
