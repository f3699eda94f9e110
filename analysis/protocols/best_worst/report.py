"""The report of best–worst scaling: scores of generators and items, and agreement of people."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from analysis.choices import ANNOTATORS, PUBLISHED, READERS
from analysis.figures.paper import Ranges
from analysis.figures.style import BARE, READ, SOFT, WIDTH, alt, build_tooltips, describe_measure, layer_labels
from analysis.formatting import format_with_interval, say_judgments
from analysis.frames.evidence import Evidence
from analysis.measures.agreement import MISSING
from analysis.measures.coefficients import CONGER, category_counts, clustered_coefficient, conger_kappa, percent
from analysis.measures.intervals import JUDGMENT
from analysis.measures.plackett_luce import rank_by_choices
from analysis.measures.reader_coefficients import readers_coefficient
from analysis.measures.types import IntArray
from analysis.pack.methods import Facts, get_table, write_value, write_with_interval
from analysis.reports import tables as shared_tables
from analysis.reports.categories import list_error_tables
from analysis.reports.contrasts import (
    Comparison,
    Family,
    GeneratorFigure,
    build_contrasts,
    compare_all,
    find_comparison,
)
from analysis.reports.description import build_description, build_variants
from analysis.reports.drill_down import COUNTED, list_counted, list_rows
from analysis.reports.estimates import (
    Estimate,
    add_codes,
    build_arm,
    estimate_mean,
    note_texts_only,
    repeat_text_interval,
)
from analysis.reports.evaluators import (
    HUMAN,
    Evaluator,
    find_evaluator,
    get_people,
    list_compared_evaluators,
    list_judges,
)
from analysis.reports.headlines import Wording, write_headline
from analysis.reports.outcome import (
    AgreementSummary,
    Outcome,
    OutcomeSentences,
    build_contrast_set,
    build_line,
    build_standings,
    count_texts_by_generator,
    find_rows,
    summarize_by_model,
    summarize_values,
)
from analysis.reports.report import Report
from analysis.reports.tables import EVALUATOR, GENERATOR
from analysis.science.report import compare_with_others
from analysis.science.scores import sum_scores
from analysis.tables.spec import Column, Row, Table, TableSpec, count, estimate, number, translate
from studies.protocols.best_worst.declaration import BEST, WORST
from studies.question_words import name_question

COUNTS, PLACKETT_LUCE = "counts", "plackett-luce"
METHODS = {COUNTS: gettext_noop("best minus worst, by times shown"), PLACKETT_LUCE: gettext_noop("Plackett–Luce")}
BOUNDS = (-1.0, 1.0)
MEASURE = "best_worst_score"
WORDING = Wording(
    winner=gettext_noop("Items by %(best)s score highest: they differ from those by every other generator."),
    tied=gettext_noop("The data cannot show which of these generators scores highest: %(names)s."),
    differs=gettext_noop("Items by %(better)s score higher than those by %(worse)s: %(difference)s, %(basis)s."),
    unclear=gettext_noop(
        "The data cannot show whether items by %(better)s and %(worse)s differ in score: %(difference)s, %(basis)s."
    ),
)

BEST_OR_WORST = (
    count("best", gettext_noop("Best"), gettext_noop("times chosen as the best")),
    count("worst", gettext_noop("Worst"), gettext_noop("times chosen as the worst")),
    count("n", gettext_noop("Times shown"), gettext_noop("times that somebody saw it and chose")),
    number("score", gettext_noop("Score"), gettext_noop("best minus worst, divided by times shown")),
)
SCORES = TableSpec(
    "scores", gettext_noop("Scores"), (
        "method",
        Column("method_said", gettext_noop("Method"), in_files=False),
        GENERATOR,
        estimate("score", gettext_noop("Score"), gettext_noop("by the method of the row")),
        count("n", gettext_noop("Times shown"), gettext_noop("times that somebody saw its items and chose")),
        "reason",
    ),
    keys=("method", "generator"),
    notes=(
        gettext_noop("A score is how often items were the best minus how often the worst, divided by how often they "
                     "were shown: 1 if always the best, -1 if always the worst."),
        gettext_noop("Plackett–Luce strengths are logarithms of worths, with mean 0: a difference of d means odds of "
                     "e to the d to be ranked before rather than after."),
    ),
)  # fmt: skip
ITEM_SCORES = TableSpec(
    "item_scores", gettext_noop("Scores of items"), (
        Column("text_id", gettext_noop("Text"), "text id"),
        Column("item_id", gettext_noop("Item"), "item id"),
        GENERATOR,
        *BEST_OR_WORST,
    ),
    keys=("item_id",),
)  # fmt: skip
JUDGE_SCORES = TableSpec(
    "judge_scores", gettext_noop("Scores by models"), (EVALUATOR, GENERATOR, *BEST_OR_WORST),
    keys=("evaluator", "generator"),
)  # fmt: skip
AGREEMENT = TableSpec(
    "agreement", gettext_noop("Agreement"), (
        Column("question", gettext_noop("Question"), "question"),
        number("percent", gettext_noop("Percent agreement"), gettext_noop("share of pairs with the same answer"),
               reason="reason"),
        estimate("kappa", gettext_noop("Conger's κ"), gettext_noop("agreement beyond chance")),
        count("n_units", gettext_noop("Sets"), gettext_noop("sets that two or more people judged")),
        count("n_annotators", gettext_noop("Annotators"), gettext_noop("people who judged these sets")),
        "reason",
    ),
    keys=("question",),
    notes=(
        gettext_noop("Over sets that at least two people judged: whether they chose the same item. The categories of κ "
                     "are the places of the items in the set as the plan drew them."),
    ),
)  # fmt: skip
CONTRASTS = replace(shared_tables.CONTRASTS)  # a copy with a drill-down of its own
CHOSEN = {
    "best": Column("best", gettext_noop("Best"), "item id"),
    "worst": Column("worst", gettext_noop("Worst"), "item id"),
}


def list_tables() -> tuple[TableSpec, ...]:
    return SCORES, CONTRASTS, ITEM_SCORES, JUDGE_SCORES, AGREEMENT


def build_report(evidence: Evidence) -> Report:
    comparisons = compare_scores(evidence)
    by_judges = build_judge_scores(evidence)
    tables = (
        build_generator_scores(evidence),
        build_contrasts(evidence, comparisons),
        *compare_with_others(evidence, comparisons),
        build_item_scores(evidence),
        build_agreement(evidence),
        *([by_judges] if by_judges.rows else []),
        *build_variants(evidence, iter_variant_agreement),
        *list_error_tables(evidence),
        build_description(evidence),
    )
    return Report(tables, tuple(write_headline(find_comparison(comparisons, MEASURE, HUMAN), WORDING)), ("scores",))


# Scores ---------------------------------------------------------------------------------------------------------------


def build_generator_scores(evidence: Evidence) -> Table:
    """One row per method and generator, in the order of the bank."""
    choices = select_choices(evidence)
    rows = [*count_rows(evidence, expand_showings(evidence, choices)), *build_strength_rows(evidence, choices)]
    return SCORES.build(rows, evidence.choices.convention, [note_texts_only(_("strengths"))])


def count_rows(evidence: Evidence, showings: pd.DataFrame) -> Iterator[dict[str, Any]]:
    for name in evidence.generators:
        mine = showings[showings["generator"] == name]
        yield build_score_row(COUNTS, name, estimate_mean(mine, BOUNDS, evidence.choices.seed), len(mine))


def build_strength_rows(evidence: Evidence, choices: pd.DataFrame) -> Iterator[dict[str, Any]]:
    seed, g = evidence.choices.seed, len(evidence.generators)
    codes = encode_generators(evidence, choices)
    by_text = rank_by_choices(*codes, g, pd.factorize(choices["text_id"], sort=True)[0], seed=seed)
    singly = rank_by_choices(*codes, g, np.arange(len(choices)), seed=seed)
    shown = np.bincount(np.column_stack(codes).ravel(), minlength=g)
    for code, name in enumerate(evidence.generators):
        intervals = repeat_text_interval(by_text.intervals[code], replace(singly.intervals[code], unit=JUDGMENT))
        estimate = Estimate(float(by_text.strength[code]), intervals, translate(by_text.reasons[code]))
        yield build_score_row(PLACKETT_LUCE, name, estimate, int(shown[code]))


def build_score_row(method: str, generator: str, score: Estimate, n: int) -> dict[str, Any]:
    return {"method": method, "method_said": _(METHODS[method]), "generator": generator, "score": score, "n": n}


def build_item_scores(evidence: Evidence) -> Table:
    """One row per item that somebody saw, in the order of the bank."""
    showings = expand_showings(evidence, select_choices(evidence))
    by_item = dict(iter(showings.groupby("item_id")))
    items = evidence.items[evidence.items["item_id"].isin(by_item)]
    rows = (
        {"text_id": text, "item_id": item, "generator": generator, **count_choices(by_item[item])}
        for text, item, generator in items[["text_id", "item_id", "generator"]].itertuples(index=False)
    )
    return ITEM_SCORES.build(rows)


def build_judge_scores(evidence: Evidence) -> Table:
    """One row per model and generator. Models are shown beside people, never pooled with them."""
    rows = []
    for judge in list_judges(evidence):
        by_generator = dict(iter(expand_showings(evidence, select_choices_by(evidence, judge)).groupby("generator")))
        rows += [
            {"evaluator": judge.name, "generator": name, **count_choices(by_generator[name])}
            for name in evidence.generators
            if name in by_generator
        ]
    return JUDGE_SCORES.build(rows)


def count_choices(showings: pd.DataFrame) -> dict[str, Any]:
    best, worst, n = int(showings["best"].sum()), int(showings["worst"].sum()), len(showings)
    return {"best": best, "worst": worst, "n": n, "score": (best - worst) / n}


def compare_scores(evidence: Evidence) -> tuple[Comparison, ...]:
    families = [build_score_family(evidence, evaluator) for evaluator in list_compared_evaluators(evidence)]
    return compare_all(families, evidence.choices)


def build_score_family(evidence: Evidence, evaluator: Evaluator) -> Family:
    showings = add_codes(expand_showings(evidence, select_choices_by(evidence, evaluator)))
    figures = {
        name: GeneratorFigure((build_arm(mine, "value"),))
        for name in evidence.generators
        if len(mine := showings[showings["generator"] == name])
    }
    n_texts = showings["text_id"].nunique()
    return Family(MEASURE, evaluator.name, figures, n_texts, (-2.0, 2.0), fixed=evaluator.is_fixed)


# Agreement ------------------------------------------------------------------------------------------------------------


def build_agreement(evidence: Evidence) -> Table:
    """One row per question, over the sets that at least two people judged."""
    choices = select_choices(evidence)
    rows = [build_agreement_row(evidence, choices, question) for question in (BEST, WORST)]
    return AGREEMENT.build(rows, evidence.choices.convention)


def build_agreement_row(evidence: Evidence, choices: pd.DataFrame, question: str) -> dict[str, Any]:
    ratings, texts, size = build_rating_matrix(choices, question)
    shares, kappa = percent(category_counts(ratings, size)), conger_kappa(ratings, size)
    intervals = {
        READERS: readers_coefficient(CONGER, ratings, size, texts),
        ANNOTATORS: clustered_coefficient(CONGER, ratings, size, texts, seed=evidence.choices.seed),
        PUBLISHED: kappa.interval(),
    }
    return {
        "question": question,
        "percent": shares.value,
        "kappa": Estimate(kappa.value, intervals, translate(kappa.reason)),
        "n_units": shares.n_units,
        "n_annotators": (ratings != MISSING).any(axis=1).sum(),
    }


def iter_variant_agreement(evidence: Evidence) -> Iterator[tuple[Any, ...]]:
    for row in build_agreement(evidence).rows:
        yield (
            row["question"],
            "",
            "conger_kappa",
            row["kappa"],
            row["intervals"]["kappa"],
            row["n_units"],
            row["reason"],
        )


# Drill-down -----------------------------------------------------------------------------------------------------------


@SCORES.drill_down
def list_choices_about(evidence: Evidence, row: Row, column: str) -> Table:
    return list_choices(evidence, select_choices(evidence), "generator", [row["generator"]])


@ITEM_SCORES.drill_down
def list_choices_of_item(evidence: Evidence, row: Row, column: str) -> Table:
    return list_choices(evidence, select_choices(evidence), "item_id", [row["item_id"]], column)


@JUDGE_SCORES.drill_down
def list_choices_of_judge(evidence: Evidence, row: Row, column: str) -> Table:
    choices = select_choices_by(evidence, find_evaluator(evidence, row["evaluator"]))
    return list_choices(evidence, choices, "generator", [row["generator"]], column)


@CONTRASTS.drill_down
def list_contrast(evidence: Evidence, row: Row, column: str) -> Table:
    generators = [row["generator_a"], row["generator_b"]]
    choices = select_choices_by(evidence, find_evaluator(evidence, row["evaluator"]))
    if column not in COUNTED:
        return list_choices(evidence, choices, "generator", generators)
    showings = expand_showings(evidence, choices)
    return list_counted(evidence, showings[showings["generator"].isin(generators)], column)


@AGREEMENT.drill_down
def list_shared_choices(evidence: Evidence, row: Row, column: str) -> Table:
    """People's choices in the sets that at least two of them judged; for the count of people, these people."""
    choices = select_choices(evidence)
    shared = choices[choices.groupby("unit")["annotator"].transform("nunique") > 1]
    if column in COUNTED:
        return list_counted(evidence, shared, column)
    rows = shared.assign(unit_items=shared["items"].map(" ".join))
    columns = ("text_id", "unit_items", "annotator", CHOSEN[row["question"]].translate())
    return list_rows(evidence, rows, columns, _("The choices"))


