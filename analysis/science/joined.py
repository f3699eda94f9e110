"""Text informativity from people on a random sample of texts and models on all texts."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import isnan
from typing import Any

import numpy as np
import pandas as pd
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop

from analysis.choices import READERS
from analysis.formatting import format_with_interval, number, say_of_texts
from analysis.frames.evidence import Evidence
from analysis.measures.contrasts import AdjustedContrast, adjust_joint_contrasts
from analysis.measures.prediction_powered import (
    PEOPLE_ONLY,
    SLOPE_ONE,
    Cell,
    Judgments,
    PoweredEstimate,
    combine,
    fit,
    gain,
    joint_influence,
)
from analysis.measures.reader_intervals import FIXED, RANDOM, Readers
from analysis.measures.variance_parts import VarianceParts
from analysis.reports.contrasts import build_intervals_by_convention, note_max_t
from analysis.reports.evaluators import Evaluator, get_people, list_all_evaluators, list_evaluators
from analysis.science.common import (
    ReadingStages,
    collect_judgments,
    estimate_by_convention,
    get_reading_stages,
    make_undefined,
)
from analysis.science.tables import JOINED, JOINED_CONTRASTS
from analysis.tables.spec import Row, Table
from studies.services.text_versions import list_text_versions

FEWEST_TEXTS, FEW_TEXTS = 10, 20
MOST_MISSING = 0.2
LEAST_R = 0.3
METHODS: dict[str, float | None] = {"fitted slope": None, "people only": PEOPLE_ONLY, "models at face value": SLOPE_ONE}
FITTED = "fitted slope"
ANSWERABILITY, GUESSABILITY, INFORMATIVITY = "answerability", "guessability", "informativity"

TOO_FEW = gettext_noop("An estimate with models needs people on at least %(least)d texts; this row has %(n)d.")
NOT_DRAWN = gettext_noop("The texts that people did were not drawn by chance, so people and models cannot be joined.")
INCOMPLETE = gettext_noop("%(model)s has no answer on %(k)d of %(n)d texts; name an evaluator that answered them all.")
HAS_SEEN = gettext_noop("%(model)s has seen people's answers to %(k)d of these texts.")
UNANSWERED = gettext_noop("People answered %(a)d of %(n)d drawn texts; those that are missing may differ.")
CHOSEN_LATER = gettext_noop(
    "The models that predict people are not those of the plan (%(models)s), so this estimate is not pre-specified."
)
OWN_ITEMS = gettext_noop("%(model)s wrote these items; the estimate remains valid.")
HARDLY = gettext_noop("Models hardly help here (r = %(r)s): the interval of people only is as good.")
UNCERTAIN = gettext_noop("From %(n)d texts, how well models predict people is itself uncertain (r = %(r)s).")


@dataclass(frozen=True)
class Predictor:
    """The models whose answers in a stage predict people's, or the reason why there are none; see `predict`."""

    names: tuple[str, ...]
    shares: pd.Series  # by text, the mean of the models' p(right)
    reason: str = ""


NO_SHARES = pd.Series(dtype=float)


def build_joined_tables(evidence: Evidence) -> tuple[Table, ...]:
    """The tables of estimates and of contrasts.

    Empty if models did not answer about more texts than people, so that there is nothing to join, or if the study
    compares versions of texts, which `joined_versions` joins.
    """
    stages = get_reading_stages(evidence)
    if stages is None or not stages.without or list_text_versions(evidence.study):
        return ()
    judgments = collect_judgments(evidence)
    people, models = get_people(evidence), select_models(list_evaluators(evidence))
    theirs = people.select_rows(judgments)
    if theirs.empty or not models or have_people_answered_all(theirs, judgments, models):
        return ()
    found = [join_generator(evidence, stages, name, theirs, judgments) for name in evidence.generators]
    rows = [row for each in found for row in each.rows(evidence.choices.convention)]
    convention = evidence.choices.convention
    notes = [note_max_t(convention)]
    return JOINED.build(rows, convention), JOINED_CONTRASTS.build(build_contrast_rows(found, evidence), notes=notes)


def select_models(evaluators: list[Evaluator]) -> list[Evaluator]:
    return [each for each in evaluators if each.kind == "model"]


def list_planned(evidence: Evidence) -> list[str]:
    """The names of the models that the study's plan names to predict people; empty if it names none."""
    named: list[str] = evidence.study.plan.get("predictors", [])
    return named


