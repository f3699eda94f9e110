"""What the numbers of dimension ratings were computed from: scores, items with a pair of numbers, experts' verdicts."""

from collections.abc import Iterable, Mapping
from functools import partial

import numpy as np
import pandas as pd
from django.utils.translation import gettext as _

from analysis.formatting import count, number
from analysis.frames.evidence import Evidence
from analysis.measures.contrasts import adjust_p_values
from analysis.measures.correlations import text_correlations
from analysis.measures.types import BoolArray, FloatArray
from analysis.protocols.dimension_ratings.dimensions import split_datasets
from analysis.protocols.dimension_ratings.metrics import (
    BY_GENERATOR,
    WITHIN,
    MetricPairs,
    average_by_generator,
    average_rows,
    iter_rows,
    pair_metrics,
    round_scores,
    select_checked,
)
from analysis.protocols.dimension_ratings.scores import (
    AVERAGE,
    CELL,
    average_by_item,
    find_second_scores,
    list_dimension_names,
    list_rounds,
    select_scores,
    select_scores_by,
)
from analysis.protocols.dimension_ratings.tables import (
    ALPHA,
    CONTRASTS,
    CORRELATIONS,
    DISTRIBUTIONS,
    ERROR_CODES,
    EXPERT_CHECK,
    FLAGGED,
    JUDGE_AGREEMENT,
    JUDGE_MEANS,
    MEANS,
    METRIC_BY_SCORE,
    METRIC_CHECKS,
    METRIC_CORRELATIONS,
    METRIC_MEANS,
    TABLES,
)
from analysis.reports.categories import ALL, list_coded_items
from analysis.reports.drill_down import COUNTED, list_counted, list_rows
from analysis.reports.evaluators import find_evaluator
from analysis.tables.spec import Column, Row, Table, TableSpec
from studies.protocols.dimension_ratings.declaration import RIGHT
from studies.protocols.second_round import make_wording_key
from studies.question_words import name_question
from studies.services.declarations import get_declaration

SCORE = ("text_id", "item_id", "generator", "annotator", "dimension", "round", "score")
ABOUT = ("text_id", "item_id", "generator")
ONE = "value"  # the column of a metric that has the same value for all dimensions


def list_tables() -> tuple[TableSpec, ...]:
    return TABLES


# Single scores --------------------------------------------------------------------------------------------------------


@ALPHA.drill_down
def list_alpha(evidence: Evidence, row: Row, column: str) -> Table:
    """The scores of items with at least two; items with a single score cannot agree or differ."""
    scores = keep_dimension(select_scores(evidence, row["round"]), row["dimension"])
    paired = scores[scores.groupby("item_id")["annotator"].transform("size") > 1]
    items, single = paired["item_id"].nunique(), len(scores) - len(paired)
    sentence = _("Items with two or more scores: %(items)s. Not listed: %(single)s items with a single score.")
    notes = (sentence % {"items": count(items), "single": count(single)},)
    return list_scores(evidence, paired, notes)


@MEANS.drill_down
def list_means(evidence: Evidence, row: Row, column: str) -> Table:
    """The scores of a generator's items on a dimension; for the average, on all dimensions."""
    scores = select_scores(evidence, row["round"])
    mine = keep_dimension(scores[scores["generator"] == row["generator"]], row["dimension"])
    return list_scores(evidence, mine, describe_means(evidence, mine))


@CONTRASTS.drill_down
def list_contrasts(evidence: Evidence, row: Row, column: str) -> Table:
    """The scores of both generators' items on a dimension after the last round; for the average, on all dimensions."""
    scores = select_scores_by(evidence, find_evaluator(evidence, row["evaluator"]), list_rounds(evidence)[-1])
    scores = scores[scores["generator"].isin([row["generator_a"], row["generator_b"]])]
    mine = keep_dimension(scores, row["measure"])
    return list_counted(evidence, mine, column) if column in COUNTED else list_scores(evidence, mine)


@DISTRIBUTIONS.drill_down
def list_distributions(evidence: Evidence, row: Row, column: str) -> Table:
    """The scores of one level; for its share, all scores on the dimension in the data set."""
    scores = dict(split_datasets(select_scores(evidence, row["round"])))[row["dataset"]]
    every = keep_dimension(scores, row["dimension"])
    level = every["value"] == row["score"]
    values = {"score": row["score"], "n": count(int(level.sum())), "all": count(len(every))}
    notes = (_("%(n)s of %(all)s scores are %(score)s.") % values,)
    return list_scores(evidence, every if column == "share" else every[level], notes)


