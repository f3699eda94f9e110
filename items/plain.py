"""Text from outside: made even where it comes in, made harmless where it is quoted in a sentence or a terminal."""

import unicodedata

# They turn the direction of what follows them, so that an id could look like another.
TURNING = set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def tidy(text: str) -> str:
    """Newlines as \\n and no white space around: what a form field does, so that file and page store the same."""
    return text.replace("\r\n", "\n").replace("\r", "\n").strip()


def has_control(text: str) -> bool:
    """Does it hold control characters, line breaks or marks that turn the direction of writing?"""
    return any(_is_control(char) for char in text)


def is_blank(text: str) -> bool:
    """Is there nothing to be seen: only white space and marks without width?"""
    return all(char.isspace() or unicodedata.category(char) in {"Cf", "Cc"} for char in text)


def printable(text: str, limit: int = 80) -> str:
    """Short and without terminal escapes: for quoting what somebody else wrote."""
    shown = "".join(_escaped(char) if _is_control(char) else char for char in text[:limit])
    return shown + "…" if len(text) > limit else shown


def _is_control(char: str) -> bool:
    return char in TURNING or unicodedata.category(char) in {"Cc", "Cs", "Zl", "Zp"}


def _escaped(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii")
