"""Files of questions as tools of others read and write them.

GIFT is read by pygiftparserrgmf, Moodle XML by moodle-xml-parser and written by moodle-questions, QTI 3.0 is converted
to 2.1 by citolab-qti-convert. Aiken has no such package: its reader here follows Moodle's description of the format.
"""

import io
import re
import zipfile

import pytest
from moodle_questions.questions.multiplechoice import MultipleChoiceQuestion
from moodle_questions.quiz import Quiz
from moodle_xml_parser.parser import parse_bytes
from pygiftparser.parser import parse
from qti_convert import downgrade_package

from items.files import zip_files
from items.formats import WRITERS
from items.formats.rows import TextRow
from items.models import Item
from items.services.importing import import_items, read_bank_file
from items.services.naming import ImportOptions

BODY = "The ferry {leaves} at nine.\nOn Sundays at ten: = ~ # 50 %."
CHOICES = {
    "q1": ("Why {so} late?", [("The choir = sings", True), ("The tide: low <ebb> & flow", False)]),
    "q2": ("Which two?", [("a ~ b", True), ("Möwen", True), ("漢字", False), ("#4", False)]),
    "q3": ("Whose boat?", [("his", False), ("hers", False), ("theirs", True)]),
}
Told = list[tuple[str, list[tuple[str, bool]]]]  # prompts, and their options in order


@pytest.fixture
def texts() -> list[TextRow]:
    items = [
        {"id": name, "question": stem, "answers": [{"text": text, "correct": correct} for text, correct in options]}
        for name, (stem, options) in CHOICES.items()
    ]
    return [TextRow.model_validate({"id": "t1", "text": BODY, "language": "en", "items": items})]


def expect(names=tuple(CHOICES), gap: str = "\n\n") -> Told:
    return [(f"{BODY}{gap}{CHOICES[name][0]}", CHOICES[name][1]) for name in names]


def unescape(words: str) -> str:
    """GIFT: the parser leaves escapes and the mark of plain text to those who show the words."""
    plain = words.removeprefix("[plain]").replace("\\n", "\n")
    return re.sub(r"\\([~=#{}:\\])", r"\1", plain)


def test_gift(texts):
    quiz = parse(WRITERS["gift"].write(texts).content.decode())
    read = [
        (unescape(each.text), [(unescape(option.text), option.percentage > 0) for option in each.answer.options])
        for each in quiz.questions
    ]
    assert read == expect()
    assert [each.name for each in quiz.questions] == list(CHOICES)


def test_moodle_xml(texts):
    found = parse_bytes(WRITERS["moodle"].write(texts).content)["multichoice"]
    read = [
        (each.text_pre_parse, [(option.answer, option.score_fraction > 0) for option in each.options]) for each in found
    ]
    assert read == expect()
    assert [each.single for each in found] == [True, False, True]


def read_aiken(content: str) -> Told:
    """Docs of Moodle, "Aiken format": a question, options `A. …` or `A) …`, and `ANSWER: letter`, each on its line."""
    read, prompt, options = [], [], []
    for line in content.splitlines():
        if found := re.match(r"ANSWER: ([A-Z])$", line):
            read.append(("\n".join(prompt), [(text, letter == found[1]) for letter, text in options]))
            prompt, options = [], []
        elif found := re.match(r"([A-Z])[.)] (.*)", line):
            options.append((found[1], found[2]))
        elif line:
            prompt.append(line)
    return read


def test_aiken(texts):
    written = WRITERS["aiken"].write(texts)
    assert read_aiken(written.content.decode()) == expect(("q1", "q3"), gap="\n")
    assert {each.item_id for each in written.left_out if not each.field} == {"q2"}


def test_qti_3_is_understood_by_a_converter_to_qti_2_1(texts):
    with zipfile.ZipFile(io.BytesIO(WRITERS["qti"].write(texts).content)) as package:
        converted = downgrade_package({name: package.read(name) for name in package.namelist()})
    assert {warning.code for warning in converted.warnings} == {"stimulus-inlined"}
    content = {name: each if isinstance(each, bytes) else each.encode() for name, each in converted.files.items()}
    assert any(b"imsqti_v2p1" in each for each in content.values())
    reading = read_bank_file(zip_files(content), "qti", name="converted.zip")
    assert not reading.problems
    read = [
        (item.stem, [(option.text, option.correct) for option in item.options or []])
        for line in reading.lines
        for item in line.text.items
    ]
    assert read == list(CHOICES.values())
    assert {line.text.body for line in reading.lines} == {BODY}


@pytest.mark.django_db
def test_moodle_xml_that_another_tool_wrote_comes_in(project, tmp_path):
    quiz = Quiz()
    for name, (stem, options) in CHOICES.items():
        question = MultipleChoiceQuestion(name=name, question_text=f"<p>The ferry.</p><p>{stem}</p>", default_mark=1)
        n_correct = sum(correct for _text, correct in options)
        for text, correct in options:
            escaped = text.replace("&", "&amp;").replace("<", "&lt;")
            question.add_answer(100 // n_correct if correct else 0, escaped, "")
        quiz.add_question(question)
    quiz.save(str(tmp_path / "quiz.xml"))
    reading = read_bank_file((tmp_path / "quiz.xml").read_bytes(), "moodle", name="quiz.xml")
    import_items(project, reading, ImportOptions(language="en"), filename="quiz.xml")
    stored = Item.objects.filter(project=project).prefetch_related("options").select_related("text")
    assert [(item.stem, [(option.text, option.correct) for option in item.options.all()]) for item in stored] == list(
        CHOICES.values()
    )
    assert {item.text.body for item in stored} == {"The ferry."}
