"""Behind every number of a pairwise study stand the judgments of pairs that give it again."""

from itertools import combinations

import pytest

from analysis.choices import Choices
from analysis.frames.evidence import collect_evidence
from analysis.services.reporting import build_report, drill_down
from studies.services.responses.importing import import_responses
from tests.pairs import GENERATORS, draft_study, generator_of, make_bank, true_preference
from tests.studies.answer_files import as_csv

pytestmark = pytest.mark.slow


@pytest.fixture
def evidence(project):
    """Three people have judged the pairs of two texts, one those of a third, and a model all of them."""
    make_bank(project)
    rows = []
    for text in (1, 2, 3):
        for one, other in combinations([f"p{text}-{name}-0" for name in GENERATORS], 2):
            shared = {"stage": "compare", "question": "better", "item_id": one, "other_item_id": other}
            shared |= {"part": "calibration" if text < 3 else "main"}
            for seat in range(3) if text < 3 else (0,):
                values = {"value": true_preference(seat, one, other), "shown_left": (one, other)[(seat + text) % 2]}
                rows.append(shared | values | {"annotator": f"ann{seat}", "annotator_kind": "human"})
            values = {"value": one if text < 3 else "tie", "shown_left": ""}
            rows.append(shared | values | {"annotator": "judge-x", "annotator_kind": "model"})
    study = draft_study(project)
    import_responses(study, as_csv(rows))
    study.refresh_from_db()
    return collect_evidence(study, Choices(seed=3))


@pytest.fixture
def report(evidence):
    return build_report(evidence)


def winner(judgment) -> str:
    return "tie" if judgment["better"] == "tie" else generator_of(judgment["better"])


def win_rate(judgments, generator) -> float:
    """Of the judgments about the generator and another; a tie is half a win."""
    own = [each for each in judgments if generator in (each["generator_a"], each["generator_b"])]
    return sum({generator: 1.0, "tie": 0.5}.get(winner(each), 0.0) for each in own) / len(own)


def test_the_judgments_give_the_contrasts_again(evidence, report):
    rows = report.table("contrasts").rows
    assert len(rows) == 3
    for row in rows:
        judgments = drill_down(evidence, "contrasts", row, "difference").rows
        rates = [win_rate(judgments, row[name]) for name in ("generator_a", "generator_b")]
        assert rates[0] - rates[1] == pytest.approx(row["difference"])
        for column in ("n_texts", "n_annotators"):
            assert len(drill_down(evidence, "contrasts", row, column).rows) == row[column] == 3


@pytest.mark.parametrize("name", ["wins", "judge_wins"])
def test_the_judgments_give_wins_and_ties_again(evidence, report, name):
    for row in report.table(name).rows:
        for column, won in (("wins_a", row["generator_a"]), ("wins_b", row["generator_b"]), ("ties", "tie")):
            judgments = drill_down(evidence, name, row, column).rows
            assert len(judgments) == row[column]
            assert {winner(judgment) for judgment in judgments} <= {won}
        assert len(drill_down(evidence, name, row, "n").rows) == row["n"]


def agreeing(values) -> float:
    pairs = list(combinations(values, 2))
    return sum(one == other for one, other in pairs) / len(pairs)


def test_the_judgments_give_percent_agreement_again(evidence, report):
    for row in report.table("agreement").rows:
        units: dict[frozenset, list[str]] = {}
        for judgment in drill_down(evidence, "agreement", row, "percent").rows:
            units.setdefault(frozenset((judgment["item_a"], judgment["item_b"])), []).append(judgment["better"])
        assert len(units) == row["n_units"]
        assert sum(map(agreeing, units.values())) / len(units) == pytest.approx(row["percent"])


def test_ties_stand_only_behind_the_views_that_count_them(evidence, report):
    tied = {
        row["view"]: any(
            judgment["better"] == "tie" for judgment in drill_down(evidence, "agreement", row, "percent").rows
        )
        for row in report.table("agreement").rows
    }
    assert tied == {"with_ties": True, "without_ties": False, "ties_missing": False}


def test_a_generators_rank_rests_on_its_own_judgments(evidence, report):
    for row in report.table("ranking").rows:
        judgments = drill_down(evidence, "ranking", row, "strength").rows
        assert len(judgments) == row["n"]
        assert all(row["generator"] in (one["generator_a"], one["generator_b"]) for one in judgments)


def test_a_model_without_ties_counts_none(evidence, report):
    rows = {(row["method"], row["generator"]): row for row in report.table("ranking").rows}
    for generator in GENERATORS:
        judgments = drill_down(evidence, "ranking", rows["davidson", generator], "n").rows
        untied = [one for one in judgments if one["better"] != "tie"]
        assert rows["bradley_terry_dropped", generator]["n"] == len(untied) < len(judgments)


def test_the_judgments_give_the_share_on_the_left_again(evidence, report):
    for row in report.table("sides").rows:
        judgments = drill_down(evidence, "sides", row, "share_left").rows
        assert len(judgments) == row["n"]
        if row["n"]:
            left = sum(judgment["better"] == judgment["shown_left"] for judgment in judgments)
            assert left / len(judgments) == row["share_left"]


def test_each_judgment_of_a_person_stands_beside_the_models(evidence, report):
    (row,) = report.table("agreement_with_humans").rows
    judgments = drill_down(evidence, "agreement_with_humans", row, "percent").rows
    assert len(judgments) == row["n_pairs"] == 21
    same = [judgment["better"] == judgment["model_better"] for judgment in judgments]
    assert [judgment["same"] for judgment in judgments] == same
    assert sum(same) / len(same) == pytest.approx(row["percent"])
