"""Behind each number of a report of dimension ratings stand the rows that give it again, counted naively."""

import csv
import io
import math
from collections import defaultdict
from itertools import permutations
from statistics import mean

import pytest
from django.urls import reverse
from scipy import stats

from analysis.choices import Choices
from analysis.frames.evidence import Evidence, collect_evidence
from analysis.items.coding_acts import set_codes
from analysis.services import reporting as registry
from analysis.services.reporting import build
from analysis.tables.page import has_answers
from analysis.tables.provenance import describe_number
from analysis.tables.spec import NUMBERS
from analysis.tables.writers import as_csv
from evaluation.models import Metric, MetricValue
from items.models import Generator
from studies.models import Response, Study, StudyState
from studies.services.responses.importing import import_responses
from studies.services.states import switch_effects
from tests.analysis.leading import behind_numbers
from tests.dimensions import DIMENSIONS, GENERATORS, ITEMS, both_rounds, draft_study, import_study, make_bank
from tests.factory import make_annotator, make_assignment
from tests.studies import answer_files

pytestmark = pytest.mark.slow

NEAR = (4, 4, 4, 3, 1, 4, 2, 2, 5)
FLUENT = (1, 2, 3, 4, 5, 6, 7, 8, 9)
CODES = {"x1-gen-birch": ("ambiguous", "beyond_passage"), "x2-gen-birch": ("ambiguous",), "x3-gen-alder": ("invalid",)}
MODEL_SAYS = {item: {"fluency": 1 + place % 3, "relevance": 3} for place, item in enumerate(ITEMS)}


@pytest.fixture
def study(project, reviewer):
    """Both planted rounds, a metric about items and one about fluency, error codes, and a model that scores."""
    study = import_study(project)
    items = {item.external_id: item for item in project.items.all()}
    plant(project, items, "near", NEAR, family="Alpha")
    plant(project, items, "UniEval:fluency", FLUENT)
    plant(project, items, "UniEval:conciseness", NEAR)
    Generator.objects.filter(name="gen-alder").update(factors={"family": "alpha"})
    for item, codes in CODES.items():
        set_codes(study, items[item], codes, reviewer)
    judge(study, items)
    return study


def plant(project, items, name, values, family=""):
    metric = Metric.objects.create(project=project, name=name, family=family)
    MetricValue.objects.bulk_create(
        MetricValue(metric=metric, item=items[item], value=value) for item, value in zip(ITEMS, values, strict=True)
    )


def judge(study, items):
    model = make_annotator(study, "judge-x", kind="model")
    for unit in study.units.all():
        assignment = make_assignment(model, unit.items.first())
        Response.objects.bulk_create(
            Response(
                assignment=assignment, stage="rate", question=dimension, item=item, value=value,
                instrument_version=study.instrument_version,
            )
            for item in unit.items.all()
            for dimension, value in MODEL_SAYS[item.external_id].items()
        )  # fmt: skip


@pytest.fixture
def client(as_user, reviewer):
    return as_user(reviewer)


@pytest.fixture
def behind():
    """A function that gives the rows of the file behind a number of a row of a table."""
    read: dict[str, Evidence] = {}

    def rows(table, row, number):
        if not read:
            read["dims"] = collect_evidence(Study.objects.get(slug="dims"), Choices())
        return parse_csv(as_csv(registry.drill_down(read["dims"], table, row, number)))

    return rows


def parse_csv(text):
    return list(csv.DictReader(io.StringIO(text, newline="")))


SOURCED = {
    "alpha": ("dimension", "round"),
    "generator_means": ("generator", "dimension", "round"),
    "contrasts": ("measure", "evaluator", "generator_a", "generator_b"),
    "dimension_correlations": ("dimension_a", "dimension_b", "round"),
    "distributions": ("dataset", "dimension", "round", "score"),
    "metric_correlations": ("metric", "dimension", "coefficient", "scope"),
    "metric_means": ("metric", "generator"),
    "metric_checks": ("metric", "check"),
    "metric_by_score": ("metric", "dimension", "score"),
    "flagged_cells": ("annotator", "item_id", "dimension", "rule"),
    "expert_check": ("dimension", "expert"),
    "error_codes": ("generator", "code"),
    "judge_means": ("evaluator", "generator", "dimension"),
    "agreement_with_humans": ("evaluator", "dimension"),
}


