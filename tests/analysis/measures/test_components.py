"""Variance components: from a table worked by hand, and found again where they are known."""

from dataclasses import asdict

import numpy as np
import pytest

from analysis.measures.components import (
    Judgments,
    component_intervals,
    covariances,
    estimate_text_spread,
    fit_components,
    jackknife,
    leave_one_out,
    shared_covariance,
    text_spread_interval,
)
from analysis.measures.power import Components, expected_share, logit_of

TRUE = Components(text=0.5, item=0.8, option=0.6, annotator=0.4, text_stage=0.4)


def code_judgments(rows, right) -> Judgments:
    """rows: (text, generator, item, option, annotator, stage) of each judgment."""
    columns = np.array(rows, dtype=np.int64).T
    return Judgments(*columns, np.array(right, dtype=bool))


def simulate(texts, annotators, generators=3, seed=1, spread=TRUE) -> Judgments:
    """Judgments of the model itself, everybody reading everything and guessing one generator a text in turns."""
    rng = np.random.default_rng(seed)
    text, person = rng.normal(0, spread.text, texts), rng.normal(0, spread.annotator, annotators)
    rows, right = [], []
    for stage, mean in ((0, 0.5), (1, 1.7)):
        written = rng.normal(0, spread.text_stage, (texts, generators))
        item, option = (rng.normal(0, size, (texts, generators, 3, 3)) for size in (spread.item, spread.option))
        for t, a, g, i, o in np.ndindex(texts, annotators, generators, 3, 3):
            if stage == 0 and (t + a) % generators != g:
                continue
            logit = mean + text[t] + person[a] + written[t, g] + item[t, g, i, 0] + option[t, g, i, o]
            rows.append((t, g, (t * generators + g) * 3 + i, o, a, stage))
            right.append(rng.random() < 1 / (1 + np.exp(-logit)))
    return code_judgments(rows, right)


def test_covariances_worked_by_hand():
    """Two texts, two people, an item of one option each, one stage: both right on the first, one on the second.

    The share right is 3/4, residuals 1/4, 1/4, 1/4 and -3/4. Same option: 1/16 and -3/16, mean -1/16. Same person: 1/16
    and -3/16, mean -1/16. Nothing shared: -3/16 and 1/16, mean -1/16.
    """
    judgments = code_judgments(
        [(0, 0, 0, 0, 0, 1), (0, 0, 0, 0, 1, 1), (1, 0, 1, 0, 0, 1), (1, 0, 1, 0, 1, 1)], [1, 1, 1, 0]
    )
    assert covariances(judgments) == pytest.approx({"annotator": 0, "option": 0})


def test_judgments_that_go_together_by_text_covary():
    """Two people are right about all options of one text and wrong about all of the other."""
    rows = [(t, 0, t, o, a, 1) for t in (0, 1) for o in (0, 1) for a in (0, 1)]
    found = covariances(code_judgments(rows, [t == 0 for t, *_rest in rows]))
    # Residuals are 1/2 and -1/2: 1/4 within a text, -1/4 across.
    assert found == pytest.approx({"annotator": 0, "item": 0.5, "option": 0.5})


def test_known_components_are_found_again():
    found = fit_components(simulate(120, 8))
    assert found.assumed == ()
    assert (found.n_texts, found.n_annotators) == (120, 8)
    for name in ("text", "item", "option", "text_stage"):
        assert getattr(found.components, name) == pytest.approx(getattr(TRUE, name), abs=0.12), name
    rng = np.random.default_rng(1)  # as in `simulated`: eight people scatter as they were drawn
    _texts, people = rng.normal(0, TRUE.text, 120), rng.normal(0, TRUE.annotator, 8)
    assert found.components.annotator == pytest.approx(people.std(ddof=1), abs=0.05)


def test_what_does_not_vary_is_found_to_be_small():
    found = fit_components(simulate(60, 6, spread=Components(0, 0.8, 0, 0, 0)))
    assert found.components.item == pytest.approx(0.8, abs=0.15)
    assert max(found.components.text, found.components.annotator) < 0.25


@pytest.mark.parametrize("alone", ["text", "annotator"])
def test_one_text_or_one_annotator_tells_nothing(alone):
    judgments = simulate(*((1, 4) if alone == "text" else (4, 1)))
    found = fit_components(judgments)
    assert found.components == Components()
    assert len(found.assumed) == 5


def test_one_generator_leaves_the_texts_as_assumed():
    found = fit_components(simulate(20, 4, generators=1), Components(text=0.1))
    assert found.assumed == ("text",)
    assert found.components.text == 0.1


