"""Published and analytic values of estimates from people and models, reliability, raters, item response and DIF."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from scipy.stats import t as student
from scipy.stats import ttest_ind

from analysis.measures.correlations import merge_equal_columns, naive_difference, regress_within_texts
from analysis.measures.informativity import carry_over
from analysis.measures.item_response import (
    MISSING,
    classify,
    fit_item_response,
    fit_statistics,
    item_functioning,
    mantel_haenszel,
    residual_correlations,
)
from analysis.measures.prediction_powered import PEOPLE_ONLY, SLOPE_ONE, Cell, Judgments, combine, fit, gain
from analysis.measures.rater_effects import (
    crossed_components,
    d_study,
    find_linked_raters,
    g_study,
    g_study_without,
    noise_shares,
    rater_severity,
    share_of_noise,
)
from analysis.measures.reader_intervals import FIXED, RANDOM, reliability_parts
from analysis.measures.reliability import (
    alpha_of_covariances,
    alpha_of_parts,
    generator_correlation,
    item_correlation,
    largest_block,
    omega_of_loadings,
    omega_total,
    reliability_of_an_hour,
    spearman_brown,
)
from analysis.measures.text_versions import text_difference, version_effects

LSAT6 = (
    3,
    6,
    2,
    11,
    1,
    1,
    3,
    4,
    1,
    8,
    0,
    16,
    0,
    3,
    2,
    15,
    10,
    29,
    14,
    81,
    3,
    28,
    15,
    80,
    16,
    56,
    21,
    173,
    11,
    61,
    28,
    298,
)
SHROUT_FLEISS = np.array([[9, 2, 5, 8], [6, 1, 3, 2], [8, 4, 6, 8], [7, 1, 2, 6], [10, 5, 6, 9], [6, 2, 4, 7]], float)
ADMISSIONS = [[[512, 313], [89, 19]], [[353, 207], [17, 8]], [[120, 205], [202, 391]], [[138, 279], [131, 244]],
              [[53, 138], [94, 299]], [[22, 351], [24, 317]]]  # fmt: skip
UNIT = (0.0, 1.0)


@pytest.fixture(scope="module")
def lsat6() -> np.ndarray:
    """(1000, 5) answers of Bock & Lieberman (1970)."""
    patterns = np.array([[int(digit) for digit in f"{code:05b}"] for code in range(32)])
    return np.repeat(patterns, LSAT6, axis=0)


# People on some texts, a model on all --------------------------------------------------------------------------------


def draw_cell(n_all: int, n: int, seed: int = 0, readers: int = 4) -> Cell:
    rng = np.random.default_rng(seed)
    level = rng.normal(0.7, 0.1, n_all)
    text, annotator = (each.ravel() for each in np.indices((n, readers)))
    right = rng.binomial(3, np.clip(level[text] + rng.normal(0, 0.1, readers)[annotator], 0, 1)).astype(float)
    judged = Judgments(text, annotator, right, np.full(n * readers, 3.0))
    predicted = level + rng.normal(0, 0.05, n_all)
    chance = rng.uniform(0.3, 0.9, n_all)
    return Cell(judged.share(n_all), predicted, chance, rng.integers(2, 5, n_all).astype(float), judged)


def test_people_and_a_model_give_the_slope_and_the_estimate() -> None:
    people, there, elsewhere = (
        [0.9, 0.7, 0.8, 1, 0.6, 0.8],
        [0.8, 0.6, 0.9, 0.9, 0.5, 0.7],
        [0.4, 0.9, 0.6, 0.7, 1, 0.3],
    )
    cell = Cell(np.array([*people, *[np.nan] * 6]), np.array([*there, *elsewhere]), np.full(12, 0.5), np.ones(12))
    found = fit(cell)
    assert (found.slope, found.value) == (pytest.approx(0.75), pytest.approx(0.76875))
    assert fit(cell, PEOPLE_ONLY).value == pytest.approx(0.8)
    assert fit(cell, SLOPE_ONE).value == pytest.approx(0.758333, abs=1e-6)
    assert combine([found], [1], UNIT, FIXED).n_texts_effective - 1 == 4
    assert gain(0.7, 20, 100) == pytest.approx(1.644737, abs=1e-6)


def test_leaving_out_in_closed_form_is_refitting() -> None:
    cell = draw_cell(15, 9)
    scale = cell.weight / cell.weight.mean()
    refitted = []
    for one in range(15):  # the mean weight is that of all texts: it is known, not estimated
        keep = np.arange(15) != one
        rescaled = Cell(
            cell.people[keep] * scale[keep], cell.predicted[keep] * scale[keep], cell.chance[keep], np.ones(14)
        )
        refitted.append(fit(rescaled).value)
    u, rest = np.array(refitted[:9]), np.array(refitted[9:])
    variance = 8 / 9 * ((u - u.mean()) ** 2).sum() + 5 / 6 * ((rest - rest.mean()) ** 2).sum()
    assert combine([fit(cell)], [1], UNIT, FIXED).texts == pytest.approx(variance, rel=1e-9)


def test_informativity_is_the_difference_of_what_is_printed_and_readers_widen_it() -> None:
    read, guess = fit(draw_cell(40, 20, 1)), fit(draw_cell(40, 20, 2))
    fixed, random = (combine([read, guess], [1, -1], (-1, 1), readers) for readers in (FIXED, RANDOM))
    assert random.value == fixed.value == pytest.approx(read.value - guess.value)
    assert random.texts == fixed.texts
    assert random.annotators > 0
    assert random.reach(0.05) > fixed.reach(0.05)


def test_a_predictor_that_does_not_vary_is_people_only() -> None:
    cell = draw_cell(30, 12)
    same = Cell(cell.people, np.full(30, 0.5), cell.chance, np.ones(30), cell.judgments)
    assert (fit(same).slope, fit(same).r) == (0, 0)
    assert fit(same).value == pytest.approx(fit(same, PEOPLE_ONLY).value)


# Reliability and raters -----------------------------------------------------------------------------------------------


def test_reliability_of_lsat6(lsat6: np.ndarray) -> None:
    found = alpha_of_parts(lsat6.astype(float))
    assert (found.value, found.low, found.high) == pytest.approx((0.295, 0.223, 0.362), abs=5e-4)


def test_reliability_of_loadings_and_of_shrout_and_fleiss() -> None:
    loadings = np.array([0.8, 0.7, 0.6, 0.5])
    covariance = np.outer(loadings, loadings) + np.diag(1 - loadings**2)
    assert omega_of_loadings(loadings, 1 - loadings**2) == pytest.approx(0.749446, abs=1e-6)
    assert alpha_of_covariances(covariance) == pytest.approx(0.742055, abs=1e-6)
    assert alpha_of_parts(SHROUT_FLEISS).value == pytest.approx(0.9093, abs=5e-5)
    scores = np.random.default_rng(1).multivariate_normal(np.zeros(4), covariance, 20_000)
    assert omega_total(scores) == pytest.approx(0.749, abs=0.01)
    assert np.isnan(omega_total(scores[:, :2]))
    assert spearman_brown(0.5, 2) == pytest.approx(2 / 3)


@pytest.mark.parametrize(("people", "parts", "ability"), [(120, 5, 1.0), (320, 12, 0.5), (35, 40, 1.0)])
def test_omega_is_that_of_statsmodels(people: int, parts: int, ability: float) -> None:
    """Whose start is drawn, so that its last digits differ from run to run; more parts than people included."""
    from statsmodels.multivariate.factor import Factor

    rng = np.random.default_rng(1)
    level = rng.normal(0, ability, (people, 1, 1)) + rng.normal(size=(1, parts, 1))
    scores = (rng.random((people, parts, 4)) < 1 / (1 + np.exp(-level))).mean(axis=2)
    found, spread = Factor(scores, n_factor=1, method="ml").fit(), scores.std(axis=0, ddof=1)
    expected = omega_of_loadings(found.loadings[:, 0] * spread, np.asarray(found.uniqueness) * spread**2)
    assert omega_total(scores) == pytest.approx(expected, abs=1e-5)
    assert omega_total(scores) == omega_total(scores.copy())


def test_omega_needs_no_package_that_only_tests_have(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "statsmodels", None)
    monkeypatch.setitem(sys.modules, "statsmodels.multivariate.factor", None)
    assert 0 < omega_total(SHROUT_FLEISS) < 1


def test_the_largest_complete_block() -> None:
    answered = np.zeros((6, 4), dtype=bool)
    answered[:4, :3] = True
    answered[4:, 2:] = True
    persons, texts = largest_block(answered)
    assert (list(persons), list(texts)) == ([0, 1, 2, 3], [0, 1, 2])


def test_the_g_study_of_shrout_and_fleiss() -> None:
    item, rater = (each.ravel() for each in np.indices(SHROUT_FLEISS.shape))
    found = g_study(item, rater, SHROUT_FLEISS.ravel())
    assert (found.objects, found.raters, found.residual) == pytest.approx((2.556, 5.244, 1.019), abs=5e-4)
    ratios = (found.relative(1), found.absolute(1), found.relative(4), found.absolute(4))
    assert ratios == pytest.approx((0.71, 0.29, 0.91, 0.62), abs=5e-3)


def test_a_g_study_without_each_text_is_one_of_the_others() -> None:
    rng = np.random.default_rng(3)
    item, rater = (each.ravel() for each in np.indices((12, 5)))
    kept = rng.random(60) < 0.7
    item, rater, value = item[kept], rater[kept], rng.normal(size=kept.sum())
    text = item // 2
    others = text != 2
    _codes, left = np.unique(item[others], return_inverse=True)
    one = g_study(left, rater[others], value[others])
    assert g_study_without(item, rater, text, value)[2] == pytest.approx((one.objects, one.raters, one.residual))


def test_a_reliability_is_judged_by_the_log_of_its_noise() -> None:
    rng = np.random.default_rng(4)
    item, rater = (each.ravel() for each in np.indices((80, 4)))
    value = rng.normal(0, 1, 80)[item] + rng.normal(0, 1, 320)
    found, without = g_study(item, rater, value), g_study_without(item, rater, item // 2, value)
    noise = np.array([residual / (objects + residual) for objects, _raters, residual in without])
    low, high = reliability_parts(found.relative(1), found.noise_shares()[0], noise).ends()
    reach = student.ppf(0.975, 39) * np.sqrt(39 / 40 * ((np.log(noise) - np.log(noise).mean()) ** 2).sum())
    assert (1 - low, 1 - high) == pytest.approx(np.exp(np.log(1 - found.relative(1)) + np.array([reach, -reach])))


def test_where_objects_do_not_differ_a_reliability_of_0_has_an_interval() -> None:
    """Their component is negative with every text and without each, so Eρ² is 0 in all of them."""
    values = np.random.default_rng(2).normal(size=(12, 10, 4))
    without = [crossed_components(np.delete(values, text, axis=1)) for text in range(10)]
    found = crossed_components(values)
    assert found["p"] < 0
    assert {d_study(each, 10, 4)[0] for each in without} == {0.0}
    noise = np.array([noise_shares(each, 10, 4)[0] for each in without])
    low, high = reliability_parts(d_study(found, 10, 4)[0], noise_shares(found, 10, 4)[0], noise).ends()
    assert low == 0
    assert 0 < high < 1


def test_raters_who_always_agree_leave_no_interval() -> None:
    assert reliability_parts(1.0, 0.0, np.zeros(5)).reason
    assert np.isnan(share_of_noise(-1.0, 0.5))
    assert reliability_parts(0.0, float("nan"), np.array([0.5, float("nan")])).reason


def test_persons_items_and_raters() -> None:
    ratings = [[[2, 3, 4], [2, 3, 3], [2, 3, 2]], [[3, 3, 5], [4, 5, 4], [5, 4, 5]], [[5, 5, 5], [5, 5, 5], [5, 4, 5]],
               [[4, 4, 5], [4, 4, 5], [4, 4, 5]], [[4, 4, 3], [4, 3, 3], [2, 4, 4]]]  # fmt: skip
    found = crossed_components(np.array(ratings, float))
    expected = {
        "p": 0.725,
        "i": 0.0027778,
        "r": 0.0694444,
        "pi": -0.0583333,
        "pr": -0.0361111,
        "ir": -0.0694444,
        "pir": 0.5027778,
    }
    assert found == pytest.approx(expected, abs=1e-6)
    assert d_study(found, 10, 2) == pytest.approx((0.966488, 0.923404), abs=1e-6)


ITEM = np.repeat(np.arange(12), 2)
RATER = np.array([2, 1, 1, 2, 2, 1, 2, 0, 0, 1, 1, 0, 0, 1, 1, 0, 0, 2, 2, 0, 2, 0, 1, 2])
RATING = np.array([3, 1, 3, 4, 3, 2, 4, 3, 3, 4, 1, 1, 1, 1, 2, 1, 2, 4, 3, 2, 5, 4, 3, 3], float)


def test_severity_tells_raters_apart_whom_raw_means_do_not() -> None:
    one_group = np.zeros(12, dtype=int)
    found = rater_severity(ITEM, RATER, RATING, np.arange(12) // 2, one_group)
    assert found.severity == pytest.approx([-0.5833333, -0.1666667, 0.75], abs=1e-6)
    assert found.raw == pytest.approx([RATING.mean()])
    left = ITEM // 2 != 4
    _codes, item = np.unique(ITEM[left], return_inverse=True)
    without = rater_severity(item, RATER[left], RATING[left], one_group[:10], one_group[:10])
    assert found.severity_without[4] == pytest.approx(without.severity)
    assert found.fair_without[4] == pytest.approx(without.fair)


def test_raters_without_items_in_common_are_not_linked() -> None:
    assert len(set(find_linked_raters(ITEM, RATER))) == 1
    assert len(set(find_linked_raters(np.array([0, 0, 1, 1]), np.array([0, 1, 2, 3])))) == 2


# Readers and items ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("slopes", "difficulty", "slope", "log_likelihood", "error"),
    [
        ("one", (-2.872, -1.063, -0.2576, -1.3881, -2.2188), (1,) * 5, -2473.054, 5e-4),
        ("common", (-3.6153, -1.3224, -0.3176, -1.7301, -2.7802), (0.7551,) * 5, -2466.938, 5e-4),
        ("each", (-3.36, -1.37, -0.28, -1.87, -3.12), (0.826, 0.723, 0.891, 0.688, 0.657), -2466.653, 0.01),
    ],
)
def test_item_response_models_of_lsat6(
    lsat6: np.ndarray, slopes: str, difficulty: tuple, slope: tuple, log_likelihood: float, error: float
) -> None:
    found = fit_item_response(lsat6, slopes)  # type: ignore[arg-type]
    assert found.converged
    assert found.difficulty == pytest.approx(difficulty, abs=error)
    assert found.slope == pytest.approx(slope, abs=error)
    assert found.log_likelihood == pytest.approx(log_likelihood, abs=error)


@pytest.mark.parametrize(
    ("answers", "infit", "outfit"), [((1, 1, 0), 0.613564, 0.578586), ((0, 1, 1), 2.050442, 2.145521)]
)
def test_fit_of_a_person(answers: tuple[int, ...], infit: float, outfit: float) -> None:
    expected = 1 / (1 + np.exp([[-1.0, 0.0, 1.0]]))
    found = fit_statistics(np.array([answers]), expected, axis=1)
    assert (found.infit[0], found.outfit[0]) == pytest.approx((infit, outfit), abs=1e-6)


def test_missing_answers_are_no_wrong_ones_and_residuals_correlate_pairwise() -> None:
    rng = np.random.default_rng(4)
    ability = rng.normal(size=4000)
    answers = (rng.random((4000, 6)) < 1 / (1 + np.exp(-ability[:, None]))).astype(int)
    answers[rng.random((4000, 6)) < 0.3] = MISSING
    found = fit_item_response(answers, "common")
    assert found.difficulty == pytest.approx(np.zeros(6), abs=0.15)
    answers[:, 5] = answers[:, 4]
    q3 = residual_correlations(answers, fit_item_response(answers, "common").expected_answers())
    assert q3[4, 5] - np.nanmean(q3) > 0.5
    assert np.isnan(np.diag(q3)).all()


def test_mantel_haenszel_of_admissions() -> None:
    found = mantel_haenszel(np.array(ADMISSIONS))
    assert (found.odds_ratio, found.low, found.high) == pytest.approx((0.9046968, 0.7719074, 1.0603298), abs=1e-6)
    assert (found.chi2, found.chi2_corrected) == pytest.approx((1.5246, 1.4269), abs=5e-5)
    assert (found.d, found.category) == (pytest.approx(0.235365, abs=1e-6), "A")
    assert np.isnan(mantel_haenszel(np.array([[[3, 0], [4, 0]]])).odds_ratio)


def test_classes_of_dif() -> None:
    assert [classify(d, 0.2, p) for d, p in ((0.9, 0.001), (1.2, 0.2), (1.2, 0.01), (2.0, 0.001))] == list("AABC")
    assert classify(1.6, 0.5, 0.01) == "B"


def test_an_item_that_is_harder_for_a_group_is_found_and_leaves_the_score() -> None:
    rng = np.random.default_rng(5)
    second = np.arange(600) >= 300
    ability = rng.normal(size=600) - 0.5 * second
    difficulty = np.tile(np.linspace(-1, 1, 20), (600, 1))
    difficulty[second, 7] += 1.5
    answers = (rng.random((600, 20)) < 1 / (1 + np.exp(difficulty - ability[:, None]))).astype(int)
    found = item_functioning(answers, second)
    assert found[7].category == "C"
    assert found[7].d < 0
    assert sum(each.category == "C" for each in found) == 1


# Experiments ----------------------------------------------------------------------------------------------------------


def test_carry_over_of_two_items() -> None:
    item, text = np.array([0, 0, 0, 1, 1, 1]), np.array([0, 0, 0, 1, 1, 1])
    guessed = np.array([True, True, False, True, False, False])
    right, n = np.array([3.0, 2, 1, 2, 1, 1]), np.full(6, 3.0)
    found = carry_over(item, text, np.arange(6), guessed, right, n, FIXED)
    assert found.parts.value == pytest.approx((5 / 6 - 1 / 3 + 2 / 3 - 1 / 3) / 2)
    assert (found.n_items, found.n_texts, found.others_only) == (2, 2, pytest.approx(1 / 3))
    everybody = carry_over(item, text, np.arange(6), np.ones(6, dtype=bool), right, n, FIXED)
    assert np.isnan(everybody.parts.value)
    assert everybody.n_items == 0


def test_effects_within_texts() -> None:
    text = np.repeat(np.arange(6), 4)
    y = np.array([14, 14, 14, 18, 58, 30, 36, 53, 32, 49, 39, 45, 46, 22, 31, 27, 8, 4, 26, 5, 69, 47, 54, 52]) / 100
    flaw = np.array([1, 1, 0, 0, 1, 0, 1, 1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1, 0, 1, 1, 0, 0])
    kind = np.array([1, 1, 1, 1, 0, 1, 1, 0, 0, 0, 0, 1, 1, 1, 0, 1, 0, 1, 1, 0, 1, 1, 1, 1])
    found = regress_within_texts(y[:, None], np.stack([flaw, kind], axis=1).astype(float), text, 1)
    without = found.without[:, 0, 0]
    assert naive_difference(y, flaw == 1) == pytest.approx(0.0075)
    assert found.coefficients[0, 0] == pytest.approx(0.05310606, abs=1e-8)
    assert np.sqrt(5 / 6 * ((without - without.mean()) ** 2).sum()) == pytest.approx(0.05379433, abs=1e-8)


def test_columns_that_determine_each_other_have_no_effect_of_their_own() -> None:
    text = np.repeat(np.arange(4), 3)
    rng = np.random.default_rng(6)
    flaw = rng.integers(0, 2, 12).astype(float)
    found = regress_within_texts(rng.normal(size=(12, 1)), np.stack([flaw, flaw, rng.normal(size=12)], axis=1), text)
    assert np.isnan(found.coefficients[:, 0]).tolist() == [True, True, False]
    assert merge_equal_columns(np.stack([flaw, 1 - flaw, flaw], axis=1)) == [[0, 2], [1]]


def test_versions_of_texts_with_readers_who_left() -> None:
    text, reader = (each.ravel() for each in np.indices((9, 6)))
    version = (reader + text) % 3
    y = 0.05 * text + 0.1 * reader + np.array([0, 0.2, 0.3])[version]
    stayed = (reader < 3) | (text < 5)
    found = version_effects(y[stayed], text[stayed], reader[stayed], version[stayed], 3)
    assert found.effects == pytest.approx([0, 0.2, 0.3])
    assert found.without_text[:, 2] == pytest.approx(np.full(9, 0.3))


def least_squares(y: np.ndarray, text: np.ndarray, reader: np.ndarray, version: np.ndarray) -> np.ndarray:
    dummies = [codes[:, None] == np.arange(codes.max() + 1) for codes in (text, reader)]
    design = np.concatenate([version[:, None] == np.arange(1, 3), *dummies], axis=1).astype(float)
    return np.linalg.lstsq(design, y, rcond=None)[0][:2]


def test_versions_without_each_text_reader_and_reading_are_least_squares_anew() -> None:
    rng = np.random.default_rng(5)
    kept = rng.random(42) < 0.9
    text, reader = (each.ravel()[kept] for each in np.indices((7, 6)))
    version, y = (text + reader) % 3, rng.normal(size=len(text))
    found = version_effects(y, text, reader, version, 3)
    for codes, without in (
        (text, found.without_text), (reader, found.without_reader), (np.arange(len(y)), found.without_reading),
    ):  # fmt: skip
        for code, effects in enumerate(without):
            left = codes != code
            again = least_squares(y[left], text[left], reader[left], version[left])
            assert effects == pytest.approx([0, *again], abs=1e-9)
    fixed, random = (found.contrast(2, 1, (-9, 9), readers) for readers in ("fixed", "random"))
    assert fixed.value == random.value == pytest.approx(found.effects[2] - found.effects[1])
    assert random.reach(0.05) >= fixed.reach(0.05)


def test_versions_that_readers_do_not_link_have_no_effect() -> None:
    text, reader = np.repeat(np.arange(6), 2), np.tile(np.arange(2), 6)
    found = version_effects(np.arange(12.0), text, reader, text % 2, 2)
    assert np.isnan(found.effects[1])


def test_difference_on_a_text_is_welchs() -> None:
    one, other = np.array([0.9, 0.7, 0.8]), np.array([0.5, 0.3, 0.2, 0.4])
    found = text_difference(one, other)
    assert (found.value, found.low, found.high) == pytest.approx(
        (0.45, *ttest_ind(one, other, equal_var=False).confidence_interval())
    )
    assert np.isnan(text_difference(one[:1], other).low)


def test_two_protocols_on_the_same_items() -> None:
    text = np.repeat(np.arange(5), 3)
    score = np.arange(15.0)
    found = item_correlation(score, score**2, text)
    assert (found.value, found.reason != "") == (1.0, True)  # nothing varies: no interval
    other = np.random.default_rng(8).normal(size=15) + score / 3
    assert item_correlation(score, other, text).reach(0.05) > 0
    means = np.arange(5.0) + np.zeros((4, 1))
    assert generator_correlation(
        np.stack([means, np.ones((4, 5))]), np.stack([-means, np.ones((4, 5))])
    ).value == pytest.approx(-1)
    assert reliability_of_an_hour(0.5, 30) == pytest.approx(2 / 3)
    assert np.isnan(reliability_of_an_hour(-0.1, 30))