MEAN = {"generator": "gen-birch", "dimension": "fluency", "round": 2}


def numbers(rows, column):
    return [float(row[column]) for row in rows]


def group_rows(rows, by, column="score"):
    found = defaultdict(list)
    for row in rows:
        found[row[by]].append(float(row[column]))
    return dict(found)


def naive_alpha(units):
    """Krippendorff's α at interval level, pair by pair."""
    observed = [(sum((a - b) ** 2 for a, b in permutations(scores, 2)) / (len(scores) - 1)) for scores in units]
    every = [score for scores in units for score in scores]
    expected = sum((a - b) ** 2 for a, b in permutations(every, 2)) / (len(every) - 1)
    return 1 - sum(observed) / expected


def r_of(one, other, coefficient="pearson"):
    how = {"pearson": stats.pearsonr, "spearman": stats.spearmanr, "kendall": stats.kendalltau}[coefficient]
    return how(one, other)[0]


def each(report, name):
    """The rows of a table, of which there are some."""
    rows = report.table(name).rows
    assert rows
    return rows


def test_the_page_s_file_holds_these_rows(study, client, behind):
    asked = {"table": "generator_means", "number": "mean"} | MEAN
    file = client.get(reverse("study_behind_csv", args=["dims"]), asked).content.decode()
    assert parse_csv(file) == behind("generator_means", MEAN, "mean")


def test_the_tables_that_lead_somewhere_are_those_with_sources(report):
    named = {table.name: table.keys for table in report.tables if table.name in SOURCED}
    assert named == SOURCED
    assert set(SOURCED) <= set(registry.list_specs("dimension-ratings"))


def test_no_two_rows_of_a_table_have_the_same_names(report):
    for name in SOURCED:
        table = report.table(name)
        names = [tuple(table.names(row).values()) for row in table.rows]
        assert len(names) == len(set(names)), name


def test_alpha_is_that_of_the_scores_behind_it(report, behind):
    for row in each(report, "alpha"):
        scores = behind("alpha", row, "n_values")
        assert len(scores) == row["n_values"]
        units = group_rows(scores, "item_id")
        assert len(units) == row["n_units"]
        if row["alpha"] is not None:
            assert naive_alpha(list(units.values())) == pytest.approx(row["alpha"])


def test_a_single_score_of_an_item_is_not_behind_alpha(study, behind, table):
    Response.objects.filter(
        assignment__annotator__code__in=["p0", "p1"], item__external_id=ITEMS[0], question="clarity"
    ).delete()
    row = next(row for row in table(study, "alpha").rows if (row["dimension"], row["round"]) == ("clarity", 1))
    scores = behind("alpha", row, "alpha")
    assert len(scores) == row["n_values"] == 24
    assert ITEMS[0] not in {score["item_id"] for score in scores}


def test_means_are_those_of_the_scores_behind_them_each_round_with_its_latest(report, behind):
    for row in each(report, "generator_means"):
        scores = behind("generator_means", row, "mean")
        assert len(scores) == row["n"]
        means = [mean(values) for values in group_rows(scores, "dimension").values()]
        assert mean(means) == pytest.approx(row["mean"])
    assert {score["round"] for score in behind("generator_means", MEAN, "mean")} == {"1", "2"}


def test_contrasts_are_differences_of_the_means_of_the_scores_behind(report, behind):
    for row in each(report, "contrasts"):
        scores = behind("contrasts", row, "difference")
        means = [
            mean(mean(values) for values in group_rows(own, "dimension").values())
            for name in ("generator_a", "generator_b")
            if (own := [score for score in scores if score["generator"] == row[name]])
        ]
        assert means[0] - means[1] == pytest.approx(row["difference"])
        for column in ("n_texts", "n_annotators"):
            assert len(behind("contrasts", row, column)) == row[column] == 3


def test_dimensions_correlate_as_the_items_behind_say(report, behind):
    for row in each(report, "dimension_correlations"):
        items = behind("dimension_correlations", row, "pearson")
        assert len(items) == row["n"]
        if row["pearson"] is not None:
            columns = (numbers(items, row[name]) for name in ("dimension_a", "dimension_b"))
            assert r_of(*columns) == pytest.approx(row["pearson"])