def is_planned(evidence: Evidence) -> bool:
    """Whether the plan names the models that predict people, and no others were chosen for the report."""
    return bool(list_planned(evidence)) and evidence.choices.evaluators is None


def choose_predictors(evidence: Evidence) -> list[Evaluator]:
    """The models that predict people: those chosen for the report, else those named in the plan, else all."""
    known = {each.name: each for each in select_models(list_evaluators(evidence))}
    if not is_planned(evidence):
        return list(known.values())
    return [known.get(name) or Evaluator(name, "model", "", frozenset()) for name in list_planned(evidence)]


def say_chosen_later(evidence: Evidence) -> str:
    """That others than the planned models predict people; empty where the plan was followed."""
    every = [each.name for each in select_models(list_all_evaluators(evidence))]
    planned, chosen = list_planned(evidence) or every, [each.name for each in choose_predictors(evidence)]
    if set(chosen) == set(planned):
        return ""
    return _(CHOSEN_LATER) % {"models": ", ".join(list_planned(evidence)) or _("all")}


def have_people_answered_all(people: pd.DataFrame, judgments: pd.DataFrame, models: list[Evaluator]) -> bool:
    """Whether people answered about every text that a model answered about."""
    codes = frozenset().union(*(each.codes for each in models))
    return set(judgments[judgments["annotator"].isin(codes)]["text_id"]) <= set(people["text_id"])


@dataclass(frozen=True)
class JoinedStages:
    """Both stages of a generator, with the text and without; reason: why nothing can be joined, in words; chosen_later:
    that others than the planned models predict people."""

    generator: str
    cells: tuple[Cell, ...]
    predictors: tuple[Predictor, ...]
    drawn: int
    reason: str
    chosen_later: str

    def parts(self, measure: str, slope: float | None, readers: Any) -> VarianceParts:
        fitted = [fit(cell, slope) for cell in self.cells_of(measure)]
        if measure == INFORMATIVITY:
            return combine(fitted, (1, -1), (-1.0, 1.0), readers)
        return combine(fitted, (1,), (0.0, 1.0), readers)

    def cells_of(self, measure: str) -> tuple[Cell, ...]:
        return self.cells[select_stages(measure)]

    def models_of(self, measure: str) -> list[str]:
        """The models that predict people in all stages of the measure, by stage and name."""
        return list(dict.fromkeys(name for each in self.predictors[select_stages(measure)] for name in each.names))

    def explain_undefined(self, measure: str) -> str:
        """Why there is no estimate; empty where there is one."""
        unpredicted = [each.reason for each in self.predictors[select_stages(measure)] if each.reason]
        return self.reason or next(iter(unpredicted), "") or explain_too_few(self.cells_of(measure), self.drawn)

    def remarks(self, measure: str, r: float) -> str:
        own = [_(OWN_ITEMS) % {"model": self.generator}] if self.generator in self.models_of(measure) else []
        remarks = [self.chosen_later, *own, *list_remarks(self.cells_of(measure), self.drawn, r)]
        return " ".join(filter(None, remarks))

    def rows(self, convention: str) -> Iterator[dict[str, Any]]:
        for measure in (GUESSABILITY, ANSWERABILITY, INFORMATIVITY):
            reason = self.explain_undefined(measure)
            methods = {FITTED: None} if reason else METHODS
            people_width = None if reason else self.width(measure, PEOPLE_ONLY, convention)
            for method, slope in methods.items():
                yield self.row(measure, method, slope, reason, people_width, convention)

    def width(self, measure: str, slope: float | None, convention: str) -> float:
        low, high = self.parts(measure, slope, RANDOM if convention == READERS else FIXED).ends()
        return high - low

    def row(
        self, measure: str, method: str, slope: float | None, reason: str, people_width: float | None, convention: str
    ) -> dict[str, Any]:
        cells = self.cells_of(measure)
        n, n_all = count_done(cells), int((cells[0].weight > 0).sum())
        about: dict[str, Any] = {
            "generator": self.generator, "measure": measure, "method": method, "n_texts": n, "n_texts_all": n_all,
            "predictor": ", ".join(self.models_of(measure)), "remark": "", "chosen_later": self.chosen_later,
        }  # fmt: skip
        empty = dict.fromkeys(("slope", "r", "n_effective", "width_share"))
        if reason:
            return about | empty | {"value": make_undefined(reason), "reason": reason, "remark_said": ""}
        value = estimate_by_convention(self.parts(measure, slope, RANDOM), self.parts(measure, slope, FIXED))
        r = correlate_cells(cells)
        remark = self.remarks(measure, r) if method == FITTED else ""
        single = fit(cells[0], slope) if len(cells) == 1 else None
        return about | {
            "value": value,
            "slope": None if single is None else single.slope,
            "r": r,
            "n_effective": n * gain(max(r, 0.0), n, n_all) if method == FITTED else None,
            "width_share": self.width(measure, slope, convention) / people_width if people_width else None,
            "remark": remark,
            "remark_said": remark,
        }


