"""Each number of a guess-then-read study is counted again from the file behind it, with arithmetic of its own."""

import csv
import io
from collections import Counter, defaultdict
from math import ceil, log2, pi, sqrt
from statistics import correlation, mean, median

import numpy as np
import pytest
from django.core.cache import cache
from django.urls import reverse
from scipy.optimize import brentq
from scipy.stats import beta, norm
from scipy.stats import t as student
from sklearn.metrics import roc_auc_score

from analysis.choices import Choices
from analysis.frames.evidence import collect_evidence
from analysis.measures.item_analysis import miskey
from analysis.services.reporting import build_full_report
from tests import reading
from tests.analysis.rows import numbers_in, rows_behind

pytestmark = pytest.mark.slow


@pytest.fixture
def study(project):
    cache.clear()
    return reading.plant_three_texts(project)


@pytest.fixture
def evidence(study):
    return collect_evidence(study, Choices(seed=study.seed))


def n(rows, _row, _table):
    return len(rows)


def share(column):
    """The share of rows that say true, of those that say something."""
    return lambda rows, _row, _table: mean(row[column] == "true" for row in rows if row[column])


def average(column):
    return lambda rows, _row, _table: mean(float(row[column]) for row in rows)


def distinct(*columns):
    return lambda rows, _row, _table: len({tuple(row[column] for column in columns) for row in rows})


def informativity(rows, _row, _table):
    right = {stage: [row["right"] == "true" for row in rows if row["stage"] == stage] for stage in ("guess", "read")}
    return mean(right["read"]) - mean(right["guess"])


def standardise(rows, row, table):
    """The categories' own differences, weighted by their shares of all items, which stand in their rows."""
    if row["category"]:
        return informativity(rows, row, table)
    weights = {each["category"]: each["share_items_common"] for each in table.rows if each["category"]}
    return sum(
        weight * informativity([one for one in rows if one["category"] == category], row, table)
        for category, weight in weights.items()
    )


def by_pair(rows, what, one="ticked_a", other="ticked_b"):
    """Of each pair of annotators the number of shared judgments, and what follows from both columns of answers."""
    pairs = defaultdict(list)
    for row in rows:
        pairs[row["annotator_a"], row["annotator_b"]].append((row[one], row[other]))
    return {pair: (len(both), what(*zip(*both, strict=True))) for pair, both in pairs.items()}


def cohen(first, second):
    same = mean(one == other for one, other in zip(first, second, strict=True))
    by_chance = sum(first.count(label) * second.count(label) for label in {*first}) / len(first) ** 2
    return (same - by_chance) / (1 - by_chance)


def gwet(first, second):
    same = mean(one == other for one, other in zip(first, second, strict=True))
    ticked = (first.count("true") + second.count("true")) / (2 * len(first))
    by_chance = 2 * ticked * (1 - ticked)
    return (same - by_chance) / (1 - by_chance)


def weigh(what, **columns):
    def counted(rows, _row, _table):
        found = by_pair(rows, what, **columns).values()
        return sum(size * value for size, value in found) / sum(size for size, _value in found)

    return counted


def mean_of_pairs(rows, row, _table):
    """Of a person or model the mean of their pairs; of people together the mean of each one's mean."""
    kappas = {pair: value for pair, (_n, value) in by_pair(rows, cohen).items()}
    if not row["evaluator"].startswith("human"):
        return mean(kappas.values())
    people = {code for pair in kappas for code in pair}
    return mean(mean(value for pair, value in kappas.items() if code in pair) for code in people)


def sure(rows, _row, table):
    right = sum(row["right"] == "true" for row in rows)
    above = beta.sf(0.5, right + 0.5, len(rows) - right + 0.5)
    return above if table.name == "guessable_items" else 1 - above


def separates(rows, _row, _table):
    return correlation([row["right"] == "true" for row in rows], [float(row["share_others"]) for row in rows])


