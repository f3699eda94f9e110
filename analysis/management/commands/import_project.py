"""`import_project FILE.zip`: an archive as a new project, on whose studies `report` gives the same tables."""

from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser

from analysis.management.commands.import_pack import open_archive


class Command(BaseCommand):
    help = "Imports the archive of a project as a new project: the whole archive or nothing."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", metavar="FILE.zip", help="as export_project has written it")
        parser.add_argument(
            "--as",
            "--slug",
            dest="slug",
            default="",
            metavar="SLUG",
            help="short name of the project here; default: its own",
        )

    def handle(self, *, file: str, slug: str, **options: Any) -> None:
        from analysis.pack.project import import_project  # loads the drawing libraries

        try:
            with open_archive(file) as opened:
                project = import_project(opened, slug=slug)
        except ValidationError as error:
            raise CommandError(f"Nothing was stored. {' '.join(error.messages)}") from None
        self.stdout.write(
            f"The project {project.slug} is there: {project.texts.count()} texts, {project.studies.count()} studies."
        )
