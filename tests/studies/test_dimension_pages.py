"""The researcher's pages of a study of dimension ratings: its form, its draft, and the button of the second round."""

from random import Random

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from evaluation.services.baselines import add_baseline
from studies.models import Assignment, Study
from studies.services.spec import SpecError
from studies.services.states import WrongState
from tests.dimensions import Rater, annotators, draft_study, make_bank, make_study_with_bank
from tests.made_once import made_once
from tests.studies.steps import address, begin, send

NEW = {
    "annotators": "3",
    "scale": "3",
    "layout": "question",
    "rounds": "2",
    "rules": ["a", "c"],
    "dimensions": "fluency, fun",
}


@pytest.fixture
def ratings_study(project):
    return make_ratings_study(project)


@made_once
def make_ratings_study(project):
    study = make_study_with_bank(project)
    for annotator in annotators(study):
        Rater(annotator, Random(1)).work_through()
    return study


def test_the_form_is_built_from_the_declared_parameters(project, as_user, researcher):
    make_bank(project)
    client = as_user(researcher)
    begin(client, title="Mine", protocol="dimension-ratings")
    form = client.get(address("mine", "people")).context["form"]
    names = ["dimensions", "scale", "layout", "rounds", "rules", "same_wording"]
    assert [field.name for field in form.protocol_fields] == ["instrument", *names]
    assert send(client, "mine", "people", **NEW).status_code == 302
    study = Study.objects.get()
    assert study.params == {
        "dimensions": ["fluency", "fun"], "scale": 3, "layout": "question", "rounds": 2, "rules": ["a", "c"],
        "same_wording": "folded",
    }  # fmt: skip


def test_a_name_that_is_none_is_refused_in_the_form(project, as_user, researcher):
    make_bank(project)
    client = as_user(researcher)
    begin(client, title="Mine", protocol="dimension-ratings")
    page = send(client, "mine", "people", dimensions="Fun!, fluency")
    assert "Parameter dimensions is" in str(page.context["form"].errors)
    assert Study.objects.get().params["dimensions"] == []


@pytest.mark.parametrize(
    "params",
    [{"scale": 1}, {"rounds": 3}, {"rules": ["d"]}, {"layout": "grid"}, {"dimensions": ["a", "a"]}, {"prefill": True}],
)
def test_unknown_parameters_and_values_off_their_range_are_refused(project, params):
    make_bank(project)
    with pytest.raises(SpecError):
        draft_study(project, params=params)


def test_a_draft_says_how_much_it_asks(project, as_user, researcher):
    make_bank(project)
    draft_study(project)
    page = as_user(researcher).get(address("dims", "people"))
    assert str(page.context["summary"].workload.answers) == "63"
    assert "guessed by" not in page.content.decode()


@pytest.mark.slow
def test_the_second_round_is_opened_by_a_button(ratings_study, as_user, researcher):
    client = as_user(researcher)
    for name in ("study_design", "results_agreement"):
        assert "Open second round" in client.get(reverse(name, args=["dims"])).content.decode()
    client.post(reverse("study_act", args=["dims", "second_round"]))
    assert Assignment.objects.filter(round=2).count() == 5
    assert "Open second round" not in client.get(reverse("study_design", args=["dims"])).content.decode()


def test_a_viewer_cannot_open_it(ratings_study, as_user, viewer):
    client = as_user(viewer)
    assert "Open second round" not in client.get(reverse("study_design", args=["dims"])).content.decode()
    assert client.post(reverse("study_act", args=["dims", "second_round"])).status_code in (403, 404)
    assert not Assignment.objects.filter(round=2).exists()


def test_the_command_says_what_goes_back(ratings_study, capsys):
    call_command("open_second_round", "dims")
    assert capsys.readouterr().out == "6 scores go back to 3 annotators; by rule: (a) 2, (b) 1, (c) 3.\n"
    with pytest.raises(CommandError, match="is already open"):
        call_command("open_second_round", "dims")


def test_a_baseline_is_refused_where_nothing_is_asked_of_options(ratings_study):
    with pytest.raises(WrongState, match="asks nothing about"):
        add_baseline(ratings_study, "majority")
