"""Report, export and import of a planted study of dimension ratings, both rounds; numbers worked by hand."""

import csv
import io
import json
import math
from itertools import product

import numpy as np
import pytest
from django.core.management import call_command
from django.urls import reverse

from analysis.choices import Choices
from analysis.exports.writing import export_responses
from analysis.figures.registry import as_svg
from analysis.frames.evidence import collect_evidence
from analysis.measures.alpha import krippendorff_alpha
from analysis.measures.contrasts import nemenyi
from analysis.measures.reader_intervals import Arm
from analysis.protocols.dimension_ratings.dimensions import compare_scored_dimensions
from analysis.protocols.dimension_ratings.report import list_sentences
from analysis.reports.contrasts import Family, GeneratorFigure
from analysis.reports.headlines import mark_extremes
from analysis.services.figures import specify_figure
from analysis.services.reporting import build
from studies.services.responses.importing import ImportRefused, import_responses
from tests.analysis.rows import find_row, make_table
from tests.dimensions import (
    DIMENSIONS,
    FLAGGED,
    GENERATORS,
    ITEMS,
    PLANTED,
    SEATS,
    both_rounds,
    draft_study,
    first_round,
    import_study,
    make_bank,
    row,
    true_score,
)
from tests.studies.answer_files import as_csv

pytestmark = pytest.mark.slow


@pytest.fixture
def study(project):
    return import_study(project)


def test_the_export_holds_what_was_planted_and_is_taken_again(project, study):
    out = io.StringIO()
    export_responses(study, "csv", out)
    columns = ("annotator", "round", "stage", "item_id", "question", "value")
    exported = {tuple(each[column] for column in columns) for each in csv.DictReader(io.StringIO(out.getvalue()))}
    assert exported == {tuple(str(each[column]) for column in columns) for each in both_rounds()}
    again = draft_study(project, slug="again")
    assert import_responses(again, out.getvalue().encode()).responses == len(both_rounds())


@pytest.mark.parametrize("number", [1, 2])
def test_means_are_those_of_the_planted_scores_each_cell_with_its_latest(report, number):
    for generator, dimension in product(GENERATORS, DIMENSIONS):
        scores = [
            true_score(seat, item, dimension, number)
            for seat, item in product(SEATS, ITEMS)
            if item.split("-", 1)[1] == generator
        ]
        cell = find_row(report, "generator_means", generator=generator, dimension=dimension, round=number)
        assert cell["mean"] == pytest.approx(sum(scores) / len(scores))
        assert cell["n"] == 9


def test_the_average_is_of_unrounded_means(report):
    cells = [find_row(report, "generator_means", generator="gen-birch", dimension=each, round=1) for each in DIMENSIONS]
    average = find_row(report, "generator_means", generator="gen-birch", dimension="average", round=1)
    assert average["mean"] == pytest.approx(sum(cell["mean"] for cell in cells) / 7)


def test_highest_and_lowest_three_are_marked_and_equal_means_alike():
    def marks(*means):
        rows = [{"mean": mean, "mark": ""} for mean in means]
        return [row["mark"] for row in mark_extremes(rows, lambda row: row["mean"], ("best", "worst"))]

    assert marks(1, 2, 3, 4, 5, 6, 7) == ["worst"] * 3 + [""] + ["best"] * 3
    assert marks(1.0, 3.0) == ["worst", "best"]
    assert marks(2.0, 2.0, 2.0) == ["", "", ""]
    assert marks(1, 2, 3, 4, 5, 5, 5, 5) == ["worst"] * 3 + [""] + ["best"] * 4
    assert marks(math.nan, 1, 2) == ["", "worst", "best"]


@pytest.mark.parametrize("number", [1, 2])
def test_alpha_is_of_all_cells_with_their_latest_scores(report, number):
    import numpy as np

    for dimension in DIMENSIONS:
        values = [[true_score(seat, item, dimension, number) for item in sorted(ITEMS)] for seat in SEATS]
        expected = krippendorff_alpha(np.array(values, dtype=float))
        cell = find_row(report, "alpha", dimension=dimension, round=number)
        assert cell["alpha"] == (None if math.isnan(expected.value) else pytest.approx(expected.value))
        assert (cell["n_units"], cell["n_values"], cell["level"]) == (9, 27, "interval")


