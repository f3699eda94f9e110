"""Judges on the evaluators' pages, and in the exports: each protocol offers what it allows."""

import csv
import io
import json

import pytest
from bs4 import BeautifulSoup

from analysis.exports.writing import export_responses, write_unanswered
from evaluation.services.judges import JudgeSpec, start
from evaluation.services.progress import get_row
from llm.models import Endpoint, Run
from llm.services.draining import drain_here
from studies.instrument_kinds import find_kind
from studies.models import Annotator
from studies.services.instruments import load_shipped, load_shipped_sources
from tests import dimensions, pairs, stopping

pytestmark = [pytest.mark.slow, pytest.mark.django_db, pytest.mark.usefixtures("quick_models")]

PROTOCOLS_JUDGED = ("pairwise", "dimension-ratings", "stopping-questionnaire")
WORLDS = {"pairs": pairs, "dims": dimensions, "stops": stopping}
PREVIEWED = {"pairs": 1, "dims": len(dimensions.DIMENSIONS), "stops": len(stopping.QUESTIONS)}
OFFERED = {
    "pairs": {"endpoint", "reading", "prompt", "budget", "on_unknown", "label"},
    "dims": {"endpoint", "reading", "samples", "temperature", "scale", "prompt", "budget", "on_unknown", "label"},
    "stops": {"endpoint", "prompt", "budget", "on_unknown", "label"},
}


@pytest.fixture
def world(project):
    def make(slug: str):
        WORLDS[slug].make_bank(project)
        return WORLDS[slug].make_live_study(project)

    return make


@pytest.fixture
def offline(db):
    return Endpoint.objects.create(name="mock", base_url="http://127.0.0.1:9/v1", model="mock-1")


def soup(response) -> BeautifulSoup:
    return BeautifulSoup(response.content, "html.parser")


def run_judge(study, endpoint, **how):
    judge = start(study, JudgeSpec(endpoint, **how))
    drain_here(get_row(judge).run)
    return judge


def rows(study) -> list[dict[str, str]]:
    out = io.StringIO(newline="")
    export_responses(study, "csv", out)
    return [row for row in csv.DictReader(io.StringIO(out.getvalue())) if row["annotator_kind"] == "model"]


@pytest.mark.parametrize("slug", WORLDS)
def test_the_form_offers_what_the_protocol_allows(as_user, researcher, world, offline, slug):
    world(slug)
    page = soup(as_user(researcher).get(f"/s/{slug}/evaluators/model/"))
    fields = {field["name"] for field in page.select("main form [name]")} - {"csrfmiddlewaretoken"}
    assert fields == OFFERED[slug] | {"max_tokens", "reasoning_effort", "extra"}


@pytest.mark.parametrize("slug", WORLDS)
def test_a_baseline_cannot_be_added_and_the_page_says_why(as_user, researcher, world, slug):
    world(slug)
    client = as_user(researcher)
    page = soup(client.get(f"/s/{slug}/evaluators/"))
    assert "Add a baseline" not in page.get_text()
    assert "Baselines only judge answer options" in page.get_text()
    client.post(f"/s/{slug}/evaluators/", {"method": "majority"})
    assert not Annotator.objects.filter(kind="baseline").exists()


@pytest.mark.parametrize("slug", WORLDS)
def test_the_estimate_comes_first_and_start_makes_the_run(as_user, researcher, world, offline, slug):
    world(slug)
    client, entries = as_user(researcher), {"endpoint": offline.pk, "reading": "label"}
    page = soup(client.post(f"/s/{slug}/evaluators/model/", entries))
    assert "calls" in page.select_one(".note[role=status]").get_text()
    assert not Run.objects.exists()
    seen = page.select_one("input[name=seen]")["value"]
    response = client.post(f"/s/{slug}/evaluators/model/", entries | {"seen": seen})
    assert response["Location"] == Run.objects.get().get_absolute_url()
    assert client.get(f"/s/{slug}/evaluators/").status_code == 200


