"""Ratings on a scale: sources of their noise, how many raters are enough, how strict raters are, and fair means."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from analysis.formatting import format_with_interval, say_of_texts
from analysis.frames.evidence import Evidence
from analysis.measures.rater_effects import (
    GStudy,
    Severity,
    crossed_components,
    d_study,
    find_linked_raters,
    g_study,
    g_study_without,
    noise_shares,
    rater_severity,
)
from analysis.measures.reader_intervals import jackknife_parts, reliability_parts
from analysis.measures.reliability import largest_block
from analysis.reports.evaluators import get_people, list_groups
from analysis.science.common import estimate_over_texts, make_undefined
from analysis.science.tables import (
    D_STUDY,
    FAIR_MEANS,
    G_STUDY,
    GENERATOR_G_STUDY,
    SEVERITY,
)
from analysis.tables.spec import Table
from studies.protocols import Question
from studies.question_words import name_question
from studies.services.declarations import get_declaration

FEWEST_RATERS, FEWEST_OBJECTS, FEWEST_SHARED, FEWEST_TEXTS = 2, 10, 10, 5
MOST_RATERS, MOST_FACETS = 8, 1000
VARIANCES, RELIABILITIES = ("objects", "raters", "residual"), ("relative", "absolute")
TARGETS = {"raters_70": 0.7, "raters_80": 0.8}
NOT_APART = gettext_noop(
    "Fewer than 2 raters (or 10 objects) were rated together, so their variances cannot be told apart."
)
NOT_LINKED = gettext_noop("These raters have no items in common, even through others; severity cannot be compared.")
FEW_SHARED = gettext_noop("This rater shares fewer than 10 items with others.")
FEW_TEXTS = gettext_noop("Severity needs ratings on at least 5 texts; here %(n)d.")
FIRST_ROUND = gettext_noop("Scores of a second round are not independent; this uses round 1.")


@dataclass(frozen=True)
class Ratings:
    """One question of one group of people ("" for all): ratings as codes and values, with names."""

    question: Question
    group: str
    frame: pd.DataFrame

    def codes(self, name: str) -> tuple[np.ndarray, pd.Index]:
        codes, names = pd.factorize(self.frame[name], sort=True)
        return codes.astype(np.int64), pd.Index(names)

    @property
    def value(self) -> np.ndarray:
        return self.frame["value"].to_numpy(dtype=np.float64)

    def of_items(self, name: str) -> tuple[np.ndarray, pd.Index]:
        """A column of the items, as a code for each item and the names of the codes."""
        first = self.frame.drop_duplicates("item_id").sort_values("item_id")
        codes, names = pd.factorize(first[name], sort=True)
        return codes.astype(np.int64), pd.Index(names)


def build_rating_tables(evidence: Evidence) -> tuple[Table, ...]:
    """The tables of ratings; empty if no people rated items on a scale."""
    found = list(collect_ratings(evidence))
    if not found:
        return ()
    notes = say_rounds(evidence)
    convention = evidence.choices.convention
    studies = [(each, run_g_study(each)) for each in drop_pooled_ratings(found)]
    crossed = [row for each in drop_pooled_ratings(found) for row in build_generator_rows(each)]
    severities = [(each, *fit_severity(each)) for each in found if not each.group]
    return (
        G_STUDY.build([build_g_row(*each) for each in studies], convention, notes),
        D_STUDY.build([row for each in studies for row in build_d_rows(*each)], notes=notes),
        *((GENERATOR_G_STUDY.build(crossed, convention, notes),) if crossed else ()),
        SEVERITY.build([row for each in severities for row in build_severity_rows(*each)], convention, notes),
        FAIR_MEANS.build([row for each in severities for row in build_fair_rows(*each)], convention, notes),
    )


def say_rounds(evidence: Evidence) -> list[str]:
    """A note if there are scores of later rounds, which are not used."""
    return [_(FIRST_ROUND)] if (evidence.every_round["round"] > 1).any() else []


def drop_pooled_ratings(found: list[Ratings]) -> list[Ratings]:
    """The ratings of each group, or of all people where a question has no groups: groups are not pooled silently."""
    grouped = {each.question.name for each in found if each.group}
    return [each for each in found if each.group or each.question.name not in grouped]


def collect_ratings(evidence: Evidence) -> Iterator[Ratings]:
    """The ratings of each scale: of all people, and of each group if there are several."""
    groups = list_groups(evidence)
    of_person = evidence.annotators.set_index("annotator")["group"]
    for question, rows in select_first_round(evidence):
        if question.kind != "scale":
            continue
        yield Ratings(question, "", rows)
        if len(groups) > 1:
            who = rows["annotator"].map(of_person)
            yield from (Ratings(question, group, rows[who == group]) for group in groups if (who == group).any())


def select_first_round(evidence: Evidence) -> Iterator[tuple[Question, pd.DataFrame]]:
    """People's answers of round 1 to each question about items."""
    people = get_people(evidence).select_rows(evidence.every_round)
    first = (people["round"] == 1) & people["item_id"].notna()
    for stage in get_declaration(evidence.study).stages:
        for question in (each for each in stage.questions if each.per == "item"):
            rows = people[first & (people["question"] == question.name) & (people["stage"] == stage.name)]
            if not rows.empty:
                yield question, rows


