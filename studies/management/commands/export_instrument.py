from pathlib import Path

from django.core.management.base import BaseCommand, CommandError

from studies.management.commands.import_instrument import project_called
from studies.services.instruments import UnknownInstrument, latest_version, source_of


class Command(BaseCommand):
    help = "Write an instrument as YAML: its newest version, or the one with the number behind the @."

    def add_arguments(self, parser):
        parser.add_argument("name", metavar="NAME/LANGUAGE[@VERSION]")
        parser.add_argument("--out", type=Path, required=True, metavar="FILE")
        parser.add_argument("--project", metavar="SLUG", help="look among its own first; default: shipped ones only")

    def handle(self, *, name, out, project, **options):
        try:
            version = latest_version(name, project_called(project) if project else None)
        except UnknownInstrument as error:
            raise CommandError(str(error)) from None
        try:
            out.write_bytes(source_of(version).encode())
        except OSError as error:
            raise CommandError(f"{out} cannot be written: {error.strerror}.") from None
        self.stdout.write(f"{version} stands in {out}.")
