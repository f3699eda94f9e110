"""Behind every number of a stopping questionnaire stand the judgments, or pairs of them, that give it again."""

import math

import pytest
from sklearn.metrics import cohen_kappa_score

from analysis.choices import Choices
from analysis.frames.evidence import collect_evidence
from analysis.services.reporting import build_report, drill_down
from studies.services.responses.importing import import_responses
from tests.analysis.rows import covering, find_row
from tests.stopping import ITEMS, draft_study, make_bank, rows
from tests.studies.answer_files import as_csv

pytestmark = pytest.mark.slow

NOT_REACHED = "not_applicable"


@pytest.fixture
def evidence(project):
    """The three planted people in two groups, and a model that says what the first of them says."""
    make_bank(project)
    study = draft_study(project)
    model = {"annotator": "judge-x", "group": "", "annotator_kind": "model"}
    import_responses(study, as_csv(rows() + [row | model for row in rows() if row["annotator"] == "p0"]))
    study.refresh_from_db()
    return collect_evidence(study, Choices(seed=5))


@pytest.fixture
def report(evidence):
    return build_report(evidence)


def kappa_of(pairs) -> float:
    labels = [[row[f"label_{side}"] for row in pairs] for side in "ab"]
    return cohen_kappa_score(*labels) if len(set(labels[0] + labels[1])) > 1 else math.nan


def test_peoples_judgments_give_the_contrast_again(evidence, report):
    (row,) = report.table("contrasts").rows
    judgments = drill_down(evidence, "contrasts", row, "difference").rows
    assert len(judgments) == 3 * len(ITEMS)
    stopped = {
        name: [bool(each["label"]) for each in judgments if each["generator"] == row[f"generator_{name}"]]
        for name in "ab"
    }
    shares = [sum(each) / len(each) for each in stopped.values()]
    assert shares[0] - shares[1] == pytest.approx(row["difference"])
    for column in ("n_texts", "n_annotators"):
        assert len(drill_down(evidence, "contrasts", row, column).rows) == row[column]


@pytest.mark.parametrize("name", ["agreement", "agreement_with_humans"])
def test_the_pairs_give_agreement_again(evidence, report, name):
    table = report.table(name)
    for row in covering(table.rows, table.keys):
        pairs = drill_down(evidence, name, row, "kappa").rows
        assert len(pairs) == row["n_pairs"]
        assert all(pair["same"] == (pair["label_a"] == pair["label_b"]) for pair in pairs)
        if pairs:
            assert sum(pair["same"] for pair in pairs) / len(pairs) == row["percent"]
        if row["kappa"] is not None:
            assert kappa_of(pairs) == pytest.approx(row["kappa"])
        if row["view"] == "applicable":
            assert NOT_REACHED not in {pair[label] for pair in pairs for label in ("label_a", "label_b")}


def test_the_pairs_are_of_the_group_generator_and_source_of_the_row(evidence, report):
    row = find_row(
        report, "agreement", group="group-even", generator="gen-birch", source="lexicon", category="understandable",
        view="all",
    )  # fmt: skip
    (pair,) = drill_down(evidence, "agreement", row, "percent").rows
    assert (pair["item_id"], pair["source"]) == ("s2-gen-birch", "lexicon")
    assert (pair["annotator_a"], pair["label_a"], pair["annotator_b"], pair["label_b"]) == ("p0", "no", "p2", "yes")


def test_each_pair_of_a_model_has_one_person(evidence, report):
    row = find_row(report, "agreement_with_humans", category="clear", view="all")
    pairs = drill_down(evidence, "agreement_with_humans", row, "percent").rows
    assert {pair["annotator_a"] for pair in pairs} == {"judge-x"}
    assert sorted(pair["annotator_b"] for pair in pairs) == sorted(["p0", "p1", "p2"] * len(ITEMS))


def test_the_judgments_give_counts_and_shares_of_labels_again(evidence, report):
    table = report.table("label_distributions")
    rows = list(covering(table.rows, table.keys))
    assert {row["label"] for row in rows} == {row["label"] for row in table.rows}
    for row in rows:
        with_label = drill_down(evidence, "label_distributions", row, "n").rows
        assert {judgment["label"] for judgment in with_label} <= {row["label"]}
        assert len(with_label) == row["n"]
        for share in ("share_all", "share_applicable"):
            if row[share] is not None:
                labels = [
                    judgment["label"] for judgment in drill_down(evidence, "label_distributions", row, share).rows
                ]
                assert labels.count(row["label"]) / len(labels) == row[share]


def test_a_share_says_what_it_is_of(evidence, report):
    row = find_row(
        report, "label_distributions", group="", generator="", source="", category="understandable", label="no"
    )
    assert drill_down(evidence, "label_distributions", row, "share_all").notes == ("3 of 12: no",)


def test_the_judgments_give_the_flow_again(evidence, report):
    for row in report.table("flow").rows:
        for column in ("reached", "stopped"):
            assert len(drill_down(evidence, "flow", row, column).rows) == row[column]
    row = find_row(report, "flow", group="", category="understandable")
    assert {judgment["label"] for judgment in drill_down(evidence, "flow", row, "stopped").rows} == {"no"}
