"""Metrics beside the planted scores of dimension ratings; numbers worked by hand."""

import math

import pytest
from django.core.management import call_command
from django.urls import reverse
from scipy.stats import pearsonr

from analysis.choices import BadChoice, Choices, parse_dropped
from analysis.services.figures import specify_figure
from analysis.services.reporting import build
from evaluation.models import Metric, MetricValue
from items.models import Generator
from studies.models import Response
from tests.analysis.rows import find_row
from tests.dimensions import DIMENSIONS, GENERATORS, ITEMS, import_study, true_score
from tests.factory import make_annotator, make_assignment

pytestmark = pytest.mark.slow

# Alder, birch, reference in each of three texts. On answerability people give 3 3 3, 2 1 3, 2 1 3.
NEAR = (4, 4, 4, 3, 1, 4, 2, 2, 5)
FAR = (1, 2, 3, 3, 1, 2, 2, 3, 1)
ONLY_FLUENCY = (1, 2, 3, 4, 5, 6, 7, 8, 9)


def plant(project, name, values, family=""):
    metric = Metric.objects.create(project=project, name=name, family=family)
    items = {item.external_id: item for item in project.items.all()}
    for item, value in zip(ITEMS, values, strict=True):
        MetricValue.objects.create(metric=metric, item=items[item], value=value)


@pytest.fixture
def study(project):
    study = import_study(project)
    plant(project, "near", NEAR, family="Alpha")
    plant(project, "far", FAR)
    plant(project, "UniEval:fluency", ONLY_FLUENCY)
    Generator.objects.filter(name="gen-alder").update(factors={"family": "alpha"})
    return study


def pearson(x, y):
    mx, my = sum(x) / len(x), sum(y) / len(y)
    above = sum((a - mx) * (b - my) for a, b in zip(x, y, strict=True))
    return above / math.sqrt(sum((a - mx) ** 2 for a in x) * sum((b - my) ** 2 for b in y))


ANSWERABLE = (3, 3, 3, 2, 1, 3, 2, 1, 3)
CELL = {"metric": "near", "dimension": "answerability", "coefficient": "pearson"}


def test_pooled_is_over_all_items(report):
    row = find_row(report, "metric_correlations", scope="pooled", **CELL)
    assert row["r"] == pytest.approx(pearson(NEAR, ANSWERABLE))
    assert row["n"] == 9
    assert row["low"] < row["r"] < row["high"]


def test_within_text_is_the_mean_of_the_texts_that_vary(report):
    # The first text is constant; the others: 3/√(28/3) and 3/√12.
    row = find_row(report, "metric_correlations", scope="within text", **CELL)
    assert row["r"] == pytest.approx((3 / math.sqrt(28 / 3) + 3 / math.sqrt(12)) / 2)
    assert row["n"] == 6
    # Left out in turn, one of the two is left: the error is half of what they are apart, t has one degree of freedom.
    t = (3 / math.sqrt(28 / 3) + 3 / math.sqrt(12)) / abs(3 / math.sqrt(28 / 3) - 3 / math.sqrt(12))
    assert row["p"] == pytest.approx(1 - 2 * math.atan(t) / math.pi)


def test_p_goes_with_the_interval_of_the_convention(study):
    """By texts it is below .05 where the interval leaves out 0; as published it is that of independent rows."""
    for row in build(study, Choices(seed=5)).table("metric_correlations").rows:
        if row["p"] is not None:
            assert (row["p"] < 0.05) == (not row["low"] <= 0 <= row["high"])
    published = build(study, Choices(seed=5, convention="published"))
    cells = {
        scope: find_row(published, "metric_correlations", scope=scope, **CELL) for scope in ("pooled", "within text")
    }
    assert cells["pooled"]["p"] == pytest.approx(pearsonr(NEAR, ANSWERABLE).pvalue)
    assert cells["within text"]["p"] is None


def test_by_generator_is_of_their_means(report):
    row = find_row(report, "metric_correlations", scope="by generator", **CELL)
    assert row["r"] == pytest.approx(pearson((3, 7 / 3, 13 / 3), (7 / 3, 5 / 3, 3)))
    assert row["n"] == 3


def test_an_undefined_correlation_says_why(report):
    row = find_row(report, "metric_correlations", scope="pooled", **(CELL | {"dimension": "consistency"}))
    assert (row["r"], row["mark"]) == (None, "")
    assert row["reason"].startswith("One of the two columns is constant")


