"""What a model is asked about all options of an item at once, from an instrument of prompts. No Django.

Such an instrument holds `text` (how {text} is laid out), a template for each stage, and `again`, which is said after a
reply that lists no letters. It has no labels: the reply lists letters, or 0 for none.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from studies.prompts import (
    OF_THE_KEY,
    OF_THE_TEXT,
    QUESTION,
    TEXT,
    TITLE,
    Layout,
    check_again,
    check_slots,
    fill,
    part,
    read_layout,
)  # fmt: skip

OPTIONS = "options"


@dataclass(frozen=True)
class LetterPrompts:
    """The templates of an instrument by stage and its layout, checked."""

    layout: Layout
    templates: Mapping[str, str]
    again: str

    def render(self, stage: str, *, title: str, body: str, question: str, options: str) -> str:
        text = self.layout.lay_out(title, body)
        return fill(self.templates[stage], {TEXT: text, TITLE: title, QUESTION: question, OPTIONS: options})


def read_letter_prompts(content: Mapping[str, Any], with_text: Mapping[str, bool]) -> LetterPrompts:
    """The prompts of an instrument for these stages (name: whether it shows the text), or `BadTemplate`."""
    for check in letter_checks(content, with_text):
        check()
    templates = {stage: part(content, stage, str) for stage in with_text}
    return LetterPrompts(read_layout(content), templates, part(content, "again", str))


def letter_checks(content: Mapping[str, Any], with_text: Mapping[str, bool]) -> Iterator[Callable[[], object]]:
    """Each raises `BadTemplate` if something is wrong with one part of the instrument."""
    yield partial(read_layout, content)
    for stage, shows_text in with_text.items():
        yield partial(check_stage, content, stage, shows_text)
    yield partial(check_again, content)


def letter_slots_of(stage_shows_text: bool) -> tuple[list[str], list[str]]:
    """What the template of a stage needs, and what it may use beside that."""
    return ([TEXT, QUESTION, OPTIONS], [TITLE]) if stage_shows_text else ([QUESTION, OPTIONS], [])


def check_stage(content: Mapping[str, Any], stage: str, shows_text: bool) -> None:
    needed, optional = letter_slots_of(shows_text)
    hidden = OF_THE_KEY if shows_text else OF_THE_KEY | OF_THE_TEXT
    check_slots(stage, part(content, stage, str), needed, optional, hidden)
