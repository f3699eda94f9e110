"""A launched study whose every secret can be told apart, and a walker who goes through it as a browser does."""

import re
from collections.abc import Iterator

from django.test import Client
from django.urls import reverse

from items.models import Item, Option, Text
from projects.models import Project
from studies.models import Annotator, Assignment, Study, StudyState
from studies.services.instruments import find_version
from studies.services.launching import launch_study
from tests.factory import make_generator
from tests.made_once import made_once

GENERATORS = ("gen-alder", "gen-birch", "gen-cedar")
PART = {"HTTP_X_LESART_PART": "1"}
HANDLE = re.compile(r"h[0-9a-f]{12}")
CHANCE = re.compile(rb'name="csrfmiddlewaretoken" value="[^"]*"|expires=[^;]*')


@made_once
def make_world(project: Project, texts: int = 2, annotators: int = 3, language: str = "en", **params) -> Study:
    """Texts whose sentences no item quotes, two items of three options by each of three generators."""
    for number in range(1, texts + 1):
        text = Text.objects.create(
            project=project,
            external_id=f"external-text-{number}",
            title=f"Title{number} unheard",
            body=f"Sentence{number} about herons.\nSecond{number} paragraph about reeds.",
            language=language,
            genre="fable",
            source=f"source{number}.example",
            topic=f"topic{number}",
            metadata={"secret": f"metadata{number}"},
        )
        for name in GENERATORS:
            for place in (1, 2):
                make_secret_item(text, name, f"external-item-{number}-{name}-{place}")
    return make_live_study(project, language, annotators, params)


def make_secret_item(text: Text, generator: str, external_id: str) -> Item:
    item = Item.objects.create(
        project=text.project,
        text=text,
        generator=make_generator(text.project, generator),
        external_id=external_id,
        stem=f"Stem {len(Item.objects.all())} of text {text.pk}?",
        expected_answer=f"expected-{external_id}",
        metadata={"secret": "item-metadata"},
    )
    for position in range(3):
        Option.objects.create(
            item=item,
            external_id=f"external-option-{position}",
            position=position,
            text=f"Answer {position} to {item.stem}",
            correct=position == 0,
            explanation=f"explained-{position}",
        )
    return item


def make_live_study(project: Project, language: str, annotators: int, params: dict) -> Study:
    study = Study.objects.create(
        project=project,
        slug="secret-slug",
        title="Secret title",
        protocol="guess-then-read",
        language=language,
        instrument_version=find_version(f"guess-then-read/{language}", project),
        params=params,
        selection={"texts": "all", "generators": "all"},
        plan={"annotators": annotators, "per_unit": "all", "shared_texts": 0, "own_texts": 0},
        seed=987654321,
    )
    launch_study(study)
    study.refresh_from_db()
    return study


def set_state(study: Study, state: StudyState) -> None:
    Study.objects.filter(pk=study.pk).update(state=state)


class Walker:
    """One browser of one annotator. Keeps every answer of the server in `seen`."""

    def __init__(self, annotator: Annotator):
        self.annotator, self.client, self.seen = annotator, Client(), []
        self.work = reverse("work", args=[annotator.public_id])
        self.confirm = reverse("work_confirm", args=[annotator.public_id])
        self.draft = reverse("work_draft", args=[annotator.public_id])

    def get(self, path: str | None = None, **headers):
        return self.keep(self.client.get(path or self.work, **headers))

    def post(self, data: dict | None = None, path: str | None = None, **headers):
        return self.keep(self.client.post(path or self.work, data or {}, **headers))

    def keep(self, response):
        self.seen.append(response)
        return response

    def join(self):
        return self.post(path=reverse("join", args=[self.annotator.token]))

    def start(self) -> "Walker":
        """As far as the first stage."""
        self.join()
        for phase in ("consent", "instructions"):
            self.post({"phase": phase})
        return self

    @property
    def assignment(self) -> Assignment:
        return self.annotator.assignments.open().first()

    def answers(self, tick: int = 0, rating: int = 4) -> dict:
        """A complete form for the stage at hand, every item answered alike; `tick=None` for "none"."""
        here = self.assignment
        data = {"token": here.token, "item": [handle for handle, _item, _options in here.shown[here.stage]]}
        for handle, _item, options in here.shown[here.stage]:
            data[f"answer-{handle}"] = "none" if tick is None else options[tick][0]
            if here.stage == "read":
                data[f"rating-{handle}"] = rating
        return data

    def guess(self, **chosen):
        """Guess, as far as the question whether it shall be final."""
        return self.post(self.answers(**chosen))

    def reveal(self):
        return self.post({"token": self.assignment.token}, self.confirm)

    def read(self, **chosen):
        return self.post(self.answers(**chosen))

    def finish(self) -> "Walker":
        while self.assignment:
            self.guess()
            self.reveal()
            self.read()
        return self

    def bodies(self) -> Iterator[bytes]:
        """All that reached the browser: bodies, headers and cookies, but for the CSRF token and the clock."""
        for response in self.seen:
            headers = "\n".join(f"{name}: {value}" for name, value in sorted(response.headers.items()))
            cookies = "\n".join(str(cookie) for name, cookie in response.cookies.items() if name != "csrftoken")
            yield CHANCE.sub(b"", headers.encode() + cookies.encode() + response.content)
