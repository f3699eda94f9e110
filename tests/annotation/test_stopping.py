"""The stopping questionnaire through the real pages: what opens, what is stored, what stays on the server."""

from contextlib import suppress
from random import Random

import pytest
from bs4 import BeautifulSoup
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from annotation.simulation import simulate_study
from studies.models import Response
from studies.services.answering import Incomplete
from studies.services.instruments import store_version
from studies.services.launching import launch_study
from studies.services.spec import SpecError
from studies.stage_blocks import build_blocks
from tests.annotation.world import Walker
from tests.stopping import (
    CLUMSY,
    GENERATORS,
    GOOD,
    GROUPS,
    NONSENSE,
    PLANTED,
    REPHRASED,
    SOURCES,
    Judge,
    annotators,
    draft_study,
    make_bank,
    make_study_with_bank,
)
from tests.studies.test_gates import CONTRACT, behind_a_stop, wording
from tests.studies.world import person, post

pytestmark = pytest.mark.slow


@pytest.fixture
def study(project):
    return make_study_with_bank(project)


def judge(study) -> list[Judge]:
    judges = [Judge(annotator, Random(1)) for annotator in annotators(study)]
    for each in judges:
        each.work_through()
    return judges


def read_answers() -> dict[tuple[int, str], dict[str, str]]:
    found: dict = {}
    fields = ("assignment__annotator__seat", "item__external_id", "question", "value")
    for seat, item, question, value in Response.objects.values_list(*fields):
        found.setdefault((seat, item), {})[question] = value
    return found


def test_what_is_stored_is_what_was_judged_gate_by_gate_without_a_script(study):
    judges = judge(study)
    assert read_answers() == PLANTED
    # One page for each gate gone through, and one more where an answer opens a question within its gate.
    assert judges[0].n_pages == 5 + 5 + 1 + 1


def test_what_opens_on_the_way_is_not_said_to_be_missing(study):
    for each in judge(study):
        assert not [body for body in each.seen if b'id="missing"' in body]


def test_what_was_on_the_page_and_left_alone_is_said_to_be_missing(study):
    walker = Walker(annotators(study)[0]).start()
    handle = walker.assignment.shown["judge"][0][0]
    sent = {"token": walker.assignment.token, "item": handle, "asked": f"understandable-{handle}"}
    assert "Not answered yet: understandable." in walker.post(sent).content.decode()


def make_fields(someone, **answers):
    handle = someone.shown[0][0]
    return post(item=handle, **{f"{name}-{handle}": value for name, value in answers.items()})


def test_what_stands_behind_a_stop_is_dropped(study):
    someone = person(study).start()
    someone.save(make_fields(someone, **(GOOD | NONSENSE)))
    assert someone.here.drafts.get().values == NONSENSE
    someone.hand_in()
    assert dict(Response.objects.values_list("question", "value")) == NONSENSE


NAMES_AND_VALUES = st.sampled_from(
    [(name, value) for name, levels in CONTRACT.items() for value in levels or ("Some words.",)]
)


@settings(max_examples=20, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(NAMES_AND_VALUES, max_size=14))
def test_no_sequence_of_answers_stores_a_value_behind_a_stop(study, sequence):
    with transaction.atomic():
        someone, page = person(study).start(), {}
        for name, value in sequence:
            page[name] = value
            someone.save(make_fields(someone, **page))
        drafts = [draft.values for draft in someone.here.drafts.all()]
        with suppress(Incomplete):
            someone.hand_in()
        handed_in = dict(Response.objects.values_list("question", "value"))
        for values in (*drafts, handed_in):
            assert set(values).isdisjoint(behind_a_stop(values))
            assert values.items() <= page.items()
        transaction.set_rollback(True)


def test_of_a_complete_page_only_the_open_gate_is_missed(study):
    someone = person(study).start()
    someone.save(make_fields(someone, understandable="yes", grammatical="no"))
    with pytest.raises(Incomplete) as missing:
        someone.hand_in()
    (block,) = build_blocks(missing.value.form)
    assert block.errors == ["Not answered yet: related to the subject, clear."]
    assert [gate.is_open for gate in block.gates] == [True, True, False, False]


