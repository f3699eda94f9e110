"""The tables of dimension ratings."""

from dataclasses import replace

from django.utils.translation import gettext_noop as _

from analysis.reports import tables
from analysis.reports.tables import ANNOTATOR, EVALUATOR, GENERATOR, ITEM
from analysis.tables.spec import Column, Crossing, TableSpec, count, estimate, number

DIMENSION = Column("dimension", _("Dimension"), "question")
ROUND = count("round", _("Round"))
MARK = Column("mark", _("Mark"), "mark")
METRIC = Column("metric", _("Metric"))

MEANS = TableSpec(
    "generator_means", _("Means by generator"), (
        GENERATOR,
        DIMENSION,
        ROUND,
        estimate(
            "mean", _("Mean"),
            _("mean of people's scores; the average is the mean of the means on the dimensions"), counts="scores",
        ),
        count("n", _("Scores"), _("scores of people")),
        MARK,
        "reason",
    ),
    keys=("generator", "dimension", "round"),
    crossings=(Crossing("mean", "generator", "dimension", apart=("round",), mark="mark"),),
)  # fmt: skip

CONTRASTS = replace(tables.CONTRASTS)  # a copy with a drill-down of its own

ALPHA = TableSpec(
    "alpha", _("Agreement"), (
        DIMENSION,
        ROUND,
        estimate(
            "alpha", _("α"), _("Krippendorff's α, interval level, over items with two or more scores"), counts="scores"
        ),
        "level",
        count("n_units", _("Items"), _("items with two or more scores")),
        count("n_values", _("Scores"), _("scores of these items")),
        "reason",
    ),
    keys=("dimension", "round"),
    notes=(
        _("Krippendorff's α, interval level. Units are items that at least two people scored; published intervals "
          "take items as independent."),
    ),
    crossings=(Crossing("alpha", "dimension", "round"),),
)  # fmt: skip

CORRELATIONS = TableSpec(
    "dimension_correlations", _("Dimensions compared"), (
        Column("dimension_a", _("Dimension"), "question"),
        Column("dimension_b", _("with"), "question"),
        ROUND,
        number("pearson", _("r"), _("Pearson's r of items' mean scores"), reason="reason"),
        Column(
            "nemenyi_p", _("Nemenyi's p"), "p", reason="reason",
            about=_("Nemenyi's test of equal mean ranks, over items with scores on all dimensions that were scored"),
        ),
        count("n", _("Items"), _("items with scores on both")),
        "reason",
    ),
    keys=("dimension_a", "dimension_b", "round"),
    notes=(
        _("Pearson's r of items' mean scores. Nemenyi: p that the two dimensions' mean ranks within an item are the "
          "same, over items with scores on all dimensions that were scored."),
    ),
    crossings=(
        Crossing("pearson", "dimension_a", "dimension_b", apart=("round",), beneath=("nemenyi_p",), mirrored=True),
    ),
)  # fmt: skip

DISTRIBUTIONS = TableSpec(
    "distributions", _("Distribution of scores"), (
        Column("dataset", _("Data set"), "dataset"),
        DIMENSION,
        ROUND,
        count("score", _("Score")),
        count("n", _("n"), _("scores of this level")),
        number("share", _("Share"), _("share of all scores on the dimension that are of this level")),
    ),
    keys=("dataset", "dimension", "round", "score"),
    notes=(_("The data set is taken from the text's metadata, otherwise from its source."),),
    crossings=(Crossing("share", "dimension", "score", apart=("dataset", "round")),),
)  # fmt: skip

FLAGGED = TableSpec(
    "flagged_cells", _("Deviating scores"), (
        ANNOTATOR,
        ITEM,
        DIMENSION,
        Column("rule", _("Rule")),
        number("score", _("Score"), _("score in round 1, with the scores it deviates from")),
        Column("others", _("Others")),
        Column("score_2", _("Round 2"), "optional"),
    ),
    keys=("annotator", "item_id", "dimension", "rule"),
    notes=(
        _("(a) the same annotator scored the same wording in a text differently; (b) at least 2 away from all "
          "others, of whom at least two agree; (c) three or more scores, all different."),
    ),
)  # fmt: skip

METRIC_CORRELATIONS = TableSpec(
    "metric_correlations", _("Metrics and people"), (
        METRIC,
        DIMENSION,
        Column("coefficient", _("Coefficient"), "correlation"),
        Column("scope", _("Scope"), "scope"),
        estimate("r", _("r"), _("correlation of the metric with people's mean score"), counts="items"),
        Column("p", _("p"), "p", about=_("two-sided; by texts, or as published of independent rows")),
        Column(
            "p_adjusted", _("p, adjusted"), "p",
            about=_("by Holm over all metrics and dimensions of this coefficient and scope"),
        ),
        count("n", _("Rows"), _("items with both numbers; by generator: generators")),
        MARK,
        "reason",
    ),
    keys=("metric", "dimension", "coefficient", "scope"),
    crossings=(Crossing("r", "metric", "dimension", apart=("scope", "coefficient"), mark="mark"),),
)  # fmt: skip

