"""What workers do for the analysis. A message carries an id; each task may come twice without harm."""

from celery import shared_task

from analysis.services.packs import build
from analysis.services.working import work_out


@shared_task
def build_pack(*, pack_id: int) -> None:
    """Build a replication pack that was asked for on a page."""
    build(pack_id)


@shared_task
def work_out_results(*, place: str) -> None:
    """Work out results that a page waits for. Their ticket, which the message names, is in the cache."""
    work_out(place)
