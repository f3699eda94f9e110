"""What stands beside accuracy in a guess-then-read report: biases, items as a whole, and probabilities."""

import pytest
from scipy.stats import norm

from studies.models import Response
from tests.factory import answer, make_annotator

pytestmark = pytest.mark.slow


@pytest.fixture
def model(two_annotators, items):
    """Answers of a model about both careful items in both stages, with p(true); the keys are the options a."""
    gpt = make_annotator(two_annotators, "gpt", kind="model")
    given = {
        "guess": {("c1", "a"): 0.5, ("c1", "b"): 0.5, ("c2", "a"): 0.25, ("c2", "b"): 0.5},
        "read": {("c1", "a"): 1.0, ("c1", "b"): 0.5, ("c2", "a"): 0.5, ("c2", "b"): 0.5},
    }
    for stage, options in given.items():
        for name in ("c1", "c2"):
            answer(gpt, stage, items[name], "TF")
            for option in "ab":
                rows = Response.objects.filter(assignment__annotator=gpt, stage=stage, option__external_id=option)
                rows.filter(item=items[name]).update(probability=options[name, option])
    return two_annotators


def test_a_bias_to_call_options_correct_worked_by_hand(two_annotators, row):
    """With the text ben said TF TT of the careful items: both keys ticked, and one of two distractors."""
    found = row(two_annotators, "beside_accuracy", generator="careful", evaluator="human", stage="read")
    # ada TF TF, ben TF TT: hits 4 of 4, false alarms 1 of 4.
    hit, alarm = norm.ppf(4.5 / 5), norm.ppf(1.5 / 5)
    assert (found["share_correct"], found["constant"], found["balanced"]) == (7 / 8, 0.5, 7 / 8)
    assert (found["d_prime"], found["criterion"]) == pytest.approx((hit - alarm, -(hit + alarm) / 2))
    assert (found["items_right"], found["n_items"], found["n"]) == (3 / 4, 4, 8)


def test_a_part_without_answers_has_no_row(two_annotators, table):
    values = {(found["evaluator"], found["stage"]) for found in table(two_annotators, "beside_accuracy").rows}
    assert values == {("human", "guess"), ("human", "read")}
    assert not [found for found in table(two_annotators, "beside_accuracy").rows if found["n"] == 0]


def test_without_probabilities_there_is_no_table_of_them(two_annotators, table):
    with pytest.raises(KeyError):
        table(two_annotators, "informativity_probability")


def test_areas_and_bits_worked_by_hand(model, row):
    """Keys .5 and .25 against .5 and .5 without the text: ties half, 1 of 4 pairs; with it 1 and .5: 3 of 4."""
    found = row(model, "informativity_probability", generator="careful", evaluator="gpt")
    assert (found["auc_guess"], found["auc_read"], found["auc_difference"]) == (0.25, 0.75, 0.5)
    # p of the right label .5 → 1, .5 → .5, .25 → .5, .5 → .5: bits 1, 0, 1, 0.
    assert (found["bits"], found["n_both"], found["n_floored"]) == (0.5, 4, 0)
    assert (found["n_guess"], found["n_read"], found["n_texts"]) == (4, 4, 2)
    assert found["bits_reason"]  # the same in both texts, so there is no interval
    assert found["bits_low"] is None
