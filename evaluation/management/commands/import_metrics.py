"""`import_metrics FILE.csv --project SLUG`: metrics computed elsewhere, a column each, a row per item."""

from pathlib import Path

from django.core.management.base import BaseCommand, CommandError

from evaluation.metric_values import BadMetrics, import_metrics
from evaluation.models import MAX_METRIC_NAME
from items.files import UnreadableFile, read_file
from items.management.commands._project import find_project
from items.plain import has_control


class Command(BaseCommand):
    help = "Takes over metrics of questions from a CSV file with item_id and a column for each metric; all or nothing."

    def add_arguments(self, parser):
        parser.add_argument("file", metavar="FILE", type=Path, help="the file to read; - for standard input")
        parser.add_argument("--project", required=True, metavar="SLUG")
        parser.add_argument(
            "--family",
            action="append",
            default=[],
            metavar="METRIC=FAMILY",
            help="the family of a metric's base model, as the generators' factor family names it; may be repeated",
        )

    def handle(self, *, file, project, family, **options):
        found = find_project(project)
        try:
            counted = import_metrics(found, read_file(file), dict(map(parse_family, family)))
        except (UnreadableFile, BadMetrics) as bad:
            raise CommandError(str(bad)) from None
        self.stdout.write(f"{counted.n_values} values of {counted.n_items} items were taken over.")


def parse_family(written: str) -> tuple[str, str]:
    """Split at the last equals sign: a metric's name may contain one, a family may not."""
    name, _sign, family = written.rpartition("=")
    if not name or not family.strip() or len(family) > MAX_METRIC_NAME or has_control(family):
        raise CommandError(f"“{written}” names no family. Write it as METRIC=FAMILY.")
    return name, family.strip()
