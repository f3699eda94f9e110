"""Closing a study while somebody hands in, and who leaves the counts when a link is revoked."""

from concurrent.futures import ThreadPoolExecutor
from threading import Event

import pytest
from django.db import connection, transaction

from projects.models import Project
from studies.models import Response, Study, Submission
from studies.services import answering, places
from studies.services.answering import StaleStage
from studies.services.launching import close_study
from studies.services.monitor import list_people
from studies.services.people import revoke_link
from studies.services.progress import count_progress
from studies.services.states import hold_state
from tests.patience import PATIENCE
from tests.studies.world import bank, make_live_study, person


def test_a_study_that_is_closed_while_a_hand_in_waits_stores_nothing(project, monkeypatch):
    """The study is closed at the moment at which the hand-in asks for the study's row."""
    bank(project)
    study = make_live_study(project)
    someone = person(study).start()
    someone.save(someone.answers())
    token = someone.here.token
    monkeypatch.setattr(answering, "hold_state", lambda pk, _annotator: close_study(Study.objects.get(pk=pk)))
    with pytest.raises(StaleStage):
        answering.submit_stage(someone.annotator, token)
    assert not Submission.objects.exists()
    assert not Response.objects.exists()


@pytest.mark.database
@pytest.mark.django_db(transaction=True)
def test_closing_waits_for_a_hand_in_that_has_begun(real_database):
    if connection.vendor != "postgresql":
        pytest.skip("transactions of SQLite come one after the other")
    project = Project.objects.create(slug="rivers", title="Rivers")
    bank(project)
    study = make_live_study(project)
    someone = person(study).start()
    someone.save(someone.answers())
    token, held, closing = someone.here.token, Event(), Event()

    def hand_in():
        try:
            with transaction.atomic():
                hold_state(study.pk)
                held.set()
                assert closing.wait(PATIENCE)
                answering.submit_stage(places.find_annotator_by_token(someone.annotator.token), token)
        finally:
            connection.close()

    def close():
        try:
            assert held.wait(PATIENCE)
            closing.set()
            return close_study(study).closed_at
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        first, second = pool.submit(hand_in), pool.submit(close)
        first.result(60)
        closed_at = second.result(60)
    assert Submission.objects.get().submitted_at <= closed_at
    with pytest.raises(StaleStage):
        answering.save_drafts(places.find_annotator_by_token(someone.annotator.token), someone.here.token, {})


def test_what_is_open_under_a_revoked_link_leaves_the_counts_and_what_was_handed_in_stays(project):
    bank(project, texts=3)
    study = make_live_study(project, plan={"annotators": 2})
    gone, stays = person(study, 0).start(), person(study, 1).start()
    gone.do()
    gone.do()  # one text, both stages
    stays.finish()
    before = Response.objects.count()
    revoke_link(gone.annotator)
    found = count_progress(study)
    assert (found.annotators, found.finished, found.total) == (2, 4, 4)
    assert Response.objects.count() == before
    assert [person.state.name for person in list_people(study)] == ["link_off", "finished"]


def test_somebody_revoked_who_handed_nothing_in_is_not_counted(project):
    bank(project, texts=3)
    study = make_live_study(project, plan={"annotators": 2})
    revoke_link(person(study, 0).annotator)
    found = count_progress(study)
    assert (found.annotators, found.finished, found.total) == (1, 0, 3)