@FLAGGED.drill_down
def list_flagged(evidence: Evidence, row: Row, column: str) -> Table:
    """All scores of the item on the dimension, and the annotator's own scores of the same wording in the text."""
    scores = keep_dimension(select_scores(evidence, 1), row["dimension"])
    items = evidence.items.set_index("item_id")
    is_exact = get_declaration(evidence.study).exact_wording
    wordings = items["stem"].map(partial(make_wording_key, is_exact=is_exact))
    alike = scores["text_id"] == items["text_id"][row["item_id"]]
    alike &= scores["item_id"].map(wordings) == wordings[row["item_id"]]
    found = scores[(scores["item_id"] == row["item_id"]) | (alike & (scores["annotator"] == row["annotator"]))]
    again = find_second_scores(evidence)
    later = [again.get(tuple(cell)) for cell in found[CELL].to_numpy()]
    return list_scores(evidence, found.assign(score_2=pd.Series(later, found.index, dtype=object)), more=("score_2",))


@JUDGE_MEANS.drill_down
def list_judge_means(evidence: Evidence, row: Row, column: str) -> Table:
    """The scores of one model."""
    scores = select_scores_by(evidence, find_evaluator(evidence, row["evaluator"]), 1)
    mine = keep_dimension(scores[scores["generator"] == row["generator"]], row["dimension"])
    return list_scores(evidence, mine, describe_means(evidence, mine))


def keep_dimension(scores: pd.DataFrame, dimension: str) -> pd.DataFrame:
    """The scores on the dimension; all scores for the average."""
    return scores if dimension == AVERAGE else scores[scores["dimension"] == dimension]


def describe_means(evidence: Evidence, scores: pd.DataFrame) -> tuple[str, ...]:
    """The mean on each dimension, and the mean of these means if there are several."""
    means = scores.groupby("dimension")["value"].mean().reindex(list_dimension_names(evidence)).dropna()
    sentences = [f"{name_question(str(dimension))}: {number(mean)}" for dimension, mean in means.items()]
    if len(means) > 1:
        sentences.append(_("Mean of these means: %(mean)s") % {"mean": number(float(means.mean()))})
    return tuple(sentences)


def list_scores(
    evidence: Evidence, scores: pd.DataFrame, notes: Iterable[str] = (), more: tuple[str, ...] = ()
) -> Table:
    """The scores by item in the order of the bank, dimension and annotator; `more` names further columns to list."""
    rows = sort_scores(evidence, scores.rename(columns={"value": "score"}))
    return list_rows(evidence, rows, (*SCORE, *more), _("The scores"), notes, in_bank_order=False)


def sort_scores(evidence: Evidence, rows: pd.DataFrame) -> pd.DataFrame:
    places = {item: place for place, item in enumerate(evidence.items["item_id"])}
    dimensions = {name: place for place, name in enumerate(list_dimension_names(evidence))}
    order = np.lexsort((
        pd.factorize(rows["annotator"], sort=True)[0],
        rows["dimension"].map(dimensions).to_numpy(),
        rows["item_id"].map(places).to_numpy(),
    ))  # fmt: skip
    return rows.iloc[order]


# Items ----------------------------------------------------------------------------------------------------------------


@CORRELATIONS.drill_down
def list_dimensions(evidence: Evidence, row: Row, column: str) -> Table:
    """The items with a mean score on both dimensions; for Nemenyi's p those with scores on all dimensions."""
    every = list_dimension_names(evidence)
    names = every if column == "nemenyi_p" else (row["dimension_a"], row["dimension_b"])
    means = average_by_item(select_scores(evidence, row["round"]), every)[list(names)]
    return list_items_with_numbers(evidence, means.dropna(), {name: name_question(name) for name in names})


@JUDGE_AGREEMENT.drill_down
def list_judge_agreement(evidence: Evidence, row: Row, column: str) -> Table:
    """Items with a score of the model and people's mean; for the share of equal scores, each score of people."""
    own = keep_dimension(select_scores_by(evidence, find_evaluator(evidence, row["evaluator"]), 1), row["dimension"])
    people = keep_dimension(select_scores(evidence, list_rounds(evidence)[0]), row["dimension"])
    if column in ("percent", "n_pairs"):
        return pair_scores(evidence, own, people)
    both = pd.DataFrame({
        "model": own.groupby("item_id")["value"].mean(), "people": people.groupby("item_id")["value"].mean(),
    }).dropna()  # fmt: skip
    titles = {"model": row["evaluator"], "people": _("People, mean")}
    means = {"model": number(both["model"].mean()), "people": number(both["people"].mean())} if len(both) else {}
    notes = (_("Mean of the model: %(model)s; of people: %(people)s.") % means,) if means else ()
    return list_items_with_numbers(evidence, both, titles, notes)


