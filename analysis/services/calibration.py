"""Agreement of a calibration, for whoever decides whether the main part opens."""

from typing import Any

from analysis.choices import Choices
from studies.models import Study
from studies.services.units import CALIBRATION


def calibration_agreement(study: Study) -> list[dict[str, Any]]:
    """The rows of the agreement table over the calibration's pairs; none before there is an answer or without one."""
    # numpy, scipy and pandas take a second to load: not every process that knows the page's address needs them.
    from analysis.evidence import evidence_of
    from analysis.reports.judged_pairs import judgments_of
    from analysis.reports.pair_agreement import agreement_rows
    from analysis.tables import plain

    judgments = judgments_of(evidence_of(study, Choices(seed=abs(study.seed))))
    judgments = judgments[judgments["part"] == CALIBRATION]
    if judgments.empty:
        return []
    return [plain(row) for row in agreement_rows(judgments, "clustered", abs(study.seed))]
