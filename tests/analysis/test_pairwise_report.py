"""A planted study of pairs, through files and reports: every number is held against what was planted."""

import csv
import io
import json
from collections import Counter
from itertools import combinations
from random import Random

import pytest
from django.core.management import call_command
from django.urls import reverse

from analysis.choices import Choices
from analysis.exports.writing import export_responses
from analysis.frames.evidence import collect_evidence
from analysis.measures.strengths import FIRST, SECOND, TIE
from analysis.protocols.pairwise.ranking import select_counted
from analysis.protocols.pairwise.report import compare_preferences
from analysis.protocols.pairwise.report import say_ranking as sentences
from analysis.services.reporting import build
from studies.services.launching import open_main_part
from studies.services.responses.importing import ImportRefused, import_responses
from tests.analysis.rows import make_table
from tests.pairs import (
    GENERATORS,
    Judge,
    annotators,
    draft_study,
    generator_of,
    list_expected_judgments,
    make_bank,
    make_study_with_bank,
    true_preference,
)
from tests.studies.answer_files import as_csv

pytestmark = pytest.mark.slow

COLUMNS = ("annotator", "part", "item_id", "other_item_id", "value", "shown_left")


def export_rows(study) -> list[dict]:
    out = io.StringIO()
    export_responses(study, "csv", out)
    return list(csv.DictReader(io.StringIO(out.getvalue())))


def cells(rows) -> list[tuple]:
    return sorted(tuple(row[name] for name in COLUMNS) for row in rows)


@pytest.fixture
def finished_study(project):
    """Everybody has done both parts through the real pages."""
    study = make_study_with_bank(project)
    open_main_part(study)
    for annotator in annotators(study):
        Judge(annotator, Random(1)).work_through()
    return study


def make_judgment(annotator: str, one: str, other: str, better: str, **more) -> dict:
    shared = {"annotator": annotator, "stage": "compare", "question": "better", "value": better}
    return shared | {"item_id": one, "other_item_id": other} | more


def import_study(project, rows, slug="imported"):
    study = draft_study(project, slug=slug)
    import_responses(study, as_csv(rows))
    study.refresh_from_db()
    return study


@pytest.fixture
def half_finished_study(project):
    """Three people have judged six pairs of two texts in a calibration, and one three pairs of a third text."""
    make_bank(project)
    rows = []
    for text in (1, 2, 3):
        for one, other in combinations([f"p{text}-{name}-0" for name in GENERATORS], 2):
            for seat in range(3) if text < 3 else (0,):
                left = (one, other)[(seat + text) % 2]
                part = "calibration" if text < 3 else "main"
                better = true_preference(seat, one, other)
                rows.append(make_judgment(f"ann{seat}", one, other, better, shown_left=left, part=part))
    return import_study(project, rows), rows


def table(study, name, **choices):
    return build(study, Choices(**{"seed": 3} | choices)).table(name)


def test_the_export_is_what_was_planted_and_comes_in_again_as_it_is(finished_study, project, tmp_path):
    rows = export_rows(finished_study)
    found = {(row["annotator"], row["item_id"], row["other_item_id"], row["value"]) for row in rows}
    assert found == list_expected_judgments(finished_study)
    for row in rows:
        assert row["shown_left"] in (row["item_id"], row["other_item_id"])
    again = import_study(project, [{name: row[name] for name in row} for row in rows], slug="again")
    assert cells(export_rows(again)) == cells(rows)
    call_command("report", "pairs", out=str(tmp_path))
    wins = json.loads((tmp_path / "tables" / "wins.json").read_text())["rows"]
    won = Counter(
        (frozenset(map(generator_of, (one, other))), generator_of(better) if better != "tie" else "tie")
        for _annotator, one, other, better in found
    )
    for row in wins:
        two = frozenset((row["generator_a"], row["generator_b"]))
        counted = [row["wins_a"], row["wins_b"], row["ties"]]
        assert counted == [won[two, name] for name in (row["generator_a"], row["generator_b"], "tie")]
    assert (tmp_path / "figures" / "ranking.svg").exists()
    assert (tmp_path / "figures" / "wins.png").exists()


