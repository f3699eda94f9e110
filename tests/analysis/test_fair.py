"""Fair comparisons: the same mix of items for every generator, the same texts for people and models."""

from urllib.parse import urljoin

import pytest
from bs4 import BeautifulSoup
from django.urls import reverse

from analysis.choices import Choices
from analysis.items.coding_acts import set_code
from analysis.services.reporting import build
from studies.models import Response
from tests.factory import answer, make_annotator, make_item, make_study, make_text

pytestmark = pytest.mark.slow

NAME = "informativity_standardised"


@pytest.fixture
def unbalanced_study(project):
    """Three texts. ann writes two easy items and one hard item a text, bob one and two; easy ones inform, hard do not.

    Of all 18 items half are easy. Easy: guessed half right, read all right; hard: half right both times.
    """
    items = []
    for number in (1, 2, 3):
        text = make_text(project, f"t{number}")
        for name, kinds in {"ann": ("easy", "easy", "hard"), "bob": ("easy", "hard", "hard")}.items():
            items += [
                make_item(text, name, f"{name}{number}-{place}", "TF", metadata={"kind": kind})
                for place, kind in enumerate(kinds)
            ]
    study = make_study(project, "mixed", items)
    ada = make_annotator(study, "ada")
    for item in items:
        answer(ada, "guess", item, "TT")
        answer(ada, "read", item, "TF" if item.metadata["kind"] == "easy" else "TT")
    return study


def test_generators_with_another_mix_are_equal_at_a_common_one(unbalanced_study, row):
    """Crude: ann 2/3 of .5, bob 1/3 of .5. At half easy, half hard both have .25."""
    for name, crude in (("ann", 1 / 3), ("bob", 1 / 6)):
        found = row(unbalanced_study, "informativity", generator=name, evaluator="human")
        assert found["informativity"] == pytest.approx(crude)
        assert row(unbalanced_study, NAME, generator=name, category="")["informativity"] == pytest.approx(0.25)


def test_each_category_has_its_own_informativity_and_shares(unbalanced_study, row):
    easy = row(unbalanced_study, NAME, generator="ann", category="easy")
    assert (easy["informativity"], easy["n_items"], easy["n_texts"]) == (0.5, 6, 3)
    assert (easy["share_items"], easy["share_items_common"]) == pytest.approx((2 / 3, 1 / 2))


def test_a_difference_in_mix_is_said(unbalanced_study, table):
    notes = " ".join(table(unbalanced_study, NAME).notes)
    assert "generators' items differ in kind: easy makes up .67 of the items by ann and .50 of all" in notes
    assert "hard makes up .67 of the items by bob" in notes


def test_the_interval_recomputes_the_shares_and_keeps_the_weights(unbalanced_study, row):
    """On the third text ada gets ann's hard item right with the text: without one text .25 + .5 · (0, .25 or .25)."""
    Response.objects.filter(item__external_id="ann3-2", stage="read", option__external_id="b").update(value=False)
    found = row(unbalanced_study, NAME, generator="ann", category="")
    # Hard: with the text 4/6 right, guessed 3/6: 1/6. Left out in turn: 1/4, 1/4 and 0.
    assert found["informativity"] == pytest.approx(0.25 + 0.5 / 6)
    without = [0.25 + 0.125, 0.25 + 0.125, 0.25]
    mean = sum(without) / 3
    error = (2 / 3 * sum((value - mean) ** 2 for value in without)) ** 0.5
    assert found["low"] == pytest.approx(found["informativity"] - 4.302652729696142 * error)


def test_a_generator_without_a_category_is_undefined_and_named(project, row):
    text = make_text(project, "t")
    kinds = {"ann": "easy", "bob": "hard"}
    items = [make_item(text, name, name, metadata={"kind": kind}) for name, kind in kinds.items()]
    study = make_study(project, "s", items)
    ada = make_annotator(study, "ada")
    for item in items:
        answer(ada, "guess", item, "TF")
        answer(ada, "read", item, "TF")
    found = row(study, NAME, generator="ann", category="")
    assert (found["informativity"], found["reason"]) == (None, "no answers in both stages about: hard")


def test_codes_divide_the_items_once_all_are_coded(two_annotators, items, owner, table):
    assert not table(two_annotators, NAME).rows
    assert "code what every item asks about" in table(two_annotators, NAME).notes[0]
    for name, item in items.items():
        set_code(two_annotators, item, "about_text" if name in ("c1", "h2") else "about_content", owner)
    assert {row["category"] for row in table(two_annotators, NAME).rows} == {"", "about_text", "about_content"}


