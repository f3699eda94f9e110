"""An import is undone as a whole, unless somebody has built on it since."""

from dataclasses import replace

import pytest
from django.urls import reverse

from items.models import Generator, Item, Text
from items.services.editing import edit_text
from items.services.undoing import CannotUndo, undo_import
from items.values import get_text_values
from tests.factory import make_study
from tests.items.files import OPTIONS, item_row, load, text_row

pytestmark = [pytest.mark.django_db, pytest.mark.slow]


def state(project) -> tuple:
    """What is current, and how many rows there are in all."""
    items = Item.objects.filter(project=project).current().order_by("external_id")
    values = [(item.external_id, item.text.body, item.generator.name, item.version) for item in items]
    return values, Text.objects.count(), Item.objects.count(), Generator.objects.count()


def row(body="The ferry leaves at nine.", item="q1", generator="Ada", **fields):
    return text_row([item_row(id=item, generator=generator)], text=body, **fields)


def test_what_was_there_before_is_current_again(project):
    load(project, row(id="t1"))
    before = state(project)
    load(project, row("Another wording.", id="t1"), row(id="t2", item="q2", generator="Ben"), update=True)
    assert state(project) != before
    undo_import(project.bank_imports.first())
    assert state(project) == before
    with pytest.raises(CannotUndo):
        undo_import(project.bank_imports.first())
    undo_import(project.bank_imports.last())
    assert state(project) == ([], 0, 0, 0)


def edit(project):
    text = Text.objects.get()
    edit_text(text, replace(get_text_values(text), title="New"))


def use(project):
    make_study(project, "s", list(Item.objects.all()))


def add(project):
    load(project, {"id": "t1", "text": "The ferry leaves at nine.", "language": "en", "items": [item_row(id="q9")]})


@pytest.mark.parametrize("build", [edit, add, use])
def test_an_import_that_others_build_on_stays(project, build):
    load(project, row(id="t1"))
    first = project.bank_imports.last()
    build(project)
    before = state(project)
    with pytest.raises(CannotUndo):
        undo_import(first)
    assert state(project) == before


def test_the_page_offers_it_and_only_researchers_undo(project, as_user, researcher, viewer):
    load(project, row(id="t1"))
    done = project.bank_imports.get()
    url = reverse("item_import_undo", args=[project.slug, done.pk])
    assert as_user(viewer).post(url).status_code in (403, 404)
    client = as_user(researcher)
    assert url in client.get(reverse("text_list", args=[project.slug]), {"imported": done.pk}).content.decode()
    page = client.post(url, follow=True).content.decode()
    assert done.name in page
    assert url not in page
    assert not Text.objects.exists()


def test_an_import_that_corrected_keys_stays(project):
    load(project, row(id="t1"))
    turned = item_row([(text, not correct) for text, correct in OPTIONS], id="q1", generator="Ada")
    load(project, text_row([turned, item_row(id="q2")], id="t1", text="The ferry leaves at nine."), update=True)
    with pytest.raises(CannotUndo):
        undo_import(project.bank_imports.first())
    assert Item.objects.current().count() == 2
