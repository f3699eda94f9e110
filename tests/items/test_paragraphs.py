"""Paragraphs of pasted texts and text files, cut and joined with where they came from."""

import json

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st

from items.files import zip_files
from items.formats.documents import Document, read_docx
from items.formats.paragraphs import Piece, arrange, build_rows, cut_piece, describe_provenance, join_pieces
from items.formats.rows import Reading
from items.formats.text_files import read_document
from items.models import ImportFile, Text
from items.services.exporting import export_lines
from items.services.importing import import_items, read_bank_file
from items.services.naming import ImportOptions
from jobs.models import Job
from jobs.working import run_job
from projects.models import Project
from tests.items.test_documents import WORD, docx, run

FERRY = "# The ferry\n\nThe ferry leaves at nine. On Sundays it leaves at ten.\n\nThe harbor master sings in the choir."
TIDE = "The tide comes twice a day. Boats wait for it."


@pytest.fixture
def client(client, researcher):
    client.force_login(researcher)
    return client


@pytest.fixture
def send(client, project):
    """A function that sends text files and opens their paragraphs; returns the page."""

    def post(*files):
        uploads = [SimpleUploadedFile(name, content) for name, content in files]
        client.post("/p/rivers/texts/files/", {"uploads": uploads, "language": "en"})
        return client.get(address())

    return post


def address() -> str:
    return reverse("item_import_paragraphs", args=["rivers", ImportFile.objects.get().pk])


def choices(page, changes=(), /, **buttons) -> dict[str, str]:
    """What a browser would send of the page, with changes by (number of the piece, field)."""
    sent = {"revision": str(page.context["revision"]), **buttons}
    for form in page.context["forms"]:
        values = form.initial | {
            field: value for (number, field), value in dict(changes).items() if number == form.number
        }
        sent |= {f"{form.number}-{name}": value for name, value in values.items() if value is not False}
    return sent


def test_paragraphs_of_two_files_become_texts_with_their_provenance(client, send):
    page = send(("ferry.txt", FERRY.encode()), ("tide.txt", TIDE.encode()))
    assert [form.origin() for form in page.context["forms"]] == [
        "ferry.txt, paragraph 1", "ferry.txt, paragraph 2, under “The ferry”",
        "ferry.txt, paragraph 3, under “The ferry”", "tide.txt, paragraph 1",
    ]  # fmt: skip
    changes = {(0, "is_out"): "on", (2, "begins"): "text", (2, "title"): "The choir", (2, "licence"): "CC0"}
    page = client.post(address(), choices(page, changes | {(3, "begins"): "paragraph"}, preview="1"), follow=True)
    assert "tide.txt, paragraph 1" in page.content.decode()
    assert not Text.objects.exists()
    client.post(page.request["PATH_INFO"])
    ferry, choir = Text.objects.all()
    assert (ferry.external_id, ferry.title, ferry.licence) == ("ferry", "ferry", "")
    assert ferry.body == "The ferry leaves at nine. On Sundays it leaves at ten."
    assert (choir.title, choir.licence) == ("The choir", "CC0")
    assert choir.body == f"The harbor master sings in the choir.\n\n{TIDE}"
    assert choir.metadata["provenance"] == [
        {"file": "ferry.txt", "paragraphs": [3, 3], "heading": "The ferry"},
        {"file": "tide.txt", "paragraphs": [1, 1]},
    ]
    shown = client.get(reverse("text", args=["rivers", choir.pk])).content.decode()
    assert "ferry.txt, paragraph 3, under “The ferry”" in shown


@pytest.mark.django_db
def test_provenance_is_exported_and_comes_in_again(client, send, researcher):
    page = send(("ferry.txt", FERRY.encode()))
    page = client.post(address(), choices(page, preview="1"), follow=True)
    client.post(page.request["PATH_INFO"])
    text = Text.objects.get()
    content = "".join(export_lines(text.project)).encode()
    assert json.loads(content)["metadata"]["provenance"] == text.metadata["provenance"]
    other = Project.objects.create(slug="copy", title="Copy")
    import_items(other, read_bank_file(content), ImportOptions(), filename="f")
    assert Text.objects.get(project=other).metadata == text.metadata


