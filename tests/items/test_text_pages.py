"""The list of texts, one text, and its forms."""

import pytest
from django.urls import reverse

from generation.models import IncompleteItem
from items.models import Item, Text
from projects.models import Project
from tests.factory import make_text
from tests.items.files import BODY, item_row, load, text_row

pytestmark = [pytest.mark.django_db, pytest.mark.slow]

LIST = "/p/rivers/texts/"
GERMAN = "Die Fähre fährt um neun Uhr. Am Sonntag fährt sie um zehn, weil der Hafenmeister im Chor singt."


@pytest.fixture
def client(client, researcher):
    client.force_login(researcher)
    return client


@pytest.fixture
def text(project) -> Text:
    items = [
        item_row(id="q1", generator="Ada"),
        item_row(id="q2", generator="Bob", question="When?", metadata={"flaw": "x"}),
    ]
    load(project, text_row(items, id="t1", title="Ferry"), text_row([], text=GERMAN, language="de", id="t2"))
    return Text.objects.get(external_id="t1")


def names_of_texts(page) -> list[str]:
    return [row.record.external_id for row in page.context["table"].page.object_list]


def test_an_empty_project_leads_to_the_ways_to_add_texts(client, project):
    assert reverse("text_new", args=["rivers"]) in client.get(LIST).content.decode()


def test_a_viewer_of_an_empty_project_is_told_who_can(as_user, viewer):
    page = as_user(viewer).get(LIST).content.decode()
    assert "A researcher of the project can" in page
    assert reverse("text_new", args=["rivers"]) not in page


def test_the_list_says_what_each_text_has(client, text):
    page = client.get(LIST).content.decode()
    assert "Ada:\N{NO-BREAK SPACE}1, Bob:\N{NO-BREAK SPACE}1" in page
    assert "Die Fähre fährt um neun Uhr." in page
    assert f'<td class="num" data-name="Words">{len(BODY.split())}</td>' in page


@pytest.mark.parametrize(
    ("query", "ids"),
    [
        ("", ["t1", "t2"]),
        ("q=FERRY", ["t1"]),
        ("q=harbour+master", ["t1"]),
        ("q=When", ["t1"]),
        ("q=t2", ["t2"]),
        ("language=de", ["t2"]),
        ("language=de&q=harbour", []),
        ("language=xx", ["t1", "t2"]),
        ("q=%00", ["t1", "t2"]),
        ("generator=Ada", ["t1"]),
        ("flag=no-items", ["t2"]),
        ("flag=no-key", []),
        ("flag=to-repair", []),
        ("page=99&sort=nonsense", ["t1", "t2"]),
    ],
)
def test_the_list_can_be_searched_and_filtered(client, text, query, ids):
    assert names_of_texts(client.get(f"{LIST}?{query}")) == ids


def test_flags_name_items_without_a_key_and_items_to_repair(client, text):
    item = Item.objects.get(external_id="q1")
    item.options.update(correct=False)
    IncompleteItem.objects.create(generator=item.generator, text=text, external_id="x", raw="?")
    IncompleteItem.objects.create(generator=item.generator, text=text, external_id="y", raw="?", state="discarded")
    assert (
        names_of_texts(client.get(f"{LIST}?flag=no-key"))
        == names_of_texts(client.get(f"{LIST}?flag=to-repair"))
        == ["t1"]
    )
    assert client.get(LIST).context["n_repair"] == 1


def test_chosen_texts_are_those_that_items_are_generated_for(client, text):
    page = client.get(reverse("generation_new", args=["rivers"]), {"texts": [text.pk]})
    assert page.context["form"]["texts"].value() == [str(text.pk)]


def test_chosen_texts_are_archived_together_and_put_back_at_once(client, text):
    act, every = reverse("texts_act", args=["rivers"]), list(Text.objects.values_list("pk", flat=True))
    page = client.post(act, {"archive": "yes", "texts": every}, follow=True)
    assert page.context["archived"] == list(Text.objects.filter(pk__in=every))
    assert client.get(LIST).context["table"].page.paginator.count == 0
    client.post(act, {"restore": "yes", "texts": every})
    assert names_of_texts(client.get(LIST)) == ["t1", "t2"]


def test_chosen_texts_are_deleted_once_their_number_is_typed(client, text):
    act, every = reverse("texts_act", args=["rivers"]), list(Text.objects.values_list("pk", flat=True))
    asked = client.post(act, {"delete": "yes", "texts": every})
    assert (asked.context["typed"], bool(asked.context["going"])) == (len(every), True)
    refused = client.post(act, {"delete": "yes", "texts": every, "confirmed": "1"})
    assert refused.context["problem"]
    assert Text.objects.count() == len(every)
    client.post(act, {"delete": "yes", "texts": every, "confirmed": str(len(every))})
    assert (Text.objects.count(), Item.objects.count()) == (0, 0)


def test_texts_of_other_projects_are_not_archived(client, project, text):
    other = make_text(Project.objects.create(slug="hills", title="Hills"), "h1")
    for act in ({"archive": "yes"}, {"delete": "yes", "confirmed": "1"}):
        client.post(reverse("texts_act", args=["rivers"]), act | {"texts": [other.pk, "9" * 30, "x"]})
    other.refresh_from_db()
    assert other.archived_at is None