def test_order_and_names_of_codes_do_not_matter():
    one = simulate(8, 3)
    order = np.random.default_rng(3).permutation(len(one.right))
    other = Judgments(*(getattr(one, name)[order] for name in one.__dataclass_fields__))
    other = Judgments(other.text * 7, *(getattr(other, name) for name in list(one.__dataclass_fields__)[1:]))
    assert asdict(fit_components(other).components) == pytest.approx(asdict(fit_components(one).components))


def test_shared_variance_covaries_like_draws_of_it():
    share, total, shared = 0.8, 1.5, 0.6
    rng, n = np.random.default_rng(5), 400_000
    mean, common = logit_of(share, total**0.5), rng.normal(0, shared**0.5, n)
    one, other = (1 / (1 + np.exp(-mean - common - rng.normal(0, (total - shared) ** 0.5, n))) for _ in (0, 1))
    found = shared_covariance(np.array([0.0, shared]), total, [(share, 1.0)])
    assert found == pytest.approx([0, np.cov(one, other)[0, 1]], abs=5e-4)
    assert expected_share(mean, total**0.5) == pytest.approx(share)


def test_the_spread_of_preferences_between_texts_is_found_again():
    rng = np.random.default_rng(2)
    text = np.repeat(np.arange(300), 8)
    preferred = 1 / (1 + np.exp(-0.4 - rng.normal(0, 0.7, 300)))
    found = estimate_text_spread(text, np.zeros(len(text), dtype=np.int64), rng.random(len(text)) < preferred[text])
    assert found == pytest.approx(0.7, abs=0.12)


def test_without_two_judgments_on_a_text_there_is_no_spread():
    codes = np.arange(4)
    assert estimate_text_spread(codes, codes * 0, codes > 1) is None


def test_the_jackknife_of_a_component_worked_by_hand():
    """Without each of three units .3, .5 and .7: SE² = 2/3 · .08, and t.975(2) = 4.302653 reaches below 0."""
    found = jackknife(0.5, np.array([0.3, 0.5, 0.7]), "text", np.array([0, 0, 1, 2]))
    assert found.high == pytest.approx(0.5 + 4.302652729696142 * (2 / 3 * 0.08) ** 0.5)
    assert (found.low, found.n_units, found.n_responses, found.replicates) == (0.0, 3, 4, 3)


def test_more_than_forty_texts_are_left_out_in_forty_groups():
    kept = list(leave_one_out(np.repeat(np.arange(100), 2)))
    assert len(kept) == 40
    assert sum(int((~part).sum()) for part in kept) == 200  # each judgment is left out once
    assert not list(leave_one_out(np.array([0, 0, 1])))


@pytest.mark.slow
def test_intervals_of_components_hold_the_true_ones_about_as_often_as_they_say():
    """Of 40 simulated studies at least 34: fewer would be seen once in 50 times if 95 of 100 did (binomial)."""
    held = dict.fromkeys(asdict(TRUE), 0)
    undefined = dict.fromkeys(asdict(TRUE), 0)
    for seed in range(40):
        judgments = simulate(20, 6, seed=300 + seed)
        for name, found in component_intervals(judgments, fit_components(judgments)).items():
            undefined[name] += np.isnan(found.low)
            held[name] += found.low <= getattr(TRUE, name) <= found.high
    assert {name for name in held if held[name] < 34 - undefined[name]} == set()


def test_what_is_assumed_has_no_interval_and_says_so():
    judgments = simulate(4, 1)
    found = component_intervals(judgments, fit_components(judgments))
    assert {each.reason for each in found.values()} == {
        ("The answers do not determine this value, so the assumed value is used.")
    }


def test_two_texts_are_too_few_for_an_interval():
    judgments = simulate(2, 3)
    found = component_intervals(judgments, fit_components(judgments))
    assert "at least three texts" in found["text"].reason
    assert found["annotator"].low >= 0


def test_the_spread_of_pairs_between_texts_has_an_interval():
    rng = np.random.default_rng(4)
    logits = rng.normal(0, 0.8, 60)
    text = np.repeat(np.arange(60), 12)
    right = rng.random(len(text)) < 1 / (1 + np.exp(-logits[text]))
    none = np.zeros(len(text), dtype=np.int64)
    spread = estimate_text_spread(text, none, right)
    found = text_spread_interval(text, none, right, spread)
    assert found.low < 0.8 < found.high
    assert found.low < spread < found.high
    assert text_spread_interval(text, none, right, None).reason == (
        "The answers do not determine this value, so the assumed value is used."
    )
