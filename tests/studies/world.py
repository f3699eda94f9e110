"""A bank, studies made and launched by the services, and a person who goes through one without pages."""

from collections.abc import Sequence
from typing import Any

from django.http import QueryDict

from projects.models import Project
from studies.models import Annotator, Assignment, Study
from studies.services import answering
from studies.services.creating import create_study
from studies.services.launching import launch_study
from studies.services.spec import check_spec
from tests.factory import make_item, make_text
from tests.made_once import made_once

GENERATORS = ("alder", "birch")


def bank(
    project: Project,
    texts: int = 2,
    generators: Sequence[str] = GENERATORS,
    items: int = 1,
    keys: str = "TFF",
    language: str = "en",
) -> None:
    """Texts t1, t2, … each with items such as t1-alder-1."""
    for number in range(1, texts + 1):
        text = make_text(project, f"t{number}", language=language)
        for generator in generators:
            for place in range(1, items + 1):
                make_item(text, generator, f"t{number}-{generator}-{place}", keys)


def spec(**changes: Any) -> dict[str, Any]:
    """What a study file says, as a mapping."""
    plan = {"annotators": 2, "seed": 7} | changes.pop("plan", {})
    return {"slug": "study", "protocol": "guess-then-read", "language": "en", "plan": plan} | changes


def draft_study(project: Project, **changes: Any) -> Study:
    return create_study(project, check_spec(spec(**changes)))[0]


def make_live_study(project: Project, **changes: Any) -> Study:
    return launch_study(draft_study(project, **changes))[0]


@made_once
def make_study_with_bank(project: Project, texts: int = 2, items: int = 1, **changes: Any) -> Study:
    """A launched study over a bank of its own, for tests that ask what comes after."""
    bank(project, texts=texts, items=items)
    return make_live_study(project, **changes)


def counts() -> dict[str, int]:
    """How many rows there are of everything that a study is made of."""
    from studies import models

    kinds = ("Annotator", "Assignment", "Draft", "PhasePassed", "Response", "Slot", "Study", "Submission", "Unit")
    return {kind: getattr(models, kind).objects.count() for kind in (*kinds, "UnitItem", "InstrumentVersion")}


def post(**fields: Any) -> QueryDict:
    """Fields as a browser sends them; a list is a field with several values."""
    data = QueryDict(mutable=True)
    for name, value in fields.items():
        data.setlist(name, value if isinstance(value, list) else [value])
    return data


class Person:
    """Somebody who answers, through the same services as a page."""

    def __init__(self, annotator: Annotator):
        self.annotator = annotator

    def start(self) -> "Person":
        answering.join_study(self.annotator)
        for phase in ("consent", "instructions"):
            answering.pass_phase(self.annotator, phase)
        return self

    @property
    def here(self) -> Assignment:
        return self.annotator.assignments.open().first()

    @property
    def shown(self) -> list:
        return self.here.shown[self.here.stage]

    def answers(self, tick: int | None = 0, rating: int = 4, **changes: Any) -> QueryDict:
        """A complete page: the same option of each item, none with `tick=None`; `changes` by field name."""
        fields: dict[str, Any] = {"item": [handle for handle, _item, _options in self.shown]}
        for handle, _item, options in self.shown:
            fields[f"answer-{handle}"] = "none" if tick is None else options[tick][0]
            if self.here.stage == "read":
                fields[f"rating-{handle}"] = str(rating)
        return post(**(fields | changes))

    def save(self, data: QueryDict, token: str | None = None) -> int:
        return answering.save_drafts(self.annotator, token or self.here.token, data)

    def hand_in(self, token: str | None = None) -> None:
        answering.submit_stage(self.annotator, token or self.here.token)

    def do(self, **chosen: Any) -> None:
        """Answer the stage at hand and hand it in."""
        self.save(self.answers(**chosen))
        self.hand_in()

    def finish(self) -> "Person":
        while self.here:
            self.do()
        return self


def person(study: Study, number: int = 0) -> Person:
    return Person(study.annotators.filter(purpose="main").order_by("seat")[number])
