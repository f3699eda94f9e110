from pathlib import Path

from django.core.management.base import BaseCommand, CommandError

from items.management.commands._project import find_project
from studies.management.commands.create_study import read_content
from studies.services.instrument_writing import InstrumentRefused, import_instrument


class Command(BaseCommand):
    help = "Import an instrument (wording or prompts, YAML): as a new one, or as the next version of that name."

    def add_arguments(self, parser):
        parser.add_argument("file", type=Path, metavar="FILE.yaml")
        parser.add_argument(
            "--project", metavar="SLUG", help="the project that owns it; default: the server, for all projects"
        )
        parser.add_argument("--note", default="", metavar="TEXT", help="what is new, up to 200 characters")

    def handle(self, *, file, project, note, **options):
        owner = find_project(project) if project else None
        try:
            version, is_new = import_instrument(read_content(file), owner, note=note[:200])
        except InstrumentRefused as refused:
            raise CommandError("\n".join(["Nothing was stored.", *map(str, refused.problems)])) from None
        sentence = "is stored" if is_new else "has exactly this content: nothing was stored"
        self.stdout.write(f"{version} {sentence}.")
