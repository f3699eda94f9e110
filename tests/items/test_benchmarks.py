"""Published data sets come in as they are distributed: texts, questions, keys and expected answers."""

import json

import pytest

from items.formats.benchmarks import SHAPES
from items.services.importing import read_bank_file
from tests.items.files import jsonl, problems_of

BODY = "The ferry leaves at nine."
RACE = {"article": BODY, "questions": ["When?", "Who?"], "options": [["8", "9"], ["Ada", "Ben"]], "answers": ["B", "A"]}
RACE_ROW = {"example_id": "high1.txt", "article": BODY, "question": "When?", "options": ["8", "9"], "answer": "B"}
PROBLEMS = {"article": BODY, "problems": "[{'question': 'When?', 'options': ['8', '9'], 'answer': 'B'}]"}
QAS = [
    {"id": "q1", "question": "When?", "answers": [{"text": "at nine", "answer_start": 18}, {"text": "nine"}]},
    {"id": "q2", "question": "Why?", "answers": [], "is_impossible": True},
]
SQUAD = {"version": "v2.0", "data": [{"title": "The_ferry", "paragraphs": [{"context": BODY, "qas": QAS}]}]}
SQUAD_ROW = {
    "id": "q1", "title": "The_ferry", "context": BODY, "question": "When?",
    "answers": {"text": ["at nine"], "answer_start": [18]},
}  # fmt: skip
HOTPOT = {
    "_id": "h1", "question": "When?", "answer": "at nine", "type": "bridge", "level": "easy",
    "supporting_facts": [["Ferry", 0]], "context": [["Ferry", ["It leaves.", " At nine."]], ["Tide", ["It falls."]]],
}  # fmt: skip
HOTPOT_ROW = {name: value for name, value in HOTPOT.items() if name != "_id"} | {
    "id": "h1",
    "context": {"title": ["Ferry", "Tide"], "sentences": [["It leaves.", " At nine."], ["It falls."]]},
}
BELEBELE = {
    "link": "https://example.org", "question_number": 1, "flores_passage": BODY, "question": "When?",
    "mc_answer1": "8", "mc_answer2": "9", "mc_answer3": "10", "mc_answer4": "11", "correct_answer_num": "2",
}  # fmt: skip
SCORES = {"fluency": 2.67, "clarity": 3.0}
QGEVAL = {
    "id": 7, "passage": BODY, "reference": "When?", "answer": "at nine", "questions": [
        {"prediction": "When is it?", "source": "SQuAD_BART-base_finetune", **SCORES},
        {"prediction": "When?", "source": "SQuAD_reference", **SCORES},
    ],
}  # fmt: skip
PARAGRAPHS = "Ferry\nIt leaves. At nine.\n\nTide\nIt falls."


@pytest.mark.parametrize(
    ("content", "dataset", "body", "items"),
    [
        (jsonl(RACE), "RACE", BODY, [("When?", "01", None), ("Who?", "10", None)]),
        (json.dumps(RACE, indent=1).encode(), "RACE", BODY, [("When?", "01", None), ("Who?", "10", None)]),
        (jsonl(RACE_ROW, RACE_ROW | {"question": "Who?"}), "RACE", BODY, [("When?", "01", None), ("Who?", "01", None)]),
        (jsonl(PROBLEMS), "RACE", BODY, [("When?", "01", None)]),
        (json.dumps(SQUAD).encode(), "SQuAD", BODY, [("When?", "", "at nine"), ("Why?", "", None)]),
        (jsonl(SQUAD_ROW), "SQuAD", BODY, [("When?", "", "at nine")]),
        (json.dumps([HOTPOT]).encode(), "HotpotQA", PARAGRAPHS, [("When?", "", "at nine")]),
        (jsonl(HOTPOT_ROW), "HotpotQA", PARAGRAPHS, [("When?", "", "at nine")]),
        (json.dumps([QGEVAL]).encode(), "QGEval", BODY, [("When is it?", "", "at nine"), ("When?", "", "at nine")]),
        (b"\xef\xbb\xbf" + jsonl(BELEBELE), "Belebele", BODY, [("When?", "0100", None)]),
    ],
)
def test_a_data_set_is_recognized_by_its_fields(content, dataset, body, items):
    reading = read_bank_file(content, "lesart")
    (line,) = reading.lines
    assert not reading.problems
    assert (line.text.body, line.text.metadata) == (body, {"dataset": dataset})
    assert [
        (i.stem, "".join(str(int(o.correct)) for o in i.options or []), i.expected_answer) for i in line.text.items
    ] == items


def test_ids_titles_and_what_cannot_be_answered_are_kept():
    (line,) = read_bank_file(json.dumps(SQUAD).encode(), "lesart").lines
    assert line.text.title == "The ferry"
    assert [(item.id, item.metadata) for item in line.text.items] == [
        ("q1", None), ("q2", {"extra": {"is_impossible": True}}),
    ]  # fmt: skip
    (line,) = read_bank_file(jsonl(RACE_ROW), "lesart").lines
    assert line.text.id == "high1.txt"
    (line,) = read_bank_file(jsonl(HOTPOT_ROW), "lesart").lines
    assert (line.text.items[0].id, line.text.items[0].metadata) == (
        "h1",
        {"extra": {"type": "bridge", "level": "easy"}},
    )


def test_instances_of_qgeval_have_the_ids_of_its_workbooks_and_its_mean_scores():
    (line,) = read_bank_file(json.dumps([QGEVAL]).encode(), "lesart").lines
    assert line.text.id == "7"
    assert [(item.id, item.generator, item.reference, item.metadata) for item in line.text.items] == [
        ("7-SQuAD_BART-base_finetune", "BART-base_finetune", False, {"extra": SCORES}),
        ("7-SQuAD_reference", "reference", True, {"extra": SCORES}),
    ]


@pytest.mark.parametrize(
    ("row", "field", "message"),
    [
        (RACE | {"answers": ["B"]}, "", "as many lists"),
        (RACE | {"answers": ["B", "C"]}, "answers 2", "letter of one of the options"),
        (RACE_ROW | {"answer": 1}, "answer", "string"),
        (RACE_ROW | {"answer": "E"}, "answer", "letter of one of the options"),
        (RACE_ROW | {"article": " "}, "text", "no reading text"),
        (PROBLEMS | {"problems": "__import__('os')"}, "problems", "Python literal"),
        (PROBLEMS | {"problems": "[" * 9_000}, "problems", "Python literal"),
        (PROBLEMS | {"problems": "[" + "1," * 100_000 + "]"}, "problems", "Python literal"),
        (SQUAD_ROW | {"answers": {"text": "at nine"}}, "answers, text", "list"),
        (HOTPOT | {"context": [["Ferry"]]}, "", "a title and a list of sentences"),
        (BELEBELE | {"correct_answer_num": "0"}, "correct_answer_num", "number of one of the options"),
        (QGEVAL | {"questions": [{"prediction": "When?"}]}, "questions 1, source", "missing"),
        (BELEBELE | {"mc_answer4": None}, "mc_answer4", "string"),
    ],
)
def test_a_row_that_is_not_as_the_data_set_has_it_is_refused_with_its_line(row, field, message):
    good = jsonl(row | {"answers": ["B", "A"]}) if row.keys() >= RACE.keys() else b""
    (problem,) = problems_of(good + jsonl(row), "lesart")
    assert problem[:2] == (1 + bool(good), field)
    assert message in problem[2]


def test_every_shape_has_marks_of_its_own():
    assert not [(a, b) for a in SHAPES for b in SHAPES if a != b and a.marks <= b.marks]