def test_types_of_question_and_kinds_of_ones_own_divide_the_items_too(two_annotators, items, owner, table):
    for name, item in items.items():
        set_code(two_annotators, item, "literal" if name in ("c1", "h2") else "question_type=cloze", owner)
        set_code(two_annotators, item, "tense=past" if name in ("c1", "h1") else "tense=present", owner)
    found = {(row["category_kind"], row["category"]): row["category_said"] for row in table(two_annotators, NAME).rows}
    assert found["question_type", "cloze"] == "cloze"
    assert found["question_type", "literal"].startswith("literal: stated in one place")
    assert {("tense", "past"), ("tense", "present")} <= found.keys()


def test_a_code_completes_and_corrects_what_metadata_says(two_annotators, items, owner, table):
    for name, kind in {"c1": "easy", "h1": "hard", "c2": "hard"}.items():
        items[name].metadata = {"kind": kind}
        items[name].save()
    assert not table(two_annotators, NAME).rows
    set_code(two_annotators, items["h2"], "kind=easy", owner)
    set_code(two_annotators, items["c2"], "kind=easy", owner)
    easy = [
        row for row in table(two_annotators, NAME).rows if row["category"] == "easy" and row["generator"] == "careful"
    ]
    assert {row["n_items"] for row in easy} == {2}


def test_two_types_on_one_item_are_no_type(two_annotators, items, owner, table):
    for item in items.values():
        set_code(two_annotators, item, "literal", owner)
    set_code(two_annotators, items["c1"], "inference", owner)
    assert "No comparison by type of question: 1 of 4 items have no category" in " ".join(
        table(two_annotators, NAME).notes
    )


def test_metadata_that_names_each_item_or_only_some_is_no_kind(project, table):
    text = make_text(project, "t")
    for number in range(13):
        more = {"some": "x", "extra": {"few": "y"}} if number else {}
        make_item(text, "ann", f"i{number}", metadata={"nr": f"no {number}", "one": "same", **more})
    items = text.items.all()
    assert not table(make_study(project, "s", items), NAME).rows


@pytest.fixture
def beside_models(two_annotators, items):
    """Ada and Ben have read both texts, a model only the second, which it gets right."""
    gpt = make_annotator(two_annotators, "gpt", kind="model")
    for name in ("c2", "h2"):
        answer(gpt, "guess", items[name], "FF")
        answer(gpt, "read", items[name], "TF")
    return two_annotators


def test_on_shared_texts_people_stand_on_the_models_texts(beside_models, row):
    shared = {"shared_texts": True}
    where = {"generator": "careful", "evaluator": "human"}
    assert row(beside_models, "informativity", **where)["n_texts"] == 2
    found = row(beside_models, "informativity", shared, **where)
    # c2: Ben guessed 1 of 2; read by Ada 2 of 2, by Ben 1 of 2.
    assert (found["guessability"], found["answerability"], found["n_texts"]) == (1 / 2, 3 / 4, 1)


def test_every_table_says_that_texts_are_shared(beside_models):
    report = build(beside_models, Choices(shared_texts=True))
    note = "Only texts that people and all models answered: 1 text."
    assert all(note in table.notes for table in report.tables)


def test_the_switch_is_there_where_people_and_models_are(two_annotators, items, as_user, viewer):
    client, address = as_user(viewer), reverse("results_details", args=["tiny"])
    assert 'name="texts"' not in client.get(address).content.decode()
    answer(make_annotator(two_annotators, "gpt", kind="model"), "read", items["c2"], "TF")
    html = client.get(address, {"asked": 1, "texts": "shared"}).content.decode()
    assert "Only texts that people and all models answered: 1 text." in html
    assert "texts=shared" in html


@pytest.fixture
def beside_two_models(two_annotators, items):
    for name in ("gpt", "llama"):
        answer(make_annotator(two_annotators, name, kind="model"), "read", items["c2"], "TF")
    return two_annotators