def wrong_key(rows, _row, _table):
    right, judged = (np.array([int(row[column]) for row in rows]) for column in ("n_right", "n_judged"))
    return miskey(right, judged).probability[[row["this"] for row in rows].index("true")]


def by_variant(rows, row, _table):
    return len(rows) if row["measure"] == "n_annotators" else median(float(one["minutes"]) for one in rows)


def over(rows, has):
    """Share ticked less share of keys among the judgments of which `marked` says so."""
    chosen = [one for one in rows if one["marked"] == has]
    return mean((one["ticked"] == "true") - (one["key"] == "true") for one in chosen)


def excess(rows, row, _table):
    return over(rows, "true") - (0 if row["bias"] == "yes" else over(rows, "false"))


def brier(rows, _row, _table):
    return mean((float(row["probability"]) - (row["key"] == "true")) ** 2 for row in rows)


def ece(rows, _row, _table):
    tenths = defaultdict(list)
    for row in rows:
        p = float(row["probability"])
        tenths[min(int(p * 10), 9)].append((p, row["key"] == "true"))
    apart = {tenth: abs(mean(p for p, _key in both) - mean(key for _p, key in both)) for tenth, both in tenths.items()}
    return sum(len(tenths[tenth]) * distance for tenth, distance in apart.items()) / len(rows)


def ece_by_chance(rows, *_):
    """The mean distance of a normal deviate from 0 is √(2 / π) of its standard deviation, √Σ p (1 - p) in a bin."""
    spread = spread_within_groups([float(row["probability"]) for row in rows])
    return sqrt(2 / pi) * sum(map(sqrt, spread.values())) / len(rows)


def spread_within_groups(probabilities):
    found = Counter()
    for p in probabilities:
        found[min(int(p * 10), 9)] += p * (1 - p)
    return found


def describe_items(rows, row, _table):
    quantity = row["quantity"]
    if quantity.startswith("n_"):
        return len(rows)
    if quantity == "annotators_per_unit_mean":  # a unit is a text here
        return len({(one["text_id"], one["annotator"]) for one in rows}) / len({one["text_id"] for one in rows})
    if quantity == "minutes_median":
        return median(float(one["minutes"]) for one in rows)
    if quantity in ("share_several_keys", "share_no_key"):
        return mean(
            int(one["n_keys"]) > 1 if quantity == "share_several_keys" else one["n_keys"] == "0" for one in rows
        )
    column, what = quantity.split("_")
    values = [int(one[{"tokens": "tokens", "options": "n_options"}[column]]) for one in rows]
    return {"mean": mean, "min": min, "max": max}[what](values)


def count_ticked(rows, key):
    """How many of the keys, or of the others, are ticked, and how many there are."""
    mine = [row["ticked"] == "true" for row in rows if row["key"] == key]
    return sum(mine), len(mine)


def balanced_accuracy(rows, _row, _table):
    (hits, keys), (alarms, others) = count_ticked(rows, "true"), count_ticked(rows, "false")
    return (hits / keys + 1 - alarms / others) / 2


def z_scores(rows):
    return [norm.ppf((n + 0.5) / (of + 1)) for n, of in (count_ticked(rows, "true"), count_ticked(rows, "false"))]


def d_prime(rows, _row, _table):
    hit, alarm = z_scores(rows)
    return hit - alarm


def criterion(rows, _row, _table):
    return -sum(z_scores(rows)) / 2


def area(rows, column):
    known = [one for one in rows if one[column]]
    return roc_auc_score([one["key"] == "true" for one in known], [float(one[column]) for one in known])


def count_gains(rows, _row, _table):
    def right(one, column):
        p = float(one[column])
        return log2(max(p if one["key"] == "true" else 1 - p, 2**-20))

    return mean(right(row, "p_read") - right(row, "p_guess") for row in rows)


