"""Shares, means and differences over readers and texts: exact values, the formulas written plainly, and the edges."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm
from scipy.stats import t as student

from analysis.measures import reader_intervals
from analysis.measures.intervals import (
    ANNOTATOR,
    NO_JUDGMENT,
    NO_VARIATION,
    ONE_TEXT,
    TEXT,
    TEXT_AND_ANNOTATOR,
    Interval,
)
from analysis.measures.reader_intervals import (
    EMPTY_ARM,
    Arm,
    contrast_parts,
    mean_parts,
    parts_of_sums,
    readers_contrast,
    readers_mean,
    readers_share,
    share_parts,
)
from analysis.measures.variance_parts import (
    AT_AN_END,
    AT_LEAST,
    AT_MOST,
    ONE_TEXT_FEW_ANNOTATORS,
    THESE_TWO_ONLY,
    THIS_ANNOTATOR_ONLY,
    THIS_MODEL_ONLY,
    THIS_TEXT_ONLY,
    THREE_READERS,
    VarianceParts,
)


def _arm(table: str, judged: int = 9) -> Arm:
    """Texts are parted by /, annotators by blanks; a dash is a cell without judgments, of which others have nine."""
    rows = [row.split() for row in table.split("/")]
    n = np.array([[0 if cell == "-" else judged for cell in row] for row in rows])
    return Arm.of_tables(np.array([[0 if cell == "-" else int(cell) for cell in row] for row in rows]), n)


# Computed by an implementation of its own, to all digits: one arm is a share, two are a difference.
EXACT = [
    (
        (_arm("9 4 8 7 6 7/6 8 9 8 9 8/9 5 8 9 8 8/9 6 8 8 6 7/6 6 9 8 8 7/5 5 8 9 8 2/8 5 9 9 7 7/8 6 9 8 9 5"),),
        0.8125,
        0.6422746894326509,
        0.9127292126888592,
    ),
    (
        (
            _arm(
                "7 5 6 8 6 6/6 7 8 6 7 8/8 9 5 7 6 9/9 7 9 6 8 8/8 9 8 8 6 8/"
                "5 5 4 6 3 8/7 5 7 7 4 7/3 8 5 6 4 7/6 7 6 5 5 9/8 7 5 6 8 7"
            ),
            _arm(
                "- - - - 5 3/- 5 - 4 - -/- 3 - 8 - -/- - - 5 8 -/- - - 6 3 -/"
                "6 - - 9 - -/- - 4 - - 0/7 - - - 5 -/- 6 - - 7 -/- - - - 6 5"
            ),
        ),
        0.15370370370370368,
        -0.10324858421249417,
        0.4106559916199015,
    ),
    (
        (
            _arm(
                "- 5 - - - 7 5 - -/- - - 8 9 - - - 5/7 6 - - - - 5 - -/- 6 - 7 - - 7 - -/"
                "- 8 7 - - 5 - - -/- 9 - - - 9 8 - -/- 9 - 6 - - - - 9/- - 4 - - - 3 4 -/"
                "7 - 3 - - - - - 5/- - - - 7 6 - - 7/- 4 - 9 - - 6 - -/7 5 - - - - - - 6"
            ),
        ),
        0.7098765432098766,
        0.5922104467349733,
        0.804782579304479,
    ),
    (
        (
            _arm("7 7 9/5 6 7/5 7 6/6 3 4/5 7 8/8 9 9"),
            _arm("7 - 5/6 - 5/4 0 -/9 - 6/- 6 6/7 5 -"),
        ),
        0.11728395061728392,
        -0.4267467642114976,
        0.6613146654460654,
    ),
]


@pytest.mark.parametrize(("arms", "value", "low", "high"), EXACT)
def test_exact_values(arms: tuple[Arm, ...], value: float, low: float, high: float) -> None:
    parts = share_parts(*arms) if len(arms) == 1 else contrast_parts(arms[:1], arms[1:])
    assert parts.value == pytest.approx(value, abs=1e-12)
    assert parts.ends() == pytest.approx((low, high), abs=1e-6)


def _studies() -> st.SearchStrategy[tuple[int, int, int, float]]:
    return st.tuples(st.integers(2, 7), st.integers(3, 6), st.integers(0, 10_000), st.sampled_from([1.0, 0.7, 0.4]))


def _tables(texts: int, annotators: int, seed: int, judged: float) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    n = rng.integers(1, 9, (texts, annotators)) * (rng.random((texts, annotators)) < judged)
    return rng.binomial(n, 0.7), n


def _plain_reach(arms: list[tuple[int, np.ndarray, np.ndarray]], alpha: float) -> float:
    """The formulas on dense tables, cell by cell."""
    h = np.sum([sign * (s - s.sum() / n.sum() * n) / n.sum() for sign, s, n in arms], axis=0)
    n = np.sum([n for _sign, _s, n in arms], axis=0)
    keep = np.ix_(n.any(axis=1), n.any(axis=0))
    h, n = h[keep], n[keep]
    there, (texts, annotators) = n > 0, n.shape
    t_star, a_star = (n.sum() ** 2 / (n.sum(axis=axis) ** 2).sum() for axis in (1, 0))
    v_t, v_a = ((h.sum(axis=1 - at) ** 2).sum() * k / (k - 1) for at, k in ((0, t_star), (1, a_star)))
    cells, e = int(there.sum()), h.copy()
    f = cells - texts - annotators + 1
    for _sweep in range(8):
        for t in range(texts):
            e[t, there[t]] -= e[t, there[t]].mean()
        for a in range(annotators):
            e[there[:, a], a] -= e[there[:, a], a].mean()
    v_c = (h**2).sum() if f < 1 else (e**2).sum() * cells / f
    v_c = min(v_c, (h**2).sum()) if f < cells / 4 else v_c
    of_t, of_a = (student.ppf(1 - alpha / 2, k - 1) ** 2 for k in (t_star, a_star))
    return math.sqrt(max(of_t * v_t + of_a * v_a - norm.ppf(1 - alpha / 2) ** 2 * v_c, of_t * v_t))


@given(_studies(), st.sampled_from([0.05, 0.01, 0.3]))
def test_closed_form_on_sparse_tables(study: tuple[int, int, int, float], alpha: float) -> None:
    read, guess = _tables(*study), _tables(*study[:2], study[2] + 1, study[3])
    parts = contrast_parts([Arm.of_tables(*read)], [Arm.of_tables(*guess)])
    if parts.reason or parts.drawn != TEXT_AND_ANNOTATOR:
        return
    assert parts.reach(alpha) == pytest.approx(_plain_reach([(1, *read), (-1, *guess)], alpha), abs=1e-9)


def test_single_judgments_and_gaps_in_codes_give_the_same() -> None:
    right, n = _tables(6, 4, 3, 0.6)
    text, annotator = np.nonzero(n)
    times = n[text, annotator]
    values = np.concatenate([np.arange(k) < r for k, r in zip(times, right[text, annotator], strict=True)])
    one_by_one = Arm.of_judgments(np.repeat(text * 3, times), np.repeat(annotator * 2, times), values)
    assert readers_share(one_by_one).low == pytest.approx(readers_share(Arm.of_tables(right, n)).low, abs=1e-12)


def test_cells_found_by_sorting_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    arms = [Arm.of_tables(*_tables(6, 4, seed, 0.6)) for seed in (1, 2)]
    counted = readers_contrast(arms[:1], arms[1:])
    monkeypatch.setattr(reader_intervals, "MOST_POSSIBLE_CELLS", 0)
    assert readers_contrast(arms[:1], arms[1:]) == counted


def test_never_narrower_than_texts_alone() -> None:
    for seed in range(30):
        parts = share_parts(Arm.of_tables(*_tables(5, 4, seed, 1.0)))
        alone = VarianceParts(**{**vars(parts), "drawn": TEXT})
        assert parts.reach(0.05) >= alone.reach(0.05)


def test_loads_count_as_in_kish() -> None:
    n = np.array([[4, 4, 4], [2, 2, 2], [1, 1, 1]])
    found = readers_share(Arm.of_tables(np.array([[3, 2, 4], [1, 2, 1], [0, 1, 1]]), n))
    assert found.n_texts_effective == pytest.approx(21**2 / (144 + 36 + 9))
    assert found.n_annotators_effective == pytest.approx(3)


def test_a_mean_is_a_share_of_its_scale() -> None:
    ratings, n = _tables(6, 4, 5, 1.0)
    share = readers_share(Arm.of_tables(ratings, n))
    mean = readers_mean(Arm.of_tables(ratings * 4 + n, n), (1.0, 5.0))
    assert (mean.low, mean.high) == pytest.approx((1 + 4 * share.low, 1 + 4 * share.high), abs=1e-9)
    assert (mean.low, mean.high) == mean_parts(Arm.of_tables(ratings * 4 + n, n), (1.0, 5.0)).ends(0.95)


def _grid(texts: int, annotators: int, seed: int = 7) -> Arm:
    rng = np.random.default_rng(seed)
    n = np.full((texts, annotators), 6)
    return Arm.of_tables(rng.binomial(n, 0.7), n)


@pytest.mark.parametrize(("annotators", "caveat"), [(1, THIS_ANNOTATOR_ONLY), (2, THESE_TWO_ONLY)])
def test_one_or_two_annotators_texts_only(annotators: int, caveat: str) -> None:
    arm = _grid(5, annotators)
    found, parts = readers_share(arm), share_parts(arm)
    assert (found.unit, found.n_units, found.caveats) == (TEXT, 5, (caveat,))
    assert parts.reach(0.05) == pytest.approx(student.ppf(0.975, 4) * math.sqrt(parts.texts))
    assert found.share_from_readers is None


def test_models_are_fixed() -> None:
    arm = _grid(5, 4)
    found, parts = readers_share(arm, fixed=True), share_parts(arm, fixed=True)
    assert (found.unit, found.caveats) == (TEXT, (THIS_MODEL_ONLY,))
    assert parts.reach(0.05) == pytest.approx(student.ppf(0.975, 4) * math.sqrt(parts.texts))


def test_one_text_annotators_only() -> None:
    found, parts = readers_share(_grid(1, 5)), share_parts(_grid(1, 5))
    assert (found.unit, found.n_units, found.caveats) == (ANNOTATOR, 5, (THIS_TEXT_ONLY,))
    assert parts.reach(0.05) == pytest.approx(student.ppf(0.975, 4) * math.sqrt(parts.annotators))
    assert readers_share(_grid(1, 3)).caveats == (THIS_TEXT_ONLY, THREE_READERS)


@pytest.mark.parametrize(
    ("annotators", "fixed", "reason"),
    [(1, False, ONE_TEXT_FEW_ANNOTATORS), (2, False, ONE_TEXT_FEW_ANNOTATORS), (4, True, ONE_TEXT)],
)
def test_one_text_and_nobody_to_stand_for_others(annotators: int, fixed: bool, reason: str) -> None:
    check_undefined(readers_share(_grid(1, annotators), fixed=fixed), reason)


def test_three_readers_are_said_to_be_few() -> None:
    found = readers_share(_grid(6, 3))
    assert (found.unit, found.caveats) == (TEXT_AND_ANNOTATOR, (THREE_READERS,))
    assert readers_share(_grid(6, 4)).caveats == ()


def test_all_right_gives_a_bound_and_no_interval() -> None:
    n = np.full((10, 4), 3)
    right, wrong = readers_share(Arm.of_tables(n, n)), readers_share(Arm.of_tables(n * 0, n))
    assert check_undefined(right, AT_AN_END).bound == pytest.approx(0.025**0.1)
    assert check_undefined(wrong, AT_AN_END).bound == pytest.approx(1 - 0.025**0.1)
    assert (right.caveats, wrong.caveats) == ((AT_LEAST,), (AT_MOST,))
    top = readers_mean(Arm.of_tables(n * 5, n), (1.0, 5.0))
    assert check_undefined(top, AT_AN_END).bound == pytest.approx(1 + 4 * 0.025**0.1)


def test_all_equal_has_no_interval() -> None:
    n = np.full((10, 4), 3)
    assert check_undefined(readers_share(Arm.of_tables(n - 1, n)), NO_VARIATION).bound is None
    check_undefined(readers_contrast([Arm.of_tables(n, n)], [Arm.of_tables(n * 0, n)]), NO_VARIATION)


def test_every_text_read_by_one_annotator() -> None:
    """Without degrees of freedom V_C is all of the texts' sum, so that annotators alone are left and some more."""
    n = np.array([[6, 0, 0], [0, 6, 0], [0, 0, 6], [6, 0, 0], [0, 6, 0], [0, 0, 6]])
    parts = share_parts(Arm.of_tables(np.array([[5, 0, 0], [0, 3, 0], [0, 0, 6], [4, 0, 0], [0, 3, 0], [0, 0, 5]]), n))
    assert parts.cells == pytest.approx(parts.texts * 5 / 6)
    assert parts.reach(0.05) > student.ppf(0.975, 2) * math.sqrt(parts.annotators)


