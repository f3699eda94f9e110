"""Labels of yes or no: severity with items taken out, fair shares, and when there is no number."""

import numpy as np
import pytest
from django.urls import reverse

from analysis.choices import Choices
from analysis.formatting import format_with_interval
from analysis.frames.evidence import collect_evidence
from analysis.measures import label_severity as label_severity_module
from analysis.measures.item_response import fit_item_response
from analysis.measures.label_severity import _Labels, label_severity
from analysis.science.labels import build_label_tables, describe_severity
from studies.services.responses.importing import import_responses
from tests.analysis.rows import rows_behind
from tests.studies.answer_files import as_csv
from tests.studies.world import bank, draft_study

pytestmark = pytest.mark.slow

STRICT = {"p0": -1.0, "p1": 0.0, "p2": 1.0}


def label_flaw(project, items=4, texts=25, raters=STRICT, linked=True):
    """A study of one flaw; items of birch have it more often."""
    bank(project, texts=texts, items=items)
    study = draft_study(project, protocol="item-writing-flaws", params={"flaws": ["ambiguous"]}, plan={"annotators": 3})
    rng, rows = np.random.default_rng(4), []
    for text in range(1, texts + 1):
        for name in ("alder", "birch"):
            for place in range(1, items + 1):
                own = rng.normal() + (name == "birch")
                for number, (who, severity) in enumerate(raters.items()):
                    if linked or text % len(raters) == number:
                        yes = rng.random() < 1 / (1 + np.exp(-own - severity))
                        about = {"annotator": who, "stage": "code", "question": "ambiguous"}
                        rows.append(about | {"text_id": f"t{text}", "item_id": f"t{text}-{name}-{place}",
                                             "value": "yes" if yes else "no"})  # fmt: skip
    import_responses(study, as_csv(rows))
    return study


def test_who_says_yes_more_often_and_fair_shares(project):
    evidence = collect_evidence(label_flaw(project), Choices())
    severity, fair = build_label_tables(evidence)
    assert [row["severity"] for row in severity.rows] == pytest.approx([-1, 0, 1], abs=0.35)
    assert sum(row["severity"] for row in severity.rows) == pytest.approx(0, abs=1e-6)
    (sentence,) = describe_severity((severity, fair))
    most = max(severity.rows, key=lambda row: abs(row["severity"]))
    assert all(
        each in sentence
        for each in (most["annotator"], format_with_interval(most["severity"], most["low"], most["high"]))
    )
    assert all(row["low"] < row["severity"] < row["high"] and row["n"] == 200 for row in severity.rows)
    for row in fair.rows:  # all raters labelled all items
        assert row["fair"] == pytest.approx(row["raw"], abs=0.05)
        assert row["low"] < row["fair"] < row["high"]
    columns = {column.name: column for column in (*severity.columns, *fair.columns)}
    assert len(rows_behind(evidence, severity, severity.rows[0], columns["share_yes"])) == 200
    assert len(rows_behind(evidence, fair, fair.rows[0], columns["n_items"])) == 100


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"items": 1}, "Severity of labels needs 200 labels by a rater; here 50."),
        ({"items": 13, "linked": False, "raters": {"p0": 0.0, "p1": 0.0}},
         "These raters have no items in common, even through others; severity cannot be compared."),
        ({"items": 25, "texts": 4}, "Severity needs ratings on at least 5 texts; here 4."),
    ],
)  # fmt: skip
def test_refusals_have_the_same_words_on_the_page_and_in_both_tables(project, as_user, owner, given, reason):
    study = label_flaw(project, **given)
    severity, fair = build_label_tables(collect_evidence(study, Choices()))
    assert {row["reason"] for row in (*severity.rows, *fair.rows)} == {reason}
    assert describe_severity((severity, fair)) == []
    assert {row["severity"] for row in severity.rows} | {row["fair"] for row in fair.rows} == {None}
    page = as_user(owner).get(reverse("study_table_page", args=[study.slug, "label_severity"]))
    assert reason in page.content.decode()


