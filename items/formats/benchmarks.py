"""Published data sets as they are distributed, recognized by their fields: RACE, SQuAD, HotpotQA, Belebele, QGEval."""

import ast
from collections.abc import Iterator
from typing import Annotated, Any, ClassVar

from django.utils.translation import gettext as _
from pydantic import BeforeValidator, Field

from items.formats.jsonl import BadLine, parse_json, read_objects
from items.formats.questions import GAP, Question, group_questions
from items.formats.rows import Reading, Row, validate_row

LETTERS = "ABCDEFGHIJ"
MAX_LITERAL = 100_000
# A question: its text, the fields of its item, and other fields of its text.
Parts = tuple[str, dict[str, Any], dict[str, Any]]


class _Shape(Row):
    """A row of a data set. `marks`: the fields by which it is recognized."""

    dataset: ClassVar[str]
    marks: ClassVar[frozenset[str]]

    def split(self) -> Iterator[Parts]:
        """The questions of the row; ValueError with a sentence if its parts contradict each other."""
        raise NotImplementedError


class _BadKey(ValueError):
    """The answer in this field is none of the options."""

    def __init__(self, field: str, reason: str) -> None:
        super().__init__(reason)
        self.field = field


def _build_choice(question: str, options: list[str], answer: str, field: str) -> dict[str, Any]:
    if len(answer) != 1 or answer not in LETTERS[: len(options)]:
        raise _BadKey(field, _("The answer must be the letter of one of the options."))
    answers = [{"text": text, "correct": letter == answer} for letter, text in zip(LETTERS, options, strict=False)]
    return {"question": question, "answers": answers}


class RaceFile(_Shape):
    """RACE as it is distributed: a text with all its questions."""

    dataset, marks = "RACE", frozenset({"article", "questions", "options", "answers"})
    article: str
    questions: list[str]
    options: list[list[str]]
    answers: list[str]
    id: str | None = None

    def split(self) -> Iterator[Parts]:
        if not len(self.questions) == len(self.options) == len(self.answers):
            raise ValueError(_("There must be as many lists of options and answers as questions."))
        text = {"id": self.id} if self.id else {}
        for n, parts in enumerate(zip(self.questions, self.options, self.answers, strict=True), start=1):
            yield self.article, _build_choice(*parts, f"answers {n}"), text


class RaceRow(_Shape):
    """RACE on the Hugging Face Hub: one question per row."""

    dataset, marks = "RACE", frozenset({"article", "question", "options", "answer"})
    article: str
    question: str
    options: list[str]
    answer: str
    example_id: str | None = None

    def split(self) -> Iterator[Parts]:
        text = {"id": self.example_id} if self.example_id else {}
        yield self.article, _build_choice(self.question, self.options, self.answer, "answer"), text


class _RaceProblem(Row):
    question: str
    options: list[str]
    answer: str


def _parse_literal(value: Any) -> Any:
    """The value of a Python literal; ValueError if it is invalid, or longer than the questions of a text can be."""
    try:
        if isinstance(value, str) and len(value) <= MAX_LITERAL:
            return ast.literal_eval(value)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        pass
    raise ValueError(_("This must be a list of questions, as a Python literal."))


class RaceProblems(_Shape):
    """RACE in lm-evaluation-harness: the questions are a Python literal in a string."""

    dataset, marks = "RACE", frozenset({"article", "problems"})
    article: str
    problems: Annotated[list[_RaceProblem], BeforeValidator(_parse_literal)]

    def split(self) -> Iterator[Parts]:
        for n, each in enumerate(self.problems, start=1):
            yield self.article, _build_choice(each.question, each.options, each.answer, f"problems {n}, answer"), {}


class _Answers(Row):
    text: list[str]


class SquadRow(_Shape):
    """SQuAD on the Hugging Face Hub: one question per row; in 2.0 a question without answers is unanswerable."""

    dataset, marks = "SQuAD", frozenset({"context", "question", "answers"})
    context: str
    question: str
    answers: _Answers
    id: str | None = None
    title: str | None = None

    def split(self) -> Iterator[Parts]:
        yield self.context, _build_open(self.id, self.question, self.answers.text), _build_title(self.title)


class _SquadAnswer(Row):
    text: str


class _SquadQuestion(Row):
    id: str | None = None
    question: str
    answers: list[_SquadAnswer] = []


class _SquadParagraph(Row):
    context: str
    qas: list[_SquadQuestion]


class _SquadArticle(Row):
    title: str | None = None
    paragraphs: list[_SquadParagraph]


class SquadFile(_Shape):
    """SQuAD 1.1 and 2.0 as they are distributed: one document."""

    dataset, marks = "SQuAD", frozenset({"version", "data"})
    data: list[_SquadArticle]

    def split(self) -> Iterator[Parts]:
        for article in self.data:
            for paragraph in article.paragraphs:
                for each in paragraph.qas:
                    item = _build_open(each.id, each.question, [answer.text for answer in each.answers])
                    yield paragraph.context, item, _build_title(article.title)


def _build_open(name: str | None, question: str, answers: list[str]) -> dict[str, Any]:
    expected = {"answer": answers[0]} if answers else {"metadata": {"extra": {"is_impossible": True}}}
    return {"question": question} | ({"id": name} if name else {}) | expected


def _build_title(title: str | None) -> dict[str, Any]:
    return {"title": title.replace("_", " ")} if title else {}


class _HubContext(Row):
    """HotpotQA on the Hub: titles and their sentences in two lists."""

    title: list[str]
    sentences: list[list[str]]


