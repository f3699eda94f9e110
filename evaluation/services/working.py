"""Who does the work: a few seconds of it whoever asks, the rest a worker."""

import logging

from kombu.exceptions import OperationalError

from evaluation.models import Evaluator
from evaluation.services.answering import answer
from evaluation.tasks import answer_as_baseline

log = logging.getLogger(__name__)
AT_ONCE = 3.0  # seconds that somebody who pressed a button may wait


def begin(evaluator: Evaluator) -> bool:
    """Answer for a few seconds, here; what is left goes to a worker. Whether everything is answered."""
    if answer(evaluator, AT_ONCE):
        return True
    try:
        answer_as_baseline.apply_async(kwargs={"evaluator_id": evaluator.pk}, retry=False)
    except (OperationalError, OSError) as error:
        log.warning("No message could be sent for evaluator %s: %s", evaluator.pk, type(error).__name__)
    return False
