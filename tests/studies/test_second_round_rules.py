"""The three rules of a second round, on cells worked out by hand."""

import pytest

from studies.protocols.second_round import Score, list_flags, normalize_wording


def scores(wording="Why?", item="i1", question="fluency", text="t1", **by_annotator):
    return [Score(who, text, item, question, wording, value) for who, value in by_annotator.items()]


def cells(given, rules="abc"):
    return [(flag.annotator, flag.item, flag.rule, flag.score, flag.others) for flag in list_flags(given, rules)]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Why did she leave?", "why did SHE leave?"),
        ("Why did she leave?", "  Why  did\tshe\nleave? "),
        ("Why did she leave?", "Why did she leave"),
        ("Why did she leave?", "Why did she leave ?!"),
        ("Warum ging sie?", "warum ging sie …"),
        ("Straße?", "STRASSE?"),
    ],
)
def test_case_spacing_and_final_punctuation_make_no_difference(one, other):
    assert normalize_wording(one) == normalize_wording(other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("Why did she leave?", "Why did he leave?"), ("Is it red, blue?", "Is it red blue?"), ("?", "Why?")],
)
def test_other_words_and_inner_punctuation_do(one, other):
    assert normalize_wording(one) != normalize_wording(other)


def test_a_names_both_scores_of_one_wording_that_one_annotator_scored_differently():
    given = scores(item="i1", wording="Why?", ann=3, ben=3) + scores(item="i2", wording="why", ann=2, ben=3)
    assert cells(given, "a") == [("ann", "i1", "a", 3, (3,)), ("ann", "i2", "a", 2, (3,))]


def test_a_takes_wordings_letter_for_letter_where_that_is_set():
    given = scores(item="i1", wording="Why?", ann=3) + scores(item="i2", wording="why", ann=2)
    same = given + scores(item="i3", wording="Why?", ann=1)
    assert list_flags(given, "a", is_exact=True) == []
    assert [flag.item for flag in list_flags(same, "a", is_exact=True)] == ["i1", "i3"]


def test_a_looks_within_one_text_and_one_dimension_only():
    other_text = scores(item="i1", text="t1", ann=3) + scores(item="i2", text="t2", ann=2)
    other_dimension = scores(item="i1", ann=3) + scores(item="i2", question="clarity", ann=2)
    assert cells(other_text, "a") == cells(other_dimension, "a") == []


def test_b_names_who_is_two_away_from_others_that_agree():
    assert cells(scores(ann=1, ben=3, cy=3), "b") == [("ann", "i1", "b", 1, (3, 3))]


@pytest.mark.parametrize("values", [(2, 3, 3), (1, 3, 2), (3, 3, 3), (1, 3, None), (1, 1, 3, 3)])
def test_b_names_nobody_one_away_or_where_others_differ_or_where_only_two_scored(values):
    given = {f"p{place}": value for place, value in enumerate(values) if value is not None}
    assert cells(scores(**given), "b") == []


def test_c_names_all_where_three_scores_all_differ():
    found = cells(scores(ann=1, ben=2, cy=3))
    assert found == [("ann", "i1", "c", 1, (2, 3)), ("ben", "i1", "c", 2, (1, 3)), ("cy", "i1", "c", 3, (1, 2))]


def test_c_names_nobody_where_two_of_them_agree_or_only_two_scored():
    assert cells(scores(ann=1, ben=2, cy=2)) == cells(scores(ann=1, ben=2)) == []


def test_a_rule_that_is_switched_off_names_nothing():
    assert cells(scores(ann=1, ben=2, cy=3), "ab") == []
    assert cells(scores(ann=1, ben=3, cy=3), "ac") == []