# Variances ------------------------------------------------------------------------------------------------------------


def run_g_study(ratings: Ratings) -> GStudy | None:
    """None if there are too few raters, or too few items rated twice."""
    item, _items = ratings.codes("item_id")
    rater, raters = ratings.codes("annotator")
    together = (np.bincount(item) > 1).sum()
    if len(raters) < FEWEST_RATERS or together < FEWEST_OBJECTS:
        return None
    found = g_study(item, rater, ratings.value)
    return None if np.isnan(found.objects) else found


def build_g_row(ratings: Ratings, study: GStudy | None) -> dict[str, Any]:
    about: dict[str, Any] = {
        "question": ratings.question.name, "group": ratings.group,
        "n_items": ratings.frame["item_id"].nunique(), "n_raters": ratings.frame["annotator"].nunique(),
    }  # fmt: skip
    names = (*VARIANCES, *RELIABILITIES)
    if study is None:
        return (
            about
            | {name: make_undefined(_(NOT_APART)) for name in names}
            | dict.fromkeys(TARGETS)
            | {"reason": _(NOT_APART)}
        )
    without = leave_out_texts(ratings)
    estimates = {
        name: estimate_over_texts(
            jackknife_parts(getattr(study, name), np.array([getattr(each, name) for each in without]))
        )
        for name in VARIANCES
    }
    estimates |= estimate_reliability(
        (study.relative(1), study.absolute(1)), study.noise_shares(), [each.noise_shares() for each in without]
    )
    enough = {name: count_fewest_raters(study, target) for name, target in TARGETS.items()}
    return about | estimates | enough | {"reason": ""}


def estimate_reliability(
    values: tuple[float, float], noise: tuple[float, float], without: list[tuple[float, float]]
) -> dict[str, Any]:
    """Eρ² and Φ from their shares of noise, and from these shares without each text."""
    parts = map(reliability_parts, values, noise, np.array(without).T)
    return {name: estimate_over_texts(each) for name, each in zip(RELIABILITIES, parts, strict=True)}


def leave_out_texts(ratings: Ratings) -> list[GStudy]:
    """The G study without each text in turn."""
    (item, _), (rater, _) = ratings.codes("item_id"), ratings.codes("annotator")
    cluster = ratings.of_items("text_id")[0][item]
    return [GStudy(float(o), float(r), float(e)) for o, r, e in g_study_without(item, rater, cluster, ratings.value)]


def count_fewest_raters(study: GStudy, target: float) -> int | None:
    """m = target / (1 - target) · noise / signal, rounded up; None if no number reaches the target."""
    one = study.relative(1)
    if not one > 0:
        return None
    return max(1, int(np.ceil(target / (1 - target) * (1 - one) / one - 1e-9)))


def build_d_rows(ratings: Ratings, study: GStudy | None) -> Iterator[dict[str, Any]]:
    for n in range(1, MOST_RATERS + 1):
        about = {"question": ratings.question.name, "group": ratings.group, "n_raters": n}
        if study is None:
            yield about | {"relative": None, "absolute": None, "reason": _(NOT_APART)}
        else:
            yield about | {"relative": study.relative(n), "absolute": study.absolute(n), "reason": ""}


# Generators × texts × raters ----------------------------------------------------------------------------------------


COMPONENTS = {
    "texts": "i", "raters": "r", "generators_texts": "pi", "generators_raters": "pr", "texts_raters": "ir",
    "residual": "pir",
}  # fmt: skip


