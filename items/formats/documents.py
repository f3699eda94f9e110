"""Reading texts in Word and PDF files: their words as plain text, with a blank line between paragraphs."""

import io
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice
from xml.etree.ElementTree import Element

from django.utils.translation import gettext as _

from items.files import BadZip, ZipReader
from items.formats.markup import BadXML, parse_xml
from items.formats.questions import GAP
from items.models import MAX_TEXT

WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
# Text that Word files contain twice: for new and for old readers.
FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
MAX_PAGES = 300
MAX_CHARACTERS = 20 * MAX_TEXT  # of a PDF file, which can be cut into several texts
HEADING_STYLE = re.compile(r"(?:heading \d|title)\Z", re.IGNORECASE)
SENTENCE_END = re.compile(r"[.!?:;…。！？\"”’»)\]]$")


class Unreadable(ValueError):
    """A document without readable words; the message says why."""


@dataclass(frozen=True)
class Document:
    """A text read from a file: its own title, its words, which of its paragraphs are headings, and their pages."""

    title: str
    body: str
    headings: frozenset[str] = frozenset()
    pages: tuple[int, ...] = ()  # of each paragraph, where the file has pages


def read_docx(content: bytes) -> Document:
    """The paragraphs of a Word document; deleted words, comments, footnotes and fields' codes are left out."""
    styles: frozenset[str] = frozenset()
    try:
        archive = ZipReader(content)
        if "word/document.xml" not in archive.names:
            raise Unreadable(_("This is not a Word document (.docx). Save it as plain text."))
        root = parse_xml(archive.read("word/document.xml"))
        if "word/styles.xml" in archive.names:
            styles = _find_heading_styles(parse_xml(archive.read("word/styles.xml")))
    except (BadZip, BadXML) as error:
        raise Unreadable(str(error)) from None
    for parent in list(root.iter()):
        for child in [child for child in parent if child.tag == FALLBACK]:
            parent.remove(child)
    found = [(words, each) for each in root.iter(f"{WORD}p") if (words := _read_paragraph(each)).strip()]
    headings = frozenset(words.strip() for words, each in found if _get_style(each) in styles)
    return Document("", GAP.join(words for words, _paragraph in found), headings)


def _find_heading_styles(root: Element) -> frozenset[str]:
    """The ids of the styles of headings. Their ids are in the language of Word, their names in English."""
    names = {each.get(f"{WORD}styleId", ""): each.find(f"{WORD}name") for each in root.iter(f"{WORD}style")}
    return frozenset(
        key for key, name in names.items() if name is not None and HEADING_STYLE.match(name.get(f"{WORD}val", ""))
    )


def _get_style(paragraph: Element) -> str:
    style = paragraph.find(f"{WORD}pPr/{WORD}pStyle")
    return "" if style is None else style.get(f"{WORD}val", "")


def _read_paragraph(paragraph: Element) -> str:
    signs = {f"{WORD}tab": "\t", f"{WORD}br": "\n", f"{WORD}cr": "\n", f"{WORD}noBreakHyphen": "-"}
    return "".join(
        (each.text or "") if each.tag == f"{WORD}t" else signs.get(str(each.tag), "") for each in _iterate(paragraph)
    )


def _iterate(element: Element) -> Iterator[Element]:
    """Everything in a paragraph except the paragraphs of text boxes in it, which are read separately."""
    for child in element:
        if child.tag not in (f"{WORD}p", f"{WORD}txbxContent", f"{WORD}tabs"):
            yield child
            yield from _iterate(child)


def read_pdf(content: bytes) -> Document:
    """The words of up to MAX_PAGES pages; lines broken within a sentence are joined."""
    from pypdf import PdfReader  # takes time to load
    from pypdf.errors import PyPdfError

    if b"%PDF" not in content[:1024]:  # pypdf would search the whole file for parts of a PDF
        raise Unreadable(_("The PDF file is damaged. Save it again, or as plain text."))
    try:
        reader = PdfReader(io.BytesIO(content))
        if reader.is_encrypted:
            raise Unreadable(_("The PDF file is protected by a password. Save it without one, or as plain text."))
        if len(reader.pages) > MAX_PAGES:
            raise Unreadable(_("The PDF file has more than {limit} pages. Split it.").format(limit=MAX_PAGES))
        pages: list[str] = []
        for page in islice(reader.pages, MAX_PAGES):
            pages.append(page.extract_text())
            if sum(map(len, pages)) > MAX_CHARACTERS:
                reason = _("The PDF file has more than {limit:,} characters. Split it.")
                raise Unreadable(reason.format(limit=MAX_CHARACTERS))
    except Unreadable:
        raise
    except (PyPdfError, ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError, OverflowError):
        # Errors that damaged files cause in pypdf.
        raise Unreadable(_("The PDF file is damaged. Save it again, or as plain text.")) from None
    paragraphs = _join_lines(pages)
    if not paragraphs:
        raise Unreadable(_("The PDF file contains no text, only pictures of pages. Recognize its text first (OCR)."))
    return Document("", GAP.join(words for words, _page in paragraphs), pages=tuple(page for _w, page in paragraphs))


def _join_lines(pages: list[str]) -> list[tuple[str, int]]:
    """Paragraphs from the lines of pages, each with the page on which it begins.

    One ends at a blank line, or where a line ends like a sentence and is short.
    """
    lines = [(line.strip(), number) for number, page in enumerate(pages, start=1) for line in page.split("\n")]
    full = 0.75 * max((len(line) for line, _page in lines), default=0)
    paragraphs = [("", 1)]
    for line, page in lines:
        last, first_page = paragraphs[-1]
        if last.endswith("-") and line[:1].islower():
            paragraphs[-1] = (last[:-1] + line, first_page)
        else:
            paragraphs[-1] = (f"{last} {line}".strip(), first_page if last else page)
        if not line or (len(line) < full and SENTENCE_END.search(line)):
            paragraphs.append(("", page))
    return [paragraph for paragraph in paragraphs if paragraph[0]]


READERS: dict[str, Callable[[bytes], Document]] = {".docx": read_docx, ".pdf": read_pdf}
