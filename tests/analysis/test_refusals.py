"""Each refusal of a number: the same words in its place on the page, in the files of a report and in the API."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace

import pytest
from django.core.management import call_command
from django.urls import reverse
from django.utils.html import escape

from analysis.plugins import find_plugin
from analysis.reports.report import Report
from analysis.reports.tables import DESCRIPTION
from analysis.services import computing, reporting
from api.models import Scope
from api.services.tokens import create_token
from tests.analysis.answered_texts import KEYS, N_TEXTS, add_answers, add_flaws, add_groups, add_ratings, add_versions
from tests.factory import answer, make_annotator, make_item, make_study, make_text

pytestmark = pytest.mark.slow

NOT_LINKED = "These raters have no items in common, even through others; severity cannot be compared."
NOT_APART = "Fewer than 2 raters (or 10 objects) were rated together, so their variances cannot be told apart."
ITEMS = [f"t{number:02}-ann" for number in range(N_TEXTS)]


def marks(who_rates):
    """Ratings (annotator, item, value) by (annotators, items)."""
    return [
        (who, item, 1 + place % 4) for people, items in who_rates for place, item in enumerate(items) for who in people
    ]


def on_texts(evidence, n):
    """People and models on the first n texts only."""
    full = add_answers(evidence)
    return replace(full, frame=full.frame[full.frame["text_id"] < f"t{n:02}"])


def some_guessed(evidence, texts):
    full = on_texts(evidence, texts)
    guess, first = full.frame["stage"] == "guess", full.frame["annotator"] == "p0"
    return replace(full, frame=full.frame[~guess | first | (full.frame["kind"] == "model")])


def alike(evidence):
    """30 people who get everything right."""
    full = add_answers(evidence, people=tuple(f"q{number:02}" for number in range(30)))
    return replace(full, frame=full.frame.assign(correct=full.frame["correct"].notna()))


def in_versions(evidence):
    full = add_answers(evidence, people=tuple(f"q{number:02}" for number in range(30)))
    return replace(
        full, frame=full.frame.assign(text_version=full.frame["annotator"].map({"q00": "simple"}).fillna("original"))
    )


def readers(evidence, n, n_texts=20):
    return add_answers(evidence, n_people=n_texts, people=tuple(f"q{number:03}" for number in range(n)))


def together(evidence):
    """A gap in the question and two options that deny each other, always in the same items."""
    full = add_flaws(evidence, set(ITEMS[:12]))
    wording = [
        ("It was late." if option == "a" else "It was not late." if option == "b" else "The sea was calm.")
        if item in ITEMS[:12] else f"They said {option} {item}."
        for item, option in zip(full.options["item_id"], full.options["option_id"], strict=True)
    ]  # fmt: skip
    return replace(full, options=full.options.assign(wording=wording))


def nobody_in_a_cell(evidence):
    """People guessed nothing of one generator."""
    full = add_answers(evidence)
    left = (full.frame["kind"] == "human") & (full.frame["generator"] == "bob") & (full.frame["stage"] == "guess")
    return replace(full, frame=full.frame[~left])


def cut_model(evidence):
    """The model did not read the last texts in the second version."""
    full = add_versions(evidence)
    gone = (full.frame["annotator"] == "gpt (simple)") & (full.frame["text_id"] >= "t38")
    return replace(full, frame=full.frame[~gone])


CASES = {
    # people and models
    "nine-texts": (
        lambda e: add_answers(e, n_people=9), "people_and_models",
        "An estimate with models needs people on at least 10 texts; this row has 9.",
    ),
    "two-texts": (
        lambda e: add_answers(e, n_people=2), "people_and_models",
        "An estimate with models needs people on at least 10 texts; this row has 2.",
    ),
    "not-drawn": (
        lambda e: add_answers(e, draw=False), "people_and_models",
        "The texts that people did were not drawn by chance, so people and models cannot be joined.",
    ),
    "incomplete-model": (
        lambda e: add_answers(e, model_texts=30), "people_and_models",
        "gpt has no answer on 10 of 40 texts; name an evaluator that answered them all.",
    ),
    "unanswered": (
        lambda e: add_answers(e, n_people=15), "people_and_models",
        "People answered 15 of 20 drawn texts; those that are missing may differ.",
    ),
    "seen": (
        lambda e: replace(add_answers(e), seen_texts={"gpt": frozenset(["t01", "t02"])}), "people_and_models",
        "gpt has seen people's answers to 2 of these texts.",
    ),
    "nobody-in-a-cell": (
        nobody_in_a_cell, "people_and_models",
        "An estimate with models needs people on at least 10 texts; this row has 0.",
    ),
    # versions of texts
    "versions-two-texts": (
        lambda e: add_versions(e, n_texts=2), "text_versions",
        "“original” was read on 2 texts; comparing versions needs at least 5.",
    ),
    "versions-one-reader": (
        lambda e: add_versions(e, people=1), "text_versions", "“original” was read by fewer than 2 readers a text.",
    ),
    "joined-versions-nine-texts": (
        lambda e: add_versions(e, n_texts=9), "people_and_models_versions",
        "An estimate with models needs people on at least 10 texts; this row has 9.",
    ),
    "joined-versions-not-drawn": (
        lambda e: add_versions(e, draw=False), "people_and_models_versions",
        "The texts that people did were not drawn by chance, so people and models cannot be joined.",
    ),
    "joined-versions-incomplete-model": (
        cut_model, "people_and_models_versions",
        "gpt has no answer on 2 of 40 texts; name an evaluator that answered them all.",
    ),
    # carry-over
    "everybody-guesses": (
        add_answers, "carry_over",
        "In this plan everybody (or nobody) guesses an item before reading it, so there is nothing to compare.",
    ),
    "carry-over-four-texts": (
        lambda e: some_guessed(e, 4), "carry_over",
        "Comparing those who guessed an item with the others needs at least 5 texts; here 4.",
    ),
    # reliability
    "reliability-three": (add_answers, "reliability", "Reliability needs 30 people who did the same items; here 3."),
    "reliability-one-reader": (
        lambda e: add_answers(e, people=("p0",)), "reliability",
        "Reliability needs 30 people who did the same items; here 1.",
    ),
    "reliability-alike": (alike, "reliability", "All these people have the same sum, so nothing can be ranked."),
    "reliability-versions": (
        in_versions, "reliability",
        "These people read different versions of the texts, so their sums cannot be compared.",
    ),
    # raters
    "one-rater": (lambda e: add_ratings(e, marks([(["p0"], ITEMS)])), "g_study", NOT_APART),
    "nine-objects": (lambda e: add_ratings(e, marks([(["p0", "p1"], ITEMS[:9])])), "d_study", NOT_APART),
    "raters-not-linked": (
        lambda e: add_ratings(e, marks([(["p0"], ITEMS[:20]), (["p1"], ITEMS[20:])])), "rater_severity", NOT_LINKED,
    ),
    "fair-means-not-linked": (
        lambda e: add_ratings(e, marks([(["p0"], ITEMS[:20]), (["p1"], ITEMS[20:])])), "fair_means", NOT_LINKED,
    ),
    "severity-four-texts": (
        lambda e: add_ratings(e, marks([(["p0", "p1"], ITEMS[:4])])), "rater_severity",
        "Severity needs ratings on at least 5 texts; here 4.",
    ),
    "few-shared": (
        lambda e: add_ratings(e, marks([(["p0", "p1"], ITEMS[:9])])), "rater_severity",
        "This rater shares fewer than 10 items with others.",
    ),
    # readers and items
    "rasch-three": (
        add_answers, "rasch", "A Rasch model needs 100 readers; here 3. Difficulty is shown as the share right.",
    ),
    "rasch-items": (
        lambda e: readers(e, 100, 4), "rasch",
        "A Rasch model needs 10 items; here 8. Difficulty is shown as the share right.",
    ),
    "dif-forty": (lambda e: add_groups(e, (60, 40)), "dif", "DIF needs 100 people in the smaller group; here 40."),
    "dif-in-all": (lambda e: add_groups(e, (150, 120)), "dif", "DIF needs 300 people in both groups; here 270."),
    "dif-items": (
        lambda e: add_groups(e, (160, 160), n_people=4), "dif",
        "DIF needs at least 10 items to match people by; here 8.",
    ),
    # flaws
    "flaw-two-items": (
        lambda e: add_flaws(e, {"t01-ann", "t02-ann"}), "item_flaws", "Fewer than 10 items have this flaw (2).",
    ),
    "flaw-no-text-with-both": (
        lambda e: add_flaws(e, {f"t{number:02}-{name}" for number in range(6) for name in ("ann", "bob")}),
        "item_flaws",
        "Fewer than 5 texts hold items with and without it (0).",
    ),
    "flaws-together": (
        together, "item_flaws",
        "These flaws always occur together and are counted as one: gap in the question, an option denies another.",
    ),
}  # fmt: skip


def make_bare_report(evidence):
    """Nothing of the protocol's own, so that only what all protocols share is computed."""
    return Report((DESCRIPTION.build([]),), (), ())


