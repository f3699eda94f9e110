"""What a model is asked about all options of an item at once, from an instrument of prompts. No Django.

Such an instrument holds `text` (how {text} is laid out), a template for each stage, and `again`, which is said after a
reply that lists no letters. It has no labels: the reply lists letters, or 0 for none.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from studies.prompts import QUESTION, SLOT, TEXT, BadTemplate, Layout, part, read_layout

OPTIONS = "options"


@dataclass(frozen=True)
class LetterPrompts:
    """The templates of an instrument by stage and its layout, checked."""

    layout: Layout
    templates: Mapping[str, str]
    again: str

    def render(self, stage: str, *, title: str, body: str, question: str, options: str) -> str:
        """The slots filled in, and nothing else changed; a slot in what is filled in stays what it is."""
        values = {TEXT: self.layout.lay_out(title, body), QUESTION: question, OPTIONS: options}
        return SLOT.sub(lambda found: values[found[1]], self.templates[stage])


def read_letter_prompts(content: Mapping[str, Any], with_text: Mapping[str, bool]) -> LetterPrompts:
    """The prompts of an instrument for these stages (name: whether it shows the text), or `BadTemplate`."""
    templates = {stage: part(content, stage, str) for stage in with_text}
    for stage, template in templates.items():
        check(stage, template, {TEXT, QUESTION, OPTIONS} if with_text[stage] else {QUESTION, OPTIONS})
    again = part(content, "again", str)
    check("again", again, set())
    return LetterPrompts(read_layout(content), templates, again)


def check(name: str, template: str, slots: set[str]) -> None:
    """Every slot that the prompt needs is there, and none that it cannot fill."""
    found = set(SLOT.findall(template))
    listed = ", ".join(f"{{{slot}}}" for slot in sorted(slots)) or "none"
    if found != slots:
        wrong = sorted(found ^ slots)[0]
        raise BadTemplate(f"“{name}”: the slot {{{wrong}}} is missing or cannot be filled. Its slots are: {listed}.")