def list_choices(evidence: Evidence, choices: pd.DataFrame, by: str, values: list[str], column: str = "n") -> Table:
    """Each time that an item with one of the `values` in the column `by` was shown, with what was chosen; for the
    columns `best` and `worst` only the times that the item was chosen."""
    showings = expand_showings(evidence, choices)
    showings = showings[showings[by].isin(values)]
    showings = showings[showings[column]] if column in (BEST, WORST) else showings
    by_unit = choices.assign(unit_items=choices["items"].map(" ".join)).set_index(["annotator", "unit"])
    chosen = by_unit.loc[pd.MultiIndex.from_frame(showings[["annotator", "unit"]]), [BEST, WORST, "unit_items"]]
    rows = showings.assign(**{str(name): chosen[name].to_numpy() for name in chosen})
    about: list[str | Column] = ["text_id", "item_id", "generator", "annotator"]
    about += [each.translate() for each in CHOSEN.values()]
    return list_rows(evidence, rows, (*about, "unit_items"), _("The choices"))


# Figure ---------------------------------------------------------------------------------------------------------------


def list_figures() -> Mapping[str, Any]:
    return {"scores": ("scores", draw_scores)}


def draw_scores(scores: Table, title: Mapping[str, Any]) -> Any:
    """A figure of the scores by counts with their intervals, the highest on top."""
    rows = [build_score_point(row) for row in scores.rows if row["method"] == COUNTS and row["score"] is not None]
    order = [row["generator"] for row in sorted(rows, key=lambda row: -row["score"])]
    y = alt.Y("generator:N", title=None, sort=order, axis=BARE)
    base = alt.Chart(alt.Data(values=rows)).encode(
        y=y, tooltip=build_tooltips({"generator": _("Generator")}, _("Score"))
    )
    x = alt.X("score:Q", title=_("best–worst score"), scale=alt.Scale(domain=[-1, 1]))
    layers = [
        alt.Chart().mark_rule(strokeDash=[3, 3], color=SOFT).encode(x=alt.datum(0)),
        base.mark_rule(strokeWidth=1.5, color=READ).encode(x=alt.X("low:Q"), x2="high:Q"),
        base.mark_point(size=110, filled=True, opacity=1, color=READ).encode(x=x),
        *layer_labels(base.encode(x=x, text="text:N"), -14),
    ]
    return alt.layer(*layers).properties(width=WIDTH, height=alt.Step(46), title=title)


