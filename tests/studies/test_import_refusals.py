"""A row that no participant could have given is refused with its line and reason; then nothing is stored."""

import pytest

from studies.services.responses.importing import ImportRefused, import_responses
from tests.studies.answer_files import as_csv, as_jsonl, make_option_rows, whole
from tests.studies.world import bank, counts, draft_study


@pytest.fixture
def study(project):
    bank(project)
    return draft_study(project)


def problems_of(study, content: bytes, **options) -> list[tuple[int, str, str]]:
    """What is refused; nothing may have been stored."""
    before = counts()
    with pytest.raises(ImportRefused) as refused:
        import_responses(study, content, **options)
    assert counts() == before
    study.refresh_from_db()
    assert study.is_draft
    return [(problem.line, problem.field, problem.reason) for problem in refused.value.problems]


def change_row(row: int, **fields) -> list[dict]:
    """A good file with one row changed. Rows 0 to 2 are the guess; 3 to 6 and 7 to 10 the read items."""
    rows = whole()
    rows[row] = rows[row] | fields
    return rows


CELLS = {
    "a tick that is no truth": (change_row(0, value="yes"), 2, "value", "it is true or false"),
    "a tick that is a number": (change_row(0, value="1"), 2, "value", "it is true or false"),
    "a rating above the scale": (change_row(6, value="6"), 8, "value", "it goes from 1 to 5"),
    "a rating below the scale": (change_row(6, value="0"), 8, "value", "it goes from 1 to 5"),
    "a rating that is a fraction": (change_row(6, value="3.5"), 8, "value", "is not on the scale of rating"),
    "a rating in other digits": (change_row(6, value="٣"), 8, "value", "is not on the scale of rating"),
    "a rating that is a truth": (change_row(6, value="true"), 8, "value", "is not on the scale of rating"),
    "an unknown text": (change_row(3, text_id="t9"), 5, "text_id", "belongs to the text “t1”, not to “t9”."),
    "the text of another item": (change_row(3, text_id="t2"), 5, "text_id", "not to “t2”"),
    "an unknown item": (change_row(3, item_id="t1-oak-1"), 5, "item_id", "The study has no item “t1-oak-1”."),
    "an unknown option": (change_row(3, option_id="z"), 5, "option_id", "has no option “z”"),
    "no option": (change_row(3, option_id=""), 5, "option_id", "asked about each option"),
    "an option where the item is asked about": (change_row(6, option_id="a"), 8, "option_id", "this cell empty"),
    "an unknown stage": (change_row(3, stage="reed"), 5, "stage", "Unknown stage “reed”. Choose one of: guess, read."),
    "an unknown question": (change_row(3, question="clarity"), 5, "question", "has no question “clarity”"),
    "a rating of a guess": (change_row(2, question="rating", option_id="", value="3"), 4, "question", "“rating”"),
    "an unknown kind": (change_row(3, annotator_kind="robot"), 5, "annotator_kind", "human, model, baseline"),
    "an unknown purpose": (change_row(3, purpose="fun"), 5, "purpose", "main, pilot, preview, simulated"),
    "an unknown reading": (change_row(3, reading="aloud"), 5, "reading", "ticked, label, probability"),
    "an unknown part": (change_row(3, part="calibration"), 5, "part", "Allowed values: main"),
    "unsure about a guess": (change_row(0, unsure="true"), 2, "unsure", "has no “unsure” mark"),
    "unsure that is no truth": (change_row(3, unsure="maybe"), 5, "unsure", "neither true nor false"),
    "a probability of a person": (change_row(3, probability="0.5"), 5, "probability", "of a model"),
    "a time beyond all zones": (change_row(3, submitted_at="9999-12-31T23:59:59Z"), 5, "submitted_at", "not a time"),
    "a round that is not a number": (change_row(3, round="first"), 5, "round", "is not a whole number from 1"),
    "a round below 1": (change_row(3, round="0"), 5, "round", "is not a whole number from 1"),
    "a round in other digits": (change_row(3, round="١"), 5, "round", "is not a whole number from 1"),
    "a round beyond all bounds": (change_row(3, round="9" * 200), 5, "round", "is not a whole number from 1"),
    "a time that is none": (change_row(3, submitted_at="yesterday"), 5, "submitted_at", "is not a time like"),
    "a day that does not exist": (change_row(3, submitted_at="2026-02-30T12:00:00Z"), 5, "submitted_at", "not a time"),
    "before all time": (change_row(3, submitted_at="0001-01-01T00:00:00+14:00"), 5, "submitted_at", "not a time"),
    "after all time": (change_row(3, submitted_at="9999-12-31T23:59:59-12:00"), 5, "submitted_at", "not a time"),
    "the word for all people": (change_row(3, annotator="human"), 5, "annotator", "means all people"),
    "nobody": (change_row(3, annotator=""), 5, "annotator", "This must not be empty."),
    "no value": (change_row(3, value=""), 5, "value", "This must not be empty."),
    "the other item of a pair": (change_row(3, other_item_id="t1-birch-1"), 5, "other_item_id", "Only pairwise"),
    "the side of a pair": (change_row(3, shown_left="t1-birch-1"), 5, "shown_left", "Only pairwise"),
    "an id that is too long": (change_row(3, item_id="x" * 201), 5, "item_id", "longer than 200 characters"),
    "a group that is too long": (change_row(3, group="x" * 101), 5, "group", "longer than 100 characters"),
    "a comment that is too long": (change_row(3, comment="x" * 10_001), 5, "comment", "longer than 10000 characters"),
    "NUL in an id": (change_row(3, item_id="t1\x00"), 5, "item_id", "control characters"),
    "an escape sequence in a code": (change_row(3, annotator="P\x1b[1m"), 5, "annotator", "control characters"),
    "NUL in a comment": (change_row(3, comment="a\x00b"), 5, "comment", "control characters"),
}  # fmt: skip


