"""What the pages call the parts of a wording, whose keys are those of its file."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from studies.strict_yaml import ContentPath, get_at

SECTIONS = {
    "consent": gettext_lazy("Consent"),
    "instructions": gettext_lazy("Instructions"),
    "guess": gettext_lazy("Guessing, without the text"),
    "reveal": gettext_lazy("Before the text is shown"),
    "read": gettext_lazy("Reading, with the text"),
    "rate": gettext_lazy("Scores"),
    "compare": gettext_lazy("Comparison"),
    "choose": gettext_lazy("Choice"),
    "judge": gettext_lazy("Questions at the gates"),
    "code": gettext_lazy("Flaws"),
    "write": gettext_lazy("Writing"),
    "second_round": gettext_lazy("Second round"),
    "check": gettext_lazy("Expert check"),
    "check_done": gettext_lazy("End of the expert check"),
    "waiting": gettext_lazy("Waiting for the next part"),
    "break": gettext_lazy("Break after a text"),
    "done": gettext_lazy("End of the study"),
    "closed": gettext_lazy("Study is closed"),
    "paused": gettext_lazy("Study is paused"),
    "revoked": gettext_lazy("Link no longer works"),
    "text": gettext_lazy("Layout of the text"),
    "labels": gettext_lazy("Labels for answers"),
    "marks": gettext_lazy("Marks of the options"),
    "slots": gettext_lazy("Words for placeholders"),
    "dimensions": gettext_lazy("Dimensions"),
    "scale": gettext_lazy("Rating scale"),
}
PARTS = {
    "title": gettext_lazy("Title"),
    "paragraphs": gettext_lazy("Paragraphs"),
    "points": gettext_lazy("List of points"),
    "lead": gettext_lazy("Introduction"),
    "step": gettext_lazy("Name of the step"),
    "agree": gettext_lazy("Button: agree"),
    "start": gettext_lazy("Button: start"),
    "next": gettext_lazy("Button: continue"),
    "confirm": gettext_lazy("Button: confirm"),
    "back": gettext_lazy("Button: back"),
    "kind": gettext_lazy("Kind of text"),
    "hint": gettext_lazy("Hint at each question"),
    "none": gettext_lazy("Choice: no option"),
    "unsure": gettext_lazy("Mark: unsure"),
    "unsure_help": gettext_lazy("Help: unsure"),
    "prefilled": gettext_lazy("Note: guesses are filled in"),
    "rating": gettext_lazy("Rating"),
    "question": gettext_lazy("Question"),
    "help": gettext_lazy("Help"),
    "name": gettext_lazy("Name in exports"),
    "label": gettext_lazy("Label"),
    "anchor": gettext_lazy("Description"),
    "value": gettext_lazy("Value in exports"),
    "criteria": gettext_lazy("Criteria"),
    "criteria_title": gettext_lazy("Title of the criteria"),
    "criteria_note": gettext_lazy("Note on the criteria"),
    "levels_title": gettext_lazy("Title of the levels"),
    "ticks_title": gettext_lazy("Question about the criteria"),
    "expected_answer": gettext_lazy("Before the expected answer"),
    "needs_expected_answer": gettext_lazy("Only with an expected answer"),
    "key": gettext_lazy("Mark of the correct option"),
    "score": gettext_lazy("Before the score"),
    "tie": gettext_lazy("Tie"),
    "rewording": gettext_lazy("Before the own wording"),
    "about_rewording": gettext_lazy("Before questions about the own wording"),
    "questions": gettext_lazy("Questions"),
    "stop_if": gettext_lazy("Stops at"),
    "asked_if": gettext_lazy("Asked after"),
    "any": gettext_lazy("one of"),
    "rewords": gettext_lazy("The answer replaces the question"),
    "part_title": gettext_lazy("Title of each question"),
    "system": gettext_lazy("System message"),
    "generate": gettext_lazy("Prompt"),
    "write": gettext_lazy("Prompt: open question"),
    "choose": gettext_lazy("Prompt: question with levels"),
    "rate": gettext_lazy("Prompt"),
    "compare": gettext_lazy("Prompt"),
    "again": gettext_lazy("After an unreadable reply"),
    "item": gettext_lazy("Layout of an item"),
    "example": gettext_lazy("Layout of an example"),
    "expected": gettext_lazy("Where an answer is expected"),
    "own_scale": gettext_lazy("Scale without levels"),
    "reworded": gettext_lazy("Question after a rewording"),
    "reply": gettext_lazy("Form of the reply"),
    "explain": gettext_lazy("Ask for explanations"),
    "writes": gettext_lazy("Writes"),
    "domain": gettext_lazy("Domain"),
    "target": gettext_lazy("Target audience"),
    "correct": gettext_lazy("Correct"),
    "incorrect": gettext_lazy("Incorrect"),
    "first": gettext_lazy("First"),
    "second": gettext_lazy("Second"),
}
ENTRIES = {
    "dimensions": gettext_lazy("Dimension %(n)d"),
    "levels": gettext_lazy("Level %(n)d"),
    "questions": gettext_lazy("Question %(n)d"),
    "criteria": gettext_lazy("Criterion %(n)d"),
    "gates": gettext_lazy("Gate %(n)d"),
    "verdicts": gettext_lazy("Verdict %(n)d"),
}


KNOWN = SECTIONS | PARTS


def name_wording(content: Mapping[str, Any], path: ContentPath) -> str:
    """The whole name of a wording, as lists of wordings show it."""
    names = [name_section(path), name_group(content, path), name_part(content, path)]
    return " › ".join(filter(None, names[len(path) == 1 :]))


def name_section(path: ContentPath) -> str:
    """The page or part of the wording at the path; "General" for a wording at the top level."""
    return name_key(path[0], SECTIONS) if len(path) > 1 else _("General")


def name_group(content: Mapping[str, Any], path: ContentPath) -> str:
    """The entry of a section that the wording belongs to, such as a dimension or a flaw; "" if to none."""
    return name_steps(content, path[: find_part(path)], 1)


def name_part(content: Mapping[str, Any], path: ContentPath) -> str:
    """The name of the wording inside its group."""
    return name_steps(content, path, find_part(path))


def find_part(path: ContentPath) -> int:
    """Where in the path the names inside a section's entry begin."""
    if len(path) > 2:
        return 3 if isinstance(path[2], int) else 2
    return max(len(path) - 1, 0)


def name_steps(content: Mapping[str, Any], path: ContentPath, start: int) -> str:
    """The parts of the path from `start` on; a list and the number of its entry count as one."""
    names: list[str] = []
    for end in range(start + 1, len(path) + 1):
        if isinstance(path[end - 1], int):
            names[-1:] = [name_entry(content, path[:end])]
        else:
            names.append(name_key(path[end - 1], KNOWN, find_title(content, path[:end])))
    return " › ".join(names)


def name_entry(content: Mapping[str, Any], path: ContentPath) -> str:
    """An entry of a list: its number and its title."""
    name, title = ENTRIES.get(str(path[-2]), "%(n)d") % {"n": int(path[-1]) + 1}, find_title(content, path)
    return f"{name}: {title}" if title else name


def find_title(content: Mapping[str, Any], path: ContentPath) -> str:
    found = get_at(content, path)
    return str(found.get("title", "")) if isinstance(found, Mapping) else ""


def name_key(key: str | int, known: Mapping[str, Any], title: str = "") -> str:
    return str(known.get(str(key)) or title or str(key).replace("_", " "))
