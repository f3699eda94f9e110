"""Baselines answer: for a few seconds in the request, then in a worker. Each task may run twice without harm."""

import logging

from celery import shared_task
from kombu.exceptions import OperationalError

from evaluation.models import Evaluator
from evaluation.services.baselines import answer

SECONDS = 30.0


@shared_task
def answer_as_baseline(*, evaluator_id: int) -> None:
    """Answers for a while and asks for its next turn if something is left. A removed evaluator is left alone."""
    evaluator = Evaluator.objects.select_related("annotator__study__instrument_version").filter(pk=evaluator_id).first()
    if evaluator is not None and not answer(evaluator, SECONDS):
        answer_as_baseline.apply_async(kwargs={"evaluator_id": evaluator_id})


log = logging.getLogger(__name__)
AT_ONCE = 3.0  # seconds that somebody who pressed a button may wait


def start_baseline(evaluator: Evaluator) -> bool:
    """Answer for a few seconds, here; what is left goes to a worker. Whether everything is answered."""
    if answer(evaluator, AT_ONCE):
        return True
    try:
        answer_as_baseline.apply_async(kwargs={"evaluator_id": evaluator.pk}, retry=False)
    except (OperationalError, OSError) as error:
        log.warning("No message could be sent for evaluator %s: %s", evaluator.pk, type(error).__name__)
    return False