def build_score_point(row: Row) -> dict[str, Any]:
    drawn = {name: row[name] for name in ("generator", "score", "low", "high")}
    text = format_with_interval(row["score"], row["low"], row["high"])
    return drawn | {"text": text} | describe_measure(row, "score", say_judgments(row["n"]))


# The methods draft ----------------------------------------------------------------------------------------------------


def describe_design(facts: Facts) -> str:
    return _(
        "Annotators saw sets of %(size)s items about the same text, and chose the best and the worst of each "
        "(best–worst scaling). Sets were drawn as balanced incomplete blocks. A score is how often an item was the "
        "best minus how often the worst, divided by how often it was shown."
    ) % {"size": facts.study.params["tuple_size"]}


def describe_agreement(facts: Facts) -> str:
    rows = {row["question"]: row for row in get_table(facts, "agreement").rows}
    values = {f"{name}_percent": write_value(rows[name]["percent"]) for name in (BEST, WORST)}
    values |= {f"{name}_kappa": write_with_interval(rows[name], "kappa") for name in (BEST, WORST)}
    return (
        _(
            "Annotators agreed on the best item with a share of %(best_percent)s (Conger's κ %(best_kappa)s), and on "
            "the worst with %(worst_percent)s (κ %(worst_kappa)s)."
        )
        % values
    )


