"""What a model is asked about a text: an instrument's words with the slots filled in, exact to the byte.

An instrument of prompts for generators holds `generate`, `again`, `text` (how {text} is laid out) and perhaps
`writes` (items | question), `reply` (list | json), `explain` (true | false), `marks` and `example`.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from django.utils.translation import gettext as _

from studies.prompts import SLOT, BadTemplate, Layout, check_again, check_slots, fill, part, read_layout

ITEMS, QUESTION = "items", "question"
LIST, JSON = "list", "json"
CHOICES = {"writes": (ITEMS, QUESTION), "reply": (LIST, JSON), "explain": (False, True)}
ANSWER, EXAMPLES, ITEM = "answer", "examples", "item"
SLOTS = {ITEMS: ["text", "n_items", "n_options"], QUESTION: ["text", ANSWER]}
MORE_SLOTS = ["title", EXAMPLES]
EXAMPLE_SLOTS = {ITEMS: [ITEM], QUESTION: ["question", ANSWER]}
MORE_EXAMPLE_SLOTS = ["text", "title"]
BETWEEN_EXAMPLES = "\n\n"


@dataclass(frozen=True)
class Template:
    """`writes` items, or the question to an expected answer; the reply is a list or JSON, perhaps with explanations."""

    words: str
    again: str
    layout: Layout
    writes: str = ITEMS
    reply: str = LIST
    explains: bool = False
    example: str = ""
    marks: Mapping[str, str] = field(default_factory=dict)

    @property
    def takes_examples(self) -> bool:
        return EXAMPLES in SLOT.findall(self.words)

    def render(
        self, *, title: str, body: str, n_items: int = 0, n_options: int = 0, answer: str = "",
        examples: Sequence[str] = (),
    ) -> str:  # fmt: skip
        """A slot in what is filled in stays what it is."""
        values = {"n_items": str(n_items), "n_options": str(n_options), ANSWER: answer}
        shown = BETWEEN_EXAMPLES.join(examples)
        text = self.layout.lay_out(title, body)
        return fill(self.words, values | {"text": text, "title": title, EXAMPLES: shown})

    def render_example(self, *, title: str, body: str, item: str = "", question: str = "", answer: str = "") -> str:
        text = self.layout.lay_out(title, body)
        return fill(self.example, {"text": text, "title": title, ITEM: item, "question": question, ANSWER: answer})


def read_template(content: Mapping[str, Any]) -> Template:
    """The template of an instrument, or `studies.prompts.BadTemplate` with a sentence."""
    for check in template_checks(content):
        check()
    return Template(
        part(content, "generate", str),
        part(content, "again", str),
        read_layout(content),
        choice(content, "writes"),
        choice(content, "reply"),
        choice(content, "explain"),
        content.get("example", ""),
        content.get("marks", {}),
    )


def template_checks(content: Mapping[str, Any]) -> Iterator[Callable[[], object]]:
    """Each raises `BadTemplate` if something is wrong with one part of the instrument."""
    for name in CHOICES:
        yield partial(choice, content, name)
    yield partial(check_words, content)
    yield partial(check_again, content)
    yield partial(read_layout, content)
    yield partial(check_explain, content)
    yield partial(check_example, content)
    yield partial(check_marks, content)


def choice(content: Mapping[str, Any], name: str) -> Any:
    """What the instrument says there; the first of the values if it says nothing."""
    known = CHOICES[name]
    found = content.get(name, known[0])
    if not any(found is value or (isinstance(value, str) and found == value) for value in known):
        words = ", ".join(str(value).lower() for value in known)
        said = _("“%(name)s” is one of: %(known)s. Write one of these, or leave it out.")
        raise BadTemplate(said % {"name": name, "known": words}, name)
    return found


def writes(content: Mapping[str, Any]) -> str:
    """For checks that must not fail because another has: items where it says something unknown."""
    return QUESTION if content.get("writes") == QUESTION else ITEMS


def check_words(content: Mapping[str, Any]) -> None:
    words = part(content, "generate", str)
    if writes(content) == ITEMS and ANSWER in SLOT.findall(words):
        said = _("“generate” has the slot {answer}, which only an instrument with “writes: question” can fill.")
        raise BadTemplate(said, "generate")
    check_slots("generate", words, SLOTS[writes(content)], MORE_SLOTS)


def check_explain(content: Mapping[str, Any]) -> None:
    if content.get("explain") is True and writes(content) == QUESTION:
        raise BadTemplate(_("A question has no options to explain. Leave “explain” out, or write items."), "explain")


def check_example(content: Mapping[str, Any]) -> None:
    """The slot {examples} and the layout of one example stand both or neither."""
    has_slot = EXAMPLES in SLOT.findall(part(content, "generate", str))
    if "example" not in content:
        if has_slot:
            raise BadTemplate(_("“generate” has the slot {examples}. Add “example”: how one of them looks."), "example")
        return
    if not has_slot:
        raise BadTemplate(_("“example” is never used: put {examples} into “generate”, or leave it out."), "example")
    check_slots("example", part(content, "example", str), EXAMPLE_SLOTS[writes(content)], MORE_EXAMPLE_SLOTS)


def check_marks(content: Mapping[str, Any]) -> None:
    """Examples in a list say of each option whether it is correct, in the words that the reply is to have."""
    if (
        EXAMPLES in SLOT.findall(part(content, "generate", str))
        and "example" in content
        and writes(content) == ITEMS
        and content.get("reply", LIST) == LIST
    ):
        marks = part(content, "marks", Mapping)
        for name in mark_names(content):
            part(marks, name, str, f"marks.{name}")


def mark_names(content: Mapping[str, Any]) -> list[str]:
    more = ["reasoning", "misconception"] if content.get("explain") is True else []
    return ["correct", "incorrect", *more]