def test_the_order_in_which_a_pair_is_named_makes_no_difference(half_finished_study, project):
    study, rows = half_finished_study
    turned = [
        row | {"item_id": row["other_item_id"], "other_item_id": row["item_id"]} if place % 2 else row
        for place, row in enumerate(rows)
    ]
    other = import_study(project, turned, slug="turned")
    for name in ("wins", "sides"):
        mine, theirs = table(study, name), table(other, name)
        assert [[row[column] for column in mine.header] for row in mine.rows] == [
            [row[column] for column in theirs.header] for row in theirs.rows
        ]
    percents = [[row["percent"] for row in table(each, "agreement").rows] for each in (study, other)]
    assert percents[0] == percents[1]


def test_the_order_of_the_rows_makes_no_difference_to_the_last_digit(half_finished_study, project):
    study, rows = half_finished_study
    first = {frozenset((row["item_id"], row["other_item_id"])): (row["item_id"], row["other_item_id"]) for row in rows}
    assert all((row["item_id"], row["other_item_id"]) in first.values() for row in rows)
    other = import_study(project, rows[::-1], slug="backwards")
    assert table(other, "agreement").rows == table(study, "agreement").rows


def pairs_by_item(rows) -> list[list[str]]:
    units: dict[frozenset, list[str]] = {}
    for row in rows:
        units.setdefault(frozenset((row["item_id"], row["other_item_id"])), []).append(row["value"])
    return [values for values in units.values() if len(values) > 1]


def share_of_pairs(values) -> float:
    pairs = list(combinations(values, 2))
    return sum(one == other for one, other in pairs) / len(pairs)


def test_percent_agreement_is_over_pairs_that_several_have_judged(half_finished_study):
    study, rows = half_finished_study
    units = pairs_by_item(rows)
    assert len(units) == 6
    by_view = {row["view"]: row for row in table(study, "agreement").rows}
    assert by_view["with_ties"]["percent"] == pytest.approx(sum(map(share_of_pairs, units)) / 6)
    assert by_view["with_ties"]["n_units"] == 6
    assert by_view["with_ties"]["n_annotators"] == 3
    untied = [values for values in units if "tie" not in values]
    assert by_view["without_ties"]["n_units"] == len(untied)
    if untied:
        assert by_view["without_ties"]["percent"] == pytest.approx(sum(map(share_of_pairs, untied)) / len(untied))
    kept = [[value for value in values if value != "tie"] for values in units]
    assert by_view["ties_missing"]["n_units"] == sum(len(values) > 1 for values in kept)


def test_conger_s_kappa_of_two_people_is_cohen_s_worked_by_hand(project):
    """Ten pairs of first and second item: both first 4, both second 3, apart 2 and 1. κ = (.7 - .5) / .5 = .4"""
    make_bank(project)
    rows, outcomes = [], ["ff"] * 4 + ["ss"] * 3 + ["fs"] * 2 + ["sf"]
    units = [
        (f"p{text}-gen-alder-{place}", f"p{text}-gen-{name}-{place}")
        for text in range(1, 6) for place in (0, 1) for name in ("birch",)
    ]  # fmt: skip
    for (one, other), answers in zip(units, outcomes, strict=True):
        rows += [
            make_judgment(who, one, other, one if mark == "f" else other)
            for who, mark in zip("ab", answers, strict=True)
        ]
    (row, *_others) = table(import_study(project, rows), "agreement").rows
    assert row["percent"] == pytest.approx(0.7)
    chance = 0.6 * 0.5 + 0.4 * 0.5
    assert row["conger_kappa"] == pytest.approx((0.7 - chance) / (1 - chance))
    assert row["strength"] == "fair"


def test_of_the_wins_the_share_on_the_left_is_counted(half_finished_study):
    study, rows = half_finished_study
    won = [row for row in rows if row["value"] != "tie"]
    (everybody, *each) = table(study, "sides").rows
    assert (everybody["generator"], everybody["n"]) == ("all", len(won))
    assert everybody["share_left"] == sum(row["value"] == row["shown_left"] for row in won) / len(won)
    for row in each:
        mine = [other for other in won if generator_of(other["value"]) == row["generator"]]
        assert row["n"] == len(mine)
        assert row["share_left"] == sum(other["value"] == other["shown_left"] for other in mine) / len(mine)