class Hotpot(_Shape):
    """HotpotQA: the text of a question is all its paragraphs."""

    dataset, marks = "HotpotQA", frozenset({"question", "answer", "context", "supporting_facts"})
    question: str
    answer: str
    context: _HubContext | list[list[str | list[str]]]
    name: Annotated[str | None, Field(alias="_id")] = None
    id: str | None = None
    type: str | None = None
    level: str | None = None

    def split(self) -> Iterator[Parts]:
        found = self.context
        pairs = zip(found.title, found.sentences, strict=False) if isinstance(found, _HubContext) else found
        body = GAP.join(_join_paragraph(*pair) for pair in pairs)
        name = self.name or self.id
        extra = {name: value for name, value in (("type", self.type), ("level", self.level)) if value}
        item = {"question": self.question, "answer": self.answer} | ({"id": name} if name else {})
        yield body, item | ({"metadata": {"extra": extra}} if extra else {}), {}


def _join_paragraph(*pair: str | list[str]) -> str:
    if [type(part) for part in pair] != [str, list]:
        raise ValueError(_("A paragraph of “context” must be a title and a list of sentences."))
    title, sentences = pair
    return f"{title}\n{''.join(sentences)}"


class Belebele(_Shape):
    """Belebele: four options, and the key by its number from 1."""

    dataset, marks = "Belebele", frozenset({"flores_passage", "question", "mc_answer1", "correct_answer_num"})
    flores_passage: str
    question: str
    mc_answer1: str
    mc_answer2: str
    mc_answer3: str
    mc_answer4: str
    correct_answer_num: str | int

    def split(self) -> Iterator[Parts]:
        options = [self.mc_answer1, self.mc_answer2, self.mc_answer3, self.mc_answer4]
        letters = {str(number): letter for number, letter in enumerate(LETTERS[: len(options)], start=1)}
        letter = letters.get(str(self.correct_answer_num))
        if letter is None:
            raise _BadKey("correct_answer_num", _("The answer must be the number of one of the options."))
        item = _build_choice(self.question, options, letter, "correct_answer_num")
        yield self.flores_passage, item, {}


class _QGEvalQuestion(Row):
    """A generated question; its other fields are its mean scores."""

    prediction: str
    source: str


class QGEvalInstance(_Shape):
    """The instances of QGEval: a passage with the questions of all generators and the reference."""

    dataset, marks = "QGEval", frozenset({"passage", "reference", "questions"})
    passage: str
    answer: str
    id: int | str
    questions: list[_QGEvalQuestion]

    def split(self) -> Iterator[Parts]:
        for each in self.questions:
            name, generator, is_reference = name_qgeval_item(str(self.id), each.source)
            item = {"id": name, "generator": generator, "reference": is_reference, "answer": self.answer}
            scores = {"metadata": {"extra": each.model_extra}} if each.model_extra else {}
            yield self.passage, item | {"question": each.prediction} | scores, {"id": str(self.id)}


def name_qgeval_item(number: str, source: str) -> tuple[str, str, bool]:
    """Its id, as the import of judgments makes it, its generator, and whether it is the reference.

    `source` is the data set and, after the first _, who wrote the question.
    """
    generator = source.partition("_")[2] or source
    return f"{number}-{source}", generator, generator == "reference"


SHAPES: tuple[type[_Shape], ...] = (
    RaceFile, RaceRow, RaceProblems, Hotpot, SquadRow, SquadFile, Belebele, QGEvalInstance,
)  # fmt: skip


def read_benchmark(content: bytes) -> Reading | None:
    """The questions of a published data set, in JSON lines or one JSON document; None for other files."""
    lines = _read_first_object(content)
    document = None if lines else _parse_document(content)
    first = lines or (document[0] if document else {})
    shape = next((each for each in SHAPES if each.marks <= first.keys()), None)
    if shape is None:
        return None
    reading = Reading()
    rows = read_objects(content, reading.problems) if lines else _number_rows(document or [], reading)
    group_questions((each for row in rows for each in _read_row(shape, *row, reading)), reading)
    return reading


def _read_first_object(content: bytes) -> dict[str, Any]:
    """The object on the first line, empty if it is none."""
    line = content.removeprefix(b"\xef\xbb\xbf").lstrip().partition(b"\n")[0]
    try:
        value = parse_json(line)
    except BadLine:
        return {}
    is_document = isinstance(value, dict) and SquadFile.marks <= value.keys()
    return value if isinstance(value, dict) and not is_document else {}


def _parse_document(content: bytes) -> list[dict[str, Any]]:
    """The objects of a JSON document: those in its list, or the document itself."""
    content = content.removeprefix(b"\xef\xbb\xbf").strip()
    if not content.startswith((b"[", b"{")):
        return []
    try:
        value = parse_json(content)
    except BadLine:
        return []
    rows = value if isinstance(value, list) else [value]
    return rows if all(isinstance(row, dict) for row in rows) else []


def _number_rows(rows: list[dict[str, Any]], reading: Reading) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, row in enumerate(rows, start=1):
        reading.names[number] = _("element {n}").format(n=number)
        yield number, row


def _read_row(shape: type[_Shape], number: int, row: dict[str, Any], reading: Reading) -> Iterator[Question]:
    checked = validate_row(shape, row, number, reading.problems)
    try:
        for body, item, text in checked.split() if checked else ():
            yield Question(number, body, item, text | {"metadata": {"dataset": shape.dataset}})
    except ValueError as error:
        reading.problems.add(number, error.field if isinstance(error, _BadKey) else "", str(error))
