from pathlib import Path

from django.core.management.base import BaseCommand, CommandError

from items.management.commands._project import find_project
from studies.services.instruments import UnknownInstrument, find_version, get_source


class Command(BaseCommand):
    help = "Export an instrument as YAML: its newest version, or the version given after the @."

    def add_arguments(self, parser):
        parser.add_argument("name", metavar="NAME/LANGUAGE[@VERSION]")
        parser.add_argument("--out", type=Path, required=True, metavar="FILE")
        parser.add_argument(
            "--project", metavar="SLUG", help="search the project's instruments first; default: shipped ones only"
        )

    def handle(self, *, name, out, project, **options):
        try:
            version = find_version(name, find_project(project) if project else None)
        except UnknownInstrument as error:
            raise CommandError(str(error)) from None
        try:
            out.write_bytes(get_source(version).encode())
        except OSError as error:
            raise CommandError(f"{out} cannot be written: {error.strerror}.") from None
        self.stdout.write(f"{version} was written to {out}.")
