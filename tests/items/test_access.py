"""Every URL of the app, from the URL configuration, for the least and the greatest role.

Who may open each of them, with a page or a token, is tested in tests/api/test_every_route.py.
"""

from itertools import product

import pytest
from django.urls import reverse

from items.models import Benchmark, ImportFile, Item, Picture, Text
from items.services.import_files import store_upload
from items.services.naming import ImportOptions
from items.urls import urlpatterns
from jobs.models import Job
from jobs.scheduling import make_job
from projects.models import Role
from tests.items.files import jsonl, load, text_row
from tests.undone import undone

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

NEEDS = {
    "text_list": Role.VIEWER,
    "text": Role.VIEWER,
    "text_picture": Role.VIEWER,
    "item_export": Role.VIEWER,
    "question_export": Role.VIEWER,
    "text_print": Role.VIEWER,
    "text_new": Role.RESEARCHER,
    "text_files": Role.RESEARCHER,
    "text_edit": Role.RESEARCHER,
    "item_new": Role.RESEARCHER,
    "item_edit": Role.RESEARCHER,
    "key_correct": Role.RESEARCHER,
    "generator_edit": Role.RESEARCHER,
    "item_import": Role.RESEARCHER,
    "item_import_undo": Role.RESEARCHER,
    "item_import_columns": Role.RESEARCHER,
    "item_import_paragraphs": Role.RESEARCHER,
    "item_import_preview": Role.RESEARCHER,
    "item_import_update": Role.RESEARCHER,
    "item_import_job": Role.RESEARCHER,
    "duplicates": Role.VIEWER,
    "benchmark_add": Role.RESEARCHER,
    "benchmark_file": Role.VIEWER,
    "benchmark_delete": Role.RESEARCHER,
}
DIGEST = "d" * 64
ON_TEXTS = {"text", "text_edit", "item_new"}
ON_ITEMS = {"item_edit", "key_correct"}
ON_FILES = {"item_import_columns", "item_import_paragraphs", "item_import_preview", "item_import_update"}


def fill(project, user):
    load(project, text_row(id="t1"))
    make_job("import", "import:1", {"file": 0}, project).save()
    Job.objects.filter(project=project).update(owner=user)
    Benchmark.objects.create(project=project, name="RACE", signatures=b"")
    Picture.objects.create(project=project, digest=DIGEST, media_type="image/png", width=1, height=1, content=b"png")
    store_upload(project, user, "bank.jsonl", jsonl(text_row(id="t9")), ImportOptions())


def address(name: str, project, content=None) -> str:
    """The URL in the project; of the objects of another project if `content` is that one."""
    content = content or project
    numbers = (
        dict.fromkeys(ON_TEXTS, Text.objects.get(project=content).pk)
        | dict.fromkeys(ON_ITEMS, Item.objects.get(project=content).pk)
        | dict.fromkeys(ON_FILES, ImportFile.objects.get(project=content).pk)
        | {"generator_edit": content.generators.get().pk, "question_export": "gift", "text_picture": DIGEST}
        | dict.fromkeys(("benchmark_file", "benchmark_delete"), content.benchmarks.get().pk)
        | {"item_import_job": Job.objects.get(project=content).pk}
        | {"item_import_undo": content.bank_imports.get().pk}
    )
    return reverse(name, args=[project.slug, *([numbers[name]] if name in numbers else [])])


def test_every_url_is_here():
    assert {pattern.name for pattern in urlpatterns} == NEEDS.keys()


@pytest.mark.parametrize("character", ["viewer", "owner"])
def test_a_page_opens_for_its_role_only(character, project, client, request):
    user = request.getfixturevalue(character)
    fill(project, user)
    client.force_login(user)
    for name, method in product(NEEDS, ("get", "post")):
        with undone():
            status = getattr(client, method)(address(name, project)).status_code
        allowed = (200, 202, 302, 405) if Role(character).rank >= NEEDS[name].rank else (404, 405)
        assert status in allowed, (name, method)


def test_objects_of_another_project_look_like_none(project, stranger, client):
    mine = stranger.memberships.get().project
    fill(project, stranger)
    client.force_login(stranger)
    for name in sorted(ON_TEXTS | ON_ITEMS | {"generator_edit"}):
        for method in ("get", "post"):
            assert getattr(client, method)(address(name, mine, content=project)).status_code == 404, (name, method)
        assert client.get(reverse(name, args=[mine.slug, 10**30])).status_code == 404, name


def test_a_file_of_another_project_cannot_be_imported_into_ones_own(project, stranger, client):
    mine = stranger.memberships.get().project
    fill(project, stranger)
    client.force_login(stranger)
    for name in sorted(ON_FILES):
        response = client.post(address(name, mine, content=project))
        assert response.url == reverse("item_import", args=[mine.slug]), name
        assert not Text.objects.filter(project=mine).exists(), name


def test_looking_changes_nothing(project, client, owner):
    fill(project, owner)
    client.force_login(owner)
    before = list_rows()
    for name in NEEDS:
        with undone():
            client.get(address(name, project))
            assert list_rows() == before, name


def list_rows() -> list[list[dict]]:
    return [list(model.objects.order_by("pk").values()) for model in (Text, Item, ImportFile)]