def select_stages(measure: str) -> slice:
    """Which of the stages with and without the text the measure is about."""
    return {ANSWERABILITY: slice(0, 1), GUESSABILITY: slice(1, 2)}.get(measure, slice(0, 2))


def explain_too_few(cells: tuple[Cell, ...], drawn: int) -> str:
    """Why people answered too few of the drawn texts for an estimate; empty if they answered enough."""
    n = count_done(cells)
    if n < FEWEST_TEXTS:
        return _(TOO_FEW) % {"least": FEWEST_TEXTS, "n": n}
    return _(UNANSWERED) % {"a": n, "n": drawn} if n < (1 - MOST_MISSING) * drawn else ""


def list_remarks(cells: tuple[Cell, ...], drawn: int, r: float) -> list[str]:
    """What weakens an estimate: drawn texts without answers, few texts, models that hardly predict people."""
    n, found = count_done(cells), []
    if n < drawn:
        found.append(_(UNANSWERED) % {"a": n, "n": drawn})
    if n < FEW_TEXTS:
        found.append(_(UNCERTAIN) % {"n": n, "r": number(r)})
    if r < LEAST_R:
        found.append(say_no_help(r))
    return found


def say_no_help(r: float) -> str:
    return _(HARDLY) % {"r": number(r)}


def count_done(cells: tuple[Cell, ...]) -> int:
    """The number of texts that people judged in all of the cells."""
    return int(np.logical_and.reduce([cell.is_done for cell in cells]).sum())


def name_stages(evidence: Evidence, measure: str) -> tuple[str, ...]:
    """The stages whose judgments a measure is about."""
    stages = get_reading_stages(evidence)
    assert stages is not None
    known = {ANSWERABILITY: (stages.with_text,), GUESSABILITY: (stages.without,)}
    return known.get(measure, (stages.without, stages.with_text))


def find_texts_done(judgments: pd.DataFrame) -> pd.Index:
    """The texts with judgments in each existing stage."""
    stages = judgments.groupby("text_id")["stage"].nunique()
    return stages.index[stages == judgments["stage"].nunique()]


def correlate_cells(cells: tuple[Cell, ...]) -> float:
    """r of people and predictor over the texts that people did; for a difference, between the two sides'
    differences."""
    if len(cells) == 1:
        return fit(cells[0]).r
    read, guess = cells
    both = read.is_done & guess.is_done
    z, f = read.people - guess.people, read.predicted - guess.predicted
    scale = read.weight / read.weight[read.weight > 0].mean()
    return fit(Cell(np.where(both, z, np.nan), f, read.chance, np.where(both, scale, read.weight))).r


def join_generator(
    evidence: Evidence,
    stages: ReadingStages,
    generator: str,
    people: pd.DataFrame,
    judgments: pd.DataFrame,
) -> JoinedStages:
    """People's answers to the generator's items and the models' predictions of them, over the texts with such items."""
    weight = evidence.options[evidence.options["generator"] == generator].groupby("text_id", sort=False).size()
    draw = evidence.text_draw
    chance = weight.index.map(draw.chances).to_numpy(dtype=np.float64) if draw else np.ones(len(weight))
    names = (stages.with_text, stages.without)
    about = judgments[judgments["generator"] == generator]
    found = [predict(about[about["stage"] == name], weight.index, evidence) for name in names]
    mine = people[people["generator"] == generator]
    cells = [
        make_cell(mine[mine["stage"] == name], people, each, weight, chance)
        for name, each in zip(names, found, strict=True)
    ]
    drawn = sum(text in draw.drawn for text in weight.index) if draw else 0
    reason = "" if draw else _(NOT_DRAWN)
    later = say_chosen_later(evidence)
    return JoinedStages(generator, (cells[0], cells[1]), (found[0], found[1]), drawn, reason, later)


