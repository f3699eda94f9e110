"""Simulated people rehearse a second round and an expert check; the people's own stay possible and apart."""

import io

import pytest
from django.core.management import call_command

from analysis.choices import Choices
from analysis.frames.evidence import collect_evidence
from annotation.simulation import simulate_study
from studies.models import Annotator, Assignment, Purpose, Response
from studies.services.expert_check import can_open_expert_check, open_expert_check
from studies.services.launching import remove_simulated
from studies.services.second_round import can_open_second_round, has_second_round, open_second_round
from tests.dimensions import make_study_with_bank

pytestmark = pytest.mark.slow


@pytest.fixture
def study(project):
    study = make_study_with_bank(project, plan={"annotators": 3})
    simulate_study(study, 3, 1)
    return study


def go_on(study) -> None:
    call_command("simulate_study", study.slug, annotators=0, seed=1, stdout=io.StringIO())


def test_they_go_on_with_a_second_round_that_was_opened_for_them(study):
    opened = open_second_round(study, Purpose.SIMULATED)
    go_on(study)
    second = Assignment.objects.filter(annotator__study=study, round=2)
    assert second.exists()
    assert not second.filter(finished_at=None).exists()
    assert Response.objects.filter(assignment__in=second).count() == opened.cells


def test_a_rehearsed_second_round_leaves_the_people_s_to_be_opened(study):
    open_second_round(study, Purpose.SIMULATED)
    assert has_second_round(study, Purpose.SIMULATED)
    assert can_open_second_round(study)


def test_experts_of_a_rehearsal_check_and_are_in_no_report_unasked(study):
    open_expert_check(study, 3, 2, Purpose.SIMULATED)
    go_on(study)
    assert set(Annotator.objects.filter(purpose=Purpose.EXPERT).values_list("code", flat=True)) == {
        "sim-expert-1", "sim-expert-2",
    }  # fmt: skip
    assert set(Response.objects.filter(stage="check").values_list("value", flat=True)) <= {
        "right", "wrong",
    }  # fmt: skip
    assert collect_evidence(study, Choices()).verdicts.empty
    assert len(collect_evidence(study, Choices(purposes=("main", "simulated"))).verdicts) == 2 * 3 * 7
    assert can_open_expert_check(study)


def test_a_rehearsal_goes_with_the_simulated_annotators(study):
    open_expert_check(study, 3, 1, Purpose.SIMULATED)
    go_on(study)
    remove_simulated(study)
    assert not Response.objects.filter(assignment__annotator__study=study).exists()
    assert not study.annotators.exclude(purpose=Purpose.MAIN).exists()
