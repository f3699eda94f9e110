"""Which items a study takes of the bank, and what it says about those it leaves out."""

import pytest

from items.models import Option
from studies.services.selection import choose_items
from studies.services.spec import SpecError
from tests.factory import make_item, make_text
from tests.studies.world import bank, draft_study


def notices(study) -> str:
    return " ".join(choose_items(study).notices)


def test_all_current_texts_and_items_are_taken(project):
    bank(project, texts=3)
    chosen = choose_items(draft_study(project))
    assert [text.external_id for text, _items in chosen.texts] == ["t1", "t2", "t3"]
    assert chosen.n_items == 6


def test_lists_choose_texts_and_generators(project):
    bank(project, texts=3)
    chosen = choose_items(draft_study(project, items={"texts": ["t3", "t1"], "generators": ["birch"]}))
    assert [[item.external_id for item in items] for _text, items in chosen.texts] == [["t1-birch-1"], ["t3-birch-1"]]


def test_items_without_options_are_left_out_with_a_notice(project):
    bank(project)
    Option.objects.filter(item__external_id="t1-alder-1").delete()
    study = draft_study(project)
    assert "1 item without options is left out" in notices(study)
    assert choose_items(study).n_items == 3


def test_a_study_of_items_without_options_only_is_refused(project):
    bank(project)
    Option.objects.all().delete()
    with pytest.raises(SpecError, match="none of the selected items has options"):
        draft_study(project)


def test_a_project_without_items_has_nothing_to_annotate(project):
    make_text(project, "t1")
    with pytest.raises(SpecError, match="the selected texts have no items"):
        draft_study(project)


def test_a_project_without_texts_has_nothing_to_annotate(project):
    with pytest.raises(SpecError, match="Nothing to annotate"):
        draft_study(project)


def test_a_text_without_chosen_items_is_left_out_with_a_notice(project):
    bank(project)
    make_item(make_text(project, "t9"), "oak", "t9-oak-1")
    study = draft_study(project, items={"generators": ["alder", "birch"]})
    assert "1 text is left out because none of the selected items belongs to it." in notices(study)


def test_texts_with_items_of_one_generator_are_mentioned(project):
    bank(project)
    make_item(make_text(project, "t9"), "oak", "t9-oak-1")
    assert "1 text has items of only one generator, so every annotator guesses them." in notices(draft_study(project))


def test_a_plain_choice_needs_no_notice(project):
    bank(project)
    assert choose_items(draft_study(project)).notices == []


def test_mixed_languages_are_refused(project):
    bank(project)
    make_item(make_text(project, "t9", language="de"), "alder", "t9-alder-1")
    with pytest.raises(SpecError, match=r"several languages \(de, en\)\. Create one study per language\."):
        draft_study(project)


def test_mixed_languages_are_refused_too_where_the_file_names_no_language(project):
    bank(project)
    make_item(make_text(project, "t9", language="de"), "alder", "t9-alder-1")
    with pytest.raises(SpecError, match="one study per language"):
        draft_study(project, language="")


def test_another_language_among_texts_that_are_not_asked_about_does_not_matter(project):
    bank(project)
    make_text(project, "t9", language="de")
    assert draft_study(project, language="").language == "en"


def test_items_of_another_project_are_never_taken(project, stranger):
    from projects.models import Project

    bank(project)
    bank(Project.objects.get(slug="mountains"), generators=("alder", "birch", "oak"))
    assert {item.project_id for _text, items in choose_items(draft_study(project)).texts for item in items} == {
        project.pk
    }


def test_a_plan_rests_on_the_same_choice_read_as_plain_values(project):
    bank(project, texts=3)
    Option.objects.filter(item__external_id="t1-alder-1").delete()
    Option.objects.filter(item__text__external_id="t2").delete()
    study = draft_study(project)
    plain, full = choose_items(study, for_plan=True), choose_items(study)
    found = [[(text.pk, [item.pk for item in items]) for text, items in chosen.texts] for chosen in (plain, full)]
    assert found[0] == found[1]
    assert plain.notices == full.notices
    assert {type(item).__name__ for _text, items in plain.texts for item in items} == {"PlainItem"}