def test_nothing_and_an_empty_arm() -> None:
    nothing = Arm.of_tables(np.zeros((3, 3)), np.zeros((3, 3)))
    check_undefined(readers_share(nothing), NO_JUDGMENT)
    check_undefined(readers_contrast([_grid(3, 3)], [nothing]), EMPTY_ARM)


def test_p_is_the_level_at_which_the_interval_touches_zero() -> None:
    for seed in range(20):
        parts = contrast_parts([_grid(6, 4, seed)], [_grid(6, 4, seed + 100)])
        p = parts.p_of_zero()
        low, high = parts.ends()
        assert (p < 0.05) == (low > 0 or high < 0)
        assert parts.reach(p) == pytest.approx(abs(parts.value), rel=1e-6) or p == pytest.approx(1)


def test_wider_at_a_higher_level() -> None:
    arm = _grid(8, 5)
    outer, inner = readers_share(arm, level=0.99), readers_share(arm)
    assert outer.low < inner.low < inner.high < outer.high


def test_share_of_variance_from_readers() -> None:
    n = np.full((20, 6), 50)
    apart = np.tile([5, 10, 20, 30, 40, 45], (20, 1))
    alike = np.tile(np.linspace(5, 45, 20).astype(int)[:, None], (1, 6))
    wobble = np.random.default_rng(1).integers(-3, 4, n.shape)
    of_readers, of_texts = (
        readers_share(Arm.of_tables(table + wobble, n)).share_from_readers for table in (apart, alike)
    )
    assert of_readers is not None
    assert of_texts is not None
    assert of_readers > 0.9
    assert of_texts < 0.1


