"""Texts cut into paragraphs and sentences, to be joined into other texts, with where each piece came from."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import Any, Self

from django.db.models import TextChoices
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy
from pydantic import BaseModel, ConfigDict, ValidationError

from items.formats.documents import Document
from items.formats.questions import GAP
from items.formats.rows import MAX_TITLE
from items.formats.text_files import HEADING
from items.plain import strip_text
from items.values import get_extra

PROVENANCE = "provenance"  # its name in the metadata of a text
BLANK_LINES = re.compile(r"\n(?:[ \t]*\n)+")
# White space after what may be the end of a sentence or line; users decide on the page whether it is one.
SENTENCE_GAP = re.compile(r"""\s*\n\s*|(?:(?<=[.!?…])|(?<=[.!?…]["'”’»)\]]))[ \t]+|(?<=[。！？])[ \t]*""")


class Begins(TextChoices):
    """What a piece begins."""

    TEXT = "text", gettext_lazy("a new text")
    PARAGRAPH = "paragraph", gettext_lazy("a paragraph")
    NOTHING = "nothing", gettext_lazy("nothing: it goes on")


@dataclass(frozen=True)
class Piece:
    """A paragraph or sentence, where it came from, and what is done with it."""

    text: str
    upload: int  # the text of the upload, from 0
    file: str
    paragraph: int  # counted from 1 in its file
    page: int = 0  # 0: the file has no pages
    heading: str = ""  # the heading above it
    is_heading: bool = False
    sentence: int = 0  # counted from 1 in its paragraph; 0: the whole paragraph
    gap: str = " "  # the white space before it if it continues the paragraph
    begins: str = Begins.PARAGRAPH
    is_out: bool = False  # left out
    # Fields of the text that it begins
    title: str = ""
    source: str = ""
    licence: str = ""


@dataclass(frozen=True)
class Arrangement:
    """The pieces of an upload in order, and the fields of the texts that they came from, without words.

    revision: counts changes, so that a page can tell whether it shows the present state.
    """

    uploads: list[dict[str, Any]]
    pieces: list[Piece]
    revision: int = 0

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> Self:
        return cls(value["uploads"], [Piece(**each) for each in value["pieces"]], value["revision"])

    def change(self, pieces: Sequence[Piece]) -> Self:
        return replace(self, pieces=list(pieces), revision=self.revision + 1)


def arrange(texts: Iterable[tuple[str, Mapping[str, Any], Document]]) -> Arrangement:
    """The texts as they came: (file, fields of the text without its words, document) of each."""
    uploads: list[dict[str, Any]] = []
    pieces: list[Piece] = []
    for place, (file, fields, document) in enumerate(texts):
        uploads.append(dict(fields))
        found = list(split_document(document, file, place))
        extra = get_extra(fields.get("metadata") or {})
        origin: dict[str, Any] = {name: str(extra.get(name, "")) for name in ("source", "licence")}
        first = [replace(each, begins=Begins.TEXT, title=fields.get("title", ""), **origin) for each in found[:1]]
        pieces += first + found[1:]
    return Arrangement(uploads, pieces)


def split_document(document: Document, file: str, upload: int) -> Iterator[Piece]:
    """The paragraphs of a document, each with the heading above it."""
    heading = ""
    blocks = filter(None, map(strip_text, BLANK_LINES.split(document.body)))
    for number, block in enumerate(blocks):
        is_heading = block in document.headings or bool(HEADING.fullmatch(block))
        page = document.pages[number] if number < len(document.pages) else 0
        yield Piece(block, upload, file, number + 1, page, heading, is_heading)
        if is_heading:
            heading = get_heading(block)


def cut_piece(piece: Piece) -> list[Piece]:
    """A piece for each sentence or line of a paragraph; only the first keeps what the paragraph began."""
    ends = [found.span() for found in SENTENCE_GAP.finditer(piece.text) if found.end() < len(piece.text)]
    starts = [0, *(end for _start, end in ends)]
    stops = [*(start for start, _end in ends), len(piece.text)]
    gaps = [piece.gap, *("\n" if "\n" in (gap := piece.text[start:end]) else gap and " " for start, end in ends)]
    if piece.sentence or not ends:
        return [piece]
    parts = enumerate(zip(starts, stops, gaps, strict=True), start=1)
    found = [replace(piece, text=piece.text[a:b], sentence=number, gap=gap) for number, (a, b, gap) in parts]
    rest: dict[str, Any] = {"begins": Begins.NOTHING, "title": "", "source": "", "licence": "", "is_heading": False}
    return [found[0], *(replace(each, **rest) for each in found[1:])]


def begin_at_headings(pieces: Iterable[Piece]) -> list[Piece]:
    """Each heading begins a text: it becomes the title, and its words are left out."""
    return [
        replace(each, begins=Begins.TEXT, is_out=True, title=" ".join(get_heading(each.text).split())[:MAX_TITLE])
        if each.is_heading
        else each
        for each in pieces
    ]


def get_heading(words: str) -> str:
    """The heading without Markdown's #."""
    marked = HEADING.fullmatch(words)
    return marked[1] if marked else words


def group_texts(pieces: Iterable[Piece]) -> list[list[Piece]]:
    """The pieces of each text. If the first piece of a text is left out, the next one begins it."""
    groups: list[list[Piece]] = []
    opening: Piece | None = None
    for piece in pieces:
        opening = piece if piece.begins == Begins.TEXT else opening
        if piece.is_out:
            continue
        if opening or not groups:
            begun = opening or piece
            named: dict[str, Any] = {"title": begun.title, "source": begun.source, "licence": begun.licence}
            groups.append([replace(piece, begins=Begins.TEXT, **named)])
        else:
            groups[-1].append(piece)
        opening = None
    return groups


def build_rows(arrangement: Arrangement) -> list[dict[str, Any]]:
    """The texts in Lesart's own format; the first one from each text of the upload keeps its id."""
    named: set[int] = set()
    rows: list[dict[str, Any]] = []
    for group in group_texts(arrangement.pieces):
        first = group[0]
        fields = dict(arrangement.uploads[first.upload])
        if first.upload in named:
            fields.pop("id", None)
        named.add(first.upload)
        rows.append(build_row(fields, group))
    return rows


def build_row(fields: Mapping[str, Any], group: Sequence[Piece]) -> dict[str, Any]:
    """The text in Lesart's own format, with source and licence of its own, and its provenance."""
    first, metadata = group[0], dict(fields.get("metadata") or {})
    extra = get_extra(metadata) | {"source": first.source, "licence": first.licence}
    metadata |= {"extra": drop_blank(extra), PROVENANCE: list_origins(group)}
    return drop_blank({**fields, "title": first.title, "text": join_pieces(group), "metadata": metadata})


def drop_blank(fields: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in fields.items() if value != ""}


def join_pieces(group: Sequence[Piece]) -> str:
    gaps = ["", *(GAP if each.begins == Begins.PARAGRAPH else each.gap for each in group[1:])]
    return "".join(gap + each.text for gap, each in zip(gaps, group, strict=True))


# Where the parts of a text came from ----------------------------------------------------------------------------------


class Origin(BaseModel):
    """Neighbouring paragraphs of a file, or sentences of one of its paragraphs: first and last."""

    model_config = ConfigDict(strict=True, extra="ignore")

    file: str
    paragraphs: list[int]
    pages: list[int] | None = None
    sentences: list[int] | None = None
    heading: str | None = None


def list_origins(pieces: Iterable[Piece]) -> list[dict[str, Any]]:
    """Where the pieces of a text came from; neighbours in their file are one entry."""
    groups: list[list[Piece]] = []
    for piece in pieces:
        if groups and follows(groups[-1][-1], piece):
            groups[-1].append(piece)
        else:
            groups.append([piece])
    return [describe_group(group[0], group[-1]) for group in groups]


def follows(last: Piece, piece: Piece) -> bool:
    """Whether it is the next sentence of the same paragraph, or the next paragraph under the same heading."""
    if (last.upload, last.heading) != (piece.upload, piece.heading):
        return False
    if last.sentence:
        return (last.paragraph, last.sentence + 1) == (piece.paragraph, piece.sentence)
    return last.paragraph + 1 == piece.paragraph and not piece.sentence


def describe_group(first: Piece, last: Piece) -> dict[str, Any]:
    return {
        "file": first.file,
        **({"pages": [first.page, last.page]} if first.page else {}),
        "paragraphs": [first.paragraph, last.paragraph],
        **({"sentences": [first.sentence, last.sentence]} if first.sentence else {}),
        **({"heading": first.heading} if first.heading else {}),
    }


def describe_origin(origin: Mapping[str, Any]) -> str:
    """In words: the file, page, paragraph and heading."""
    found = Origin.model_validate(origin)
    units = [
        (found.pages, _("page {n}"), _("pages {n}")),
        (found.paragraphs, _("paragraph {n}"), _("paragraphs {n}")),
        (found.sentences, _("sentence {n}"), _("sentences {n}")),
    ]
    places = [(several if ends[0] != ends[-1] else one).format(n="–".join(map(str, dict.fromkeys(ends))))
              for ends, one, several in units if ends]  # fmt: skip
    under = [_("under “{heading}”").format(heading=found.heading)] if found.heading else []
    return ", ".join([found.file, *places, *under])


def describe_provenance(metadata: Mapping[str, Any]) -> list[str]:
    """Where the parts of a text came from, in words; empty if its metadata does not say."""
    found = metadata.get(PROVENANCE)
    try:
        return [describe_origin(each) for each in found] if isinstance(found, list) else []
    except ValidationError:  # another tool's field of that name
        return []
