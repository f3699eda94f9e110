"""A wording that an annotator gave can become an item, once, by whoever may write in the project."""

import pytest

from items.models import GeneratorKind
from items.services.editing import EditRefused
from studies.models import Response
from studies.services.written_items import list_rephrasals, take_rephrasal
from tests import stopping
from tests.stopping import stem
from tests.studies.world import bank
from tests.studies.world import draft_study as other_drafted

pytestmark = pytest.mark.slow


@pytest.fixture
def study(project):
    return stopping.import_study(project)


def test_the_wordings_given_are_listed_with_their_items(study):
    found = [(each.original.external_id, each.stem, each.taken) for each in list_rephrasals(study)]
    assert found == [
        ("s1-gen-birch", "Where do herons sleep?", None),
        ("s2-gen-birch", "Where do herons sleep?", None),
    ]


def test_one_becomes_an_item_by_a_human_generator_with_the_answer_that_was_given(study):
    (first, _second) = list_rephrasals(study)
    item = take_rephrasal(study, first.response_id)
    assert (item.stem, item.expected_answer) == ("Where do herons sleep?", "In the reeds.")
    assert (item.text.external_id, item.generator.name) == ("s1", "rephrased in stops")
    assert item.generator.kind == GeneratorKind.HUMAN
    assert item.metadata == {"rephrased_from": "s1-gen-birch", "study": "stops"}
    assert study.project.items.get(external_id="s1-gen-birch").stem == stem("s1-gen-birch")


def test_taken_twice_it_is_one_item(study):
    (first, second) = list_rephrasals(study)
    assert take_rephrasal(study, first.response_id) == take_rephrasal(study, first.response_id)
    assert take_rephrasal(study, second.response_id) != take_rephrasal(study, first.response_id)
    assert [each.taken is not None for each in list_rephrasals(study)] == [True, True]
    assert study.project.items.filter(generator__name="rephrased in stops").count() == 2


def test_other_answers_and_other_studies_are_no_wordings(project, study):
    other = Response.objects.filter(question="answer").first()
    with pytest.raises(EditRefused, match="not in the study"):
        take_rephrasal(study, other.pk)
    bank(project)
    elsewhere = other_drafted(project, slug="elsewhere", items={"texts": ["t1"]})
    assert list_rephrasals(elsewhere) == []
    with pytest.raises(EditRefused, match="not in the study"):
        take_rephrasal(elsewhere, list_rephrasals(study)[0].response_id)


def test_a_researcher_presses_a_button_on_the_results_page(study, as_user, researcher):
    client = as_user(researcher)
    assert "Accept as item" in client.get(f"/s/{study.slug}/results/items/").content.decode()
    address = f"/s/{study.slug}/rephrasals/{list_rephrasals(study)[0].response_id}/take/"
    page = client.post(address, follow=True).content.decode()
    assert "The wording was added to the project as item “s1-gen-birch-rephrased-" in page


def test_others_see_no_button_and_may_not_press_it(study, as_user, reviewer):
    client = as_user(reviewer)
    assert "Accept as item" not in client.get(f"/s/{study.slug}/results/items/").content.decode()
    address = f"/s/{study.slug}/rephrasals/{list_rephrasals(study)[0].response_id}/take/"
    assert client.post(address).status_code in (403, 404)
    assert client.get(address).status_code == 405
    assert list_rephrasals(study)[0].taken is None
