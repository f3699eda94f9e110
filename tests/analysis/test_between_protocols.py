"""The same items in two studies: ranks of generators and items, the reliability of an hour, and what is refused."""

import csv
import io
import json
from dataclasses import replace
from datetime import timedelta

import numpy as np
import pandas as pd
import pytest
from django.urls import reverse
from django.utils import timezone

from analysis.choices import Choices
from analysis.frames.evidence import collect_evidence
from analysis.measures.reliability import alpha_of_parts
from analysis.science.scores import GENERATORS as OF_GENERATORS
from analysis.science.scores import StudyScores, TimedReliability, compare_studies, say_comparison, score_study
from analysis.services.results import compare_with, list_comparable
from analysis.tables.page import build_page_table
from api.models import Scope
from api.services.tokens import create_token
from studies.models import Submission
from studies.services.responses.importing import import_responses
from studies.services.states import switch_effects
from tests.studies.world import GENERATORS, bank, draft_study, make_live_study

pytestmark = pytest.mark.slow


def scores_of(measure, values, generators=6, texts=6, hours=()):
    """values: (texts, generators) means, each of two answers."""
    rows = [
        {"measure": measure, "text_id": f"t{t}", "item_id": f"t{t}-{g}", "generator": f"g{g}",
         "total": 2 * values[t, g], "n": 2}
        for t in range(texts) for g in range(generators)
    ]  # fmt: skip
    items = pd.DataFrame(rows)
    return StudyScores(measure, items, dict.fromkeys(items["item_id"], "words"), tuple(hours))


@pytest.fixture
def values():
    rng = np.random.default_rng(1)
    return np.linspace(0.2, 0.8, 6) + rng.normal(0, 0.05, (6, 6))


def ranks_of_items(table):
    return replace(table, rows=[row for row in table.rows if row["ranked"] == "item"])


def row_of(table, **wanted):
    (row,) = [row for row in table.rows if all(row[name] == value for name, value in wanted.items())]
    return row


def test_studies_that_rank_alike_agree_on_generators_and_items(values):
    ranks, _hours = compare_studies(scores_of("fluency", values), scores_of("informativity", 5 * values))
    assert row_of(ranks, ranked="generator")["rho"] == pytest.approx(1)
    items = row_of(ranks, ranked="item")
    assert (items["rho"], items["n"], items["n_texts"]) == (pytest.approx(1), 36, 6)
    (sentence,) = say_comparison((ranks_of_items(ranks), _hours))
    assert "items most alike by fluency and informativity: ρ = 1.00" in sentence
    same = compare_studies(scores_of("fluency", values), scores_of("fluency", values))
    assert say_comparison(same)[0].startswith("Both studies rank generators most alike by fluency: ρ = 1.00")
    backwards, _hours = compare_studies(scores_of("fluency", values), scores_of("informativity", -values))
    assert row_of(backwards, ranked="generator")["rho"] == pytest.approx(-1)


@pytest.mark.parametrize(
    ("generators", "texts", "ranked", "reason"),
    [
        (4, 6, "generator", "Ranks of generators need at least 5 generators in both studies; here 4."),
        (4, 6, "item", "Ranks of items need at least 30 items in both studies; here 24."),
        (6, 4, "generator", "The jackknife needs at least 5 texts in both studies; here 4."),
    ],
)
def test_refusals_stand_in_place_of_the_number(values, generators, texts, ranked, reason):
    some = [scores_of(name, values, generators, texts) for name in ("fluency", "clarity")]
    row = row_of(compare_studies(*some)[0], ranked=ranked)
    assert (row["rho"], row["low"], row["reason"]) == (None, None, reason)


def test_items_with_other_words_are_not_the_same(values):
    one, other = scores_of("fluency", values), scores_of("clarity", values)
    other.wording["t0-0"] = "other words"
    assert row_of(compare_studies(one, other)[0], ranked="item")["n"] == 35


def test_an_hour_is_stepped_by_spearman_and_brown(values):
    alpha = alpha_of_parts(values.T)
    one = scores_of("fluency", values, hours=[TimedReliability(OF_GENERATORS, "fluency", alpha, 30.0)])
    other = scores_of("clarity", values, hours=[TimedReliability(OF_GENERATORS, "clarity", alpha, 120.0)])
    tables = compare_studies(one, other)
    hour = row_of(tables[1], study="fluency")
    assert hour["hour"] == pytest.approx(2 * alpha.value / (1 + alpha.value))
    assert hour["low"] < hour["hour"] < hour["high"]
    assert row_of(tables[1], study="clarity")["hour"] == pytest.approx(0.5 * alpha.value / (1 - 0.5 * alpha.value))
    assert "“fluency”" in say_comparison(tables)[1]


