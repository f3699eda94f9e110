"""Fills the slots in an instrument of prompts for models; nothing else changes, to the byte.

An instrument of prompts for evaluators holds `labels` (correct, incorrect), `text` (how {text} is laid out), a template
for each stage, and `again`, which is sent after a reply without a label.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.utils.translation import gettext as _

from studies.instrument_kinds import Problem

SLOT = re.compile(r"\{([A-Za-z_]\w*)\}")
TEXT, TITLE, QUESTION, OPTION = "text", "title", "question", "option"
AS_THEY_ARE, ONE_NEWLINE = "as they are", "one newline"
BETWEEN_PARAGRAPHS = re.compile(r"[ \t]*\r?\n\s*")
OF_THE_TEXT = {TEXT, TITLE}
OF_THE_KEY = {"answer", "reference", "key", "correct"}


class BadTemplate(ValueError):
    """The instrument cannot be used for prompts; the message is a sentence that says what to change, `place` where."""

    def __init__(self, sentence: str, place: str = ""):
        super().__init__(sentence)
        self.place = place


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
        text = self.layout.lay_out(title, body)
        return fill_template(self.templates[stage], {TEXT: text, TITLE: title, QUESTION: question, OPTION: option})


def fill_template(template: str, values: Mapping[str, str]) -> str:
    """The template with its slots filled; braces in the values stay unchanged."""
    return SLOT.sub(lambda found: values[found[1]], template)


def read_prompts(content: Mapping[str, Any], with_text: Mapping[str, bool]) -> Prompts:
    """The prompts of an instrument for these stages (name: whether it shows the text), or `BadTemplate`."""
    for check in list_checks(content, with_text):
        check()
    correct, incorrect = read_labels(content)
    templates = {stage: get_part(content, stage, str) for stage in with_text}
    return Prompts(correct, incorrect, read_layout(content), templates, get_part(content, "again", str))


def list_checks(content: Mapping[str, Any], with_text: Mapping[str, bool]) -> Iterator[Callable[[], object]]:
    """Checks that raise `BadTemplate`, each for one part of the instrument."""
    yield partial(read_labels, content)
    yield partial(read_layout, content)
    for stage, shows_text in with_text.items():
        yield partial(check_stage, content, stage, shows_text)
    yield partial(check_again, content)


def collect_problems(checks: Iterable[Callable[[], object]]) -> list[Problem]:
    """The problems found by all checks."""
    found = []
    for check in checks:
        try:
            check()
        except BadTemplate as bad:
            found.append(Problem(bad.place, str(bad)))
    return found


def list_slots(stage_shows_text: bool) -> tuple[list[str], list[str]]:
    """The slots that the template of a stage needs, and those it may also use."""
    return ([TEXT, QUESTION, OPTION], [TITLE]) if stage_shows_text else ([QUESTION, OPTION], [])


def check_stage(content: Mapping[str, Any], stage: str, shows_text: bool) -> None:
    needed, optional = list_slots(shows_text)
    hidden = OF_THE_KEY if shows_text else OF_THE_KEY | OF_THE_TEXT
    check_slots(stage, get_part(content, stage, str), needed, optional, hidden)


def check_again(content: Mapping[str, Any]) -> None:
    check_slots("again", get_part(content, "again", str), [])


def read_labels(content: Mapping[str, Any]) -> tuple[str, str]:
    labels = get_part(content, "labels", Mapping)
    correct, incorrect = (get_part(labels, name, str, f"labels.{name}").strip() for name in ("correct", "incorrect"))
    if not correct or not incorrect or correct.casefold() == incorrect.casefold():
        raise BadTemplate(
            _("The labels for correct and incorrect must differ, also in lower case, and not be empty."),
            "labels.incorrect" if correct else "labels.correct",
        )
    return correct, incorrect


def read_layout(content: Mapping[str, Any]) -> Layout:
    layout = get_part(content, "text", Mapping)
    title, paragraphs = layout.get("title", False), layout.get("paragraphs", AS_THEY_ARE)
    if not isinstance(title, bool) or paragraphs not in (AS_THEY_ARE, ONE_NEWLINE):
        sentence = _("text takes title: true or false, and paragraphs: %(one)s or %(other)s.")
        raise BadTemplate(sentence % {"one": AS_THEY_ARE, "other": ONE_NEWLINE}, "text")
    return Layout(title, paragraphs)


def check_slots(
    name: str, template: str, needed: Iterable[str], optional: Iterable[str] = (), hidden: Iterable[str] = ()
) -> None:
    """Every slot that the prompt needs must be there, and none that cannot be filled or must not be shown."""
    found, needed, hidden = set(SLOT.findall(template)), list(needed), set(hidden)
    known = [*needed, *optional]
    values = {"name": name, "slots": ", ".join(f"{{{slot}}}" for slot in known) or _("none")}
    for slot in sorted(found - set(known)):
        values["slot"] = f"{{{slot}}}"
        raise BadTemplate(explain_slot(slot, hidden) % values, name)
    for slot in needed:
        if slot not in found:
            sentence = _("“%(name)s” lacks the placeholder %(slot)s. Add it; available placeholders: %(slots)s.")
            raise BadTemplate(sentence % (values | {"slot": f"{{{slot}}}"}), name)


def explain_slot(slot: str, hidden: set[str]) -> str:
    """Why a slot is not allowed in a template."""
    if slot in hidden & OF_THE_TEXT:
        return _(
            "“%(name)s” contains the placeholder %(slot)s, but the text is not shown at this point. "
            "Remove it; available placeholders: %(slots)s."
        )
    if slot in hidden:
        return _(
            "“%(name)s” contains the placeholder %(slot)s, which would give the key away. Remove it; "
            "available placeholders: %(slots)s."
        )
    return _("“%(name)s” contains the unknown placeholder %(slot)s. Remove it; available placeholders: %(slots)s.")


def get_part(content: Mapping[str, Any], name: str, kind: type, place: str = "") -> Any:
    found = content.get(name)
    if not isinstance(found, kind):
        what = _("text") if kind is str else _("a mapping")
        sentence = _("The prompt instrument has no “%(name)s” (%(what)s). Add it.")
        raise BadTemplate(sentence % {"name": place or name, "what": what}, place or name)
    return found
