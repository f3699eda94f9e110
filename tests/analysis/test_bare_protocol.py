"""A protocol that is nothing but a declaration and a wording works from the page to the pack."""

import csv
import io

import pytest
import yaml
from django.core.management import call_command
from django.urls import reverse

from analysis.choices import Choices
from analysis.exports.writing import export_responses
from analysis.frames.evidence import collect_evidence
from analysis.services.reporting import build_report
from annotation.simulation import simulate_study
from evaluation.services.judges import JudgeSpec, start
from evaluation.services.progress import get_row
from llm.models import Call, Endpoint
from llm.services.draining import drain_here
from studies.models import Response, Study
from studies.protocols import PROTOCOLS, Declaration, Protocol, Question, Stage
from studies.protocols.base import each_item
from studies.protocols.conditions import read_condition
from studies.services import instruments
from studies.services.responses.importing import import_responses
from tests.analysis.leading import behind_numbers
from tests.analysis.packs import export_pack_bytes, import_pack_bytes, results_in
from tests.analysis.rows import numbers_in, rows_behind
from tests.made_once import made_once
from tests.mock_server import mock_server
from tests.studies.steps import begin, send
from tests.studies.world import bank, draft_study, make_live_study

pytestmark = [pytest.mark.usefixtures("quick_models"), pytest.mark.slow]

SEEN = frozenset({"text", "title", "options"})


def likert(params, wording) -> Declaration:
    questions = (
        Question("useful", kind="scale", levels=(1, 2, 3, 4, 5)),
        Question("why", kind="text", required=False),
    )
    return Declaration((Stage("judge", questions, shows=SEEN),), needs_options=False)


def labels(params, wording) -> Declaration:
    """Without the text; of the last question nobody knows whether it will be asked."""
    questions = (
        Question("kind", kind="choice", levels=("fact", "opinion")),
        Question("short", kind="tick"),
        Question("useful", kind="scale", levels=(0, 1), asked_if=read_condition({"kind": "fact"})),
    )
    return Declaration((Stage("judge", questions),), split=each_item, needs_options=False)


def threes(items, rng):
    return [tuple(item.item_id for item in items[:3])]


def choosing(params, wording) -> Declaration:
    """The clearest and the hardest of three, which are two."""
    questions = (Question("clearest", kind="pick"), Question("hardest", kind="pick", unlike="clearest"))
    return Declaration((Stage("judge", questions, shows=SEEN),), split=threes, tuple_size=3, needs_options=False)


TOYS = {
    "toy-likert": Protocol("toy-likert", "Toy Likert", (), likert),
    "toy-labels": Protocol("toy-labels", "Toy labels", (), labels, unit="item"),
    "toy-choosing": Protocol("toy-choosing", "Toy choosing", (), choosing, unit="tuple"),
}
# By protocol what a model says, what is stored of that, and words that stand in its prompts.
SAID = {
    "toy-likert": (
        "4",
        {"useful": 6 * [4]},
        ["How useful is it?", "1 = useless\n2\n", "5 = very useful", "text t1"],
    ),
    "toy-labels": ("1", {"kind": 6 * ["fact"], "short": 6 * [True], "useful": 6 * [1]}, []),
    "toy-choosing": ("1", {"clearest": 2, "hardest": 2}, ["1. ", "2. ", "text t1"]),
}
WORDING = {
    **{name: {"title": name} for name in ("consent", "instructions", "done", "closed", "paused", "revoked", "break")},
    "judge": {
        "title": "Rate",
        "next": "Continue",
        "lead": [],
        "levels": [{"value": 1, "label": "useless"}, {"value": 5, "label": "very useful"}],
        "useful": {"title": "Useful", "question": "How useful is it?"},
        "why": {"title": "Why?"},
        "clearest": {"title": "Clearest", "question": "Which is the clearest?"},
    },
}  # fmt: skip


@pytest.fixture(params=TOYS)
def name(request):
    return request.param


@pytest.fixture(autouse=True)
def toys(db, monkeypatch):
    for name, toy in TOYS.items():
        content = WORDING | {"name": name, "language": "en", "use": "people", "title": name}
        monkeypatch.setitem(PROTOCOLS, name, toy)
        monkeypatch.setitem(instruments.load_shipped(), f"{name}/en", content)
        monkeypatch.setitem(instruments.load_shipped_sources(), f"{name}/en", yaml.safe_dump(content, sort_keys=False))


@pytest.fixture
def study(project, name):
    return make_answered_study(project, protocol=name)


@made_once
def make_answered_study(project, protocol):
    """Two simulated people and a model that always says the same, of two texts with three items each."""
    bank(project, generators=("alder", "birch", "cedar"))
    study = make_live_study(project, protocol=protocol)
    simulate_study(study, 2, seed=1)
    with mock_server(SAID[protocol][0]) as server:
        model = Endpoint.objects.create(name="mock", base_url=server.base_url, model="mock-1")
        drain_here(get_row(start(study, JudgeSpec(model))).run)
    return study


