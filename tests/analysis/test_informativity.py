"""Guessability, answerability and informativity, against numbers worked out by hand."""

import numpy as np
import pytest

from analysis.measures.reader_intervals import Arm, readers_share
from tests.factory import answer, make_annotator, make_item, make_study, make_text

pytestmark = pytest.mark.slow

COLUMNS = (
    "generator,evaluator,evaluator_kind,reading,guessability,guessability_low,guessability_high,guessability_reason,"
    "answerability,answerability_low,answerability_high,answerability_reason,informativity,informativity_low,"
    "informativity_high,informativity_reason,n_guess,n_read,n_items,n_texts,n_annotators,interval,replicates,seed,"
    "n_texts_effective,n_annotators_effective,share_from_readers"
)


@pytest.mark.parametrize("name", ["informativity", "informativity_matched"])
def test_columns_are_those_of_the_contract(two_annotators, table, name):
    assert ",".join(table(two_annotators, name).header) == COLUMNS


def test_shares_of_right_judgments_and_their_difference(two_annotators, row):
    careful = row(two_annotators, "informativity", generator="careful", evaluator="human")
    # Guessed: c1 by Ada 2 of 2, c2 by Ben 1 of 2. Read: 2, 2, 2 and 1 of 2.
    assert (careful["guessability"], careful["answerability"], careful["informativity"]) == (3 / 4, 7 / 8, 1 / 8)
    counts = ("n_guess", "n_read", "n_items", "n_texts", "n_annotators")
    assert [careful[name] for name in counts] == [4, 8, 2, 2, 2]
    assert (careful["evaluator_kind"], careful["reading"], careful["interval"]) == ("human", "ticked", "readers")


def test_interval_leaves_out_one_text_at_a_time(project, row):
    """θ ± t.975(2) · SE, SE² = 2/3 of the sum of squared deviations of the leave-one-outs from their mean."""
    items = [make_item(make_text(project, f"t{number}"), "careful", f"c{number}", "TF") for number in (1, 2, 3)]
    study = make_study(project, "s", items)
    ada = make_annotator(study, "ada")
    for item, guessed, read in zip(items, ("TT", "TT", "TT"), ("TF", "TT", "FF"), strict=True):
        answer(ada, "guess", item, guessed)
        answer(ada, "read", item, read)
    found = row(study, "informativity", {"convention": "annotators"}, evaluator="human")
    # A - G per text: 1/2, 0, 0; left out in turn: 0, 1/4, 1/4; mean 1/6.
    error = (2 / 3 * ((1 / 6) ** 2 + 2 * (1 / 12) ** 2)) ** 0.5
    reach = 4.302652729696142 * error
    assert found["informativity"] == pytest.approx(1 / 6)
    assert (found["informativity_low"], found["informativity_high"]) == pytest.approx((1 / 6 - reach, 1 / 6 + reach))
    assert (found["interval"], found["replicates"], found["seed"]) == ("annotators", None, None)


def test_texts_not_responses_are_left_out_for_these_annotators_only(two_annotators, row):
    where = {"generator": "careful", "evaluator": "human"}
    careful = row(two_annotators, "informativity", {"convention": "annotators"}, **where)
    both = careful["intervals"]["answerability"]
    assert (both["annotators"]["unit"], both["annotators"]["n_units"]) == ("text", 2)
    assert (both["published"]["unit"], both["published"]["n_units"]) == ("judgment", 8)
    assert (careful["answerability_low"], careful["answerability_high"]) == (
        both["annotators"]["low"],
        both["annotators"]["high"],
    )


def test_convention_says_which_interval_stands_in_low_and_high(two_annotators, row):
    where = {"generator": "careful", "evaluator": "human"}
    careful = row(two_annotators, "informativity", {"convention": "published"}, **where)
    published = careful["intervals"]["answerability"]["published"]
    assert (careful["answerability_low"], careful["answerability_high"]) == (published["low"], published["high"])
    assert (careful["interval"], careful["replicates"], careful["seed"]) == ("published", 10_000, 7)


def test_matched_takes_only_items_with_both_answers_of_the_same_person(two_annotators, row):
    careful = row(two_annotators, "informativity_matched", generator="careful", evaluator="human")
    # Ada on c1: 2 of 2 both times; Ben on c2: 1 of 2 both times.
    assert (careful["guessability"], careful["answerability"], careful["informativity"]) == (3 / 4, 3 / 4, 0)
    assert (careful["n_guess"], careful["n_read"], careful["n_annotators"]) == (4, 4, 2)


