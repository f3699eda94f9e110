"""Cells of a CSV file: what a spreadsheet would run as a formula is made harmless, and can be read back.

A text that starts with one of `= + - @`, a tab or a line break (or with apostrophes and then one of these) gets an
apostrophe in front. Taking one away again, where such a start follows, gives back the same text, so that ids survive
the way out and in. Numbers are written as numbers and never marked: `-0.11` stays `-0.11`.
"""

import math
import re

ALIVE = re.compile(r"'*[=+\-@\t\r\n＝＋－＠]")
MARKED = re.compile(r"'+[=+\-@\t\r\n＝＋－＠]")


def harmless(text: str) -> str:
    """The text with an apostrophe in front if a spreadsheet might run it."""
    return f"'{text}" if ALIVE.match(text) else text


def unmarked(text: str) -> str:
    """The text as it was before `harmless`."""
    return text[1:] if MARKED.match(text) else text


def cell(value: object) -> str:
    """A value as a CSV cell: nothing for undefined, numbers with all their digits, texts made harmless."""
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return repr(float(value))  # numpy's own repr names its type
    if isinstance(value, int):
        return str(value)
    return harmless(str(value))
