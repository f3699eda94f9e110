"""What a model is asked about a text: an instrument's words with the slots filled in, exact to the byte. No Django."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from studies.prompts import SLOT, Layout, check_slots, part, read_layout

SLOTS = ["text", "n_items", "n_options"]


@dataclass(frozen=True)
class Template:
    words: str
    again: str
    layout: Layout

    def render(self, *, title: str, body: str, n_items: int, n_options: int) -> str:
        """A slot in what is filled in stays what it is."""
        values = {"text": self.layout.lay_out(title, body), "n_items": str(n_items), "n_options": str(n_options)}
        return SLOT.sub(lambda found: values[found[1]], self.words)


def read_template(content: Mapping[str, Any]) -> Template:
    """The template of an instrument, or `studies.prompts.BadTemplate` with a sentence."""
    words, again = part(content, "generate", str), part(content, "again", str)
    check_slots("generate", words, SLOTS)
    check_slots("again", again, [])
    return Template(words, again, read_layout(content))
