"""Agreement with people: pairs, weights and what is undefined, by hand."""

import pytest

from tests.factory import answer, make_annotator

pytestmark = pytest.mark.slow


@pytest.fixture
def read(tiny, items):
    """With the text Ada and Ben judged c1 and c2, Cy only c1. Ada–Ben κ .5 over 4 options, each with Cy -1 over 2."""
    ada, ben, cy = (make_annotator(tiny, code) for code in ("ada", "ben", "cy"))
    answer(ada, "read", items["c1"], "TF")
    answer(ada, "read", items["c2"], "TF")
    answer(ben, "read", items["c1"], "TF")
    answer(ben, "read", items["c2"], "FF")
    answer(cy, "read", items["c1"], "FT")
    return tiny


def test_columns_are_those_of_the_contract(read, table):
    assert ",".join(table(read, "agreement_with_humans").header) == (
        "evaluator,evaluator_kind,stage,kappa,kappa_unweighted,low,high,percent,ac1,n_pairs,n_judgments,reason"
    )


def test_one_row_per_person_the_people_and_each_model_for_both_stages(read, items, table):
    answer(make_annotator(read, "gpt", kind="model"), "read", items["c1"], "TF")
    rows = table(read, "agreement_with_humans").rows
    assert [(row["stage"], row["evaluator"], row["evaluator_kind"]) for row in rows] == [
        (stage, evaluator, kind)
        for stage in ("guess", "read")
        for evaluator, kind in [
            ("human", "human"),
            ("gpt", "model"),
            ("ada", "human"),
            ("ben", "human"),
            ("cy", "human"),
        ]
    ]


def test_a_person_with_the_others_weighted_by_shared_judgments(read, row):
    ada = row(read, "agreement_with_humans", evaluator="ada", stage="read")
    assert ada["kappa"] == pytest.approx((4 * 0.5 + 2 * -1) / 6)
    assert ada["kappa_unweighted"] == pytest.approx((0.5 - 1) / 2)
    assert (ada["percent"], ada["n_pairs"], ada["n_judgments"]) == (pytest.approx(3 / 6), 2, 6)
    assert ada["ac1"] == pytest.approx((4 * (0.75 - 0.46875) / (1 - 0.46875) + 2 * -1) / 6)


def test_people_as_a_whole_and_the_mean_of_the_means_of_each(read, row):
    people = row(read, "agreement_with_humans", evaluator="human", stage="read")
    assert people["kappa"] == pytest.approx((4 * 0.5 + 2 * -1 + 2 * -1) / 8)
    assert people["kappa_unweighted"] == pytest.approx((-0.25 - 0.25 - 1) / 3)
    assert (people["n_pairs"], people["n_judgments"]) == (3, 8)


def test_a_model_is_compared_with_each_person(read, items, row):
    gpt = make_annotator(read, "gpt", kind="model")
    answer(gpt, "read", items["c2"], "TF")
    found = row(read, "agreement_with_humans", evaluator="gpt", stage="read")
    # With Ada κ 1 over c2; with Ben, who ticked nothing there, 0; with Cy nothing is shared.
    assert (found["kappa"], found["n_pairs"], found["n_judgments"]) == (0.5, 2, 4)


def test_pairs_that_share_nothing_are_undefined_not_zero(two_annotators, row):
    guess = row(two_annotators, "agreement_with_humans", evaluator="human", stage="guess")
    assert (guess["kappa"], guess["kappa_unweighted"], guess["percent"], guess["ac1"]) == (None, None, None, None)
    assert (guess["n_pairs"], guess["n_judgments"]) == (0, 0)
    assert guess["reason"] == "no option was judged by both annotators of a pair"


def test_two_who_tick_nothing_at_all_have_no_kappa_but_agree(tiny, items, row):
    for code in ("ada", "ben"):
        answer(make_annotator(tiny, code), "read", items["c1"], "FF")
    found = row(tiny, "agreement_with_humans", evaluator="human", stage="read")
    assert (found["kappa"], found["percent"], found["ac1"]) == (None, 1, 1)
    assert (found["n_pairs"], found["n_judgments"]) == (0, 2)  # no κ, but two judgments shared, of which percent is
    assert "chance agreement is 1" in found["reason"]


def test_one_person_alone_has_nobody_to_agree_with(tiny, items, row):
    answer(make_annotator(tiny, "ada"), "read", items["c1"], "TF")
    found = row(tiny, "agreement_with_humans", evaluator="human", stage="read")
    assert (found["kappa"], found["reason"]) == (None, "nobody to compare with in this stage")


def test_both_conventions_and_their_units(read, row):
    both = row(read, "agreement_with_humans", evaluator="human", stage="read")["intervals"]["kappa"]
    assert (both["annotators"]["unit"], both["annotators"]["n_units"]) == ("text", 2)
    assert (both["published"]["unit"], both["published"]["n_units"]) == ("judgment", 4)


def test_an_evaluator_that_was_not_asked_in_a_stage_says_so(read, items, row):
    answer(make_annotator(read, "reader", kind="model"), "read", items["c1"], "TF")
    answer(make_annotator(read, "guesser", kind="model"), "guess", items["c1"], "TF")
    reasons = {
        (name, stage): row(read, "agreement_with_humans", evaluator=name, stage=stage)["reason"]
        for name in ("reader", "guesser")
        for stage in ("guess", "read")
    }
    assert reasons["reader", "guess"] == "no answers without the text"
    assert reasons["guesser", "read"] == "no answers with the text"
    assert "no answers" not in reasons["reader", "read"]
    assert reasons["guesser", "guess"] == "nobody to compare with in this stage"
