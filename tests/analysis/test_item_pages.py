"""The list of the item analysis and the sheet of an item: what they show, to whom, and what may be done there."""

import pytest
from django.urls import reverse

from analysis.items.coding_acts import set_code
from analysis.models import ItemCode
from evaluation.models import Metric, MetricValue
from tests.factory import answer, make_annotator

pytestmark = pytest.mark.slow


def sheet(item, slug="tiny"):
    return reverse("study_item", args=[slug, item.pk])


@pytest.fixture
def page(as_user, reviewer):
    """A function that gives a page as a reviewer sees it."""

    def show(address, user=reviewer, **asked):
        response = as_user(user).get(address, asked)
        assert response.status_code == 200
        return response.content.decode()

    return show


def test_the_sheet_shows_choices_by_stage_with_an_interval(two_annotators, items, page):
    html = page(sheet(items["c2"]))
    assert "What does c2 ask?" in html
    assert "1 of 2" in html  # who ticked b with the text
    assert ".50 [.06, .94]" in html  # one of two people has all options right; Jeffreys


def test_models_stand_beside_people_with_their_probability(two_annotators, items, page):
    gpt = make_annotator(two_annotators, "gpt", kind="model")
    answer(gpt, "guess", items["c2"], "TF", probabilities=(0.93, 0.2))
    html = page(sheet(items["c2"]))
    assert "ticked, p .93" in html
    assert "not ticked, p .20" in html


def test_ratings_metrics_and_codes_are_on_the_sheet(project, two_annotators, items, reviewer, page):
    metric = Metric.objects.create(project=project, name="LIX")
    MetricValue.objects.create(metric=metric, item=items["h2"], value=41.25)
    set_code(two_annotators, items["h2"], "wrong_key", reviewer, note="Both are right.")
    html = page(sheet(items["h2"]))
    assert "41.250" in html
    assert "Both are right." in html
    assert 'aria-label="rating"' in html


def test_reviewers_see_who_answered_and_viewers_do_not(two_annotators, items, page, viewer):
    answer(make_annotator(two_annotators, "gpt", kind="model"), "read", items["c1"], "TF")
    assert '<th scope="row">ada' in page(sheet(items["c1"]))
    html = page(sheet(items["c1"]), viewer)
    assert "ada" not in html
    assert '<th scope="row">gpt' in html
    assert "3 answers of people are not shown" in html


def test_a_superseded_answer_is_shown_as_such_and_counts_no_more(two_annotators, items, page):
    ada = two_annotators.annotators.get(code="ada")
    answer(ada, "read", items["c2"], "FF", rating=1, round=2)
    html = page(sheet(items["c2"]))
    assert "round 1, superseded" in html
    assert ".00 [.00, " in html


def test_neighbours_come_from_the_list_one_came_from(two_annotators, items, page):
    html = page(sheet(items["h1"]))
    assert sheet(items["c1"]) in html
    assert sheet(items["c2"]) in html
    html = page(sheet(items["h2"]), **{"from": "guessable_items"})
    assert "2 of 2 in: guessable items" in html
    assert sheet(items["c1"]) + "?from=guessable_items" in html


def test_a_reviewer_sets_a_code_and_takes_it_back(two_annotators, items, as_user, reviewer):
    client = as_user(reviewer)
    option = items["h2"].options.get(external_id="b")
    values = {"codes": "unclear_option", "option": option.pk, "quote": "two sentences", "note": ""}
    assert client.post(sheet(items["h2"]), values).status_code == 302
    code = ItemCode.objects.get()
    assert (code.option, code.quote, code.set_by) == (option, "two sentences", reviewer)
    assert client.post(reverse("study_item_code_remove", args=["tiny", items["h2"].pk, code.pk])).status_code == 302
    assert not ItemCode.objects.current().exists()
    assert "removed by reviewer-member" in client.get(sheet(items["h2"])).content.decode()


def test_what_cannot_be_set_is_said_beside_the_form(two_annotators, items, as_user, reviewer):
    html = as_user(reviewer).post(sheet(items["h2"]), {"codes": "wrong_key", "quote": "a volcano"}).content.decode()
    assert "This passage is not in the text" in html
    assert not ItemCode.objects.exists()


def test_viewers_set_no_codes(two_annotators, items, as_user, viewer, reviewer):
    code = set_code(two_annotators, items["h2"], "wrong_key", reviewer)
    client = as_user(viewer)
    assert client.post(sheet(items["h2"]), {"codes": "widely_known"}).status_code == 404
    assert client.post(reverse("study_item_code_remove", args=["tiny", items["h2"].pk, code.pk])).status_code == 404
    assert "Set codes" not in client.get(sheet(items["h2"])).content.decode()


def test_an_item_of_another_study_has_no_sheet_here(two_annotators, project, as_user, reviewer):
    from tests.factory import make_item, make_text

    other = make_item(make_text(project, "t9"), "careful", "c9")
    assert as_user(reviewer).get(sheet(other)).status_code == 404


def test_the_list_sorts_by_a_column_with_undefined_last(two_annotators, page):
    html = page(reverse("study_items", args=["tiny"]), stage="read", sort="share_correct")
    rows = html.split("<tbody>")[1].split("</tr>")
    assert "c2" in rows[0] or "h2" in rows[0]
    assert 'aria-sort="ascending"' in html
    assert "sort=-share_correct" in html


def test_an_unknown_column_or_page_changes_nothing(two_annotators, page):
    assert "c1" in page(reverse("study_items", args=["tiny"]), sort="lucky", page="99", stage="noon")


def test_the_results_lead_to_the_sheets(two_annotators, items, page):
    html = page(reverse("results_details", args=["tiny"]))
    assert sheet(items["c1"]) + "?" in html
    assert "from=guessable_items" in html
    assert reverse("study_items", args=["tiny"]) in html


def test_a_texts_page_leads_to_the_sheets(two_annotators, items, page):
    html = page(reverse("text", args=["rivers", items["c1"].text_id]))
    assert sheet(items["c1"]) in html


def test_a_list_says_that_the_surest_come_first_and_leads_to_their_coding(two_annotators, page, viewer):
    address = reverse("study_table_page", args=["tiny", "guessable_items"])
    html = page(address)
    assert "Most certain first." in html
    assert '/s/tiny/coding/?list=guessable_items"' in html
    assert html.count('aria-sort="descending"') == 1
    assert "?sort=certainty" in html  # a click on the sorted column turns it round
    assert "/coding/" not in page(address, viewer)


def test_the_results_say_it_too(two_annotators, page):
    assert "Most certain first." in page(reverse("results_details", args=["tiny"]))


def test_the_sheet_offers_the_categories_of_ones_own_too(two_annotators, items, reviewer, page, as_user):
    set_code(two_annotators, items["c1"], "tense=past", reviewer)
    assert 'value="tense=past"' in page(sheet(items["h2"]))
    as_user(reviewer).post(sheet(items["h2"]), {"codes": "tense=past"})
    assert items["h2"].codes.get().code == "tense=past"


def test_the_list_says_what_an_item_asks_once_however_many_rows_it_has(two_annotators, items, page):
    html = page(reverse("study_items", args=["tiny"]))
    assert html.count(f">{items['c2'].external_id}</a>") > 1
    assert html.count("What does c2 ask?") == 1
