"""Reading texts in Word and PDF files: their words as plain text, with a blank line between paragraphs."""

import io
import re
from collections.abc import Callable, Iterator
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
SENTENCE_END = re.compile(r"[.!?:;…。！？\"”’»)\]]$")


class Unreadable(ValueError):
    """A document without readable words; the message says why."""


def read_docx(content: bytes) -> str:
    """The paragraphs of a Word document; deleted words, comments, footnotes and fields' codes are left out."""
    try:
        archive = ZipReader(content)
        if "word/document.xml" not in archive.names:
            raise Unreadable(_("This is not a Word document (.docx). Save it as plain text."))
        root = parse_xml(archive.read("word/document.xml"))
    except (BadZip, BadXML) as error:
        raise Unreadable(str(error)) from None
    for parent in list(root.iter()):
        for child in [child for child in parent if child.tag == FALLBACK]:
            parent.remove(child)
    return GAP.join(words for words in map(_read_paragraph, root.iter(f"{WORD}p")) if words.strip())


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


def read_pdf(content: bytes) -> str:
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
            if sum(map(len, pages)) > 2 * MAX_TEXT:
                break
    except Unreadable:
        raise
    except (PyPdfError, ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError, OverflowError):
        # Errors that damaged files cause in pypdf.
        raise Unreadable(_("The PDF file is damaged. Save it again, or as plain text.")) from None
    words = _join_lines("\n".join(pages))
    if not words.strip():
        raise Unreadable(_("The PDF file contains no text, only pictures of pages. Recognize its text first (OCR)."))
    return words


def _join_lines(text: str) -> str:
    """Lines of a page to paragraphs: one ends at a blank line, or where a line ends like a sentence and is short."""
    lines = [line.strip() for line in text.split("\n")]
    full = 0.75 * max(map(len, lines), default=0)
    paragraphs = [""]
    for line in lines:
        last = paragraphs[-1]
        if last.endswith("-") and line[:1].islower():
            paragraphs[-1] = last[:-1] + line
        else:
            paragraphs[-1] = f"{last} {line}".strip()
        if not line or (len(line) < full and SENTENCE_END.search(line)):
            paragraphs.append("")
    return GAP.join(paragraph for paragraph in paragraphs if paragraph)


READERS: dict[str, Callable[[bytes], str]] = {".docx": read_docx, ".pdf": read_pdf}
