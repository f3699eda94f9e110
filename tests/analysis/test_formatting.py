"""Numbers as papers print them."""

import pytest
from django.utils.translation import override

from analysis.formatting import format_as, format_figure, format_interval, format_p_value, format_with_interval, number
from analysis.words import name_code, name_evaluator


@pytest.mark.parametrize(
    ("value", "printed"),
    [
        (0.529, ".53"),
        (-0.105, "−.10"),
        (-0.11, "−.11"),
        (1, "1.00"),
        (0, ".00"),
        (3.5, "3.50"),
        (-1.25, "−1.25"),
    ],
)
def test_two_digits_a_real_minus_and_no_zero_before_the_point(value, printed):
    assert number(value) == printed


@pytest.mark.parametrize(
    ("value", "printed"),
    [
        (0.0049, ".005"),
        (-0.001, "−.001"),
        (0.0004, "<.001"),
        (-0.0004, ">−.001"),
        (0.997, ".997"),
        (-0.997, "−.997"),
        (0.9997, ">.999"),
        (-0.9997, "<−.999"),
        (1.002, "1.00"),
        (1e-17, ".00"),
        (-1e-17, ".00"),
        (1 - 1e-12, "1.00"),
    ],
)
def test_only_none_at_all_is_point_zero_zero_and_only_all_is_one(value, printed):
    assert number(value) == printed


@pytest.mark.parametrize(
    ("p", "printed"),
    [(0.0321, ".032"), (0.2, ".200"), (0.00099, "<.001"), (0.0, "<.001"), (0.9999, ">.999"), (1, "1.000")],
)
def test_a_p_value_has_three_digits_and_is_never_nothing(p, printed):
    assert format_p_value(p) == format_as("p", p) == printed


def test_intervals_stand_in_brackets():
    assert format_interval(-0.19, -0.031) == "[−.19, −.03]"
    assert format_interval(None, 0.5) == ""


@pytest.mark.parametrize(
    ("ends", "printed"),
    [
        ((0.511, 0.514), "[.511, .514]"),
        ((0.001, 0.004), "[.001, .004]"),
        ((0.0, 0.0003), "[.00, <.001]"),
        ((-0.0003, 0.0002), "[>−.001, <.001]"),
        ((0.5, 0.5), "[.50, .50]"),
    ],
)
def test_only_an_interval_of_no_width_has_the_same_two_ends(ends, printed):
    assert format_interval(*ends) == printed


@pytest.mark.parametrize("language", ["de", "eu"])
def test_german_and_basque_have_a_comma_and_the_zero_before_it(language):
    with override(language):
        assert format_with_interval(0.35, -0.141, 0.562) == "0,35 [−0,14; 0,56]"
        assert (format_p_value(0.0321), format_p_value(0.0001), number(3.5), format_figure(12345)) == (
            "0,032",
            "<0,001",
            "3,50",
            "12.345",
        )


def test_a_number_has_as_many_digits_as_its_interval():
    assert format_with_interval(0.5126, 0.511, 0.514) == ".513 [.511, .514]"
    assert format_with_interval(0.5126, 0.41, 0.61) == ".51 [.41, .61]"
    assert format_with_interval(0.5126, None, None) == ".51"


def test_counts_stay_whole_and_large_means_lose_a_digit():
    assert (format_figure(1080), format_figure(327.44), format_figure(4.456)) == ("1080", "327.4", "4.46")


@pytest.mark.parametrize(("language", "message"), [("en", "12,080"), ("de", "12.080"), ("eu", "12.080")])
def test_long_counts_have_their_thousands_apart_as_the_language_writes_them(language, message):
    with override(language):
        assert format_figure(12080) == message


def test_evaluators_in_words():
    assert [name_evaluator(name) for name in ("human", "human:students", "gpt")] == [
        "people",
        "people: students",
        "gpt",
    ]


@pytest.mark.parametrize(
    ("kind", "code", "german", "basque"),
    [
        ("coefficient", "Percent agreement", "Prozentuale Übereinstimmung", "Adostasun-portzentajea"),
        ("coefficient", "Brennan–Prediger", "Brennan–Prediger", "Brennan–Prediger"),
        ("evaluator", "rules", "Regeln", "arauak"),
        ("weights", "identity", "Identität", "identitatea"),
        ("verdict", "accepted", "angenommen", "onartuta"),
        ("verdict", "", "", ""),
    ],
)
def test_codes_are_told_in_the_language_of_the_reader(kind, code, german, basque):
    values = {}
    for language in ("en", "de", "eu"):
        with override(language):
            values[language] = name_code(kind, code)
    assert values == {"en": code, "de": german, "eu": basque}