class Contrast:
    """Generator A less generator B of the judgments behind it; its variance over texts and, of people, over readers.

    People's design is complete here: each of them judges something in every text, at each stage.
    """

    def __init__(self, rows, row):
        signs = {"read": 1, "guess": -1 if row["measure"] == "informativity" else 1}
        arms = defaultdict(list)
        for one in rows:
            arms[one["generator"], one["stage"]].append(one)
        influence, loads = Counter(), Counter()
        self.value = 0
        for (generator, stage), arm in arms.items():
            sign = signs[stage] * (1 if generator == row["generator_a"] else -1)
            share = mean(one["right"] == "true" for one in arm)
            self.value += sign * share
            for one in arm:
                cell = one["text_id"], one["annotator"]
                influence[cell] += sign * ((one["right"] == "true") - share) / len(arm)
                loads[cell] += 1
        self.texts, self.readers = (self.over(place, influence, loads) for place in (0, 1))
        self.shared = 0 if row["evaluator"] != "human" else self.left(influence)
        self.has_readers = row["evaluator"] == "human"

    @staticmethod
    def over(place, influence, loads):
        """The variance over texts (place 0) or readers (1), and how many equal ones would be as good."""
        sums, n = Counter(), Counter()
        for cell in influence:
            sums[cell[place]] += influence[cell]
            n[cell[place]] += loads[cell]
        as_good = sum(n.values()) ** 2 / sum(load**2 for load in n.values())
        factor = as_good / (as_good - 1) if as_good > 1 else 0
        return sum(value**2 for value in sums.values()) * factor, as_good

    @staticmethod
    def left(influence):
        """What texts and readers leave of the influences, per degree of freedom, times the cells."""
        texts, readers = ({cell[place] for cell in influence} for place in (0, 1))
        assert len(influence) == len(texts) * len(readers)
        rest = [
            value - mean(influence[text, each] for each in readers) - mean(influence[each, reader] for each in texts)
            for (text, reader), value in influence.items()
        ]
        return sum(value**2 for value in rest) * len(rest) / ((len(texts) - 1) * (len(readers) - 1))

    def reach(self, alpha):
        def upper_bound(variance, as_good):
            return variance * student.ppf(1 - alpha / 2, as_good - 1) ** 2

        if not self.has_readers:
            return sqrt(upper_bound(*self.texts))
        both = upper_bound(*self.texts) + upper_bound(*self.readers) - norm.ppf(alpha / 2) ** 2 * self.shared
        return sqrt(max(both, upper_bound(*self.texts)))

    def p(self):
        """The level of the interval that just reaches 0."""
        return brentq(lambda alpha: self.reach(alpha) - abs(self.value), 1e-12, 1)


def contrast(rows, row, _table):
    return Contrast(rows, row).value


def contrast_end(sign):
    """An end at level 1 - .05 / m for m pairs, within what the measure can be."""

    def counted(rows, row, _table):
        found = Contrast(rows, row)
        most = 2 if row["measure"] == "informativity" else 1
        end = found.value + sign * found.reach(0.05 / row["family_size"])
        return max(-most, min(end, most))

    return counted


def contrast_p(rows, row, _table):
    assert row["family_size"] == 1  # so Holm's method changes nothing
    return Contrast(rows, row).p()


def items_right(rows, _row, _table):
    """The share of people who have every option of the item right."""
    marks = defaultdict(list)
    for row in rows:
        marks[row["annotator"]].append(row["right"] == "true")
    return mean(all(each) for each in marks.values())


def components(rows):
    """Variances between items, between raters and of what they leave, by mean squares; each rater rated each item."""
    marks = {(row["item_id"], row["annotator"]): float(row["value"]) for row in rows}
    items, raters = (sorted({cell[place] for cell in marks}) for place in (0, 1))
    assert len(marks) == len(rows) == len(items) * len(raters)
    values = np.array([[marks[item, rater] for rater in raters] for item in items])
    by_item, by_rater = values.mean(axis=1, keepdims=True), values.mean(axis=0, keepdims=True)
    rest = values - by_item - by_rater + values.mean()
    residual = (rest**2).sum() / ((len(items) - 1) * (len(raters) - 1))
    of_items = by_item.var(ddof=1) - residual / len(raters)
    return of_items, by_rater.var(ddof=1) - residual / len(items), residual


