"""Pages list ids as people read them, t2 before t10; files keep the order of the table."""

from analysis.results.links import sort_rows
from analysis.science.tables import TEXT_DIF, TEXT_VERSION_TEXTS
from analysis.tables.page import sort_naturally

TEXTS = ("t1", "t10", "t2")


def ids(table):
    return [row["text_id"] for row in table.rows]


def make_rows(spec, texts, **more):
    return [dict.fromkeys(spec.header) | {"text_id": text, "group_a": "a", "group_b": "b"} | more for text in texts]


def test_ids_are_sorted_by_their_numbers():
    table = TEXT_DIF.build(make_rows(TEXT_DIF, TEXTS))
    assert ids(table) == ["t1", "t10", "t2"]
    assert ids(sort_naturally(table)) == ["t1", "t2", "t10"]
    assert ids(sort_rows(table, "text_id")) == ["t1", "t2", "t10"]
    assert ids(sort_rows(table, "-text_id")) == ["t10", "t2", "t1"]


def test_rows_stay_with_their_measure():
    rows = [each for name in ("time", "rating") for each in make_rows(TEXT_VERSION_TEXTS, TEXTS, measure=name)]
    table = sort_naturally(TEXT_VERSION_TEXTS.build(rows))
    assert [row["measure"] for row in table.rows] == ["time"] * 3 + ["rating"] * 3
    assert ids(table) == ["t1", "t2", "t10"] * 2