def test_one_row_per_generator_and_evaluator_in_bank_order_people_first(two_annotators, items, table):
    for code, kind in (("gpt", "model"), ("fuzzy", "baseline")):
        answer(make_annotator(two_annotators, code, kind=kind), "read", items["c1"], "TF")
    rows = table(two_annotators, "informativity").rows
    assert [(row["generator"], row["evaluator"]) for row in rows] == [
        (generator, evaluator) for generator in ("careful", "hurried") for evaluator in ("human", "gpt", "fuzzy")
    ]


def test_groups_have_rows_of_their_own_where_there_are_several(tiny, items, table):
    tiny.groups = ["teachers", "students"]
    tiny.save()
    answer(make_annotator(tiny, "ada", group="students"), "read", items["c1"], "TF")
    answer(make_annotator(tiny, "ben", group="teachers"), "read", items["c1"], "FF")
    rows = [row for row in table(tiny, "informativity").rows if row["generator"] == "careful"]
    assert [(row["evaluator"], row["answerability"]) for row in rows] == [
        ("human", 3 / 4),
        ("human:teachers", 1 / 2),
        ("human:students", 1),
    ]


def test_one_of_several_groups_keeps_its_row_when_no_other_is_in_the_figures(tiny, items, table):
    tiny.groups = ["teachers", "students"]
    tiny.save()
    answer(make_annotator(tiny, "ada", group="students"), "read", items["c1"], "TF")
    assert [row["evaluator"] for row in table(tiny, "informativity").rows][:2] == ["human", "human:students"]


def test_who_answers_only_with_the_text_has_no_informativity(two_annotators, items, row):
    fuzzy = make_annotator(two_annotators, "fuzzy", kind="baseline")
    answer(fuzzy, "read", items["c1"], "TF")
    found = row(two_annotators, "informativity", generator="careful", evaluator="fuzzy")
    assert (found["guessability"], found["informativity"], found["answerability"]) == (None, None, 1)
    assert found["guessability_reason"] == found["informativity_reason"] == "no answers without the text"
    assert (found["n_guess"], found["n_read"]) == (0, 2)


def test_one_text_has_a_number_but_no_interval(tiny, items, row):
    ada = make_annotator(tiny, "ada")
    answer(ada, "guess", items["c1"], "TT")
    answer(ada, "read", items["c1"], "TF")
    found = row(tiny, "informativity", generator="careful", evaluator="human")
    assert (found["informativity"], found["informativity_low"]) == (1 / 2, None)
    assert "One text" in found["informativity_reason"]


def test_a_study_without_answers_is_undefined_and_says_why(tiny, table):
    for found in table(tiny, "informativity").rows:
        assert (found["guessability"], found["answerability"], found["informativity"]) == (None, None, None)
        assert found["informativity_reason"] == "no answers yet"


def test_an_item_of_more_options_weighs_by_its_judgments_and_the_counts_say_so(project, row):
    text = make_text(project, "t1")
    items = [make_item(text, "careful", "two", "TF"), make_item(text, "careful", "four", "TFFF")]
    study = make_study(project, "s", items)
    ada = make_annotator(study, "ada")
    answer(ada, "read", items[0], "FT")
    answer(ada, "read", items[1], "TFFF")
    found = row(study, "informativity", evaluator="human")
    assert (found["answerability"], found["n_read"], found["n_items"]) == (4 / 6, 6, 2)


def test_pilot_and_simulated_answers_stay_out_unless_included(two_annotators, items, row):
    answer(make_annotator(two_annotators, "pip", purpose="pilot"), "guess", items["c1"], "FT")
    answer(make_annotator(two_annotators, "sim", purpose="simulated"), "guess", items["c1"], "FT")
    where = {"generator": "careful", "evaluator": "human"}
    assert row(two_annotators, "informativity", **where)["n_guess"] == 4
    assert row(two_annotators, "informativity", {"purposes": ("main", "pilot")}, **where)["guessability"] == 3 / 6
    both = row(two_annotators, "informativity", {"purposes": ("main", "pilot", "simulated")}, **where)
    assert both["guessability"] == 3 / 8


def test_a_corrected_key_counts_at_once(two_annotators, items, row):
    items["c1"].options.filter(external_id="b").update(correct=True)
    assert row(two_annotators, "informativity", generator="careful", evaluator="human")["guessability"] == 2 / 4


