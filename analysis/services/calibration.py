"""Agreement of a calibration, for whoever decides whether the main part opens."""

from typing import Any

from django.core.cache import cache

from analysis.choices import Choices
from analysis.services.state import A_DAY, state_of
from studies.models import Study
from studies.services.units import CALIBRATION


def calibration_agreement(study: Study) -> list[dict[str, Any]]:
    """The rows of the agreement table over the calibration's pairs; none before there is an answer or without one."""
    choices = Choices(seed=abs(study.seed))
    key = f"calibration:{state_of(study, choices)}"
    rows: list[dict[str, Any]] | None = cache.get(key)
    if rows is None:
        rows = rows_of(study, choices)
        cache.set(key, rows, A_DAY)
    return rows


def rows_of(study: Study, choices: Choices) -> list[dict[str, Any]]:
    # numpy, scipy and pandas take a second to load: not every process that knows the page's address needs them.
    from analysis.evidence import evidence_of
    from analysis.reports.judged_pairs import judgments_of
    from analysis.reports.pair_agreement import agreement_rows
    from analysis.tables import plain

    judgments = judgments_of(evidence_of(study, choices))
    judgments = judgments[judgments["part"] == CALIBRATION]
    if judgments.empty:
        return []
    return [plain(row) for row in agreement_rows(judgments, choices.convention, choices.seed)]
