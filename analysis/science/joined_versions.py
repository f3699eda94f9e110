"""Compares versions of texts from people on a random sample of texts and models on all texts."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from django.utils.translation import gettext as _

from analysis.choices import READERS
from analysis.formatting import of_texts, with_interval
from analysis.frames.evidence import Evidence
from analysis.measures.contrasts import AdjustedContrast, adjust_joint_contrasts
from analysis.measures.prediction_powered import PEOPLE_ONLY, Cell, Judgments, combine, fit, joint_influence
from analysis.measures.reader_intervals import FIXED, RANDOM, Readers
from analysis.measures.variance_parts import VarianceParts
from analysis.reports.contrasts import max_t_note
from analysis.reports.evaluators import people_in
from analysis.science.common import conventions, judgments_in, reading_stages, refuse
from analysis.science.joined import (
    FITTED,
    HAS_SEEN,
    INCOMPLETE,
    METHODS,
    NOT_DRAWN,
    correlation,
    list_planned,
    refuse_models,
    remarks_on,
    too_few,
)
from analysis.science.tables import JOINED_VERSIONS
from analysis.science.versions import label_models, leave_out_second_readings
from analysis.tables.spec import Table
from studies.services.text_versions import label_version, list_text_versions

NUMBERS = ("low_adjusted", "high_adjusted", "p_adjusted", "r", "width_share")


def build_version_tables(evidence: Evidence) -> tuple[Table, ...]:
    """The table of differences between versions; empty if there are no versions, or models read no more than people."""
    stages, versions = reading_stages(evidence), list_text_versions(evidence.study)
    read = evidence.frame[evidence.frame["text_version"].isin(versions)]
    if stages is None or read.empty:
        return ()
    read = leave_out_second_readings(evidence, read[read["stage"] == stages.with_text])[0]
    people = people_in(evidence).rows_of(judgments_by_version(evidence, read))
    models = dict(label_models(read[read["kind"] == "model"], versions))
    if people.empty or not models:
        return ()
    if set(read[read["kind"] == "model"]["text_id"]) <= set(people["text_id"]):
        return ()
    joined = join_versions(evidence, versions, people, list_planned(evidence) or list(models))
    convention = evidence.choices.convention
    return (JOINED_VERSIONS.build(list(joined.rows(evidence)), convention, notes=[max_t_note(convention)]),)


def judgments_by_version(evidence: Evidence, read: pd.DataFrame) -> pd.DataFrame:
    """The judgments in these answers, with p(right), the version that was read, and the reader."""
    keys = ["annotator", "text_id", "item_id", "option_id", "stage"]
    mine = read[read["question"] == "answer"][[*keys, "reader", "text_version"]].drop_duplicates(keys)
    return judgments_in(evidence).drop(columns="text_version", errors="ignore").merge(mine, on=keys)


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
        reasons = {pair: self.reason or too_few(self.cells_of(pair), self.drawn) for pair in self.pairs}
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
                empty = dict.fromkeys(NUMBERS) | {"method": FITTED}
                yield about | empty | {"difference": refuse(reasons[pair])}
                continue
            for method, slope in METHODS.items():
                yield about | {"method": method} | self.row(pair, slope, method, adjusted[pair], readers)

    def cells_of(self, pair: tuple[int, int]) -> tuple[Cell, ...]:
        return tuple(self.cells[place] for place in pair)

    def row(
        self, pair: tuple[int, int], slope: float | None, method: str, adjusted: AdjustedContrast, readers: Readers
    ) -> dict[str, Any]:
        r = correlation(self.cells_of(pair))
        widths = [high - low for low, high in (self.parts(pair, each, readers).ends() for each in (slope, PEOPLE_ONLY))]
        remark = " ".join(remarks_on(self.cells_of(pair), self.drawn, r)) if method == FITTED else ""
        family = {"low_adjusted": adjusted.low_adjusted, "high_adjusted": adjusted.high_adjusted,
                  "p_adjusted": adjusted.p_adjusted}  # fmt: skip
        return (family if method == FITTED else dict.fromkeys(family)) | {
            "difference": conventions(self.parts(pair, slope, RANDOM), self.parts(pair, slope, FIXED)), "r": r,
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
    """By version the mean p(right) on each text of the models that answered all texts in all versions and have not
    seen people's answers, as all that the plan names must; the models' names; why there are none."""
    stages = reading_stages(evidence)
    assert stages is not None
    judgments = judgments_in(evidence)
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
        "people": of_texts(row["n_texts"]), "all": of_texts(row["n_texts_all"]), "version": row["version"],
        "other": row["compared_with"],
        "value": with_interval(row["difference"], row["low_adjusted"], row["high_adjusted"]),
    }]  # fmt: skip