def test_an_hour_without_an_interval_says_why(values):
    alpha = replace(alpha_of_parts(values.T), low=-0.1)
    one, other = (
        scores_of(name, values, hours=[TimedReliability(OF_GENERATORS, name, alpha, 30.0)]) for name in ("a", "b")
    )
    hour = compare_studies(one, other)[1].rows[0]
    reason = "The interval of α over texts reaches 0 or below, so an hour has no interval."
    assert (hour["hour"] > 0, hour["low"], hour["reason"]) == (True, None, reason)
    page = build_page_table(compare_studies(one, other)[1], "readers")
    assert list(page.footnotes.values()) == [reason]


# Studies --------------------------------------------------------------------------------------------------------------


def rating_rows(n_texts, generators=GENERATORS):
    rng = np.random.default_rng(2)
    for number in range(1, n_texts + 1):
        for name in generators:
            about = {"annotator": "p", "stage": "rate", "text_id": f"t{number}", "item_id": f"t{number}-{name}-1"}
            for question in ("fluency", "clarity"):
                yield about | {"question": question, "value": str(rng.integers(1, 4))}


@pytest.fixture
def studies(project):
    bank(project, texts=16)
    reading = make_live_study(project, slug="reading")
    params = {"dimensions": ["fluency", "clarity"]}
    rated = draft_study(project, slug="rated", protocol="dimension-ratings", params=params)
    import_responses(rated, "\n".join(map(json.dumps, rating_rows(16))).encode())
    again = draft_study(project, slug="again", protocol="dimension-ratings", params=params)
    import_responses(again, "\n".join(map(json.dumps, rating_rows(16))).encode())
    return reading, rated, again


def test_only_studies_of_the_same_items_can_be_chosen_another_protocol_first(studies, project):
    _reading, rated, _again = studies
    draft_study(project, slug="draft")
    assert [each.slug for each in list_comparable(rated)] == ["reading", "again"]


def test_tables_of_imported_answers(studies):
    _reading, rated, again = studies
    rated.refresh_from_db()
    ranks, hours = compare_with(rated, again)
    same = row_of(ranks, measure_a="fluency", measure_b="fluency", ranked="item")
    assert (same["rho"], same["n"]) == (pytest.approx(1), 32)
    assert row_of(ranks, measure_a="fluency", measure_b="fluency", ranked="generator")["rho"] is None
    assert hours.rows == ()


def test_an_hour_is_one_of_active_time(project):
    """Of six texts, three were open for 10 minutes and worked at for 2; of the others nothing but the 10 is known."""
    names = ("alder", "birch", "cedar", "elm", "fir")
    bank(project, texts=6, generators=names)
    study = draft_study(project, protocol="dimension-ratings", params={"dimensions": ["fluency", "clarity"]})
    import_responses(study, "\n".join(map(json.dumps, rating_rows(6, names))).encode())
    now = timezone.now()
    Submission.objects.update(opened_at=now - timedelta(minutes=10), submitted_at=now)
    Submission.objects.filter(assignment__unit__text__external_id__in=("t1", "t2", "t3")).update(active_seconds=120)
    hours = {each.measure: each.minutes for each in score_study(collect_evidence(study, Choices())).reliable}
    assert hours == {"fluency": 36, "clarity": 36}


def test_a_refusal_has_the_same_words_on_the_page_in_the_file_and_in_the_api(studies, as_user, viewer, client):
    reason = "Ranks of generators need at least 5 generators in both studies; here 2."
    signed_in, asked = as_user(viewer), {"with": "again"}
    assert reason in signed_in.get(reverse("study_protocols", args=["rated"]), asked).content.decode()
    file = signed_in.get(reverse("study_protocols_csv", args=["rated", "between_protocols"]), asked).content.decode()
    values = [row for row in csv.DictReader(io.StringIO(file)) if row["ranked"] == "generator"]
    assert {(row["rho"], row["reason"]) for row in values} == {("", reason)}
    client.logout()
    _token, words = create_token(viewer, name="test", scopes=(Scope.READ,), days=1)
    address = reverse("api_compare_studies", args=["rated"])
    answer = client.get(address, asked, headers={"authorization": f"Bearer {words}"})
    rows = [row for row in answer.json()["between_protocols"] if row["ranked"] == "generator"]
    assert {(row["rho"], row["reason"]) for row in rows} == {(None, reason)}


def test_the_page_its_file_and_what_is_hidden(studies, as_user, viewer, researcher):
    reading, _rated, _again = studies
    client = as_user(viewer)
    page = client.get(reverse("study_protocols", args=["rated"]), {"with": "again"})
    assert page.context["other"].slug == "again"
    assert len(page.context["sentences"]) == 1
    file = client.get(reverse("study_protocols_csv", args=["rated", "between_protocols"]), {"with": "again"})
    assert file.content.decode().split(",")[:3] == ["measure_a", "measure_b", "ranked"]
    assert client.get(reverse("study_protocols", args=["rated"]), {"with": "nothing"}).status_code == 404
    switch_effects(reading, researcher, hidden=True)
    assert client.get(reverse("study_protocols", args=["rated"]), {"with": "reading"}).status_code == 404
    assert client.get(reverse("study_protocols", args=["reading"])).status_code == 403
