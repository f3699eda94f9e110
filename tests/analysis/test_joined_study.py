"""People on drawn texts and a model on all, from imported answers to a table: its interval is shorter."""

import csv
import io
import json

import numpy as np
import pytest
from bs4 import BeautifulSoup
from django.core.files.uploadedfile import SimpleUploadedFile
from django.urls import reverse

from analysis.choices import Choices
from analysis.formatting import format_with_interval
from analysis.frames.evidence import collect_evidence
from analysis.results import summary
from analysis.science.joined import build_joined_tables, describe_joined
from api.models import Scope
from api.services.tokens import create_token
from evaluation.models import Evaluator
from evaluation.services.evaluators import set_seen_texts
from studies.services.people_texts import find_draw
from studies.services.responses.importing import import_responses
from tests.studies import steps
from tests.studies.world import bank, draft_study

pytestmark = pytest.mark.slow

N_TEXTS, N_DRAWN, N_PEOPLE, R = 100, 20, 12, 0.8
PLAN = {"annotators": N_PEOPLE, "people_texts": N_DRAWN}


def plant(texts: list[str], people_on: list[str]) -> bytes:
    """Each text has a share right of its own in either stage; the model's p(right) goes with it by r = .8."""
    rng, rows = np.random.default_rng(9), []
    for text in texts:
        for stage, mean in (("guess", 0.5), ("read", 0.7)):
            own, other = rng.normal(size=2)
            right, answers = np.clip(mean + 0.16 * np.array([own, R * own + (1 - R**2) ** 0.5 * other]), 0.02, 0.98)
            rows += judge("m", "model", stage, text, [True] * 3, answers)
            for number in range(N_PEOPLE if text in people_on else 0):
                rows += judge(f"p{number}", "human", stage, text, list(rng.random(3) < right), None)
    return "\n".join(map(json.dumps, rows)).encode()


def judge(who, kind, stage, text, right, p):
    about = {"annotator": who, "annotator_kind": kind, "stage": stage, "text_id": text, "item_id": f"{text}-alder-1"}
    rows = []
    for option, is_key, is_right in zip("abc", (True, False, False), right, strict=True):
        values = {"question": "answer", "option_id": option, "value": "true" if is_key == bool(is_right) else "false"}
        probability = (
            {} if p is None else {"probability": round(float(p if is_key else 1 - p), 6), "reading": "probability"}
        )
        rows.append(about | values | probability)
    if kind == "human" and stage == "read":
        rows.append(about | {"question": "rating", "value": "4"})
    return rows


@pytest.fixture
def study(project):
    bank(project, texts=N_TEXTS, generators=("alder",))
    return draft_study(project, plan=PLAN)


def join_study(study):
    tables = build_joined_tables(collect_evidence(study, Choices()))
    return {(row["measure"], row["method"]): row for row in tables[0].rows}, tables


def test_models_that_predict_people_shorten_the_interval(study):
    rows = find_draw(study)
    import_responses(study, plant([row["text_id"] for row in rows], [row["text_id"] for row in rows if row["drawn"]]))
    found, tables = join_study(study)
    both, alone = found["answerability", "fitted slope"], found["answerability", "people only"]
    assert (both["n_texts"], both["n_texts_all"], both["reason"]) == (N_DRAWN, N_TEXTS, "")
    assert 0.5 < both["r"] < 0.9  # that of few judgments is below the planted one
    assert both["high"] - both["low"] < 0.9 * (alone["high"] - alone["low"])
    assert both["width_share"] < 0.9
    assert both["n_effective"] > 1.3 * N_DRAWN
    (sentence,) = describe_joined(tables)
    assert str(N_TEXTS) in sentence


def test_the_summary_says_it_in_one_sentence_that_leads_to_the_table(study, as_user, owner, monkeypatch):
    rows = find_draw(study)
    import_responses(study, plant([row["text_id"] for row in rows], [row["text_id"] for row in rows if row["drawn"]]))
    shown = as_user(owner).get(reverse("study_results", args=[study.slug])).context["findings"]
    _found, tables = join_study(study)
    assert [sentence for sentence, _href in shown] == describe_joined(tables)
    assert shown[0][1].endswith("#people_and_models")
    assert reverse("results_details", args=[study.slug]) in shown[0][1]
    monkeypatch.setattr(summary, "MOST_FINDINGS", 0)
    context = as_user(owner).get(reverse("study_results", args=[study.slug])).context
    assert (context["findings"], context["more_findings"]) == ([], shown)


