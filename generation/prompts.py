"""The prompt about a text: an instrument's words with the slots filled in, exact to the byte.

An instrument for generators has `generate`, `again`, `text` (how {text} is laid out) and optionally `writes` (items |
question | questions), `reply` (list | json), `explain` (true | false), `marks` and `example`.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from django.utils.translation import gettext as _

from generation.parts import ParsedItem
from studies.prompts import SLOT, BadTemplate, Layout, check_again, check_slots, fill_template, get_part, read_layout

ITEMS, QUESTION, OPEN = "items", "question", "questions"
LIST, JSON = "list", "json"
CHOICES = {"writes": (ITEMS, QUESTION, OPEN), "reply": (LIST, JSON), "explain": (False, True)}
ANSWER, EXAMPLES, ITEM = "answer", "examples", "item"
SLOTS = {ITEMS: ["text", "n_items", "n_options"], QUESTION: ["text", ANSWER], OPEN: ["text", "n_items"]}
MORE_SLOTS = ["title", EXAMPLES]
EXAMPLE_SLOTS = {ITEMS: [ITEM], QUESTION: ["question", ANSWER], OPEN: ["question", ANSWER]}
MORE_EXAMPLE_SLOTS = ["text", "title"]
BETWEEN_EXAMPLES = "\n\n"


@dataclass(frozen=True)
class Template:
    """A prompt with slots, and what a model is to reply to it.

    writes: items, the question to an expected answer, or open questions with their answers. reply: a list or JSON.
    explains: whether the reply explains its options. again: the prompt after an unreadable reply. example: the layout
    of one example, and marks: the words that mark its options.
    """

    words: str
    again: str
    layout: Layout
    writes: str = ITEMS
    reply: str = LIST
    explains: bool = False
    example: str = ""
    marks: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_open(self) -> bool:
        """Whether the items have no options."""
        return self.writes != ITEMS

    @property
    def takes_examples(self) -> bool:
        return EXAMPLES in SLOT.findall(self.words)

    def render(
        self, *, title: str, body: str, n_items: int = 0, n_options: int = 0, answer: str = "",
        examples: Sequence[str] = (),
    ) -> str:  # fmt: skip
        """The filled template; braces in the values stay unchanged."""
        values = {"n_items": str(n_items), "n_options": str(n_options), ANSWER: answer}
        shown = BETWEEN_EXAMPLES.join(examples)
        text = self.layout.lay_out(title, body)
        return fill_template(self.words, values | {"text": text, "title": title, EXAMPLES: shown})

    def render_example(self, *, title: str, body: str, item: str = "", question: str = "", answer: str = "") -> str:
        text = self.layout.lay_out(title, body)
        return fill_template(
            self.example, {"text": text, "title": title, ITEM: item, "question": question, ANSWER: answer}
        )


def read_template(content: Mapping[str, Any]) -> Template:
    """The template of an instrument. Raises `studies.prompts.BadTemplate` with a sentence on what to change."""
    for check in make_template_checks(content):
        check()
    return Template(
        get_part(content, "generate", str),
        get_part(content, "again", str),
        read_layout(content),
        read_choice(content, "writes"),
        read_choice(content, "reply"),
        read_choice(content, "explain"),
        content.get("example", ""),
        content.get("marks", {}),
    )


def make_template_checks(content: Mapping[str, Any]) -> Iterator[Callable[[], object]]:
    """Checks that raise `BadTemplate`, each for one part of the instrument."""
    for name in CHOICES:
        yield partial(read_choice, content, name)
    yield partial(check_words, content)
    yield partial(check_again, content)
    yield partial(read_layout, content)
    yield partial(check_explain, content)
    yield partial(check_example, content)
    yield partial(check_marks, content)


def read_choice(content: Mapping[str, Any], name: str) -> Any:
    """The instrument's value under this name; the first one of CHOICES if it has none."""
    known = CHOICES[name]
    found = content.get(name, known[0])
    if not any(found is value or (isinstance(value, str) and found == value) for value in known):
        words = ", ".join(str(value).lower() for value in known)
        sentence = _("“%(name)s” is one of: %(known)s. Write one of these, or leave it out.")
        raise BadTemplate(sentence % {"name": name, "known": words}, name)
    return found


def read_writes(content: Mapping[str, Any]) -> str:
    """What the instrument writes; items if the value is unknown, so that only the check of that value fails."""
    found = content.get("writes")
    return found if isinstance(found, str) and found in SLOTS else ITEMS


def check_words(content: Mapping[str, Any]) -> None:
    words = get_part(content, "generate", str)
    if read_writes(content) != QUESTION and ANSWER in SLOT.findall(words):
        sentence = _("“generate” has the slot {answer}, which only an instrument with “writes: question” can fill.")
        raise BadTemplate(sentence, "generate")
    check_slots("generate", words, SLOTS[read_writes(content)], MORE_SLOTS)


