"""Differences between generators: alone, adjusted for multiple comparisons, and what they allow to say."""

from itertools import combinations

import numpy as np
import pytest

from analysis.choices import Choices
from analysis.measures.contrasts import AdjustedContrast
from analysis.measures.reader_intervals import Arm, contrast_parts
from analysis.reports.contrasts import Comparison, Family, GeneratorFigure, compare
from analysis.reports.headlines import RATING_WORDING, mark_ends, write_headline
from analysis.services.reporting import build
from tests.factory import answer, make_annotator, make_item, make_study, make_text

CONTRACT = (
    "measure", "evaluator", "generator_a", "generator_b", "difference", "low", "high", "low_adjusted", "high_adjusted",
    "p", "p_adjusted", "adjustment", "family_size", "n_texts", "n_annotators", "reason",
)  # fmt: skip
READERS, ANNOTATORS = Choices(seed=1), Choices(convention="annotators", seed=1)


def arm(mean: float, texts: int = 12, annotators: int = 6, noise: float = 0.05, seed: int = 0) -> Arm:
    """Every annotator on every text, 10 judgments each, around a mean."""
    rng = np.random.default_rng(seed)
    share = np.clip(mean + rng.normal(0, noise, (texts, annotators)), 0, 1)
    return Arm.of_tables(10 * share, np.full((texts, annotators), 10.0))


def family(**means: float) -> Family:
    figures = {name: GeneratorFigure((arm(mean, seed=place),)) for place, (name, mean) in enumerate(means.items())}
    return Family("answerability", "human", figures, 12, (-1.0, 1.0))


@pytest.fixture
def one_ahead() -> Comparison:
    """One generator far ahead of two that are alike."""
    return compare(family(low=0.4, other=0.41, high=0.8), READERS)


def test_each_alone_is_the_interval_of_readers_and_texts():
    made = family(a=0.5, b=0.7)
    [found] = compare(made, READERS).found
    parts = contrast_parts(made.figures["a"].added, made.figures["b"].added)
    assert (found.value, found.low, found.high) == pytest.approx((parts.value, *parts.ends()))


def test_simultaneous_intervals_are_wider_than_each_alone():
    for choices in (READERS, ANNOTATORS):
        for found in compare(family(a=0.5, b=0.55, c=0.7), choices).found:
            assert found.low_adjusted < found.low < found.high < found.high_adjusted
            assert found.p_adjusted >= found.p
            assert found.family_size == 3


def test_of_two_generators_there_is_nothing_to_adjust():
    [found] = compare(family(a=0.5, b=0.7), READERS).found
    assert (found.low_adjusted, found.high_adjusted) == pytest.approx((found.low, found.high))


def test_a_winner_differs_from_every_other(one_ahead):
    assert one_ahead.winner() == "high"
    assert [(each.better, each.worse) for each in one_ahead.clear_differences()] == [("high", "low"), ("high", "other")]


def test_generators_that_cannot_be_told_apart_share_the_lead():
    found = compare(family(low=0.4, other=0.8, high=0.81), READERS)
    assert found.winner() == ""
    assert sorted(found.leaders()) == ["high", "other"]


def make_contrast(value: float, reach: float) -> AdjustedContrast:
    ends = value - reach, value + reach
    return AdjustedContrast(value, *ends, *ends, 0.01, 0.03, "holm", 3)


def test_a_generator_that_any_other_beats_does_not_share_the_lead():
    """The best figure is too uncertain to beat the third, but the second beats it."""
    made = family(wide=0.85, sharp=0.8, low=0.4)
    pairs = {("wide", "sharp"): (0.05, 0.5), ("wide", "low"): (0.45, 0.5), ("sharp", "low"): (0.4, 0.1)}
    found = Comparison(made, tuple(make_contrast(*pairs[pair]) for pair in made.pairs()))
    assert found.leaders() == ["wide", "sharp"]
    assert found.winner() == ""
    assert [(each.better, each.worse) for each in found.clear_differences()] == [("sharp", "low")]


def test_lower_may_be_better():
    made = family(low=0.2, high=0.8, higher=0.82)
    stopped = compare(Family(made.measure, "human", made.figures, 12, (-1.0, 1.0), higher_is_better=False), READERS)
    assert stopped.winner() == "low"


def test_below_five_texts_nothing_is_adjusted_over_texts_and_nothing_is_claimed():
    figures = {
        name: GeneratorFigure((arm(mean, texts=4, seed=place),))
        for place, (name, mean) in enumerate([("a", 0.3), ("b", 0.5), ("c", 0.9)])
    }
    found = compare(Family("answerability", "human", figures, 4, (-1.0, 1.0)), ANNOTATORS)
    assert found.reason() == "Fewer than 5 texts cannot carry a comparison of all pairs."
    assert found.winner() == ""
    assert found.clear_differences() == []
    [sentence] = write_headline(found, RATING_WORDING)
    assert found.reason() in sentence


