"""How many queries each request of an annotator takes: the same number for ten units as for a thousand."""

import re
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from studies.models import Annotator, Assignment, Slot, Study, Unit, UnitItem
from studies.models.people import DONE
from studies.services.rights import get_second_code
from tests.annotation.world import PART
from tests.studies.world import bank, make_live_study
from tests.tabs import STUDIES, fill_form, hidden_fields, main_form

# By protocol: the last phase with the first page, a page, a draft of one item, what was entered with the page of one
# ("saved"), a report, the hand-in with the next page, the same once more ("late").
# Where a stage is confirmed, its hand-in is "asked" for first, "confirming" is that page, and then it is "confirmed".
# For all: opening the link, which asks how long it takes, and joining; the end; the person's own page, which asks for a
# code ("own"), and what it then shows.
FOR_ALL = {"opening": 19, "joining": 4, "end": 5, "own": 1, "own answers": 6}
RATED = {"phase": 9, "page": 5, "draft": 4, "saved": 9, "report": 11, "hand-in": 9, "late": 6}
CONFIRMED = {"asked": 6, "confirming": 4, "confirmed": 10}
EXPECTED: dict[str, dict[str, int]] = {
    "guess-then-read": CONFIRMED
    | {"phase": 11, "page": 6, "draft": 4, "saved": 10, "report": 12, "hand-in": 10, "late": 7},
    "dimension-ratings": RATED,
    "pairwise": {"phase": 12, "page": 8, "draft": 5, "saved": 12, "report": 14, "hand-in": 10, "late": 9}
    | {"taken back": 15, "end": 6},
    "best-worst": {"phase": 10, "page": 6, "draft": 5, "saved": 10, "report": 12, "hand-in": 10, "late": 7},
    "stopping-questionnaire": RATED | {"saved": 8},
    "writing": {"phase": 8, "page": 4, "draft": 4, "saved": 7, "report": 9, "hand-in": 8, "late": 5, "opening": 17},
}
BACK = re.compile(r'name="back" value="([^"]+)"')
OF_TRANSACTIONS = ("BEGIN", "COMMIT", "SAVEPOINT", "RELEASE")


def widen(annotator: Annotator, units: int) -> None:
    """As many more units, like the last of the annotator, behind all others."""
    last = annotator.assignments.order_by("position").last()
    items, study = list(last.unit.items.all()), annotator.study
    made = Unit.objects.bulk_create(
        Unit(study=study, text=last.unit.text, part=last.unit.part, position=1_000 + place) for place in range(units)
    )
    UnitItem.objects.bulk_create(
        UnitItem(unit=unit, item=item, position=place) for unit in made for place, item in enumerate(items)
    )
    Assignment.objects.bulk_create(
        Assignment(annotator=annotator, unit=unit, position=unit.position, shown=last.shown, stage=last.stage)
        for unit in made
    )


class CountedVisitor:
    """A browser with its script; `counts` says how many queries each kind of request took the last time."""

    def __init__(self, annotator: Annotator):
        self.annotator, self.client, self.counts = annotator, Client(), dict[str, int]()
        self.join, self.work = reverse("join", args=[annotator.token]), reverse("work", args=[annotator.public_id])

    def ask(self, kind: str, path: str, data: dict[str, Any] | None = None, status: int = 200) -> str:
        headers = PART if path.startswith(self.work) else {}
        with CaptureQueriesContext(connection) as asked:
            response = self.client.get(path, **headers) if data is None else self.client.post(path, data, **headers)
        assert response.status_code == status
        self.counts[kind] = sum(not query["sql"].startswith(OF_TRANSACTIONS) for query in asked)
        return response.text

    def walk(self) -> dict[str, int]:
        """Through two units, back to the last where that can be, and to the end."""
        self.ask("opening", self.join)
        self.ask("joining", self.join, {}, status=302)
        for phase in ("consent", "instructions"):
            self.ask("phase", self.work, {"phase": phase})
        for _unit in range(2):
            page = self.answer(self.ask("page", self.work))
        if back := BACK.search(page):
            self.ask("taken back", self.work, {"back": back[1]})
        self.annotator.assignments.open().update(stage=DONE, stage_opened_at=None, finished_at=timezone.now())
        self.ask("end", self.work)
        own = self.annotator.get_own_answers_link()
        self.ask("own", own)
        self.ask("own answers", own, {"code": get_second_code(self.annotator)})
        return self.counts

    def answer(self, page: str) -> str:
        """All stages of a unit, each with a draft of its first item."""
        sent = fill_form(main_form(page), 0)
        item = sent["item"][0]
        own = {name: value for name, value in sent.items() if name.endswith(f"-{item}")}
        self.ask("draft", f"{self.work}draft/", {"token": sent["token"], "item": item} | own)
        other = fill_form(main_form(page), 1)
        self.ask("saved", self.work, other | {"go": item})
        self.ask("report", self.work, other | {"report": "1", "report_item": item, "report_problem": "wording"})
        page = self.ask("hand-in", self.work, sent)
        if "data-enter" in page:
            self.counts["asked"] = self.counts.pop("hand-in")
            confirm = f"{self.work}confirm/"
            self.ask("confirming", confirm)
            return self.answer(self.ask("confirmed", confirm, hidden_fields(main_form(page))))
        self.ask("late", self.work, sent, status=409)
        return page


def count_queries(study: Study, more_units: int) -> dict[str, int]:
    annotator = study.annotators.filter(purpose="main").first()
    widen(annotator, more_units)
    return CountedVisitor(annotator).walk()


@pytest.mark.parametrize("more_units", [7, 10_000])
@pytest.mark.parametrize("protocol", EXPECTED)
def test_each_request_takes_as_few_queries_for_a_thousand_units(project, protocol, more_units):
    assert count_queries(STUDIES[protocol](project), more_units) == FOR_ALL | EXPECTED[protocol]


def count_queries_of_visit(study: Study, more_units: int) -> tuple[int, int]:
    """The landing page of an open link, and its button, for a person who gets two units of many."""
    last, address = study.units.order_by("position").last(), reverse("open_link", args=[study.open_token])
    units = Unit.objects.bulk_create(
        Unit(study=study, text=last.text, part=last.part, position=1_000 + place) for place in range(more_units)
    )
    Slot.objects.bulk_create(Slot(unit=unit, seat=10 + place // 5) for place, unit in enumerate(units))
    with CaptureQueriesContext(connection) as landing:
        assert Client().get(address).status_code == 200
    with CaptureQueriesContext(connection) as starting:
        assert Client().post(address, {"start": "a-number-of-one-page"}).status_code == 302
    return len(landing), len(starting)


@pytest.mark.parametrize("more_units", [7, 10_000])
def test_an_open_link_takes_as_few_queries_for_a_thousand_units(project, more_units):
    bank(project)
    recruitment = {"open_link": True, "minutes": 10, "units_per_person": 2}
    study = make_live_study(project, plan={"annotators": 2, "per_unit": 1}, recruitment=recruitment)
    assert count_queries_of_visit(study, more_units) == (10, 24)
