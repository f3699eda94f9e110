"""The researcher's pages of written items, and of variants."""

import pytest
from django.urls import reverse

from evaluation.services.baselines import add_baseline
from items.models import Item
from studies.models import Review, Study
from studies.services.launching import launch_study
from studies.services.states import WrongState
from studies.services.written_items import list_written_items
from tests.factory import make_text
from tests.studies.steps import begin, send
from tests.studies.world import make_live_study, person, post

pytestmark = pytest.mark.slow


@pytest.fixture
def study(project):
    make_text(project, "t1", title="Herons")
    params = {"items_per_text": 1, "form": "multiple_choice", "options_per_item": 2}
    study = make_live_study(project, protocol="writing", params=params, groups=["teachers"])
    someone = person(study).start()
    handle = someone.shown[0][0]
    values = {"stem_1": "Where do herons sleep?", "key_1_1": "In reeds.", "distractor_1_1": "At sea."}
    someone.save(post(item=handle, **{f"{name}-{handle}": value for name, value in values.items()}))
    someone.hand_in()
    return study


def get_written_item(study):
    (found,) = list_written_items(study)
    return found


def page(client, study, name="study_written", *more, data=None):
    address = reverse(name, args=[study.slug, *more])
    return client.get(address) if data is None else client.post(address, data, follow=True)


def test_what_waits_is_shown_and_taken(as_user, researcher, study):
    client = as_user(researcher)
    assert b"1 item written by annotators waits" in client.get(reverse("study_design", args=[study.slug])).content
    content = page(client, study).content.decode()
    assert "Where do herons sleep?" in content
    assert "teachers" in content
    taken = page(client, study, "written_take", get_written_item(study).response_id, data={})
    assert "The item was added to the project as" in taken.content.decode()
    assert Item.objects.get().generator.name == "teachers"
    assert "Take<" not in page(client, study).content.decode()


def test_it_is_repaired_in_a_form_that_holds_what_was_written(as_user, researcher, study):
    client, pk = as_user(researcher), get_written_item(study).response_id
    form = page(client, study, "written_repair", pk).content.decode()
    assert "Where do herons sleep?" in form
    assert "In reeds." in form
    values = {"stem": "Where do grey herons sleep?", "expected_answer": "", "options-TOTAL_FORMS": 2}
    values |= {"options-INITIAL_FORMS": 0, "options-0-text": "In reeds.", "options-0-correct": "on"}
    page(client, study, "written_repair", pk, data=values | {"options-1-text": " "})
    assert not Item.objects.exists()
    page(client, study, "written_repair", pk, data=values | {"options-1-text": "On the sea."})
    item = Item.objects.get()
    assert (item.stem, item.metadata["repaired"]) == ("Where do grey herons sleep?", True)
    assert Review.objects.get().reviewed_by == researcher


def test_it_is_rejected_with_a_reason(as_user, researcher, study):
    page(
        as_user(researcher), study, "written_reject", get_written_item(study).response_id, data={"reason": "Too easy."}
    )
    assert (Review.objects.get().verdict, Review.objects.get().reason) == ("rejected", "Too easy.")
    assert not Item.objects.exists()


def test_the_results_page_shows_counts_and_items(as_user, researcher, study):
    content = as_user(researcher).get(reverse("results_details", args=[study.slug])).content.decode()
    assert "What was written" in content
    assert "Where do herons sleep?" in content


def test_a_draft_is_made_and_edited_with_its_variants(as_user, researcher, project):
    make_text(project, "t1")
    client = as_user(researcher)
    made = begin(client, project.slug, title="Writers", protocol="writing")
    assert 'name="generators"' not in client.get(made.url).content.decode()
    variants = "- {name: three}\n- {name: one, params: {items_per_text: 1}}"
    for changes in ({"variants": variants, "annotators": "2"}, {}):
        send(client, "writers", "people", **changes)
        study = Study.objects.get()
        assert list(study.variants.values_list("name", "params__items_per_text")) == [("three", 3), ("one", 1)]
    wrong = send(client, "writers", "people", variants="name: three")
    assert "starting with a hyphen" in wrong.content.decode()
    launch_study(study)
    assert "Questions per text: 1" in client.get(reverse("study_design", args=["writers"])).content.decode()


def test_a_preview_of_a_variant_opens_its_page(as_user, researcher, project):
    make_text(project, "t1")
    from tests.studies.world import draft_study

    variants = [{"name": "three"}, {"name": "one", "params": {"items_per_text": 1}}]
    study = draft_study(project, protocol="writing", variants=variants)
    response = as_user(researcher).post(reverse("study_preview", args=[study.slug]), {"variant": "one"})
    assert study.annotators.get().variant.name == "one"
    assert response.status_code == 302


@pytest.mark.parametrize("method", ["majority", "exact"])
def test_no_baseline_writes(study, method):
    with pytest.raises(WrongState, match="options"):
        add_baseline(study, method)


def test_the_pages_of_evaluators_and_annotators_open(as_user, researcher, study):
    client = as_user(researcher)
    for name in ("study_evaluators", "study_annotators", "study_results"):
        assert page(client, study, name).status_code == 200