def check_explain(content: Mapping[str, Any]) -> None:
    if content.get("explain") is True and read_writes(content) != ITEMS:
        raise BadTemplate(
            _("A question without options has nothing to explain. Leave “explain” out, or write items with options."),
            "explain",
        )


def check_example(content: Mapping[str, Any]) -> None:
    """The slot {examples} and the layout of an example must be either both given or both missing."""
    has_slot = EXAMPLES in SLOT.findall(get_part(content, "generate", str))
    if "example" not in content:
        if has_slot:
            raise BadTemplate(_("“generate” has the slot {examples}. Add “example”: how one of them looks."), "example")
        return
    if not has_slot:
        raise BadTemplate(_("“example” is never used: put {examples} into “generate”, or leave it out."), "example")
    check_slots("example", get_part(content, "example", str), EXAMPLE_SLOTS[read_writes(content)], MORE_EXAMPLE_SLOTS)


def check_marks(content: Mapping[str, Any]) -> None:
    """Examples in a list must mark each option as correct or not, in the words expected in the reply."""
    if (
        EXAMPLES in SLOT.findall(get_part(content, "generate", str))
        and "example" in content
        and read_writes(content) == ITEMS
        and content.get("reply", LIST) == LIST
    ):
        marks = get_part(content, "marks", Mapping)
        for name in list_mark_names(content):
            get_part(marks, name, str, f"marks.{name}")


def list_mark_names(content: Mapping[str, Any]) -> list[str]:
    more = ["reasoning", "misconception"] if content.get("explain") is True else []
    return ["correct", "incorrect", *more]


TEXT = {"type": "string"}


def make_items_schema(n_items: int, n_options: int, *, explains: bool) -> dict[str, Any]:
    """The schema for items: `{"items": [{"question", "suggested_answers": [{"answer", "correct"}]}]}`.

    With explanations, a model writes the question, the reasoning and the keys, then each distractor after the
    misconception behind it. Models write in the order of the schema, and the names of a request are sorted before it is
    sent; so the names were chosen such that the sorted order is the wanted one. The number of keys is not fixed, as an
    item may have none.
    """
    if explains:
        distractor = _build_object({"misconception": TEXT, "wrong_answer": TEXT})
        parts = {
            "question": TEXT,
            "reasoning": TEXT,
            "right_answers": _build_list(TEXT, 0, n_options),
            "wrong_answers": _build_list(distractor, 0, n_options),
        }
    else:
        option = _build_object({"answer": TEXT, "correct": {"type": "boolean"}})
        parts = {"question": TEXT, "suggested_answers": _build_list(option, n_options, n_options)}
    return _build_format("items", _build_object({"items": _build_list(_build_object(parts), n_items, n_items)}))


def make_question_schema() -> dict[str, Any]:
    """The schema for one question: `{"question": …}`."""
    return _build_format("question", _build_object({"question": TEXT}))


def make_open_schema(n_items: int) -> dict[str, Any]:
    """The schema for open questions: `{"questions": [{"answer", "question"}]}`, with names in sorted order."""
    return _build_format(
        "questions",
        _build_object({"questions": _build_list(_build_object({"answer": TEXT, "question": TEXT}), n_items, n_items)}),
    )


def _build_format(name: str, schema: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "json_schema", "json_schema": {"name": name, "strict": True, "schema": schema}}


def _build_object(parts: Mapping[str, Any]) -> dict[str, Any]:
    return {"type": "object", "properties": dict(parts), "required": list(parts), "additionalProperties": False}


def _build_list(of: Mapping[str, Any], least: int, most: int) -> dict[str, Any]:
    return {"type": "array", "items": of, "minItems": least, "maxItems": most}


def write_json(item: ParsedItem, *, explains: bool) -> str:
    """An item in the format of a JSON reply."""
    if not explains:
        options = [{"answer": option.text, "correct": bool(option.correct)} for option in item.options]
        return json.dumps({"question": item.stem, "suggested_answers": options}, ensure_ascii=False)
    keys = [option for option in item.options if option.correct]
    wrong = [option for option in item.options if not option.correct]
    row = {
        "question": item.stem,
        "reasoning": item.reasoning or (keys[0].explanation if keys else ""),
        "right_answers": [option.text for option in keys],
        "wrong_answers": [{"misconception": option.explanation, "wrong_answer": option.text} for option in wrong],
    }
    return json.dumps(row, ensure_ascii=False)


def write_list(item: ParsedItem, marks: Mapping[str, str], *, explains: bool) -> str:
    """An item as lines, with letters and marks; with explanations, the keys and the reasoning come first."""
    lines, options = [f"1. {item.stem}"], item.options
    if explains:
        options = sorted(options, key=lambda option: not option.correct)
    for letter, option in zip("abcdefghijklmnopqrst", options, strict=False):
        kind = "correct" if option.correct else "incorrect"
        if explains:
            lines.append(f"{marks['reasoning' if option.correct else 'misconception']}: {option.explanation}")
        lines.append(f"{letter}) {option.text} ({marks[kind]})")
    return "\n".join(lines)
