"""What a study consists of: texts, items and answers; and its variants side by side."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pandas as pd
from django.utils.translation import gettext as _

from analysis.frames.evidence import Evidence
from analysis.reports.evaluators import Evaluator, get_people, list_evaluators
from analysis.reports.tables import DESCRIPTION, VARIANTS
from analysis.tables.spec import Table
from analysis.words import name_evaluator

ALL = "all"


def build_description(evidence: Evidence) -> Table:
    """One row per quantity. `about` is texts, items or evaluators; an empty source means all sources."""
    rows = [*iter_text_rows(evidence), *iter_item_rows(evidence), *iter_evaluator_rows(evidence)]
    return DESCRIPTION.build(rows, notes=evidence.peculiarities)


def build_entry(
    about: str, name: str, source: str, quantity: str, value: Any, n: int, reason: str = ""
) -> dict[str, Any]:
    sentence = _("all") if name == ALL else name_evaluator(name) if about == "evaluators" else name
    return {
        "about": about,
        "name": name,
        "name_said": sentence,
        "source": source,
        "quantity": quantity,
        "value": value,
        "n": n,
        "reason": reason,
    }


def iter_text_rows(evidence: Evidence) -> Iterator[dict[str, Any]]:
    """Texts and their tokens, over all and by source if there are several."""
    for source, texts in split_by_source(evidence.texts):
        tokens, n = texts["tokens"], len(texts)
        yield build_entry("texts", ALL, source, "n_texts", n, n)
        if n:
            if not source and evidence.study.blocks:
                n_blocks = 1 + len(evidence.study.blocks)
                yield build_entry("texts", ALL, source, "n_blocks", n_blocks, n_blocks)
            for quantity, value in (("mean", tokens.mean()), ("min", tokens.min()), ("max", tokens.max())):
                yield build_entry("texts", ALL, source, f"tokens_{quantity}", value, n)


def iter_item_rows(evidence: Evidence) -> Iterator[dict[str, Any]]:
    """Items, options and keys, over all generators and by generator."""
    for name in (ALL, *evidence.generators):
        mine = evidence.items if name == ALL else evidence.items[evidence.items["generator"] == name]
        for source, items in split_by_source(mine):
            n = len(items)
            yield build_entry("items", name, source, "n_items", n, n)
            options = items["n_options"]
            if n and options.any():
                yield build_entry("items", name, source, "options_mean", options.mean(), n)
                yield build_entry("items", name, source, "options_min", options.min(), n)
                yield build_entry("items", name, source, "options_max", options.max(), n)
                yield build_entry("items", name, source, "share_several_keys", (items["n_keys"] > 1).sum() / n, n)
                yield build_entry("items", name, source, "share_no_key", (items["n_keys"] == 0).sum() / n, n)


def split_by_source(frame: pd.DataFrame) -> Iterator[tuple[str, pd.DataFrame]]:
    """All rows under "", then those of each source if there are several."""
    yield "", frame
    if frame["source"].nunique() > 1:
        for source in frame["source"].unique():
            yield source or _("(none)"), frame[frame["source"] == source]


def iter_evaluator_rows(evidence: Evidence) -> Iterator[dict[str, Any]]:
    """Annotators, texts and judgments of each evaluator, and the minutes of people.

    Judgments are judgments of options; if the study has none, all answers.
    """
    judgments = evidence.judgments
    if judgments.empty:
        judgments = evidence.frame
    for evaluator in list_evaluators(evidence):
        mine = evaluator.select_rows(judgments)
        n = len(evaluator.codes)
        yield build_entry("evaluators", evaluator.name, "", "n_annotators", n, n)
        yield build_entry("evaluators", evaluator.name, "", "n_texts", mine["text_id"].nunique(), n)
        yield build_entry("evaluators", evaluator.name, "", "n_judgments", len(mine), n)
        if evaluator.kind == "human":
            yield build_per_unit_row(evaluator.name, evaluator.select_rows(evidence.frame))
            yield build_minutes_row(evidence, evaluator)


def build_per_unit_row(name: str, answers: pd.DataFrame) -> dict[str, Any]:
    """The mean number of annotators who answered about a unit: a text, an item or a pair, depending on the protocol."""
    per_unit = answers.groupby("unit", observed=True)["annotator"].nunique()
    if per_unit.empty:
        return build_entry("evaluators", name, "", "annotators_per_unit_mean", None, 0, _("no answers yet"))
    return build_entry("evaluators", name, "", "annotators_per_unit_mean", per_unit.mean(), len(per_unit))


def build_minutes_row(evidence: Evidence, evaluator: Evaluator) -> dict[str, Any]:
    """The median over people of their total minutes."""
    minutes = evaluator.select_rows(evidence.minutes)["minutes"]
    if minutes.empty:
        reason = _("no times are known")
        return build_entry("evaluators", evaluator.name, "", "minutes_median", None, 0, reason)
    return build_entry("evaluators", evaluator.name, "", "minutes_median", minutes.median(), len(minutes))


# A study's variants side by side: agreement within each, and the minutes it takes.

PEOPLE, MINUTES = "n_annotators", "minutes_unit_median"
CELLS = ("category", "view", "measure", "value", "low", "high", "n", "reason")
# Yields from the evidence of one variant: category, view, measure, value, its intervals by convention, n, reason.
Measured = Callable[[Evidence], Iterator[tuple[Any, ...]]]


def build_variants(evidence: Evidence, measured: Measured) -> list[Table]:
    """One row per variant and number; no table if the study has no variants.

    Agreement is computed within each variant, as people of different variants answered different questions.
    """
    names = list(evidence.study.variants.values_list("name", flat=True))
    if not names:
        return []
    rows = [row for name in names for row in iter_variant_rows(name, keep_variant(evidence, name), measured)]
    return [VARIANTS.build(rows)]


def keep_variant(evidence: Evidence, name: str) -> Evidence:
    """The evidence of the people in one variant."""
    people = evidence.annotators[(evidence.annotators["variant"] == name) & (evidence.annotators["kind"] == "human")]
    codes = people["annotator"]

    def keep(frame: Any) -> Any:
        return frame[frame["annotator"].isin(codes)].reset_index(drop=True)

    return replace(
        evidence,
        choices=replace(evidence.choices, evaluators=None),
        frame=keep(evidence.frame),
        every_round=keep(evidence.every_round),
        annotators=people.reset_index(drop=True),
        times=keep(evidence.times),
        minutes=keep(evidence.minutes),
    )


def iter_variant_rows(name: str, mine: Evidence, measured: Measured) -> Iterator[dict[str, Any]]:
    minutes = mine.times["minutes"]
    reason = "" if len(minutes) else _("no times are known")
    n_people = len(get_people(mine).codes)
    median = float(minutes.median()) if len(minutes) else None
    counted = [
        ("", "", PEOPLE, n_people, None, None, n_people, ""),
        ("", "", MINUTES, median, None, None, len(minutes), reason),
    ]
    for cells in counted:
        yield {"variant": name} | dict(zip(CELLS, cells, strict=True))
    for found in measured(mine):
        category, view, measure, value, intervals, n, reason = found
        ends = intervals[mine.choices.convention]
        cells = (category, view, measure, value, ends["low"], ends["high"], n, reason)
        yield {"variant": name} | dict(zip(CELLS, cells, strict=True)) | {"intervals": {"value": intervals}}
