"""What a model is asked about a text: an instrument's words with the slots filled in, exact to the byte."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from studies.prompts import OF_THE_KEY, Layout, check_again, check_slots, fill, part, read_layout

SLOTS = ["text", "n_items", "n_options"]
MORE_SLOTS = ["title"]


@dataclass(frozen=True)
class Template:
    words: str
    again: str
    layout: Layout

    def render(self, *, title: str, body: str, n_items: int, n_options: int) -> str:
        """A slot in what is filled in stays what it is."""
        text = self.layout.lay_out(title, body)
        return fill(self.words, {"text": text, "title": title, "n_items": str(n_items), "n_options": str(n_options)})


def read_template(content: Mapping[str, Any]) -> Template:
    """The template of an instrument, or `studies.prompts.BadTemplate` with a sentence."""
    for check in template_checks(content):
        check()
    return Template(part(content, "generate", str), part(content, "again", str), read_layout(content))


def template_checks(content: Mapping[str, Any]) -> Iterator[Callable[[], object]]:
    """Each raises `BadTemplate` if something is wrong with one part of the instrument."""
    yield partial(check_words, content)
    yield partial(check_again, content)
    yield partial(read_layout, content)


def check_words(content: Mapping[str, Any]) -> None:
    check_slots("generate", part(content, "generate", str), SLOTS, MORE_SLOTS, OF_THE_KEY)
