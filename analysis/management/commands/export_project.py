"""`export_project SLUG --out FILE.zip`: a whole project in one file, which `import_project` reads."""

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from analysis.choices import BadChoice
from analysis.files import open_whole_file
from projects.models import Project


class Command(BaseCommand):
    help = "Writes the archive of a project: its texts and items, and the replication pack of each study."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("slug", help="short name of the project")
        parser.add_argument(
            "--out", required=True, metavar="FILE.zip", help="the file to write; it appears only once it is complete"
        )

    def handle(self, *, slug: str, out: str, **options: Any) -> None:
        from analysis.pack.project import write_project  # loads the drawing libraries

        project = Project.objects.filter(slug=slug).first()
        if project is None:
            raise CommandError(f"No project has the short name {slug}.")
        try:
            with open_whole_file(Path(out), "wb") as file:
                contents = write_project(project, file)
        except BadChoice as bad:
            raise CommandError(str(bad)) from None
        except OSError as error:
            raise CommandError(f"{out} cannot be written: {error.strerror}. Choose another --out.") from None
        for each in contents.left_out:
            self.stderr.write(f"Left out: {each.get('study') or each.get('text')}. {each['reason']}")
        self.stdout.write(f"The project {slug} with {len(contents.studies)} studies is in {out}.")