def test_a_paragraph_is_cut_into_sentences_that_can_begin_a_text(client, send):
    page = send(("ferry.txt", FERRY.encode()))
    page = client.post(address(), choices(page, cut="1"), follow=True)
    assert page.request["QUERY_STRING"] == "page=1"
    assert [form.piece.text for form in page.context["forms"]][1:3] == [
        "The ferry leaves at nine.", "On Sundays it leaves at ten.",
    ]  # fmt: skip
    changes = {(2, "begins"): "text", (3, "begins"): "nothing"}
    page = client.post(address(), choices(page, changes, preview="1"), follow=True)
    client.post(page.request["PATH_INFO"])
    assert [text.body for text in Text.objects.all()] == [
        "# The ferry\n\nThe ferry leaves at nine.",
        "On Sundays it leaves at ten. The harbor master sings in the choir.",
    ]
    assert describe_provenance(Text.objects.last().metadata) == [
        "ferry.txt, paragraph 2, sentence 2, under “The ferry”", "ferry.txt, paragraph 3, under “The ferry”",
    ]  # fmt: skip


def test_texts_begin_at_headings_which_become_their_titles(client, send):
    page = send(("all.txt", f"{FERRY}\n\n## The tide\n\n{TIDE}".encode()))
    page = client.post(address(), choices(page, headings="1"), follow=True)
    page = client.post(address(), choices(page, preview="1"), follow=True)
    client.post(page.request["PATH_INFO"])
    assert list(Text.objects.values_list("title", flat=True)) == ["The ferry", "The tide"]
    assert Text.objects.last().body == TIDE


def test_pasted_texts_have_paragraphs_too_and_keep_their_source(client, project):
    given = {"body": f"{TIDE}\n\nIt rains.", "language": "en", "source": "a book", "shareable": "on"}
    client.post("/p/rivers/texts/new/", given)
    page = client.get(address())
    changes = {(1, "begins"): "text", (1, "source"): "a letter"}
    page = client.post(address(), choices(page, changes, preview="1"), follow=True)
    client.post(page.request["PATH_INFO"])
    assert list(Text.objects.values_list("body", "source", "language")) == [
        (TIDE, "a book", "en"), ("It rains.", "a letter", "en"),
    ]  # fmt: skip
    assert Text.objects.last().metadata["provenance"] == [{"file": "pasted text 1", "paragraphs": [2, 2]}]


def test_a_page_of_an_earlier_state_changes_nothing(client, send):
    page = send(("ferry.txt", FERRY.encode()))
    client.post(address(), choices(page, cut="1"))
    stored = ImportFile.objects.get().paragraphs
    late = client.post(address(), choices(page, cut="2"))
    assert "changed in another window" in late.content.decode()
    assert ImportFile.objects.get().paragraphs == stored


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({(0, "begins"): "a verse"}, "Select a valid choice"),
        ({(0, "title"): "x" * 501}, "at most 500 characters"),
        ({(0, "source"): "a\0b"}, "Null characters"),
    ],
)
def test_a_choice_that_cannot_be_is_refused(client, send, changes, reason):
    page = send(("ferry.txt", FERRY.encode()))
    page = client.post(address(), choices(page, changes, preview="1"))
    assert reason in page.content.decode()
    assert ImportFile.objects.get().paragraphs["revision"] == 1


def test_many_paragraphs_come_in_pages_and_all_of_them_stay(client, send):
    page = send(("many.txt", "\n\n".join(f"Paragraph {n} says so." for n in range(120)).encode()))
    assert len(page.context["forms"]) == 50
    page = client.post(address(), choices(page, {(3, "is_out"): "on"}, page="3"), follow=True)
    assert [form.number for form in page.context["forms"]] == [*range(100, 120)]
    page = client.post(f"{address()}?page=3", choices(page, {(119, "is_out"): "on"}, preview="1"), follow=True)
    client.post(page.request["PATH_INFO"])
    assert Text.objects.get().body.count("Paragraph") == 118


