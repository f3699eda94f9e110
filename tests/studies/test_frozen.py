"""What a study asks is frozen at launch: the bank may change, the study does not."""

import pytest
from django.utils import timezone

from items.models import Item, Option, Text
from items.services.versions import replace_items, replace_texts
from items.values import get_item_values, get_text_values
from studies.models import Response, Study
from studies.services.creating import NotADraft, change_study
from studies.services.declarations import get_annotator_question_source, get_declaration, get_wording
from studies.services.instruments import store_version
from studies.services.places import find_place
from studies.services.spec import check_spec
from studies.stage_blocks import build_blocks
from tests.studies.world import bank, draft_study, make_study_with_bank, person, spec


@pytest.fixture
def study(project):
    return make_study_with_bank(project, items=2)


def edit_everything(project) -> None:
    """New versions of every text and item, with other words and other options."""
    texts = [
        (text, change_option(get_text_values(text), body="Quite another text.")) for text in Text.objects.current()
    ]
    replace_texts(project, texts)
    items = list(Item.objects.current().select_related("generator", "text").prefetch_related("options"))
    fresh = {text.external_id: text for text in Text.objects.current()}
    replace_items(
        project,
        [
            (item, fresh[item.text.external_id], change_option(get_item_values(item), stem="Quite another stem?"))
            for item in items
        ],
    )


def change_option(values, **fields):
    from dataclasses import replace

    return replace(values, **fields)


def list_seen_by(annotator) -> list:
    """Everything that the pages of all the annotator's stages would draw."""
    from studies.services.declarations import get_declaration
    from studies.services.stage_form import StageForm

    declaration = get_declaration(annotator.study)
    return [
        (assignment.unit.text.body, stage.name, [vars(block) for block in build_blocks(StageForm(assignment, stage))])
        for assignment in annotator.assignments.select_related("unit__text")
        for stage in declaration.stages
    ]


def test_edited_texts_and_items_change_nothing_an_annotator_sees(project, study):
    someone = person(study).start()
    before = list_seen_by(someone.annotator)
    edit_everything(project)
    assert Item.objects.current().filter(stem="Quite another stem?").count() == 8
    assert list_seen_by(someone.annotator) == before
    assert find_place(someone.annotator).assignment.unit.text.body != "Quite another text."


def test_answers_point_to_the_version_that_was_shown(project, study):
    someone = person(study).start()
    someone.do()
    edit_everything(project)
    someone.do()
    assert set(Response.objects.values_list("item__version", flat=True)) == {1}


def test_a_new_item_does_not_join_a_running_study(project, study):
    from tests.factory import make_item

    make_item(project.texts.get(external_id="t1"), "alder", "t1-alder-9")
    assert not study.units.filter(items__external_id="t1-alder-9").exists()


def test_a_corrected_key_changes_nothing_an_annotator_sees(study):
    someone = person(study).start()
    before = list_seen_by(someone.annotator)
    for option in Option.objects.all():
        Option.objects.filter(pk=option.pk).update(correct=not option.correct)
    assert list_seen_by(someone.annotator) == before


def test_a_launched_study_cannot_be_changed(study):
    with pytest.raises(NotADraft, match="has been"):
        change_study(study, check_spec(spec(title="Another")))
    study.refresh_from_db()
    assert study.title == "study"


def test_a_new_wording_leaves_a_launched_study_with_its_own(project, study):
    from studies.services.instruments import find_version, store_version

    content = study.instrument_version.content | {"title": "Other words"}
    store_version("guess-then-read", "en", content, project)
    assert find_version("guess-then-read/en", project).content["title"] == "Other words"
    study.refresh_from_db()
    assert study.instrument_version.content["title"] != "Other words"


def read_title(someone) -> str:
    """From the wording by which a request finds the annotator asked."""
    return get_annotator_question_source(find_place(someone.annotator).annotator).wording["title"]


def test_another_launch_is_asked_by_its_own_wording(project, study):
    """What is known of a launched study is known under the moment of its launch."""
    someone = person(study).start()
    before = read_title(someone)
    words = study.instrument_version.content | {"title": "B"}
    version = store_version("guess-then-read", "en", words, project)
    Study.objects.filter(pk=study.pk).update(instrument_version=version, launched_at=timezone.now())
    assert before != read_title(someone) == "B"


def test_other_parameters_and_another_wording_of_a_draft_are_asked_at_once(project):
    bank(project)
    draft = draft_study(project)
    assert len(get_declaration(draft).stage("read").question("rating").levels) == 5
    content = draft.instrument_version.content
    words = content | {"read": content["read"] | {"rating": {"levels": []}}}
    draft.instrument_version = store_version("guess-then-read", "en", words, project)
    draft.params = draft.params | {"rating_scale": 3}
    assert len(get_declaration(draft).stage("read").question("rating").levels) == 3
    assert get_wording(draft)["read"]["rating"] == {"levels": []}
