"""`export_codes SLUG`: the codes of a study's items as CSV, which `import_codes` reads again."""

from pathlib import Path

from django.core.management.base import BaseCommand, CommandError

from analysis.files import open_whole_file
from analysis.items.code_files import export_codes
from studies.management.commands._study import find_study


class Command(BaseCommand):
    help = "Writes the codes of a study's items as CSV; with --kind a row for each item, to be filled in."

    def add_arguments(self, parser):
        parser.add_argument("slug", help="short name of the study")
        parser.add_argument("--kind", default="", metavar="KIND", help="only this kind, such as question_type")
        parser.add_argument("--out", type=Path, metavar="FILE", help="default: stdout")

    def handle(self, *, slug, kind, out, **options):
        study = find_study(slug)
        if out is None:
            self.stdout.ending = ""  # the export writes its own line ends
            export_codes(study, self.stdout, kind)
            return
        try:
            with open_whole_file(out) as file:
                n = export_codes(study, file, kind)
        except OSError as error:
            raise CommandError(f"{out} cannot be written: {error.strerror}. Choose another --out.") from None
        self.stderr.write(f"{n} rows of {slug} are in {out}.")
