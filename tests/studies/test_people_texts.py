"""People on some texts and models on all: the draw, what is stored of it, who does what, and what is refused."""

from math import sqrt
from random import Random

import pytest
from django.urls import reverse

from annotation.simulation import simulate_study
from studies.models import Annotator, AnnotatorKind, Assignment, PeopleTexts, Purpose, Response
from studies.services.creating import NotADraft, change_study
from studies.services.evaluating import add_evaluator
from studies.services.launching import launch_study
from studies.services.people import add_annotators
from studies.services.people_texts import (
    cap_chances,
    draw_systematically,
    filter_people_units,
    measure_disagreement,
    weigh_chances_by_doubt,
)
from studies.services.spec import SpecError, check_spec
from tests.studies.steps import address, begin, send
from tests.studies.world import bank, draft_study, make_live_study, spec

SOME = {"annotators": 2, "people_texts": 3}


def texts_of(study, **about) -> set[str]:
    rows = Assignment.objects.active().filter(unit__study=study, **{f"annotator__{k}": v for k, v in about.items()})
    return set(rows.values_list("unit__text__external_id", flat=True))


def test_people_do_the_drawn_texts_and_models_all(project):
    bank(project, texts=8)
    study = make_live_study(project, plan=SOME)
    add_evaluator(study, "m", kind=AnnotatorKind.MODEL, model="m", reading="label")
    draw = study.people_texts
    assert texts_of(study, kind="human") == draw.drawn_ids
    assert len(draw.drawn_ids) == 3
    assert len(texts_of(study, kind="model")) == 8
    assert filter_people_units(study).count() == 3


def test_the_draw_is_stored_with_all_texts_their_probabilities_and_who_made_it(project, researcher):
    bank(project, texts=8)
    study, _chosen = launch_study(draft_study(project, plan=SOME), researcher)
    draw = PeopleTexts.objects.get(study=study)
    assert {each["text_id"] for each in draw.texts} == {f"t{n}" for n in range(1, 9)}
    assert {each["probability"] for each in draw.texts} == {3 / 8}
    assert (draw.n, draw.by, draw.seed, draw.made_by) == (3, "equal chance", study.seed, researcher)
    assert draw.made_at <= study.launched_at


def test_the_seed_alone_decides_the_draw(project):
    bank(project, texts=12)
    plans = [SOME | {"seed": seed} for seed in (1, 1, 2)]
    drawn = [make_live_study(project, slug=f"s{n}", plan=plan).people_texts.drawn_ids for n, plan in enumerate(plans)]
    assert drawn[0] == drawn[1] != drawn[2]


def test_whoever_joins_or_is_simulated_does_drawn_texts_only(project):
    bank(project, texts=6)
    study = make_live_study(project, plan={"annotators": "open", "people_texts": 2})
    add_annotators(study, 1)
    simulate_study(study, 2, 1)
    drawn = study.people_texts.drawn_ids
    assert texts_of(study, purpose=Purpose.MAIN) == texts_of(study, purpose=Purpose.SIMULATED) == drawn


def test_a_calibration_is_of_drawn_texts(project):
    bank(project, texts=9)
    study = make_live_study(project, plan={"annotators": 2, "people_texts": 5, "shared_texts": 1, "own_texts": 2})
    assert texts_of(study) == study.people_texts.drawn_ids
    assert {a.assignments.count() for a in study.annotators.all()} == {3}


def test_a_draw_cannot_be_changed_after_launch(project):
    bank(project, texts=6)
    study = make_live_study(project, plan=SOME)
    with pytest.raises(NotADraft):
        change_study(study, check_spec(spec(plan={"people_texts": 4})))
    assert len(study.people_texts.drawn_ids) == 3


@pytest.mark.parametrize(
    ("plan", "named"),
    [
        ({"people_texts": 7}, "7 texts for people, but the"),
        ({"people_texts": 3, "people_texts_by": "doubt"}, "evaluate_study"),
        ({"people_texts": 3, "people_texts_by": "ease"}, "people_texts_by"),
        ({"people_texts": -1}, "people_texts"),
    ],
)
def test_what_cannot_be_drawn_is_refused(plan, named, project):
    bank(project, texts=6)
    with pytest.raises(SpecError, match=named):
        draft_study(project, plan=plan)