def test_nemenyi_s_p_is_of_the_mean_ranks_of_the_items_behind(report, behind):
    row = each(report, "dimension_correlations")[0]
    items = behind("dimension_correlations", row, "nemenyi_p")
    ranks = [stats.rankdata([-float(item[name]) for name in DIMENSIONS]) for item in items]
    one, other = (mean(rank[DIMENSIONS.index(row[name])] for rank in ranks) for name in ("dimension_a", "dimension_b"))
    k, n = len(DIMENSIONS), len(items)
    q = abs(one - other) / math.sqrt(k * (k + 1) / (6 * n)) * math.sqrt(2)
    assert row["nemenyi_p"] == pytest.approx(stats.studentized_range.sf(q, k, math.inf))


def test_distributions_count_the_scores_behind(report, behind):
    for row in each(report, "distributions"):
        every = behind("distributions", row, "share")
        same = [score for score in every if score["score"] == str(row["score"])]
        assert (len(same), len(same) / len(every)) == (row["n"], pytest.approx(row["share"]))
        if row["n"]:
            assert behind("distributions", row, "n") == same


def test_metrics_correlate_as_the_items_behind_say(report, behind):
    for row in each(report, "metric_correlations"):
        if row["r"] is None:
            continue
        items = behind("metric_correlations", row, "r")
        assert again(row, items) == pytest.approx(row["r"])
        n = len({item["generator"] for item in items}) if row["scope"] == "by generator" else len(items)
        assert n == row["n"]


def again(row, items):
    """The correlation of the row from its items."""
    if row["scope"] == "pooled":
        return r_of(numbers(items, "value"), numbers(items, "score"), row["coefficient"])
    if row["scope"] == "by generator":
        value, score = (group_rows(items, "generator", column) for column in ("value", "score"))
        return r_of([mean(value[g]) for g in value], [mean(score[g]) for g in value], row["coefficient"])
    value, score = (group_rows(items, "text_id", column) for column in ("value", "score"))
    own = [(r_of(value[text], score[text], row["coefficient"]), len(value[text])) for text in value]
    return sum(r * n for r, n in own) / sum(n for _r, n in own)


def test_behind_an_adjusted_p_stand_all_that_were_adjusted_together(report, behind):
    row = next(row for row in each(report, "metric_correlations") if row["p_adjusted"] is not None)
    tests = behind("metric_correlations", row, "p_adjusted")
    ps = sorted(float(test["p"]) for test in tests if test["p"])
    holm = max(min(1, p * (len(ps) - place)) for place, p in enumerate(ps) if p <= row["p"])
    assert holm == pytest.approx(row["p_adjusted"])


def test_means_of_metrics_are_those_of_the_values_behind(report, behind):
    for row in each(report, "metric_means"):
        items = behind("metric_means", row, "mean")
        columns = [name for name in items[0] if name not in ("text_id", "item_id", "generator")]
        assert mean(mean(numbers(items, name)) for name in columns) == pytest.approx(row["mean"])
        assert len(items) == row["n"]


def test_ranks_are_of_the_generators_behind(report, behind):
    row = next(row for row in each(report, "metric_means") if row["rank_correlation"] is not None)
    generators = behind("metric_means", row, "rank")
    means = {one["generator"]: (float(one["mean"]), float(one["human_mean"])) for one in generators}
    own, people = means[row["generator"]]
    assert row["rank"] == 1 + sum(value > own for value, _human in means.values())
    assert row["human_rank"] == 1 + sum(value > people for _value, value in means.values())
    assert r_of(*zip(*means.values(), strict=True), "spearman") == pytest.approx(row["rank_correlation"])