@pytest.fixture
def use_evidence(monkeypatch):
    """Makes the results of the study rest on this evidence."""

    def rest_on(found):
        monkeypatch.setattr(reporting, "find_plugin", lambda name: replace(find_plugin(name), report=make_bare_report))
        monkeypatch.setattr(reporting, "collect_evidence", lambda study, choices: found)
        monkeypatch.setattr(reporting, "add_published", lambda report, evidence: report)
        monkeypatch.setattr(reporting, "build_stand_in_tables", lambda evidence: ())
        monkeypatch.setattr(computing, "load_evidence", lambda study, choices: found)
        return found.study

    return rest_on


def test_a_note_on_second_readings_has_the_same_words_everywhere(
    evidence, use_evidence, as_user, owner, client, tmp_path
):
    """Readers who met two versions of a text: what is left out is said beside the numbers."""
    study = use_evidence(add_versions(evidence, twice=True))
    note = "1 reader saw a text twice; their second reading is left out."
    page = as_user(owner).get(reverse("study_table_page", args=[study.slug, "text_versions"]))
    assert note in page.content.decode()
    call_command("report", study.slug, "--out", str(tmp_path), stdout=io.StringIO())
    for name in ("text_versions", "text_version_texts"):
        assert note in json.loads((tmp_path / f"tables/{name}.json").read_text())["notes"]
    client.logout()
    _token, words = create_token(owner, name="test", scopes=tuple(Scope), days=1)
    address = reverse("api_table", args=[study.slug, "text_versions", "json"])
    assert note in client.get(address, headers={"authorization": f"Bearer {words}"}).json()["notes"]