def build_generator_rows(ratings: Ratings) -> Iterator[dict[str, Any]]:
    """One row if raters rated items of at least 10 generators; none for fewer, as there is nothing to rank."""
    n_generators = ratings.frame["generator"].nunique()
    if n_generators < FEWEST_OBJECTS:
        return
    texts, raters = find_complete_ratings(ratings.frame)
    about: dict[str, Any] = {
        "question": ratings.question.name, "group": ratings.group, "n_generators": n_generators,
        "n_texts": len(texts), "n_raters": len(raters),
    }  # fmt: skip
    if len(raters) < FEWEST_RATERS or len(texts) < FEWEST_TEXTS:
        names = ("generators", *RELIABILITIES)
        empty = dict.fromkeys((*COMPONENTS, "texts_80", "raters_80")) | {
            name: make_undefined(_(NOT_APART)) for name in names
        }
        yield about | empty | {"reason": _(NOT_APART)}
        return
    values = average_crossed(ratings, texts, raters)
    found = crossed_components(values)
    shape = values.shape[1:]
    without = [crossed_components(np.delete(values, at, axis=1)) for at in range(len(texts))]
    estimates = estimate_reliability(
        d_study(found, *shape), noise_shares(found, *shape), [noise_shares(each, *shape) for each in without]
    )
    yield about | {name: found[part] for name, part in COMPONENTS.items()} | estimates | {
        "generators": estimate_over_texts(jackknife_parts(found["p"], np.array([each["p"] for each in without]))),
        "texts_80": find_smallest_number(lambda n: d_study(found, n, shape[1])[0]),
        "raters_80": find_smallest_number(lambda n: d_study(found, shape[0], n)[0]), "reason": "",
    }  # fmt: skip


def find_complete_ratings(frame: pd.DataFrame) -> tuple[pd.Index, pd.Index]:
    """Texts and raters of the largest block in which each rater rated all generators on each text."""
    cells = frame.groupby(["annotator", "text_id"])["generator"].nunique().unstack("text_id")
    raters, texts = largest_block((cells == frame["generator"].nunique()).to_numpy(), FEWEST_RATERS)
    return cells.columns[texts], cells.index[raters]


def average_crossed(ratings: Ratings, texts: pd.Index, raters: pd.Index) -> np.ndarray:
    """(generators, texts, raters) means of the ratings of a generator's items on a text."""
    means = ratings.frame.assign(value=ratings.value).groupby(["generator", "text_id", "annotator"])["value"].mean()
    generators = sorted(ratings.frame["generator"].unique())
    places = pd.MultiIndex.from_product([generators, list(texts), list(raters)])
    return means.reindex(places).to_numpy(dtype=np.float64).reshape(-1, len(texts), len(raters))


def find_smallest_number(reliability: Callable[[int], float], target: float = 0.8) -> int | None:
    """The smallest number of a facet that reaches the target; None if no number up to 1,000 does."""
    return next((n for n in range(1, MOST_FACETS + 1) if reliability(n) >= target), None)


# Severity -------------------------------------------------------------------------------------------------------------


def fit_severity(ratings: Ratings) -> tuple[Severity | None, str]:
    """The fit, or why there is none."""
    item, _items = ratings.codes("item_id")
    rater, raters = ratings.codes("annotator")
    text, texts = ratings.of_items("text_id")
    if len(raters) < FEWEST_RATERS or len(set(find_linked_raters(item, rater))) > 1:
        return None, _(NOT_LINKED)
    if len(texts) < FEWEST_TEXTS:
        return None, _(FEW_TEXTS) % {"n": len(texts)}
    return rater_severity(item, rater, ratings.value, text, ratings.of_items("generator")[0]), ""


def build_severity_rows(ratings: Ratings, found: Severity | None, reason: str) -> Iterator[dict[str, Any]]:
    item, _items = ratings.codes("item_id")
    rater, raters = ratings.codes("annotator")
    shared = np.bincount(item)[item] > 1
    habits = Habits(item, rater, ratings.value, shared, ratings.question)
    for place, name in enumerate(raters):
        n = int((shared & (rater == place)).sum())
        about = {"question": ratings.question.name, "annotator": name, "n": n}
        why = reason or (_(FEW_SHARED) if n < FEWEST_SHARED else "")
        if why or found is None:
            empty = dict.fromkeys(("residual_sd", "share_middle", "share_commonest", "r_others"))
            yield about | empty | {"severity": make_undefined(why), "reason": why}
        else:
            parts = jackknife_parts(float(found.severity[place]), found.severity_without[:, place])
            residual = found.residual[rater == place]
            yield (
                about
                | {"severity": estimate_over_texts(parts), "residual_sd": residual.std(), "reason": ""}
                | habits.of(place)
            )


