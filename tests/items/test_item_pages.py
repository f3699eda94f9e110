"""The forms of items, keys and generators."""

import pytest
from django.urls import reverse

from items.models import Generator, GeneratorKind, Item, KeyCorrection, Text
from tests.items.files import OPTIONS, STEM, item_row, load, text_row

pytestmark = pytest.mark.django_db


@pytest.fixture
def client(client, researcher):
    client.force_login(researcher)
    return client


@pytest.fixture
def item(project) -> Item:
    load(project, text_row([item_row(id="q1", generator="Ada", multiple=False, metadata={"flaw": "x"})], id="t1"))
    return Item.objects.get()


def form(options: list[tuple[str, str, bool]], **fields) -> dict:
    """What a browser sends: (id, words, key) for each row."""
    data = {"stem": STEM, "generator": "Ada", "options-TOTAL_FORMS": len(options), "options-INITIAL_FORMS": 0}
    for row, (name, text, correct) in enumerate(options):
        data |= {f"options-{row}-external_id": name, f"options-{row}-text": text}
        data |= {f"options-{row}-correct": "on"} if correct else {}
    return data | fields


KNOWN = [("a", *OPTIONS[0]), ("b", *OPTIONS[1])]


def new_url(item: Item) -> str:
    return reverse("item_new", args=["rivers", item.text_id])


def edit_url(item: Item) -> str:
    return reverse("item_edit", args=["rivers", item.pk])


def test_an_item_can_be_added_with_a_new_generator(client, item):
    rows = [("", "yes", True), ("", "", False), ("", "no", False)]
    page = client.post(new_url(item), form(rows, stem="Really?", generator="Bob", external_id="q9"), follow=True)
    new = Item.objects.get(external_id="q9")
    assert (new.stem, new.generator.name, new.text) == ("Really?", "Bob", item.text)
    assert list(new.options.values_list("external_id", "text", "correct")) == [("a", "yes", True), ("b", "no", False)]
    assert page.redirect_chain[0][0] == reverse("text", args=["rivers", item.text_id])


def test_an_author_goes_on_with_the_same_text_or_the_next_one_without_own_items(client, item):
    load(item.project, text_row([item_row(id="q2", generator="Ada")], id="t2", text="Two."))
    load(item.project, text_row([], id="t3", text="Three."))
    load(item.project, text_row([], id="t4", text="Lau.", language="eu"))
    texts = {text.external_id: text for text in Text.objects.all()}

    def save(text: str, **button) -> str:
        url = reverse("item_new", args=["rivers", texts[text].pk])
        return client.post(url, form([("", "yes", True)], stem="Why?", **button)).url

    def form_of(text: str) -> str:
        return reverse("item_new", args=["rivers", texts[text].pk]) + "?generator=Ada"

    assert b'name="next" value="yes"' in client.get(form_of("t1")).content
    assert b'value="Ada"' in client.get(form_of("t1")).content
    assert save("t1", another="yes") == form_of("t1")
    assert save("t1", next="yes") == form_of("t3")
    assert save("t3", next="yes") == reverse("text", args=["rivers", texts["t3"].pk])
    assert b'name="next" value="yes"' not in client.get(form_of("t1")).content


def test_an_item_without_options_is_an_open_question(client, item):
    client.post(new_url(item), form([("", "", False)], expected_answer="He sings.", external_id="q9"))
    assert Item.objects.get(external_id="q9").options.count() == 0


@pytest.mark.parametrize(("is_key", "warned"), [(False, True), (True, False)])
def test_an_item_without_a_key_is_stored_with_a_warning(client, item, is_key, warned):
    page = client.post(new_url(item), form([("", "one", is_key), ("", "two", False)], external_id="q9"), follow=True)
    assert Item.objects.get(external_id="q9").options.count() == 2
    levels = [message.level_tag for message in page.context["messages"]]
    assert ("warning" in levels) is warned


def test_equal_options_are_stored_with_a_warning(client, item):
    page = client.post(new_url(item), form([("", "same", True), ("", "same", False)]), follow=True)
    assert "options of this item are equal" in page.content.decode()
    assert Item.objects.count() == 2


@pytest.mark.parametrize(
    ("options", "fields", "words"),
    [
        ([], {"stem": " "}, "This field is required"),
        ([], {"generator": ""}, "This field is required"),
        ([], {"external_id": "q1"}, "This id is already"),
        ([("", "x" * 2001, False)], {}, "at most 2000 characters"),
        ([("", "", True)], {}, "Enter the option, or clear its key"),
        ([("", str(n), False) for n in range(21)], {}, "at most 20 forms"),
        ([], {"options-TOTAL_FORMS": "many"}, "ManagementForm data is missing"),
    ],
)
def test_a_bad_item_is_refused_on_the_form(client, item, options, fields, words):
    page = client.post(new_url(item), form(options, **fields)).content.decode()
    assert words in page
    assert Item.objects.count() == 1


