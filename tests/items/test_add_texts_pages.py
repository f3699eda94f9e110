"""“Add texts”: paste, text files, tables; all of them lead to the preview of an import."""

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from items.formats.table_columns import LEAVE_OUT
from items.formats.text_files import take_title
from items.models import ImportFile, Item, Text
from tests.items.files import BODY, csv, load, text_row

pytestmark = pytest.mark.django_db

PASTE, FILES, TABLE = "/p/rivers/texts/new/", "/p/rivers/texts/files/", "/p/rivers/import/"
GERMAN = "Die Fähre fährt um neun Uhr. Am Sonntag fährt sie um zehn, weil der Hafenmeister im Chor singt."
ITEMS = csv("Nr;Lesetext;Was?;Eins;Zwei;Treffer", f"1;{BODY};Why later?;The choir.;The tide.;1")
CHOSEN = ["item_id", "text", "question", "option_1", "option_2", "correct"]
OUT = LEAVE_OUT


@pytest.fixture
def client(client, researcher):
    client.force_login(researcher)
    return client


@pytest.fixture
def paste(client):
    """A function that pastes a text; returns the page that answers, redirects followed."""

    def send(body=GERMAN, **fields):
        return client.post(PASTE, {"body": body, "shareable": "on", **fields}, follow=True)

    return send


@pytest.fixture
def send_files(client):
    def send(*files, **fields):
        uploads = [SimpleUploadedFile(name, content) for name, content in files]
        return client.post(FILES, {"uploads": uploads, "language": "", **fields}, follow=True)

    return send


@pytest.fixture
def send_table(client):
    def send(content=ITEMS, name="bank.csv"):
        return client.post(TABLE, {"file": SimpleUploadedFile(name, content)}, follow=True)

    return send


def step(name: str) -> str:
    return reverse(name, args=["rivers", ImportFile.objects.get().pk])


def choice(fields: list[str]) -> dict[str, str]:
    return {f"column_{place}": field for place, field in enumerate(fields)}


@pytest.mark.parametrize("page", [PASTE, FILES, TABLE])
def test_every_page_offers_the_three_ways_and_says_which_it_is(client, project, page):
    shown = client.get(page).content.decode()
    for way in (PASTE, FILES, TABLE):
        assert f'<a href="{way}"' in shown
    assert f'<a href="{page}" aria-current="page"' in shown


# Paste


def test_a_pasted_text_is_previewed_then_stored_and_shown(client, paste):
    fields = {"title": "Ferry", "level": "B1", "source": "a book", "licence": "CC0"}
    page = paste(" Die Fähre\r\nfährt um neun Uhr. ", **fields)
    assert page.context["counts"].new_texts == 1
    assert not Text.objects.exists()
    page = client.post(step("item_import_preview"), follow=True)
    text = Text.objects.get()
    assert page.redirect_chain == [(reverse("text", args=["rivers", text.pk]), 302)]
    assert (text.title, text.body, text.language) == ("Ferry", "Die Fähre\nfährt um neun Uhr.", "de")
    assert (text.level, text.source, text.licence, text.shareable) == ("B1", "a book", "CC0", True)


def test_pasting_the_same_again_changes_nothing(client, paste):
    paste()
    client.post(step("item_import_preview"))
    page = paste()
    assert not page.context["plan"].writes
    assert "would change nothing" in page.content.decode()


def test_several_texts_are_parted_by_a_line_of_ones_choice(client, paste):
    paste(f"{GERMAN}\r\n ~~~ \r\n{BODY}\r\n~~~\r\n", separator="~~~", title="Ferry")
    client.post(step("item_import_preview"))
    assert list(Text.objects.values_list("title", "body", "language")) == [
        ("Ferry 1", GERMAN, "de"),
        ("Ferry 2", BODY, "en"),
    ]


