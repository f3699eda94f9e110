"""Shared by this package: the stages without and with the text, judgments in them, and estimates by convention."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd
from django.utils.translation import gettext as _

from analysis.choices import ANNOTATORS, PUBLISHED, READERS
from analysis.frames.evidence import Evidence
from analysis.measures.intervals import undefined_interval
from analysis.measures.variance_parts import VarianceParts
from analysis.reports.estimates import NOT_PUBLISHED, Estimate
from studies.models import Study
from studies.services.declarations import get_declaration


@dataclass(frozen=True)
class ReadingStages:
    """Names of the stages in which options are judged; without: "" if there is no such stage."""

    without: str
    with_text: str


def get_reading_stages(evidence: Evidence) -> ReadingStages | None:
    """The stages in which options are judged; None if none is judged with the text."""
    return find_reading_stages(evidence.study)


def find_reading_stages(study: Study) -> ReadingStages | None:
    found = {False: "", True: ""}
    for stage in get_declaration(study).stages:
        if any(question.per == "option" and question.kind == "tick" for question in stage.questions):
            found["text" in stage.shows] = stage.name
    return ReadingStages(found[False], found[True]) if found[True] else None


def collect_judgments(evidence: Evidence) -> pd.DataFrame:
    """Judgments of options with p(right), which is 0 or 1 for a judgment without a probability."""
    return evidence.judgments_with_p


def estimate_by_convention(random: VarianceParts, fixed: VarianceParts, reason: str = "") -> Estimate:
    """An estimate with its interval over readers and texts, and for these readers; `reason`: why there is none."""
    no_interval = undefined_interval("", ("text", fixed.n_texts, 0, None), NOT_PUBLISHED)
    found = {READERS: random.interval(), ANNOTATORS: fixed.interval(), PUBLISHED: no_interval}
    return Estimate(np.nan if reason else random.value, found, reason)


def estimate_over_texts(parts: VarianceParts, reason: str = "") -> Estimate:
    """An estimate with its interval over texts, for figures whose readers are always treated as fixed."""
    return estimate_by_convention(parts, parts, reason)


def make_undefined(reason: str) -> Estimate:
    """An estimate without a number, for this reason, already translated."""
    no_interval = undefined_interval("", ("text", 0, 0, None), "")
    return Estimate(np.nan, dict.fromkeys((READERS, ANNOTATORS, PUBLISHED), no_interval), reason)


def translate_reason(reason: str, values: Mapping[str, Any] | None = None) -> str:
    """A reason in the active language."""
    return (_(reason) % values if values else _(reason)) if reason else ""