@pytest.mark.parametrize("case", CELLS)
def test_a_cell_is_refused_with_line_column_and_reason(case, study):
    rows, line, column, reason = CELLS[case]
    found = problems_of(study, as_csv(rows))
    assert [(at, name) for at, name, message in found if reason in message] == [(line, column)], found


@pytest.mark.parametrize("value", ["-0.1", "1.1", "nan", "inf", "-inf", "half", "0,5", "1_0", "٠"])
def test_a_probability_outside_0_to_1_is_refused(value, study):
    rows = make_option_rows("m", "guess", "t1-alder-1", annotator_kind="model", probability="0.5")
    rows[1]["probability"] = value
    assert problems_of(study, as_csv(rows)) == [(3, "probability", f"“{value}” is not a number from 0 to 1.")]


def test_a_probability_of_a_rating_is_refused(study):
    row = {"annotator": "m", "annotator_kind": "model", "stage": "read", "item_id": "t1-alder-1"}
    rows = [row | {"question": "rating", "value": "3", "probability": "0.5"}]
    assert problems_of(study, as_csv(rows))[0][:2] == (2, "probability")


def test_a_second_answer_to_the_same_question_is_refused_at_its_line(study):
    rows = whole()
    assert problems_of(study, as_csv([*rows, rows[4]])) == [
        (13, "", "This question was already answered in an earlier row.")
    ]


def test_a_second_rating_is_refused_even_if_it_says_the_same(study):
    rows = whole()
    assert problems_of(study, as_csv([*rows, rows[6]]))[0][0] == 13


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("group", "b"),
        ("annotator_kind", "model"),
        ("purpose", "pilot"),
        ("person", "ben"),
        ("model", "m"),
        ("reading", "label"),
    ],
)
def test_an_annotator_is_the_same_in_every_row(column, value, study):
    same = {"group": "a", "annotator_kind": "human", "purpose": "main", "person": "anna"}
    rows = [row | same for row in whole()]
    rows[5][column] = value
    assert (7, column) in [(line, name) for line, name, _reason in problems_of(study, as_csv(rows))]


