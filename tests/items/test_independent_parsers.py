"""Files of questions as tools of others read and write them, over generated items.

Moodle XML is read by moodle-xml-parser (MIT) and written by moodle-tools (Apache-2.0). With requirements-readers.txt
GIFT is read by pygiftparserrgmf, and QTI 3.0 is turned to 2.1 by citolab-qti-convert. Aiken has no such package: its
reader here follows Moodle's description of the format.
"""

import io
import re
import zipfile

import pytest
import yaml
from hypothesis import assume, given
from hypothesis import strategies as st
from moodle_tools.make_questions import generate_moodle_questions
from moodle_xml_parser.parser import parse_bytes

from items.files import zip_files
from items.formats import WRITERS
from items.formats.rows import TextRow
from items.models import Item
from items.plain import is_blank, strip_text
from items.services.importing import import_items, read_bank_file
from items.services.naming import ImportOptions
from tests.items.test_question_formats import can_hold

pytestmark = pytest.mark.slow

Told = list[tuple[str, list[tuple[str, bool]]]]  # prompts, and their options in order
PIECES = st.sampled_from([*"aZ ß漢7.,)%:=~#{}$&<>'-\\", "A. ", "[b]", "->", "ANSWER: B", "<ebb>"])
WORDS = st.lists(PIECES, min_size=1, max_size=8).map("".join).map(strip_text).filter(lambda words: not is_blank(words))


@st.composite
def quizzes(draw):
    """A text of one or two paragraphs with up to three choices of two to four options."""
    body = "\n\n".join(draw(st.lists(WORDS, min_size=1, max_size=2)))
    option = st.fixed_dictionaries({"text": WORDS, "correct": st.booleans()})
    choice = st.tuples(WORDS, st.lists(option, min_size=2, max_size=4))
    items = [
        {"id": f"q{n}", "question": stem, "answers": answers}
        for n, (stem, answers) in enumerate(draw(st.lists(choice, min_size=1, max_size=3)))
    ]
    return [TextRow.model_validate({"id": "t1", "text": body, "language": "en", "items": items})]


def expect(texts: list[TextRow], format_name: str, gap: str = "\n\n") -> Told:
    """What the format can hold; nothing is left to be read otherwise."""
    told = [
        (f"{text.body}{gap}{item.stem}", [(option.text, option.correct) for option in item.options or []])
        for text in texts
        for item in text.items
        if can_hold(format_name, text.body or "", item)
    ]
    assume(told)
    return told


def unescape(words: str) -> str:
    """GIFT: the parser leaves escapes and the mark of plain text to those who show the words."""
    plain = words.removeprefix("[plain]").replace("\\n", "\n")
    return re.sub(r"\\([~=#{}:\\])", r"\1", plain)


def squeeze(told: Told) -> Told:
    """Without differences in white space, of which XML readers keep little."""
    return [
        (" ".join(prompt.split()), [(" ".join(text.split()), key) for text, key in options]) for prompt, options in told
    ]


@given(texts=quizzes())
def test_gift(texts):
    parser = pytest.importorskip("pygiftparser.parser", reason="requirements-readers.txt is not installed")
    expected = expect(texts, "gift")
    assume(
        all(sum(key for _text, key in options) != 3 for _prompt, options in expected)
    )  # it reads whole percents only
    quiz = parser.parse(WRITERS["gift"].write(texts).content.decode())
    assert [
        (unescape(each.text), [(unescape(option.text), option.percentage > 0) for option in each.answer.options])
        for each in quiz.questions
    ] == expected


@given(texts=quizzes())
def test_moodle_xml(texts):
    expected = expect(texts, "moodle")
    found = parse_bytes(WRITERS["moodle"].write(texts).content)["multichoice"]
    assert [
        (each.text_pre_parse, [(option.answer, option.score_fraction > 0) for option in each.options]) for each in found
    ] == expected
    assert [each.single for each in found] == [sum(key for _text, key in options) == 1 for _prompt, options in expected]


def read_aiken(content: str) -> Told:
    """Docs of Moodle, "Aiken format": a question, options `A. …` or `A) …`, and `ANSWER: letter`, each on its line."""
    read, prompt, options = [], [], []
    for line in content.split("\n"):
        if found := re.match(r"ANSWER: ([A-Z])$", line):
            read.append(("\n".join(prompt), [(text, letter == found[1]) for letter, text in options]))
            prompt, options = [], []
        elif found := re.match(r"([A-Z])[.)] (.*)", line):
            options.append((found[1], found[2]))
        elif line or prompt:
            prompt.append(line)
    return read


@given(texts=quizzes())
def test_aiken(texts):
    assert read_aiken(WRITERS["aiken"].write(texts).content.decode()) == expect(texts, "aiken", gap="\n")


@given(texts=quizzes())
def test_qti_3_is_understood_by_a_converter_to_qti_2_1(texts):
    convert = pytest.importorskip("qti_convert", reason="requirements-readers.txt is not installed")
    with zipfile.ZipFile(io.BytesIO(WRITERS["qti"].write(texts).content)) as package:
        converted = convert.downgrade_package({name: package.read(name) for name in package.namelist()})
    assert {warning.code for warning in converted.warnings} == {"stimulus-inlined"}
    content = {name: each if isinstance(each, bytes) else each.encode() for name, each in converted.files.items()}
    assert any(b"imsqti_v2p1" in each for each in content.values())
    reading = read_bank_file(zip_files(content), "qti", name="converted.zip")
    read = [
        (f"{line.text.body}\n\n{item.stem}", [(option.text, option.correct) for option in item.options or []])
        for line in reading.lines
        for item in line.text.items
    ]
    keyed = [each for each in read if any(key for _text, key in each[1])]  # others have no key in QTI 2.1
    assert squeeze(keyed) == squeeze([each for each in expect(texts, "qti") if any(key for _text, key in each[1])])


CHOICES: Told = [
    ("Why {so} late?", [("The choir = sings", True), ("The tide: low & flow", False)]),
    ("Which two?", [("a ~ b", True), ("Möwen", True), ("漢字", False), ("Nr. 4", False)]),
    ("Whose boat?", [("his", False), ("hers", False), ("theirs", True)]),
]


@pytest.mark.django_db
def test_moodle_xml_that_another_tool_wrote_comes_in(project, tmp_path):
    documents = [
        {
            "type": "multiple_choice",
            "title": stem,
            "question": f"The ferry.\n\n{stem}",
            "answers": [{"answer": text, "points": 100 if correct else 0} for text, correct in options],
        }
        for stem, options in CHOICES
    ]
    (tmp_path / "quiz.yml").write_text(yaml.safe_dump_all(documents, allow_unicode=True))
    written = generate_moodle_questions(paths=iter([tmp_path / "quiz.yml"]), skip_validation=True)
    reading = read_bank_file(written.encode(), "moodle", name="quiz.xml")
    import_items(project, reading, ImportOptions(language="en"), filename="quiz.xml")
    stored = Item.objects.filter(project=project).prefetch_related("options").select_related("text")
    assert [(item.stem, [(each.text, each.correct) for each in item.options.all()]) for item in stored] == CHOICES
    assert {item.text.body for item in stored} == {"The ferry."}
