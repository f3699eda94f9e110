"""The published studies that ship as study files: they can be launched, and stand on the page of a new study."""

import pytest

from studies.models import Study
from studies.services.creating import create_study
from studies.services.design import list_presets, load_presets
from studies.services.launching import launch_study
from studies.services.spec import check_spec
from tests.studies.steps import address, begin
from tests.studies.world import bank

BANKS = {
    "text-informativity": {"texts": 12, "generators": ("alder", "birch", "cedar"), "language": "de"},
    "question-dimensions": {"texts": 2, "generators": ("alder", "birch")},
    "stopping-questionnaire": {"texts": 3, "generators": ("alder", "birch")},
    "item-comparison": {"texts": 55, "generators": ("alder", "birch")},
}


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(BANKS))
def test_each_can_be_launched(name, project):
    bank(project, **BANKS[name])
    study, _chosen = launch_study(create_study(project, load_presets()[name])[0])
    assert study.annotators.exists()


def test_they_have_the_published_numbers():
    plans = {name: spec.plan for name, spec in load_presets().items()}
    assert set(plans) == set(BANKS)
    assert (plans["text-informativity"].annotators, plans["text-informativity"].people_texts) == (6, 10)
    assert (plans["item-comparison"].shared_texts, plans["item-comparison"].own_texts) == (5, 10)
    assert plans["stopping-questionnaire"].annotators == {"experts": 14, "crowd": 211}
    assert plans["stopping-questionnaire"].per_unit == {"experts": 2, "crowd": 2}
    assert load_presets()["question-dimensions"].params["rounds"] == 2


def test_a_study_of_the_published_size_can_be_planned(project):
    """299 questions for 225 annotators are 1,196 assignments, not 67,275."""
    bank(project, texts=23, generators=("alder",), items=13)
    spec = load_presets()["stopping-questionnaire"]
    study, _chosen = create_study(project, check_spec(spec.model_dump()))
    assert study.plan["annotators"] == {"experts": 14, "crowd": 211}


@pytest.mark.parametrize("name", sorted(BANKS))
def test_a_draft_begins_with_the_numbers_of_a_preset(name, project, as_user, researcher):
    bank(project)
    spec = load_presets()[name]
    client = as_user(researcher)
    begin(client, title="Mine", preset=name)
    study = Study.objects.get()
    assert list_presets(spec.protocol) == [spec]
    assert (study.title, study.protocol) == ("Mine", spec.protocol)
    assert study.plan == spec.plan.numbers()
    assert spec.params.items() <= study.params.items()
    assert sorted(study.groups) == sorted(spec.groups)


def test_a_preset_with_more_texts_than_there_are_is_kept_and_says_so(project, as_user, researcher):
    bank(project)
    client = as_user(researcher)
    begin(client, title="Mine", preset="text-informativity")
    summary = client.get(address("mine", "people")).context["summary"]
    assert (summary.about, Study.objects.get().plan["people_texts"]) == ("people_texts", 10)
    assert "10 texts" in summary.problem
