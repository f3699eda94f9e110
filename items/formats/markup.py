"""XML and HTML from other tools: XML is parsed without DTDs and entities, HTML is converted to plain text."""

import re
from collections.abc import Iterator
from html import unescape
from itertools import takewhile
from xml.etree.ElementTree import Element, ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring
from django.utils.translation import gettext as _

from items.files import explain_kind
from items.formats.questions import GAP, Unfit
from items.plain import strip_text

# Characters that XML 1.0 cannot hold, not even as character references.
NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
MAX_DEPTH = 200
MAX_TAGS = 1_000_000
PARAGRAPHS = frozenset(
    [
        "address",
        "article",
        "aside",
        "blockquote",
        "center",
        "dd",
        "div",
        "dl",
        "dt",
        "figure",
        "footer",
        "form",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "header",
        "hr",
        "li",
        "main",
        "nav",
        "ol",
        "p",
        "pre",
        "section",
        "table",
        "tr",
        "ul",
    ]
)
HEADINGS = frozenset(["h1", "h2", "h3", "h4", "h5", "h6"])
HIDDEN = frozenset(
    [
        "head",
        "script",
        "style",
        "template",
        "noscript",
        "svg",
        "iframe",
        "object",
        "button",
        "select",
        "textarea",
        "feedbackinline",
        "feedbackblock",
    ]
)
SPACE = re.compile(r"[ \t\n\r\f]+")


class BadXML(ValueError):
    """The content is not acceptable XML; the message says why."""


def parse_xml(content: bytes) -> Element:
    """The root element. Raises BadXML for invalid XML, a document type, or too deep nesting."""
    if content.count(b"<") > MAX_TAGS:
        raise BadXML(_("The XML file has more than {limit:,} tags. Split it.").format(limit=MAX_TAGS))
    try:
        root: Element = fromstring(content, forbid_dtd=True)
    except DefusedXmlException:
        raise BadXML(_("The XML file declares a document type or entities, which are not read. Remove them.")) from None
    except (ParseError, LookupError, ValueError) as error:
        sentence = _("The file is not well-formed XML: {reason}.").format(reason=error)
        raise BadXML(explain_kind(content) or sentence) from None
    level = [root]
    for _depth in range(MAX_DEPTH):
        level = [child for element in level for child in element]
    if level:
        raise BadXML(_("The XML file is nested more than {limit} levels deep.").format(limit=MAX_DEPTH))
    return root


def check_xml(*words: str) -> None:
    """Raise Unfit for characters that XML cannot hold."""
    if any(NOT_XML.search(each) for each in words):
        raise Unfit(_("The item or its text contains a control character, which XML cannot hold."))


# The standard library's parser takes hours for a comment or tag that is opened a million times and never closed.
TAG = re.compile(r"</?([a-zA-Z][^\s/>]*+)")
# Attributes, which are ignored, up to the end of the tag. Possessive (++, *+): nothing is tried twice.
ATTRIBUTES = re.compile(r"""(?:[\s/=]++|[^\s/>=]++(?:\s*+=\s*+(?:"[^"]*+"|'[^']*+'|[^\s>]++)?+)?+)*+>""")
RAW = {name: re.compile(f"</{name}", re.IGNORECASE) for name in ("script", "style")}


def split_html(html: str) -> Iterator[tuple[str, str]]:
    """The parts of HTML in order: a sign (one of `<`, `</`, `</>` and none), and the name of a tag, or words."""
    place = 0
    while (start := html.find("<", place)) >= 0:
        yield "", html[place:start]
        if not (tag := TAG.match(html, start)):
            place = skip_declaration(html, start)
            if place == start:  # an ordinary character
                place += 1
                yield "", "<"
        elif end := ATTRIBUTES.match(html, tag.end()):
            sign = "</" if html[start + 1] == "/" else "</>" if html[end.end() - 2] == "/" else "<"
            place = end.end()
            yield sign, tag[1].lower()
            if sign == "<" and (raw := RAW.get(tag[1].lower())):
                place = found.start() if (found := raw.search(html, place)) else len(html)
        else:  # the tag never ends, so the rest is words
            place = len(html)
            yield "", html[start:]
    yield "", html[place:]


def skip_declaration(html: str, start: int) -> int:
    """The end of the comment, declaration or nameless tag that starts here; the same position if none does."""
    for opening, closing in (("<!--", "-->"), ("<!", ">"), ("<?", ">"), ("</", ">")):
        if html.startswith(opening, start):
            end = html.find(closing, start + len(opening))
            return len(html) if end < 0 else end + len(closing)
    return start


class _Text:
    """Collects what a reader would see, with line breaks where blocks end."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self.hidden: dict[str, None] = {}  # the open elements whose contents are hidden
        self.title: list[str] = []
        self.in_title = False
        self.headings: list[list[str]] = []
        self.in_heading = False

    def take_tag(self, sign: str, tag: str) -> None:
        if sign == "<" and tag in HIDDEN:
            self.hidden.setdefault(tag)
        elif sign == "</" and tag in self.hidden:
            self.hidden = dict.fromkeys(takewhile(tag.__ne__, self.hidden))
        if sign != "</>":
            self.in_title = sign == "<" and tag == "title"
            self._open_heading(sign, tag)
        self._break(tag)

    def _open_heading(self, sign: str, tag: str) -> None:
        if tag in HEADINGS:
            self.in_heading = sign == "<"
            if self.in_heading:
                self.headings.append([])

    def _break(self, tag: str) -> None:
        if tag == "br":
            self.parts.append("\n")
        elif tag in PARAGRAPHS:
            self.parts.append(GAP)
        elif tag in ("td", "th"):
            self.parts.append(" ")

    def take_words(self, words: str) -> None:
        if self.in_title:
            self.title.append(words)
        elif not self.hidden:
            self.parts.append(SPACE.sub(" ", words))
            if self.in_heading:
                self.headings[-1].append(words)


def read_html(html: str) -> tuple[str, str]:
    """Title and text: a blank line between paragraphs, a line break for `br`, runs of white space as one space."""
    title, words, _headings = read_web_page(html)
    return title, words


def read_web_page(html: str) -> tuple[str, str, frozenset[str]]:
    """Title and text as `read_html` gives them, and the headings in the text."""
    text = _Text()
    for sign, words in split_html(html):
        if sign:
            text.take_tag(sign, words)
        elif words:
            text.take_words(unescape(words))
    lines = re.sub(r" *\n *", "\n", re.sub(" +", " ", "".join(text.parts)))
    headings = frozenset(SPACE.sub(" ", "".join(words)).strip() for words in text.headings)
    title = SPACE.sub(" ", "".join(text.title)).strip()
    return title, strip_text(re.sub(r"\n{3,}", GAP, lines)), headings
