"""The page of a replication pack: who may ask for it, how far it is, and that it can be taken."""

import io
from datetime import timedelta
from zipfile import ZipFile

import pytest
from django.urls import reverse
from django.utils import timezone

from analysis import tasks
from analysis.models import Pack, PackPart, PackState
from analysis.services import packs
from items.models import Text
from llm.models import Worker
from studies.models import StudyState


@pytest.fixture(autouse=True)
def undrawn(monkeypatch):
    monkeypatch.setattr("analysis.services.reporting.as_svg", lambda spec: "<svg/>")
    monkeypatch.setattr("analysis.services.reporting.as_png", lambda spec: b"")


@pytest.fixture
def sent(monkeypatch):
    """The ids of packs that workers were asked for; nobody comes until a test says so."""
    asked = []
    monkeypatch.setattr(tasks.build_pack, "apply_async", lambda kwargs, **how: asked.append(kwargs["pack_id"]))
    return asked


@pytest.fixture
def page(as_user, answered, reviewer, sent):
    return Page(as_user(reviewer), reverse("study_pack", args=[answered.slug]))


class Page:
    def __init__(self, client, address):
        self.client, self.address = client, address

    def shown(self):
        return self.client.get(self.address).content.decode()

    def ask(self, capture):
        with capture(execute=True):
            return self.client.post(self.address)


def test_a_pack_is_asked_for_built_by_a_worker_and_taken(
    page, sent, answered, tmp_path, django_capture_on_commit_callbacks
):
    assert "Build the pack" in page.shown()
    page.ask(django_capture_on_commit_callbacks)
    pack = Pack.objects.get()
    assert sent == [pack.pk]
    assert "data-refresh" in page.shown()
    assert "No worker is listening" in page.shown()
    tasks.build_pack(pack_id=pack.pk)
    assert "Take the pack" in page.shown()
    assert "data-refresh" not in page.shown()
    response = page.client.get(reverse("study_pack_file", args=[answered.slug, pack.pk]))
    content = response.getvalue()
    assert len(content) == int(response["Content-Length"])
    assert "manifest.json" in ZipFile(io.BytesIO(content)).namelist()


def test_the_file_stands_in_parts(page, sent, monkeypatch, django_capture_on_commit_callbacks):
    monkeypatch.setattr(packs, "PART", 1_000)
    page.ask(django_capture_on_commit_callbacks)
    tasks.build_pack(pack_id=sent[0])
    pack = Pack.objects.get()
    assert PackPart.objects.count() == -(-pack.n_bytes // 1_000)
    assert ZipFile(io.BytesIO(b"".join(packs.content_of(pack)))).testzip() is None


def test_a_second_click_asks_for_no_second_pack(page, sent, django_capture_on_commit_callbacks):
    page.ask(django_capture_on_commit_callbacks)
    page.ask(django_capture_on_commit_callbacks)
    assert (Pack.objects.count(), len(sent)) == (1, 1)


def test_a_new_pack_takes_the_place_of_the_last_one(page, sent, django_capture_on_commit_callbacks):
    for _number in range(2):
        page.ask(django_capture_on_commit_callbacks)
        tasks.build_pack(pack_id=sent[-1])
    assert Pack.objects.get().pk == sent[1]
    assert set(PackPart.objects.values_list("pack", flat=True)) == {sent[1]}


def test_a_message_that_comes_twice_builds_once(page, sent, monkeypatch, django_capture_on_commit_callbacks):
    page.ask(django_capture_on_commit_callbacks)
    tasks.build_pack(pack_id=sent[0])
    monkeypatch.setattr("analysis.pack.building.write_pack", None)
    tasks.build_pack(pack_id=sent[0])
    tasks.build_pack(pack_id=12_345)
    assert Pack.objects.get().state == PackState.DONE


def test_a_pack_whose_worker_died_can_be_asked_for_again(page, sent, django_capture_on_commit_callbacks):
    page.ask(django_capture_on_commit_callbacks)
    long_ago = timezone.now() - timedelta(hours=1)
    Pack.objects.update(state=PackState.BUILDING, touched_at=long_ago)
    assert "Nothing was heard of this pack" in page.shown()
    page.ask(django_capture_on_commit_callbacks)
    assert len(sent) == 2


def test_how_far_it_is_stands_on_the_page(page, sent, django_capture_on_commit_callbacks):
    page.ask(django_capture_on_commit_callbacks)
    Worker.objects.create(name="w", started_at=timezone.now(), last_seen=timezone.now())
    Pack.objects.update(state=PackState.BUILDING, steps_done=3)
    shown = page.shown()
    assert 'max="5" value="3"' in shown
    assert "being built: figures" in shown
    assert "No worker is listening" not in shown


def test_what_stops_a_pack_is_said(page, sent, monkeypatch, django_capture_on_commit_callbacks):
    page.ask(django_capture_on_commit_callbacks)

    def full(*arguments):
        raise OSError("no space left")

    monkeypatch.setattr("analysis.pack.building.write_pack", full)
    with pytest.raises(OSError, match="no space"):
        tasks.build_pack(pack_id=sent[0])
    assert "The pack could not be built: OSError" in page.shown()


def test_a_pack_is_not_given_out_once_a_text_of_it_may_not_be_shared(
    page, sent, answered, django_capture_on_commit_callbacks
):
    page.ask(django_capture_on_commit_callbacks)
    tasks.build_pack(pack_id=sent[0])
    Text.objects.filter(units__study=answered).update(shareable=False)
    shown = page.shown()
    assert "may not be shared. Build the pack again" in shown
    assert "Take the pack" not in shown
    file = reverse("study_pack_file", args=[answered.slug, sent[0]])
    assert page.client.get(file).status_code == 302
    page.ask(django_capture_on_commit_callbacks)
    tasks.build_pack(pack_id=sent[1])
    assert "Take the pack" in page.shown()


def test_a_pack_is_for_reviewers(as_user, answered, viewer, stranger, reviewer, sent):
    address = reverse("study_pack", args=[answered.slug])
    pack = Pack.objects.create(study=answered, state=PackState.DONE, n_bytes=0)
    file = reverse("study_pack_file", args=[answered.slug, pack.pk])
    for user in (viewer, stranger):
        client = as_user(user)
        assert [client.get(path).status_code for path in (address, file)] == [404, 404]
        assert client.post(address).status_code == 404
    answered.state = StudyState.DRAFT
    answered.save()
    assert as_user(reviewer).get(address).status_code == 404