@pytest.mark.parametrize(
    ("body", "fields"),
    [
        (f"{GERMAN}\n\n\n{BODY}", {"split": "blank"}),
        (f"# Ferry 1\n{GERMAN}\n\n## Ferry 2\n\n{BODY}", {"split": "heading"}),
        (f"Ferry 1\n\n{GERMAN}\n---\nFerry 2\n\n{BODY}", {"split": "line", "separator": "---", "has_titles": "on"}),
    ],
)
def test_texts_are_split_at_empty_lines_headings_or_a_line(client, paste, body, fields):
    paste(body, title="Ferry", **fields)
    client.post(step("item_import_preview"))
    assert list(Text.objects.values_list("title", "body")) == [("Ferry 1", GERMAN), ("Ferry 2", BODY)]


@pytest.mark.parametrize(
    ("pasted", "title"),
    [
        ("Who owns the sea?\n\nNobody does.", "Who owns the sea?"),
        ("Nobody owns the sea.\n\nNot even here.", ""),  # a sentence
        ("The sea\nis deep.", ""),  # no empty line
        ("The sea\n\n", ""),  # nothing after it
        ("S" * 81 + "\n\nThe sea is deep.", ""),
    ],
)
def test_a_first_line_is_a_title_where_it_looks_like_one(pasted, title):
    assert take_title(pasted)[0] == title


def test_a_text_that_may_not_be_shared_is_stored_so(client, project):
    client.post(PASTE, {"body": GERMAN})
    client.post(step("item_import_preview"))
    assert not Text.objects.get().shareable


@pytest.mark.parametrize(
    ("body", "fields", "words"),
    [
        (" ", {}, "This field is required"),
        ("x" * 100_001, {}, "the limit is 100000"),
        ("12345", {}, "could not be detected"),
        (GERMAN, {"language": "Klingon"}, "not a known language"),
        (GERMAN, {"external_id": "a\nb\x1b"}, "control characters"),
        ("a\0b", {}, "Null characters are not allowed"),
        (GERMAN, {"separator": "***"}, "no such line. Correct the separator, or"),
        (f"{GERMAN}\n--\n{BODY}", {"separator": "--", "external_id": "t1"}, "An id belongs to a single text"),
        ("--\n--", {"separator": "--"}, "no text between the separator lines"),
    ],
)
def test_a_bad_paste_is_refused_on_the_form(paste, body, fields, words):
    assert words in paste(body, **fields).content.decode()
    assert not ImportFile.objects.exists()


def test_a_taken_id_with_other_words_is_refused_in_the_preview(project, paste):
    load(project, text_row(id="t1"))
    page = paste(external_id="t1")
    assert "“t1” already exists in the project with a different wording" in page.content.decode()
    assert "text 1" in page.content.decode()


# Text files


def test_text_files_are_previewed_then_stored(client, send_files):
    page = send_files(("ferry.txt", BODY.encode()), ("Fähre.txt", GERMAN.encode("cp1252")))
    shown = page.content.decode()
    assert "2 text files" in shown
    assert "read as Windows-1252" in shown
    assert "Die Fähre fährt um neun Uhr." in shown
    client.post(step("item_import_preview"))
    assert list(Text.objects.values_list("external_id", "language")) == [("ferry", "en"), ("Fähre", "de")]


def test_a_language_may_be_said_for_all_files(client, send_files):
    send_files(("numbers.txt", b"1 2 3"), language="eu")
    client.post(step("item_import_preview"))
    assert Text.objects.get().language == "eu"


def test_one_bad_file_is_named_and_keeps_all_out(client, send_files):
    page = send_files(("ferry.txt", BODY.encode()), ("bad.txt", b"a\0b")).content.decode()
    assert "<td>bad.txt</td>" in page
    assert ">Import</button>" not in page
    client.post(step("item_import_preview"))
    assert not Text.objects.exists()


@pytest.mark.parametrize(
    ("files", "words"),
    [
        ([], "This field is required"),
        ([("a.odt", b"PK")], "is not a text file"),
        ([("a.txt", b"x"), ("b.csv", b"x")], "is not a text file"),
    ],
)
def test_bad_files_are_refused_on_the_form(send_files, files, words):
    assert words in send_files(*files).content.decode()
    assert not ImportFile.objects.exists()


