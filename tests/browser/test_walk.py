"""The whole job: six annotators, planted answers, and what came out is what went in.

Two click in a browser, four are played through HTTP without JavaScript. What any of them receives is searched for the
text before its time, for keys, for generators and for other generators' items.
"""

import csv
import gzip
import io
import json
from collections import Counter
from itertools import combinations
from random import Random

import pytest
from django.core.handlers.wsgi import WSGIHandler
from django.core.management import call_command
from django.http.response import HttpResponseBase

from studies.models import Study, Submission
from tests import walk
from tests.walkers import BrowserWalker, HttpWalker

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

CLICKING = 2


@pytest.fixture
def study(db, tmp_path) -> Study:
    (tmp_path / "bank.jsonl").write_text(walk.bank())
    (tmp_path / "study.yaml").write_text(walk.spec("planted", "planted"))
    call_command("create_project", "planted")
    call_command("import_items", str(tmp_path / "bank.jsonl"), project="planted", verbosity=0)
    call_command("create_study", str(tmp_path / "study.yaml"), project="planted", launch=True)
    return Study.objects.get(slug="planted")


class Watch:
    """Reads everything an annotator receives and notes what should not be there."""

    def __init__(self, study: Study):
        self.items = list(walk.by_stem(study).values())
        self.plan = walk.list_guessed_generators(study)
        self.bodies = dict(study.units.values_list("text_id", "text__body"))
        self.titles = dict(study.units.values_list("text_id", "text__title"))
        self.leaks: list[str] = []
        self.read = 0

    def __call__(self, annotator, response) -> None:
        self.look(annotator, f"{response.content.decode()}\n{response.headers}")

    def look(self, annotator, received: str) -> None:
        self.read += 1
        revealed = set(
            Submission.objects.filter(assignment__annotator=annotator, stage="guess").values_list(
                "assignment__unit__text_id", flat=True
            )
        )
        found = [name for name in walk.GENERATORS if name in received]
        found += [item.external_id for item in self.items if f'"{item.external_id}"' in received]
        for text, body in self.bodies.items():
            if text not in revealed:
                found += [line for line in [*body.split("\n"), self.titles[text]] if line in received]
        for item in self.items:
            mine = self.plan[annotator.seat][item.text_id] == item.generator.name
            if item.text_id not in revealed and not mine and item.stem in received:
                found.append(item.stem)
        self.leaks += [f"{annotator}: {leak}" for leak in found]


@pytest.fixture
def replies(monkeypatch) -> list[str]:
    """Address, headers and body of what the live server sends, redirects and saved drafts too; of static files nothing.

    A browser does not always have them: its tools wait for ever for the headers of a fetch that outlived its page.
    """
    sent, answer = [], WSGIHandler.get_response

    def get_response(handler, request) -> HttpResponseBase:
        response = answer(handler, request)
        if not response.streaming:
            packed = response.headers.get("Content-Encoding") == "gzip"
            body = (gzip.decompress(response.content) if packed else response.content).decode()
            sent.append(f"{request.get_full_path()}\n{response.headers}\n{response.cookies}\n{body}")
        return response

    monkeypatch.setattr(WSGIHandler, "get_response", get_response)
    return sent


def click(annotator, items, open_page, base: str, watch: Watch, replies: list[str]) -> None:
    def look(html: str) -> None:
        """Until the next button is pressed, nothing more is revealed."""
        assert replies, "the recorder saw nothing of this page"
        arrived, replies[:] = [html, *replies], []
        for each in arrived:
            watch.look(annotator, each)

    BrowserWalker(open_page(), base, annotator.seat, items, look).work_through(annotator.get_link())


def export_rows(tmp_path) -> list[tuple]:
    call_command("export_responses", "planted", format="csv", out=str(tmp_path / "answers.csv"))
    columns = ("annotator", "stage", "item_id", "option_id", "question", "value", "unsure")
    reader = csv.DictReader(io.StringIO((tmp_path / "answers.csv").read_text("utf-8")))
    return [tuple(row[name] for name in columns) for row in reader]


def write_report(tmp_path) -> dict[tuple[str, str], float]:
    call_command("report", "planted", out=str(tmp_path / "report"))
    table = json.loads((tmp_path / "report" / "tables" / "informativity.json").read_text())
    rows = [row for row in table["rows"] if row["evaluator"] == "human"]
    measures = {"guess": "guessability", "read": "answerability"}
    return {(row["generator"], stage): row[name] for row in rows for stage, name in measures.items()}


def test_what_was_planted_is_exported_and_reported_and_nothing_leaked(study, open_page, live_server, replies, tmp_path):
    watch, items = Watch(study), walk.by_stem(study)
    for annotator in walk.annotators(study):
        if annotator.seat < CLICKING:
            click(annotator, items, open_page, live_server.url, watch, replies)
        else:
            HttpWalker(annotator, Random(annotator.seat), items=items, watch=watch).work_through()

    answers = export_rows(tmp_path)
    assert len(answers) == len(set(answers))
    assert set(answers) == walk.expected_responses(study)
    shares = walk.expected_shares(study)
    assert write_report(tmp_path) == {key: share.numerator / share.denominator for key, share in shares.items()}
    assert watch.read > 200
    assert watch.leaks == []


def test_the_plan_is_balanced_over_items_annotators_and_pairs(study):
    plan = walk.list_guessed_generators(study)
    per_item = Counter((text, generator) for texts in plan.values() for text, generator in texts.items())
    assert set(per_item.values()) == {2}
    for texts in plan.values():
        assert set(Counter(texts.values()).values()) <= {3, 4}
    for one, other in combinations(plan.values(), 2):
        shared = [text for text in one if one[text] == other[text]]
        assert len(shared) == 2
