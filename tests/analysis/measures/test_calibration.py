"""Calibration, label mass, the alternative-annotator test and the planner."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import ttest_1samp
from sklearn.calibration import calibration_curve
from sklearn.metrics import brier_score_loss
from statsmodels.stats.multitest import multipletests

from analysis.measures.power import (
    Components,
    Plan,
    expected_share,
    informativity_curve,
    informativity_outlook,
    logit_of,
    preference_outlook,
)
from analysis.measures.stand_in import (
    CROWD,
    EXPERTS,
    NUMBERS,
    SKILLED,
    TOO_FEW_PEOPLE,
    TOO_FEW_SHARED,
    alternative_annotator_test,
    label_mass,
    reliability,
)


def columns(rows: list[tuple[int, bool]]) -> tuple[np.ndarray, np.ndarray]:
    return np.array([row[0] / 20 for row in rows]), np.array([row[1] for row in rows])


@given(st.lists(st.tuples(st.floats(0.001, 0.999), st.booleans()), min_size=1, max_size=40))
def test_brier_and_bins_are_scikit_learns(rows):
    p, true = np.array([row[0] for row in rows]), np.array([row[1] for row in rows])
    found = reliability(p, true)
    assert found.brier == pytest.approx(brier_score_loss(true, p, labels=[False, True]))
    share, mean_p = calibration_curve(true, p, n_bins=10)
    filled = found.n > 0
    assert found.n.sum() == len(p)
    if not (np.isclose(p * 10, np.round(p * 10))).any():  # bins part at their ends differently
        np.testing.assert_allclose(found.share[filled], share)
        np.testing.assert_allclose(found.mean_p[filled], mean_p)


def test_calibration_error_weighs_bins_by_their_judgments():
    found = reliability(np.array([0.1, 0.1, 0.9, 1.0]), np.array([False, True, True, True]), bins=2)
    assert found.n.tolist() == [2, 2]
    assert found.ece == pytest.approx(0.5 * 0.4 + 0.5 * 0.05)
    assert math.isnan(reliability(np.zeros(0), np.zeros(0, dtype=bool)).ece)


def test_calibration_error_by_chance_is_that_of_keys_drawn_from_the_probabilities():
    """Four judgments of .5: 0, 1, … 4 keys are drawn, by |keys / 4 - .5| .1875 on average; as normal deviates .1995."""
    half = np.full(4, 0.5)
    assert reliability(half, half > 1).ece_by_chance == pytest.approx(math.sqrt(2 / math.pi) * 0.25)
    p = np.random.default_rng(1).beta(0.5, 0.5, 300)
    drawn = [reliability(p, np.random.default_rng(seed).random(300) < p).ece for seed in range(200)]
    assert reliability(p, p > 0.5).ece_by_chance == pytest.approx(np.mean(drawn), rel=0.05)


def test_label_mass_counts_what_is_missing_and_what_is_low():
    found = label_mass(np.array([0.5, 0.1, np.nan, 0.7]), np.array([0.4, 0.1, 0.3, 0.3]))
    assert (found.n, found.missing, found.low) == (3, 1, 1)
    assert (found.mean, found.median, found.least) == pytest.approx((2.1 / 3, 0.9, 0.2))
    nothing = label_mass(np.array([np.nan]), np.array([0.5]))
    assert (nothing.n, nothing.missing) == (0, 1)
    assert math.isnan(nothing.mean)


def people(r: int, units: int, accuracy: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    truth = rng.integers(3, size=units).astype(float)
    answers = np.where(rng.random((r, units)) < accuracy, truth, rng.integers(3, size=(r, units)))
    return answers.astype(float), truth


def test_a_model_that_knows_the_truth_may_stand_in_and_one_that_guesses_may_not():
    answers, truth = people(4, 80, 0.6, seed=1)
    good = alternative_annotator_test(answers, truth, EXPERTS)
    bad = alternative_annotator_test(answers, np.random.default_rng(2).integers(3, size=80).astype(float), CROWD)
    assert (good.is_passed, good.winning_rate) == (True, 1.0)
    assert (bad.is_passed, bad.winning_rate) == (False, 0.0)
    assert good.advantage > 0.8 > bad.advantage


def test_p_is_that_of_a_paired_t_test_against_epsilon():
    answers, truth = people(3, 50, 0.7, seed=3)
    answers[1, ::5] = np.nan
    found = alternative_annotator_test(answers, truth, EXPERTS)
    ours, theirs = [], []
    for unit in range(50):
        others = [answers[code, unit] for code in (1, 2) if not math.isnan(answers[code, unit])]
        ours.append(np.mean([other == truth[unit] for other in others]))
        theirs.append(np.mean([other == answers[0, unit] for other in others]))
    ours, theirs = np.array(ours), np.array(theirs)
    differences = (theirs >= ours).astype(float) - (ours >= theirs)
    second = ttest_1samp(differences, EXPERTS, alternative="less")
    assert found.p[0] == pytest.approx(second.pvalue)
    assert (found.model_at_least[0], found.person_at_least[0]) == ((ours >= theirs).mean(), (theirs >= ours).mean())
    assert found.n_units.tolist() == [50, 40, 50]


@pytest.mark.parametrize(("units", "passes"), [(5, False), (20, False), (30, True)])
def test_units_that_show_no_difference_pass_only_where_they_are_enough_to_show_one(units, passes):
    """Without any spread there is no t. A model .15 worse than people would show it in none of n units by .85 to n."""
    answers = np.tile(np.arange(units) % 2, (3, 1)).astype(float)
    found = alternative_annotator_test(answers, answers[0], SKILLED)
    assert found.p == pytest.approx(np.full(3, 0.85**units))
    assert found.is_passed == passes
    assert alternative_annotator_test(answers, 1 - answers[0], SKILLED).p.tolist() == [1.0, 1.0, 1.0]


def test_numbers_are_compared_by_their_distance():
    answers = np.array([[1.0, 2, 3, 4, 5, 1], [1, 2, 3, 4, 4, 2], [2, 2, 3, 5, 5, 1]])
    near = alternative_annotator_test(answers, answers.mean(axis=0), CROWD, NUMBERS)
    far = alternative_annotator_test(answers, answers.mean(axis=0) + 4, CROWD, NUMBERS)
    assert near.winning_rate > far.winning_rate == 0.0
    assert near.few_units == 3


def test_two_people_or_nothing_shared_are_undefined_and_do_not_pass():
    answers, truth = people(3, 10, 0.7, seed=4)
    assert alternative_annotator_test(answers[:2], truth, CROWD).reason == TOO_FEW_PEOPLE
    apart = alternative_annotator_test(answers, np.full(10, np.nan), CROWD)
    assert (apart.reason, apart.is_passed) == (TOO_FEW_SHARED, False)
    assert math.isnan(apart.winning_rate)


@settings(max_examples=20)
@given(st.integers(0, 1000), st.permutations(range(4)))
def test_order_of_people_and_names_of_categories_do_not_matter(seed, order):
    answers, truth = people(4, 20, 0.6, seed)
    one = alternative_annotator_test(answers, truth, CROWD)
    other = alternative_annotator_test((answers[list(order)] + 1) % 3, (truth + 1) % 3, CROWD)
    np.testing.assert_allclose(one.p[list(order)], other.p, atol=1e-12)
    assert one.winning_rate == other.winning_rate


@pytest.mark.parametrize("share", [0.05, 0.5, 0.84])
def test_the_mean_logit_gives_the_wanted_share(share):
    assert expected_share(logit_of(share, 1.25), 1.25) == pytest.approx(share, abs=1e-9)


@pytest.mark.parametrize(("texts", "annotators", "power"), [(10, 6, 0.19), (40, 6, 0.64), (10, 12, 0.24)])
def test_texts_buy_power_and_annotators_hardly_do(texts, annotators, power):
    # a difference of .10 with the default components; the figures are of a simulation of its own
    found = informativity_outlook(Plan(texts, annotators), 0.58, (0.84, 0.74), seed=1, studies=250)
    assert found.power == pytest.approx(power, abs=0.09)
    assert found.power_error == pytest.approx(math.sqrt(found.power * (1 - found.power) / 250))


def test_equal_generators_are_rarely_told_apart_and_more_texts_narrow_the_interval():
    few = informativity_outlook(Plan(10, 4), 0.6, (0.8, 0.8), seed=2, studies=200)
    many = informativity_outlook(Plan(30, 4), 0.6, (0.8, 0.8), seed=2, studies=200)
    assert few.power < 0.12
    assert many.difference_width < few.difference_width
    assert few == informativity_outlook(Plan(10, 4), 0.6, (0.8, 0.8), seed=2, studies=200)


def test_a_curve_has_a_study_s_own_size_among_its_parts():
    """Drawn once at the largest size; widths shrink with texts and, less, with annotators."""
    plan, shares = Plan(10, 4), (0.58, (0.84, 0.74))
    texts = informativity_curve(plan, ("texts", [5, 10, 20, 40]), *shares, seed=1, studies=200)
    people = informativity_curve(plan, ("annotators", [4, 8, 16]), *shares, seed=1, studies=200)
    widths = [each.width for each in texts]
    assert widths == sorted(widths, reverse=True)
    assert texts[1].width == pytest.approx(people[0].width, abs=0.03)
    assert texts[2].width < people[1].width < people[0].width
    alone = informativity_outlook(Plan(40, 4), *shares, seed=1, studies=200)
    assert texts[-1] == alone


def test_a_plan_in_which_nobody_guesses_a_generator_has_no_outlook():
    found = informativity_outlook(Plan(2, 1, generators=40), 0.6, (0.8, 0.7), seed=1, studies=50)
    assert math.isnan(found.power)
    assert math.isnan(found.width)


def test_readers_who_share_the_texts_see_less_than_as_many_who_read_all():
    shares = (0.58, (0.84, 0.74))
    spread = Components(annotator=2.0)
    few = informativity_outlook(Plan(30, 3), *shares, seed=1, studies=300, components=spread)
    many = informativity_outlook(Plan(30, 3, pool=30), *shares, seed=1, studies=300, components=spread)
    assert many.width > few.width  # the same three are in every text; others' habits add to the texts' differences


def test_a_preference_is_seen_more_surely_the_stronger_it_is():
    found = [preference_outlook(20, 5, share, seed=1, studies=300) for share in (0.5, 0.6, 0.7)]
    assert found[0].power < 0.1 < found[1].power < found[2].power


def test_p_of_numbers_compares_root_mean_squared_distances():
    rng = np.random.default_rng(6)
    truth = rng.integers(1, 6, size=40).astype(float)
    answers = truth + rng.normal(0, 1, size=(3, 40))
    model = truth + rng.normal(0, 0.7, size=40)
    found = alternative_annotator_test(answers, model, CROWD, NUMBERS)
    far = [np.sqrt(np.mean([(other - one) ** 2 for other in answers[1:]], axis=0)) for one in (model, answers[0])]
    differences = (far[1] <= far[0]).astype(float) - (far[0] <= far[1])
    assert found.p[0] == pytest.approx(ttest_1samp(differences, CROWD, alternative="less").pvalue)


def test_the_winning_rate_counts_people_after_benjamini_and_yekutieli():
    answers, truth = people(5, 60, 0.65, seed=8)
    model = np.where(np.random.default_rng(9).random(60) < 0.8, truth, (truth + 1) % 3)
    found = alternative_annotator_test(answers, model, EXPERTS)
    np.testing.assert_allclose(found.p_adjusted, multipletests(found.p, method="fdr_by")[1])
    assert found.winning_rate == np.mean(found.p_adjusted < 0.05)


def test_judgments_that_come_twice_leave_calibration():
    p, true = columns([(3, False), (9, True), (12, False), (15, True), (15, True), (19, True)])
    one, two = reliability(p, true), reliability(np.tile(p, 2), np.tile(true, 2))
    assert (two.brier, two.ece) == pytest.approx((one.brier, one.ece))
    assert (two.n == 2 * one.n).all()