def test_an_item_without_all_its_options_is_refused_for_a_person(study):
    rows = whole()
    del rows[4]
    assert problems_of(study, as_csv(rows)) == [
        (5, "option_id", "Item “t1-alder-1” is answered without its options b.")
    ]


def test_a_rating_without_answers_is_refused_for_a_person(study):
    rows = [row for row in whole() if row["question"] == "rating" or row["stage"] == "guess"]
    found = problems_of(study, as_csv(rows))
    assert (5, "question", "Item “t1-alder-1” is rated, but its options are not answered.") in found


def test_a_guess_without_a_read_is_refused_for_a_person(study):
    found = problems_of(study, as_csv(make_option_rows("P01", "guess", "t1-alder-1")))
    assert [(line, column) for line, column, _reason in found] == [(2, "stage")]
    assert "P01 answered item “t1-alder-1” in guess, but not in read." in found[0][2]


def test_a_read_in_another_round_does_not_count_for_the_guess(study):
    rows = make_option_rows("P01", "guess", "t1-alder-1") + make_option_rows("P01", "read", "t1-alder-1", round="2")
    assert problems_of(study, as_csv(rows))[0][:2] == (2, "stage")


def test_guesses_about_two_generators_on_one_text_are_refused_for_a_person(study):
    rows = whole() + make_option_rows("P01", "guess", "t1-birch-1")
    found = problems_of(study, as_csv(rows))
    assert [(line, column) for line, column, _reason in found] == [(13, "item_id")]
    assert "a person sees the items of one generator per text" in found[0][2]


def test_guesses_about_two_generators_are_refused_with_partial_too(study):
    rows = make_option_rows("P01", "guess", "t1-alder-1") + make_option_rows("P01", "guess", "t1-birch-1")
    assert problems_of(study, as_csv(rows), partial=True)[0][:2] == (5, "item_id")


def test_rows_that_are_wrong_are_not_also_called_missing(study):
    found = problems_of(study, as_csv(change_row(3, value="maybe")))
    assert [(line, column) for line, column, _reason in found] == [(5, "value")]


def test_all_problems_are_said_at_once_by_line(study):
    rows = whole()
    rows[9]["value"], rows[1]["stage"], rows[5]["item_id"] = "maybe", "look", "t0"
    assert [line for line, _column, _reason in problems_of(study, as_csv(rows)) if line in (3, 7, 11)] == [3, 7, 11]


def test_items_that_the_study_did_not_choose_are_unknown_to_it(project, study):
    other = draft_study(project, slug="other", items={"generators": ["alder"]})
    found = problems_of(other, as_csv(whole()))
    assert (9, "item_id", "The study has no item “t1-birch-1”.") in found


@pytest.mark.parametrize("word", ["NA", "null", "None", "nan", "N/A", "true"])
def test_words_that_other_programs_take_for_missing_are_words(word, study):
    rows = change_row(3, item_id=word)
    assert (5, "item_id", f"The study has no item “{word}”.") in problems_of(study, as_csv(rows))


@pytest.mark.parametrize("word", ["NA", "null", "None"])
def test_such_words_are_ids_like_others(word, project):
    from studies.models import Annotator
    from tests.factory import make_item, make_text

    make_item(make_text(project, word), "alder", word, "TFF")
    rows = make_option_rows(word, "guess", word, group=word) + make_option_rows(word, "read", word, group=word)
    import_responses(draft_study(project), as_csv(rows))
    assert Annotator.objects.values_list("code", "group").get() == (word, word)


@pytest.mark.parametrize("value", [["a"], {"a": 1}])
def test_a_list_or_an_object_is_no_cell(value, study):
    rows = change_row(3, item_id=value)
    assert (4, "", "item_id must be a text, a number, true, false or null.") in problems_of(study, as_jsonl(rows))