def make_cell(
    mine: pd.DataFrame, people: pd.DataFrame, predictor: Predictor, weight: pd.Series, chance: np.ndarray
) -> Cell:
    """The cell of people's judgments `mine` and their predictor. Annotators are coded by their place in `people`."""
    text = weight.index.get_indexer(pd.Index(mine["text_id"]))
    annotator = pd.Index(np.unique(people["annotator"])).get_indexer(pd.Index(mine["annotator"]))
    right = mine["correct"].to_numpy(dtype=np.float64)
    judged = Judgments(text.astype(np.int64), annotator.astype(np.int64), right, np.ones(len(mine)))
    predicted = predictor.shares.reindex(weight.index).to_numpy(dtype=np.float64)
    return Cell(judged.share(len(weight)), predicted, chance, weight.to_numpy(dtype=np.float64), judged)


def predict(judgments: pd.DataFrame, texts: pd.Index, evidence: Evidence) -> Predictor:
    """The mean p(right), from the judgments in a stage, of all models that answered about every text and have not
    seen people's answers to any text. If the plan names models, all of them must qualify."""
    models, all_needed = choose_predictors(evidence), is_planned(evidence)
    missing = {model.name: len(set(texts) - set(model.select_rows(judgments)["text_id"])) for model in models}
    reason = refuse_models(missing, all_needed, INCOMPLETE, {"n": len(texts)})
    if reason:
        return Predictor((), NO_SHARES, reason)
    complete = [model for model in models if not missing[model.name]]
    known = {model.name: len(evidence.seen_texts.get(model.name, frozenset()) & set(texts)) for model in complete}
    if reason := refuse_models(known, all_needed, HAS_SEEN):
        return Predictor((), NO_SHARES, reason)
    chosen = [model for model in complete if not known[model.name]]
    codes = frozenset().union(*(each.codes for each in chosen))
    of_model = judgments[judgments["annotator"].isin(codes)].groupby(["text_id", "annotator"])["p_right"].mean()
    return Predictor(tuple(each.name for each in chosen), of_model.groupby("text_id").mean())


def refuse_models(
    counts: Mapping[str, int], all_needed: bool, sentence: str, values: Mapping[str, int] | None = None
) -> str:
    """Why the models cannot be used, named by the one with the fewest unusable texts; empty if they can. counts: the
    number of unusable texts by model, which must be 0 for one of them, or for all if all are needed."""
    unusable = [name for name, n in counts.items() if n]
    if len(unusable) < len(counts) and not (all_needed and unusable):
        return ""
    name = min(unusable, key=lambda each: counts[each])
    return _(sentence) % {"model": name, "k": counts[name], **(values or {})}


def build_contrast_rows(found: list[JoinedStages], evidence: Evidence) -> list[dict[str, Any]]:
    """Differences of generators' informativity, adjusted by max-T, because their cells share texts and readers."""
    usable = [each for each in found if not each.explain_undefined(INFORMATIVITY)]
    pairs = list(combinations(usable, 2))
    if not pairs:
        return []
    fits = {each.generator: fit_all_texts(each, evidence) for each in usable}
    by_readers = {readers: adjust_pairs(fits, readers, evidence.choices.seed) for readers in (RANDOM, FIXED)}
    chosen = by_readers[RANDOM if evidence.choices.convention == READERS else FIXED]
    rows = []
    for place, ((a, b), contrast) in enumerate(zip(pairs, chosen, strict=True)):
        n = count_texts(a, b, evidence)
        each = dict(zip(("readers", "annotators"), (by_readers[kind][place] for kind in (RANDOM, FIXED)), strict=True))
        rows.append({
            "measure": INFORMATIVITY, "evaluator": "human", "generator_a": a.generator, "generator_b": b.generator,
            "difference": contrast.value, "low": contrast.low, "high": contrast.high,
            "low_adjusted": contrast.low_adjusted, "high_adjusted": contrast.high_adjusted, "p": contrast.p,
            "p_adjusted": contrast.p_adjusted, "adjustment": contrast.adjustment, "family_size": contrast.family_size,
            "n_texts": n, "n_annotators": count_people(a, b), "reason": _(contrast.reason) if contrast.reason else "",
            "intervals": {"difference": build_intervals_by_convention(each, n)},
        })  # fmt: skip
    return rows


