"""What a model is asked about one option, from an instrument of prompts. Rendering is exact to the byte. No Django.

An instrument of prompts holds `labels` (correct, incorrect), `text` (how {text} is laid out), a template for each
stage, and `again`, which is said after a reply that holds no label.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

SLOT = re.compile(r"\{([A-Za-z_]\w*)\}")
TEXT, QUESTION, OPTION = "text", "question", "option"
AS_THEY_ARE, ONE_NEWLINE = "as they are", "one newline"
BETWEEN_PARAGRAPHS = re.compile(r"[ \t]*\r?\n\s*")


class BadTemplate(ValueError):
    """The instrument cannot be used as prompts; the message is a sentence that says what to change."""


@dataclass(frozen=True)
class Layout:
    """How {text} is laid out: the title as first line or not; paragraphs as they are or one newline apart."""

    title: bool
    paragraphs: str

    def lay_out(self, title: str, body: str) -> str:
        if self.paragraphs == ONE_NEWLINE:
            body = BETWEEN_PARAGRAPHS.sub("\n", body.strip())
        return f"{title}\n{body}" if self.title and title else body


@dataclass(frozen=True)
class Prompts:
    """The templates of an instrument by stage, its labels and its layout, checked."""

    correct: str
    incorrect: str
    layout: Layout
    templates: Mapping[str, str]
    again: str

    def render(self, stage: str, *, title: str, body: str, question: str, option: str) -> str:
        """The slots filled in, and nothing else changed; a slot in what is filled in stays what it is."""
        values = {TEXT: lambda: self.layout.lay_out(title, body), QUESTION: lambda: question, OPTION: lambda: option}
        return SLOT.sub(lambda found: values[found[1]](), self.templates[stage])


def read_prompts(content: Mapping[str, Any], with_text: Mapping[str, bool]) -> Prompts:
    """The prompts of an instrument for these stages (name: whether it shows the text), or `BadTemplate`."""
    labels = part(content, "labels", Mapping)
    correct, incorrect = (part(labels, name, str).strip() for name in ("correct", "incorrect"))
    if not correct or not incorrect or correct.casefold() == incorrect.casefold():
        raise BadTemplate("The labels for correct and incorrect must differ, also in lower case.")
    templates = {stage: part(content, stage, str) for stage in with_text}
    for stage, template in templates.items():
        check_slots(stage, template, [TEXT, QUESTION, OPTION] if with_text[stage] else [QUESTION, OPTION])
    again = part(content, "again", str)
    check_slots("again", again, [])
    return Prompts(correct, incorrect, read_layout(content), templates, again)


def read_layout(content: Mapping[str, Any]) -> Layout:
    told = part(content, "text", Mapping)
    title, paragraphs = told.get("title", False), told.get("paragraphs", AS_THEY_ARE)
    if not isinstance(title, bool) or paragraphs not in (AS_THEY_ARE, ONE_NEWLINE):
        raise BadTemplate(f"text takes title: true or false, and paragraphs: {AS_THEY_ARE} or {ONE_NEWLINE}.")
    return Layout(title, paragraphs)


def check_slots(name: str, template: str, wanted: Iterable[str]) -> None:
    """Every slot that the prompt needs is there, and none that it cannot fill."""
    found, needed = set(SLOT.findall(template)), list(wanted)
    listed = ", ".join(f"{{{slot}}}" for slot in needed) or "none"
    if unknown := sorted(found - set(needed)):
        raise BadTemplate(f"“{name}” has the slot {{{unknown[0]}}}, which it cannot fill. Its slots are: {listed}.")
    if missing := [slot for slot in needed if slot not in found]:
        raise BadTemplate(f"“{name}” lacks the slot {{{missing[0]}}}. Its slots are: {listed}.")


def part(content: Mapping[str, Any], name: str, kind: type) -> Any:
    found = content.get(name)
    if not isinstance(found, kind):
        raise BadTemplate(f"The instrument of prompts has no “{name}” of the right kind. Add it.")
    return found
