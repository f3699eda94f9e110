"""The page on which many items are coded: what it lists, sets, takes back and undoes, and for whom."""

import pytest
from bs4 import BeautifulSoup
from django.urls import reverse

from analysis.items.coding_acts import remove_code, set_code
from analysis.models import ItemCode
from tests.factory import make_text

ADDRESS = "/s/tiny/coding/"


@pytest.fixture
def page(as_user, reviewer, two_annotators):
    """A function that gives the page as a reviewer sees it."""

    def show(**asked):
        response = as_user(reviewer).get(ADDRESS, asked)
        assert response.status_code == 200
        return BeautifulSoup(response.content.decode(), "html.parser")

    return show


@pytest.fixture
def post(as_user, reviewer, two_annotators):
    """A function that posts as a reviewer; items by their rows."""

    def send(items=(), script=False, **fields):
        headers = {"X-Requested-With": "fetch"} if script else {}
        here = [item.pk for item in items]
        return as_user(reviewer).post(ADDRESS, {"items": here, "here": here, **fields}, headers=headers)

    return send


def standing(study):
    return set(ItemCode.objects.current().filter(study=study).values_list("item__external_id", "code"))


def names_of_items(page):
    return [row.select_one("p a").text for row in page.select("[data-item]")]


def test_several_items_are_coded_at_once(two_annotators, items, post, reviewer):
    response = post([items["c1"], items["h2"]], code="inference")
    assert response.status_code == 302
    assert standing(two_annotators) == {("c1", "inference"), ("h2", "inference")}
    assert {code.set_by for code in ItemCode.objects.all()} == {reviewer}


def test_progress_says_how_many_items_have_a_type(items, page, post):
    post([items["c1"], items["h2"], items["c2"]], code="literal")
    kinds = {li.a.text: li.get_text(" ", strip=True) for li in page().select(".coding-kinds li")}
    assert "3/4" in kinds["Type of question"]
    assert "0/4" in kinds["What it asks about"]


def test_another_type_takes_the_place_of_the_first(two_annotators, items, post):
    post([items["c1"]], code="literal")
    post([items["c1"]], code="inference")
    assert standing(two_annotators) == {("c1", "inference")}
    assert ItemCode.objects.exclude(removed_at=None).get().code == "literal"


def test_findings_stand_beside_each_other(two_annotators, items, post):
    post([items["c1"]], code="wrong_key")
    post([items["c1"]], code="unclear_option")
    assert len(standing(two_annotators)) == 2


def test_a_code_is_taken_back_from_all_selected_items(two_annotators, items, post):
    post([items["c1"], items["h1"]], code="widely_known")
    post([items["c1"], items["h1"], items["c2"]], code="widely_known", take_back="1")
    assert not standing(two_annotators)


def test_undo_gives_back_what_the_step_replaced(two_annotators, items, post, page, reviewer, owner):
    set_code(two_annotators, items["c1"], "literal", owner, note="Line 2.")
    post([items["c1"], items["h1"]], code="inference")
    undo = page().select_one("[data-undo]")["value"]
    post(undo=undo)
    assert standing(two_annotators) == {("c1", "literal")}
    again = ItemCode.objects.current().get()
    assert (again.set_by, again.note) == (owner, "Line 2.")
    assert "This has already been undone." in post(undo=undo).content.decode()


def test_nobody_undoes_the_step_of_somebody_else(two_annotators, items, post, page, as_user, owner):
    post([items["c1"]], code="literal")
    act = page().select_one("[data-undo]")["value"]
    client = as_user(owner)
    assert b"data-undo" not in client.get(ADDRESS).content
    client.post(ADDRESS, {"undo": act})
    assert standing(two_annotators) == {("c1", "literal")}


def test_undo_leaves_what_others_have_set_since(two_annotators, items, post, page, owner):
    post([items["c1"]], code="literal")
    post([items["c1"]], code="inference")
    undo = page().select_one("[data-undo]")["value"]
    code = ItemCode.objects.current().get()
    remove_code(code, owner)
    set_code(two_annotators, items["c1"], "vocabulary", owner)
    post(undo=undo)
    assert standing(two_annotators) == {("c1", "vocabulary")}


def test_a_category_of_ones_own_gets_a_button_with_a_key(two_annotators, items, post, page):
    post([items["c1"]], own="1", own_kind="word class", own_category="noun")
    assert standing(two_annotators) == {("c1", "word class=noun")}
    button = page(kind="word class").select_one('button[value="word class=noun"]')
    assert button["data-key"] == "1"
    assert "noun" in button.text


def test_an_own_category_needs_a_kind_that_an_item_has_one_of(items, post):
    assert (
        "Choose another name for the kind"
        in post([items["c1"]], own="1", own_kind="error", own_category="typo").content.decode()
    )


def test_the_values_of_metadata_are_offered_and_count(project, two_annotators, items, page):
    for name, value in {"c1": "why", "h1": "why", "c2": "when"}.items():
        items[name].metadata = {"asks": value}
        items[name].save()
    shown = page(kind="asks", state="uncoded")
    assert names_of_items(shown) == ["h2"]
    assert [button["value"] for button in shown.select("fieldset button")] == ["asks=when", "asks=why"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({"state": "coded"}, ["c1"]),
        ({"kind": "question_type", "state": "uncoded"}, ["h1", "c2", "h2"]),
        ({"kind": "asks_about", "state": "coded"}, []),
        ({"generator": "hurried"}, ["h1", "h2"]),
        ({"q": "T2"}, ["c2", "h2"]),
        ({"q": "does h1"}, ["h1"]),
        ({"list": "guessable_items"}, ["c1", "h2"]),
        ({"sort": "item"}, ["c1", "c2", "h1", "h2"]),
        ({"sort": "lucky", "kind": "none", "page": "9"}, ["c1", "h1", "c2", "h2"]),
    ],
)
def test_the_list_shows_what_is_asked_for(two_annotators, items, page, reviewer, asked, expected):
    set_code(two_annotators, items["c1"], "literal", reviewer)
    assert names_of_items(page(**asked)) == expected


def test_the_list_by_a_coder_has_the_items_they_coded(two_annotators, items, page, reviewer, owner):
    set_code(two_annotators, items["c1"], "literal", owner)
    set_code(two_annotators, items["h1"], "literal", reviewer)
    assert names_of_items(page(by=str(owner.pk))) == ["c1"]


def test_surest_first_is_the_order_of_the_list(items, page):
    assert names_of_items(page(sort="surest"))[-1] in {"h1", "c2"}


def test_a_script_gets_the_changed_rows_and_the_progress(items, post):
    html = post([items["c1"]], script=True, code="literal").content.decode()
    assert "Set on 1 item: literal" in html
    assert f'id="item-{items["c1"].pk}"' in html
    assert f'id="item-{items["h1"].pk}"' not in html
    assert "1/4" in html


@pytest.mark.parametrize("message", [{"code": "boring"}, {"code": "literal", "items": [987654]}, {"code": ""}])
def test_what_cannot_be_set_changes_nothing(two_annotators, items, as_user, reviewer, message):
    response = as_user(reviewer).post(ADDRESS, {"items": [items["c1"].pk]} | message)
    assert response.status_code == 200
    assert 'role="alert"' in response.content.decode()
    assert not standing(two_annotators)


def test_without_items_the_page_says_what_to_do(post):
    assert "Select the items first." in post(code="literal").content.decode()


def test_a_text_of_another_study_is_not_shown(two_annotators, project, as_user, reviewer):
    address = reverse("study_coding_text", args=["tiny", make_text(project, "t9").pk])
    assert as_user(reviewer).get(address).status_code == 404
