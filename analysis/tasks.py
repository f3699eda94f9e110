"""What workers do for the analysis. A message carries an id; each task may come twice without harm."""

from celery import shared_task

from analysis.services.working import work_out


@shared_task
def work_out_results(*, place: str) -> None:
    """Work out results that a page waits for. Their ticket, which the message names, is in the cache."""
    work_out(place)
