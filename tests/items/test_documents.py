"""Word, PDF and web pages as reading texts; what cannot be read says why."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from items.files import zip_files
from items.formats.text_files import read_text_files
from items.models import Text

WORD = "xmlns:w='http://schemas.openxmlformats.org/wordprocessingml/2006/main'"


def docx(body: str) -> bytes:
    return zip_files({"word/document.xml": f"<w:document {WORD}><w:body>{body}</w:body></w:document>".encode()})


def pdf(*lines: str) -> bytes:
    """A PDF file of one page with these lines; without any, a page without text."""
    words = "".join(f"({line}) Tj 0 -14 Td " for line in lines)
    stream = f"BT /F1 12 Tf 72 700 Td {words}ET".encode() if lines else b""
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
        b"<</Length %d>>stream\n%s\nendstream" % (len(stream), stream),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
    ]
    content, places = b"%PDF-1.4\n", []
    for number, each in enumerate(objects, start=1):
        places.append(len(content))
        content += b"%d 0 obj%s endobj\n" % (number, each)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    return content + b"xref\n0 6\n0000000000 65535 f \n%strailer<</Size 6/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (
        table, len(content),
    )  # fmt: skip


def run(text: str) -> str:
    return f"<w:r><w:t xml:space='preserve'>{text}</w:t></w:r>"


PAGE = (
    b"<html><head><title>The  ferry</title><style>p{}</style></head><body><nav>Home</nav><h1>Ferry</h1>"
    b"<p>It leaves\n <b>at</b> nine&nbsp;&amp; ten.<br>Never late.</p><script>alert(1)</script></body></html>"
)
DOCX = docx(
    f"<w:p>{run('The ferry ')}{run('leaves.')}<w:del><w:r><w:delText>not</w:delText></w:r></w:del></w:p><w:p/>"
    f"<w:tbl><w:tr><w:tc><w:p>{run('At nine.')}<w:r><w:br/></w:r>{run('Sundays at ten.')}</w:p></w:tc></w:tr></w:tbl>"
)
PDF = pdf("The ferry leaves every morning at nine, and it is ne-", "ver late. So they say.", "On Sundays it is.")


@pytest.mark.parametrize(
    ("name", "content", "title", "body"),
    [
        ("a.docx", DOCX, "a", "The ferry leaves.\n\nAt nine.\nSundays at ten."),
        ("a.html", PAGE, "The ferry", "Home\n\nFerry\n\nIt leaves at nine\xa0& ten.\nNever late."),
        ("a.pdf", PDF, "a",
         "The ferry leaves every morning at nine, and it is never late. So they say.\n\nOn Sundays it is."),
    ],
)  # fmt: skip
def test_the_words_of_a_document_are_a_text(name, content, title, body):
    reading = read_text_files([(name, content)])
    (line,) = reading.lines
    assert (line.text.id, line.text.title, line.text.body) == ("a", title, body)
    assert bool(reading.warnings) is name.endswith("pdf")


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.docx", b"PK\x03\x04 and so on", "damaged"),
        ("a.docx", zip_files({"xl/workbook.xml": b"<a/>"}), "not a Word document"),
        ("a.docx", zip_files({"word/document.xml": b" " * 60_000_000}), "too large"),
        ("a.docx", zip_files({"word/document.xml": b"<!DOCTYPE a><a/>"}), "document type"),
        ("a.docx", docx(""), "The file is empty"),
        ("a.docx", b"{\\rtf1", "damaged"),
        ("a.pdf", PDF[:200], "damaged"),
        ("a.pdf", b"", "damaged"),
        ("a.pdf", pdf(), "only pictures"),
        ("a.html", b"<script>only this</script>", "The file is empty"),
        ("a.html", b"\0", "NUL"),
        ("a.txt", PDF, "PDF"),
    ],
)
def test_what_cannot_be_read_says_why(name, content, message):
    reading = read_text_files([(name, content)])
    assert not reading.lines
    ((named, reason),) = [(each.name, each.reason) for each in reading.problems.listed]
    assert named == name
    assert message in reason


@pytest.mark.django_db
def test_the_page_imports_several_kinds_at_once(project, as_user, researcher):
    client = as_user(researcher)
    uploads = [SimpleUploadedFile("ferry.docx", DOCX), SimpleUploadedFile("tide.html", PAGE)]
    preview = client.post("/p/rivers/texts/files/", {"uploads": uploads})
    client.post(preview.url)
    assert set(Text.objects.filter(project=project).values_list("external_id", "title")) == {
        ("ferry", "ferry"), ("tide", "The ferry"),
    }  # fmt: skip