@given(_studies())
def test_function_of_sums_against_leaving_out_one_by_one(study: tuple[int, int, int, float]) -> None:
    s, n = _tables(*study)
    text, annotator = np.nonzero(n)
    sums = np.stack([s[text, annotator], n[text, annotator]], axis=1).astype(float)

    def odds(sums: np.ndarray) -> np.ndarray:
        return (sums[:, 0] + 1) / (sums[:, 1] - sums[:, 0] + 1)

    parts = parts_of_sums(odds, text, annotator, sums, sums[:, 1], bounds=(0.0, math.inf))
    if parts.reason or parts.drawn != TEXT_AND_ANNOTATOR:
        return
    texts = np.array([odds(sums[text != t].sum(axis=0)[None])[0] for t in np.unique(text)])
    people = np.array([odds(sums[annotator != a].sum(axis=0)[None])[0] for a in np.unique(annotator)])
    for found, without in ((parts.texts, texts), (parts.annotators, people)):
        k = len(without)
        assert found == pytest.approx((k - 1) / k * ((without - without.mean()) ** 2).sum(), abs=1e-9)
    assert (
        parts.reach(0.05) >= student.ppf(0.975, parts.n_annotators_effective - 1) * math.sqrt(parts.annotators) - 1e-12
    )


def check_undefined(interval: Interval, reason: str) -> Interval:
    assert math.isnan(interval.low)
    assert math.isnan(interval.high)
    assert interval.reason == reason
    return interval
