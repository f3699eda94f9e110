"""A questionnaire that stops is data: what it asks follows from it, and what cannot be gone through is refused."""

from copy import deepcopy

import pytest
from hypothesis import given
from hypothesis import strategies as st

from studies.protocols import PROTOCOLS, InvalidAnswer, InvalidParameter
from studies.protocols.gates import find_stop, group_ways, list_ways
from studies.services.answers import AnswerScope, GivenAnswers, check_answers
from studies.services.instruments import load_shipped

PROTOCOL = PROTOCOLS["stopping-questionnaire"]
CONTRACT = {
    "understandable": ("yes", "no"),
    "domain_related": ("yes", "no"),
    "grammatical": ("yes", "no"),
    "clear": ("yes", "more_or_less", "no"),
    "rephrase": ("yes", "no"),
    "rephrasal": (),
    "answerable": ("yes", "no"),
    "answer": (),
    "information_needed": ("text", "parts", "external", "general", "opinion"),
    "central": ("yes", "no"),
    "would_use": ("yes", "maybe", "no"),
}


def wording(language="en") -> dict:
    return deepcopy(load_shipped()[f"stopping-questionnaire/{language}"])


def judge(content=None):
    return PROTOCOL.declare(PROTOCOL.fill({}), content or wording()).stage("judge")


@pytest.mark.parametrize("language", ["en", "de", "eu"])
def test_names_and_values_are_those_of_the_contract(language):
    assert {question.name: question.levels for question in judge(wording(language)).questions} == CONTRACT


@pytest.mark.parametrize("language", ["de", "eu"])
def test_all_languages_ask_the_same(language):
    asked = [each.asked_if for each in judge(wording(language)).questions]
    assert asked == [each.asked_if for each in judge().questions]


def test_the_paths_of_the_published_questionnaire():
    stage = judge()
    found = [(path.length, path.stop) for path in group_ways(stage.questions, stage.gates)]
    assert found == [(1, 0), (4, 1), (5, 2), (6, 2), (7, 2), (9, None), (10, None), (11, None)]


def questions_asked(**answers) -> set:
    stage = judge()
    return set(stage.path(answers, stage.questions))


FIRST = {"understandable", "domain_related", "grammatical", "clear"}
FINE = {"understandable": "yes", "domain_related": "yes", "grammatical": "yes", "clear": "yes"}


@pytest.mark.parametrize(
    ("answers", "expected"),
    [
        ({"understandable": "no"}, {"understandable"}),
        (FINE | {"clear": "no"}, FIRST),
        (FINE | {"domain_related": "no"}, FIRST | {"answerable"}),
        (FINE | {"clear": "more_or_less"}, FIRST | {"rephrase", "answerable"}),
        (FINE | {"grammatical": "no"}, FIRST | {"rephrase", "answerable"}),
        (FINE | {"grammatical": "no", "clear": "no"}, FIRST),
        (FINE | {"grammatical": "no", "rephrase": "yes"}, FIRST | {"rephrase", "rephrasal", "answerable"}),
        (FINE | {"answerable": "no"}, FIRST | {"answerable"}),
        (FINE | {"answerable": "yes"}, set(CONTRACT) - {"rephrase", "rephrasal"}),
    ],
)
def test_what_is_asked_after_some_answers(answers, expected):
    assert questions_asked(**answers) == expected


ANY = {name: st.sampled_from(levels) if levels else st.just("Some words.") for name, levels in CONTRACT.items()}
ANSWERS = st.fixed_dictionaries({}, optional=ANY)


def behind_a_stop(answers) -> set[str]:
    """By the rules as a person would say them, apart from the code."""
    third = {"rephrase", "rephrasal", "answerable", "answer"}
    fourth = {"information_needed", "central", "would_use"}
    found = set()
    if answers.get("understandable") == "no":
        found |= set(CONTRACT) - {"understandable"}
    if answers.get("clear") == "no":
        found |= third | fourth
    if answers.get("answerable") == "no":
        found |= fourth | {"answer"}
    if answers.get("clear") == "yes" and answers.get("grammatical") == "yes":
        found |= {"rephrase", "rephrasal"}
    if answers.get("rephrase") == "no":
        found.add("rephrasal")
    return found


@given(ANSWERS)
def test_no_answers_whatever_store_a_value_behind_a_stop(answers):
    stage = judge()
    try:
        stored = check_answers(stage, GivenAnswers(1, values=answers), AnswerScope())
    except InvalidAnswer:
        return
    assert {answer.question for answer in stored}.isdisjoint(behind_a_stop(answers))


@given(ANSWERS)
def test_what_is_off_the_path_is_dropped_and_what_is_left_is_taken(answers):
    stage = judge()
    path = {name: value for name, value in stage.path(answers, stage.questions).items() if value is not None}
    assert set(path).isdisjoint(behind_a_stop(path))
    assert len(check_answers(stage, GivenAnswers(1, values=path), AnswerScope())) == len(path)


@given(ANSWERS)
def test_not_applicable_missing_and_unknown_are_told_apart(answers):
    stage = judge()
    path = stage.path(answers, stage.questions)
    given = {name: value for name, value in path.items() if value is not None}
    states = stage.find_applicable(given, stage.questions)
    assert {name for name, state in states.items() if state} == set(path)
    assert {name for name, state in states.items() if state is False} >= behind_a_stop(given)
    if states["clear"] and path["clear"] is None:
        assert states["answerable"] is None


