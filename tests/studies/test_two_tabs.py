"""Two tabs hand in the same page with different answers: the one that is told so is the one that is stored."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event, Thread, current_thread

import pytest
from django.db import connection
from django.db.backends.base.base import BaseDatabaseWrapper
from django.test import Client
from django.urls import reverse

from projects.models import Project
from studies.models import Annotator, Assignment
from tests.patience import PATIENCE
from tests.tabs import STUDIES, fill_form, hidden_fields, is_stored_as_sent, main_form

pytestmark = [pytest.mark.slow, pytest.mark.database, pytest.mark.django_db(transaction=True)]

RACES = 4


@pytest.fixture(params=list(STUDIES))
def annotator(request, real_database) -> Annotator:
    """Somebody at the first stage of a study of each protocol."""
    project = Project.objects.create(slug="rivers", title="Rivers")
    annotator = STUDIES[request.param](project).annotators.filter(purpose="main").first()
    tab = Tab(annotator, 0)
    tab.client.post(reverse("join", args=[annotator.token]))
    while (form := main_form(tab.page())).get("id") != "stage":
        tab.client.post(tab.work, hidden_fields(form))
    return annotator


class Tab:
    """A browser tab; its number is what it answers."""

    def __init__(self, annotator: Annotator, number: int):
        self.client, self.number = Client(), number
        self.work = reverse("work", args=[annotator.public_id])
        self.client.cookies["lesart-work"] = annotator.token
        self.sent = {}

    def page(self) -> str:
        return self.client.get(self.work).text

    def look(self) -> "Tab":
        self.sent = fill_form(main_form(self.page()), self.number)
        return self

    def hand_in(self) -> bool:
        """Whether the tab was told that its answers were handed in; it confirms them where it is asked to."""
        reply = self.client.post(self.work, self.sent)
        if reply.status_code == 302 and "confirm" in reply["Location"]:
            return self.confirm(reply["Location"])
        return self.is_acknowledged(reply)

    def confirm(self, address: str) -> bool:
        page = self.client.get(address)
        if page.status_code != 200:  # handed in by the other tab
            return False
        return self.is_acknowledged(self.client.post(f"{self.work}confirm/", hidden_fields(main_form(page.text))))

    def is_acknowledged(self, reply) -> bool:
        assert reply.status_code in (302, 409), reply.status_code
        return reply.status_code == 302


def place(annotator: Annotator) -> tuple[Assignment, str]:
    assignment = annotator.assignments.open().first()
    return assignment, assignment.stage


def test_two_tabs_at_once(annotator):
    """Real threads, each with a connection of its own; stage after stage."""
    for _race in range(RACES):
        if not annotator.assignments.open().exists():
            break
        assignment, stage = place(annotator)
        tabs, gate = [Tab(annotator, number).look() for number in (0, 1)], Barrier(2)
        with ThreadPoolExecutor(2) as pool:
            told = list(pool.map(at_once, tabs, [gate, gate]))
        assert sorted(told) == [False, True]
        assert [is_stored_as_sent(assignment, stage, tab.sent) for tab in tabs] == told


def at_once(tab: Tab, gate: Barrier) -> bool:
    try:
        gate.wait(timeout=PATIENCE)
        return tab.hand_in()
    finally:
        connection.close()


def test_between_any_two_writes_of_one_tab_another_may_write(annotator, monkeypatch):
    """After the first commit of the first tab the second runs as far as its own first commit; then the first ends."""
    assignment, stage = place(annotator)
    first, second = Tab(annotator, 0).look(), Tab(annotator, 1).look()
    turn = Interleaved(monkeypatch, second)
    told = [first.hand_in(), turn.end()]
    assert [is_stored_as_sent(assignment, stage, tab.sent) for tab in (first, second)] == told
    assert sum(told) == 1


class Interleaved:
    """Runs `second` in a thread of its own after the first commit here, and holds it after its own first commit."""

    def __init__(self, monkeypatch, second: Tab):
        self.has_paused, self.may_end, self.told = Event(), Event(), []
        self.thread = Thread(target=self.run, args=[second])
        real = BaseDatabaseWrapper.commit

        def commit(wrapper) -> None:
            real(wrapper)
            self.after_commit()

        monkeypatch.setattr(BaseDatabaseWrapper, "commit", commit)

    def after_commit(self) -> None:
        if self.thread.ident is None:
            self.thread.start()
            self.has_paused.wait(PATIENCE)
        elif current_thread() is self.thread and not self.has_paused.is_set():
            self.has_paused.set()
            self.may_end.wait(PATIENCE)

    def run(self, second: Tab) -> None:
        try:
            self.told.append(second.hand_in())
        finally:
            self.has_paused.set()
            connection.close()

    def end(self) -> bool:
        self.may_end.set()
        self.thread.join(60)
        return self.told[0]