# The main result of best–worst scaling: how often each generator's items are the best rather than the worst.

WORDS = OutcomeSentences(
    winner=gettext_noop("Items by %(best)s score highest."),
    among=gettext_noop("Items by %(best)s score highest of the %(n)s generators that can be compared."),
    tie=gettext_noop("No generator scores highest beyond doubt."),
)


def summarize(report: Report, _estimand: str) -> Outcome | None:
    if by_model := summarize_by_model(report, MEASURE, WORDS):
        return by_model
    rows = [row for row in find_rows(report, "scores") if row["method"] == COUNTS]
    if not rows:
        return None
    standings = build_standings(rows, "score", texts=count_texts_by_generator(report, MEASURE))
    compared = build_contrast_set(report, MEASURE, HUMAN)
    axis = _("times the best minus times the worst, divided by times shown (dashed: equally often)")
    return Outcome(
        title=_("Score of each generator"),
        standings=standings,
        figure=Ranges(tuple(build_line(each) for each in standings), axis, _("score"), dashed=0, ends=BOUNDS),
        words=WORDS,
        summary=summarize_values(_("Scores: %(values)s."), standings, compared),
        compared=compared,
        basis=_("Items were shown %(n)s times to people.") % {"n": sum(row["n"] for row in rows)},
        tables=("scores", "contrasts"),
    )