METRIC_MEANS = TableSpec(
    "metric_means", _("Metrics by generator"), (
        METRIC,
        GENERATOR,
        number("mean", _("Mean"), _("mean of the metric over the generator's items")),
        MARK,
        number(
            "rank_correlation", _("Rank correlation"),
            _("Spearman's ρ of generators' means by the metric and by people"), reason="reason",
        ),
        count("n", _("Items"), _("items with a value")),
        number("rank", _("Rank"), _("rank of the generator's mean, 1 is the highest")),
        "human_mean",
        number("human_rank", _("Rank by people"), _("rank of the average of people's scores, 1 is the highest")),
        "reason",
    ),
    keys=("metric", "generator"),
    crossings=(Crossing("mean", "metric", "generator", mark="mark", along=("rank_correlation",)),),
    page_first=("metric", "generator", "mean", "mark", "n", "rank", "human_rank"),
)  # fmt: skip

METRIC_CHECKS = TableSpec(
    "metric_checks", _("Do metrics favor an item's author?"), (
        METRIC,
        Column("check", _("Asked about"), "check"),
        Column("generators", _("Generators")),
        estimate(
            "difference", _("Difference"),
            _("metric minus people in standard deviations, of these items minus that of all others"), counts="items",
        ),
        count("n", _("Items"), _("items asked about that have both numbers")),
        count("n_others", _("Others"), _("all other items that have both numbers")),
        "reason",
    ),
    keys=("metric", "check"),
)  # fmt: skip

OF_VALUES = _("of the metric's values of these items")
METRIC_BY_SCORE = TableSpec(
    "metric_by_score", _("Metrics by rounded score"), (
        METRIC,
        DIMENSION,
        count("score", _("Score")),
        count("n", _("Items"), _("items with this rounded score and a value")),
        number("mean", _("Mean"), OF_VALUES),
        "quartiles",
        number("q1", _("First quartile"), OF_VALUES),
        number("median", _("Median"), OF_VALUES),
        number("q3", _("Third quartile"), OF_VALUES),
        number(
            "r", _("r with the rounded score"), _("Pearson's r over the items of all rounded scores"), reason="reason"
        ),
        "reason",
    ),
    keys=("metric", "dimension", "score"),
    crossings=(Crossing("mean", "metric", "score", apart=("dimension",), beneath=("n",), along=("r",)),),
)  # fmt: skip

EXPERT_CHECK = TableSpec(
    "expert_check", _("Expert check"), (
        DIMENSION,
        Column("expert", _("Expert")),
        count("n", _("n"), _("scores that the expert checked")),
        number("accuracy", _("Accuracy"), _("share of the checked scores that the expert found right")),
    ),
    keys=("dimension", "expert"),
    crossings=(Crossing("accuracy", "dimension", "expert"),),
)  # fmt: skip

ERROR_CODES = replace(tables.ERROR_CODES)

JUDGE_MEANS = TableSpec(
    "judge_means", _("Means by models"), (
        EVALUATOR,
        "evaluator_kind",
        GENERATOR,
        DIMENSION,
        number("mean", _("Mean"), _("mean of the model's scores"), reason="reason"),
        count("n", _("Scores"), _("scores of the model")),
        "reason",
    ),
    keys=("evaluator", "generator", "dimension"),
    notes=(_("Scores of models only, on the study's scale; the tables above are about people."),),
    crossings=(Crossing("mean", "generator", "dimension", apart=("evaluator",)),),
)  # fmt: skip

JUDGE_AGREEMENT = TableSpec(
    "agreement_with_humans", _("Agreement of models with people"), (
        EVALUATOR,
        "evaluator_kind",
        DIMENSION,
        number(
            "pearson", _("r"), _("Pearson's r of the model's score with people's mean score, over items"),
            reason="reason",
        ),
        number("percent", _("Equal"), _("share of people's scores that equal the model's")),
        number("difference", _("Difference"), _("mean of the model minus that of people, over the same items")),
        count("n_items", _("Items"), _("items that both scored")),
        count("n_pairs", _("Scores of people"), _("scores of people on these items")),
        "reason",
    ),
    keys=("evaluator", "dimension"),
    notes=(
        _("r is Pearson's, of the model's score with the mean score of people in round 1, over items. Equal: of all "
          "scores of people, those that equal the model's. Difference: the model's mean minus that of people. Models "
          "take no part in a second round."),
    ),
)  # fmt: skip

TABLES = (
    MEANS, CONTRASTS, ALPHA, CORRELATIONS, DISTRIBUTIONS, FLAGGED, METRIC_CORRELATIONS, METRIC_MEANS, METRIC_CHECKS,
    METRIC_BY_SCORE, EXPERT_CHECK, ERROR_CODES, JUDGE_MEANS, JUDGE_AGREEMENT,
)  # fmt: skip
