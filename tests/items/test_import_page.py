"""Import by page: upload, preview, confirm."""

from datetime import timedelta

import pytest
from bs4 import BeautifulSoup
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse
from django.utils import timezone

from items.formats.table_columns import KEEP_AS_DETAIL
from items.models import BankImport, ImportFile, Item, Text
from items.services.undoing import undo_import
from jobs.models import Job, JobState
from jobs.progress import listen
from jobs.working import run_job
from tests.api.conftest import make_caller
from tests.items.files import item_row, jsonl, load, text_row

pytestmark = pytest.mark.django_db

IMPORT = "/p/rivers/import/"


@pytest.fixture
def client(client, researcher):
    client.force_login(researcher)
    return client


@pytest.fixture
def upload(client):
    """A function that sends rows as a file; returns the page that answers, redirects followed."""

    def send(*rows, name="bank.jsonl", content=None, **fields):
        file = SimpleUploadedFile(name, jsonl(*rows) if content is None else content)
        return client.post(IMPORT, {"file": file, **fields}, follow=True)

    return send


def preview_url() -> str:
    return reverse("item_import_preview", args=["rivers", ImportFile.objects.get().pk])


def test_a_preview_shows_counts_and_stores_no_text(upload):
    page = upload(text_row([item_row([("same", True), ("same", False)])]))
    assert page.context["counts"].new_texts == 1
    assert "Two options of" in page.content.decode()
    assert not Text.objects.exists()


@pytest.mark.parametrize(("row", "kind"), [(text_row(), "good"), (text_row(options=["a", "b"]), "warning")])
def test_what_needs_reading_first_is_said_first(upload, row, kind):
    """A file of good form may still say something that is not read, such as options under a name of its own."""
    page = BeautifulSoup(upload(row).content, "html.parser")
    assert page.select_one("main .note")["class"] == ["note", kind]


def test_confirming_imports_and_forgets_the_file(client, upload):
    upload(text_row())
    page = client.post(preview_url(), follow=True)
    assert page.redirect_chain == [(f"/p/rivers/texts/?imported={BankImport.objects.get().pk}", 302)]
    assert "1 new text, 1 new item" in page.content.decode()
    assert Text.objects.count() == 1
    assert not ImportFile.objects.exists()


def test_looking_at_the_preview_changes_nothing(client, upload):
    upload(text_row())
    for _time in range(2):
        assert client.get(preview_url()).status_code == 200
    assert not Text.objects.exists()
    assert ImportFile.objects.count() == 1


def test_confirming_twice_imports_once_and_says_so(client, upload):
    upload(text_row())
    url = preview_url()
    client.post(url)
    page = client.post(url, follow=True)
    assert "file is no longer here: it was imported" in page.content.decode()
    assert Text.objects.count() == 1


def test_problems_are_shown_and_leave_no_import_button(client, upload):
    page = upload(text_row(), b"nonsense").content.decode()
    assert "not one complete JSON object" in page
    assert 'method="post" action="/p/rivers/import' not in page
    assert ">Import</button>" not in page
    client.post(preview_url())
    assert not Text.objects.exists()


def test_hostile_cells_are_words_on_the_page(upload):
    page = upload(text_row(language="<script>alert(1)</script>"), name="<img src=x>.jsonl").content.decode()
    assert "<script>alert" not in page
    assert "<img" not in page


def test_other_words_can_be_previewed_as_an_update(client, project, upload):
    load(project, text_row(id="t1"))
    page = upload(text_row(id="t1", text="Another text, about nothing at all."))
    assert page.context["plan"].can_update
    update = reverse("item_import_update", args=["rivers", ImportFile.objects.get().pk])
    page = client.post(update, follow=True)
    assert page.context["counts"].changed_texts == 1
    client.post(preview_url())
    assert Text.objects.current().get().version == 2


def test_a_bank_that_changed_since_the_preview_is_planned_anew(client, project, upload):
    upload(text_row([item_row(id="q1")], id="t1"))
    load(project, text_row([], id="t1", text="Somebody else was faster with this id."))
    page = client.post(preview_url())
    assert page.status_code == 200
    assert page.context["plan"].problems.count == 1
    assert not Item.objects.exists()


def test_generator_and_language_are_taken_from_the_page(client, upload):
    upload(text_row(language=None), generator=" Ada ", language="deu")
    client.post(preview_url())
    assert Item.objects.get().generator.name == "Ada"
    assert Text.objects.get().language == "de"


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"name": "bank.ods"}, ".csv, .tsv, .xlsx"),
        ({"language": "Klingon"}, "not a known language"),
        ({"generator": "a\x07"}, "control characters"),
    ],
)
def test_a_bad_upload_is_refused_on_the_form(upload, fields, words):
    assert words in upload(text_row(), **fields).content.decode()
    assert not ImportFile.objects.exists()


def test_a_file_above_the_bound_is_refused_with_the_limit(upload, settings):
    settings.LESART = {**settings.LESART, "PAGE_UPLOAD_BYTES": 1_000_000}
    page = upload(content=b"x" * 1_000_001).content.decode()
    assert "larger than 1 MB" in page
    assert not ImportFile.objects.exists()


def test_what_comes_after_the_bound_is_not_kept(upload, settings):
    settings.LESART = {**settings.LESART, "PAGE_UPLOAD_BYTES": 1_000_000}
    settings.FILE_UPLOAD_HANDLERS = ["items.files.BoundedUpload", *settings.FILE_UPLOAD_HANDLERS]
    form = upload(content=b"x" * 5_000_000).context["form"]
    assert 1_000_000 < form.files["file"].size < 1_200_000
    assert "larger than 1 MB" in str(form.errors)