def list_agreed(report: Report) -> list[AgreementSummary]:
    return [
        AgreementSummary(
            name_question(row["question"]), row["kappa"], row["low"], row["high"], row["reason"], row["percent"], None,
            _("%(n)s sets of items") % {"n": row["n_units"]},
        )
        for row in find_rows(report, "agreement")
    ]  # fmt: skip


# Choices of the best and the worst item, in the form that reports need; results count only people's choices.


CHOICE_KEY = ["annotator", "unit", "round", "text_id"]


def select_choices(evidence: Evidence) -> pd.DataFrame:
    return select_choices_by(evidence, get_people(evidence))


def select_choices_by(evidence: Evidence, evaluator: Evaluator) -> pd.DataFrame:
    """One row per annotator and tuple with both choices: the columns of `CHOICE_KEY`, best, worst, items (a tuple)."""
    rows = evaluator.select_rows(evidence.frame)
    values = {name: rows[rows["question"] == name].set_index(CHOICE_KEY)["value"] for name in (BEST, WORST)}
    found = pd.DataFrame(values).dropna().reset_index()
    found["items"] = found["unit"].map(evidence.unit_items)
    return found.sort_values(["text_id", "unit", "annotator"], ignore_index=True)


def expand_showings(evidence: Evidence, choices: pd.DataFrame) -> pd.DataFrame:
    """One row per choice and item of its tuple: text_id, annotator, unit, item_id, generator, best, worst, value.

    `value` is 1 for the best, -1 for the worst, else 0: its mean is the best–worst score.
    """
    shown = choices.assign(item_id=choices["items"]).explode("item_id", ignore_index=True)
    is_best, is_worst = (shown["item_id"] == shown[name] for name in (BEST, WORST))
    generators = evidence.items.set_index("item_id")["generator"]
    value = is_best.astype(np.int64) - is_worst.astype(np.int64)
    found = shown[["text_id", "annotator", "unit", "item_id"]]
    return found.assign(generator=found["item_id"].map(generators), best=is_best, worst=is_worst, value=value)


def encode_generators(evidence: Evidence, choices: pd.DataFrame) -> tuple[IntArray, IntArray, IntArray]:
    """(n,) codes of the generators of the best and of the worst item, (n, k - 2) of the others."""
    generators = evidence.items.set_index("item_id")["generator"]
    codes = {item: evidence.generators.index(name) for item, name in generators.items()}
    best, worst = (np.array([codes[item] for item in choices[name]], dtype=np.int64) for name in (BEST, WORST))
    others = [
        [codes[item] for item in items if item not in (one, other)]
        for items, one, other in choices[["items", BEST, WORST]].itertuples(index=False)
    ]
    return best, worst, np.asarray(np.array(others, dtype=np.int64).reshape(len(choices), -1 if others else 0))


def build_rating_matrix(choices: pd.DataFrame, question: str) -> tuple[IntArray, IntArray, int]:
    """(raters, tuples) positions of the chosen items in their tuples, MISSING where nobody chose; the text of each
    tuple; the number of positions. Only tuples that at least two people judged.
    """
    twice = choices[choices.groupby("unit")["annotator"].transform("nunique") > 1]
    if twice.empty:
        return np.full((1, 0), MISSING, dtype=np.int64), np.empty(0, dtype=np.int64), 2
    places = [items.index(item) for items, item in zip(twice["items"], twice[question], strict=True)]
    table = twice.assign(place=places).pivot(index="annotator", columns="unit", values="place")
    texts = twice.drop_duplicates("unit").set_index("unit")["text_id"][table.columns]
    size = int(twice["items"].map(len).max())
    return table.fillna(MISSING).to_numpy(dtype=np.int64), pd.factorize(texts, sort=True)[0].astype(np.int64), size


def score_items(evidence: Evidence) -> pd.DataFrame:
    """The best–worst score of each item, as sums; see `analysis.science.scores`."""
    shown = expand_showings(evidence, select_choices(evidence))
    return sum_scores(shown, shown["value"], "best_worst_score")