@pytest.mark.parametrize(
    ("chosen", "listed"),
    [
        ({}, {"human", "gpt", "llama"}),
        ({"asked": 1, "evaluators": ["human", "gpt"]}, {"human", "gpt"}),
        ({"as": "n", "evaluators": ["llama"]}, {"llama"}),
        ({"asked": 1, "evaluators": ["nobody"]}, {"human", "gpt", "llama"}),
    ],
)
def test_only_chosen_evaluators_have_rows(beside_two_models, as_user, viewer, chosen, listed):
    address = reverse("study_table_file", args=["tiny", "informativity", "json"])
    assert {row["evaluator"] for row in as_user(viewer).get(address, chosen).json()["rows"]} == listed


def test_the_page_says_which_evaluators_were_chosen_and_its_links_keep_them(beside_two_models, as_user, reviewer):
    chosen = {"asked": 1, "evaluators": ["human", "gpt"]}
    response = as_user(reviewer).get(reverse("results_details", args=["tiny"]), chosen)
    page = BeautifulSoup(response.content.decode(), "html.parser")
    assert "only the rows of people and gpt" in page.select_one(".counting summary").get_text()
    ticked = [box["value"] for box in page.select('[name="evaluators"][checked]')]
    assert ticked == ["human", "gpt"]
    address = reverse("study_table_page", args=["tiny", "informativity"])
    html = as_user(reviewer).get(address, chosen).content.decode()
    behind = [link["href"] for link in BeautifulSoup(html, "html.parser").select("main td a[href*=number]")]
    assert behind
    assert all("evaluators=human&evaluators=gpt" in href for href in behind)
    assert as_user(reviewer).get(urljoin(address, behind[0])).status_code == 200


def test_every_choice_has_a_control_on_the_page(beside_two_models, as_user, viewer):
    response = as_user(viewer).get(reverse("results_details", args=["tiny"]))
    page = BeautifulSoup(response.content.decode(), "html.parser")
    assert {each["name"] for each in page.select(".controls [name]")} == {*response.context["form"].fields}


def page_of(as_user, user, study, name="results_items"):
    response = as_user(user).get(reverse(name, args=[study.slug]))
    return BeautifulSoup(response.content.decode(), "html.parser")


def test_a_difference_in_mix_is_among_the_first_words(unbalanced_study):
    sentences = build(unbalanced_study, Choices(seed=7)).sentences
    assert any("generators' items differ in" in sentence for sentence in sentences)


def test_a_generator_that_lacks_a_kind_differs_in_mix_too(project, table):
    """Of cat's items .4 are easy as of all .5, of ann's and bob's .55: only cat is .1 away, by having less."""
    texts = [make_text(project, f"t{number}") for number in range(20)]
    shares = {"ann": 11, "bob": 11, "cat": 8}
    items = [
        make_item(text, name, f"{name}{number}", metadata={"kind": "easy" if number < easy else "hard"})
        for name, easy in shares.items()
        for number, text in enumerate(texts)
    ]
    notes = " ".join(table(make_study(project, "less", items), NAME).notes)
    assert "hard makes up .60 of the items by cat and .50 of all" in notes
    assert "ann" not in notes


def test_codes_are_told_in_words_and_the_way_to_set_them_is_shown(
    two_annotators, items, owner, reviewer, viewer, as_user
):
    set_code(two_annotators, items["c1"], "about_text", owner)
    page = page_of(as_user, reviewer, two_annotators)
    assert "What it asks about 1 of 4" in page.select_one("#kinds").get_text(" ", strip=True)
    assert page.select_one("#kinds a")["href"] == "/s/tiny/coding/?kind=asks_about&state=uncoded"
    assert not page_of(as_user, viewer, two_annotators).select("#kinds a")
    assert "3 of 4 items have no category" in " ".join(build(two_annotators, Choices()).table(NAME).notes)
    for name in ("h1", "c2", "h2"):
        set_code(two_annotators, items[name], "about_content", owner)
    details = page_of(as_user, reviewer, two_annotators, "results_details")
    assert "asks about what the text reports" in details.get_text()
    assert "about_content" not in details.get_text()
    page = page_of(as_user, reviewer, two_annotators)
    assert "What it asks about 4 of 4" in page.select_one("#kinds").get_text(" ", strip=True)


def test_metadata_that_some_items_lack_is_named_with_how_many(project, table):
    text = make_text(project, "t")
    for number in range(4):
        make_item(text, "ann", f"i{number}", metadata={"kind": "ab"[number % 2]} if number else {})
    notes = " ".join(table(make_study(project, "s", text.items.all()), NAME).notes)
    assert "No comparison by kind: 1 of 4 items have no category." in notes
