"""Warns of markup that an import cannot show as intended: HTML, and in plain texts mathematics, images and Markdown."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from items.formats.rows import ItemRow, Line, Problems, TextRow
from items.markup import find_named_pictures, list_bad_formulas
from items.models import Markup
from items.plain import make_printable
from items.services.naming import NamedText
from items.services.plan import ImportPlan
from items.values import TextValues

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
    """A kind of markup: its pattern contains one of the signs, which are a hundred times faster to find."""

    pattern: re.Pattern[str]
    signs: tuple[str, ...]
    sentence: str | Promise

    def is_in(self, words: str) -> bool:
        return any(map(words.__contains__, self.signs)) and bool(self.pattern.search(words))


HTML = Kind(
    re.compile(rf"</?(?:{TAGS})(?:\s[^<>]*)?/?>|&(?:nbsp|amp|lt|gt|quot|#\d+|#x[0-9a-f]+);", re.IGNORECASE),
    ("<", "&"),
    gettext_lazy("HTML is shown as plain characters. Found in {n} texts, questions and options; first: {first}"),
)
KINDS = (
    HTML,
    Kind(
        # Dollar signs also mark prices: they count as a formula only with a mathematical sign between them.
        re.compile(
            rf"\$\$[^$]+\$\$|\$(?=[^$\n]*[\\^_=])[^$\n]+\$|\\[(\[][^\n]+?\\[)\]]"
            rf"|\\(?:{COMMANDS})(?![A-Za-z])|<math\b[^>]*>"
        ),
        ("$", "\\", "<"),
        gettext_lazy(
            "Mathematics is shown as plain characters unless the text has the markup “markdown”. Found in {n} texts, "
            "questions and options; first: {first}"
        ),
    ),
    Kind(
        re.compile(r"!\[[^\]\n]*\]\([^)\n]*\)|<(?:img|svg|picture)\b[^>]*>|\\includegraphics\b", re.IGNORECASE),
        ("![", "<", "\\"),
        gettext_lazy(
            "Images are shown only in texts with the markup “markdown”. Found in {n} texts, questions and options; "
            "first: {first}"
        ),
    ),
    Kind(
        re.compile(
            r"(?<!!)\[[^\]\n]+\]\(https?://[^)\s]+\)|\*\*\w[^*\n]*\*\*|(?<!\w)__\w[^_\n]*__(?!\w)|^#{1,6} \S.*$",
            re.MULTILINE,
        ),
        ("](", "**", "__", "#"),
        gettext_lazy(
            "Markdown is shown as plain characters unless the text has the markup “markdown”. Found in {n} texts, "
            "questions and options; first: {first}"
        ),
    ),
)


def warn_of_markup(lines: Sequence[Line], warnings: Problems) -> None:
    """One warning per kind: how many wordings have it, and the line of the first."""
    found_by_kind: list[list[tuple[int, str, str]]] = [[] for _kind in KINDS]
    for line in lines:
        wordings = list(list_wordings(line))
        whole = "\n".join(wording for _number, _place, wording in wordings)
        for kind, found in zip(KINDS, found_by_kind, strict=True):
            if (line.text.markup != "markdown" or kind is HTML) and kind.is_in(whole):
                found += [
                    (number, place, match[0])
                    for number, place, wording in wordings
                    if (match := kind.pattern.search(wording))
                ]
    for kind, found in zip(KINDS, found_by_kind, strict=True):
        if found:
            number, place, first = found[0]
            reason = str(kind.sentence).format(n=len(found), first=make_printable(first, 40))
            warnings.add(number, place, reason)


def plan_markup(text: NamedText, values: TextValues, plan: ImportPlan) -> None:
    """Store the pictures; add a problem for each missing picture, and a warning for bad formulas."""
    plan.pictures += (text.row.pictures or {}).values()
    if values.markup != Markup.MARKDOWN:
        return
    wordings = [(text.line, "text", values.body)]
    wordings += [(text.line, "versions", version["text"]) for version in values.versions]
    wordings += [(item.line, item.place, words) for item in text.items for words in list_item_wordings(item.row)]
    for line, place, words in wordings:
        for name in find_named_pictures(words):
            if name not in values.pictures:
                reason = _("The picture “{name}” is not among the text's pictures. Add it to them, or leave it out.")
                plan.problems.add(line, place, reason.format(name=make_printable(name)))
        for formula in list_bad_formulas(words):
            reason = _("This formula cannot be drawn and is shown as it is written: {formula}")
            plan.warnings.add(line, place, reason.format(formula=make_printable(formula, 60)))


def list_wordings(line: Line) -> Iterator[tuple[int, str, str]]:
    """Line, field and wording of everything in a file's line that people will read."""
    yield from ((line.number, name, words) for name, words in list_text_wordings(line.text) if words)
    for position, item in enumerate(line.text.items):
        number = line.item_lines[position] if line.item_lines else line.number
        place = "" if line.item_lines else f"items {position + 1}"
        yield from ((number, place, words) for words in list_item_wordings(item))


def list_item_wordings(item: ItemRow) -> list[str]:
    """Everything that people may read of an item."""
    options = [option.text for option in item.options or []]
    return [words for words in (item.stem, item.expected_answer, *options) if words]


def list_text_wordings(text: TextRow) -> Iterator[tuple[str, str | None]]:
    yield "title", text.title
    yield "text", text.body
    yield from (("versions", version.text) for version in text.versions or ())
