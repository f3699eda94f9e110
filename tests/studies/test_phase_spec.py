"""What a study file may say of phases and recruitment, and the sentence for what it may not."""

import pytest

from studies.services.spec import SpecError, check_spec
from tests.studies.world import bank, draft_study, spec

QUESTION = {"name": "q1", "text": "Choose blue.", "levels": ["red", "blue"], "answer": "blue"}


def phases(*told) -> dict:
    return spec(phases=list(told))


def test_a_kind_alone_has_the_usual_wording():
    phase = check_spec(phases("consent")).phases[0]
    assert (phase.kind, phase.name, phase.title) == ("consent", "consent", "")


@pytest.mark.parametrize(
    ("phase", "message"),
    [
        (
            {"kind": "test", "questions": [QUESTION], "pass_mark": 2},
            "the pass mark is 2, but there is only one question",
        ),
        ({"kind": "comprehension"}, "it needs questions"),
        ({"kind": "consent", "questions": [QUESTION]}, "has no “questions”"),
        ({"kind": "test", "questions": [QUESTION | {"answer": "green"}]}, "“green” is not one of its levels"),
        ({"kind": "test", "questions": [QUESTION | {"answer": ""}]}, "needs its right answer"),
        ({"kind": "survey", "questions": [QUESTION]}, "has no right answer"),
        ({"kind": "attention", "questions": [QUESTION]}, "say with “after”"),
        (
            {"kind": "attention", "after": 2, "questions": [QUESTION | {"text": "Choose a colour."}]},
            "must name the right",
        ),
        ({"kind": "practice"}, "it needs texts"),
        ({"kind": "consent", "colour": "red"}, "colour is unknown"),
        ({"kind": "background", "questions": [{"name": "A B", "text": "?", "kind": "text"}]}, "lowercase letters"),
    ],
)
def test_a_phase_that_cannot_be_is_refused_with_the_reason(phase, message):
    with pytest.raises(SpecError, match=message):
        check_spec(phases(phase))


def test_two_phases_need_two_names():
    with pytest.raises(SpecError, match="two phases are named “instructions”"):
        check_spec(phases("instructions", "instructions"))


@pytest.mark.parametrize(
    ("recruitment", "message"),
    [
        ({"platform": "prolific", "open_link": True}, "needs codes.finished"),
        ({"platform": "other"}, "set open_link to true"),
        ({"open_link": True, "codes": {"finished": "A", "failed_check": "A"}}, "two of the codes are the same"),
        ({"open_link": True, "return_to": "javascript:alert(1)"}, "must begin with https://"),
        ({"open_link": True, "codes": {"finished": "<b>"}}, "letters, digits"),
        ({"open_link": True, "cap": 0}, "at least 1"),
    ],
)
def test_a_way_of_recruiting_that_cannot_be_is_refused(recruitment, message):
    with pytest.raises(SpecError, match=message):
        check_spec(spec(recruitment=recruitment))


def test_an_open_link_needs_a_number_of_places(project):
    bank(project)
    with pytest.raises(SpecError, match="number of annotators"):
        draft_study(project, plan={"annotators": "open"}, recruitment={"open_link": True})


@pytest.mark.parametrize(
    ("text", "message"), [("t1", "for practice and for the main part"), ("t9", "has no text “t9”")]
)
def test_practice_has_texts_of_its_own(project, text, message):
    bank(project)
    with pytest.raises(SpecError, match=message):
        draft_study(project, items={"texts": ["t1"]}, phases=[{"kind": "practice", "texts": [text]}])