def count_texts(a: JoinedStages, b: JoinedStages, evidence: Evidence) -> int:
    """Texts with people's judgments about either generator."""
    judged = [cell.judgments for each in (a, b) for cell in (expand_to_bank(each, evidence))]
    return len(np.unique(np.concatenate([each.text for each in judged if each])))


def count_people(*found: JoinedStages) -> int:
    judged = [cell.judgments.annotator for each in found for cell in each.cells if cell.judgments]
    return len(np.unique(np.concatenate(judged)))


def adjust_pairs(fits: Mapping[str, Sequence[PoweredEstimate]], readers: Readers, seed: int) -> list[AdjustedContrast]:
    """Informativity of each generator minus that of each later one; a text that only one of the two has counts 0 for
    the other."""
    names, signs = list(fits), (1.0, -1.0)
    family, weights = [], []
    for a, b in combinations(range(len(names)), 2):
        cells = (*fits[names[a]], *fits[names[b]])
        family.append(combine(cells, (*signs, *(-sign for sign in signs)), (-2.0, 2.0), readers))
        weights.append(np.kron(np.eye(len(names))[a] - np.eye(len(names))[b], signs))
    shared = joint_influence([cell for name in names for cell in fits[name]])
    return adjust_joint_contrasts(family, shared.combine(np.stack(weights, axis=1)), seed=seed)


def fit_all_texts(one: JoinedStages, evidence: Evidence) -> list[PoweredEstimate]:
    """The fits of a generator over all texts of the study."""
    return [fit(cell) for cell in expand_to_bank(one, evidence)]


def expand_to_bank(one: JoinedStages, evidence: Evidence) -> list[Cell]:
    """The generator's cells over all texts in the order of the bank, so that the cells of two generators share text
    codes."""
    texts = pd.Index(evidence.texts["text_id"])
    own = evidence.options[evidence.options["generator"] == one.generator].groupby("text_id", sort=False).size().index
    place = texts.get_indexer(own)
    return [expand_cell(cell, place, len(texts)) for cell in one.cells]


def expand_cell(cell: Cell, place: np.ndarray, n: int) -> Cell:
    def put(values: np.ndarray, empty: float) -> np.ndarray:
        found = np.full(n, empty)
        found[place] = values
        return found

    judged = cell.judgments
    moved = judged and Judgments(place[judged.text], judged.annotator, judged.right, judged.n)
    return Cell(put(cell.people, np.nan), put(cell.predicted, 0.0), put(cell.chance, 1.0), put(cell.weight, 0.0), moved)


def describe_joined(tables: tuple[Table, ...]) -> list[str]:
    """A sentence on the generator with the highest estimated informativity, or why nothing can be estimated."""
    if not tables:
        return []
    rows = [row for row in tables[0].rows if row["measure"] == INFORMATIVITY and row["method"] == FITTED]
    defined = [row for row in rows if row["value"] is not None and not isnan(row["value"])]
    if not defined:
        return list(dict.fromkeys(row["reason"] for row in rows))
    return [say_joined(max(defined, key=lambda each: each["value"]))]


def say_joined(row: Row) -> str:
    """The estimate, and how many texts with people only would be as precise. Warns if models hardly help (r below .3),
    or if others than the planned models predict people."""
    about = {
        "people": say_of_texts(row["n_texts"]), "all": say_of_texts(row["n_texts_all"]), "generator": row["generator"],
        "value": format_with_interval(row["value"], row["low"], row["high"]),
        "effective": say_of_texts(round(row["n_effective"])),
    }  # fmt: skip
    if row["r"] < LEAST_R:
        sentence = _("From people on %(people)s and models on %(all)s, items by %(generator)s have an informativity of "
                 "%(value)s.")  # fmt: skip
        return " ".join(filter(None, (sentence % about, say_no_help(row["r"]), row["chosen_later"])))
    sentence = _("From people on %(people)s and models on %(all)s, items by %(generator)s have an informativity of "
             "%(value)s; that is as good as people alone on %(effective)s.")  # fmt: skip
    return " ".join(filter(None, (sentence % about, row["chosen_later"])))
