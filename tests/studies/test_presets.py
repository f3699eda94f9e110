"""The published studies that ship as study files: they can be launched, and stand on the page of a new study."""

import pytest
from django.urls import reverse
from studies.forms.study import list_presets, load_presets

from studies.services.creating import create_study
from studies.services.launching import launch_study
from studies.services.spec import check_spec
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
def test_the_form_is_filled_from_a_preset(name, project, as_user, researcher):
    bank(project)
    spec = load_presets()[name]
    page = as_user(researcher).get(reverse("study_new", args=["rivers"]), {"protocol": spec.protocol, "preset": name})
    form = page.context["form"]
    assert list_presets(spec.protocol) == [spec]
    assert form["title"].value() == spec.title
    for field in ("shared_texts", "own_texts", "people_texts"):
        assert (form[field].value() or 0) == getattr(spec.plan, field)
    for parameter in spec.params:
        assert form[parameter].value() is not None


def test_a_preset_with_more_texts_than_there_are_says_so_at_the_field(project, as_user, researcher):
    bank(project)
    address = reverse("study_new", args=["rivers"]) + "?preset=text-informativity"
    client = as_user(researcher)
    form = client.get(address).context["form"]
    said = {field.name: field.value() for field in form if field.value() not in (None, False)}
    form = client.post(address, said | {"instrument": "guess-then-read/en"}).context["form"]
    assert list(form.errors) == ["people_texts"]
    assert form.more_is_wrong
