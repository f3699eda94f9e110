"""Generating by page, and the review of what is no whole item."""

import pytest
from bs4 import BeautifulSoup
from django.urls import reverse

from generation import views
from generation.models import IncompleteItem, IncompleteState
from generation.services.asking import GenerationSpec, start
from items.models import Item
from items.services.editing import edit_text
from items.values import get_text_values
from llm.models import Endpoint, Run
from llm.services.draining import drain_here
from projects.models import Project
from tests.factory import make_item, make_text
from tests.generation.words import BODY, WHOLE

pytestmark = pytest.mark.django_db
NEW, LIST = "/p/rivers/generate/", "/p/rivers/incomplete/"
ENTRIES = {"writer": "cloze", "n_items": 3, "n_options": 3, "budget": ""}


@pytest.fixture
def model(db):
    return Endpoint.objects.create(name="mock", base_url="http://127.0.0.1:9/v1", model="m-1", price_in=1, price_out=2)


@pytest.fixture
def incomplete(project, piano, serve_model, endpoint) -> IncompleteItem:
    """One of three items lacks a mark."""
    server = serve_model(WHOLE.replace("(richtig)", "", 1).replace("jeden Morgen", "<b>jeden</b> Morgen"))
    drain_here(start(project, GenerationSpec(endpoint(server), [piano])))
    return IncompleteItem.objects.get()


def soup(response) -> BeautifulSoup:
    return BeautifulSoup(response.content, "html.parser")


def options_of(page: BeautifulSoup) -> dict[str, str]:
    """What the form of a page would send."""
    form = page.select_one("form.form-side")
    sent = {field["name"]: field.get("value", "") for field in form.select("input[name]:not([type=checkbox])")}
    sent |= {field["name"]: field.get_text().removeprefix("\n") for field in form.select("textarea[name]")}
    ticked = {field["name"]: "on" for field in form.select("input[type=checkbox][checked]")}
    return {name: value for name, value in (sent | ticked).items() if "__prefix__" not in name}


def test_rules_write_at_once(as_user, researcher, project, piano):
    piano.body = BODY
    piano.save()
    response = as_user(researcher).post(NEW, ENTRIES, follow=True)
    assert "Items written: 3; already in the project: 0; missing: 0." in soup(response).get_text()
    assert Item.objects.count() == 3


def test_of_a_model_the_estimate_comes_first_and_stores_nothing(as_user, researcher, piano, model):
    page = soup(as_user(researcher).post(NEW, ENTRIES | {"writer": model.pk}))
    assert "1 call, 0 of them answered before" in page.select_one(".note[role=status]").get_text()
    assert page.select_one("button.primary").get_text() == "Start"
    assert not Run.objects.exists()


def test_start_with_the_same_entries_starts_the_run(as_user, researcher, project, piano, model):
    client = as_user(researcher)
    entries = ENTRIES | {"writer": model.pk, "budget": "5", "on_unknown": "hold"}
    seen = soup(client.post(NEW, entries)).select_one("input[name=seen]")["value"]
    response = client.post(NEW, entries | {"seen": seen})
    run = Run.objects.get()
    assert response["Location"] == reverse("run", args=[run.pk])
    assert (run.kind, run.started_by, run.params["texts"]) == ("generation", researcher, [piano.pk])
    assert (run.budget_nanos, run.on_unknown) == (5 * 10**9, "hold")


def test_other_entries_than_those_estimated_are_estimated_again(as_user, researcher, piano, model):
    client, entries = as_user(researcher), ENTRIES | {"writer": model.pk}
    seen = soup(client.post(NEW, entries)).select_one("input[name=seen]")["value"]
    assert client.post(NEW, entries | {"seen": seen, "n_items": 4}).status_code == 200
    assert not Run.objects.exists()


@pytest.mark.parametrize(
    ("entries", "message"),
    [
        ({"n_options": 1}, "2 to 20 options"),
        ({"n_items": 99}, "less than or equal to 20"),
        ({"writer": "nobody"}, "Select a valid choice"),
        ({"texts": "0"}, "Select a valid choice"),
    ],
)
def test_what_cannot_be_is_said_on_the_form(as_user, researcher, piano, entries, message):
    assert message in soup(as_user(researcher).post(NEW, ENTRIES | entries)).get_text()
    assert not Item.objects.exists()


def test_open_questions_of_a_model_are_asked_for_from_the_text_alone(as_user, researcher, piano, model):
    client, entries = as_user(researcher), ENTRIES | {"writer": model.pk, "n_options": 0}
    seen = soup(client.post(NEW, entries)).select_one("input[name=seen]")["value"]
    client.post(NEW, entries | {"seen": seen})
    assert Run.objects.get().generator_run.generator.name.endswith(" · generate-open-questions")


def test_more_texts_than_a_page_can_wait_for_are_for_the_command(as_user, researcher, piano, monkeypatch):
    monkeypatch.setattr(views, "MOST_BY_RULE", 0)
    assert "generate_items --project rivers" in soup(as_user(researcher).post(NEW, ENTRIES)).get_text()


def test_an_incomplete_item_of_another_project_is_not_found(as_user, stranger, incomplete):
    client = as_user(stranger)
    assert client.get(f"/p/mountains/incomplete/{incomplete.pk}/").status_code == 404
    assert client.post(f"/p/mountains/incomplete/{incomplete.pk}/discard/").status_code == 404


def test_the_review_shows_reason_raw_text_and_parts_and_nothing_of_it_as_markup(as_user, researcher, incomplete):
    page = soup(as_user(researcher).get(LIST))
    card = page.select_one("article.incomplete")
    assert "option whether it is correct" in card.select_one(".reasons").get_text()
    assert "a) jeden Abend um sieben Uhr" in card.select_one("pre").get_text()
    assert [badge.get_text() for badge in card.select("li .badge")] == ["?", "incorrect", "incorrect"]
    assert not card.select("li b")
    assert "<b>jeden</b> Morgen" in card.get_text()


