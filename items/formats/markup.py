"""XML and HTML of other tools: XML is parsed without DTDs and entities, HTML is turned into plain text."""

import re
from html.parser import HTMLParser
from xml.etree.ElementTree import Element, ParseError

from defusedxml import DefusedXmlException
from defusedxml.ElementTree import fromstring
from django.utils.translation import gettext as _

from items.formats.questions import GAP, Unfit
from items.plain import tidy

# What XML 1.0 cannot hold even as a character reference.
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
    """The content is no acceptable XML; the message says why."""


def parse_xml(content: bytes) -> Element:
    """The root element. Raises BadXML for what is no XML, declares a document type or is nested too deep."""
    if content.count(b"<") > MAX_TAGS:
        raise BadXML(_("The XML file has more than {limit:,} tags. Split it.").format(limit=MAX_TAGS))
    try:
        root: Element = fromstring(content, forbid_dtd=True)
    except DefusedXmlException:
        raise BadXML(_("The XML file declares a document type or entities, which are not read. Remove them.")) from None
    except (ParseError, LookupError, ValueError) as error:
        raise BadXML(_("The file is not well-formed XML: {reason}.").format(reason=error)) from None
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


class _Text(HTMLParser):
    """Collects what a reader would see, with line breaks where blocks end."""

    def __init__(self) -> None:
        super().__init__()
        self.parts: list[str] = []
        self.hidden: list[str] = []
        self.title: list[str] = []
        self.in_title = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in HIDDEN:
            self.hidden.append(tag)
        self.in_title = tag == "title"
        self._break(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._break(tag)

    def handle_endtag(self, tag: str) -> None:
        if tag in self.hidden:
            del self.hidden[self.hidden.index(tag) :]
        self.in_title = False
        self._break(tag)

    def _break(self, tag: str) -> None:
        if tag == "br":
            self.parts.append("\n")
        elif tag in PARAGRAPHS:
            self.parts.append(GAP)
        elif tag in ("td", "th"):
            self.parts.append(" ")

    def handle_data(self, data: str) -> None:
        if self.in_title:
            self.title.append(data)
        elif not self.hidden:
            self.parts.append(SPACE.sub(" ", data))


def read_html(html: str) -> tuple[str, str]:
    """Title and text: a blank line between paragraphs, a line break for `br`, runs of white space as one space."""
    parser = _Text()
    parser.feed(html)
    parser.close()
    lines = re.sub(r" *\n *", "\n", re.sub(" +", " ", "".join(parser.parts)))
    return SPACE.sub(" ", "".join(parser.title)).strip(), tidy(re.sub(r"\n{3,}", GAP, lines))
