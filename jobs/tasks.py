"""What workers do for jobs. A message only carries an id, and may arrive twice without harm."""

from celery import shared_task

from jobs.working import run_job


@shared_task(name="jobs.work")
def work(*, job_id: int) -> None:
    """Do a job."""
    run_job(job_id)
