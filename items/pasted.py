"""Where one pasted text ends and the next begins, and which line is its title.

static/js/split-preview.js shows the same while one types; tests/browser/test_researcher_pages.py compares the two.
"""

import re

from django.db.models import TextChoices
from django.utils.translation import gettext_lazy as _

LONGEST_TITLE = 80  # characters
HEADING = re.compile(r"#{1,6}\s+(\S.*)")


class Split(TextChoices):
    """What a new text begins with."""

    LINE = "line", _("After a line of")
    BLANK = "blank", _("After two empty lines")
    HEADING = "heading", _("At each heading (a line that begins with #)")
    NONE = "none", _("It is one text")


def split_texts(pasted: str, split: str, line: str) -> list[tuple[str, str]]:
    """(title, body) of each text that is not empty; a title is empty unless it was a heading.

    `line`: what stands alone on the line between two texts, for Split.LINE.
    """
    texts: list[tuple[str, list[str]]] = [("", [])]
    n_empty = 0
    for each in pasted.splitlines():
        n_empty = 0 if each.strip() else n_empty + 1
        heading = HEADING.fullmatch(each.strip()) if split == Split.HEADING else None
        if heading:
            texts.append((heading[1], []))
        elif (split == Split.LINE and line and each.strip() == line) or (split == Split.BLANK and n_empty == 2):
            texts.append(("", []))
        else:
            texts[-1][1].append(each)
    return [(title, body) for title, lines in texts if (body := "\n".join(lines).strip())]


def take_title(body: str) -> tuple[str, str]:
    """The first line and the rest, if it looks like a title: short, no sentence, and an empty line after it."""
    first, _newline, rest = body.partition("\n")
    looks_so = len(first) <= LONGEST_TITLE and first.rstrip()[-1:] not in ".,;:…" and not rest.split("\n")[0].strip()
    return (first.strip(), rest.strip()) if looks_so and rest.strip() else ("", body)