@given(st.fixed_dictionaries(ANY))
def test_every_complete_path_is_one_of_the_picture(answers):
    stage = judge()
    asked = stage.path(answers, stage.questions)
    (way,) = [
        way
        for way in list_ways(stage.questions, stage.gates)
        if way.questions == tuple(asked)
        and all(not step.values or answers[step.question] in step.values for step in way.steps)
    ]
    last = find_stop(stage.questions, stage.gates, asked)
    assert (way.stop is None) == (last is None)
    if last:
        assert last in stage.gates[way.stop].questions


def test_gates_open_one_after_the_other():
    stage = judge()
    assert stage.find_reached({"understandable": None}) == {"understandable"}
    assert stage.find_reached(stage.path({"understandable": "yes"}, stage.questions)) == FIRST
    half = stage.path(FINE | {"grammatical": "no", "rephrase": "yes", "answerable": "yes"}, stage.questions)
    assert "central" in half
    assert "central" not in stage.find_reached(half)


def change_gates(**gates):
    content = wording()
    for number, changes in gates.items():
        content["judge"]["gates"][int(number[1:])] |= changes
    return content


def refusal(content) -> str:
    with pytest.raises(InvalidParameter) as refused:
        judge(content)
    return str(refused.value)


def test_a_gate_at_which_all_answers_stop_is_a_dead_end():
    sentence = refusal(change_gates(g1={"stop_if": {"clear": ["yes", "more_or_less", "no"]}}))
    assert "Gate “What is it about, and how is it put?” is a dead end" in sentence
    assert "“Can it be answered?” is never reached" in sentence


def test_a_question_that_no_answers_lead_to_is_refused():
    content = wording()
    rephrase = next(each for each in content["judge"]["questions"] if each["name"] == "rephrase")
    rephrase["asked_if"] = {"all": [{"clear": "yes"}, {"clear": "more_or_less"}]}
    sentence = refusal(content)
    assert "“rephrase” in gate “Can it be answered?” is never asked" in sentence
    assert "“rephrasal” in gate “Can it be answered?” is never asked" in sentence


def test_a_stop_that_never_comes_about_is_refused():
    sentence = refusal(change_gates(g2={"stop_if": {"clear": "no"}}))
    assert sentence == "The stop of gate “Can it be answered?” never comes about: no answers lead to it."


@pytest.mark.parametrize(
    ("stop", "message"),
    [
        ({"central": "no"}, "depends on “central”, which is not asked before it."),
        ({"answer": "x"}, "depends on “answer”, which is answered in words of one's own."),
        ({"answerable": "never"}, "depends on the answer “never”, which “answerable” does not have."),
        ({"answerable": False}, "put “yes” and “no” in quotes."),
        ({"any": []}, "cannot be read"),
    ],
)
def test_a_stop_that_cannot_be_told_is_refused_by_the_name_of_its_gate(stop, message):
    sentence = refusal(change_gates(g2={"stop_if": stop}))
    assert sentence.startswith("The stop of gate “Can it be answered?” ")
    assert message in sentence


def test_questions_stand_in_one_gate_each_and_are_known():
    assert "asks “fun”, but the wording has no such question" in refusal(change_gates(g3={"questions": ["fun"]}))
    assert "“central” stands in no gate." in refusal(
        change_gates(g3={"questions": ["would_use", "information_needed"]})
    )
    assert "“clear” stands in a gate twice." in refusal(
        change_gates(g3={"questions": ["clear", "information_needed", "central", "would_use"]})
    )


def test_answers_need_quotes_and_two_of_them():
    content = wording()
    content["judge"]["questions"][0]["levels"] = [True, False]
    assert "put “yes” and “no” in quotes" in refusal(content)
    for levels in (["yes"], ["yes", "yes"], ["yes", 2], ["yes", ["no"]], "yes", 3, None):
        content["judge"]["questions"][0]["levels"] = levels
        assert "needs two or more different answers" in refusal(content)


def test_too_many_ways_are_refused_rather_than_walked():
    names = [f"q{number}" for number in range(14)]
    questions = [{"name": name, "levels": ["a", "b"]} for name in names] + [
        {"name": "last", "levels": ["a", "b"], "asked_if": {"any": [{name: "a"} for name in names]}}
    ]
    gates = [{"title": "All", "questions": [*names, "last"]}]
    assert "more than 2000 ways" in refusal({"judge": {"questions": questions, "gates": gates}})


def test_a_flat_variant_is_the_same_wording_without_stops():
    content = wording()
    for gate in content["judge"]["gates"]:
        gate.pop("stop_if", None)
    stage = judge(content)
    assert {path.stop for path in group_ways(stage.questions, stage.gates)} == {None}


def test_the_domain_is_a_parameter():
    assert PROTOCOL.declare(PROTOCOL.fill({"domain": "biology"}), wording()).slots == {"domain": "biology"}
    assert PROTOCOL.declare(PROTOCOL.fill({}), wording()).slots == {"domain": "the subject of the text"}