def test_a_metric_named_after_a_dimension_is_about_that_one_alone(report):
    rows = [row for row in report.table("metric_correlations").rows if row["metric"] == "UniEval"]
    assert {row["dimension"] for row in rows} == {"fluency"}
    # After round 2 everybody gives the reworded item a 3 on fluency, as everywhere.
    assert {row["r"] for row in rows} == {None}


def test_p_is_adjusted_over_the_metrics_and_dimensions_of_a_coefficient_and_scope(report):
    rows = [
        row
        for row in report.table("metric_correlations").rows
        if (row["coefficient"], row["scope"]) == ("pearson", "pooled") and row["p"] is not None
    ]
    smallest = min(rows, key=lambda row: row["p"])
    assert smallest["p_adjusted"] == pytest.approx(min(1, smallest["p"] * len(rows)))  # Holm's first step
    assert all(row["p_adjusted"] >= row["p"] for row in rows)


def test_the_highest_and_the_lowest_are_marked_whatever_their_sign(report):
    near, far = (
        find_row(report, "metric_correlations", scope="pooled", **(CELL | {"metric": m})) for m in ("near", "far")
    )
    assert abs(near["r"]) > abs(far["r"])
    assert (near["mark"], far["mark"]) == ("highest", "lowest")


def test_the_published_interval_is_fisher_s(study):
    row = find_row(build(study, Choices(seed=5, convention="published")), "metric_correlations", scope="pooled", **CELL)
    reach = 1.959964 / math.sqrt(6)
    assert row["high"] == pytest.approx(math.tanh(math.atanh(row["r"]) + reach), abs=1e-5)
    within = find_row(build(study, Choices(convention="published")), "metric_correlations", scope="within text", **CELL)
    assert (within["low"], within["reason"]) == (None, "A mean of texts' correlations has an interval by texts only.")


def test_means_by_generator_are_ranked_as_by_people(report):
    rows = {generator: find_row(report, "metric_means", metric="near", generator=generator) for generator in GENERATORS}
    means = [rows[generator]["mean"] for generator in GENERATORS]
    assert means == pytest.approx([3, 7 / 3, 13 / 3])
    assert [rows[generator]["mark"] for generator in GENERATORS] == ["", "", "highest"]
    assert [rows[generator]["rank"] for generator in GENERATORS] == [2, 3, 1]
    assert [rows[generator]["human_rank"] for generator in GENERATORS] == [2, 3, 1]
    assert {row["rank_correlation"] for row in rows.values()} == {1.0}
    far = find_row(report, "metric_means", metric="far", generator="gen-alder")
    assert far["mean"] == 2
    assert far["rank_correlation"] is None  # all three generators have the mean 2
    assert far["reason"]


def test_people_s_average_beside_a_metric_is_of_unrounded_means(report):
    scores = [true_score(seat, item, name, 2) for seat in range(3) for item in ITEMS[0::3] for name in DIMENSIONS]
    row = find_row(report, "metric_means", metric="near", generator="gen-alder")
    assert row["human_mean"] == pytest.approx(sum(scores) / len(scores))


def test_a_metric_that_gives_the_reference_more_than_people_do_is_seen(report):
    row = find_row(report, "metric_checks", metric="near", check="reference")
    assert (row["generators"], row["n"], row["n_others"]) == ("the-reference", 3, 6)
    people = [sum(true_score(s, item, name, 2) for s in range(3) for name in DIMENSIONS) / 21 for item in ITEMS]
    apart = [a - b for a, b in zip(standard(NEAR), standard(people), strict=True)]
    assert row["difference"] == pytest.approx(sum(apart[2::3]) / 3 - sum(apart[0::3] + apart[1::3]) / 6)


def standard(values):
    mean = sum(values) / len(values)
    spread = math.sqrt(sum((value - mean) ** 2 for value in values) / len(values))
    return [(value - mean) / spread for value in values]


def test_whether_a_metric_favours_its_own_family_needs_the_family(report):
    row = find_row(report, "metric_checks", metric="near", check="own_family")
    assert (row["generators"], row["n"]) == ("gen-alder", 3)
    assert row["difference"] is not None
    row = find_row(report, "metric_checks", metric="far", check="own_family")
    assert (row["difference"], row["reason"]) == (None, "No family is known of this metric's base model.")


