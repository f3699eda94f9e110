"""Which options a cell of the column “correct” names."""

import pytest

from items.formats.table_columns import parse_keys

OPTIONS = {1: "In spring", 2: "In summer, or later", 3: "Never"}
NUMBERS = {1: "2", 2: "4", 3: "8"}


@pytest.mark.parametrize(
    ("cell", "keys"),
    [
        ("1", {1}),
        ("b", {2}),
        ("C)", {3}),
        ("Option 2", {2}),
        ("mc_answer3", {3}),
        ("Never", {3}),
        ("In summer, or later", {2}),
        ("1;3", {1, 3}),
        ("A, C", {1, 3}),
        ("a und c", {1, 3}),
        ("1|2|3", {1, 2, 3}),
        ("In spring; Never", {1, 3}),
        ("none", set()),
        ("Keine", set()),
        ("–", set()),
    ],
)
def test_options_are_named_by_number_letter_or_wording(cell, keys):
    assert parse_keys(cell, OPTIONS) == keys


def test_numbers_are_those_of_the_columns_though_one_is_empty():
    assert parse_keys("3", {1: "yes", 3: "no"}) == {3}
    with pytest.raises(ValueError, match="an option of this row"):
        parse_keys("2", {1: "yes", 3: "no"})


@pytest.mark.parametrize("cell", ["0", "4", "D", "AC", "in spring", "Sometimes", "1;Sometimes", "none;1"])
def test_what_names_no_option_is_refused(cell):
    with pytest.raises(ValueError, match="is not an option of this row"):
        parse_keys(cell, OPTIONS)


def test_silence_is_no_key():
    with pytest.raises(ValueError, match="not say which option is correct"):
        parse_keys("", OPTIONS)


def test_a_number_that_is_also_a_wording_is_refused_as_ambiguous():
    with pytest.raises(ValueError, match=r"“2” could mean several options \(1, 2\)"):
        parse_keys("2", NUMBERS)
    assert parse_keys("8", NUMBERS) == {3}
    assert parse_keys("b", NUMBERS) == {2}
    assert parse_keys("2", {1: "1", 2: "2"}) == {2}


def test_a_wording_that_two_options_share_is_ambiguous():
    with pytest.raises(ValueError, match="several options"):
        parse_keys("same", {1: "same", 2: "same"})
