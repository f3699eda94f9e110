"""`export_items --project SLUG`: the texts and items of a project, as Lesart's JSONL or for another tool."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from analysis.files import whole_file
from items.services.exporting import ARCHIVES, build_archive, export_lines
from projects.models import Project

JSONL = "jsonl"


class Command(BaseCommand):
    help = "Writes the texts and items of a project: JSON lines, or a ZIP for another tool with what is left out."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--project", required=True, metavar="SLUG", help="the project's short name")
        parser.add_argument("--format", choices=[JSONL, *ARCHIVES], default=JSONL)
        parser.add_argument("--out", required=True, metavar="FILE", help="is there whole or not at all")

    def handle(self, *, project: str, format: str, out: str, **options: Any) -> None:
        found = Project.objects.filter(slug=project).first()
        if found is None:
            raise CommandError(f"No project has the short name {project}.")
        lines = export_lines(found) if format == JSONL else []
        content = "".join(lines).encode() if format == JSONL else build_archive(found, format)
        try:
            with whole_file(Path(out), "wb") as file:
                file.write(content)
        except OSError as error:
            raise CommandError(f"{out} cannot be written: {error.strerror}. Choose another --out.") from None