def test_an_undefined_alpha_says_why(report):
    cell = find_row(report, "alpha", dimension="consistency", round=1)
    assert cell["alpha"] is None
    assert cell["reason"]


def test_distributions_count_every_score_by_data_set(report):
    cell = find_row(report, "distributions", dataset="all", dimension="relevance", round=1, score=1)
    assert (cell["n"], cell["share"]) == (1, pytest.approx(1 / 27))
    cell = find_row(report, "distributions", dataset="source-1", dimension="relevance", round=2, score=2)
    assert (cell["n"], cell["share"]) == (3, pytest.approx(3 / 18))


def test_a_data_set_is_the_one_that_metadata_name_and_else_the_source(project):
    study = import_study(project)
    project.texts.filter(external_id="external-x1").update(metadata={"dataset": "multi-hop"})
    report = build(study, Choices())
    table = next(table for table in report.tables if table.name == "distributions")
    assert {row["dataset"] for row in table.rows} == {"all", "multi-hop", "source-0", "source-1"}
    assert find_row(report, "distributions", dataset="multi-hop", dimension="clarity", round=1, score=3)["n"] == 9


def test_a_second_round_in_which_no_score_stood_out_has_no_flagged_cells(project):
    make_bank(project)
    study = draft_study(project)
    same = [row(seat, item, "clarity", value=3) for seat, item in product(SEATS, ITEMS)]
    import_responses(study, as_csv([*same, row(0, ITEMS[0], "clarity", 2, value=2)]))
    study.refresh_from_db()
    report = build(study, Choices())
    assert next(table for table in report.tables if table.name == "flagged_cells").rows == ()
    assert find_row(report, "alpha", dimension="clarity", round=2)["n_values"] == 27


def test_scores_of_round_2_alone_are_round_2_and_the_first_is_unknown(project):
    make_bank(project)
    study = draft_study(project)
    rows = [
        {"annotator": f"p{seat}", "stage": "rate", "item_id": item, "question": name, "round": "2"}
        | {"value": true_score(seat, item, name, 2)}
        for seat, item, name in product(SEATS, ITEMS, DIMENSIONS)
    ]
    notices = import_responses(study, as_csv(rows)).notices
    assert any("round 1" in notice for notice in notices)
    report = build(study, Choices(seed=7))
    for name in ("alpha", "generator_means", "distributions"):
        assert {row["round"] for row in report.table(name).rows} == {2}
    assert not report.table("flagged_cells").rows
    for name in ("alpha", "flagged_cells"):
        assert any("Round 1 is unknown" in note for note in report.table(name).notes)


def test_a_cell_of_round_2_without_its_first_is_refused_where_others_have_one(project):
    make_bank(project)
    study = draft_study(project)
    cell = {"annotator": "p0", "stage": "rate", "item_id": ITEMS[0], "question": "fluency", "value": 3}
    with pytest.raises(ImportRefused):
        import_responses(study, as_csv([cell, cell | {"question": "clarity", "round": "2"}]), partial=True)


def test_correlations_are_of_items_means(report):
    # conciseness and answerability: (x1 3,3,3 | 3,3,3), then alder 3,2, birch 2,1, reference 3,3 for two texts
    x, y = [3, 3, 3, 3, 2, 3, 3, 2, 3], [3, 3, 3, 2, 1, 3, 2, 1, 3]
    mx, my = sum(x) / 9, sum(y) / 9
    r = sum((a - mx) * (b - my) for a, b in zip(x, y, strict=True)) / math.sqrt(
        sum((a - mx) ** 2 for a in x) * sum((b - my) ** 2 for b in y)
    )
    cell = find_row(report, "dimension_correlations", dimension_a="conciseness", dimension_b="answerability", round=1)
    assert cell["pearson"] == pytest.approx(r)
    assert 0 < cell["nemenyi_p"] <= 1
    assert cell["n"] == 9


