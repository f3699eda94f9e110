"""Moodle XML: a quiz of questions; the text is at the beginning of each question, or in a description before
several."""

from collections.abc import Iterable, Iterator
from typing import Any
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from django.utils.translation import gettext as _

from items.formats.gift import MAX_CORRECT
from items.formats.markup import check_xml, read_html
from items.formats.questions import (
    Question,
    Unfit,
    WrittenFile,
    check_options,
    group_questions,
    join_prompt,
    split_prompt,
    write_questions,
)
from items.formats.rows import ItemRow, OptionRow, Reading, TextRow
from items.plain import strip_text

# Formats whose text is plain.
PLAIN = ("plain_text", "markdown")


def write_moodle(texts: Iterable[TextRow]) -> WrittenFile:
    """Choices with one or several correct options, short answers and essays, in plain text."""
    written = write_questions(texts, _write_item)
    if written.content:
        written.content = b'<?xml version="1.0" encoding="UTF-8"?>\n<quiz>\n' + written.content + b"</quiz>\n"
    return written


def _write_item(body: str, item: ItemRow) -> tuple[str, set[str]]:
    prompt = join_prompt(body, item)
    explanations = [option.explanation or "" for option in item.options or []]
    check_xml(
        prompt,
        item.expected_answer or "",
        *item.tags or (),
        *explanations,
        *(option.text for option in item.options or []),
    )
    question = Element("question")
    _add_text(question, "name", item.id or item.stem[:100])
    _add_text(question, "questiontext", prompt, format="plain_text")
    held = _add_choice(question, item) if item.options else _add_open(question, item)
    if item.id:
        SubElement(question, "idnumber").text = item.id
        held.add("id")
    if item.tags:
        tags = SubElement(question, "tags")
        for tag in item.tags:
            _add_text(tags, "tag", tag)
        held.add("tags")
    indent(question)
    return tostring(question, encoding="unicode") + "\n", held


def _add_text(parent: Element, name: str, text: str, **attributes: str) -> Element:
    element = SubElement(parent, name, attributes)
    SubElement(element, "text").text = text
    return element


def _add_choice(question: Element, item: ItemRow) -> set[str]:
    n_correct = check_options(item)
    if n_correct > MAX_CORRECT:
        raise Unfit(_("Moodle allows at most {n} correct options.").format(n=MAX_CORRECT))
    several = n_correct > 1 or bool(item.multiple)
    question.set("type", "multichoice")
    SubElement(question, "single").text = "false" if several else "true"
    for option in item.options or []:
        _add_option(question, option, f"{100 / n_correct:.7g}", "-100" if several else "0")
    return {"explanation"} | ({"multiple"} if item.multiple else set())


def _add_option(question: Element, option: OptionRow, right: str, wrong: str) -> None:
    fraction = right if option.correct else wrong
    answer = _add_text(question, "answer", option.text, fraction=fraction, format="plain_text")
    if option.explanation:
        _add_text(answer, "feedback", option.explanation, format="plain_text")


def _add_open(question: Element, item: ItemRow) -> set[str]:
    """A short answer; without an expected answer, an essay."""
    question.set("type", "shortanswer" if item.expected_answer else "essay")
    if not item.expected_answer:
        return set()
    _add_text(question, "answer", item.expected_answer, fraction="100", format="plain_text")
    return {"answer"}


def read_moodle(quiz: Element) -> Reading:
    """The questions of a quiz, each identified by its number in the file."""
    reading = Reading()
    group_questions(_read_questions(quiz, reading), reading)
    return reading


def _read_questions(quiz: Element, reading: Reading) -> Iterator[Question]:
    passage = ""
    for number, element in enumerate(quiz.iterfind("question"), start=1):
        reading.names[number] = _("question {n}").format(n=number)
        kind = element.get("type", "")
        prompt = _read_text(element.find("questiontext"), number, reading)
        if kind == "description":
            passage = prompt
        elif kind == "category":
            reading.warnings.add(number, "", _("Categories are not imported."))
        elif (item := _read_item(element, kind, number, reading)) is not None:
            body, stem = split_prompt(prompt)
            name = strip_text(element.findtext("idnumber") or "")
            tags = [each.text or "" for each in element.iterfind("tags/tag/text") if (each.text or "").strip()]
            extra = ({"id": name} if name else {}) | ({"tags": tags} if tags else {})
            yield Question(number, body or passage, item | {"question": stem} | extra)


def _read_text(element: Element | None, number: int, reading: Reading) -> str:
    """The words of an element, with HTML removed if that is its format."""
    words = "" if element is None else element.findtext("text") or ""
    if element is None or element.get("format") in PLAIN or not set(words) & set("<&"):
        return strip_text(words)
    if "<img" in words.lower():
        reading.warnings.add(number, "", _("Pictures are not imported."))
    return read_html(words)[1]


def _read_item(element: Element, kind: str, number: int, reading: Reading) -> dict[str, Any] | None:
    if kind == "multichoice":
        return _read_choice(element, number, reading)
    if kind == "shortanswer":
        return _read_short_answer(element, number, reading)
    if kind == "essay":
        return {}
    reason = _("This kind of question (true/false, numerical, matching or missing word) was left out.")
    reading.warnings.add(number, kind, reason)
    return None


def _read_short_answer(element: Element, number: int, reading: Reading) -> dict[str, Any]:
    answers = element.findall("answer")
    if len(answers) > 1:
        reading.warnings.add(number, "answer", _("Only the first of the accepted answers is imported."))
    return {"answer": _read_text(answers[0] if answers else None, number, reading)}


def _read_choice(element: Element, number: int, reading: Reading) -> dict[str, Any] | None:
    several = strip_text(element.findtext("single") or "") in ("false", "0")
    shares = [_read_share(answer) for answer in element.iterfind("answer")]
    # Even a question with one answer can give partial credit.
    least = 0.0 if several else max(shares, default=0.0) - 0.001
    answers: list[dict[str, Any]] = []
    for answer, share in zip(element.iterfind("answer"), shares, strict=True):
        explanation = _read_text(answer.find("feedback"), number, reading)
        values = {"text": _read_text(answer, number, reading), "correct": share > max(least, 0.0)}
        answers.append(values | ({"explanation": explanation} if explanation else {}))
    if not any(answer["correct"] for answer in answers):
        reading.problems.add(number, "", _("No option is correct. Give one a fraction above 0."))
        return None
    return {"answers": answers} | ({"multiple": True} if several else {})


def _read_share(answer: Element) -> float:
    try:
        return float(answer.get("fraction") or "0")
    except ValueError:
        return 0.0
