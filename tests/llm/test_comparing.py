"""Two runs side by side, and what becomes of calls with an unknown outcome."""

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from llm.models import Unknown
from llm.run_numbers import compare_runs
from llm.services import runs
from llm.services.draining import drain_here
from llm.services.planning import plan_run
from tests.mock_server import Planned

pytestmark = pytest.mark.django_db


@pytest.fixture
def two(serve_model, make_run):
    """Four keys answered by one model with R, F, R, F; of these and a fifth by another: R, R, nothing, F, R."""
    first = drain_here(make_run(serve_model(["R", "F", "R", "F"]), 4, max_concurrency=1))
    other = serve_model(["R", "R", Planned("who knows"), "F", "R"])
    params = {"as_published": True}
    return first, drain_here(make_run(other, 5, max_concurrency=1, model="mock-2", params=params))


def test_what_both_answered_is_compared_field_by_field(two):
    first, second = two
    found = compare_runs(first, second)
    assert (found.n_here, found.n_both, found.is_part) == (4, 3, False)
    [label] = found.fields
    assert (label.name, label.n, label.n_same) == ("label", 3, 2)
    [pair] = found.different
    assert (pair.call.key, pair.call.parsed, pair.other.parsed) == ("k1", {"label": "F"}, {"label": "R"})


def test_of_numbers_the_means_and_their_distance_are_told(two):
    first, second = two
    for run, values in ((first, [0.2, 0.4, 0.9, 0.6]), (second, [0.4, 0.2, 0.0, 0.6])):
        for place, value in enumerate(values):
            run.calls.filter(key=f"k{place}").update(parsed={"p": value, "label": "R"})
    found = compare_runs(first, second)
    p = next(field for field in found.fields if field.name == "p")
    assert (p.mean, p.mean_other, p.mean_distance) == pytest.approx((0.4, 0.4, 0.4 / 3))
    assert found.different == []


def test_an_answer_after_a_rejected_one_stands_in_its_place(serve_model, make_run):
    first = drain_here(make_run(serve_model(["wrong language", "R"]), 1))
    second = drain_here(make_run(serve_model("R"), 1, model="mock-2"))
    assert compare_runs(first, second).n_both == 1


def test_the_page_shows_the_comparison_to_reviewers_only(two, as_user, reviewer, viewer):
    first, second = two
    url = reverse("run_compare", args=[first.pk]) + f"?with={second.pk}"
    page = as_user(reviewer).get(url).content.decode()
    assert "3 of 4 answers of run A" in page
    assert "67 %" in page
    assert as_user(viewer).get(url).status_code == 404


def test_runs_of_other_projects_are_not_offered(two, as_user, stranger, reviewer):
    first, second = two
    second.project = stranger.memberships.get().project
    second.save()
    page = as_user(reviewer).get(reverse("run_compare", args=[first.pk]) + f"?with={second.pk}").content.decode()
    assert "There is no other run of this kind" in page
    assert as_user(stranger).get(reverse("run_compare", args=[first.pk])).status_code == 404


def test_the_choice_for_unknown_outcomes_is_made_on_the_page(serve_model, make_run, as_user, researcher, reviewer):
    run = make_run(serve_model("R"), 1)
    url = reverse("run_unknown", args=[run.pk])
    assert as_user(reviewer).post(url, {"on_unknown": "hold"}).status_code == 404
    as_user(researcher).post(url, {"on_unknown": "hold"})
    run.refresh_from_db()
    assert run.on_unknown == Unknown.HOLD


def test_a_run_that_is_over_has_no_choice_left(serve_model, make_run):
    run = drain_here(make_run(serve_model("R"), 1))
    assert not runs.set_on_unknown(run, Unknown.HOLD)


def test_held_calls_are_decided_by_command(serve_model, make_run, states, capsys):
    run = make_run(serve_model("R"), 4)
    plan_run(run, lambda: True)
    run.calls.filter(key__in=["k0", "k1"]).update(state="held")
    call_command("decide_held", str(run.pk), "--ask-again", "--from-now", "hold")
    assert states(run) == {"waiting": 2, "planned": 2}
    assert "2 held are asked again" in capsys.readouterr().out
    run.refresh_from_db()
    assert run.on_unknown == Unknown.HOLD


@pytest.mark.parametrize("arguments", [["77", "--give-up"], ["{run}"]])
def test_the_command_says_what_is_wrong(serve_model, make_run, arguments):
    run = make_run(serve_model("R"), 1)
    with pytest.raises(CommandError, match=r"Its number|Say --ask-again"):
        call_command("decide_held", *(word.format(run=run.pk) for word in arguments))
