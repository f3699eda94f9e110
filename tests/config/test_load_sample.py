"""The sample project: loaded once, whole, and again after an interruption."""

import io

import pytest
from django.core.management import call_command

from config.management.commands import load_sample
from evaluation.services.progress import list_rows
from generation.models import IncompleteItem
from items.models import Generator, Item
from llm.models import Call, Run, RunState
from projects.models import Project
from studies.models import Annotator, Purpose, Study, StudyState
from studies.services.progress import count_progress
from tests.made_once import made_once
from tests.studies.world import counts


@pytest.fixture(autouse=True)
def one_annotator(monkeypatch):
    """Six take their time through the pages; one shows the same."""
    monkeypatch.setattr(load_sample, "ANNOTATORS", 1)


def load() -> str:
    out = io.StringIO()
    call_command("load_sample", stdout=out)
    return out.getvalue()


pytestmark = pytest.mark.slow
loaded = made_once(load)


def test_two_launched_studies_with_simulated_annotators(db):
    assert loaded() == "The sample project is loaded: two studies with simulated annotators, a model and baselines.\n"
    project = Project.objects.get()
    assert (project.slug, project.is_sample) == ("sample", True)
    assert set(project.studies.values_list("slug", "language", "state")) == {
        ("sample-de", "de", StudyState.LIVE),
        ("sample-en", "en", StudyState.LIVE),
    }
    for study in project.studies.all():
        simulated = count_progress(study, Purpose.SIMULATED)
        assert (simulated.finished, simulated.total) == (8, 8)


def test_the_replies_of_the_local_model_come_from_the_record_and_none_is_open(db):
    loaded()
    assert Run.objects.exclude(state=RunState.DONE).count() == 0
    assert set(Run.objects.values_list("is_recorded", flat=True)) == {True}
    assert Call.objects.open().count() == 0
    assert set(Call.objects.values_list("times_sent", flat=True)) == {1}
    assert not Call.objects.filter(error_class__in=["prompt", "changed"]).exists()


def test_models_and_baselines_stand_beside_the_people(db):
    loaded()
    for study in Study.objects.all():
        labels = {row.annotator.code for row in list_rows(study)}
        assert labels == {"majority", "exact", "fuzzy", "smollm2-135m"}


def test_what_the_local_model_wrote_is_in_the_bank_or_waits_for_repair(db):
    loaded()
    wrote = Generator.objects.get(name="smollm2-135m")
    kept = Item.objects.filter(generator=wrote).count() + IncompleteItem.objects.filter(generator=wrote).count()
    assert kept > 0
    assert Item.objects.filter(generator__name="cloze").count() > 12


def test_the_flaws_of_the_hurried_writer_are_stated(db):
    loaded()
    hurried = Project.objects.get().generators.get(name="hurried")
    assert "can be guessed, its key is wrong, or it is unclear" in hurried.description
    flaws = Item.objects.filter(generator=hurried).values_list("metadata__flaw", flat=True)
    assert set(flaws) == {"guessable", "wrong key", "unclear"}


def test_a_second_start_changes_nothing(db):
    loaded()
    before = counts()
    assert load() == ""
    assert counts() == before


def test_an_interrupted_start_begins_again(db, monkeypatch):
    simulate = load_sample.simulate_study

    def interrupt(study, *args):
        if study.language == "en":
            raise KeyboardInterrupt
        return simulate(study, *args)

    monkeypatch.setattr(load_sample, "simulate_study", interrupt)
    with pytest.raises(KeyboardInterrupt):
        load()
    assert not Project.objects.get().is_sample
    monkeypatch.setattr(load_sample, "simulate_study", simulate)
    load()
    assert Project.objects.get().is_sample
    assert Study.objects.count() == 2
    assert Annotator.objects.filter(purpose=Purpose.SIMULATED).count() == 2


def test_an_interruption_within_the_bank_leaves_nothing(db, monkeypatch):
    def interrupt(study):
        raise KeyboardInterrupt

    monkeypatch.setattr(load_sample, "launch_study", interrupt)
    with pytest.raises(KeyboardInterrupt):
        load()
    assert not Project.objects.exists()


def test_somebody_s_own_project_of_that_name_is_left_alone(db):
    mine = Project.objects.create(slug="sample", title="Mine")
    load()
    mine.refresh_from_db()
    assert (mine.title, mine.is_sample, mine.texts.count()) == ("Mine", False, 0)
    assert Project.objects.get(is_sample=True).slug == "sample-2"