def few_people(project):
    """Four people and two generators on two texts, with and without the text."""
    texts = [make_text(project, name) for name in ("t1", "t2")]
    items = [make_item(text, name, f"{text.external_id}-{name}", KEYS) for text in texts for name in ("ann", "bob")]
    study = make_study(project, "few", items)
    for number, code in enumerate(("p0", "p1", "p2", "p3")):
        person = make_annotator(study, code)
        for place, item in enumerate(items):
            for stage in ("guess", "read"):
                if stage == "read" or item.generator.name == "ann":  # nobody guesses items by bob
                    answer(person, stage, item, "TFF" if number > place else "FTF")
    return study


OWN = {
    "discrimination": ("item_analysis", "Answers of 4 people are too few for an interval."),
    "contrasts-two-texts": ("contrasts", "Fewer than 5 texts cannot carry a comparison of all pairs."),
    "nobody-guessed": ("informativity", "no answers without the text"),
}


@pytest.mark.parametrize("name", OWN)
def test_a_refusal_of_the_protocol_has_the_same_words_everywhere(name, project, as_user, owner, client, tmp_path):
    table, reason = OWN[name]
    study = few_people(project)
    page = as_user(owner).get(reverse("study_table_page", args=[study.slug, table]))
    assert escape(reason) in page.content.decode()
    call_command("report", study.slug, "--out", str(tmp_path), stdout=io.StringIO())
    assert reason in (tmp_path / f"tables/{table}.csv").read_text()
    client.logout()
    _token, words = create_token(owner, name="test", scopes=tuple(Scope), days=1)
    address = reverse("api_table", args=[study.slug, table, "json"])
    assert reason in client.get(address, headers={"authorization": f"Bearer {words}"}).content.decode()


@pytest.mark.parametrize("name", CASES)
def test_a_refusal_has_the_same_words_everywhere(name, evidence, use_evidence, as_user, owner, client, tmp_path):
    make, table, reason = CASES[name]
    study = use_evidence(make(evidence))
    page = as_user(owner).get(reverse("study_table_page", args=[study.slug, table]))
    assert escape(reason) in page.content.decode()
    call_command("report", study.slug, "--out", str(tmp_path), stdout=io.StringIO())
    rows = json.loads((tmp_path / f"tables/{table}.json").read_text())["rows"]
    assert reason in {row["reason"] for row in rows} | {row.get("informativity_reason") for row in rows}
    with open(tmp_path / f"tables/{table}.csv", newline="", encoding="utf-8") as file:
        assert any(reason in row.values() for row in csv.DictReader(file))
    client.logout()
    _token, words = create_token(owner, name="test", scopes=tuple(Scope), days=1)
    address = reverse("api_table", args=[study.slug, table, "json"])
    answer = client.get(address, headers={"authorization": f"Bearer {words}"})
    assert json.loads(answer.content)["rows"] == rows
    if name != "flaws-together":  # which has a number, for both
        declared = reporting.list_specs(study.protocol)[table].columns
        estimates = [column.name for column in declared if not isinstance(column, str) and column.low]
        assert {row[each] for row in rows if row["reason"] == reason for each in estimates} <= {None}