def test_values_by_rounded_score_and_r_recomputed_on_it(report):
    shared = {"metric": "near", "dimension": "answerability"}
    one, two, three = (find_row(report, "metric_by_score", score=score, **shared) for score in (1, 2, 3))
    assert (one["n"], one["mean"], one["quartiles"]) == (2, 1.5, "1.25; 1.5; 1.75")
    assert (two["n"], two["mean"]) == (2, 2.5)
    assert (three["n"], three["mean"], three["median"]) == (5, 4.2, 4)
    assert one["r"] == two["r"] == pytest.approx(pearson(NEAR, ANSWERABLE))
    # One annotator gave 1 where the others gave 3: the mean of 7/3 counts as a 2.
    clear = find_row(report, "metric_by_score", score=2, metric="near", dimension="clarity")
    assert (clear["n"], clear["mean"]) == (1, 3)
    empty = find_row(report, "metric_by_score", score=1, metric="near", dimension="clarity")
    assert (empty["n"], empty["mean"], empty["quartiles"]) == (0, None, "")


def test_duplicates_and_references_can_be_left_out(study):
    def n(*dropped):
        report = build(study, Choices(seed=5, dropped=dropped))
        return find_row(report, "metric_correlations", scope="pooled", **CELL)["n"]

    assert n("references") == 6
    assert n("duplicates") == 8  # the first text has one wording twice
    assert n("duplicates", "references") == 5
    with pytest.raises(BadChoice):
        parse_dropped(["people"])


def test_a_model_that_scored_as_an_annotator_stands_among_the_metrics(study):
    judge = make_annotator(study, "judge", kind="model")
    for item, score in zip(ITEMS, ANSWERABLE, strict=True):
        row = study.project.items.get(external_id=item)
        Response.objects.create(
            assignment=make_assignment(judge, row), stage="rate", item=row, question="answerability", value=score,
            instrument_version=study.instrument_version,
        )  # fmt: skip
    row = find_row(build(study, Choices(seed=5)), "metric_correlations", scope="pooled", **(CELL | {"metric": "judge"}))
    assert row["r"] == pytest.approx(1)


def test_without_metrics_the_tables_say_how_to_get_some(project):
    report = build(import_study(project), Choices())
    for name in ("metric_correlations", "metric_means", "metric_checks", "metric_by_score"):
        assert report.table(name).rows == ()
        assert report.table(name).notes[0].startswith("Empty, because no item of this study has a metric")


CONTRACT = {
    "metric_correlations": "metric,dimension,coefficient,scope,r,low,high,p,p_adjusted,n,mark",
    "metric_means": "metric,generator,mean,mark,rank_correlation",
    "metric_by_score": "metric,dimension,score,n,mean,quartiles",
}


def test_the_command_writes_the_tables_of_the_contract_and_the_heat_map(study, tmp_path):
    call_command("report", "dims", out=str(tmp_path), drop="references")
    for name, columns in CONTRACT.items():
        assert (tmp_path / "tables" / f"{name}.csv").read_text().startswith(columns)
        assert "Without reference items." in (tmp_path / "tables" / f"{name}.json").read_text()
    assert (tmp_path / "figures" / "metric_correlations.svg").read_text().startswith("<svg")


def test_the_figure_of_metrics_by_score_draws_the_quartiles_of_the_table(study, report):
    spec = specify_figure(study, report, "metric_by_score")
    assert "metric_by_score" in report.figures
    boxes = {
        (box["metric"], box["heading"], box["score"]): box for row in spec["vconcat"] for box in row["data"]["values"]
    }
    drawn = [row for row in report.table("metric_by_score").rows if row["median"] is not None]
    assert len(boxes) == len(drawn) > 0
    row = find_row(report, "metric_by_score", metric="near", dimension="conciseness", score=3)
    box = boxes["near", "conciseness", "3"]
    assert (box["q1"], box["median"], box["q3"]) == (row["q1"], row["median"], row["q3"])
    shown = [each["r_shown"] for each in boxes.values() if (each["metric"], each["heading"]) == ("near", "conciseness")]
    assert sum(map(bool, shown)) == 1


def test_the_page_follows_a_metric_that_was_computed_anew(study, as_user, researcher):
    address = reverse("results_details", args=["dims"])
    before = as_user(researcher).get(address).content.decode()
    assert "Metrics and people" in before
    assert "Metrics leave out" in before
    plant(study.project, "quite new", NEAR)
    assert "quite new" in as_user(researcher).get(address).content.decode()
