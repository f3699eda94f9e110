"""Ratings, accuracy by rating, guessable and unanswerable items, by hand."""

import pytest

from tests.factory import answer, make_annotator, make_item, make_study, make_text

pytestmark = pytest.mark.slow


def test_ratings_count_every_level_of_the_declared_scale(two_annotators, table, row):
    assert (
        ",".join(table(two_annotators, "ratings").header)
        == "generator,evaluator,n_1,n_2,n_3,n_4,n_5,n,mean,low,high,reason"
    )
    careful = row(two_annotators, "ratings", generator="careful", evaluator="human")
    assert [careful[f"n_{level}"] for level in range(1, 6)] == [0, 0, 0, 2, 2]
    assert (careful["n"], careful["mean"]) == (4, 18 / 4)


def test_a_scale_of_seven_has_seven_columns(project, table):
    item = make_item(make_text(project, "t1"), "careful", "c1")
    study = make_study(project, "s", [item], params={"rating_scale": 7})
    answer(make_annotator(study, "ada"), "read", item, "TF", rating=7)
    found = table(study, "ratings")
    assert [column for column in found.header if column.startswith("n_")] == [f"n_{level}" for level in range(1, 8)]
    assert found.rows[0]["n_7"] == 1


def test_the_mean_is_of_ratings_and_its_interval_of_texts(project, row):
    """Texts with ratings 4 4, 4 5 and 5 5: 4.5, and 4.75, 4.5, 4.25 without one of them; clipped at 5."""
    items = [make_item(make_text(project, f"t{number}"), "careful", f"c{number}") for number in (1, 2, 3)]
    study = make_study(project, "s", items)
    for code, given in {"ada": (4, 4, 5), "ben": (4, 5, 5)}.items():
        annotator = make_annotator(study, code)
        for item, rating in zip(items, given, strict=True):
            answer(annotator, "read", item, "TF", rating=rating)
    found = row(study, "ratings", {"convention": "annotators"}, evaluator="human")
    assert found["mean"] == 4.5
    assert found["low"] == pytest.approx(4.5 - 4.302652729696142 * (2 / 3 * 2 * 0.25**2) ** 0.5)
    assert found["high"] == 5


def test_models_that_rate_nothing_have_no_row(two_annotators, items, table):
    answer(make_annotator(two_annotators, "gpt", kind="model"), "read", items["c1"], "TF")
    assert {row["evaluator"] for row in table(two_annotators, "ratings").rows} == {"human"}


def test_accuracy_goes_with_ones_own_rating_and_ones_own_answers(two_annotators, table, row):
    assert (
        ",".join(table(two_annotators, "accuracy_by_rating").header)
        == "rating,stage,accuracy,low,high,n,n_texts,reason"
    )
    # Rated 4: h1 and c2 by both. Read: Ada 2 and 2, Ben 2 and 1 of 2. Guessed by Ben only: h1 1, c2 1 of 2.
    four = {stage: row(two_annotators, "accuracy_by_rating", rating=4, stage=stage) for stage in ("guess", "read")}
    assert (four["read"]["accuracy"], four["read"]["n"], four["read"]["n_texts"]) == (7 / 8, 8, 2)
    assert (four["guess"]["accuracy"], four["guess"]["n"], four["guess"]["n_texts"]) == (2 / 4, 4, 2)


def test_a_level_nobody_used_is_undefined(two_annotators, row):
    one = row(two_annotators, "accuracy_by_rating", rating=1, stage="read")
    assert (one["accuracy"], one["n"], one["reason"]) == (None, 0, "no answers with this rating")


def test_guessable_if_more_than_half_had_every_option_right(tiny, items, table):
    for code, pattern in {"ada": "TF", "ben": "TF", "cy": "TT"}.items():
        answer(make_annotator(tiny, code), "guess", items["c1"], pattern)
    for code, pattern in {"dan": "TF", "eve": "TT"}.items():
        answer(make_annotator(tiny, code), "guess", items["h1"], pattern)
    found = table(tiny, "guessable_items")
    assert ",".join(found.header) == "text_id,item_id,generator,n_annotators,n_right,share_right,codes"
    assert [{column: row[column] for column in found.header} for row in found.rows] == [
        {"text_id": "t1", "item_id": "c1", "generator": "careful", "n_annotators": 3, "n_right": 2,
         "share_right": 2 / 3, "codes": ""}
    ]  # fmt: skip


def test_unanswerable_if_more_than_half_had_some_option_wrong(tiny, items, table):
    for code, pattern in {"ada": "TF", "ben": "TT", "cy": "FF"}.items():
        answer(make_annotator(tiny, code), "read", items["c1"], pattern)
    for code, pattern in {"dan": "TF", "eve": "TT"}.items():
        answer(make_annotator(tiny, code), "read", items["h1"], pattern)
    found = table(tiny, "unanswerable_items").rows
    assert [(row["item_id"], row["n_annotators"], row["n_right"]) for row in found] == [("c1", 3, 1)]


def test_models_do_not_make_an_item_guessable(tiny, items, table):
    answer(make_annotator(tiny, "gpt", kind="model"), "guess", items["c1"], "TF")
    assert table(tiny, "guessable_items").rows == ()


def test_ids_that_look_like_missing_values_survive(project, table):
    item = make_item(make_text(project, "NA"), "null", "None", "TF")
    study = make_study(project, "s", [item])
    answer(make_annotator(study, "nan"), "guess", item, "TF")
    (found,) = table(study, "guessable_items").rows
    assert (found["text_id"], found["item_id"], found["generator"]) == ("NA", "None", "null")
    assert [row["evaluator"] for row in table(study, "agreement_with_humans").rows][:2] == ["human", "nan"]


def test_lists_start_with_what_is_surest(tiny, items, table):
    """Three of three right is surer than three of four, whatever the order of the study."""
    for number in range(4):
        answer(make_annotator(tiny, f"p{number}"), "guess", items["c1"], "TT" if number == 3 else "TF")
    for number in range(3):
        answer(make_annotator(tiny, f"q{number}"), "guess", items["h1"], "TF")
    found = table(tiny, "guessable_items").rows
    assert [row["item_id"] for row in found] == ["h1", "c1"]
    # Jeffreys: Beta(3.5, .5) and Beta(3.5, 1.5) above one half
    assert [round(row["certainty"], 3) for row in found] == [0.967, 0.84]
