"""How many queries each request of an annotator takes: the same number for ten units as for ten thousand."""

import re

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from studies.models import Annotator, Assignment, Study, Unit, UnitItem
from tests.annotation.world import PART
from tests.tabs import STUDIES, fill_form, hidden_fields, main_form

START = {"joining": 4}
# By protocol: the last phase with the first page, a page, a draft of one item, the hand-in with the next page. Where a
# stage is confirmed, its hand-in is "asked" for first, and then "confirmed".
EXPECTED = {
    "guess-then-read": START | {"phase": 11, "page": 6, "draft": 4, "asked": 6, "confirmed": 10, "hand-in": 10},
    "dimension-ratings": START | {"phase": 9, "page": 5, "draft": 4, "hand-in": 9},
    "pairwise": START | {"phase": 12, "page": 8, "draft": 5, "hand-in": 10, "taken back": 15},
    "stopping-questionnaire": START | {"phase": 9, "page": 5, "draft": 4, "hand-in": 9},
    "writing": START | {"phase": 8, "page": 4, "draft": 4, "hand-in": 8},
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
        self.client, self.counts = Client(), {}
        self.join, self.work = reverse("join", args=[annotator.token]), reverse("work", args=[annotator.public_id])

    def ask(self, kind: str, path: str, data: dict | None = None) -> str:
        headers = {} if path == self.join else PART
        with CaptureQueriesContext(connection) as asked:
            response = self.client.get(path, **headers) if data is None else self.client.post(path, data, **headers)
        assert response.status_code in (200, 302)
        self.counts[kind] = sum(not query["sql"].startswith(OF_TRANSACTIONS) for query in asked)
        return response.text

    def walk(self) -> dict[str, int]:
        """Through two units, and back to the last where that can be."""
        self.ask("joining", self.join, {})
        for phase in ("consent", "instructions"):
            self.ask("phase", self.work, {"phase": phase})
        for _unit in range(2):
            page = self.answer(self.ask("page", self.work))
        if back := BACK.search(page):
            self.ask("taken back", self.work, {"back": back[1]})
        return self.counts

    def answer(self, page: str) -> str:
        """All stages of a unit, each with a draft of its first item."""
        sent = fill_form(main_form(page), 0)
        item = sent["item"][0]
        own = {name: value for name, value in sent.items() if name.endswith(f"-{item}")}
        self.ask("draft", f"{self.work}draft/", {"token": sent["token"], "item": item} | own)
        page = self.ask("hand-in", self.work, sent)
        if "data-enter" not in page:
            return page
        self.counts["asked"] = self.counts.pop("hand-in")
        return self.answer(self.ask("confirmed", f"{self.work}confirm/", hidden_fields(main_form(page))))


def count_queries(study: Study, more_units: int) -> dict[str, int]:
    annotator = study.annotators.filter(purpose="main").first()
    widen(annotator, more_units)
    return CountedVisitor(annotator).walk()


@pytest.mark.parametrize("protocol", EXPECTED)
def test_each_request_takes_a_handful_of_queries(project, protocol):
    assert count_queries(STUDIES[protocol](project), 7) == EXPECTED[protocol]


@pytest.mark.parametrize("protocol", ["guess-then-read", "dimension-ratings", "pairwise"])
def test_ten_thousand_units_take_no_more(project, protocol):
    assert count_queries(STUDIES[protocol](project), 10_000) == EXPECTED[protocol]
