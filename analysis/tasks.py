"""What workers do for the analysis. A message carries an id; each task may come twice without harm."""

from celery import shared_task

from analysis.services.packs import build


@shared_task
def build_pack(*, pack_id: int) -> None:
    """Build a replication pack that was asked for on a page."""
    build(pack_id)