def test_calibration_answers_may_stay_out_of_the_results_but_not_of_agreement(half_finished_study):
    study, _rows = half_finished_study
    assert sum(row["n"] for row in table(study, "wins").rows) == 21
    assert sum(row["n"] for row in table(study, "wins", calibration=False).rows) == 3
    assert table(study, "agreement", calibration=False).rows == table(study, "agreement").rows
    assert "Judgments of the calibration are not counted." in table(study, "wins", calibration=False).notes


def test_an_undefeated_generator_has_no_strength_and_a_reason(project):
    make_bank(project)
    rows = []
    for text in (1, 2, 3):
        alder, birch, cedar = (f"p{text}-{name}-0" for name in GENERATORS)
        rows += [make_judgment("a", alder, birch, alder), make_judgment("a", alder, cedar, alder)]
        rows.append(make_judgment("a", birch, cedar, cedar if text == 1 else birch))
    ranked = table(import_study(project, rows), "ranking")
    by_name = {row["generator"]: row for row in ranked.rows if row["method"] == "davidson"}
    best = by_name["gen-alder"]
    assert (best["rank"], best["strength"], best["low"]) == (None, None, None)
    assert best["reason"] == "It never lost, so no finite strength explains its results."
    assert by_name["gen-birch"]["rank"] == 1
    assert by_name["gen-birch"]["strength"] == pytest.approx(0.3466, abs=1e-4)  # half of log 2


def test_four_models_rank_the_generators_and_davidson_stands_first(half_finished_study):
    study, _rows = half_finished_study
    ranked = table(study, "ranking").rows
    methods = list(dict.fromkeys(row["method"] for row in ranked))
    assert methods == ["davidson", "bradley_terry_half", "bradley_terry_dropped", "rao_kupper"]
    assert len(ranked) == 4 * len(GENERATORS)
    for row in ranked:
        if row["rank"]:
            assert row["rank_low"] <= row["rank"] <= row["rank_high"]
            assert row["n"] == 14 or row["method"] == "bradley_terry_dropped"  # which counts no ties


@pytest.mark.parametrize(
    ("changes", "column"),
    [
        ({"value": "left"}, "value"),
        ({"value": "p1-gen-cedar-0"}, "value"),
        ({"other_item_id": "p1-gen-alder-1"}, "other_item_id"),
        ({"part": "rehearsal"}, "part"),
        ({"question": "worse"}, "question"),
        ({"shown_left": "p1-gen-cedar-0"}, "shown_left"),
    ],
)
def test_what_nobody_could_have_said_is_refused_with_its_line(project, changes, column):
    make_bank(project)
    good = make_judgment("a", "p1-gen-birch-0", "p1-gen-cedar-0", "tie")
    wrong = make_judgment("a", "p1-gen-alder-0", "p1-gen-birch-0", "tie") | changes
    with pytest.raises(ImportRefused) as refused:
        import_responses(draft_study(project), as_csv([good, wrong]))
    assert [(problem.line, problem.field) for problem in refused.value.problems] == [(3, column)]


def test_a_second_answer_to_a_pair_is_refused_in_either_order(project):
    make_bank(project)
    one, other = "p1-gen-alder-0", "p1-gen-birch-0"
    rows = [make_judgment("a", one, other, "tie"), make_judgment("a", other, one, one)]
    with pytest.raises(ImportRefused) as refused:
        import_responses(draft_study(project), as_csv(rows))
    assert [problem.line for problem in refused.value.problems] == [3]


def test_a_study_without_answers_says_so_in_every_table(project):
    study = make_study_with_bank(project)
    assert [row["reason"] for row in table(study, "agreement").rows] == [
        "No unit was judged by two annotators, so there is nothing to compare."
    ] * 3
    assert table(study, "sides").rows[0]["share_left"] is None
    assert all(row["strength"] is None and row["reason"] for row in table(study, "ranking").rows)