def test_what_a_metric_favours_is_worked_out_again_from_the_items_behind(report, behind):
    checked = [row for row in each(report, "metric_checks") if row["difference"] is not None]
    assert {row["check"] for row in checked} == {"reference", "own_family"}
    for row in checked:
        items = behind("metric_checks", row, "difference")
        apart = [
            value - score
            for value, score in zip(*(standard(numbers(items, c)) for c in ("value", "score")), strict=True)
        ]
        inside = [one for one, item in zip(apart, items, strict=True) if item["asked_about"] == "true"]
        outside = [one for one, item in zip(apart, items, strict=True) if item["asked_about"] == "false"]
        assert mean(inside) - mean(outside) == pytest.approx(row["difference"])
        assert (len(behind("metric_checks", row, "n")), len(behind("metric_checks", row, "n_others"))) == (
            len(inside), len(outside),
        ) == (row["n"], row["n_others"])  # fmt: skip


def standard(values):
    centre = mean(values)
    spread = math.sqrt(mean((value - centre) ** 2 for value in values))
    return [(value - centre) / spread for value in values]


def test_metrics_by_score_are_of_the_items_behind(report, behind):
    for row in each(report, "metric_by_score"):
        if row["n"]:
            values = numbers(behind("metric_by_score", row, "median"), "value")
            assert (len(values), mean(values)) == (row["n"], pytest.approx(row["mean"]))
        if row["r"] is not None:
            items = behind("metric_by_score", row, "r")
            assert r_of(numbers(items, "value"), numbers(items, "rounded")) == pytest.approx(row["r"])


def test_behind_a_score_that_stands_out_stand_those_of_the_others(report, behind):
    for row in each(report, "flagged_cells"):
        scores = behind("flagged_cells", row, "score")
        of_item = [score for score in scores if score["item_id"] == row["item_id"]]
        others = sorted(score["score"] for score in of_item if score["annotator"] != row["annotator"])
        assert ", ".join(others) == row["others"]
        own = [score for score in scores if score["annotator"] == row["annotator"]]
        assert len({score["score"] for score in own}) == (2 if row["rule"] == "a" else 1)
        mine = next(score for score in own if score["item_id"] == row["item_id"])
        assert (mine["score"], mine["score_2"]) == (str(row["score"]), str(row["score_2"]))


def test_shares_of_codes_are_of_the_items_behind(report, behind):
    for row in each(report, "error_codes"):
        for number in ("share_of_all", "share_of_erroneous"):
            if row[number] is not None:
                items = behind("error_codes", row, number)
                assert mean(item["has_code"] == "true" for item in items) == pytest.approx(row[number])
        if row["n"]:
            assert len(behind("error_codes", row, "n")) == row["n"]


def test_means_of_models_are_of_their_own_scores(report, behind):
    for row in each(report, "judge_means"):
        if row["n"]:
            scores = behind("judge_means", row, "mean")
            assert {score["annotator"] for score in scores} == {"judge-x"}
            assert (len(scores), mean(numbers(scores, "score"))) == (row["n"], pytest.approx(row["mean"]))


def test_a_model_agrees_with_people_as_the_rows_behind_say(report, behind):
    row = next(row for row in each(report, "agreement_with_humans") if row["dimension"] == "fluency")
    items, pairs = (behind("agreement_with_humans", row, number) for number in ("pearson", "percent"))
    assert r_of(numbers(items, "model"), numbers(items, "people")) == pytest.approx(row["pearson"])
    assert mean(numbers(items, "model")) - mean(numbers(items, "people")) == pytest.approx(row["difference"])
    assert mean(pair["equal"] == "true" for pair in pairs) == pytest.approx(row["percent"])
    assert (len(items), len(pairs)) == (row["n_items"], row["n_pairs"])


def test_accuracy_is_the_share_of_right_verdicts_behind(project, behind, table):
    make_bank(project)
    study = draft_study(project)
    values = [("clarity", "right"), ("fluency", "wrong")]
    verdicts = [
        {"annotator": "ada", "purpose": "expert", "round": 1, "stage": "check", "item_id": item} | {
            "question": question, "value": value
        }
        for item in ITEMS[:2]
        for question, value in (values if item == ITEMS[0] else [("clarity", "wrong")])
    ]  # fmt: skip
    import_responses(study, answer_files.as_csv([row | {"purpose": "main"} for row in both_rounds()] + verdicts))
    row = next(row for row in table(study, "expert_check").rows if row["dimension"] == "clarity")
    found = behind("expert_check", row, "accuracy")
    assert [(one["item_id"], one["expert"], one["right"]) for one in found] == [
        (ITEMS[0], "ada", "true"), (ITEMS[1], "ada", "false"),
    ]  # fmt: skip
    assert (row["n"], row["accuracy"]) == (2, 0.5)