def store_judgments(project, code: str, values: dict[str, tuple[str, float | None]]) -> None:
    """A model's judgments of every option, the same for all of a text."""
    study = project.studies.filter(slug="pilot").first() or make_live_study(
        project, slug="pilot", plan={"annotators": "open"}
    )
    model = add_evaluator(study, code, kind=AnnotatorKind.MODEL, model=code, reading="label")
    for assignment in model.assignments.select_related("unit__text"):
        value, p = values[assignment.unit.text.external_id]
        Response.objects.bulk_create(
            Response(
                assignment=assignment, stage=stage, question="answer", item=item, option=option, value=value,
                probability=p, instrument_version=study.instrument_version, submitted_at=study.launched_at,
            )
            for item in assignment.unit.items.all()
            for option in item.options.all()
            for stage in ("guess", "read")
        )  # fmt: skip


def test_doubt_rests_on_probabilities(project):
    bank(project, texts=4)
    shares = {"t1": 0.5, "t2": 0.99, "t3": 0.999, "t4": 1.0}
    store_judgments(project, "m", {text: (True, p) for text, p in shares.items()})
    study = make_live_study(project, plan={"annotators": 2, "people_texts": 2, "people_texts_by": "doubt"})
    stored = {each["text_id"]: each for each in study.people_texts.texts}
    doubt = {text: sqrt(p * (1 - p)) for text, p in shares.items()}
    assert {text: each["doubt"] for text, each in stored.items()} == pytest.approx(doubt)
    wanted = {text: 0.25 + d / sum(doubt.values()) for text, d in doubt.items()}
    rest = sum(wanted.values()) - wanted["t1"]
    expected = {"t1": 1.0} | {text: wanted[text] / rest for text in ("t2", "t3", "t4")}
    assert {text: each["probability"] for text, each in stored.items()} == pytest.approx(expected)
    assert study.people_texts.rests_on == "probability"
    assert "t1" in study.people_texts.drawn_ids


def test_without_probabilities_doubt_is_how_often_models_disagree(project):
    bank(project, texts=4)
    store_judgments(project, "one", dict.fromkeys(["t1", "t2", "t3", "t4"], (True, None)))
    plan = {"annotators": 2, "people_texts": 2, "people_texts_by": "doubt"}
    with pytest.raises(SpecError, match="4 of 4"):
        draft_study(project, plan=plan)
    store_judgments(project, "two", {"t1": (False, None)} | dict.fromkeys(["t2", "t3", "t4"], (True, None)))
    draw = make_live_study(project, plan=plan).people_texts
    assert draw.rests_on == "disagreement"
    assert {each["text_id"]: each["doubt"] for each in draw.texts} == {"t1": 1.0, "t2": 0.0, "t3": 0.0, "t4": 0.0}


def test_chances_add_up_and_none_is_above_one():
    found = weigh_chances_by_doubt({"a": 10.0, "b": 1.0, "c": 1.0, "d": 0.0}, 2)
    assert found["a"] == 1.0
    assert sum(found.values()) == pytest.approx(2)
    assert weigh_chances_by_doubt({"a": 0.0, "b": 0.0}, 1) == {"a": 0.5, "b": 0.5}
    assert cap_chances({"a": 5.0, "b": 1.2, "c": 0.8}, 2) == pytest.approx({"a": 1.0, "b": 0.6, "c": 0.4})


def test_each_text_is_drawn_with_its_own_probability():
    chances = {"a": 0.9, "b": 0.6, "c": 0.3, "d": 0.2}
    times = dict.fromkeys(chances, 0)
    rng = Random(5)
    for _draw in range(4000):
        order, drawn = draw_systematically(chances, rng)
        assert len(drawn) == 2
        assert sorted(order) == sorted(chances)
        for text in drawn:
            times[text] += 1
    assert {text: n / 4000 for text, n in times.items()} == pytest.approx(chances, abs=0.03)


def test_disagreement_is_the_share_of_pairs():
    assert measure_disagreement([["a", "a", "b"], ["a", "a"]]) == 2 / 4
    assert measure_disagreement([["a"], ["b"]]) is None


def test_the_form_and_the_pages_say_how_many_texts_people_do(project, as_user, researcher):
    bank(project, texts=5)
    client = as_user(researcher)
    begin(client, title="Some")
    send(client, "some", "people", annotators="2", scope="equal chance", people_texts="2")
    summary = client.get(address("some", "people")).context["summary"]
    assert (summary.outline.draw.n, str(summary.workload.texts)) == (2, "2")
    client.post(reverse("study_act", args=["some", "launch"]))
    assert client.get(reverse("study_design", args=["some"])).context["people_texts"].made_by == researcher
    assert Annotator.objects.first().assignments.count() == 2