def test_more_rows_come_without_javascript_and_keep_what_was_typed(client, item):
    page = client.post(new_url(item), form([("", "yes", True)], stem="", more="1"))
    html = page.content.decode()
    assert len(page.context["rows"].forms) == 5
    assert ">\nyes</textarea>" in html
    assert "This field is required" not in html
    assert Item.objects.count() == 1


def test_an_edit_is_a_new_version_and_says_so(client, item):
    assert "running studies keep the old one" in client.get(edit_url(item)).content.decode()
    page = client.post(edit_url(item), form(KNOWN, stem="Why so late?"), follow=True)
    new = Item.objects.current().get()
    assert (new.version, new.stem, new.multiple, new.metadata) == (2, "Why so late?", False, {"flaw": "x"})
    assert "saved as version 2" in page.content.decode()


def test_an_option_loses_its_row_but_others_keep_their_ids(client, item):
    client.post(edit_url(item), form([("a", "", False), ("b", *OPTIONS[1])]))
    assert list(Item.objects.current().get().options.values_list("external_id", flat=True)) == ["b"]


def test_an_option_id_that_the_item_does_not_have_is_not_believed(client, item):
    client.post(edit_url(item), form([*KNOWN, ("z\x1b", "new", False)]))
    assert list(Item.objects.current().get().options.values_list("external_id", flat=True)) == ["a", "b", "c"]


def test_a_changed_key_needs_a_reason(client, item):
    rows = [("a", OPTIONS[0][0], False), ("b", OPTIONS[1][0], True)]
    assert "Enter the reason" in client.post(edit_url(item), form(rows)).content.decode()
    client.post(edit_url(item), form(rows, reason="Mixed up."))
    assert Item.objects.get().version == 1
    assert KeyCorrection.objects.count() == 2


def test_an_old_version_leads_to_the_current_one(client, item):
    client.post(edit_url(item), form(KNOWN, stem="Why so late?"))
    new = Item.objects.current().get()
    assert client.get(edit_url(item)).url == edit_url(new)
    refused = client.post(edit_url(item), form(KNOWN, stem="Third")).content.decode()
    assert "Someone else has saved a newer version" in refused


def test_a_key_is_corrected_with_a_reason(client, item, researcher):
    url = reverse("key_correct", args=["rivers", item.pk])
    assert "This field is required" in client.post(url, {"keys": ["b"]}).content.decode()
    assert not KeyCorrection.objects.exists()
    page = client.post(url, {"keys": ["b"], "reason": "Mixed up <b>."}, follow=True).content.decode()
    assert [option.correct for option in item.options.all()] == [False, True]
    assert KeyCorrection.objects.first().made_by == researcher
    assert "Mixed up &lt;b&gt;." in page


def test_the_same_keys_are_no_correction(client, item):
    url = reverse("key_correct", args=["rivers", item.pk])
    assert "The keys have" in client.post(url, {"keys": ["a"], "reason": "x"}).content.decode()
    assert "Select a valid choice" in client.post(url, {"keys": ["z"], "reason": "x"}).content.decode()


def test_a_generator_is_described_with_factors(client, item):
    url = reverse("generator_edit", args=["rivers", item.generator_id])
    fields = {
        "name": " Ada ",
        "kind": "model",
        "description": "By night.",
        "factors": "size: 7B\r\n\r\nurl: http://x\n",
    }
    client.post(url, fields)
    generator = Generator.objects.get()
    assert (generator.name, generator.kind, generator.description) == ("Ada", "model", "By night.")
    assert generator.factors == {"size": "7B", "url": "http://x"}
    assert "size: 7B" in client.get(url).content.decode()


@pytest.mark.parametrize(
    ("fields", "words"),
    [
        ({"name": "Bob"}, "has this name"),
        ({"name": "a\x07"}, "control characters"),
        ({"factors": "size"}, "name: value"),
        ({"factors": "size: 1\nsize: 2"}, "occurs twice"),
    ],
)
def test_a_bad_generator_is_refused_on_the_form(client, item, fields, words):
    Generator.objects.create(project=item.project, name="Bob")
    url = reverse("generator_edit", args=["rivers", item.generator_id])
    page = client.post(url, {"name": "Ada", "kind": "human", **fields}).content.decode()
    assert words in page
    assert Text.objects.count() == 1
    assert Generator.objects.get(pk=item.generator_id).name == "Ada"


def test_a_new_item_is_not_put_down_to_a_rule_or_a_model(project, client, item):
    def default_generator():
        return client.get(new_url(item)).context["form"].initial["generator"]

    item.generator.kind = GeneratorKind.RULE
    item.generator.save()
    assert default_generator() == "human"
    Generator.objects.create(project=project, name="teacher", kind=GeneratorKind.HUMAN)
    assert default_generator() == "teacher"
