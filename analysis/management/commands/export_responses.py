"""`export_responses SLUG`: the answers, as a file that `import_responses` reads again, with a code book."""

from collections.abc import Callable
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError

from analysis.choices import EXPORTED, BadChoice, find_study, parse_purposes, split_list
from analysis.exports.codebook import build_codebook
from analysis.exports.item_evaluation import ITEM_EVALUATION, find_source
from analysis.exports.writing import (
    FORMATS,
    NoBytes,
    export_responses,
    write_item_evaluation,
    write_metrics,
    write_unanswered,
)
from analysis.files import is_stream, open_whole_file
from analysis.tables.writers import TextWriter, as_csv
from items.formats.sheet_writing import TooLarge
from studies.models import Study

BESIDE = ("codebook.csv", "unanswered.csv", "metrics.csv")


class Command(BaseCommand):
    help = "Writes the answers of a study, from one moment, as CSV, XLSX, Parquet or JSON lines; also its items."

    def add_arguments(self, parser):
        parser.add_argument("slug", help="short name of the study")
        parser.add_argument("--format", choices=sorted([*FORMATS, ITEM_EVALUATION]), default="csv")
        parser.add_argument(
            "--out",
            metavar="FILE",
            help=f"{', '.join(BESIDE)} go into the same folder; without it, or with -, to stdout",
        )
        parser.add_argument(
            "--include", default="", metavar="pilot,simulated,expert", help="also write answers of these purposes"
        )

        parser.add_argument("--bom", action="store_true", help="begin CSV files with a byte-order mark, for Excel")
        parser.add_argument("--evaluator", default="", metavar="NAME", help="item-evaluation: whose answers")
        parser.add_argument("--stage", default="", metavar="STAGE", help="item-evaluation: to which stage")

    def handle(self, *, slug, format, out, include, evaluator, stage, bom, **options):
        try:
            study, purposes = find_study(slug), parse_purposes(split_list(include), EXPORTED)
            write = choose_writer(study, format, purposes, evaluator, stage)
            if bom and format not in ("csv", "wide"):
                raise BadChoice("--bom belongs to CSV files: --format csv or wide. Leave it out.")
            if out is not None and Path(out).name in BESIDE:
                raise BadChoice(f"{Path(out).name} is the name of a file beside the answers. Choose another --out.")
        except BadChoice as bad:
            raise CommandError(str(bad)) from None
        try:
            if out in (None, "-"):
                self.stdout.ending = ""  # the export writes its own line ends
                write_mark(self.stdout, bom)
                write(self.stdout)
                return
            number = write_files(study, write, Path(out), purposes, bom)
        except (NoBytes, TooLarge) as bad:
            raise CommandError(str(bad)) from None
        except BrokenPipeError:
            raise
        except OSError as error:
            where = "Standard output" if out in (None, "-") else out
            raise CommandError(f"{where} cannot be written: {error.strerror}. Choose another --out.") from None
        self.stderr.write(f"{number} rows of {slug} ({', '.join(purposes)}) are in {out}.")


def choose_writer(
    study: Study, format: str, purposes: tuple[str, ...], evaluator: str, stage: str
) -> Callable[[TextWriter], int]:
    """The function that writes the answers to an open file; `BadChoice` if it is not clear whose answers are meant."""
    if format == ITEM_EVALUATION:
        source = find_source(study, evaluator, stage, purposes)
        return lambda out: write_item_evaluation(study, source, out, purposes)
    if evaluator or stage:
        raise BadChoice(f"--evaluator and --stage belong to --format {ITEM_EVALUATION}. Leave them out.")
    return lambda out: export_responses(study, format, out, purposes)


def write_mark(out: TextWriter, bom: bool) -> None:
    if bom:
        out.write("\ufeff")


def write_files(
    study: Study, write: Callable[[TextWriter], int], out: Path, purposes: tuple[str, ...], bom: bool
) -> int:
    """Write the answers, code book, missing answers and metrics of the items; each file is complete or absent.

    A pipe or a device gets the answers only.
    """
    with open_whole_file(out) as file:
        write_mark(file, bom)
        number = write(file)
    if is_stream(out):
        return number
    with open_whole_file(out.with_name("codebook.csv")) as file:
        write_mark(file, bom)
        file.write(as_csv(build_codebook(study)))
    with open_whole_file(out.with_name("unanswered.csv")) as file:
        write_mark(file, bom)
        write_unanswered(study, file, purposes)
    with open_whole_file(out.with_name("metrics.csv")) as file:
        write_mark(file, bom)
        write_metrics(study, file)
    return number