def test_a_file_that_cannot_be_read_and_one_with_too_many_paragraphs_say_so(client, send):
    page = send(("bad.pdf", b"%PDF-1.4 half"))
    assert page.status_code == 302
    assert "bad.pdf: The PDF file is damaged" in client.get(page.url).content.decode()
    ImportFile.objects.all().delete()
    page = send(("many.txt", b"x\n\n" * 10_001))
    assert "more than 10,000 paragraphs" in client.get(page.url).content.decode()


def test_all_left_out_leaves_nothing_to_import(client, send):
    page = send(("tide.txt", TIDE.encode()))
    page = client.post(address(), choices(page, {(0, "is_out"): "on"}, preview="1"), follow=True)
    assert page.context["plan"].problems
    assert "Cut and join paragraphs" in page.content.decode()


def test_a_large_file_is_split_by_a_worker(client, send, settings, monkeypatch):
    monkeypatch.setattr("items.services.import_files.AT_ONCE", 0)
    monkeypatch.setattr("jobs.working.Heartbeat.act", lambda self: None)  # PostgreSQL shows it nothing of a test
    assert send(("ferry.txt", FERRY.encode())).status_code == 202
    run_job(Job.objects.open().get().pk)
    page = client.get(address())
    assert len(page.context["forms"]) == 3
    assert client.post(address(), choices(page, {(1, "is_out"): "on"}, preview="1"), follow=True).status_code == 202
    run_job(Job.objects.open().get().pk)
    assert client.get(page.request["PATH_INFO"].replace("paragraphs/", "")).context["counts"].new_texts == 1


# Where paragraphs are in files


def test_headings_of_word_are_known_by_their_style_in_any_language():
    styles = f'<w:styles {WORD}><w:style w:styleId="berschrift1"><w:name w:val="heading 1"/></w:style></w:styles>'
    heading = f'<w:p><w:pPr><w:pStyle w:val="berschrift1"/></w:pPr>{run("The ferry")}</w:p>'
    archive = {
        "word/styles.xml": styles.encode(),
        "word/document.xml": body_of(f"{heading}<w:p>{run('At nine.')}</w:p>"),
    }
    assert read_docx(zip_files(archive)) == Document("", "The ferry\n\nAt nine.", frozenset({"The ferry"}))


def body_of(words: str) -> bytes:
    return f"<w:document {WORD}><w:body>{words}</w:body></w:document>".encode()


def test_a_web_page_names_its_headings_and_a_word_file_without_styles_has_none():
    found = read_document("a.html", b"<h1>The  <b>tide</b></h1><p>It comes.</p>", 1, Reading())
    assert found == Document("", "The tide\n\nIt comes.", frozenset({"The tide"}))
    assert not read_docx(docx(f"<w:p>{run('The ferry')}</w:p>")).headings


def test_pages_of_a_pdf_are_those_on_which_paragraphs_begin():
    from items.formats.documents import _join_lines

    pages = ["The ferry leaves every morning at nine, and it is\nnever late.", "On Sundays it waits for\n\nthe choir."]
    assert _join_lines(pages) == [
        ("The ferry leaves every morning at nine, and it is never late.", 1),
        ("On Sundays it waits for", 2),
        ("the choir.", 2),
    ]
    document = Document("", "a\n\nb", pages=(1, 2))
    (row,) = build_rows(arrange([("a.pdf", {"id": "a"}, document)]))
    assert describe_provenance(row["metadata"]) == ["a.pdf, pages 1–2, paragraphs 1–2"]


@given(st.text(alphabet='ab.!?。 \n\t"”', max_size=40))
def test_cut_pieces_hold_every_word_in_order(words):
    piece = Piece(words.strip(), 0, "a.txt", 1)
    parts = cut_piece(piece)
    assert "".join(join_pieces(parts).split()) == "".join(words.split())
    assert all(part.text.strip() == part.text and part.text for part in parts) or not words.strip()


@pytest.mark.parametrize("value", [None, "x", [1], [{"file": 1}], [{"paragraphs": [1]}], {"a": 1}])
def test_another_tools_field_of_that_name_is_no_provenance(value):
    assert describe_provenance({"provenance": value}) == []
