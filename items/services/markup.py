"""What an import cannot show as it was meant: HTML, mathematics, images and Markdown are plain characters here."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy

from items.formats.rows import Line, Problems, TextRow
from items.plain import make_printable

TAGS = (
    "a|abbr|b|big|blockquote|br|center|cite|code|dd|div|dl|dt|em|font|h[1-6]|hr|i|iframe|li|mark|object|ol|p|pre|q|s"
    "|script|section|small|span|strike|strong|style|sub|sup|table|tbody|td|th|thead|tr|tt|u|ul"
)
COMMANDS = (
    "alpha|approx|beta|bar|begin|bf|cdot|circ|cos|Delta|delta|dots|end|equiv|frac|gamma|geq?|hat|infty|int|lambda|ldots"
    "|left|leq?|lim|ln|log|mathbb|mathbf|mathrm|mu|neq|omega|overline|partial|pi|pm|prod|quad|right|rightarrow|sigma"
    "|sin|sqrt|sum|tan|text|textbf|textit|theta|times|to|vec"
)


@dataclass(frozen=True)
class Kind:
    pattern: re.Pattern[str]
    sentence: str | Promise


KINDS = (
    Kind(
        re.compile(rf"</?(?:{TAGS})(?:\s[^<>]*)?/?>|&(?:nbsp|amp|lt|gt|quot|#\d+|#x[0-9a-f]+);", re.IGNORECASE),
        gettext_lazy("HTML is shown as plain characters. Found in {n} texts, questions and options; first: {first}"),
    ),
    Kind(
        # A price is no formula: between dollars something of a formula is wanted.
        re.compile(
            rf"\$\$[^$]+\$\$|\$(?=[^$\n]*[\\^_=])[^$\n]+\$|\\[(\[][^\n]+?\\[)\]]"
            rf"|\\(?:{COMMANDS})(?![A-Za-z])|<math\b[^>]*>"
        ),
        gettext_lazy(
            "Mathematics is shown as plain characters. Found in {n} texts, questions and options; first: {first}"
        ),
    ),
    Kind(
        re.compile(r"!\[[^\]\n]*\]\([^)\n]*\)|<(?:img|svg|picture)\b[^>]*>|\\includegraphics\b", re.IGNORECASE),
        gettext_lazy("Images are not shown. Found in {n} texts, questions and options; first: {first}"),
    ),
    Kind(
        re.compile(
            r"(?<!!)\[[^\]\n]+\]\(https?://[^)\s]+\)|\*\*\w[^*\n]*\*\*|(?<!\w)__\w[^_\n]*__(?!\w)|^#{1,6} \S.*$",
            re.MULTILINE,
        ),
        gettext_lazy(
            "Markdown is shown as plain characters. Found in {n} texts, questions and options; first: {first}"
        ),
    ),
)


def warn_of_markup(lines: Sequence[Line], warnings: Problems) -> None:
    """One warning a kind: how many wordings have it, and the line of the first."""
    for kind in KINDS:
        found = [
            (number, place, match[0])
            for line in lines
            for number, place, wording in list_wordings(line)
            if (match := kind.pattern.search(wording))
        ]
        if found:
            number, place, first = found[0]
            reason = str(kind.sentence).format(n=len(found), first=make_printable(first, 40))
            warnings.add(number, place, reason)


def list_wordings(line: Line) -> Iterator[tuple[int, str, str]]:
    """Line, field and words of everything in a line of a file that people read."""
    yield from ((line.number, name, words) for name, words in list_text_wordings(line.text) if words)
    for position, item in enumerate(line.text.items):
        number = line.item_lines[position] if line.item_lines else line.number
        place = "" if line.item_lines else f"items {position + 1}"
        options = [option.text for option in item.options or []]
        for words in (item.stem, item.expected_answer, *options):
            if words:
                yield number, place, words


def list_text_wordings(text: TextRow) -> Iterator[tuple[str, str | None]]:
    yield "title", text.title
    yield "text", text.body