def test_files_that_are_too_large_together_are_refused(send_files, settings):
    settings.LESART = {**settings.LESART, "PAGE_UPLOAD_BYTES": 1_000_000}
    settings.FILE_UPLOAD_HANDLERS = ["items.files.BoundedUpload", *settings.FILE_UPLOAD_HANDLERS]
    page = send_files(*[(f"{number}.txt", b"x" * 400_000) for number in range(9)])
    assert "larger than 1 MB in total" in page.content.decode()
    assert sum(upload.size for upload in page.context["form"].files.getlist("uploads")) < 1_200_000


# Tables


def test_a_table_asks_what_its_columns_say_and_shows_its_first_rows(send_table):
    page = send_table()
    assert page.redirect_chain == [(step("item_import_columns"), 302)]
    shown = page.content.decode()
    assert "Treffer" in shown
    assert "The choir." in shown
    assert [field.initial for field in page.context["form"].fields.values()] == ["text_id", "text", *["extra"] * 4]


def test_chosen_columns_are_kept_until_the_import(client, send_table):
    send_table()
    page = client.post(step("item_import_columns"), choice(CHOSEN), follow=True)
    assert page.context["counts"].new_items == 1
    assert "The choir." in page.content.decode()
    again = client.get(step("item_import_columns"))
    assert [field.initial for field in again.context["form"].fields.values()] == CHOSEN
    client.post(step("item_import_preview"))
    item = Item.objects.get()
    assert (item.external_id, [option.correct for option in item.options.all()]) == ("1", [True, False])
    assert not ImportFile.objects.exists()


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ([OUT, OUT, "question", OUT, OUT, OUT], "No column is assigned to the text"),
        ([OUT, "text", "text", OUT, OUT, OUT], "2 columns are assigned to"),
        ([OUT, "text", OUT, "nonsense", OUT, OUT], "Select a valid choice"),
        ([OUT, "text", OUT, "", OUT, OUT], "This field is required"),
    ],
)
def test_a_choice_that_cannot_be_is_refused_on_the_page(client, send_table, fields, words):
    send_table()
    page = client.post(step("item_import_columns"), choice(fields))
    assert words in page.content.decode()
    assert ImportFile.objects.get().columns is None


def test_columns_that_are_left_out_stay_so(client, send_table):
    send_table()
    chosen = [OUT, "text", *[OUT] * 4]
    client.post(step("item_import_columns"), choice(chosen))
    again = client.get(step("item_import_columns"))
    assert [field.initial for field in again.context["form"].fields.values()] == chosen


def test_a_file_that_is_no_table_goes_to_its_problems(send_table):
    page = send_table(b'text\n"open')
    assert page.redirect_chain[-1] == (step("item_import_preview"), 302)
    assert "never closed" in page.content.decode()
    assert "Change the columns" not in page.content.decode()


def test_only_tables_have_columns(client, project, paste):
    paste()
    assert client.get(step("item_import_columns")).url == step("item_import_preview")


def test_a_bad_row_is_shown_with_its_line_and_column(client, send_table):
    send_table(csv("text;question;A;B;richtig", f"{BODY};Why?;x;y;9"))
    page = client.get(step("item_import_preview")).content.decode()
    assert "<td>line 2</td>" in page
    assert "<td>richtig</td>" in page
    assert "“9” is not an option of this row" in page
    assert step("item_import_columns") in page


def test_names_and_cells_are_words_on_the_page(send_table):
    page = send_table(csv("text;<img src=x>", f"<script>alert(1)</script> {BODY};{{{{ 7|add:7 }}}}"))
    shown = page.content.decode()
    assert "<script>alert" not in shown
    assert "<img" not in shown
    assert "{{ 7|add:7 }}" in shown


@pytest.mark.parametrize(("name", "words"), [("a.txt", "Use “Text files” above"), ("a.ods", "Save others as CSV")])
def test_a_file_of_another_kind_is_refused_with_a_remedy(send_table, name, words):
    assert words in send_table(b"text", name=name).content.decode()