def test_dropped_references_are_behind_no_number_of_metrics(study, client):
    asked = {
        "asked": "1",
        "drop": "references",
        "table": "metric_means",
        "metric": "near",
        "number": "rank_correlation",
    }
    rows = client.get(reverse("study_behind_csv", args=["dims"]), asked | {"generator": "gen-alder"})
    generators = parse_csv(rows.content.decode())
    assert [one["mean"] for one in generators if one["generator"] == "the-reference"] == [""]
    asked |= {"table": "metric_correlations", "number": "r", "dimension": "answerability"}
    asked |= {"coefficient": "pearson", "scope": "pooled"}
    rows = client.get(reverse("study_behind_csv", args=["dims"]), asked).content.decode()
    assert "gen-alder" in rows
    assert "the-reference" not in rows


def test_simulated_scores_are_behind_a_number_only_where_they_are_included(study, client):
    person = make_annotator(study, "sim", purpose="simulated")
    unit = study.units.first()
    item = unit.items.get(external_id=ITEMS[0])
    Response.objects.create(
        assignment=make_assignment(person, item), stage="rate", question="fluency", item=item, value=2,
        instrument_version=study.instrument_version,
    )  # fmt: skip
    cell = {"table": "generator_means", "number": "mean", "dimension": "fluency", "round": "1"}
    cell |= {"asked": "1", "generator": GENERATORS[0]}
    address = reverse("study_behind_csv", args=["dims"])
    assert "sim" not in client.get(address, cell).content.decode()
    assert ",sim,fluency,1,2," in client.get(address, cell | {"include": "simulated"}).content.decode()


def test_every_number_of_these_tables_leads_to_a_page(study, client, unchanged):
    report = build(study, Choices(seed=abs(study.seed)))
    address, n = reverse("study_behind", args=["dims"]), 0
    for name in SOURCED:
        table = report.table(name)
        for column in (column for column in table.columns if column.kind in NUMBERS and column.name not in table.keys):
            row = next((row for row in table.rows if has_answers(table, column, row[column.name])), None)
            if row is not None:
                asked = {"table": name, "number": column.name} | table.names(row)
                assert client.get(address, asked).status_code == 200, asked
                n += 1
            assert column.about, (name, column.name)
    assert n > 35


def test_the_results_page_leads_there_and_says_what_a_number_is(study, client):
    response = client.get(reverse("results_details", args=["dims"]))
    html, links = response.content.decode(), [link for link in behind_numbers(response) if "table=alpha" in link]
    assert links
    assert client.get(links[0]).status_code == 200
    assert "Krippendorff&#x27;s α, interval level, over items with two or more scores" in html


@pytest.mark.parametrize(
    ("convention", "name", "number", "message"),
    [
        ("annotators", "generator_means", "mean", "jackknife over texts (t) · 3 texts, 9 scores"),
        ("published", "generator_means", "mean", "· 9 scores"),
        ("annotators", "metric_correlations", "r", "jackknife over texts (t) · 3 texts, 9 items"),
        ("published", "metric_correlations", "r", "Fisher's z, takes rows as independent · 9 items"),
        ("published", "alpha", "alpha", "from the spread between units (t) · 9 units, 27 scores"),
    ],
)
def test_a_number_says_its_method_and_what_it_counts(report, convention, name, number, message):
    table = report.table(name)
    column = table.find_number(number)
    defined = (row for row in table.rows if row["intervals"][number][convention]["low"] is not None)
    assert " · ".join(describe_number(next(defined), column, table, convention)).endswith(message)


def test_while_effects_are_hidden_no_number_leads_to_single_scores(study, owner, client):
    Study.objects.filter(pk=study.pk).update(state=StudyState.LIVE)
    study.refresh_from_db()
    switch_effects(study, owner, hidden=True)
    html = client.get(reverse("results_details", args=["dims"])).content.decode()
    assert 'id="alpha"' in html
    assert "judgments/?" not in html
