"""`export_items --project SLUG`: the texts and items of a project, as Lesart's JSONL or for another tool."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from analysis.files import open_whole_file
from items.services.exporting import ARCHIVES, Selection, build_archive, export_lines
from items.services.search import BankSearch, Sample, Stratum
from projects.models import Project

JSONL = "jsonl"


class Command(BaseCommand):
    help = "Writes the texts and items of a project: JSON lines, or a ZIP for another tool with what is left out."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--project", required=True, metavar="SLUG", help="the project's short name")
        parser.add_argument("--format", choices=[JSONL, *ARCHIVES], default=JSONL)
        parser.add_argument(
            "--search", default="", metavar="WORDS", help="only texts in which, or in whose items, they are"
        )
        parser.add_argument("--generator", default="", metavar="NAME", help="only items of this generator")
        parser.add_argument("--tag", default="", metavar="TAG", help="only items with this tag")
        parser.add_argument("--sample", type=int, metavar="N", help="so many items of each group, drawn by --seed")
        parser.add_argument("--by", choices=[each for each in Stratum.values if each], default="", help="the groups")
        parser.add_argument("--seed", type=int, default=1)
        parser.add_argument("--out", required=True, metavar="FILE", help="is there whole or not at all")

    def handle(self, *, project: str, format: str, out: str, **options: Any) -> None:
        found = Project.objects.filter(slug=project).first()
        if found is None:
            raise CommandError(f"No project has the short name {project}.")
        search = BankSearch(words=options["search"], generator=options["generator"], tag=options["tag"])
        if options["sample"] is not None and options["sample"] < 1:
            raise CommandError("--sample is a number of items from 1.")
        sample = Sample(options["sample"], options["by"], options["seed"]) if options["sample"] else None
        chosen = Selection(search, sample)
        lines = export_lines(found, chosen) if format == JSONL else []
        content = "".join(lines).encode() if format == JSONL else build_archive(found, format, chosen)
        try:
            with open_whole_file(Path(out), "wb") as file:
                file.write(content)
        except OSError as error:
            raise CommandError(f"{out} cannot be written: {error.strerror}. Choose another --out.") from None