def test_a_preview_is_its_senders(upload, as_user, owner):
    upload(text_row())
    page = as_user(owner).get(preview_url(), follow=True)
    assert page.redirect_chain == [(IMPORT, 302)]


def test_a_preview_lasts_a_day(client, upload):
    upload(text_row())
    url = preview_url()
    ImportFile.objects.update(created_at=timezone.now() - timedelta(days=1, minutes=1))
    assert client.post(url, follow=True).redirect_chain == [(IMPORT, 302)]
    assert not Text.objects.exists()
    upload(text_row())
    assert ImportFile.objects.count() == 1


@pytest.fixture
def large(monkeypatch, settings):
    """Every file is a large one; the function does the work of a worker."""
    monkeypatch.setattr("items.services.import_files.AT_ONCE", 0)
    monkeypatch.setattr("jobs.working.Heartbeat.act", lambda self: None)  # PostgreSQL shows it nothing of a test

    def work() -> Job:
        for job in Job.objects.open():
            run_job(job.pk)
        return Job.objects.latest("pk")

    return work


def test_a_large_file_is_previewed_and_imported_by_a_worker(upload, large, client):
    assert upload(text_row(id="t1")).status_code == 202
    large()
    page = client.get(preview_url())
    assert (page.status_code, page.context["counts"].new_items) == (200, 1)
    progress = client.post(preview_url()).url
    assert client.get(progress).status_code == 202
    assert not Text.objects.exists()
    large()
    assert client.get(progress).url.endswith(f"/texts/?imported={BankImport.objects.get().pk}")
    assert (Text.objects.count(), ImportFile.objects.count()) == (1, 0)
    assert client.post(reverse("item_import_undo", args=["rivers", BankImport.objects.get().pk])).status_code == 302
    assert not Text.objects.exists()


def test_an_import_reports_the_texts_and_items_that_it_has_written(project):
    heard = []
    with listen(lambda *told: heard.append(told)):
        load(project, text_row(id="t1"))
    assert heard == [("rows", 1, 2), ("rows", 2, 2)]


def test_a_preview_of_a_large_file_follows_the_bank(upload, large, client, project):
    upload(text_row(id="t1", title="One"))
    large()
    load(project, text_row(id="t1", title="Other"))
    assert client.get(preview_url()).status_code == 202
    large()
    assert client.get(preview_url()).context["plan"].can_update
    progress = client.post(preview_url()).url
    job = large()
    assert job.state == JobState.FAILED
    assert "title" in job.error
    assert client.get(progress).status_code == 202
    assert BankImport.objects.count() == 1


def test_a_large_file_by_api_is_a_job_with_the_reply(large, researcher, project):
    api, content = make_caller(researcher), jsonl(text_row(id="t1"))

    def send(**fields) -> dict:
        job = api.post("projects/rivers/imports/", files={"file": SimpleUploadedFile("b.jsonl", content), **fields})
        assert job.status_code == 202
        large()
        return api.get(f"jobs/{job.json()['id']}/").json()["result"]

    assert send(dry_run="true")["counts"]["new_texts"] == 1
    assert not Text.objects.exists()
    job = api.post("projects/rivers/imports/", files={"file": SimpleUploadedFile("b.jsonl", b"{}"), "dry_run": "true"})
    large()
    failed = api.get(f"jobs/{job.json()['id']}/").json()
    assert (failed["state"], failed["errors"][0]["line"]) == ("failed", 1)
    number = send()["number"]
    assert Text.objects.count() == 1
    assert api.delete(f"projects/rivers/imports/{number}/").status_code == 204
    assert not Text.objects.exists()


def test_a_large_import_is_undone_by_a_worker(large, client, project, researcher, monkeypatch):
    monkeypatch.setattr("items.services.import_files.MAX_UNDONE_AT_ONCE", 0)
    api, heard = make_caller(researcher), []
    load(project, text_row(id="t1"))
    progress = client.post(reverse("item_import_undo", args=["rivers", BankImport.objects.get().pk])).url
    assert client.get(progress).status_code == 202
    assert Text.objects.exists()
    with listen(lambda *told: heard.append(told)):
        undo_import(BankImport.objects.get())
    assert heard[0] == ("rows", 0, 3)  # of a text, an item and a generator
    large()
    assert client.get(progress).url == IMPORT
    load(project, text_row(id="t1"))
    job = api.delete(f"projects/rivers/imports/{BankImport.objects.first().pk}/")
    assert (job.status_code, job.json()["kind"]) == (202, "import_undo")
    assert large().state == JobState.DONE
    assert not Text.objects.exists()


def test_the_columns_of_a_table_are_shown_from_its_first_rows(upload, client):
    """What stands further down is left to the preview, so that a large table needs no worker here."""
    page = upload(name="t.csv", content=b"text_id,text,note,\nt1,One.,,\nt2,Two.,,\nt3,Three.,,\nt4,Four.,,late\n")
    assert [field.label for field in page.context["form"]] == ["text_id", "text", "note"]
    assert next(cells for _field, cells in page.context["columns"]) == ("t1", "t2", "t3")
    chosen = {f"column_{n}": field for n, field in enumerate(("text_id", "text", KEEP_AS_DETAIL))}
    page = client.post(page.request["PATH_INFO"], chosen, follow=True)
    assert (page.status_code, page.context["counts"].new_texts) == (200, 4)