def test_labels_of_one_generator_are_a_rasch_model_with_raters_as_items():
    rng = np.random.default_rng(2)
    yes = rng.random((300, 3)) < 1 / (1 + np.exp(-rng.normal(0, 1.2, (300, 1)) - [-1, 0.3, 0.9]))
    item, rater = (each.ravel() for each in np.indices(yes.shape))
    found = label_severity(item, rater, yes.ravel(), np.arange(300) // 4, np.zeros(300, dtype=int))
    model = fit_item_response(yes.astype(np.int64), "common")
    easiness = -model.slope[0] * np.asarray(model.difficulty)
    assert found.severity == pytest.approx(easiness - easiness.mean(), abs=1e-4)
    nodes, weights = np.polynomial.hermite_e.hermegauss(61)
    share = weights @ (1 / (1 + np.exp(-model.slope[0] * nodes - easiness.mean()))) / weights.sum()
    assert found.fair[0] == pytest.approx(share, abs=1e-4)


def test_leaving_a_text_out_is_close_to_fitting_anew_and_raters_of_one_label_have_no_severity():
    rng = np.random.default_rng(1)
    item, rater = (each.ravel() for each in np.indices((120, 4)))
    yes = rng.random(480) < 1 / (1 + np.exp(-rng.normal(0, 1, 120)[item] - np.linspace(-1, 1, 4)[rater]))
    text, group = np.arange(120) // 4, np.arange(120) % 2
    found, kept = label_severity(item, rater, yes, text, group), text != 3
    inside = kept[item]
    code = np.cumsum(kept) - 1
    again = label_severity(
        code[item[inside]], rater[inside], yes[inside], (np.cumsum(kept) - 1)[kept] // 4, group[kept]
    )
    assert found.severity_without[3] == pytest.approx(again.severity, abs=0.01)
    assert found.fair_without[3] == pytest.approx(again.fair, abs=0.01)
    alike = label_severity(item, rater, yes | (rater == 3), text, group)
    assert np.isnan(alike.severity).tolist() == [False, False, False, True]


def test_derivatives_of_a_text_are_slopes_and_add_up():
    """Items with one to three labels, some by the same rater twice."""
    rng, n = np.random.default_rng(3), 60
    item = np.repeat(np.arange(n), 1 + np.arange(n) % 3)
    rater = rng.integers(0, 5, len(item))
    yes = (rng.random(len(item)) < 0.4).astype(float)
    model = _Labels(item, rater, yes, np.arange(n) // 6, np.arange(n) % 2, 5, 2)
    x, steps = rng.normal(0, 0.5, 8), np.eye(8) * 1e-4
    texts = [np.flatnonzero(item // 6 == text) for text in range(10)]
    for labels in texts:
        after, before = ([model.derivatives(x + sign * step, labels)[0] for step in steps] for sign in (1, -1))
        assert model.derivatives(x, labels)[1] == pytest.approx((np.array(after) - before) / 2e-4, abs=1e-6)
    whole = np.sum([model.derivatives(x, labels)[0] for labels in texts], axis=0)
    assert model.likelihood(x)[1] == pytest.approx(whole)
    values = [(model.likelihood(x + step)[0] - model.likelihood(x - step)[0]) / 2e-4 for step in steps]
    assert whole == pytest.approx(values, abs=1e-6)


def test_items_worked_out_in_parts_come_to_the_same(monkeypatch):
    item = np.repeat(np.arange(40), 3)
    yes = (np.random.default_rng(4).random(120) < 0.5).astype(float)
    model = _Labels(item, np.tile(np.arange(3), 40), yes, np.arange(40) // 4, np.zeros(40, dtype=int), 3, 1)
    whole = model.derivatives(np.zeros(5), np.arange(120))
    monkeypatch.setattr(label_severity_module, "CHUNK", 1)
    for once, parts in zip(whole, model.derivatives(np.zeros(5), np.arange(120)), strict=True):
        assert parts == pytest.approx(once)
