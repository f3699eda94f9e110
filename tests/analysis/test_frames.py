"""Which answers are in the frame, and what stands beside them."""

import pytest
from django.utils import timezone

from analysis.frames.responses import COLUMNS, load_responses
from studies.models import Draft
from tests.factory import answer, make_annotator, make_assignment, make_item, make_study, make_text


@pytest.fixture
def item(project):
    return make_item(make_text(project, "t1"), "careful", "i1", "TFF")


@pytest.fixture
def study(project, item):
    return make_study(project, "s", [item])


def test_one_row_per_response_with_key_and_correctness(study, item):
    ada = make_annotator(study, "ada", group="students")
    answer(ada, "read", item, "TTF", rating=4, unsure="FTF")
    frame = load_responses(study)
    assert tuple(frame.columns) == COLUMNS
    assert frame["option_id"].tolist()[:3] == ["a", "b", "c"]
    assert frame["value"].tolist() == [True, True, False, 4]
    assert frame["correct"].tolist()[:3] == [True, False, True]
    assert frame["unsure"].tolist()[:3] == [False, True, False]
    assert frame["correct"].isna().tolist() == [False, False, False, True]
    assert set(frame["group"]) == {"students"}


def test_key_is_the_one_of_today(study, item):
    answer(make_annotator(study, "ada"), "guess", item, "TFF")
    item.options.filter(external_id="a").update(correct=False)
    assert load_responses(study)["correct"].tolist() == [False, True, True]


def test_only_main_answers_unless_asked(study, item):
    for purpose in ("main", "pilot", "preview", "simulated"):
        answer(make_annotator(study, f"of-{purpose}", purpose=purpose), "guess", item, "TFF")
    assert set(load_responses(study)["annotator"]) == {"of-main"}
    assert set(load_responses(study, purposes=("main", "pilot"))["annotator"]) == {"of-main", "of-pilot"}


def test_drafts_are_never_in_the_frame(study, item):
    assignment = make_assignment(make_annotator(study, "ada"), item)
    now = timezone.now()
    times = {"first_answered_at": now, "last_changed_at": now}
    Draft.objects.create(assignment=assignment, stage="guess", item=item, values={"answer": ["a"]}, **times)
    assert load_responses(study).empty


def test_a_later_round_supersedes_the_earlier_one(study, item):
    ada, ben = make_annotator(study, "ada"), make_annotator(study, "ben")
    answer(ada, "read", item, "FFF", round=1)
    answer(ada, "read", item, "TFF", round=2)
    answer(ben, "read", item, "TTT", round=1)
    frame = load_responses(study)
    assert len(frame) == 6
    assert frame[frame["annotator"] == "ada"]["value"].tolist() == [True, False, False]


def test_a_guess_stays_when_only_the_reading_was_done_again(study, item):
    ada = make_annotator(study, "ada")
    answer(ada, "guess", item, "FTF", round=1)
    answer(ada, "read", item, "FFF", round=1)
    answer(ada, "read", item, "TFF", round=2)
    frame = load_responses(study)
    assert frame.groupby("stage")["round"].unique().map(list).to_dict() == {"guess": [1], "read": [2]}


def test_answers_of_a_returned_unit_are_left_out(study, item):
    ada = make_annotator(study, "ada")
    answer(ada, "guess", item, "TFF")
    ada.assignments.update(returned_at=timezone.now())
    assert load_responses(study).empty


def test_groups_limit_the_people_and_not_the_models(study, item):
    answer(make_annotator(study, "ada", group="students"), "read", item, "TFF")
    answer(make_annotator(study, "ben", group="teachers"), "read", item, "TFF")
    answer(make_annotator(study, "gpt", kind="model"), "read", item, "TFF")
    assert set(load_responses(study, groups=["teachers"])["annotator"]) == {"ben", "gpt"}


def test_evaluators_name_annotators_and_human_stands_for_all_people(study, item):
    answer(make_annotator(study, "ada"), "read", item, "TFF")
    answer(make_annotator(study, "gpt", kind="model"), "read", item, "TFF")
    assert set(load_responses(study, evaluators=["gpt"])["annotator"]) == {"gpt"}
    assert set(load_responses(study, evaluators=["human"])["annotator"]) == {"ada"}


def test_real_words_are_not_taken_for_missing(project):
    item = make_item(make_text(project, "NA"), "None", "null", "TF")
    study = make_study(project, "s", [item])
    answer(make_annotator(study, "nan", group="NA"), "read", item, "TF")
    frame = load_responses(study)
    row = frame.iloc[0]
    assert [row["text_id"], row["generator"], row["item_id"], row["annotator"], row["group"]] == [
        "NA", "None", "null", "nan", "NA",
    ]  # fmt: skip
    assert not frame[["text_id", "generator", "item_id", "annotator", "group"]].isna().to_numpy().any()


def test_a_study_without_answers_gives_an_empty_frame_with_all_columns(study):
    frame = load_responses(study)
    assert frame.empty
    assert tuple(frame.columns) == COLUMNS