def test_the_study_page_shows_the_agreement_of_the_calibration_and_opens_the_main_part(project, as_user, researcher):
    study = make_study_with_bank(project)
    page = as_user(researcher).get(reverse("study_design", args=["pairs"]))
    assert "No calibration pair has been answered yet." in page.content.decode()
    for annotator in annotators(study):
        Judge(annotator, Random(1)).work_through()
    page = as_user(researcher).get(reverse("study_design", args=["pairs"])).content.decode()
    assert "with ties" in page
    assert "Open main part" in page
    as_user(researcher).post(reverse("study_act", args=["pairs", "open_main"]))
    study.refresh_from_db()
    assert study.main_opened_at
    page = as_user(researcher).get(reverse("study_design", args=["pairs"])).content.decode()
    assert "Open main part" not in page
    assert "with ties" in page


def test_the_results_page_lets_the_calibration_be_left_out(half_finished_study, as_user, viewer):
    study, _rows = half_finished_study
    address = reverse("results_details", args=[study.slug])
    page = as_user(viewer).get(address).content.decode()
    assert "Judgments of the calibration are counted." in page
    assert 'name="calibration"' in page
    page = as_user(viewer).get(address, {"asked": 1, "calibration": "without"}).content.decode()
    assert "Judgments of the calibration are not counted." in page


def test_a_win_rate_counts_a_tie_as_half_and_only_judgments_of_the_generator(half_finished_study):
    study, _rows = half_finished_study
    evidence = collect_evidence(study, Choices(seed=5))
    [comparison] = compare_preferences(evidence)
    judgments = select_counted(evidence)
    for name in GENERATORS:
        [arm] = comparison.family.figures[name].added
        first, second = (judgments[f"generator_{side}"] == name for side in ("first", "second"))
        won = (first & (judgments["outcome"] == FIRST)) | (second & (judgments["outcome"] == SECOND))
        ties = (first | second) & (judgments["outcome"] == TIE)
        assert arm.mean() == pytest.approx((won.sum() + ties.sum() / 2) / (first | second).sum())


def test_contrasts_are_differences_of_win_rates(half_finished_study):
    study, _rows = half_finished_study
    report = build(study, Choices(seed=5))
    [comparison] = compare_preferences(collect_evidence(study, Choices(seed=5)))
    rates = {name: figure.added[0].mean() for name, figure in comparison.family.figures.items()}
    rows = report.table("contrasts").rows
    assert {row["measure"] for row in rows} == {"win_rate"}
    for row in rows:
        assert row["difference"] == pytest.approx(rates[row["generator_a"]] - rates[row["generator_b"]])


def make_ranking(*ranks):
    """A ranking by Davidson's model: name, rank, lowest and highest possible rank."""
    rows = [
        {"method": "davidson", "generator": name, "rank": rank, "rank_low": low, "rank_high": high, "n": 8}
        for name, rank, low, high in ranks
    ]
    return make_table("ranking", tuple(rows[0]), rows)


def test_the_order_is_said_as_estimated_and_equal_strengths_share_a_place():
    [order] = sentences(make_ranking(("ann", 1, 1, 1), ("bob", 2, 2, 3), ("cho", 2, 2, 3)))
    assert order.endswith("ann, bob = cho.")


def test_equal_strengths_put_nobody_first():
    assert sentences(make_ranking(("ann", 1, 1, 2), ("bob", 1, 1, 2))) == [
        "By Davidson's model, items by ann, bob are equally strong."
    ]


def test_who_never_lost_is_named_beside_those_who_are_ranked(project):
    """The order of the others must not read as if it were of all."""
    make_bank(project)
    rows = []
    for text in (1, 2, 3):
        for one, other in combinations([f"p{text}-{name}-0" for name in GENERATORS], 2):
            for seat in range(2):
                better = one if "alder" in one else (one, other)[(seat + text) % 2]
                rows.append(make_judgment(f"ann{seat}", one, other, better))
    summary = list(build(import_study(project, rows), Choices(seed=3)).sentences)
    assert "gen-alder has no rank. It never lost, so no finite strength explains its results." in summary
    assert not any("order" in sentence and "alder" in sentence for sentence in summary)