def test_a_scale_applies_to_the_difference_and_not_to_p():
    """The average of two dimensions is half the sum of their means."""
    figures = {
        "a": GeneratorFigure((arm(0.4, seed=1), arm(0.4, seed=2))),
        "b": GeneratorFigure((arm(0.6, seed=3), arm(0.6, seed=4))),
    }
    whole = compare(Family("average", "human", figures, 12, (-1.0, 1.0)), READERS).found[0]
    half = compare(Family("average", "human", figures, 12, (-1.0, 1.0), scale=0.5), READERS).found[0]
    assert half.value == pytest.approx(whole.value / 2)
    assert half.p == pytest.approx(whole.p)


def test_marks_are_given_to_a_group_that_stands_apart(one_ahead):
    rows = [{"generator": name, "mark": ""} for name in ("low", "other", "high")]
    assert [row["mark"] for row in mark_ends(rows, one_ahead)] == ["", "", "best"]


def test_without_a_difference_nothing_is_marked():
    rows = [{"generator": name, "mark": ""} for name in "abc"]
    found = compare(family(a=0.5, b=0.5, c=0.5), READERS)
    assert [row["mark"] for row in mark_ends(rows, found)] == ["", "", ""]


def test_chance_alone_makes_a_claim_in_at_most_one_of_twenty_studies():
    """Four equal generators, 60 studies: unadjusted, one in six would name a difference."""
    claims = 0
    for study in range(60):
        figures = {
            str(place): GeneratorFigure((arm(0.5, 8, 4, 0.1, seed=4 * study + place),)) for place in range(4)
        }  # fmt: skip
        claims += bool(compare(Family("m", "human", figures, 8, (-1.0, 1.0)), READERS).clear_differences())
    assert claims <= 6


@pytest.fixture
def study(project):
    """Six texts; items by ann are read right by everybody, those by bob half the time, those by cat hardly ever."""
    items = {}
    for number in range(6):
        text = make_text(project, f"t{number}")
        for name in ("ann", "bob", "cat"):
            items[name, number] = make_item(text, name, f"{name}{number}", "TFFF")
    made = make_study(project, "three", list(items.values()))
    for place in range(4):
        person = make_annotator(made, f"p{place}")
        for (name, number), item in items.items():
            is_right = {"ann": (place + number) % 6 > 0, "bob": (place + number) % 2, "cat": (place + number) % 6 == 0}
            answer(person, "guess", item, "TFFF" if (place + number) % 4 == 0 else "FTFF")
            answer(person, "read", item, "TFFF" if is_right[name] else "FFTF")
    return made


@pytest.mark.slow
@pytest.mark.django_db
def test_a_report_lists_every_pair_of_each_measure_and_evaluator(study):
    report = build(study, Choices(seed=1))
    table = report.table("contrasts")
    assert table.header == CONTRACT
    pairs = list(combinations(("ann", "bob", "cat"), 2))
    assert [(row["measure"], row["generator_a"], row["generator_b"]) for row in table.rows] == [
        (measure, *pair) for measure in ("guessability", "answerability", "informativity") for pair in pairs
    ]
    values = {row["generator"]: row["informativity"] for row in report.table("informativity").rows}
    for row in table.rows[6:]:
        assert row["difference"] == pytest.approx(values[row["generator_a"]] - values[row["generator_b"]])


@pytest.mark.slow
@pytest.mark.django_db
def test_a_star_stands_where_the_second_is_excluded_and_nowhere_else(study):
    report = build(study, Choices(seed=1))
    rows = {(row["measure"], row["generator_a"], row["generator_b"]): row for row in report.table("contrasts").rows}
    for won in (row for row in report.table("informativity").rows if "answerability" in row["wins"]):
        assert won["generator"] == "ann"
    beaten = [rows["answerability", "ann", other]["low_adjusted"] > 0 for other in ("bob", "cat")]
    starred = {row["generator"] for row in report.table("informativity").rows if "answerability" in row["wins"]}
    assert starred == ({"ann"} if all(beaten) else set())
    assert any(beaten)


def test_an_undefined_contrast_is_no_member_of_the_family():
    made = family(a=0.5, b=0.7)
    empty = Arm.of_tables(np.zeros((12, 6)), np.zeros((12, 6)))
    found = compare(
        Family("m", "human", made.figures | {"c": GeneratorFigure((empty,))}, 12, (-1.0, 1.0)), READERS
    )  # fmt: skip
    assert [each.family_size for each in found.found] == [1, 1, 1]
    assert [bool(each.reason) for each in found.found] == [False, True, True]
    assert isinstance(found.found[0], AdjustedContrast)
