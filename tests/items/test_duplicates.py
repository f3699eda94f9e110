"""Near-duplicates: MinHash against exact indexes, pairs of a bank, benchmarks as signatures."""

import io
from itertools import combinations
from random import Random

import numpy as np
import pytest

from items.models import Benchmark
from items.services.duplicates import (
    THRESHOLD,
    BadBenchmark,
    add_benchmark,
    compare,
    compare_bank,
    find_pairs,
    shingle,
    sign,
)
from tests.api.conftest import make_caller
from tests.items.files import item_row, jsonl, load, text_row

WORDS = [f"{a}{b}{c}" for a in "bdfgk" for b in "aeiou" for c in ("lter", "nd", "sse")]
STEM = "Why does the ferry leave an hour later on Sundays?"
NEARLY = "Why does the ferry leave one hour later on Sunday?"


def test_signatures_estimate_the_index_and_bands_find_what_is_near():
    rng = Random(3)
    errors, wordings = [], {}
    for number in range(150):
        words = rng.choices(WORDS, k=20)
        other = [rng.choice(WORDS) if rng.random() < 0.1 else word for word in words]
        one, two = shingle(" ".join(words)), shingle(" ".join(other))
        errors.append(float((sign(one) == sign(two)).mean()) - compare(one, two))
        wordings |= {f"a{number}": one, f"b{number}": two}
    assert abs(np.mean(errors)) < 0.02
    assert np.std(errors) < 0.065
    exact = {pair for pair in combinations(wordings, 2) if compare(wordings[pair[0]], wordings[pair[1]]) >= THRESHOLD}
    found = {pair[:2] for pair in find_pairs(wordings)}
    assert len(exact) > 50
    assert found <= exact
    assert len(exact - found) <= 0.03 * len(exact)


@pytest.fixture
def bank(project):
    answers = [{"text": "The choir sings.", "correct": True}, {"text": "The tide is low.", "correct": False}]
    load(
        project,
        text_row([item_row(id="q1", generator="Ada", question=STEM, answers=answers),
                  item_row(id="q2", generator="gpt", question=NEARLY, answers=[]),
                  item_row(id="q3", question="Who sings?", answers=[])], id="t1"),
        text_row([item_row(id="q4", question=NEARLY, answers=answers),
                  item_row(id="q5", question=STEM, answers=[])], id="t2", text="Another text, about hills."),
    )  # fmt: skip
    return project


@pytest.mark.django_db
def test_questions_count_within_a_text_and_options_too_across(bank):
    assert {pair[:2] for pair in compare_bank(bank)["pairs"]} == {
        ("q1", "q2"),
        ("q1", "q4"),
        ("q4", "q5"),
        ("q2", "q5"),
    }


@pytest.mark.django_db
def test_page_text_and_filter_show_them(bank, as_user, researcher):
    client = as_user(researcher)
    page = client.get("/p/rivers/duplicates/")
    assert page.context["found"]["n_pairs"] == 4
    listed = client.get("/p/rivers/texts/?flag=duplicate")
    assert [row.record.external_id for row in listed.context["table"].page.object_list] == ["t1", "t2"]
    pk = bank.texts.get(external_id="t1").pk
    assert {twin["id"] for twin in client.get(f"/p/rivers/texts/{pk}/").context["alike"]["q1"]} == {"q2", "q4"}


@pytest.mark.django_db
def test_a_benchmark_is_kept_as_signatures_and_found(bank, as_user, researcher):
    row = text_row([item_row(id="r1", question="Who sings?", answers=[])], id="race-1")
    client = as_user(researcher)
    api = make_caller(researcher)
    assert api.get("projects/rivers/duplicates/").json()["n_known"] == 0
    upload = io.BytesIO(jsonl(row))
    upload.name = "race.jsonl"
    assert client.post("/p/rivers/benchmarks/", {"name": "RACE", "file": upload}).status_code == 302
    made = Benchmark.objects.get(project=bank)
    assert (made.n_texts, made.n_items) == (1, 1)
    assert b"sings" not in bytes(made.signatures)
    known = {(row["kind"], row["id"], row["other"]) for row in compare_bank(bank)["known"]}
    assert known == {("text", "t1", "race-1"), ("item", "q3", "r1")}
    hashes = client.get(f"/p/rivers/benchmarks/{made.pk}.minhash.jsonl").content
    again = io.BytesIO(hashes)
    again.name = "x.minhash.jsonl"
    reply = api.post("projects/rivers/benchmarks/", files={"name": "RACE", "file": again})
    assert reply.status_code == 201
    assert bytes(Benchmark.objects.get(project=bank).signatures) == hashes
    assert api.get("projects/rivers/duplicates/").status_code == 202  # a worker compares; not what it found earlier
    assert api.delete(f"projects/rivers/benchmarks/{reply.json()['id']}/").status_code == 204
    assert api.get("projects/rivers/duplicates/").json()["n_pairs"] == 4


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("name", "content"),
    [("x.jsonl", b"{"), ("x.jsonl", b""), ("x.minhash.jsonl", b'{"kind": "text", "id": "a", "minhash": "00"}'),
     ("x.minhash.jsonl", b"[]"), ("x.xml", b"<quiz/>")],
)  # fmt: skip
def test_what_is_no_benchmark_is_refused(project, name, content):
    with pytest.raises(BadBenchmark):
        add_benchmark(project, "x", name, content)