def component(place):
    return lambda rows, *_: components(rows)[place]


def reliable(is_absolute):
    """Of the mean of so many raters as the row says, else of one; a negative variance counts as 0."""

    def counted(rows, row, table):
        items, raters, residual = (max(each, 0) for each in components(rows))
        n_raters = row["n_raters"] if table.name == "d_study" else 1
        return items / (items + (residual + (raters if is_absolute else 0)) / n_raters)

    return counted


def raters_for(reliability):
    def counted(rows, *_):
        items, _raters, residual = components(rows)
        return ceil(reliability / (1 - reliability) * residual / items - 1e-9)

    return counted


INFORMATIVITY = {
    "guessability": share("right"), "answerability": share("right"), "informativity": informativity,
    "n_items": n, "n_texts": n, "n_annotators": n,
}  # fmt: skip
OF_ITEM = {"n_annotators": n, "n_right": n, "share_right": share("right"), "certainty": sure}
LEVELS = {f"n_{level}": n for level in range(1, 6)}
AGAIN = {
    "contrasts": {
        "difference": contrast, "low_adjusted": contrast_end(-1), "high_adjusted": contrast_end(1),
        "p_adjusted": contrast_p, "n_texts": n, "n_annotators": n,
    },
    "informativity": INFORMATIVITY,
    "informativity_matched": INFORMATIVITY,
    "informativity_standardised": {
        "share_items": share("counted"), "share_items_common": share("counted"), "informativity": standardise,
        "n_items": n, "n_texts": n,
    },
    "agreement_with_humans": {
        "kappa": weigh(cohen), "kappa_unweighted": mean_of_pairs, "percent": share("same"), "ac1": weigh(gwet),
        "n_pairs": distinct("annotator_a", "annotator_b"), "n_judgments": n,
    },
    "ratings": LEVELS | {"n": n, "mean": average("rating")},
    "accuracy_by_rating": {"accuracy": share("right"), "n": n, "n_texts": n},
    "beside_accuracy": {
        "share_correct": share("right"), "constant": lambda rows, *_: count_ticked(rows, "false")[1] / len(rows),
        "balanced": balanced_accuracy, "d_prime": d_prime, "criterion": criterion, "items_right": share("right"),
        "n": n,
        "n_texts": n,
    },
    "informativity_probability": {
        "auc_guess": lambda rows, *_: area(rows, "p_guess"), "auc_read": lambda rows, *_: area(rows, "p_read"),
        "auc_difference": lambda rows, *_: area(rows, "p_read") - area(rows, "p_guess"), "bits": count_gains,
        "n_both": n,
        "n_texts": n,
    },
    "informativity_intervals": {"informativity": informativity, "n_responses": n},
    "guessable_items": OF_ITEM,
    "unanswerable_items": OF_ITEM,
    "item_analysis": {
        "n": n, "share_ticked": share("ticked"), "share_correct": share("right"), "share_unsure": share("unsure"),
        "discrimination": separates, "miskey": wrong_key,
    },
    "variants": {"value": by_variant, "n": n},
    "description": {"value": describe_items},
    "stand_in": {
        "kappa": weigh(cohen, one="value_a", other="value_b"),
        "kappa_people": weigh(cohen, one="value_a", other="value_b"),
        "winning_rate": share("passed"), "advantage": average("model_at_least"), "n_people": n, "n_units": n,
    },
    "stand_in_calibration": {
        "mean_p": average("probability"), "share_keys": share("key"), "n": n, "brier": brier, "ece": ece,
        "ece_by_chance": ece_by_chance,
    },
    "stand_in_biases": {"excess": excess, "excess_people": excess, "n": n},
    "carry_over": {"others_only": share("right"), "n_items": n, "n_texts": n},
    "reliability": {"n_people": n, "n_parts": n},
    "g_study": {
        "objects": component(0), "raters": component(1), "residual": component(2), "relative": reliable(False),
        "absolute": reliable(True), "raters_70": raters_for(0.7), "raters_80": raters_for(0.8), "n_items": n,
        "n_raters": n,
    },
    "d_study": {"relative": reliable(False), "absolute": reliable(True)},
    "rater_severity": {"n": n},
    "fair_means": {"raw": average("value"), "n_items": n},
    "rasch": {"share_right": items_right, "n_people": n},
    "dif": {"n_people": n},
}  # fmt: skip


