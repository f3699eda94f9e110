"""A further round of texts for people: who gets them, what is stored of the draw, and what is refused."""

import json

import pytest
from django.urls import reverse

from annotation.simulation import simulate_study
from studies.models import Assignment, Purpose
from studies.services.blocks import count_texts_left, draw_more_texts
from studies.services.launching import close_study
from studies.services.people import add_annotators, revoke_link
from studies.services.people_texts import find_draw
from studies.services.recruiting import admit_visitor
from studies.services.responses.importing import import_responses
from studies.services.spec import SpecError
from studies.services.states import WrongState
from tests.analysis.packs import export_pack_bytes, import_pack_bytes
from tests.studies.test_people_texts import texts_of
from tests.studies.world import bank, draft_study, make_live_study, make_study_with_bank, person

SOME = {"annotators": 2, "people_texts": 3}


@pytest.fixture
def study(project):
    return make_study_with_bank(project, texts=8, plan=SOME)


def test_a_further_round_goes_to_people_at_work_behind_what_they_have_to_do(study, researcher):
    first = set(study.people_texts.drawn_ids)
    person(study, 0).start().finish()
    draw = draw_more_texts(study, 2, researcher)
    assert len(draw.drawn_ids) == 5
    assert first < draw.drawn_ids == texts_of(study, purpose=Purpose.MAIN)
    for annotator in study.annotators.filter(purpose=Purpose.MAIN):
        rows = list(annotator.assignments.order_by("position").values_list("unit__text__external_id", flat=True))
        assert set(rows[:3]) == first
        assert len(rows) == 5
    assert person(study, 0).finish().annotator.assignments.filter(finished_at=None).count() == 0


def test_probabilities_of_both_rounds_are_stored_and_time_and_who(study, researcher):
    draw = draw_more_texts(study, 2, researcher)
    chance = 3 / 8 + (1 - 3 / 8) * 2 / 5
    assert [each["probability"] for each in draw.texts] == pytest.approx([chance] * 8)
    assert sum(each.get("round") == 2 for each in draw.texts) == 2
    (later,) = draw.later
    assert (later["n"], len(later["order"]), later["made_by"]) == (2, 5, researcher.pk)
    study.refresh_from_db()
    assert study.plan["people_texts"] == draw.n == 5
    third = draw_more_texts(study, 1)
    assert [each["probability"] for each in third.texts] == pytest.approx([chance + (1 - chance) / 3] * 8)
    assert count_texts_left(study) == 2


def test_whoever_left_gets_nothing_and_whoever_joins_gets_all_rounds(study):
    gone = person(study, 1).annotator
    revoke_link(gone)
    draw_more_texts(study, 2)
    assert gone.assignments.count() == 3
    (new,) = add_annotators(study, 1)
    assert new.assignments.active().count() == 5


@pytest.mark.slow
def test_simulated_people_go_on_with_the_further_round(study):
    simulate_study(study, 2, 1)
    draw = draw_more_texts(study, 2)
    simulate_study(study, 0, 2)
    assert texts_of(study, purpose=Purpose.SIMULATED) == draw.drawn_ids
    assert not Assignment.objects.open().filter(annotator__purpose=Purpose.SIMULATED).exists()


def test_strangers_find_the_new_cells_free(project):
    study = make_study_with_bank(
        project, texts=6, plan={"annotators": 2, "people_texts": 2}, recruitment={"open_link": True}
    )
    admit_visitor(study, start="one")
    draw_more_texts(study, 2)
    newer = [admit_visitor(study, start=start) for start in ("two", "three")]
    given = [annotator.assignments.count() for annotator in newer]
    assert sum(given) == 2 * 4 - 2


@pytest.mark.parametrize("n", [0, 6])
def test_only_what_is_left_can_be_drawn(study, n):
    with pytest.raises(SpecError, match="from 1 to 5"):
        draw_more_texts(study, n)


def test_a_closed_study_and_one_whose_people_do_all_draw_nothing(study, project):
    with pytest.raises(SpecError, match="all texts"):
        draw_more_texts(make_live_study(project, slug="all"), 1)
    close_study(study)
    with pytest.raises(WrongState):
        draw_more_texts(study, 1)


def test_the_page_draws_and_gives_the_probabilities_as_a_file(study, as_user, researcher):
    client = as_user(researcher)
    page = client.get(reverse("study_design", args=[study.slug]))
    assert page.context["texts_left"] == 5
    client.post(reverse("study_draw", args=[study.slug]), {"n": "2"})
    lines = client.get(reverse("study_draw_csv", args=[study.slug])).content.decode().split()
    assert lines[0] == "text_id,probability,doubt,drawn,round"
    assert sorted(line.split(",")[-1] for line in lines[1:]) == ["", "", "", "1", "1", "1", "2", "2"]


@pytest.mark.slow
def test_a_pack_brings_all_rounds_back(study):
    person(study, 0).start().finish()
    draw = draw_more_texts(study, 2)
    again = import_pack_bytes(export_pack_bytes(study)).people_texts
    assert (again.texts, again.n, again.drawn_ids) == (draw.texts, 5, draw.drawn_ids)
    assert [(each["n"], each["order"]) for each in again.later] == [(2, draw.later[0]["order"])]


# Imported answers -----------------------------------------------------------------------------------------------------


def answers_about(texts):
    rows = []
    for text in texts:
        for stage in ("guess", "read"):
            about = {"annotator": "p", "annotator_kind": "human", "stage": stage, "text_id": text}
            for name in ("alder", "birch")[: 1 if stage == "guess" else 2]:
                item = about | {"item_id": f"{text}-{name}-1"}
                rows += [item | {"option_id": option, "question": "answer", "value": "true"} for option in "abc"]
                if stage == "read":
                    rows.append(item | {"question": "rating", "value": "4"})
    return "\n".join(map(json.dumps, rows)).encode()


def test_answers_about_the_texts_that_a_draft_draws_bring_its_draw(project):
    bank(project, texts=8)
    study = draft_study(project, plan=SOME)
    drawn = [each["text_id"] for each in find_draw(study) if each["drawn"]]
    import_responses(study, answers_about(drawn))
    study.refresh_from_db()
    assert study.people_texts.drawn_ids == set(drawn)


def test_answers_about_other_texts_leave_the_study_without_a_draw(project):
    bank(project, texts=8)
    study = draft_study(project, plan=SOME)
    other = next(each["text_id"] for each in find_draw(study) if not each["drawn"])
    counts = import_responses(study, answers_about([other]))
    assert any("1 texts that this draft would not have drawn" in notice for notice in counts.notices)
    study.refresh_from_db()
    assert not hasattr(study, "people_texts")