def test_a_rephrasal_and_an_answer_in_words_are_wanted_of_people(study):
    someone = person(study).start()
    someone.save(make_fields(someone, **(REPHRASED | {"rephrasal": " ", "answer": ""})))
    with pytest.raises(Incomplete) as missing:
        someone.hand_in()
    assert build_blocks(missing.value.form)[0].errors == ["Not answered yet: your wording, answer."]


def page_of(walker) -> BeautifulSoup:
    return BeautifulSoup(walker.get().content, "html.parser")


def test_one_item_with_its_text_stands_on_the_page_and_the_first_gate_alone_is_open(study):
    page = page_of(Walker(annotators(study)[0]).start())
    assert len(page.select("fieldset.item")) == 1
    assert "about herons." in page.select_one(".reading").get_text()
    assert [gate.has_attr("hidden") for gate in page.select("[data-gate]")] == [False, True, True, True]
    assert [row["data-name"] for row in page.select("fieldset.row:not([disabled])")] == ["understandable"]
    assert "Question 1 of 4" in page.get_text()


def test_after_a_rephrasal_both_wordings_stand_and_later_questions_say_which_they_mean(study):
    walker = Walker(annotators(study)[0]).start()
    handle = walker.assignment.shown["judge"][0][0]
    answers = CLUMSY | {"rephrase": "yes", "rephrasal": "Where <b>else</b>?"}
    walker.post({"token": walker.assignment.token, "item": handle} | {f"{k}-{handle}": v for k, v in answers.items()})
    page = page_of(walker)
    assert page.select_one(".stem").get_text().startswith("What does")
    assert page.select_one("legend .rewording").get_text(" ", strip=True) == "Your wording: Where <b>else</b>?"
    meant = {row["data-name"] for row in page.select("fieldset.row") if row.select("[data-rewording]:not([hidden])")}
    assert meant == {"answerable", "answer", "information_needed", "central", "would_use"}


def test_the_domain_stands_in_the_question(project):
    study = make_study_with_bank(project, params={"domain": "biology {domain} <i>"})
    walker = Walker(annotators(study)[0]).start()
    row = page_of(walker).select_one("[data-name=domain_related] legend")
    assert row.get_text() == "Does the question have to do with biology {domain} <i>?"


def test_without_a_domain_the_wording_says_one(study):
    page = page_of(Walker(annotators(study)[0]).start())
    assert "with the subject of the text?" in page.get_text()


def test_nothing_of_generators_ids_or_sources_is_on_a_page(study):
    secrets = [name.encode() for name in (*GENERATORS, *SOURCES.values(), *GROUPS, "item-metadata")]
    stems = [item.stem.encode() for item in study.project.items.all()]  # these quote ids themselves
    for each in judge(study):
        for body in each.seen:
            for stem in stems:
                body = body.replace(stem, b"")
            assert not [secret for secret in secrets if secret in body]


def test_a_questionnaire_that_cannot_be_gone_through_makes_no_study(project):
    make_bank(project)
    content = wording()
    content["judge"]["gates"][2]["stop_if"] = {"answerable": ["yes", "no"]}
    store_version("stopping-questionnaire", "en", content, project)
    with pytest.raises(SpecError, match=r"Gate “Can it be answered\?” is a dead end"):
        draft_study(project)


def test_a_wording_of_one_s_own_asks_its_own_questions(project):
    make_bank(project)
    content = wording()
    content["judge"]["gates"] = [{"title": "Only this", "questions": ["central", "answer"]}]
    content["judge"]["questions"] = [
        each | {"asked_if": {"central": "yes"}} if each["name"] == "answer" else each
        for each in content["judge"]["questions"]
        if each["name"] in ("central", "answer")
    ]
    store_version("stopping-questionnaire", "en", content, project)
    study = launch_study(draft_study(project))[0]
    someone = person(study).start()
    someone.save(make_fields(someone, central="no", answer="Off the path."))
    someone.hand_in()
    assert dict(Response.objects.values_list("question", "value")) == {"central": "no"}


def test_simulated_people_get_through(study):
    for annotator in simulate_study(study, 2, seed=3):
        assert annotator.assignments.filter(finished_at__isnull=False).count() == 4
