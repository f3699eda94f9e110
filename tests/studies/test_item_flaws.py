"""Item-writing flaws are asked of people in three languages, simulated people answer, and files carry the codes."""

import pytest

from annotation.simulation import simulate_study
from studies.models import Response
from studies.protocols.item_writing_flaws.declaration import FLAWS, GUIDELINES, LEVELS
from studies.services.declarations import get_declaration
from studies.services.places import find_place
from studies.services.stage_form import StageForm
from studies.stage_blocks import build_blocks
from tests.studies.world import bank, make_live_study, person


@pytest.mark.parametrize("language", ["en", "de", "eu"])
def test_the_wording_asks_all_nineteen_with_an_example_each(project, language):
    bank(project, texts=1, language=language)
    study = make_live_study(project, protocol="item-writing-flaws", language=language)
    words = study.instrument_version.content["code"]
    names = [question.name for question in get_declaration(study).stage("code").questions]
    assert names == [name for name, _title in FLAWS]
    assert len(names) == 19
    assert all(words[name]["question"] and words[name]["help"] for name in names)
    assert [level["value"] for level in words["levels"]] == list(LEVELS)


@pytest.mark.parametrize("language", ["en", "de", "eu"])
def test_further_guidelines_are_asked_where_they_are_chosen(project, language):
    bank(project, texts=1, language=language)
    chosen = [name for name, _title in GUIDELINES]
    study = make_live_study(project, protocol="item-writing-flaws", language=language, params={"flaws": chosen})
    words = study.instrument_version.content["code"]
    assert [question.name for question in get_declaration(study).stage("code").questions] == chosen
    assert all(words[name]["title"] and words[name]["question"] and words[name]["help"] for name in chosen)
    simulate_study(study, 1, 1)
    assert set(Response.objects.values_list("question", flat=True)) == set(chosen)


def test_some_flaws_can_be_chosen_and_simulated_people_code_each_item(project):
    bank(project, texts=2)
    study = make_live_study(project, protocol="item-writing-flaws", params={"flaws": ["negative_stem", "ambiguous"]})
    simulate_study(study, 2, 1)
    rows = Response.objects.filter(assignment__annotator__purpose="simulated")
    assert set(rows.values_list("question", flat=True)) == {"negative_stem", "ambiguous"}
    assert rows.count() == 2 * 4 * 2


def test_an_annotator_sees_the_options_with_the_keys_marked(project):
    bank(project, texts=1, generators=("alder",))
    study = make_live_study(project, protocol="item-writing-flaws")
    stage = get_declaration(study).stage("code")
    assert (stage.keys, "options" in stage.shows, "text" in stage.shows) == ("marked", True, True)
    (block,) = build_blocks(StageForm.for_place(find_place(person(study).start().annotator)))
    assert len(block.rows) == 19
    assert {len(row.levels) for row in block.rows} == {4}