def test_columns_are_listed_with_their_run(as_user, researcher, world, offline):
    world("dims")
    client, entries = as_user(researcher), {"endpoint": offline.pk, "reading": "label", "scale": 5, "label": "five"}
    seen = soup(client.post("/s/dims/evaluators/model/", entries)).select_one("input[name=seen]")["value"]
    client.post("/s/dims/evaluators/model/", entries | {"seen": seen})
    page = soup(client.get("/s/dims/evaluators/"))
    assert page.find("a", string="five")["href"] == Run.objects.get().get_absolute_url()
    assert not Annotator.objects.filter(kind="model").exists()


def test_the_judges_page_says_how_often_the_order_decided(as_user, researcher, world, serve_model, endpoint):
    study = world("pairs")
    judge = run_judge(study, endpoint(serve_model("A")))
    text = " ".join(soup(as_user(researcher).get(f"/s/pairs/evaluators/{judge.pk}/")).get_text().split())
    assert "Of 30 pairs answered in both orders, 30 got a different answer" in text
    assert "Of 60 replies that name a winner, 60 name the item that stood first." in text


def test_a_missing_judgment_stands_on_the_page_and_in_the_export_with_its_reply(
    as_user, researcher, world, serve_model, endpoint
):
    study = world("stops")
    judge = run_judge(study, endpoint(serve_model("it depends")))
    page = soup(as_user(researcher).get(f"/s/stops/evaluators/{judge.pk}/"))
    assert [cell.get_text() for cell in page.select("td.reply")] == ["it depends"] * 4
    out = io.StringIO(newline="")
    write_unanswered(study, out)
    found = list(csv.DictReader(io.StringIO(out.getvalue())))
    assert {(row["question"], row["parse_status"], row["raw_output"]) for row in found} == {
        ("understandable", "unparsed", "it depends")
    }
    assert {row["prompt_version"] for row in found} == {"stopping-questionnaire-judge/en/1"}


def test_the_export_holds_both_raw_replies_to_a_pair(world, serve_model, endpoint):
    study = world("pairs")
    run_judge(study, endpoint(serve_model("**A**")))
    found = rows(study)
    assert len(found) == 30
    assert {(row["raw_output"], row["parse_status"], row["value"]) for row in found} == {
        (json.dumps(["**A**", "**A**"]), "parsed", "tie")
    }
    assert {row["prompt_version"] for row in found} == {"pairwise-judge/en/1"}


def test_the_export_holds_the_raw_reply_to_every_score(world, serve_model, endpoint):
    study = world("dims")
    run_judge(study, endpoint(serve_model("(2)")))
    found = rows(study)
    assert len(found) == 9 * len(dimensions.DIMENSIONS)
    assert {(row["raw_output"], row["value"], row["reading"]) for row in found} == {("(2)", "2", "label")}


@pytest.mark.parametrize("language", ["de", "en"])
@pytest.mark.parametrize("slug", WORLDS)
def test_the_prompts_of_each_protocol_can_be_previewed(as_user, researcher, world, project, slug, language):
    study = world(slug)
    item = study.units.first().items.first()
    source = load_shipped_sources()[f"{study.protocol}-judge/{language}"]
    data = {"by": "yaml", "source": source, "subject": f"item-{item.pk}"}
    page = soup(as_user(researcher).post(f"/p/{project.slug}/instruments/preview/", data))
    prompts = [pre.get_text() for pre in page.select("pre.words")]
    assert len(prompts) == PREVIEWED[slug]
    assert all(item.stem in words and item.text.body in words and "{" not in words for words in prompts)


@pytest.mark.parametrize("name", [f"{protocol}-judge/{lang}" for protocol in PROTOCOLS_JUDGED for lang in ("de", "en")])
def test_an_unknown_slot_or_a_missing_one_is_refused_when_it_is_saved(name):
    content = dict(load_shipped()[name])
    part = next(each for each in ("compare", "rate", "choose") if each in content)
    kind = find_kind(content)
    assert kind.problems(content) == []
    assert "{generator}" in str(kind.problems(content | {part: content[part] + "{generator}"})[0])
    slot = "{question}" if part == "rate" else "{text}"
    assert slot in str(kind.problems(content | {part: content[part].replace(slot, "")})[0])
