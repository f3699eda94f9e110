"""Numbers as papers print them."""

import pytest
from django.utils.translation import override

from analysis.formatting import evaluator_word, figure, figure_of, interval, number, worded


@pytest.mark.parametrize(
    ("value", "printed"),
    [
        (0.529, ".53"),
        (-0.105, "−.10"),
        (-0.11, "−.11"),
        (1, "1.00"),
        (0, ".00"),
        (-0.001, ".00"),
        (3.5, "3.50"),
        (-1.25, "−1.25"),
    ],
)
def test_two_digits_a_real_minus_and_no_zero_before_the_point(value, printed):
    assert number(value) == printed


@pytest.mark.parametrize(("p", "printed"), [(0.0004, "< .001"), (0.001, ".001"), (0.0426, ".043"), (1.0, "1.000")])
def test_a_p_is_never_printed_as_nothing(p, printed):
    assert figure_of("p", p) == printed


def test_intervals_stand_in_brackets():
    assert interval(-0.19, -0.031) == "[−.19, −.03]"
    assert interval(None, 0.5) == ""


def test_counts_stay_whole_and_large_means_lose_a_digit():
    assert (figure(1080), figure(327.44), figure(4.456)) == ("1080", "327.4", "4.46")


@pytest.mark.parametrize(("language", "said"), [("en", "12,080"), ("de", "12.080"), ("eu", "12.080")])
def test_long_counts_have_their_thousands_apart_as_the_language_writes_them(language, said):
    with override(language):
        assert figure(12080) == said


def test_evaluators_in_words():
    assert [evaluator_word(name) for name in ("human", "human:students", "gpt")] == [
        "people",
        "people: students",
        "gpt",
    ]


@pytest.mark.parametrize(
    ("kind", "code", "german", "basque"),
    [
        ("coefficient", "Percent agreement", "Prozentuale Übereinstimmung", "Adostasun-portzentajea"),
        ("coefficient", "Brennan–Prediger", "Brennan–Prediger", "Brennan–Prediger"),
        ("weights", "identity", "Identität", "identitatea"),
        ("verdict", "accepted", "angenommen", "onartuta"),
        ("verdict", "", "", ""),
    ],
)
def test_codes_are_told_in_the_language_of_the_reader(kind, code, german, basque):
    said = {}
    for language in ("en", "de", "eu"):
        with override(language):
            said[language] = worded(kind, code)
    assert said == {"en": code, "de": german, "eu": basque}
