"""Numbers formatted as in papers: .53, −.11, [.41, .65], in German and Basque 0,53."""

import re
from math import copysign

from django.utils.formats import get_format, number_format
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext, npgettext

MINUS = "−"
EXACT = 1e-9  # a difference to 0 or 1 smaller than this is a rounding error
APART = 0.02  # numbers this far apart never look the same
MOST_DIGITS = 3
LEAST = 0.001
GROUPED = (
    10_000  # from here on the thousands of a count are separate: shorter ones look like decimals in some languages
)
UNDEFINED = gettext_noop("undefined")


def make_natural_key(words: str) -> list[str]:
    """A sort key that orders numbers in words by size: t2 before t10."""
    return [part.zfill(20) if part.isdecimal() else part for part in re.split(r"(\d+)", words)]


def number(value: float, digits: int = 2) -> str:
    """Rounded, with a real minus sign, and without the zero before the point: `-0.105` as `−.11`, `3.5` as `3.50`.

    `.00` and `1.00` mean exactly none and all: a value near them gets a third digit (`.003`), and one still nearer is
    shown as being on this side of it (`<.001`, `>.999`).
    """
    for shown in (digits, MOST_DIGITS):
        if keeps_meaning(value, shown):
            return format_digits(value, shown)
    is_small = abs(value) < 0.5
    bound = copysign(LEAST if is_small else 1 - LEAST, value)
    return ("<" if is_small == (value > 0) else ">") + format_digits(bound, MOST_DIGITS)


def keeps_meaning(value: float, digits: int) -> bool:
    """Whether a number other than 0 and 1 does not look like 0 or 1 once it is rounded."""
    rounded = round(abs(value), digits)
    return rounded not in (0, 1) or abs(value) > 1 or abs(abs(value) - rounded) < EXACT


def format_digits(value: float, digits: int) -> str:
    rounded = f"{abs(value):.{digits}f}"
    sign = MINUS if value < 0 and float(rounded) else ""
    return sign + localize_number(rounded)


def localize_number(digits: str) -> str:
    """A decimal number as the active language writes it: 0.53 as `.53` in English, as `0,53` in German."""
    if not uses_comma():
        return digits[1:] if digits.startswith("0.") else digits
    return digits.replace(".", get_decimal_mark())


def uses_comma() -> bool:
    return get_decimal_mark() == ","


def get_decimal_mark() -> str:
    return str(get_format("DECIMAL_SEPARATOR"))


def format_p_value(value: float) -> str:
    """Three digits, as in papers: `.032`, and `<.001` for smaller ones, as no p is 0."""
    return f"<{format_digits(LEAST, MOST_DIGITS)}" if value < LEAST else number(value, MOST_DIGITS)


def choose_digits(low: float | None, high: float | None) -> int:
    """The number of digits for an interval and its number: two, or three if its ends would look the same."""
    if low is None or high is None or abs(high - low) < EXACT or abs(high - low) >= APART:
        return 2
    return MOST_DIGITS if number(low) == number(high) else 2


def format_interval(low: float | None, high: float | None) -> str:
    """Both ends in brackets, separated by a semicolon if numbers contain commas; empty if they are undefined."""
    if low is None or high is None:
        return ""
    digits = choose_digits(low, high)
    between = "; " if uses_comma() else ", "
    return f"[{number(low, digits)}{between}{number(high, digits)}]"


def format_with_interval(value: float, low: float | None, high: float | None) -> str:
    """A number before its interval, with equally many digits: `.53 [.41, .65]`; alone if there is no interval."""
    return f"{format_figure(value, choose_digits(low, high))} {format_interval(low, high)}".rstrip()


def count(value: int) -> str:
    """A whole number, with thousands separators from five digits on, as in the active language."""
    return number_format(value, force_grouping=True) if abs(value) >= GROUPED else str(value)


def format_figure(value: int | float, digits: int = 2) -> str:
    """A count unchanged, a number below ten with `digits` decimals, a larger one with one."""
    if isinstance(value, int):
        return count(value)
    return number(value, digits if abs(value) < 10 else 1)


def format_as(kind: str, value: int | float, digits: int = 2) -> str:
    """A number as its kind of column shows it: a p-value, or any other figure."""
    return format_p_value(value) if kind == "p" else format_figure(value, digits)


def say_texts(n: int) -> str:
    return ngettext("%(n)s text", "%(n)s texts", n) % {"n": count(n)}


def say_judgments(n: int) -> str:
    return ngettext("%(n)s judgment", "%(n)s judgments", n) % {"n": count(n)}


def format_part(n: int, total: int) -> str:
    """A part as counts and as a share: `3 of 8, .38`."""
    sentence = _("%(n)s of %(total)s") % {"n": count(n), "total": count(total)}
    return f"{sentence}, {number(n / total)}" if total else sentence


def say_scores(n: int) -> str:
    return ngettext("%(n)s score", "%(n)s scores", n) % {"n": count(n)}


def say_ratings(n: int) -> str:
    return ngettext("%(n)s rating", "%(n)s ratings", n) % {"n": count(n)}


def say_items(n: int) -> str:
    return ngettext("%(n)s item", "%(n)s items", n) % {"n": count(n)}


def say_generators(n: int) -> str:
    return ngettext("%(n)s generator", "%(n)s generators", n) % {"n": count(n)}


def say_people(n: int) -> str:
    return ngettext("%(n)s person", "%(n)s people", n) % {"n": count(n)}


def say_of_texts(n: int) -> str:
    """`say_texts` after a preposition, for languages that decline it: on 20 texts."""
    return npgettext("after a preposition", "%(n)s text", "%(n)s texts", n) % {"n": count(n)}


def say_of_judgments(n: int) -> str:
    """`say_judgments` after a preposition: of 12 judgments."""
    return npgettext("after a preposition", "%(n)s judgment", "%(n)s judgments", n) % {"n": count(n)}


def say_of_people(n: int) -> str:
    """The number of people after a preposition: by 6 people."""
    return npgettext("after a preposition", "%(n)s person", "%(n)s people", n) % {"n": count(n)}