def pair_scores(evidence: Evidence, own: pd.DataFrame, people: pd.DataFrame) -> Table:
    """One row per person's score of an item that the model also scored."""
    pairs = people.merge(own[["item_id", "value"]], on="item_id", suffixes=("", "_model"))
    found = pairs.set_index("item_id")[["annotator", "value", "value_model"]].rename(columns={"value": "score"})
    found = found.assign(equal=found["score"] == found["value_model"])
    columns = (
        "annotator",
        "score",
        Column("value_model", _("Score of the model"), "count"),
        Column("equal", _("Equal"), "truth"),
    )
    return list_items(evidence, found, columns)


def list_items_with_numbers(
    evidence: Evidence, numbers: pd.DataFrame, titles: Mapping[str, str], notes: tuple[str, ...] = ()
) -> Table:
    """The items with these numbers. numbers: one row per item id. titles: the titles of the columns, in order."""
    columns = tuple(Column(column, title, "number") for column, title in titles.items())
    return list_items(evidence, numbers, columns, notes)


def list_items(
    evidence: Evidence, found: pd.DataFrame, columns: tuple[Column | str, ...], notes: tuple[str, ...] = ()
) -> Table:
    """Rows about items (index: their ids) in the order of the bank, each with its text and generator."""
    items = evidence.items.set_index("item_id", drop=False)[list(ABOUT)]
    ordered = found.iloc[np.argsort(items.index.get_indexer(found.index), kind="stable")]
    values = items.loc[ordered.index].reset_index(drop=True).join(ordered.reset_index(drop=True))
    return list_rows(evidence, values, (*ABOUT, *columns), _("The items"), notes, in_bank_order=False)


# Metrics --------------------------------------------------------------------------------------------------------------


@METRIC_CORRELATIONS.drill_down
def list_correlations(evidence: Evidence, row: Row, column: str) -> Table:
    """The items with both numbers (within texts: only texts in which both vary); for an adjusted p, all p of its
    family."""
    data = pair_metrics(evidence)
    if column == "p_adjusted":
        return list_tests(evidence, data, row)
    x, y = data.value(row["metric"], row["dimension"]), data.score(row["dimension"])
    kept = ~(np.isnan(x) | np.isnan(y))
    notes: tuple[str, ...] = ()
    if row["scope"] == WITHIN:
        kept &= keep_varying_texts(x, y, data, row["coefficient"])
        notes = (_("Only the texts in which both numbers vary: the others have no correlation."),)
    if row["scope"] == BY_GENERATOR:
        notes = (_("The correlation is that of the means of each generator's items here."),)
    return list_items_with_scores(evidence, data, row["metric"], x, y, kept, notes)


def keep_varying_texts(x: FloatArray, y: FloatArray, data: MetricPairs, coefficient: str) -> BoolArray:
    """(n,): whether the item's text has a correlation of its own."""
    both, texts = ~(np.isnan(x) | np.isnan(y)), data.texts
    counted = [
        text
        for text in np.unique(texts[both])
        for mine in [both & (texts == text)]
        if len(text_correlations(x[mine], y[mine], texts[mine], coefficient)[0])
    ]
    return np.isin(texts, counted)


def list_tests(evidence: Evidence, data: MetricPairs, row: Row) -> Table:
    """The p of every metric and dimension of a coefficient and scope, with Holm's adjustment."""
    rows = [
        {name: each[name] for name in ("metric", "dimension", "n", "p")}
        for each in iter_rows(evidence, data, row["coefficient"], row["scope"])
    ]
    holm = adjust_p_values(np.array([each["p"] for each in rows], dtype=np.float64))
    tests = [each | {"p_adjusted": p} for each, p in zip(rows, holm, strict=True)]
    columns = (
        Column("metric", _("Metric")),
        "dimension",
        Column("n", _("Rows"), "count"),
        "p",
        "p_adjusted",
    )
    title = _("The tests that are adjusted together")
    return list_rows(evidence, pd.DataFrame(tests), columns, title, in_bank_order=False)


@METRIC_MEANS.drill_down
def list_metric_means(evidence: Evidence, row: Row, column: str) -> Table:
    """The values of the generator's items; for ranks and their correlation, the means of all generators."""
    data = pair_metrics(evidence)
    if column in ("rank", "human_rank", "rank_correlation"):
        return list_generators(evidence, data, row["metric"])
    values = split_dimensions(data.values[row["metric"]])
    mine = values[data.items["generator"] == row["generator"]].dropna(how="all")
    return list_items_with_numbers(
        evidence, mine, {name: row["metric"] if name == ONE else name_question(name) for name in map(str, mine)}
    )


def split_dimensions(values: pd.DataFrame) -> pd.DataFrame:
    """A column for each dimension, or a single one if the metric has the same value for all of them."""
    first = values.iloc[:, 0]
    return first.to_frame(ONE) if all(values[name].equals(first) for name in values) else values