def export_rows(study) -> list[dict[str, str]]:
    out = io.StringIO()
    export_responses(study, "csv", out, ("main", "simulated"))
    return list(csv.DictReader(io.StringIO(out.getvalue())))


def test_a_model_answers_what_is_required_and_is_asked_in_the_words_of_the_wording(study, name):
    _reply, stored, words = SAID[name]
    rows = Response.objects.filter(assignment__annotator__kind="model").values_list("question", "value")
    found = {question: [value for asked, value in rows if asked == question] for question, _value in rows}
    assert found == stored or {question: len(values) for question, values in found.items()} == stored
    prompts = [messages[-1]["content"] for messages in Call.objects.values_list("messages", flat=True)]
    assert all(any(word in prompt for prompt in prompts) for word in words)
    assert name != "toy-labels" or not any("text t" in prompt for prompt in prompts)
    assert all(study.annotators.get(kind="model").assignments.values_list("finished_at", flat=True))


def test_every_number_of_the_report_leads_to_the_answers_that_it_counts(study):
    evidence = collect_evidence(study, Choices(seed=1, purposes=("main", "simulated")))
    tables = {table.name: table for table in build_report(evidence).tables}
    assert {"counts", "distributions", "agreement", "description"} <= set(tables)
    assert {(row["n_items"], row["n_texts"]) for row in tables["counts"].rows if row["question"] != "useful"} == {
        (6, 2)
    }
    assert all(row["n_units"] and row["percent"] is not None for row in tables["agreement"].rows)
    assert [(row["evaluator"], row["generator"], row["mean"]) for row in means_of_models(tables)] == [
        ("mock", generator, SAID[study.protocol][1]["useful"][0])
        for generator in (() if study.protocol == "toy-choosing" else ("alder", "birch", "cedar"))
    ]
    for table in tables.keys() & {"counts", "distributions", "means", "agreement"}:
        for row, column in numbers_in(tables[table]):
            rows = rows_behind(evidence, tables[table], row, column)
            assert len(rows) == row[column.name] if column.kind == "count" and column.name != "n_units" else rows


def means_of_models(tables) -> list[dict]:
    rows = tables["means"].rows if "means" in tables else ()
    return [row for row in rows if row["evaluator"] != "human"]


def test_what_may_not_be_picked_twice_is_not(study, name):
    if name == "toy-choosing":
        picked = Response.objects.values_list("assignment", "value").distinct()
        assert len(picked) == Response.objects.count() == 2 * 3 * 2


def test_its_pages_stand(study, as_user, researcher):
    client = as_user(researcher)
    for name in (
        "study_design",
        "study_results",
        "results_agreement",
        "results_items",
        "results_compare",
        "agreement_lab",
        "study_evaluators",
        "study_annotators",
        "study_pack",
    ):
        assert client.get(reverse(name, args=["study"])).status_code == 200, name
    item = study.units.first().items.first()
    assert client.get(reverse("study_item", args=["study", item.pk])).status_code == 200
    page = client.get(reverse("results_details", args=["study"]), {"include": "simulated"})
    number = client.get(behind_numbers(page)[0])
    assert "t1-alder-1" in number.content.decode()


def test_what_is_exported_comes_in_again_as_it_was(study, name, project):
    rows = export_rows(study)
    out = io.StringIO()
    export_responses(study, "csv", out, ("main", "simulated"))
    again = draft_study(project, slug="again", protocol=name)
    import_responses(again, out.getvalue().encode())
    same = ("annotator", "item_id", "question", "value", *rows[0].keys() & {"unit_item_ids"})
    assert (list(rows[0])[-1] == "unit_item_ids") == (name == "toy-choosing")
    again = Study.objects.get(slug="again")
    assert [[row[name] for name in same] for row in export_rows(again)] == [
        [row[name] for name in same] for row in rows
    ]


def test_a_pack_comes_in_with_the_same_tables(study):
    pack = export_pack_bytes(study, purposes=("main", "simulated"))
    again = import_pack_bytes(pack)
    assert results_in(export_pack_bytes(again, purposes=("main", "simulated"))) == results_in(pack)


def test_the_report_command_writes_every_table(study, tmp_path):
    call_command("report", "study", out=str(tmp_path), include="simulated")
    assert {"counts.csv", "distributions.json", "agreement.tex"} <= {path.name for path in tmp_path.rglob("*")}


def test_it_is_designed_step_by_step_and_launched(project, name, client, researcher):
    bank(project, texts=5, generators=("alder", "birch", "cedar"))
    client.force_login(researcher)
    begin(client, title="Mine", protocol=name)
    for step in ("texts", "people"):
        assert send(client, "mine", step).status_code == 302
    assert client.get(send(client, "mine", "launch", then="study_confirm").url).status_code == 200
    client.post(reverse("study_act", args=["mine", "launch"]))
    assert (Study.objects.get().state, Study.objects.get().annotators.count()) == ("live", 6)