ADJUSTED = {("contrasts", name) for name in ("low_adjusted", "high_adjusted", "p_adjusted")}  # from five texts


def test_every_number_comes_out_again(evidence):
    counted = set()
    for table in build_full_report(evidence).tables:
        for row, column in numbers_in(table):
            rows = rows_behind(evidence, table, row, column)
            again = AGAIN[table.name][column.name](rows, row, table)
            assert again == pytest.approx(row[column.name]), (table.name, table.names(row), column.name)
            counted.add((table.name, column.name))
    assert counted == {(table, column) for table, columns in AGAIN.items() for column in columns} - ADJUSTED


def test_adjusted_contrasts_come_out_again(project):
    cache.clear()
    study = reading.plant_five_texts(project)
    evidence = collect_evidence(study, Choices(seed=study.seed))
    table, counted = build_full_report(evidence).table("contrasts"), set()
    for row, column in numbers_in(table):
        again = AGAIN["contrasts"][column.name](rows_behind(evidence, table, row, column), row, table)
        assert again == pytest.approx(row[column.name]), (table.names(row), column.name)
        counted.add(("contrasts", column.name))
    assert counted >= ADJUSTED


def test_the_file_of_a_page_has_the_rows_of_the_source(study, evidence, as_user, reviewer):
    tables = {table.name: table for table in build_full_report(evidence).tables}
    for name in ("agreement_with_humans", "ratings", "item_analysis", "stand_in", "description"):
        table = tables[name]
        row, column = next(numbers_in(table))
        asked = {"table": name, "number": column.name} | table.names(row)
        response = as_user(reviewer).get(reverse("study_behind_csv", args=[study.slug]), asked)
        rows = list(csv.DictReader(io.StringIO(response.content.decode(), newline="")))
        assert rows == rows_behind(evidence, table, row, column)


def test_only_people_and_levels_of_the_number_are_behind_it(evidence):
    """What a pooled recount could miss: whose rows these are."""
    tables = {table.name: table for table in build_full_report(evidence).tables}
    for row, column in numbers_in(tables["ratings"], most=100):
        rows = rows_behind(evidence, tables["ratings"], row, column)
        level = column.name.removeprefix("n_")
        assert {one["generator"] for one in rows} == {row["generator"]}
        assert not level.isdecimal() or {one["rating"] for one in rows} == {level}
    for row, column in numbers_in(tables["accuracy_by_rating"], most=100):
        if column.name == "accuracy":
            rows = rows_behind(evidence, tables["accuracy_by_rating"], row, column)
            assert {(one["rating"], one["stage"]) for one in rows} == {(str(row["rating"]), row["stage"])}
            assert {one["annotator"] for one in rows} <= set(reading.PEOPLE)
    for row, column in numbers_in(tables["agreement_with_humans"], most=100):
        rows = rows_behind(evidence, tables["agreement_with_humans"], row, column)
        if row["evaluator"] == "gpt":
            assert {one["annotator_a"] for one in rows} == {"gpt"}
            assert {one["annotator_b"] for one in rows} == set(reading.PEOPLE)
