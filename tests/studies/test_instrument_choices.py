"""Where an instrument is chosen: for a study, for models that write, for models that answer."""

import pytest

from evaluation.forms import ModelForm
from evaluation.services.asking import ModelSpec, find_prompt, specify_evaluator
from evaluation.services.evaluators import CannotEvaluate
from generation.forms import GenerateForm
from llm.models import Endpoint
from studies.forms.design_people import PeopleForm
from studies.models import Study
from studies.services.instrument_writing import copy_instrument, save_version
from studies.services.instruments import find_version, get_source
from studies.strict_yaml import apply_changes
from tests.studies.steps import begin, send
from tests.studies.world import bank, draft_study, make_live_study


@pytest.fixture
def own(project):
    """A function that copies a shipped instrument."""
    bank(project)
    return lambda shipped, name: copy_instrument(find_version(shipped, project), project, name)


@pytest.fixture
def endpoint(db):
    return Endpoint.objects.create(name="mock", base_url="http://127.0.0.1:1/v1", model="mock-1")


def test_a_study_is_made_with_the_projects_own_wording(own, project, client, researcher):
    own("guess-then-read/en", "mine")
    client.force_login(researcher)
    begin(client, title="Rivers")
    send(client, "rivers", "people", instrument="mine/en")
    study = Study.objects.get()
    assert (str(study.instrument_version.instrument), study.language) == ("mine/en", "en")


def test_prompts_are_not_offered_for_people(own, project):
    own("guess-then-read-prompt/en", "letters")
    names = [name for name, _words in PeopleForm(draft_study(project)).fields["instrument"].choices]
    assert sorted(names) == ["guess-then-read/de", "guess-then-read/en", "guess-then-read/eu"]


def test_a_draft_keeps_its_older_version_until_another_is_chosen(own, project):
    version = own("guess-then-read/en", "mine")
    study = draft_study(project, instrument="mine/en")
    save_version(version.instrument, apply_changes(get_source(version), {("title",): "Newer"}))
    form = PeopleForm(study)
    names = [name for name, _words in form.fields["instrument"].choices]
    assert form.initial["instrument"] == "mine/en@1"
    assert {"mine/en", "mine/en@1"} <= set(names)


def test_writers_are_offered_prompts_for_generators_with_their_languages(own, project):
    own("generate-items/en", "short")
    form = GenerateForm(project)
    choices = form.fields["instrument"].choices
    assert choices[:2] == [("", "model default"), ("short", "short (en)")]
    assert ("generate-items", "generate-items (de, en, eu)") in choices


def test_the_chosen_words_make_another_generator(own, project, endpoint):
    own("generate-items/en", "short")
    data = {"writer": str(endpoint.pk), "n_items": "3", "n_options": "3", "instrument": "short"}
    form = GenerateForm(project, data)
    assert form.is_valid(), form.errors
    assert (form.spec().instrument, form.spec().name) == ("short", "mock · short")


def test_evaluators_are_offered_prompts_of_the_protocol_the_studys_language_first(own, project):
    own("guess-then-read-prompt/en", "letters")
    form = ModelForm(make_live_study(project))
    names = [name for name, _words in form.fields["prompt"].choices]
    assert names == ["", "letters/en", "guess-then-read-prompt/de", "guess-then-read-prompt/eu"]


def test_another_prompt_is_another_evaluator(own, project, endpoint):
    version = own("guess-then-read-prompt/en", "letters")
    study = make_live_study(project)
    assert find_prompt(study, name="letters/en") == version
    named = specify_evaluator(study, ModelSpec(endpoint, prompt="letters/en"))
    assert (named.identity["prompt"], named.fix()) == (version.pk, {"prompt": version.pk})
    assert "prompt" not in specify_evaluator(study, ModelSpec(endpoint)).identity


@pytest.mark.parametrize(
    ("name", "message"),
    [("nothing/en", "There is no instrument “nothing/en”"), ("guess-then-read/en", "has no “labels”")],
)
def test_what_is_no_prompt_is_refused(name, message, project):
    bank(project)
    with pytest.raises(CannotEvaluate) as refused:
        find_prompt(make_live_study(project), name=name)
    assert message in str(refused.value)
