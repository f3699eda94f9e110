"""`export_pack SLUG --out FILE.zip`: everything that a study's figures rest on, in one ZIP."""

from pathlib import Path

from django.core.management.base import BaseCommand, CommandError

from analysis.choices import BadChoice
from analysis.files import open_whole_file
from analysis.management.commands.report import add_choices, find_reportable, read_choices


class Command(BaseCommand):
    help = "Writes the replication pack of a study: its data, tables, figures, datasheet and a manifest, in one ZIP."

    def add_arguments(self, parser):
        parser.add_argument("slug", help="short name of the study")
        parser.add_argument("--out", required=True, metavar="FILE.zip", help="is there whole or not at all")
        add_choices(parser)

    def handle(self, *, slug, out, **options):
        from analysis.pack.building import write_pack  # loads the drawing libraries

        try:
            study = find_reportable(slug)
            choices = read_choices(study, options | {"evaluators": None, "groups": None})
            with open_whole_file(Path(out), "wb") as file:
                n_answers = write_pack(study, choices, file)
        except BadChoice as bad:
            raise CommandError(str(bad)) from None
        except OSError as error:
            raise CommandError(f"{out} cannot be written: {error.strerror}. Choose another --out.") from None
        self.stdout.write(f"The pack of {slug} with {n_answers} answers is in {out}.")