def list_generators(evidence: Evidence, data: MetricPairs, metric: str) -> Table:
    by_metric, by_people = (average_by_generator(evidence, data, each) for each in (data.values[metric], data.scores))
    rows = [{"generator": name, "mean": by_metric[name], "human_mean": by_people[name]} for name in evidence.generators]
    human = Column("human_mean", _("People, average of dimensions"), "number")
    columns = ("generator", Column("mean", metric, "number"), human)
    return list_rows(evidence, pd.DataFrame(rows), columns, _("The generators"), in_bank_order=False)


@METRIC_CHECKS.drill_down
def list_checks(evidence: Evidence, row: Row, column: str) -> Table:
    """The items with both a metric's value and people's scores.

    For `n` those that the check is about, for `n_others` the others, for any other number both.
    """
    data = pair_metrics(evidence)
    chosen = select_checked(evidence, data, row["metric"], row["check"])
    x, y = (average_rows(each.to_numpy(dtype=np.float64)) for each in (data.values[row["metric"]], data.scores))
    kept = ~(np.isnan(x) | np.isnan(y))
    kept &= {"n": chosen, "n_others": ~chosen}.get(column, np.ones(len(x), dtype=bool))
    found = pd.DataFrame({"value": x, "score": y, "asked_about": chosen}, index=data.items.index)[kept]
    columns = (
        Column("value", row["metric"], "number"),
        Column("score", _("People, average of dimensions"), "number"),
        Column("asked_about", _("Asked about"), "truth"),
    )
    return list_items(evidence, found, columns)


@METRIC_BY_SCORE.drill_down
def list_by_score(evidence: Evidence, row: Row, column: str) -> Table:
    """The items of one rounded score; for r, the items of all scores."""
    data = pair_metrics(evidence)
    x, y = data.value(row["metric"], row["dimension"]), data.score(row["dimension"])
    kept = ~(np.isnan(x) | np.isnan(y))
    if column != "r":
        kept &= round_scores(y) == row["score"]
    return list_items_with_scores(evidence, data, row["metric"], x, y, kept, with_rounded=True)


def list_items_with_scores(
    evidence: Evidence,
    data: MetricPairs,
    metric: str,
    x: FloatArray,
    y: FloatArray,
    kept: BoolArray,
    notes: tuple[str, ...] = (),
    *,
    with_rounded: bool = False,
) -> Table:
    """The kept items with the metric's value and people's mean score."""
    titles = {"value": metric, "score": _("People, mean")} | ({"rounded": _("Rounded")} if with_rounded else {})
    found = pd.DataFrame({"value": x, "score": y, "rounded": round_scores(y)}, index=data.items.index)[kept]
    means = {"value": number(found["value"].mean()), "score": number(found["score"].mean())} if len(found) else {}
    sentences = (_("Items: %(n)s.") % {"n": count(len(found))}, *notes)
    if means:
        sentences = (_("Mean of the metric: %(value)s; of people's mean scores: %(score)s.") % means, *sentences)
    return list_items_with_numbers(evidence, found[list(titles)], titles, sentences)


# Experts and researchers ----------------------------------------------------------------------------------------------


@EXPERT_CHECK.drill_down
def list_experts(evidence: Evidence, row: Row, column: str) -> Table:
    """The verdicts of one expert on a dimension."""
    verdicts = evidence.verdicts
    mine = verdicts[(verdicts["annotator"] == row["expert"]) & (verdicts["question"] == row["dimension"])]
    found = pd.DataFrame({"expert": mine["annotator"], "dimension": mine["question"], "right": mine["value"] == RIGHT})
    columns = (Column("expert", _("Expert")), "dimension", "right")
    return list_items(evidence, found.set_index(mine["item_id"]), columns)


@ERROR_CODES.drill_down
def list_codes(evidence: Evidence, row: Row, column: str) -> Table:
    """The items with the code; for shares all items of the generator, or those with any error."""
    items = (
        evidence.items if row["generator"] == ALL else evidence.items[evidence.items["generator"] == row["generator"]]
    )
    coded = list_coded_items(evidence)
    errors = [coded.get(item, set()) for item in items["item_id"]]
    found = pd.DataFrame(
        {"codes": [", ".join(sorted(each)) for each in errors], "has_code": [row["code"] in each for each in errors]},
        index=pd.Index(items["item_id"]),
    )
    kept = {"n": found["has_code"], "share_of_erroneous": found["codes"] != ""}
    rows = found[kept[column]] if column in kept else found
    columns = (Column("codes", _("Codes")), Column("has_code", row["code"], "truth"))
    return list_items(evidence, rows, columns, say_share_coded(rows))


def say_share_coded(rows: pd.DataFrame) -> tuple[str, ...]:
    if rows.empty:
        return ()
    n = int(rows["has_code"].sum())
    values = {"n": count(n), "all": count(len(rows)), "share": number(n / len(rows))}
    return (_("%(n)s of %(all)s items have the code, %(share)s") % values,)
