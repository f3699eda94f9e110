"""`export_responses SLUG`: what was answered, as a file that `import_responses` reads again, with a code book."""

from pathlib import Path

from django.core.management.base import BaseCommand, CommandError

from analysis.choices import BadChoice, purposes_with, study_called, words
from analysis.codebook import codebook
from analysis.files import whole_file
from analysis.services.exporting import FORMATS, export_responses, write_metrics, write_unanswered
from analysis.writers import as_csv
from studies.models import Study


class Command(BaseCommand):
    help = "Writes the answers of a study, from one moment, as long CSV, wide CSV or JSON lines."

    def add_arguments(self, parser):
        parser.add_argument("slug", help="short name of the study")
        parser.add_argument("--format", choices=sorted(FORMATS), default="csv")
        parser.add_argument(
            "--out",
            metavar="FILE",
            help="codebook.csv, unanswered.csv, metrics.csv are put beside it; default: stdout",
        )
        parser.add_argument(
            "--include", default="", metavar="pilot,simulated", help="answers that are left out if not named"
        )

    def handle(self, *, slug, format, out, include, **options):
        try:
            study, purposes = study_called(slug), purposes_with(words(include))
        except BadChoice as bad:
            raise CommandError(str(bad)) from None
        if out is None:
            self.stdout.ending = ""  # the export writes its own line ends
            export_responses(study, format, self.stdout, purposes)
            return
        try:
            number = write_files(study, format, Path(out), purposes)
        except OSError as error:
            raise CommandError(f"{out} cannot be written: {error.strerror}. Choose another --out.") from None
        self.stderr.write(f"{number} rows of {slug} ({', '.join(purposes)}) are in {out}.")


def write_files(study: Study, format: str, out: Path, purposes: tuple[str, ...]) -> int:
    """The answers, code book, missing answers and metrics of the items; a file is there whole or not at all."""
    with whole_file(out) as file:
        number = export_responses(study, format, file, purposes)
    with whole_file(out.with_name("codebook.csv")) as file:
        file.write(as_csv(codebook(study)))
    with whole_file(out.with_name("unanswered.csv")) as file:
        write_unanswered(study, file, purposes)
    with whole_file(out.with_name("metrics.csv")) as file:
        write_metrics(study, file)
    return number