def test_texts_chosen_by_hand_are_refused(study):
    rows = find_draw(study)
    by_hand = [row["text_id"] for row in rows][:N_DRAWN]
    import_responses(study, plant([row["text_id"] for row in rows], by_hand))
    found, _tables = join_study(study)
    reason = "The texts that people did were not drawn by chance, so people and models cannot be joined."
    assert {row["reason"] for row in found.values()} == {reason}
    assert {row["value"] for row in found.values()} == {None}


def test_a_model_that_has_seen_peoples_answers_is_refused(study, as_user, owner):
    """SpecValues on its page; the reason stands in place of the number."""
    rows = find_draw(study)
    import_responses(study, plant([row["text_id"] for row in rows], [row["text_id"] for row in rows if row["drawn"]]))
    model = Evaluator.objects.create(annotator=study.annotators.get(code="m"), method="majority")
    page = reverse("evaluator", args=[study.slug, model.pk])
    assert "seen" in as_user(owner).post(page, {"seen": "t1, nowhere"}).context["seen"].errors
    assert as_user(owner).post(page, {"seen": "t1, t2"}).status_code == 302
    found, tables = join_study(study)
    reason = "m has seen people's answers to 2 of these texts."
    assert {row["reason"] for row in found.values()} == {reason}
    assert describe_joined(tables) == [reason]
    set_seen_texts(model, "all")
    assert {row["reason"] for row in join_study(study)[0].values()} == {reason.replace("2", str(N_TEXTS))}


# By pages alone: a draft, its draw as a file, answers sent to the import page, the table on its page and by API.


def import_by_pages(client, choose):
    """A draft whose people do some texts, and answers with people on those that `choose` takes from the draw."""
    steps.begin(client, title="Joined", protocol="guess-then-read")
    steps.send(client, "joined", "texts")
    plan = {
        "annotators": str(N_PEOPLE),
        "reading": "all",
        "scope": "equal chance",
        "people_texts": str(N_DRAWN),
        "seed": "7",
    }
    steps.send(client, "joined", "people", **plan)
    draw = list(csv.DictReader(io.StringIO(client.get(reverse("study_draw_csv", args=["joined"])).content.decode())))
    texts = [row["text_id"] for row in draw]
    file = SimpleUploadedFile("answers.jsonl", plant(texts, choose(draw)))
    client.post(reverse("study_import", args=["joined"]), {"file": file})
    rows = json.loads(client.get(reverse("study_table_file", args=["joined", "people_and_models", "json"])).content)
    return {(row["measure"], row["method"]): row for row in rows["rows"]}


def read_by_api(client, owner):
    client.logout()
    _token, words = create_token(owner, name="test", scopes=tuple(Scope), days=1)
    address = reverse("api_table", args=["joined", "people_and_models", "json"])
    rows = client.get(address, headers={"authorization": f"Bearer {words}"}).json()["rows"]
    return {(row["measure"], row["method"]): row for row in rows}


def test_answers_that_came_in_by_pages_are_joined(project, as_user, owner):
    bank(project, texts=N_TEXTS, generators=("alder",))
    client = as_user(owner)
    found = import_by_pages(client, lambda draw: [row["text_id"] for row in draw if row["drawn"] == "true"])
    both, alone = found["informativity", "fitted slope"], found["informativity", "people only"]
    assert (both["n_texts"], both["n_texts_all"], both["reason"]) == (N_DRAWN, N_TEXTS, "")
    assert 0 < both["high"] - both["low"] < 0.9 * (alone["high"] - alone["low"])
    page = client.get(reverse("study_table_page", args=["joined", "people_and_models"])).content.decode()
    shown = BeautifulSoup(page, "html.parser").get_text(" ")
    assert format_with_interval(both["value"], both["low"], both["high"]) in " ".join(shown.split())
    assert read_by_api(client, owner) == found


def test_texts_of_ones_own_choice_are_refused_by_page_file_and_api(project, as_user, owner):
    bank(project, texts=N_TEXTS, generators=("alder",))
    client = as_user(owner)
    found = import_by_pages(client, lambda draw: sorted(row["text_id"] for row in draw)[:N_DRAWN])
    reason = "The texts that people did were not drawn by chance, so people and models cannot be joined."
    assert {(row["reason"], row["value"]) for row in found.values()} == {(reason, None)}
    for name in ("study_table_page", "results_details"):
        args = ["joined", "people_and_models"][: 1 if name == "results_details" else 2]
        assert reason in client.get(reverse(name, args=args)).content.decode()
    assert read_by_api(client, owner) == found
