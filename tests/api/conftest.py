"""Callers of the API with a token, and a small world to call about."""

import json

import pytest
from django.test import Client

from api.models import Scope, Webhook
from api.services.tokens import create_token
from evaluation.models import Scoring
from items.models import BankImport, Benchmark
from jobs.models import Job
from jobs.scheduling import make_job
from llm.models import Endpoint, Run
from studies.models import Study
from tests.factory import answer, make_annotator, make_item, make_study, make_text

ALL = tuple(Scope)


class Caller:
    """A program with a token: `get`, `post` and so on with addresses beneath /api/v1/."""

    def __init__(self, words: str):
        self.client, self.headers = Client(), {"Authorization": f"Bearer {words}"}

    def ask(self, method: str, address: str, body=None, files=None, **headers):
        address = address if address.startswith("/") else f"/api/v1/{address}"
        given = {name.replace("_", "-"): value for name, value in headers.items()} | self.headers
        if files is not None:
            return self.client.post(address, files, headers=given)
        send = getattr(self.client, method)
        if body is None:
            return send(address, headers=given)
        return send(address, json.dumps(body), content_type="application/json", headers=given)

    def __getattr__(self, method: str):
        return lambda address, body=None, files=None, **headers: self.ask(method, address, body, files, **headers)


def make_caller(user, scopes=ALL) -> Caller:
    """A caller for a person, with all scopes unless told."""
    _token, words = create_token(user, name="test", scopes=scopes, days=1)
    return Caller(words)


@pytest.fixture
def caller(db):
    return make_caller


@pytest.fixture
def study(project, quick_models) -> Study:
    """A live study of two texts by two generators, answered by two people."""
    items = []
    for text in (make_text(project, "t1"), make_text(project, "t2")):
        items += [make_item(text, generator, f"{text.external_id}-{generator}") for generator in ("human", "gpt")]
    study = make_study(project, "rivers-1", items)
    for code in ("P01", "P02"):
        annotator = make_annotator(study, code)
        for item in items:
            answer(annotator, "guess", item, "TF")
            answer(annotator, "read", item, "TF" if code == "P01" else "FT")
    return study


@pytest.fixture
def numbers(study, project) -> dict[str, object]:
    """What stands in addresses for each of their parts."""
    endpoint = Endpoint.objects.create(name="one", base_url="https://models.example.org/v1", model="m")
    run = Run.objects.create(project=project, kind="evaluation", endpoint=endpoint, label="run", model="m")
    job = make_job("pack", study.job_subject, {}, project)
    job.save()
    assert Job.objects.filter(pk=job.pk).exists()
    text = {"id": "t", "title": "", "text": "One.", "items": [{"id": "i", "question": "How many?", "answers": []}]}
    text["items"][0]["answers"] = [{"text": "One", "correct": True}, {"text": "Two", "correct": False}]
    exact = {"label": "exact", "kind": "baseline", "method": "exact"}
    scoring = Scoring.objects.create(project=project, fingerprint="0", language="en", texts=[text], evaluators=[exact])
    done = BankImport.objects.create(project=project, name="bank.jsonl")
    webhook = Webhook.objects.create(project=project, url="https://hooks.example.org", events=["job.ended"])
    return {
        "scoring": scoring.pk,
        "number": done.pk,
        "benchmark": Benchmark.objects.create(project=project, name="RACE", signatures=b"").pk,
        "webhook": webhook.pk,
        "project": project.slug,
        "study": study.slug,
        "text": "t1",
        "item": "t1-gpt",
        "annotator": study.annotators.first().pk,
        "instrument": study.instrument_version.instrument_id,
        "run": run.pk,
        "job": job.pk,
        "endpoint": endpoint.pk,
        "kind": "csv",
        "name": "description",
        "ending": "csv",
        "format": "gift",
    }
