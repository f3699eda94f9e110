"""Plain text from outside: cleaned on input, escaped in quotes, counted in words and tokens."""

import csv
import io
import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Any

from django.utils.translation import gettext as _

from items.language import parse_language
from items.models import MAX_ID, MAX_TAG, MAX_TAGS

# Marks that reverse the direction of the following text, so that an id could look like another.
TURNING = set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")


def strip_text(text: str) -> str:
    """The text with \\n as line breaks and no surrounding white space, as from a form field, so that files and pages
    store the same."""
    return text.replace("\r\n", "\n").replace("\r", "\n").strip()


def has_control(text: str) -> bool:
    """Whether it contains control characters, line breaks or marks that change the direction of writing."""
    return not text.isprintable() and any(_is_control(char) for char in text)


def is_blank(text: str) -> bool:
    """Whether nothing is visible: only white space and zero-width marks."""
    if text.isprintable():  # true for nearly every text: no zero-width marks, no white space but spaces
        return not text or text.isspace()
    return all(char.isspace() or unicodedata.category(char) in {"Cf", "Cc"} for char in text)


def make_printable(text: str, limit: int = 80) -> str:
    """Shortened and without terminal escapes, for quoting what somebody else wrote."""
    shown = "".join(_escape(char) if _is_control(char) else char for char in text[:limit])
    return shown + "…" if len(text) > limit else shown


def _is_control(char: str) -> bool:
    return char in TURNING or unicodedata.category(char) in {"Cc", "Cs", "Zl", "Zp"}


def _escape(char: str) -> str:
    return char.encode("unicode_escape").decode("ascii")


# Thai, Lao, Burmese, Khmer, Japanese and Chinese.
UNSPACED = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
CHARACTER = re.compile(f"[{UNSPACED}]")
TOKEN = re.compile(r"\w+|[^\w\s]")
# Texts have 1.6 characters per word in Chinese and 1.9 in Japanese (Trauzettel-Klosinski & Dietz 2012, IReST).
CHARACTERS_PER_WORD = 2


def count_words(text: str) -> int:
    """Words between spaces, without separate marks; in scripts without spaces, two characters count as one word."""
    rest, n_unspaced = take_unspaced(text)
    return n_unspaced + sum(any(map(str.isalnum, word)) for word in rest.split())


def count_tokens(text: str) -> int:
    """Runs of letters and digits, and punctuation marks; in scripts without spaces, two characters count as one
    token."""
    rest, n_unspaced = take_unspaced(text)
    return n_unspaced + len(TOKEN.findall(rest))


def take_unspaced(text: str) -> tuple[str, int]:
    """The text without characters of scripts without spaces, and the number of words that those count as."""
    rest, n = CHARACTER.subn(" ", text)
    return rest, -(-n // CHARACTERS_PER_WORD)


# The generator of an item without one.
DEFAULT_GENERATOR = "human"


def clean_name(value: str) -> str:
    """A valid id or name: one line without control characters; raises ValueError with a sentence."""
    value = strip_text(value)
    if is_blank(value):
        raise ValueError(_("This field is empty. Fill it in, or leave it out if it is optional."))
    if len(value) > MAX_ID:
        raise ValueError(explain_too_long(value, MAX_ID))
    if has_control(value):
        raise ValueError(_("This contains control characters or line breaks. Remove them."))
    return value


TAG_SIGNS = re.compile("[,;\n]")


def split_tags(cell: str) -> list[str]:
    """The tags in a field or cell, separated by commas or semicolons."""
    return clean_tags([each for each in TAG_SIGNS.split(cell) if each.strip()])


def clean_tags(tags: Iterable[str]) -> list[str]:
    """Tags in alphabetical order, without repetition; raises ValueError with a sentence."""
    found = sorted({clean_name(tag) for tag in tags})
    if wrong := [tag for tag in found if TAG_SIGNS.search(tag) or len(tag) > MAX_TAG]:
        sentence = _("“{tag}” is no tag: write up to {limit} characters without commas and semicolons.")
        raise ValueError(sentence.format(tag=make_printable(wrong[0], MAX_TAG), limit=MAX_TAG))
    if len(found) > MAX_TAGS:
        raise ValueError(_("An item has at most {limit} tags.").format(limit=MAX_TAGS))
    return found


def clean_language(value: str) -> str:
    """The code of a language written in any way; raises ValueError with a sentence."""
    if code := parse_language(value):
        return code
    raise ValueError(
        _("“{name}” is not a known language. Enter a code such as de, en or eu.").format(name=make_printable(value, 30))
    )


def explain_too_long(value: str, limit: int) -> str:
    return _("This has {length:,} characters; the limit is {limit:,}. Shorten it.").format(
        length=len(value), limit=limit
    )


# What a spreadsheet might run as a formula; an apostrophe in front marks it as text.
FORMULA_STARTS = frozenset("'=+-@\t\r\n＝＋－＠")
FORMULA = re.compile(r"'*[=+\-@\t\r\n＝＋－＠]")
ESCAPED_FORMULA = re.compile(r"'+[=+\-@\t\r\n＝＋－＠]")


def escape_formula(text: str) -> str:
    """The text with an apostrophe in front if a spreadsheet might run it."""
    return f"'{text}" if text[:1] in FORMULA_STARTS and FORMULA.match(text) else text


def write_csv(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """A small table as CSV in which a spreadsheet runs no text as a formula; None is an empty cell."""
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(header)
    writer.writerows([escape_formula(cell) if isinstance(cell, str) else cell for cell in row] for row in rows)
    return out.getvalue()


def unescape_formula(text: str) -> str:
    """The text as it was before `escape_formula`."""
    return text[1:] if text[:1] == "'" and ESCAPED_FORMULA.match(text) else text
