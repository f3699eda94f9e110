"""Behind the numbers of metrics in dimension ratings: the items with a metric's value and people's mean score."""

import numpy as np
import pandas as pd
from django.utils.translation import gettext as _

from analysis.formatting import count, number
from analysis.frames.evidence import Evidence
from analysis.measures.contrasts import adjusted
from analysis.measures.correlations import text_correlations
from analysis.measures.types import BoolArray, FloatArray
from analysis.protocols.dimension_ratings.metric_by_score import rounded
from analysis.protocols.dimension_ratings.metric_checks import asked_about, mean_of_rows
from analysis.protocols.dimension_ratings.metric_correlations import BY_GENERATOR, WITHIN, each_row
from analysis.protocols.dimension_ratings.metric_means import means_by_generator
from analysis.protocols.dimension_ratings.metric_values import Judged, judged
from analysis.protocols.dimension_ratings.rows_of_items import item_table, listed
from analysis.tables.spec import Row, Shown, Table, make_table
from studies.question_words import name_question

ONE = "value"  # the column of a metric that is not about a single dimension


def of_correlations(evidence: Evidence, row: Row, column: str) -> Table:
    """The items with both numbers, within texts those of the texts that count; for an adjusted p all p it is among."""
    data = judged(evidence)
    if column == "p_adjusted":
        return family(evidence, data, row)
    x, y = data.value(row["metric"], row["dimension"]), data.score(row["dimension"])
    kept = ~(np.isnan(x) | np.isnan(y))
    notes: tuple[str, ...] = ()
    if row["scope"] == WITHIN:
        kept &= in_texts_that_vary(x, y, data, row["coefficient"])
        notes = (_("Only the texts in which both numbers vary: the others have no correlation."),)
    if row["scope"] == BY_GENERATOR:
        notes = (_("The correlation is that of the means of each generator's items here."),)
    return beside(evidence, data, row["metric"], x, y, kept, notes)


def in_texts_that_vary(x: FloatArray, y: FloatArray, data: Judged, coefficient: str) -> BoolArray:
    """(n,): whether the item's text has a correlation of its own."""
    both, texts = ~(np.isnan(x) | np.isnan(y)), data.texts
    counted = [
        text
        for text in np.unique(texts[both])
        for mine in [both & (texts == text)]
        if len(text_correlations(x[mine], y[mine], texts[mine], coefficient)[0])
    ]
    return np.isin(texts, counted)


def family(evidence: Evidence, data: Judged, row: Row) -> Table:
    """The p of every metric and dimension of a coefficient and scope, and what Holm's adjustment makes of them."""
    rows = [
        {name: each[name] for name in ("metric", "dimension", "n", "p")}
        for each in each_row(evidence, data, row["coefficient"], row["scope"])
    ]
    holm = adjusted(np.array([each["p"] for each in rows], dtype=np.float64))
    tests = [each | {"p_adjusted": p} for each, p in zip(rows, holm, strict=True)]
    shown = (
        Shown(_("Metric"), "metric"),
        Shown(_("Dimension"), "dimension", "question"),
        Shown(_("Rows"), "n", "count"),
        Shown("p", "p", "p"),
        Shown(_("p, adjusted"), "p_adjusted", "p"),
    )
    columns = tuple(column.value for column in shown)
    return make_table("tests", columns, tests, title=_("The tests that are adjusted together"), shown=shown)


def of_means(evidence: Evidence, row: Row, column: str) -> Table:
    """The values of the generator's items; for ranks and their correlation, the means of all generators."""
    data = judged(evidence)
    if column in ("rank", "human_rank", "rank_correlation"):
        return means_of_generators(evidence, data, row["metric"])
    values = told_apart(data.values[row["metric"]])
    mine = values[data.items["generator"] == row["generator"]].dropna(how="all")
    return listed(
        evidence, mine, {name: row["metric"] if name == ONE else name_question(name) for name in map(str, mine)}
    )


def told_apart(values: pd.DataFrame) -> pd.DataFrame:
    """A column for each dimension; only one where the metric has the same value for all of them."""
    first = values.iloc[:, 0]
    return first.to_frame(ONE) if all(values[name].equals(first) for name in values) else values


def means_of_generators(evidence: Evidence, data: Judged, metric: str) -> Table:
    by_metric, by_people = (means_by_generator(evidence, data, each) for each in (data.values[metric], data.scores))
    rows = [{"generator": name, "mean": by_metric[name], "human_mean": by_people[name]} for name in evidence.generators]
    shown = (
        Shown(_("Generator"), "generator"),
        Shown(metric, "mean", "number"),
        Shown(_("People, average of dimensions"), "human_mean", "number"),
    )
    columns = tuple(column.value for column in shown)
    return make_table("generators", columns, rows, title=_("The generators"), shown=shown)


def of_checks(evidence: Evidence, row: Row, column: str) -> Table:
    """The items with both numbers: those the check asks about, the others, or for the difference both."""
    data = judged(evidence)
    chosen = asked_about(evidence, data, row["metric"], row["check"])
    x, y = (mean_of_rows(each.to_numpy(dtype=np.float64)) for each in (data.values[row["metric"]], data.scores))
    kept = ~(np.isnan(x) | np.isnan(y))
    kept &= {"n": chosen, "n_others": ~chosen}.get(column, np.ones(len(x), dtype=bool))
    found = pd.DataFrame({"value": x, "score": y, "asked_about": chosen}, index=data.items.index)[kept]
    shown = (
        Shown(row["metric"], "value", "number"),
        Shown(_("People, average of dimensions"), "score", "number"),
        Shown(_("Asked about"), "asked_about", "truth"),
    )
    return item_table(evidence, found, shown)


def of_scores(evidence: Evidence, row: Row, column: str) -> Table:
    """The items of one rounded score, for r those of all of them."""
    data = judged(evidence)
    x, y = data.value(row["metric"], row["dimension"]), data.score(row["dimension"])
    kept = ~(np.isnan(x) | np.isnan(y))
    if column != "r":
        kept &= rounded(y) == row["score"]
    return beside(evidence, data, row["metric"], x, y, kept, with_rounded=True)


def beside(
    evidence: Evidence,
    data: Judged,
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
    found = pd.DataFrame({"value": x, "score": y, "rounded": rounded(y)}, index=data.items.index)[kept]
    means = {"value": number(found["value"].mean()), "score": number(found["score"].mean())} if len(found) else {}
    said = (_("Items: %(n)s.") % {"n": count(len(found))}, *notes)
    if means:
        said = (_("Mean of the metric: %(value)s; of people's mean scores: %(score)s.") % means, *said)
    return listed(evidence, found[list(titles)], titles, said)


SOURCES = {
    "metric_correlations": of_correlations,
    "metric_means": of_means,
    "metric_checks": of_checks,
    "metric_by_score": of_scores,
}