def test_flagged_cells_are_the_planted_ones_with_what_became_of_them(report):
    table = report.table("flagged_cells")
    cells = {(row["annotator"], row["item_id"], row["dimension"], row["rule"]) for row in table.rows}
    assert cells == {(f"p{seat}", item, dimension, rule) for seat, item, dimension, rule in FLAGGED}
    cell = find_row(report, "flagged_cells", annotator="p0", item_id="x3-gen-birch")
    assert (cell["score"], cell["others"], cell["score_2"]) == (1, "2, 3", 2)
    changed = sum(first != second for first, second in PLANTED.values())
    assert f"Of 6 cells, 6 were scored again in round 2, and {changed} of these changed." in table.notes


def test_tables_without_data_have_their_header_and_say_so(report):
    for name in ("expert_check", "error_codes", "metric_correlations"):
        assert report.table(name).rows == ()
        assert report.table(name).notes[0].startswith("Empty, because")


CONTRACT = {
    "alpha": "dimension,round,alpha,low,high,level,n_units,n_values,reason",
    "generator_means": "generator,dimension,round,mean,low,high,n,mark",
    "dimension_correlations": "dimension_a,dimension_b,round,pearson,nemenyi_p,n",
    "distributions": "dataset,dimension,round,score,n,share",
    "flagged_cells": "annotator,item_id,dimension,rule,score,others",
    "expert_check": "dimension,expert,n,accuracy",
    "error_codes": "generator,code,n,share_of_all,share_of_erroneous",
}


def test_the_command_writes_every_table_of_the_contract_and_the_figures(study, tmp_path, real_figures):
    call_command("report", "dims", out=str(tmp_path))
    for name, columns in CONTRACT.items():
        header = (tmp_path / "tables" / f"{name}.csv").read_text().splitlines()[0]
        assert header.startswith(columns)
    for name in ("generator_means", "dimension_correlations"):
        assert (tmp_path / "figures" / f"{name}.svg").read_text().startswith("<svg")
        assert (tmp_path / "figures" / f"{name}.png").stat().st_size > 1000
    assert json.loads((tmp_path / "report.json").read_text())["tables"]["flagged_cells"] == 6


def test_names_in_figures_are_text_and_nothing_else(project, study):
    project.generators.filter(name="gen-alder").update(name="<script>alert(1)</script>&")
    report = build(study, Choices())
    for name in report.figures:
        svg = as_svg(specify_figure(study, report, name))
        assert svg.startswith("<svg")
        assert "<script" not in svg


def test_the_results_page_shows_tables_and_figures(study, as_user, researcher):
    page = as_user(researcher).get(reverse("results_details", args=["dims"])).content.decode()
    for words in ("Means by generator", "Agreement", "Dimensions compared", "Deviating scores", "Krippendorff"):
        assert words in page
    assert reverse("study_figure", args=["dims", "generator_means", "svg"]) in page


def test_evidence_keeps_all_rounds_beside_the_latest(study):
    evidence = collect_evidence(study, Choices())
    assert len(evidence.every_round) == len(both_rounds())
    assert len(evidence.frame) == len(first_round())


def problems(study, rows):
    with pytest.raises(ImportRefused) as refused:
        import_responses(study, as_csv(rows))
    return [(problem.line, problem.field) for problem in refused.value.problems]


@pytest.mark.parametrize(
    ("change", "column"),
    [
        ({"value": 4}, "value"),
        ({"value": 0}, "value"),
        ({"question": "beauty"}, "question"),
        ({"round": 3}, "round"),
        ({"option_id": "a"}, "option_id"),
        ({"other_item_id": ITEMS[1]}, "other_item_id"),
    ],
)
def test_what_nobody_could_have_scored_is_refused(project, change, column):
    make_bank(project)
    assert (2, column) in problems(draft_study(project), [row(0, ITEMS[0], "fluency") | change])