def test_matched_says_in_which_setting_an_evaluator_was_not_asked(tiny, items, row):
    answer(make_annotator(tiny, "reader", kind="model"), "read", items["c1"], "TF")
    answer(make_annotator(tiny, "guesser", kind="model"), "guess", items["c1"], "TF")
    both = make_annotator(tiny, "both", kind="model")
    answer(both, "guess", items["c1"], "TF")
    answer(both, "read", items["c2"], "TF")
    reasons = {
        name: row(tiny, "informativity_matched", generator=items["c1"].generator.name, evaluator=name)[
            "informativity_reason"
        ]
        for name in ("reader", "guesser", "both")
    }
    assert reasons == {
        "reader": "no answers without the text",
        "guesser": "no answers with the text",
        "both": "no item was answered both without and with the text",
    }


def test_the_default_draws_readers_and_texts(project, row):
    """Against the measure itself, on the same counts."""
    study, right, n = add_four_judgments(project)
    found = row(study, "informativity", evaluator="human")
    interval = readers_share(Arm.of_tables(right, n))
    ends = found["intervals"]["answerability"]
    assert found["interval"] == "readers"
    assert (found["answerability_low"], found["answerability_high"]) == pytest.approx((interval.low, interval.high))
    assert set(ends) == {"readers", "annotators", "published"}
    assert (ends["readers"]["unit"], ends["readers"]["share_from_readers"]) == (
        "text × annotator",
        pytest.approx(interval.share_from_readers),
    )


def test_the_row_says_what_the_interval_of_informativity_rests_on(project, row):
    study, _right, _n = add_four_judgments(project)
    found = row(study, "informativity", evaluator="human")
    of_measure = found["intervals"]["informativity"]["readers"]
    columns = ("n_texts_effective", "n_annotators_effective", "share_from_readers")
    assert [found[name] for name in columns] == [of_measure[name] for name in columns]
    assert (found["n_texts_effective"], found["n_annotators_effective"]) == (pytest.approx(5), pytest.approx(4))
    assert (found["replicates"], found["seed"]) == (None, None)
    drawn = row(study, "informativity", {"convention": "published", "seed": 7}, evaluator="human")
    assert (drawn["replicates"], drawn["seed"], drawn["share_from_readers"]) == (10_000, 7, None)


def test_a_model_stands_for_itself(project, row):
    """Its interval is over texts only and says so, whatever people's is over."""
    study, _right, _n = add_four_judgments(project)
    model = make_annotator(study, "gpt", kind="model")
    for unit in study.units.all():
        (item,) = unit.items.all()
        answer(model, "guess", item, "TT")
        answer(model, "read", item, "TT" if item.external_id == "c0" else "TF")
    found = row(study, "informativity", evaluator="gpt")["intervals"]["answerability"]["readers"]
    assert (found["unit"], found["share_from_readers"], len(found["caveats"])) == ("text", None, 1)


def test_all_right_has_a_bound_and_no_interval(project, row):
    items = [make_item(make_text(project, f"t{number}"), "careful", f"c{number}", "TF") for number in range(10)]
    study = make_study(project, "s", items)
    for code in ("ada", "ben", "cem", "dan"):
        person = make_annotator(study, code)
        for item in items:
            answer(person, "read", item, "TF")
    found = row(study, "informativity", evaluator="human")
    assert (found["answerability"], found["answerability_low"]) == (1, None)
    assert found["intervals"]["answerability"]["readers"]["bound"] == pytest.approx(0.025**0.1)
    assert ".69" in found["answerability_reason"]


def add_four_judgments(project):
    """A study of five texts with an item each, and the counts of right answers and of all with the text, by text and
    annotator."""
    items = [make_item(make_text(project, f"t{number}"), "careful", f"c{number}", "TF") for number in range(5)]
    study = make_study(project, "four", items)
    read = {"ada": "TF TF TT TF FF", "ben": "TF TT TF TF TF", "cem": "TF TF TF FT TF", "dan": "TT TF TF TF TF"}
    guessed = {"ada": "TT FF TF TT FF", "ben": "TF TT FF TF TT", "cem": "FF TF TT FT TF", "dan": "TF TT TF TT TT"}
    for code in read:
        person = make_annotator(study, code)
        for item, without, with_text in zip(items, guessed[code].split(), read[code].split(), strict=True):
            answer(person, "guess", item, without)
            answer(person, "read", item, with_text)
    right = np.array([[sum(map(str.__eq__, pattern, "TF")) for pattern in of.split()] for of in read.values()]).T
    return study, right, np.full(right.shape, 2)
