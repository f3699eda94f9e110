"""Versions of texts: what reading another version changes, by reader and text, for people and for models, and
for both together."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from analysis.choices import ANNOTATORS, READERS
from analysis.formatting import format_with_interval, say_of_texts
from analysis.frames.evidence import Evidence
from analysis.measures.contrasts import AdjustedContrast, adjust_joint_contrasts, adjust_text_contrasts
from analysis.measures.prediction_powered import PEOPLE_ONLY, Cell, Judgments, combine, fit, joint_influence
from analysis.measures.reader_intervals import FIXED, RANDOM, Readers
from analysis.measures.text_versions import VersionEffects, text_difference, version_effects
from analysis.measures.variance_parts import VarianceParts
from analysis.reports.contrasts import build_intervals_by_convention, note_max_t
from analysis.reports.evaluators import HUMAN, get_people
from analysis.science.common import (
    collect_judgments,
    estimate_by_convention,
    get_reading_stages,
    make_undefined,
    translate_reason,
)
from analysis.science.flaws import map_item_types
from analysis.science.joined import (
    FITTED,
    HAS_SEEN,
    INCOMPLETE,
    METHODS,
    NOT_DRAWN,
    correlate_cells,
    explain_too_few,
    list_planned,
    list_remarks,
    refuse_models,
)
from analysis.science.tables import JOINED_VERSIONS, TEXT_VERSION_TEXTS, TEXT_VERSIONS
from analysis.tables.spec import Row, Table
from studies.services.declarations import get_declaration
from studies.services.text_versions import label_version, list_text_versions

FEWEST_TEXTS, FEWEST_READERS = 5, 2
ANSWERABILITY, MINUTES, YES = "answerability", "minutes", "yes"
TOO_FEW_TEXTS = gettext_noop("“%(version)s” was read on %(n)d texts; comparing versions needs at least 5.")
TOO_FEW_READERS = gettext_noop("“%(version)s” was read by fewer than 2 readers a text.")
NO_SPREAD_HERE = gettext_noop("Fewer than two readers of either version, or no spread.")
NOT_LINKED = gettext_noop("Readers do not link these versions and texts, so their effects cannot be told apart.")

Codes = tuple[np.ndarray, np.ndarray, np.ndarray]  # text, reader and version of each reading


@dataclass(frozen=True)
class Outcome:
    """A measure by an evaluator. readings: reader, text_id, text_version, value, one row per reader and text; kind: the
    type of question; empty: all."""

    measure: str
    evaluator: str
    kind: str
    readings: pd.DataFrame
    bounds: tuple[float, float]

    def codes(self, versions: list[str]) -> Codes:
        frame = self.readings
        text, reader = (pd.factorize(frame[name], sort=True)[0].astype(np.int64) for name in ("text_id", "reader"))
        return text, reader, frame["text_version"].map(versions.index).to_numpy(dtype=np.int64)

    def fit(self, versions: list[str]) -> VersionEffects:
        return version_effects(self.readings["value"].to_numpy(dtype=np.float64), *self.codes(versions), len(versions))


def build_text_version_tables(evidence: Evidence) -> tuple[Table, ...]:
    """None if the study compares no versions, or nobody has read one."""
    versions = list_text_versions(evidence.study)
    read = evidence.frame[evidence.frame["text_version"].isin(versions)]
    if not versions or read.empty:
        return ()
    kept, n_twice = leave_out_second_readings(evidence, read)
    sentence = ngettext(
        "%(n)d reader saw a text twice; their second reading is left out.",
        "%(n)d readers saw a text twice; their second reading is left out.",
        n_twice,
    )
    notes = [sentence % {"n": n_twice}] if n_twice else []
    outcomes = list(list_outcomes(evidence, kept, versions))
    convention = evidence.choices.convention
    rows = [row for each in outcomes for row in build_effect_rows(each, versions, evidence)]
    whole = [each for each in outcomes if each.evaluator == HUMAN and not each.kind]
    untyped = () if any(row["question_type"] for row in rows) else ("question_type",)
    return (
        TEXT_VERSIONS.build(rows, convention, [note_max_t(convention), *notes], hide=untyped),
        TEXT_VERSION_TEXTS.build([row for each in whole for row in build_text_rows(each, versions)], notes=notes),
    )


def leave_out_second_readings(evidence: Evidence, read: pd.DataFrame) -> tuple[pd.DataFrame, int]:
    """The answers with their reader, but only those about the version of a text that a person read first; and how many
    people read two. Equal codes mean the same person; models that read different versions count as one reader."""
    who = evidence.annotators.set_index("annotator")["person"]
    person = read["annotator"].map(who).fillna("")
    named = read.assign(reader=person.where(person != "", read["annotator"]))
    human = (named["kind"] == HUMAN).to_numpy()
    first = named.groupby(["reader", "text_id"], sort=False)["text_version"].transform("first")
    second = human & (named["text_version"] != first).to_numpy()
    return named[~second].reset_index(drop=True), int(named[second]["reader"].nunique())


# Outcomes -------------------------------------------------------------------------------------------------------------


def list_outcomes(evidence: Evidence, read: pd.DataFrame, versions: list[str]) -> Iterator[Outcome]:
    """Scores of people, and of models that read all versions: shares correct (also by question type), scales, shares
    of “yes”; for people also the minutes with the text."""
    people = get_people(evidence).select_rows(read)
    of_models = label_models(read[read["kind"] == "model"], versions)
    for evaluator, rows in [(HUMAN, people), *of_models]:
        if not rows.empty:
            yield from iter_tick_outcomes(evidence, evaluator, rows)
            yield from iter_question_outcomes(evidence, evaluator, rows)
    yield from iter_time_outcomes(evidence, people)


def label_models(read: pd.DataFrame, versions: list[str]) -> list[tuple[str, pd.DataFrame]]:
    """Each model with its answers to all versions, under the label of the one that read the first version."""
    codes = list(dict.fromkeys(read["annotator"]))
    found = []
    for name in codes:
        labels = [label_version(name, version, versions) for version in versions]
        if set(labels) <= set(codes):
            found.append((str(name), read[read["annotator"].isin(labels)].assign(reader=name)))
    return found


def iter_tick_outcomes(evidence: Evidence, evaluator: str, rows: pd.DataFrame) -> Iterator[Outcome]:
    stages = get_reading_stages(evidence)
    if stages is None:
        return
    judged = collect_judgments(evidence)
    keys = ["annotator", "text_id", "item_id", "option_id", "stage"]
    mine = rows[rows["question"] == "answer"][[*keys, "reader", "text_version"]].drop_duplicates(keys)
    right = judged[judged["stage"] == stages.with_text].merge(mine, on=keys)
    right = right.assign(value=right["correct"].astype(float))
    yield from make_outcome(ANSWERABILITY, evaluator, right, (-1.0, 1.0))
    types = map_item_types(evidence)
    kinds = right["item_id"].map(types).fillna("")
    if kinds.nunique() > 1:
        for kind in sorted(set(kinds) - {""}):
            yield from make_outcome(ANSWERABILITY, evaluator, right[kinds == kind], (-1.0, 1.0), kind)


def iter_question_outcomes(evidence: Evidence, evaluator: str, rows: pd.DataFrame) -> Iterator[Outcome]:
    for stage in get_declaration(evidence.study).stages:
        if "text" not in stage.shows:
            continue
        for question in stage.questions:
            mine = rows[(rows["question"] == question.name) & (rows["stage"] == stage.name)]
            if question.per != "item" or mine.empty:
                continue
            if question.kind == "scale":
                levels = [float(level) for level in question.levels]
                reach = max(levels) - min(levels)
                yield from make_outcome(
                    question.name, evaluator, mine.assign(value=mine["value"].astype(float)), (-reach, reach)
                )
            elif YES in question.levels:
                yes = mine.assign(value=(mine["value"] == YES).astype(float))
                yield from make_outcome(question.name, evaluator, yes, (-1.0, 1.0))


def iter_time_outcomes(evidence: Evidence, people: pd.DataFrame) -> Iterator[Outcome]:
    """Minutes from opening to handing in, in the stages that show the text."""
    shown = [stage.name for stage in get_declaration(evidence.study).stages if "text" in stage.shows]
    times = evidence.times[evidence.times["stage"].isin(shown)]
    who = people[["annotator", "reader", "text_id", "text_version"]].drop_duplicates(["annotator", "text_id"])
    timed = times.merge(who, on=["annotator", "text_id"])
    spent = timed.groupby(["reader", "text_id", "text_version"])["minutes"].sum().rename("value").reset_index()
    yield from make_outcome(MINUTES, HUMAN, spent, (-np.inf, np.inf))


def make_outcome(
    measure: str, evaluator: str, rows: pd.DataFrame, bounds: tuple[float, float], kind: str = ""
) -> Iterator[Outcome]:
    readings = rows.groupby(["reader", "text_id", "text_version"], sort=True)["value"].mean().reset_index()
    if not readings.empty:
        yield Outcome(measure, evaluator, kind, readings, bounds)


# Rows -----------------------------------------------------------------------------------------------------------------


def build_effect_rows(outcome: Outcome, versions: list[str], evidence: Evidence) -> Iterator[dict[str, Any]]:
    """Each version against each earlier one, adjusted for all of these."""
    pairs = [(one, other) for other in range(len(versions)) for one in range(other + 1, len(versions))]
    reasons = {pair: explain_undefined(outcome, versions, pair) for pair in pairs}
    fitted = outcome.fit(versions) if not all(reasons.values()) else None
    usable = [pair for pair in pairs if not reasons[pair]]
    found = adjust_contrast(fitted, usable, outcome, evidence.choices.seed) if fitted else {}
    chosen = READERS if evidence.choices.convention == READERS else ANNOTATORS
    means = outcome.readings.groupby("text_version")["value"].mean()
    for one, other in pairs:
        read = outcome.readings[outcome.readings["text_version"].isin([versions[one], versions[other]])]
        about = {
            "measure": outcome.measure, "evaluator": outcome.evaluator, "question_type": outcome.kind,
            "version": versions[one], "compared_with": versions[other], "mean": means.get(versions[one]),
            "n_texts": read["text_id"].nunique(), "n_annotators": read["reader"].nunique(),
        }  # fmt: skip
        if reason := reasons[one, other]:
            yield about | dict.fromkeys(NUMBERS) | {"family_size": 0, "reason": reason}
            continue
        place = usable.index((one, other))
        each = {name: family[place] for name, family in found.items()}
        yield about | read_contrast(each[chosen]) | {
            "intervals": {"difference": build_intervals_by_convention(each, int(read["text_id"].nunique()))},
        }  # fmt: skip


NUMBERS = ("difference", "low", "high", "low_adjusted", "high_adjusted", "p", "p_adjusted", "adjustment")


def read_contrast(found: AdjustedContrast) -> dict[str, Any]:
    if np.isnan(found.value):
        return dict.fromkeys(NUMBERS) | {"family_size": 0, "reason": _(NOT_LINKED)}
    numbers = {name: getattr(found, "value" if name == "difference" else name) for name in NUMBERS}
    return numbers | {"family_size": found.family_size, "reason": translate_reason(found.reason)}


def adjust_contrast(
    fitted: VersionEffects, pairs: list[tuple[int, int]], outcome: Outcome, seed: int
) -> dict[str, list[AdjustedContrast]]:
    """By convention, the contrasts of the pairs, adjusted by max-T: over readers and texts, or over texts only."""
    random = adjust_joint_contrasts(
        [fitted.contrast(*pair, outcome.bounds, RANDOM) for pair in pairs], fitted.joint_influence(pairs), seed=seed
    )
    one, other = (np.array(side) for side in zip(*pairs, strict=True))
    over_texts = adjust_text_contrasts(
        fitted.effects[one] - fitted.effects[other],
        fitted.without_text[:, one] - fitted.without_text[:, other],
        bounds=outcome.bounds, seed=seed,
    )  # fmt: skip
    return {READERS: random, ANNOTATORS: over_texts}


def explain_undefined(outcome: Outcome, versions: list[str], pair: tuple[int, int]) -> str:
    """Why two versions cannot be compared; empty if they can. A model reads each text alone."""
    for place in sorted(pair):
        read = outcome.readings[outcome.readings["text_version"] == versions[place]]
        n_texts = read["text_id"].nunique()
        if n_texts < FEWEST_TEXTS:
            return _(TOO_FEW_TEXTS) % {"version": versions[place], "n": n_texts}
        if outcome.evaluator == HUMAN and len(read) < FEWEST_READERS * n_texts:
            return _(TOO_FEW_READERS) % {"version": versions[place]}
    return ""


def build_text_rows(outcome: Outcome, versions: list[str]) -> Iterator[dict[str, Any]]:
    """Per text, each version minus the first, adjusted for readers."""
    if explain_undefined(outcome, versions, (0, 1)):
        return
    _text, reader, _version = outcome.codes(versions)
    frame = outcome.readings.assign(own=outcome.readings["value"] - outcome.fit(versions).reader[reader])
    for text_id, rows in frame.groupby("text_id", sort=True):
        values = {version: rows[rows["text_version"] == version]["own"].to_numpy(dtype=float) for version in versions}
        for version in versions[1:]:
            found = text_difference(values[version], values[versions[0]])
            yield {
                "measure": outcome.measure, "text_id": text_id, "version": version, "compared_with": versions[0],
                "difference": found.value, "low": found.low, "high": found.high, "n_annotators": found.n,
                "n_baseline": found.n_baseline,
                "reason": "" if not np.isnan(found.low) else _(NO_SPREAD_HERE),
            }  # fmt: skip


def describe_version_effect(tables: tuple[Table, ...]) -> list[str]:
    """The most certain difference after adjustment, or that there is none, or why there is no estimate."""
    if not tables:
        return []
    rows = [row for row in tables[0].rows if row["evaluator"] == HUMAN and not row["question_type"]]
    main = [row for row in rows if row["measure"] == ANSWERABILITY] or [
        row for row in rows if row["measure"] != MINUTES
    ]
    known = [row for row in main if row["p_adjusted"] is not None and row["p_adjusted"] == row["p_adjusted"]]
    if not known:
        return list(dict.fromkeys(row["reason"] for row in main if row["reason"]))[:1]
    row = min(known, key=lambda each: each["p_adjusted"])
    if row["p_adjusted"] >= 0.05:
        return [_("No version of the texts certainly lets people answer more than another.")]
    return [say_difference(row)]


def say_difference(row: Row) -> str:
    value = format_with_interval(row["difference"], row["low_adjusted"], row["high_adjusted"])
    words = (
        _(
            "With “%(version)s” instead of “%(other)s”, the share that people get right differs by %(value)s (adjusted "
            "interval)."
        )
        if row["measure"] == ANSWERABILITY
        else _("With “%(version)s” instead of “%(other)s”, people's answers differ by %(value)s (adjusted interval).")
    )
    return words % {"version": row["version"], "other": row["compared_with"], "value": value}


# Compares versions of texts from people on a random sample of texts and models on all texts.


FITTED_NUMBERS = ("low_adjusted", "high_adjusted", "p_adjusted", "r", "width_share")


def build_version_tables(evidence: Evidence) -> tuple[Table, ...]:
    """The table of differences between versions; empty if there are no versions, or models read no more than people."""
    stages, versions = get_reading_stages(evidence), list_text_versions(evidence.study)
    read = evidence.frame[evidence.frame["text_version"].isin(versions)]
    if stages is None or read.empty:
        return ()
    read = leave_out_second_readings(evidence, read[read["stage"] == stages.with_text])[0]
    people = get_people(evidence).select_rows(read_judgments_by_version(evidence, read))
    models = dict(label_models(read[read["kind"] == "model"], versions))
    if people.empty or not models:
        return ()
    if set(read[read["kind"] == "model"]["text_id"]) <= set(people["text_id"]):
        return ()
    joined = join_versions(evidence, versions, people, list_planned(evidence) or list(models))
    convention = evidence.choices.convention
    return (JOINED_VERSIONS.build(list(joined.rows(evidence)), convention, notes=[note_max_t(convention)]),)


def read_judgments_by_version(evidence: Evidence, read: pd.DataFrame) -> pd.DataFrame:
    """The judgments in these answers, with p(right), the version that was read, and the reader."""
    keys = ["annotator", "text_id", "item_id", "option_id", "stage"]
    mine = read[read["question"] == "answer"][[*keys, "reader", "text_version"]].drop_duplicates(keys)
    return collect_judgments(evidence).drop(columns="text_version", errors="ignore").merge(mine, on=keys)


@dataclass(frozen=True)
class JoinedVersions:
    """Answers of people and predictions of models for each version of the texts.

    cells: for each version, people's shares and models' predictions over all texts. predictor: the models' names.
    drawn: how many texts were drawn for people. reason: why people and models cannot be joined; empty if they can.
    """

    versions: list[str]
    cells: list[Cell]
    predictor: tuple[str, ...]
    drawn: int
    reason: str

    @property
    def pairs(self) -> list[tuple[int, int]]:
        """Each version with each earlier one."""
        return [(one, other) for other in range(len(self.versions)) for one in range(other + 1, len(self.versions))]

    def parts(self, pair: tuple[int, int], slope: float | None, readers: Readers) -> VarianceParts:
        return combine([fit(self.cells[place], slope) for place in pair], (1, -1), (-1.0, 1.0), readers)

    def adjust(self, pairs: list[tuple[int, int]], readers: Readers, seed: int) -> list[AdjustedContrast]:
        """The fitted differences of these pairs, with intervals and p-values adjusted for all of them together."""
        weights = np.zeros((len(self.cells), len(pairs)))
        for place, (one, other) in enumerate(pairs):
            weights[one, place], weights[other, place] = 1, -1
        shared = joint_influence([fit(cell) for cell in self.cells]).combine(weights)
        return adjust_joint_contrasts([self.parts(pair, None, readers) for pair in pairs], shared, seed=seed)

    def rows(self, evidence: Evidence) -> Iterator[dict[str, Any]]:
        reasons = {pair: self.reason or explain_too_few(self.cells_of(pair), self.drawn) for pair in self.pairs}
        usable = [pair for pair in self.pairs if not reasons[pair]]
        readers: Readers = RANDOM if evidence.choices.convention == READERS else FIXED
        adjusted = dict(zip(usable, self.adjust(usable, readers, evidence.choices.seed), strict=True)) if usable else {}
        for pair in self.pairs:
            about: dict[str, Any] = {
                "version": self.versions[pair[0]], "compared_with": self.versions[pair[1]],
                "n_texts": int(np.logical_and(*(self.cells[place].is_done for place in pair)).sum()),
                "n_texts_all": len(self.cells[0].weight), "predictor": ", ".join(self.predictor), "remark": "",
                "remark_said": "", "reason": reasons[pair],
            }  # fmt: skip
            if pair not in adjusted:
                empty = dict.fromkeys(FITTED_NUMBERS) | {"method": FITTED}
                yield about | empty | {"difference": make_undefined(reasons[pair])}
                continue
            for method, slope in METHODS.items():
                yield about | {"method": method} | self.row(pair, slope, method, adjusted[pair], readers)

    def cells_of(self, pair: tuple[int, int]) -> tuple[Cell, ...]:
        return tuple(self.cells[place] for place in pair)

    def row(
        self, pair: tuple[int, int], slope: float | None, method: str, adjusted: AdjustedContrast, readers: Readers
    ) -> dict[str, Any]:
        r = correlate_cells(self.cells_of(pair))
        widths = [high - low for low, high in (self.parts(pair, each, readers).ends() for each in (slope, PEOPLE_ONLY))]
        remark = " ".join(list_remarks(self.cells_of(pair), self.drawn, r)) if method == FITTED else ""
        family = {"low_adjusted": adjusted.low_adjusted, "high_adjusted": adjusted.high_adjusted,
                  "p_adjusted": adjusted.p_adjusted}  # fmt: skip
        return (family if method == FITTED else dict.fromkeys(family)) | {
            "difference": estimate_by_convention(self.parts(pair, slope, RANDOM), self.parts(pair, slope, FIXED)),
            "r": r,
            "width_share": widths[0] / widths[1] if widths[1] else None, "remark": remark, "remark_said": remark,
        }  # fmt: skip


def join_versions(evidence: Evidence, versions: list[str], people: pd.DataFrame, models: list[str]) -> JoinedVersions:
    """People's answers and models' predictions by version, over all items of a text; texts in the order of the bank."""
    weight = evidence.options.groupby("text_id", sort=False).size()
    predicted, names, reason = predict_versions(evidence, versions, weight.index, models)
    draw = evidence.text_draw
    chance = np.array([draw.chances[text] for text in weight.index] if draw else np.ones(len(weight)))
    size = np.asarray(weight, dtype=np.float64)
    reader, _names = pd.factorize(people["reader"], sort=True)
    cells = []
    for version in versions:
        mine = (people["text_version"] == version).to_numpy()
        text = weight.index.get_indexer(pd.Index(people["text_id"][mine])).astype(np.int64)
        right = people["correct"][mine].to_numpy(dtype=np.float64)
        judged = Judgments(text, reader[mine].astype(np.int64), right, np.ones(len(right)))
        own = predicted[version].reindex(weight.index).to_numpy(dtype=np.float64)
        cells.append(Cell(judged.share(len(weight)), own, chance, size, judged))
    drawn = sum(text in draw.drawn for text in weight.index) if draw else 0
    return JoinedVersions(versions, cells, names, drawn, reason if draw else _(NOT_DRAWN))


def predict_versions(
    evidence: Evidence, versions: list[str], texts: pd.Index, models: list[str]
) -> tuple[dict[str, pd.Series], tuple[str, ...], str]:
    """By version and text, the mean p(right) of the usable models; their names; why there are none. A model is usable
    if it answered all texts in all versions and has not seen people's answers. All planned models must be usable."""
    stages = get_reading_stages(evidence)
    assert stages is not None
    judgments = collect_judgments(evidence)
    read = judgments[judgments["stage"] == stages.with_text]
    shares, missing, seen = {}, {}, {}
    for name in models:
        labels = [label_version(name, version, versions) for version in versions]
        own = read[read["annotator"].isin(labels)].groupby(["annotator", "text_id"])["p_right"].mean()
        table = own.unstack("annotator").reindex(index=texts, columns=labels)
        missing[name] = int(table.isna().any(axis=1).sum())
        seen[name] = len(evidence.seen_texts.get(name, frozenset()) & set(texts))
        shares[name] = table
    empty = {version: pd.Series(dtype=float) for version in versions}
    all_needed = bool(list_planned(evidence))
    if reason := refuse_models(missing, all_needed, INCOMPLETE, {"n": len(texts)}):
        return empty, (), reason
    complete = [name for name in models if not missing[name]]
    if reason := refuse_models({name: seen[name] for name in complete}, all_needed, HAS_SEEN):
        return empty, (), reason
    usable = [name for name in complete if not seen[name]]
    means = np.mean([shares[name].to_numpy(dtype=np.float64) for name in usable], axis=0)
    found = {version: pd.Series(means[:, place], texts) for place, version in enumerate(versions)}
    return found, tuple(usable), ""


def say_version_difference(tables: tuple[Table, ...]) -> list[str]:
    """The pair of versions with the most significant difference, or why there is no estimate."""
    rows = [row for table in tables for row in table.rows if row["method"] == FITTED]
    known = [row for row in rows if row["p_adjusted"] is not None]
    if not known:
        return list(dict.fromkeys(row["reason"] for row in rows if row["reason"]))[:1]
    row = min(known, key=lambda each: each["p_adjusted"])
    words = _("From people on %(people)s and models on %(all)s: with “%(version)s” instead of “%(other)s” the share "
              "right differs by %(value)s (adjusted interval).")  # fmt: skip
    return [words % {
        "people": say_of_texts(row["n_texts"]), "all": say_of_texts(row["n_texts_all"]), "version": row["version"],
        "other": row["compared_with"],
        "value": format_with_interval(row["difference"], row["low_adjusted"], row["high_adjusted"]),
    }]  # fmt: skip
