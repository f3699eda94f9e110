"""A table is declared once: what `TableSpec` makes of rows, and that every declaration holds together."""

import pytest
from django.utils.translation import override

from analysis.agreement.tables import QUESTIONS
from analysis.plugins import find_plugin, load_plugins
from analysis.science.tables import TABLES
from analysis.services.reporting import list_specs
from analysis.tables.spec import Column, Crossing, TableSpec, count, estimate, prefixed_estimate

PROTOCOLS = ("none", *load_plugins())


class Half:
    """Stands for an `Estimate`."""

    value = 0.5

    def ends(self, convention):
        return (0.25, 0.75, "") if convention == "readers" else (None, None, "too few")

    def as_json(self):
        return {"readers": {"low": 0.25}}


SPEC = TableSpec(
    "means", "Means by generator", (
        Column("generator", "Generator"), "kind", estimate("mean", "Mean", "mean of people's scores"),
        Column("said", "Strength", in_files=False), count("n", "Scores"), "reason",
    ),
    keys=("generator",), notes=("Tokens are words and punctuation marks.",), page_first=("generator", "n"),
    crossings=(Crossing("mean", "generator", "kind"),),
)  # fmt: skip
ROW = {"said": "high", "n": 2, "mean": Half(), "kind": "", "generator": "ann"}


@pytest.mark.parametrize(
    ("convention", "ends", "reason"), [("readers", (0.25, 0.75), ""), ("published", (None, None), "too few")]
)
def test_an_estimate_fills_in_its_columns_by_the_convention(convention, ends, reason):
    (row,) = SPEC.build([ROW], convention).rows
    assert (row["mean"], row["low"], row["high"], row["reason"]) == (0.5, *ends, reason)
    assert row["intervals"] == {"mean": {"readers": {"low": 0.25}}}


def test_files_have_declared_columns_in_order_and_json_what_else_a_row_holds():
    table = SPEC.build([ROW], "readers")
    assert table.header == ("generator", "kind", "mean", "low", "high", "n", "reason")
    assert list(table.rows[0]) == [*table.header, "said", "intervals"]
    assert SPEC.build([ROW | {"reason": "own"}], "published").rows[0]["reason"] == "own"


def test_pages_have_the_columns_with_a_title_in_their_own_order():
    levels = {"generator": [count("n_1", "1")]}
    rows = [ROW | {"n_1": 3}]
    assert [each.name for each in SPEC.build(rows).columns] == ["generator", "n", "mean", "said"]
    assert [each.name for each in SPEC.build(rows, hide=("said",), more=levels).columns] == [
        "generator", "n", "n_1", "mean",
    ]  # fmt: skip
    assert SPEC.build(rows, more=levels).header[:2] == ("generator", "n_1")


def test_words_are_in_the_language_of_the_moment():
    with override("de"):
        table = SPEC.build([ROW])
    assert table.title != SPEC.title
    assert table.notes != SPEC.notes
    assert SPEC.build([ROW]).title == SPEC.title


def test_a_number_may_have_columns_named_after_it():
    spec = TableSpec("t", "T", (prefixed_estimate("gain", "Gain", ""), "n"))
    assert spec.header == ("gain", "gain_low", "gain_high", "gain_reason", "n")


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_declarations_name_columns_that_there_are(protocol):
    specs = list_specs(protocol)
    assert len(specs) > 5
    for spec in (*specs.values(), QUESTIONS):
        columns = spec.list_columns()
        known = {*spec.header, *(column.name for column in columns)}
        crossed = {
            name
            for each in spec.crossings
            for name in (each.number, each.down, each.across, each.back, each.mark, *each.apart, *each.beneath)
        }
        assert {*spec.keys, *spec.shared, *spec.page_first, *crossed} - {""} <= known, spec.name
        assert set(spec.keys) <= set(spec.header), spec.name
        assert len(columns) == len({column.name for column in columns}), spec.name


@pytest.mark.parametrize("table", TABLES, ids=lambda table: table.name)
def test_blocks_on_a_phone_name_each_number_by_a_word_of_its_own(table):
    titles = [column.title for column in table.list_columns() if column.title]
    assert len(set(titles)) == len(titles)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_what_has_keys_has_a_drill_down(protocol):
    assert [spec.name for spec in find_plugin(protocol).tables() if bool(spec.keys) != bool(spec.list_answers)] == []
