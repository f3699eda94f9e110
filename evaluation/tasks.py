"""What workers do for evaluators. A message carries an id; each task may come twice without harm."""

from celery import shared_task

from evaluation.models import Evaluator
from evaluation.services.answering import answer

SECONDS = 30.0


@shared_task
def answer_as_baseline(*, evaluator_id: int) -> None:
    """Answers for a while and asks for its next turn if something is left. A removed evaluator is left alone."""
    evaluator = Evaluator.objects.select_related("annotator__study__instrument_version").filter(pk=evaluator_id).first()
    if evaluator is not None and not answer(evaluator, SECONDS):
        answer_as_baseline.apply_async(kwargs={"evaluator_id": evaluator_id})