def test_a_score_of_what_does_not_apply_is_refused(project):
    make_bank(project, expected="")
    assert problems(draft_study(project), [row(0, ITEMS[0], "answer_consistency")]) == [(2, "question")]


def difference(scores: dict[str, tuple[int, ...]], span: float):
    """Alder minus birch over texts, with one score a text."""
    figures = {
        name: GeneratorFigure((Arm.of_tables(np.array(values, dtype=float)[:, None], np.ones((len(values), 1))),))
        for name, values in scores.items()
    }
    family = Family("clarity", "human", figures, len(scores["alder"]), (-span, span))
    [found] = family.contrasts("annotators", seed=1)
    return found


def test_the_ends_are_compared_with_an_interval_worked_by_hand():
    """One dimension, two items a text: alder 1, 2, 2, birch 3, 3, 2 on three texts."""
    found = difference({"alder": (1, 2, 2), "birch": (3, 3, 2)}, span=2.0)
    # Left out in turn: 2 - 2.5, 1.5 - 2.5, 1.5 - 3; their mean -1.
    error = (2 / 3 * 2 * 0.5**2) ** 0.5
    assert found.value == pytest.approx(-1)
    assert (found.low, found.high) == pytest.approx((-2, -1 + 4.302652729696142 * error))


def test_a_difference_is_clipped_to_the_declared_scale_and_not_to_the_scores_that_occur():
    """Two texts on a scale from 1 to 7 of which 4 and 5 are used: differences 0 and -1, t.975(1) = 12.7, error .5."""
    found = difference({"alder": (4, 4), "birch": (4, 5)}, span=6.0)
    assert (found.low, found.high) == pytest.approx((-6, -0.5 + 12.706204736174 * 0.5))


def list_averages(**dimensions):
    """Averages after one round; by generator the dimensions it was scored on and its average."""
    rows = [
        {"generator": name, "dimension": dimension, "round": 1, "n": 6, "mean": mean, "low": None, "high": None}
        for name, (scored, mean) in dimensions.items()
        for dimension in (*scored, "average")
    ]
    return make_table("generator_means", ("generator", "dimension", "round", "n", "mean", "low", "high"), rows)


def test_averages_over_other_dimensions_are_not_compared():
    means = list_averages(alder=(("clarity", "fluency"), 2.0), birch=(("clarity",), 2.5))
    assert list_sentences(means) == [
        "Generators were not scored on the same dimensions, so their averages are not compared."
    ]


def test_averages_are_listed_and_a_generator_without_scores_is_named():
    means = list_averages(alder=(("clarity",), 2.5), birch=(("clarity",), 2.0), cedar=((), None))
    [values, left_out] = list_sentences(means)
    assert values.index("2.50") < values.index("alder") < values.index("2.00") < values.index("birch")
    assert left_out == "Not compared: items by cedar (no scores)."


def test_a_dimension_that_nobody_scored_takes_no_part_in_nemenyis_test():
    rng = np.random.default_rng(1)
    scores = rng.integers(1, 4, size=(12, 4)).astype(float)
    p = compare_scored_dimensions(np.insert(scores, 2, np.nan, axis=1))
    assert np.isnan(p[2]).all()
    assert np.delete(np.delete(p, 2, axis=0), 2, axis=1).tolist() == nemenyi(scores).tolist()


def test_sentences_claim_only_differences_that_stand_after_adjustment(report):
    rows = [row for row in report.table("contrasts").rows if row["measure"] == "average"]
    compared = [row for row in rows if row["low_adjusted"] is not None]
    standing = [row for row in compared if row["low_adjusted"] > 0 or row["high_adjusted"] < 0]
    assert all(row["n_texts"] < 5 and row["reason"] for row in rows if row not in compared)
    claims = [sentence for sentence in report.sentences if " score higher than " in sentence]
    assert len(rows) == 3
    assert len(claims) == len(standing)