def test_repaired_it_becomes_an_item_of_the_model(as_user, researcher, incomplete):
    client, url = as_user(researcher), f"{LIST}{incomplete.pk}/"
    entries = options_of(soup(client.get(url))) | {"options-0-correct": "on"}
    assert client.post(url, entries)["Location"] == LIST
    item = Item.objects.get(external_id="piano-mock-1")
    assert (item.generator.name, item.metadata) == ("mock", {"repaired": True})
    assert list(item.options.values_list("correct", flat=True)) == [True, False, False]
    incomplete.refresh_from_db()
    assert (incomplete.state, incomplete.item) == (IncompleteState.REPAIRED, item)
    assert not soup(client.get(LIST)).select("article")


def test_what_is_still_not_whole_is_not_stored(as_user, researcher, incomplete):
    client, url = as_user(researcher), f"{LIST}{incomplete.pk}/"
    entries = options_of(soup(client.get(url)))
    equal = client.post(url, entries | {"options-1-text": entries["options-0-text"]})
    assert "Two options are equal" in soup(equal).get_text()
    few = client.post(url, entries | {"options-1-text": "", "options-2-text": ""})
    assert "An item needs at least two options" in soup(few).get_text()
    assert not Item.objects.filter(external_id="piano-mock-1").exists()


def test_more_options_keep_what_was_typed(as_user, researcher, incomplete):
    client, url = as_user(researcher), f"{LIST}{incomplete.pk}/"
    entries = options_of(soup(client.get(url))) | {"stem": "Neu?", "more": "1"}
    again = options_of(soup(client.post(url, entries)))
    assert again["stem"] == "Neu?"
    assert int(again["options-TOTAL_FORMS"]) > int(entries["options-TOTAL_FORMS"])


def test_repaired_after_an_edit_it_belongs_to_the_newest_version(as_user, researcher, incomplete, piano):
    values = get_text_values(piano)
    new = edit_text(piano, type(values)(**{**vars(values), "title": "Ein neuer Titel"}))
    client, url = as_user(researcher), f"{LIST}{incomplete.pk}/"
    client.post(url, options_of(soup(client.get(url))) | {"options-0-correct": "on"})
    assert Item.objects.get(external_id="piano-mock-1").text == new


def test_discarded_it_is_kept_counted_and_not_shown(as_user, researcher, incomplete):
    client = as_user(researcher)
    page = soup(client.post(f"{LIST}{incomplete.pk}/discard/", follow=True))
    assert "Repaired so far: 0; discarded: 1." in page.get_text()
    assert not page.select("article")
    client.post(f"{LIST}{incomplete.pk}/", {"stem": "x"})
    incomplete.refresh_from_db()
    assert incomplete.state == IncompleteState.DISCARDED


def test_incomplete_items_are_in_no_list_of_items(as_user, researcher, incomplete):
    page = as_user(researcher).get(reverse("text", args=["rivers", incomplete.text_id])).content.decode()
    assert incomplete.stem not in page
    assert incomplete.stem not in as_user(researcher).get("/p/rivers/items.jsonl").getvalue().decode()


def test_the_list_of_texts_leads_to_incomplete_items_that_wait(as_user, researcher, incomplete, project):
    client = as_user(researcher)
    page = soup(client.get(f"/p/{project.slug}/texts/"))
    assert page.select_one(f"main a[href='{LIST}']") is not None
    IncompleteItem.objects.update(state=IncompleteState.DISCARDED)
    assert soup(client.get(f"/p/{project.slug}/texts/")).select_one(f"main a[href='{LIST}']") is None


def test_a_model_of_other_projects_is_not_offered(as_user, researcher, stranger, piano, model):
    model.projects.add(Project.objects.get(slug="mountains"))
    page = soup(as_user(researcher).get(NEW))
    assert [field["value"] for field in page.select("input[name=writer]")] == ["cloze"]
    assert "No model has been added yet" in page.get_text()


@pytest.mark.parametrize("entries", [{"examples": "3"}, {"are_candidates": "on"}, {"label": "mine"}], ids=str)
def test_what_is_for_models_only_is_refused_for_rules(as_user, researcher, piano, entries):
    assert "This field applies to models" in soup(as_user(researcher).post(NEW, ENTRIES | entries)).get_text()
    assert not Item.objects.exists()


def test_a_seed_draws_open_questions_by_rule(as_user, researcher, project):
    make_text(project, "long", body=BODY, language="de")
    as_user(researcher).post(NEW, ENTRIES | {"n_options": 0, "seed": "7"})
    assert {item.metadata["seed"] for item in Item.objects.all()} == {7}


def test_a_page_asks_for_examples_candidates_and_a_name_as_the_command_does(as_user, researcher, piano, model):
    other = make_text(piano.project, "other", body="Ein Text.", language="de")
    make_item(other, "people", "p1", "TFF")
    entries = ENTRIES | {"writer": model.pk, "instrument": "generate-items-examples", "examples": "1", "label": "Mine"}
    client, entries = as_user(researcher), entries | {"texts": [piano.pk], "are_candidates": "on"}
    seen = soup(client.post(NEW, entries)).select_one("input[name=seen]")["value"]
    client.post(NEW, entries | {"seen": seen})
    run = Run.objects.get()
    assert run.params["examples"] == {"de": [Item.objects.get(external_id="p1").pk]}
    assert run.generator_run.generator.name == "Mine"
