"""Agreement of a calibration, for whoever decides whether the main part opens."""

from analysis.choices import Choices
from analysis.services.wanted import Wanted
from analysis.services.working import Found, look
from studies.models import Study


def calibration_agreement(study: Study) -> Found:
    """The rows of the agreement table over the calibration's pairs; none before there is an answer or without one.

    Of a large study it may be an earlier result, or none yet, while a worker makes the next.
    """
    return look(Wanted("calibration", study, Choices(seed=abs(study.seed))))
