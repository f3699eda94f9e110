"""Cells of CSV files: what a spreadsheet would run as a formula is made harmless going out, and read back coming in.

A text that starts with one of `= + - @`, a tab or a line break (or with apostrophes and then one of these) goes out
with an apostrophe in front; taking one away where such a start follows gives back the same text, so that ids survive.
"""

import re

STARTS = frozenset("'=+-@\t\r\n＝＋－＠")
ALIVE = re.compile(r"'*[=+\-@\t\r\n＝＋－＠]")
MARKED = re.compile(r"'+[=+\-@\t\r\n＝＋－＠]")


def escape_formula(text: str) -> str:
    """The text with an apostrophe in front if a spreadsheet might run it."""
    return f"'{text}" if text[:1] in STARTS and ALIVE.match(text) else text


def unescape_formula(text: str) -> str:
    """The text as it was before `escape_formula`."""
    return text[1:] if text[:1] == "'" and MARKED.match(text) else text