def test_a_search_does_not_find_old_versions(client, text, project):
    load(
        project,
        text_row([item_row(id="q2", question="Where?", generator="Bob")], id="t1", text="Entirely new."),
        update=True,
    )
    assert names_of_texts(client.get(f"{LIST}?q=nine")) == []
    assert names_of_texts(client.get(f"{LIST}?q=When")) == []
    assert names_of_texts(client.get(LIST)) == ["t1", "t2"]


def test_the_list_has_pages(client, project):
    load(project, *[text_row([], id=f"t{number}", text=f"{BODY} {number}") for number in range(51)])
    assert len(names_of_texts(client.get(LIST))) == 50
    assert len(names_of_texts(client.get(f"{LIST}?page=2"))) == 1


def test_a_text_shows_its_items_side_by_side_by_generator(client, text):
    page = client.get(reverse("text", args=["rivers", text.pk]))
    assert [column.generator.name for column in page.context["columns"]] == ["Ada", "Bob"]
    assert [len(column.items) for column in page.context["columns"]] == [1, 1]


def test_words_of_the_bank_carry_their_language_and_are_not_translated(client, text):
    page = client.get(reverse("text", args=["rivers", text.pk])).content.decode()
    assert '<div class="reading" lang="en" dir="auto" translate="no">' in page
    assert '<h3 lang="en" dir="auto" translate="no">When?</h3>' in page
    assert '<span lang="en" dir="auto" translate="no">The tide is low.</span>' in page


def test_words_are_counted_in_every_script(client, project):
    load(project, text_row([], text="东京是日本的首都。", language="zh", id="t3"))
    page = client.get(reverse("text", args=["rivers", Text.objects.get(external_id="t3").pk])).content.decode()
    assert ", 4 words" in page


def test_keys_are_told_by_a_word(client, text):
    page = client.get(reverse("text", args=["rivers", text.pk])).content.decode()
    assert page.count('<span class="visually-hidden">key</span>') == 2


def test_a_viewer_sees_no_way_to_edit(as_user, viewer, text):
    page = as_user(viewer).get(reverse("text", args=["rivers", text.pk])).content.decode()
    assert "The tide is low." in page
    assert "/edit/" not in page
    assert "/key/" not in page


def test_an_old_version_is_named_and_leads_to_the_current_one(client, text, project):
    load(project, text_row([], id="t1", text="Entirely new."), update=True)
    new = Text.objects.current().get(external_id="t1")
    page = client.get(reverse("text", args=["rivers", text.pk])).content.decode()
    assert "older version 1" in page
    assert reverse("text", args=["rivers", new.pk]) in page
    assert "harbour master" in page
    assert client.get(reverse("text_edit", args=["rivers", text.pk])).url == reverse(
        "text_edit", args=["rivers", new.pk]
    )


def test_an_edited_text_keeps_what_the_form_does_not_ask(client, project):
    load(project, text_row(id="t1", metadata={"split": "test", "extra": {"page": 7}}))
    old = Text.objects.get()
    fields = {"title": "New", "body": BODY, "language": "en", "shareable": "on"}
    page = client.post(reverse("text_edit", args=["rivers", old.pk]), fields, follow=True)
    new = Text.objects.current().get()
    assert (new.version, new.title, new.metadata) == (2, "New", {"split": "test", "extra": {"page": 7}})
    assert "Version 2 was saved" in page.content.decode()
    assert Item.objects.current().get().text == new


def test_saving_a_text_unchanged_makes_no_version(client, text):
    fields = {"title": "Ferry", "body": BODY, "language": "en", "shareable": "on"}
    page = client.post(reverse("text_edit", args=["rivers", text.pk]), fields, follow=True)
    assert "no new version" in page.content.decode()
    assert Text.objects.filter(external_id="t1").count() == 1


def test_an_edit_of_an_old_version_is_refused_and_keeps_what_was_typed(client, text, project):
    load(project, text_row([], id="t1", text="Entirely new."), update=True)
    fields = {"title": "Ferry", "body": "What I typed.", "language": "en", "shareable": "on"}
    page = client.post(reverse("text_edit", args=["rivers", text.pk]), fields).content.decode()
    assert "Someone else has saved" in page
    assert "What I typed." in page


def test_archived_texts_are_listed_where_they_are_asked_for(client, text):
    client.post(reverse("text_archive", args=[text.pk]))
    assert names_of_texts(client.get(LIST)) == ["t2"]
    assert names_of_texts(client.get(f"{LIST}?flag=archived")) == ["t1"]


def test_versions_are_added_shown_side_by_side_and_removed(client, text):
    url = reverse("text_edit", args=["rivers", text.pk])
    form = client.get(url).context["form"]
    sent = {name: form[name].value() or "" for name in form.fields} | {"versions-TOTAL_FORMS": 1}
    sent |= {"versions-INITIAL_FORMS": 0, "shareable": "on", "versions-0-text": "It goes."}
    assert client.post(url, sent).context["rows"].errors[0].keys() == {"name"}
    page = client.post(url, sent | {"versions-0-name": "simple"}, follow=True)
    new = page.context["text"]
    assert new.versions == [{"name": "simple", "text": "It goes."}]
    assert page.content.decode().count('class="reading"') == 2
    changed = {"versions-0-name": "simple", "versions-0-text": "", "versions-INITIAL_FORMS": 1}
    page = client.post(reverse("text_edit", args=["rivers", new.pk]), sent | changed, follow=True)
    assert page.context["text"].versions == []