@dataclass(frozen=True)
class Habits:
    """How raters use the scale; `shared`: ratings of items that others rated, too."""

    item: np.ndarray
    rater: np.ndarray
    value: np.ndarray
    shared: np.ndarray
    question: Question

    def of(self, place: int) -> dict[str, Any]:
        mine = self.rater == place
        levels = sorted(int(level) for level in self.question.levels)
        middle = (levels[(len(levels) - 1) // 2], levels[len(levels) // 2])
        return {
            "share_middle": np.isin(self.value[mine], middle).mean(),
            "share_commonest": np.unique(self.value[mine], return_counts=True)[1].max() / mine.sum(),
            "r_others": self.with_others(mine & self.shared),
        }

    def with_others(self, mine: np.ndarray) -> float | None:
        n, total = np.bincount(self.item), np.bincount(self.item, weights=self.value)
        own, item = self.value[mine], self.item[mine]
        others = (total[item] - own) / (n[item] - 1)
        return float(np.corrcoef(own, others)[0, 1]) if own.std() > 0 and others.std() > 0 else None


def build_fair_rows(ratings: Ratings, found: Severity | None, reason: str) -> Iterator[dict[str, Any]]:
    code, names = ratings.of_items("generator")
    raw = ratings.frame.assign(value=ratings.value).groupby("generator")["value"].mean()
    for place, name in enumerate(names):
        about = {
            "question": ratings.question.name,
            "generator": name,
            "raw": raw[name],
            "n_items": int((code == place).sum()),
        }
        if found is None:
            yield about | {"fair": make_undefined(reason), "reason": reason}
        else:
            parts = jackknife_parts(float(found.fair[place]), found.fair_without[:, place])
            yield about | {"fair": estimate_over_texts(parts)}


def describe_raters(tables: tuple[Table, ...]) -> list[str]:
    """How reliable a single rater is on the question with the lowest agreement, and how many raters would be enough."""
    rows = [row for table in tables if table.name == G_STUDY.name for row in table.rows if row["relative"] is not None]
    if not rows:
        return []
    row = min(rows, key=lambda each: each["relative"])
    about = {
        "question": name_question(row["question"]), "n": row["raters_80"],
        "value": format_with_interval(row["relative"], row["relative_low"], row["relative_high"]),
    }  # fmt: skip
    if row["raters_80"] is None:
        return [_("One rater ranks items by %(question)s with a reliability (Eρ²) of %(value)s.") % about]
    sentence = ngettext(
        "One rater ranks items by %(question)s with a reliability (Eρ²) of %(value)s; .8 takes %(n)d rater.",
        "One rater ranks items by %(question)s with a reliability (Eρ²) of %(value)s; .8 takes %(n)d raters.",
        row["raters_80"],
    )
    return [sentence % about]


def describe_generators(tables: tuple[Table, ...]) -> list[str]:
    """How reliably these texts and raters rank generators on the least reliable question, and what would be enough."""
    rows = [row for table in tables if table.name == GENERATOR_G_STUDY.name for row in table.rows]
    known = [row for row in rows if row["relative"] is not None]
    if not known:
        return []
    row = min(known, key=lambda each: each["relative"])
    about = {
        "question": name_question(row["question"]), "texts": row["texts_80"], "here": say_of_texts(row["n_texts"]),
        "value": format_with_interval(row["relative"], row["relative_low"], row["relative_high"]),
    }  # fmt: skip
    if row["texts_80"] is None:
        words = _("Raters on %(here)s rank generators by %(question)s with a reliability (Eρ²) of %(value)s; more "
                  "texts alone would not bring it to .8.")  # fmt: skip
        return [words % about]
    words = ngettext(
        "Raters on %(here)s rank generators by %(question)s with a reliability (Eρ²) of %(value)s; .8 takes %(texts)d "
        "text.",
        "Raters on %(here)s rank generators by %(question)s with a reliability (Eρ²) of %(value)s; .8 takes %(texts)d "
        "texts.",
        row["texts_80"],
    )
    return [words % about]
