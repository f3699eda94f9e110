from pathlib import Path

from django.core.management.base import BaseCommand, CommandError

from items.plain import printable
from projects.models import Project
from studies.management.commands.create_study import content_of
from studies.services.instrument_writing import InstrumentRefused, import_instrument


class Command(BaseCommand):
    help = "Take an instrument (wording or prompts, YAML) in: as a new one, or as the next version of its name."

    def add_arguments(self, parser):
        parser.add_argument("file", type=Path, metavar="FILE.yaml")
        parser.add_argument("--project", metavar="SLUG", help="whose it is; default: all projects of the server")
        parser.add_argument("--note", default="", metavar="TEXT", help="what is new, up to 200 characters")

    def handle(self, *, file, project, note, **options):
        owner = project_called(project) if project else None
        try:
            version, is_new = import_instrument(content_of(file), owner, note=note[:200])
        except InstrumentRefused as refused:
            raise CommandError("\n".join(["Nothing was stored.", *map(str, refused.problems)])) from None
        said = "is stored" if is_new else "says exactly this: nothing was stored"
        self.stdout.write(f"{version} {said}.")


def project_called(slug: str) -> Project:
    found = Project.objects.filter(slug=slug).first()
    if found is None:
        raise CommandError(f"There is no project “{printable(slug)}”. Make it with create_project.")
    return found
